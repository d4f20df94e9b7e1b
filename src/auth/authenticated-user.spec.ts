import 'reflect-metadata';
import { parseUser } from './authenticated-user.js';

describe('parseUser', () => {
  it('reads a user and nothing more', () => {
    expect(parseUser('{"id":"7","username":"ada","role":"shopper","admin":true}')).toEqual({ id: '7', username: 'ada', role: 'shopper' });
  });

  it.each([
    '', 'x', 'null', '7', '[]', '{}',
    '{"id":7,"username":"ada","role":"shopper"}',
    '{"id":"0","username":"ada","role":"shopper"}',
    '{"id":"7:1","username":"ada","role":"shopper"}',
    '{"id":"7","username":"","role":"shopper"}',
    '{"id":"7","username":"ada","role":"root"}',
    '{"id":"7","username":"ada"}',
  ])('takes %s for no user', (json) => {
    expect(parseUser(json)).toBeNull();
  });
});
