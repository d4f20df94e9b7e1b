import { appendFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServices } from '../../scripts/lib/services.mjs';
import { FALLEN_SERVERS } from './run-notes.mjs';

/**
 * Starts one private MariaDB and one private Redis for each jest worker, so that test files side by side never share a server.
 * @param {unknown} _globalConfig
 * @param {{ maxWorkers: number }} projectConfig
 */
export default async function startTestServices(_globalConfig, projectConfig) {
  const root = process.env.TEST_DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'seckill-test-')));
  const workers = Math.max(1, Number(_globalConfig.maxWorkers ?? projectConfig.maxWorkers ?? 1));
  const started = await Promise.all(Array.from({ length: workers }, (_, index) => startSet(root, `worker-${index + 1}`)));
  globalThis.testServices = started;
  process.env.TEST_SERVICES = JSON.stringify(started.map(({ databaseUrl, redisUrl }) => ({ databaseUrl, redisUrl })));
}

/**
 * No test touches these servers' processes. One that ends all the same is started again for the files to come, and it is noted that those
 * which failed with it have to be looked at once more.
 *
 * @param {string} root
 * @param {string} name
 */
async function startSet(root, name) {
  const services = await startServices({
    dataDir: join(root, name),
    announce: false,
    onUnexpectedExit: (which, how) => {
      const server = which === 'mysql' ? services.mysql : services.redis;
      process.stderr.write(`${which} of ${name} has ended by itself (${how}) and is started again. Its last words:\n  ${server.lastWords()}\n`);
      appendFileSync(join(root, FALLEN_SERVERS), `${which} of ${name} ${how}\n`);
      server.start().catch((/** @type {Error} */ error) => process.stderr.write(`${error.message}\n`));
    },
  });
  return services;
}
