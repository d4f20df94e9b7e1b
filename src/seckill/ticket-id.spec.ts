import { newTicketId } from './ticket-id.js';

describe('the id of a ticket', () => {
  it('is a UUID of version 7, and never the same twice, however many are made', () => {
    const ids = Array.from({ length: 1000 }, newTicketId);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    // Nor do two of them share what is random in them.
    expect(new Set(ids.map((id) => id.slice(-12))).size).toBe(ids.length);
  });
});
