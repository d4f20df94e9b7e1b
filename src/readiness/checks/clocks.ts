import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { integer, select } from '../../infra/database/index.js';
import { RedisConnections } from '../../infra/redis/index.js';
import type { Finding } from '../finding.js';

/** The quickest answer says most about the time. */
const TRIES = 3;
const [NOTICED_MS, FAILED_MS] = [250, 1000];
/** The gap is wrong by half of the round trip at most. */
const SLOW_MS = 2 * NOTICED_MS;

/** Not by local time, of which an hour a year comes twice. */
const NOW_MS = `SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 AS ms`;

/** How far the clocks of the servers are from that of this process. The service goes by Redis time; Bull's delays go by the machine's. */
@Injectable()
export class Clocks {
  constructor(
    private readonly redis: RedisConnections,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  ofRedis(): Promise<Finding> {
    return compare('Redis', async () => {
      const [seconds, micros] = await this.redis.work.time();
      return Number(seconds) * 1000 + Number(micros) / 1000;
    });
  }

  ofMysql(): Promise<Finding> {
    return compare('MySQL', async () => {
      const [row = {}] = await select(this.dataSource, NOW_MS);
      return integer(row, 'ms');
    });
  }
}

interface Reading {
  gapMs: number;
  roundTripMs: number;
}

async function compare(server: string, ask: () => Promise<number>): Promise<Finding> {
  const readings: Reading[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) readings.push(await read(ask));
  const { gapMs, roundTripMs } = readings.reduce((best, next) => (next.roundTripMs < best.roundTripMs ? next : best));
  const figures = { gapMs: Math.round(gapMs), roundTripMs: Math.round(roundTripMs * 10) / 10 };
  const gap = `The clocks of this process and of ${server} are ${Math.abs(figures.gapMs)} ms apart`;
  // A slow answer is not taken for a gap.
  if (Math.abs(gapMs) - roundTripMs / 2 > FAILED_MS) return { status: 'failed', message: `${gap}: have both machines follow a time server.`, figures };
  if (roundTripMs > SLOW_MS) return { status: 'warning', message: `${server} took ${Math.round(roundTripMs)} ms to answer, so that nobody knows how far apart the clocks are.`, figures };
  if (Math.abs(gapMs) > NOTICED_MS) return { status: 'warning', message: `${gap}; less than ${NOTICED_MS} would be good.`, figures };
  return { status: 'ok', message: `${gap}.`, figures };
}

/** As NTP does: the answer was given in the middle of the round trip. */
async function read(ask: () => Promise<number>): Promise<Reading> {
  const [sentMs, startMs] = [Date.now(), performance.now()];
  const serverMs = await ask();
  const roundTripMs = performance.now() - startMs;
  return { gapMs: serverMs - (sentMs + roundTripMs / 2), roundTripMs };
}
