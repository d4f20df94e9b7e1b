import { carryOver } from './carry-over.js';
import type { TicketRecord } from './ticket.js';

const ticket = (ticketId: string, seq: number, status: TicketRecord['status'] = 'queued'): TicketRecord => ({ ticketId, seq, status, items: [['1', 1]] });
const frozen = (tickets: Record<string, TicketRecord>): Map<string, TicketRecord> => new Map(Object.entries(tickets));
const NOBODY = { newest: new Map<string, TicketRecord>(), ticketIds: new Set<string>() };

describe('carryOver', () => {
  it('keeps the order of the joins, reserved tickets included, and numbers the line anew', () => {
    const carried = carryOver(frozen({ b: ticket('tb', 9), a: ticket('ta', 7), c: ticket('tc', 8, 'reserved') }), NOBODY);
    expect(carried.waiting.map(([userId, { seq }]) => [userId, seq])).toEqual([['a', 1], ['c', 2], ['b', 3]]);
    expect([...carried.tickets].map(([userId, { seq }]) => [userId, seq])).toEqual([['a', 1], ['c', 2], ['b', 3]]);
  });

  it('leaves out who left', () => {
    expect(carryOver(frozen({ a: ticket('ta', 7, 'left'), b: ticket('tb', 9) }), NOBODY).waiting.map(([userId]) => userId)).toEqual(['b']);
  });

  it('believes MySQL where a waiting ticket has become an order', () => {
    const order: TicketRecord = { ...ticket('ta', 0, 'awaiting_payment'), orderId: 'o' };
    const carried = carryOver(frozen({ a: ticket('ta', 7) }), { newest: new Map([['a', order]]), ticketIds: new Set(['ta']) });
    expect(carried.waiting).toEqual([]);
    expect(carried.tickets.get('a')).toEqual(order);
  });

  it('lets a shopper wait again who has paid an earlier order, but not one with an unpaid order', () => {
    const newest = new Map([['a', ticket('t0', 0, 'paid')], ['b', ticket('t1', 0, 'awaiting_payment')]]);
    const carried = carryOver(frozen({ a: ticket('ta', 1), b: ticket('tb', 2) }), { newest, ticketIds: new Set(['t0', 't1']) });
    expect(carried.waiting.map(([userId]) => userId)).toEqual(['a']);
    expect(carried.tickets.get('b')?.ticketId).toBe('t1');
  });

  it('queues who stood by, and remembers that they did', () => {
    const { waiting } = carryOver(frozen({ a: ticket('ta', 1, 'standby'), b: ticket('tb', 2) }), NOBODY);
    expect(waiting.map(([userId, { status, stoodBy }]) => [userId, status, stoodBy])).toEqual([['a', 'queued', true], ['b', 'queued', undefined]]);
  });

  it('keeps how tickets without an order ended', () => {
    expect(carryOver(frozen({ a: ticket('ta', 1, 'sold_out') }), NOBODY).tickets.get('a')?.status).toBe('sold_out');
  });
});
