import fc from 'fast-check';
import type { ClaimedTicket } from '../../../src/goods/index.js';
import type { Settlement } from '../../../src/seckill/index.js';
import type { BasketLine } from '../../../src/seckill/seckill.scripts.js';
import { ordered, orderOf, rejected, requeued, type TestShard } from '../test-shard.js';
import type { Claim, ShardModel } from './shard-model.js';
import { verify } from './verify.js';

/** What the drains, the operator and the relay remember between their steps. */
export class Memory {
  handed: { epoch: number; drainId: string; claim: Claim }[] = [];
  lastSettle: { epoch: number; drainId: string; settlements: Settlement[] } | null = null;
  withdrawals: { id: string; itemId: string }[] = [];
  tickets = 0;
}

export interface World {
  model: ShardModel;
  shard: TestShard;
  memory: Memory;
}

type Step = (world: World) => Promise<void>;

/** One drawn step. Its name, with what was drawn, is what a failing sequence prints. */
export class Command implements fc.AsyncCommand<World, World> {
  constructor(
    private readonly name: string,
    private readonly drawn: object,
    private readonly step: Step,
    private readonly makesSense: (world: World) => boolean,
  ) {}

  check = (world: World): boolean => this.makesSense(world);

  async run(world: World): Promise<void> {
    await this.step(world);
    await verify(world.model, world.shard);
  }

  toString = (): string => `${this.name}(${JSON.stringify(this.drawn)})`;
}

/** A command from what is drawn for it; it is passed over where it makes no sense. */
function command<T extends object>(
  name: string,
  drawn: { [K in keyof T]: fc.Arbitrary<T[K]> },
  step: (world: World, drawn: T) => Promise<void>,
  makesSense: (world: World, drawn: T) => boolean = () => true,
): fc.Arbitrary<Command> {
  return fc.record(drawn).map((values) => new Command(name, values, (world) => step(world, values), (world) => makesSense(world, values)));
}

const index = fc.nat(1000);
const user = fc.constantFrom('a', 'b', 'c', 'd', 'e');
/** Mostly the drain at work; sometimes a certain one, be it its turn or not. */
const drain = fc.constantFrom(null, null, null, 'drain-1', 'drain-2');
const rarely = fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 9);
const basket = fc
  .uniqueArray(fc.record({ item: fc.nat(3), quantity: fc.integer({ min: 1, max: 3 }) }), { minLength: 1, maxLength: 4, selector: ({ item }) => item });

const at = <T>(items: T[], drawn: number): T | undefined => items[drawn % Math.max(1, items.length)];
const epochIn = ({ model }: World, isStale: boolean): number => (isStale ? model.db.epoch - 1 : model.db.epoch);

const drainIn = ({ model }: World, drawn: string | null): string => drawn ?? model.state?.lease?.drainId ?? 'drain-1';

const join = command<{ user: string; basket: { item: number; quantity: number }[]; isRepeat: boolean }>('join', { user, basket, isRepeat: rarely }, async (world, drawn) => {
  const { model, shard, memory } = world;
  const items = shard.itemIds;
  const lines = new Map(drawn.basket.map(({ item, quantity }) => [items[item % items.length] ?? '', quantity]));
  const wanted: BasketLine[] = [...lines].map(([itemId, quantity]) => ({ itemId, quantity }));
  const known = drawn.isRepeat ? model.state?.tickets.get(drawn.user)?.ticketId : undefined;
  const ticketId = known ?? `t${(memory.tickets += 1)}`;
  const answer = await shard.join(drawn.user, wanted, ticketId);
  const expected = model.join(drawn.user, ticketId, wanted);
  expect(answer).toEqual('position' in expected ? { ...expected, ticketId, ratePerSecond: expect.any(Number) } : expected);
});

const leave = command<{ user: string }>('leave', { user }, async ({ model, shard }, drawn) => {
  expect(await shard.leave(drawn.user)).toEqual(model.leave(drawn.user));
});

const claim = command<{ by: string | null; most: number; isDying: boolean }>('claim', { by: drain, most: fc.integer({ min: 1, max: 5 }), isDying: fc.boolean() }, async (world, { by, most, isDying }) => {
  const { model, shard, memory } = world;
  const drainId = drainIn(world, by);
  const answer = await shard.claim({ drainId, maxTickets: most, leaseMs: isDying ? 1 : 60_000 });
  if (isDying) await shard.passed((await shard.nowMs()) + 1);
  const { claims, again, ...expected } = model.claim(drainId, most, isDying);
  if (answer.outcome !== 'claimed') return expect(answer).toEqual(expected);
  const handed = answer.tickets.map(asClaim);
  if (again) {
    expect(handed).toHaveLength(Math.min(most, again.length));
    expect(again).toEqual(expect.arrayContaining(handed));
    expect(answer).toMatchObject({ ...expected, again: true, soldOut: 0 });
  } else {
    expect(handed).toEqual(claims);
    expect(answer).toMatchObject({ ...expected, again: false });
  }
  memory.handed.push(...handed.map((one) => ({ epoch: Number(answer.epoch), drainId, claim: one })));
});

function asClaim({ ticketId, userId, seq, lines }: ClaimedTicket): Claim {
  return { ticketId, userId, seq, tokens: lines.flatMap(({ itemId, serials }) => serials.map((serial) => ({ itemId, serial }))) };
}

