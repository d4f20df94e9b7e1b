import fc from 'fast-check';
import { random } from '../harness/random.js';
import { Memory, orderSteps, type World } from './model/commands.js';
import { operatorSteps } from './model/operator-commands.js';
import { ShardModel } from './model/shard-model.js';
import { verify } from './model/verify.js';
import { ScriptBench } from './test-shard.js';

const RUNS = 100;
const STEPS = 100;
/** On a busy machine fewer runs have to do. */
const LONGEST_MS = 20_000;

/** A sale small enough that its items run dry and its shoppers meet their limits. */
const plan = fc.record({
  mode: fc.constantFrom('queue' as const, 'instant' as const),
  limitPerUser: fc.integer({ min: 2, max: 8 }),
  standbyLimit: fc.constantFrom(0, 0, 1, 3, 100),
  stock: fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 4 }).map((counts) => Object.fromEntries(counts.map((count, item) => [String(item + 1), count]))),
});

const { join, leave, claim, settle, repeatSettle, release, endOrder, finish } = orderSteps;
const { issue, withdraw, conclude, load, steer, forgetScripts, lose } = operatorSteps;
const steps = fc.commands(
  [
    ...[join, join, join, join, join, join, join, leave, leave], ...[claim, claim, claim, claim, claim], ...[settle, settle, settle, settle, repeatSettle],
    ...[endOrder, endOrder, release, release, release, finish, finish], ...[issue, withdraw, withdraw, conclude], ...[load, steer, forgetScripts, lose],
  ],
  { maxCommands: STEPS, size: 'max' },
);

describe('a shard', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  it('does and answers what the model predicts, whatever happens to it', async () => {
    const { seed } = random('shard model');
    const endMs = Date.now() + LONGEST_MS;
    const property = fc.asyncProperty(plan, steps, async ({ mode, limitPerUser, standbyLimit, stock }, commands) => {
      if (Date.now() > endMs) return;
      const setUp = async (): Promise<{ model: World; real: World }> => {
        const shard = await bench.loaded({ mode, limitPerUser, standbyLimit, stock });
        const world = { model: new ShardModel(mode, limitPerUser, stock, standbyLimit), shard, memory: new Memory() };
        world.model.load(1);
        await verify(world.model, shard);
        return { model: world, real: world };
      };
      await fc.asyncModelRun(setUp, commands);
    });
    await fc.assert(property, { seed, numRuns: RUNS });
  });
});
