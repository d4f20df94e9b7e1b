import fc from 'fast-check';
import { random } from '../harness/random.js';
import { Shop } from '../harness/shop.js';
import { ServiceModel } from './service-model.js';
import { cancel, changeStock, crash, drain, expire, expireAll, join, leave, pay, relay, SHOPPERS, steer, type Real } from './service-steps.js';

const RUNS = 100;
const STEPS = 40;
/** `MODEL_SECONDS=600 npm test -- test/model` looks for longer. */
const LONGEST_MS = Number(process.env.MODEL_SECONDS ?? 40) * 1000;

/** A sale small enough that its items run dry and its shoppers meet their limits. */
const plan = fc.record({
  mode: fc.constantFrom('queue' as const, 'instant' as const),
  limit: fc.integer({ min: 2, max: 4 }),
  stock: fc.tuple(fc.integer({ min: 2, max: 7 }), fc.integer({ min: 2, max: 7 })),
});

const steps = fc.commands([...[join, join, join, join], leave, ...[drain, drain, drain], pay, cancel, expire, relay, changeStock, steer, crash], { maxCommands: STEPS, size: 'max' });

/** Joins, drains, payments, expiries, stock changes and crashes in any order, on the real parts, without the jobs that would mend what is half done. */
describe('the service', () => {
  let shop: Shop;
  let shoppers: Real['shoppers'];
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    shop.bePatient();
    shoppers = await shop.shoppers(SHOPPERS);
  });
  afterAll(() => shop.close());

  it('is what the model says, after every step', async () => {
    const { seed } = random('service model');
    let endMs = Date.now() + LONGEST_MS;
    let runs = 0;
    const property = fc.asyncProperty(plan, steps, async ({ mode, limit, stock }, commands) => {
      if (Date.now() > endMs) return;
      runs += 1;
      const set = async (): Promise<{ model: ServiceModel; real: Real }> => {
        await expireAll(shop);
        const sale = await shop.sale({ mode, items: stock.map((units) => ({ stock: units, limitPerUser: limit })) });
        return { model: new ServiceModel(mode, limit, [...stock]), real: { shop, sale, shoppers } };
      };
      try {
        await fc.asyncModelRun(set, commands);
      } catch (error) {
        // Time to shrink it.
        endMs = Date.now() + LONGEST_MS;
        throw error;
      }
    });
    await fc.assert(property, { seed, numRuns: RUNS });
    expect(runs).toBeGreaterThan(0);
  }, 4 * LONGEST_MS + 60_000);
});
