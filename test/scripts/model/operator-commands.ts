import fc from 'fast-check';
import { draw, type World } from './commands.js';

const { command, index, rarely, at, epochIn } = draw;

/** What an operator, the preload and an outage do to a shard. */
const issue = command<{ item: number }>('issue', { item: fc.nat(3) }, async ({ model: { db } }, drawn) => {
  db.issue(at([...db.issued.keys()], drawn.item) ?? '');
});

const withdraw = command<{ item: number; quantity: number; isRepeat: boolean; isStale: boolean }>(
  'withdraw', { item: fc.nat(3), quantity: fc.integer({ min: 1, max: 3 }), isRepeat: rarely, isStale: rarely },
  async (world, { item, quantity, isRepeat, isStale }) => {
    const { model, shard, memory } = world;
    const standing = isRepeat ? memory.withdrawals.find(({ id }) => model.state?.withdrawing.has(id)) : undefined;
    const { id, itemId } = standing ?? { id: `w${memory.withdrawals.length + 1}`, itemId: at(shard.itemIds, item) ?? '' };
    if (!standing) memory.withdrawals.push({ id, itemId });
    const epoch = epochIn(world, isStale);
    const answer = await shard.stock.withdraw(shard.at, String(epoch), { id, itemId, quantity });
    expect(answer).toEqual(model.withdraw(epoch, id, itemId, quantity));
  },
);

const conclude = command<{ which: number; end: 'withdrawn' | 'returned'; isStale: boolean }>(
  'conclude', { which: index, end: fc.constantFrom('withdrawn' as const, 'returned' as const), isStale: rarely },
  async (world, { which, end, isStale }) => {
    const { model, shard, memory } = world;
    const withdrawal = at(memory.withdrawals, which);
    if (!withdrawal) return;
    const epoch = epochIn(world, isStale);
    await shard.stock.conclude(shard.at, String(epoch), withdrawal, end === 'withdrawn' ? { end } : { end, drop: [] });
    model.conclude(epoch, withdrawal.id, end);
  },
);

/** 0: the same epoch again; -1: an old one; 1: a rebuild from the database. */
const load = command<{ step: number }>('load', { step: fc.constantFrom(0, 0, -1, 1) }, async (world, { step }) => {
  if (step >= 0 || world.model.state) await loadEpoch(world, step);
});

async function loadEpoch({ model, shard }: World, step: number): Promise<void> {
  const { db } = model;
  const epoch = db.epoch + step;
  if (step > 0) db.epoch = epoch;
  const answer = await shard.load({
    epoch: String(epoch),
    state: model.saleState,
    claims: model.claims,
    tokens: new Map([...db.issued.keys()].map((itemId) => [itemId, db.freeSerials(itemId)])),
    tickets: db.newestOrders().map(({ userId, ticketId, status }) => [userId, { ticketId, status, seq: 0 }]),
    liveTickets: db.newestOrders().filter(({ status }) => status === 'awaiting_payment').map(({ userId }) => [userId, 1]),
    units: db.units(),
    returnsBase: db.returnsBase,
  });
  const { outcome } = answer;
  expect(outcome).toBe(model.load(epoch));
}

const steer = command<{ state: 'open' | 'paused' | 'ended'; claims: 'go_on' | 'stopped'; isStale: boolean }>(
  'steer',
  {
    state: fc.constantFrom(...Array.from({ length: 6 }, () => 'open' as const), 'paused' as const, 'paused' as const, 'ended' as const),
    claims: fc.constantFrom('go_on' as const, 'stopped' as const),
    isStale: rarely,
  },
  async (world, { state, claims, isStale }) => {
    const { model, shard } = world;
    const epoch = epochIn(world, isStale);
    const isTaken = model.state?.epoch === epoch;
    expect(await shard.sales.steer(shard.at, String(epoch), shard.policy({ state, claims }))).toBe(isTaken ? 'steered' : 'not_loaded');
    if (isTaken) Object.assign(model, { saleState: state, claims });
  },
);

const forgetScripts = command('forgetScripts', {}, async ({ shard }) => {
  await shard.redis.script('FLUSH');
});

/** Redis loses everything; mostly the preload sees it before anybody else. */
const lose = command<{ isUnseen: boolean }>('lose', { isUnseen: rarely }, async (world, { isUnseen }) => {
  await world.shard.redis.flushall();
  world.model.state = null;
  if (!isUnseen) await loadEpoch(world, 1);
});

export const operatorSteps = { issue, withdraw, conclude, load, steer, forgetScripts, lose };