interface Verdict {
  which: number;
  outcome: 'ordered' | 'rejected' | 'sold_out' | 'requeued';
  dropsOne: boolean;
}
const verdict = fc.record({ which: index, outcome: fc.constantFrom('ordered' as const, 'ordered' as const, 'rejected' as const, 'sold_out' as const, 'requeued' as const), dropsOne: rarely });

/** Settles some of what a drain was handed, late ones sometimes; MySQL's part, the commit, comes first. */
const settle = command<{ by: string | null; isLate: boolean; verdicts: Verdict[] }>('settle', { by: drain, isLate: rarely, verdicts: fc.array(verdict, { minLength: 1, maxLength: 5 }) }, async (world, { by, isLate, verdicts }) => {
  const drainId = drainIn(world, by);
  const standing = world.model.state?.working;
  const mine = world.memory.handed.filter(({ drainId: holder, claim: { ticketId } }) => holder === drainId && (isLate || standing?.has(ticketId))).slice(-6);
  const { epoch } = at(mine, verdicts[0]?.which ?? 0) ?? { epoch: world.model.db.epoch };
  const picked = verdicts.flatMap((one) => ({ ...one, handed: at(mine.filter((handed) => handed.epoch === epoch), one.which) }));
  const settlements: Settlement[] = [];
  for (const { handed, ...one } of picked) {
    if (!handed) continue;
    const decided = settlements.find(({ ticketId }) => ticketId === handed.claim.ticketId);
    settlements.push(decided ?? decide(world, epoch, handed.claim, one));
  }
  await sendSettle(world, { epoch, drainId, settlements });
}, ({ model: { state } }, { isLate }) => isLate || (state?.lease ? state.working.size > 0 : false));

/** A ticket that became an order stays one; only who still has the claim as it was handed out can make it one. */
function decide({ model: { db, state } }: World, epoch: number, claim: Claim, { outcome, dropsOne }: Verdict): Settlement {
  const { ticketId, userId, tokens } = claim;
  if (db.orderOf(ticketId)) return ordered(ticketId);
  const standing = state?.epoch === epoch ? state.claimed.get(ticketId) : undefined;
  const isCurrent = JSON.stringify(standing?.tokens) === JSON.stringify(tokens);
  const drop = dropsOne && isCurrent ? tokens.slice(0, 1) : [];
  if (outcome === 'ordered' && isCurrent && epoch === db.epoch) {
    db.orders.push({ ticketId, userId, tokens, status: 'awaiting_payment' });
    return ordered(ticketId);
  }
  if (outcome === 'rejected') return rejected(ticketId, 'LIMIT_REACHED', drop);
  return outcome === 'sold_out' ? rejected(ticketId, 'SOLD_OUT', drop) : requeued(ticketId, drop);
}

async function sendSettle({ model, shard, memory }: World, call: NonNullable<Memory['lastSettle']>): Promise<void> {
  const { epoch, drainId, settlements } = (memory.lastSettle = call);
  expect(await shard.settle(settlements, { epoch: String(epoch), drainId })).toBe(model.settle(epoch, drainId, settlements));
}

/** The same call once more. What became an order meanwhile is told as an order, and a drop means the tokens it was made for. */
const repeatSettle = command('repeatSettle', {}, async (world) => {
  const { memory, model } = world;
  if (!memory.lastSettle) return;
  const settlements = memory.lastSettle.settlements.map((one) => (model.db.orderOf(one.ticketId) ? ordered(one.ticketId) : one));
  await sendSettle(world, { ...memory.lastSettle, settlements });
});

const release = command<{ which: number; isStale: boolean }>('release', { which: index, isStale: rarely }, async (world, drawn) => {
  const { model, shard } = world;
  const row = at(model.db.returns.filter(({ doneIn }) => doneIn === null || doneIn === model.db.epoch), drawn.which);
  if (!row) return;
  const epoch = epochIn(world, drawn.isStale);
  const { id, itemId, serial, userId } = row;
  expect(await shard.releasing(id, { epoch: String(epoch), itemId, serial, userId })).toEqual(model.release(epoch, row));
}, ({ model: { db } }) => db.returns.length > 0);

const endOrder = command<{ which: number; status: 'paid' | 'expired' | 'cancelled' }>('endOrder', { which: index, status: fc.constantFrom('paid' as const, 'expired' as const, 'cancelled' as const) }, async ({ model: { db } }, drawn) => {
  const order = at(db.liveOrders, drawn.which);
  if (order) db.end(order, drawn.status);
}, ({ model: { db } }) => db.liveOrders.length > 0);

const finish = command<{ which: number; isStale: boolean }>('finish', { which: index, isStale: rarely }, async (world, drawn) => {
  const { model, shard } = world;
  const order = at(model.db.orders.filter(({ status }) => status !== 'awaiting_payment'), drawn.which);
  if (!order || order.status === 'awaiting_payment') return;
  const { userId, ticketId, status } = order;
  const epoch = epochIn(world, drawn.isStale);
  expect(await shard.seckill.finish(shard.at, { epoch: String(epoch), userId, ticketId, status, reason: null, ...orderOf(ticketId) })).toBe(model.finish(epoch, userId, ticketId, status));
}, ({ model: { db } }) => db.orders.some(({ status }) => status !== 'awaiting_payment'));

export const orderSteps = { join, leave, claim, settle, repeatSettle, release, endOrder, finish };
export const draw = { command, index, rarely, at, epochIn };
