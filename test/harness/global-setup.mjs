import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServices } from '../../scripts/lib/services.mjs';

/**
 * Starts one private MariaDB and one private Redis for each jest worker, so that test files side by side never share a server.
 * @param {unknown} _globalConfig
 * @param {{ maxWorkers: number }} projectConfig
 */
export default async function startTestServices(_globalConfig, projectConfig) {
  const root = process.env.TEST_DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'seckill-test-')));
  const workers = Math.max(1, Number(_globalConfig.maxWorkers ?? projectConfig.maxWorkers ?? 1));
  const started = await Promise.all(
    Array.from({ length: workers }, (_, index) => startServices({ dataDir: join(root, `worker-${index + 1}`), announce: false })),
  );
  globalThis.testServices = started;
  process.env.TEST_SERVICES = JSON.stringify(started.map(({ databaseUrl, redisUrl }) => ({ databaseUrl, redisUrl })));
}
