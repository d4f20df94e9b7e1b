import { Deployment } from './harness/deployment.js';
import { recordResult } from './harness/report.js';
import { runScenario } from './harness/scenario.js';
import { SCENARIOS } from './scenarios.js';

/** One of each kind, for every run of the tests; `npm run test:faults` has all of them. */
const SELECTION = [
  ['kill -9 of the worker', 'commit after (queue)'],
  ['kill -9 of the API', 'after the Redis step of a join, before its answer'],
  ['Redis kill -9, restart with AOF', 'under load'],
  ['Redis FLUSHALL', 'under load (instant)'],
  ['MariaDB kill -9 and restart', 'under load'],
];

describe('the guarantees hold under', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.start();
  }, 60_000);
  afterAll(() => deployment.stop());

  it.each(SELECTION)('%s: %s', async (fault, moment) => {
    const scenario = SCENARIOS.find((candidate) => candidate.fault === fault && candidate.moment === moment);
    if (!scenario) throw new Error('there is no such scenario');
    const result = await runScenario(deployment, scenario);
    recordResult(result);
    expect(result.breaks).toEqual([]);
  }, 180_000);
});
