import 'reflect-metadata';
import { parseOptions } from '@node-rs/argon2';
import { Passwords } from './passwords.js';

describe('Passwords', () => {
  const passwords = new Passwords();

  it('hashes with argon2id at the advised cost, differently each time', async () => {
    const [one, other] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')]);
    expect(one).toMatch(/^\$argon2id\$/);
    expect(one).not.toBe(other);
    expect(parseOptions(one)).toMatchObject({ memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  });

  it('knows the right password from a wrong one', async () => {
    const hash = await passwords.hash('correct horse');
    expect([await passwords.matches(hash, 'correct horse'), await passwords.matches(hash, 'correct horsE')]).toEqual([true, false]);
  });

  it('matches nothing where there is no hash', async () => {
    expect(await passwords.matches(undefined, 'correct horse')).toBe(false);
  });
});
