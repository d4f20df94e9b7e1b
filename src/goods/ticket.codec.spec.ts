import { formatTicket, parseTicket } from './ticket.codec.js';
import type { TicketRecord } from './ticket.js';

const ID = '01a23393-e3f3-748c-8bd9-8cc5cc0385c0';
const waiting: TicketRecord = { ticketId: ID, status: 'queued', seq: 1_000_000, joinedAtMs: 1_764_600_000_000, items: [['100', 1]] };

describe('a ticket as Redis keeps it', () => {
  it('reads as it was written, with an amount of any size', () => {
    const ordered: TicketRecord = { ticketId: ID, status: 'awaiting_payment', seq: 0, orderId: ID, amountMinor: 123_456_789_012_345, currency: 'EUR', payBeforeMs: 1 };
    for (const ticket of [waiting, ordered]) expect(parseTicket(formatTicket(ticket))).toEqual(ticket);
    expect(formatTicket(ordered)).toContain('"amountMinor":"123456789012345"');
  });

  it('takes no more than the 124 characters for which Redis takes 128 bytes, as the millionth of a line', () => {
    expect(formatTicket(waiting).length).toBeLessThanOrEqual(124);
  });

  it.each(['null', '[]', '{}', '{"id":1,"status":"queued","seq":1}', '{"id":"a","status":"lost","seq":1}', '{"id":"a","status":"queued"}'])('is nothing else: %s', (json) => {
    expect(() => parseTicket(json)).toThrow(TypeError);
  });
});
