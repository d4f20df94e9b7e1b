/**
 * `npm run bench -- streams [--streams 5000]`: what open event streams of tickets cost one process, and how soon they tell, beside the same crowd polling.
 * Runs from the project's folder on the built service, with servers of its own, in under two minutes.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { reasonOf } from '../../src/infra/errors.js';
import { commandLine, optionsOf, positive } from '../command-line.js';
import { runKit, say } from '../kit.js';
import { asMarkdown, type Result } from './figures.js';
import { Measurements } from './measurements.js';
import { ServiceProcess } from './service-process.js';

type Launcher = typeof import('../../scripts/lib/services.mjs');
/** What the committed results are of. */
const WHOLE_RUN = 5000;
const STREAMS = commandLine('streams', () => positive('streams', optionsOf({ streams: { type: 'string', default: String(WHOLE_RUN) } }).streams));

/** Measures on servers of its own, which have ended when this is over, whatever happened. */
async function onServers(dataDir: string, signal: AbortSignal): Promise<Result> {
  const { startServices } = (await import(pathToFileURL(join(process.cwd(), 'scripts/lib/services.mjs')).href)) as Launcher;
  const services = await startServices({ dataDir, announce: false });
  try {
    signal.throwIfAborted();
    return await Promise.race([interruption(signal), measure({ DATABASE_URL: services.databaseUrl, REDIS_URL: services.redisUrl }, dataDir, signal)]);
  } finally {
    await ServiceProcess.stopAll();
    await services.stop();
  }
}

async function interruption(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw new Error(reasonOf(signal.reason));
}

async function measure(servers: { DATABASE_URL: string; REDIS_URL: string }, dataDir: string, signal: AbortSignal): Promise<Result> {
  const env = { ...servers, STREAMS_MAX: String(STREAMS), OPERATOR_USERNAME: 'operator', OPERATOR_PASSWORD: 'operator-demo' };
  say(`${STREAMS} shoppers`);
  const tokens = await shoppers(env, join(dataDir, 'tokens.csv'), signal);
  signal.throwIfAborted();
  const api = await ServiceProcess.start({ ...env, ROLE: 'api' });
  const bench = new Measurements(api, tokens, new Redis(servers.REDIS_URL), () => {
    signal.throwIfAborted();
    return ServiceProcess.start({ ...env, ROLE: 'worker' });
  });
  try {
    return { streams: STREAMS, node: process.versions.node, cpus: cpus().length, loadAverage: loadavg()[0] ?? 0, ...(await bench.streaming()), ...(await bench.polling()) };
  } finally {
    bench.close();
  }
}

async function shoppers(env: Record<string, string>, file: string, signal: AbortSignal): Promise<string[]> {
  const cli = (...args: string[]): Promise<unknown> => promisify(execFile)(process.execPath, ['dist/src/cli/main.js', ...args], { env: { ...process.env, ...env }, signal });
  await cli('migrate');
  await cli('shoppers:create', '--count', String(STREAMS), '--out', file);
  return (await readFile(file, 'utf8')).trim().split('\n').slice(1).map((line) => line.split(',')[1] ?? '');
}

process.exit(await runKit({ name: 'streams', isWhole: STREAMS === WHOLE_RUN, measure: onServers, asMarkdown }));
