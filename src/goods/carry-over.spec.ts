import { carryOver, type FrozenShard } from './carry-over.js';
import type { TicketRecord } from './ticket.js';

const ticket = (ticketId: string, seq: number, status: TicketRecord['status'] = 'queued'): TicketRecord => ({ ticketId, seq, status, items: [['1', 1]] });
const frozen = (tickets: Record<string, TicketRecord>, line: [number, string][]): FrozenShard => ({
  tickets: new Map(Object.entries(tickets)),
  line: line.map(([seq, userId]) => ({ seq, userId })),
});
const NOBODY = { newest: new Map<string, TicketRecord>(), ticketIds: new Set<string>() };

describe('carryOver', () => {
  it('keeps the order of the line and numbers it anew', () => {
    const carried = carryOver(frozen({ a: ticket('ta', 7), b: ticket('tb', 9) }, [[7, 'a'], [9, 'b']]), NOBODY);
    expect(carried.waiting.map(([userId, { seq }]) => [userId, seq])).toEqual([['a', 1], ['b', 2]]);
  });

  it('leaves out entries whose ticket was left or replaced, and a second place of the same shopper', () => {
    const state = frozen({ a: ticket('ta', 7, 'left'), b: ticket('tb', 9), c: ticket('tc', 3) }, [[7, 'a'], [8, 'b'], [9, 'b'], [3, 'c'], [3, 'c']]);
    expect(carryOver(state, NOBODY).waiting.map(([userId]) => userId)).toEqual(['b', 'c']);
  });

  it('believes MySQL where a waiting ticket has become an order', () => {
    const order: TicketRecord = { ...ticket('ta', 0, 'awaiting_payment'), orderId: 'o' };
    const carried = carryOver(frozen({ a: ticket('ta', 7) }, [[7, 'a']]), { newest: new Map([['a', order]]), ticketIds: new Set(['ta']) });
    expect(carried.waiting).toEqual([]);
    expect(carried.tickets.get('a')).toEqual(order);
  });

  it('lets a shopper wait again who has paid an earlier order, but not one with an unpaid order', () => {
    const newest = new Map([['a', ticket('t0', 0, 'paid')], ['b', ticket('t1', 0, 'awaiting_payment')]]);
    const state = frozen({ a: ticket('ta', 1), b: ticket('tb', 2) }, [[1, 'a'], [2, 'b']]);
    const carried = carryOver(state, { newest, ticketIds: new Set(['t0', 't1']) });
    expect(carried.waiting.map(([userId]) => userId)).toEqual(['a']);
    expect(carried.tickets.get('b')?.ticketId).toBe('t1');
  });

  it('keeps how tickets without an order ended', () => {
    const carried = carryOver(frozen({ a: ticket('ta', 1, 'sold_out') }, []), NOBODY);
    expect(carried.tickets.get('a')?.status).toBe('sold_out');
  });
});
