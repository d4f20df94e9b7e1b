import { Deployment } from './harness/deployment.js';
import { recordResult } from './harness/report.js';
import { runScenario } from './harness/scenario.js';
import { SCENARIOS } from './scenarios.js';

describe('the guarantees hold under', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.start();
  });
  afterAll(() => deployment.stop());

  it.each(SCENARIOS.map((scenario) => [scenario.fault, scenario.moment, scenario] as const))(
    '%s: %s',
    async (_fault, _moment, scenario) => {
      const result = await runScenario(deployment, scenario);
      recordResult(result);
      expect(result.breaks).toEqual([]);
    },
    180_000,
  );
});
