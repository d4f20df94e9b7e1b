import { ordered, rejected, requeued, type TestShard } from './test-shard.js';

/** A named step of the journey. */
export type JourneyStep = [name: string, run: (shard: TestShard) => Promise<unknown>];

/** The plan the journey wants: items `1` (5 units) and `2` (2 units). */
export const JOURNEY_PLAN = { stock: { 1: 5, 2: 2 }, units: [['z:1', 1]] as [string, number][] };

/** A walk through every script and its branches that write, so that each key comes into being, runs empty and comes back. */
export const JOURNEY: JourneyStep[] = [
  ['load', (shard) => shard.load()],
  ['load where a state stands', (shard) => shard.load()],
  ['refused join', (shard) => shard.join('a', { 9: 1 })],
  ['first join', (shard) => shard.join('a', { 1: 1, 2: 2 })],
  ['repeated join', (shard) => shard.join('a', { 1: 1, 2: 2 })],
  ['join with an idempotency key, and its repeat', async (shard) => {
    for (const ticketId of ['ticket-k', 'ticket-again']) await shard.joinWithKey('k', 'a key', ticketId);
    await shard.leave('k');
  }],
  ['more joins', async (shard) => {
    for (const userId of ['b', 'c', 'd']) await shard.join(userId, { 1: 1 });
  }],
  ['leave', (shard) => shard.leave('b')],
  ['claim that dries an item', (shard) => shard.claim()],
  ['claim of what is unsettled', (shard) => shard.claim()],
  ['settle as requeued, which brings stock list and queue back', (shard) => shard.settle([requeued('ticket-a')])],
  ['join while the queue has only who went back', (shard) => shard.join('e', { 1: 1 })],
  ['claim of nothing new', (shard) => shard.settle([ordered('ticket-c'), rejected('ticket-d')])],
  ['claim of the rest', (shard) => shard.claim()],
  ['settle as ordered', (shard) => shard.settle([ordered('ticket-a'), ordered('ticket-e')])],
  ['claim of an empty queue', (shard) => shard.claim()],
  ['finish', (shard) => shard.finish('a', 'expired')],
  ['release into a dry list', (shard) => shard.release(1, { itemId: '2', serial: 1, userId: 'a' })],
  ['repeated release', (shard) => shard.release(1, { itemId: '2', serial: 1, userId: 'a' })],
  ['withdrawal of the last unit', (shard) => shard.withdraw(1, '2', 'w')],
  ['return of a withdrawal', (shard) => shard.stock.conclude(shard.at, '1', { id: 'w', itemId: '2' }, { end: 'returned', drop: [] })],
  ['withdrawal', (shard) => shard.withdraw(1, '2', 'v')],
  ['end of a withdrawal', (shard) => shard.stock.conclude(shard.at, '1', { id: 'v', itemId: '2' }, { end: 'withdrawn' })],
  ['look at the line', (shard) => shard.stock.line(shard.at, shard.itemIds, 10)],
  ['join after the line was empty', (shard) => shard.join('f', { 1: 1 })],
  ['claim for a drain that stops', (shard) => shard.claim({ drainId: 'stopping' })],
  ['yield', (shard) => shard.seckill.yieldLease(shard.at, 'stopping')],
  ['mend', async (shard) => {
    const token = { itemId: '1', serial: 5 };
    for (const copies of [0, 1]) await shard.stock.mend(shard.at, '1', { ...token, copies });
  }],
  ['steer', (shard) => shard.steer({ state: 'paused' })],
  ['freeze before a rebuild', (shard) => shard.sales.freeze(shard.at, '2')],
  ['load of a newer epoch', (shard) => shard.load({ epoch: '2' })],
];
