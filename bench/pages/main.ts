/**
 * `npm run bench -- pages [--rounds 7]`: what the web pages weigh, and how soon they are seen, beside a page with nothing on it. Runs from the project's
 * folder on the built service, with servers of its own and Debian's Chromium, in about two minutes.
 */
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, loadavg } from 'node:os';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { startServices } from '../../scripts/lib/services.mjs';
import { DESKTOP, PHONE, type Visit } from '../../test/harness/visit.js';
import { commandLine, optionsOf, positive } from '../command-line.js';
import { runKit, say } from '../kit.js';
import { Operator } from '../operator.js';
import { median, spreadOf } from '../statistics.js';
import { ServiceProcess } from '../streams/service-process.js';
import { asMarkdown, type Opening, type PageFigures, type Result } from './figures.js';
import { launch, open, type Network } from './opening.js';

/** What the committed results are of. */
const WHOLE_RUN = 7;
const ROUNDS = commandLine('pages', () => positive('rounds', optionsOf({ rounds: { type: 'string', default: String(WHOLE_RUN) } }).rounds));
const OPERATOR = { username: 'operator', password: 'only-for-this-run' };
const NETWORKS: Record<string, Network> = {
  loopback: { text: 'the machine as it is', size: DESKTOP, cpuSlowdown: 1, limits: null },
  phone: { text: 'a processor four times slower, 1.6 Mbit/s with 150 ms to and fro', size: PHONE, cpuSlowdown: 4, limits: { latencyMs: 150, kilobitsPerSecond: 1600 } },
};

interface Target {
  page: string;
  address: string;
  visit: Visit;
}

/** Measures on servers of its own, which have ended when this is over, whatever happened. */
async function onServers(dataDir: string, signal: AbortSignal): Promise<Result> {
  const ends: (() => Promise<unknown>)[] = [];
  try {
    return await measure(dataDir, ends, signal);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** @param ends what has to be ended, in the order in which it was begun */
async function measure(dataDir: string, ends: (() => Promise<unknown>)[], signal: AbortSignal): Promise<Result> {
  const services = await startServices({ dataDir, announce: false });
  ends.push(() => services.stop());
  const env = { DATABASE_URL: services.databaseUrl, REDIS_URL: services.redisUrl, OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password };
  await promisify(execFile)(process.execPath, ['dist/src/cli/main.js', 'migrate'], { env: { ...process.env, ...env } });
  const service = await ServiceProcess.start(env);
  ends.push(() => service.stop());
  const bare = await startBarePage();
  ends.push(async () => void bare.close());
  const browser = await launch();
  ends.push(() => browser.close());
  const around = { node: process.versions.node, browser: `Chromium ${browser.version()}`, cpus: cpus().length, loadAverage: loadavg()[0] ?? 0 };
  const networks = Object.fromEntries(Object.entries(NETWORKS).map(([name, { text }]) => [name, text]));
  return { ...around, rounds: ROUNDS, networks, figures: await compare(browser, await targets(service.address, bare), signal) };
}

function startBarePage(): Promise<Server> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>Bare</title><h1>Nothing else</h1>'));
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function targets(origin: string, bare: Server): Promise<Target[]> {
  const operator = await Operator.signIn(origin, OPERATOR.username, OPERATOR.password);
  const sale = await operator.sale({ stock: 100 });
  return [
    { page: 'bare page', address: `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`, visit: {} },
    { page: 'shop, list of sales', address: `${origin}/`, visit: {} },
    { page: 'shop, sale', address: `${origin}/sales/${sale.id}`, visit: {} },
    { page: 'console, sign-in', address: `${origin}/ops`, visit: {} },
    { page: 'console, sale', address: `${origin}/ops/sales/${sale.id}`, visit: { operator: { username: OPERATOR.username, token: operator.token } } },
  ];
}

/** Every page on every network once a round, so that what disturbs the machine meets them all. */
async function compare(browser: Browser, pages: Target[], signal: AbortSignal): Promise<PageFigures[]> {
  const cases = Object.entries(NETWORKS).flatMap(([name, network]) => pages.map((target) => ({ name, network, target, openings: new Array<Opening>() })));
  for (let round = 0; round <= ROUNDS; round += 1) {
    say(round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}`);
    for (const { network, target, openings } of cases) {
      signal.throwIfAborted();
      const opening = await open(browser, target.address, network, target.visit);
      if (round > 0) openings.push(opening);
    }
  }
  return cases.map(({ name, target, openings }) => figuresOf(target.page, name, openings));
}

function figuresOf(page: string, network: string, openings: Opening[]): PageFigures {
  const all = (figure: keyof Opening): number[] => openings.map((one) => one[figure]);
  return {
    page, network,
    firstPaintMs: spreadOf(all('firstPaintMs')), largestPaintMs: spreadOf(all('largestPaintMs')), layoutShift: median(all('layoutShift')),
    requests: median(all('requests')), bytes: median(all('bytes')), scriptBytes: median(all('scriptBytes')),
  };
}

process.exit(await runKit({ name: 'pages', isWhole: ROUNDS === WHOLE_RUN, measure: onServers, asMarkdown }));
