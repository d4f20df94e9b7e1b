import { decodeCursor, encodeCursor } from './order-cursor.js';

const ID = '0193a5f0-8a3e-7c11-9d55-3f1c2b7a9e01';

describe('cursor of the order list', () => {
  it('comes back as the order it was made of', () => {
    expect(decodeCursor(encodeCursor(ID))).toBe(ID);
  });

  it.each([
    ['nothing readable', '%%%'],
    ['a bare id', ID],
    ['an id without the version', Buffer.from(ID).toString('base64url')],
    ['trailing bytes', encodeCursor(`${ID}x`)],
    ['a changed ending that decodes alike', `${encodeCursor(ID)}=`],
    ['an id in capitals', encodeCursor(ID.toUpperCase())],
  ])('refuses %s', (_, cursor) => {
    expect(() => decodeCursor(cursor)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });
});
