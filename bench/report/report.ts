import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';
import type { Lab } from '../lab.js';
import type { Spread } from '../statistics.js';
import type { Verdict } from '../targets.js';

/** Where and on what the figures were taken. */
export interface Surroundings {
  takenAt: string;
  cpu: string;
  cores: number;
  memoryGib: number;
  kernel: string;
  /** Of the machine before the first run: more than a little means that others were at work. */
  loadAverage: number;
  node: string;
  redis: string;
  database: string;
  commit: string;
}

/** What some work costs a process. */
export interface Cost {
  work: string;
  process: string;
  /** CPU in microseconds for each time the work is done, from /proc. */
  cpuUs: Spread;
}

export interface Report {
  surroundings: Surroundings;
  verdicts: Verdict[];
  costs: Cost[];
  notes: string[];
  /** What was measured, by part. */
  details: Record<string, unknown>;
  /** Parts that went wrong, with the reason: a fast run whose proof is not right counts as failed. */
  failures: Record<string, string>;
}

export async function lookAround(lab: Lab): Promise<Surroundings> {
  const [rows] = await lab.database.query('SELECT VERSION() AS version');
  const [first] = rows as { version: string }[];
  return {
    takenAt: new Date().toISOString(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    loadAverage: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    node: process.versions.node,
    redis: /^redis_version:(\S+)/m.exec(await lab.redis.info('server'))?.[1] ?? 'unknown',
    database: first?.version ?? 'unknown',
    commit: commit(),
  };
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}
