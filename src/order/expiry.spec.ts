import { Logger } from '@nestjs/common';
import type { Job, JobOptions, Queue } from 'bull';
import type { RedisClock } from '../infra/clock/index.js';
import { ExpiryProcessor } from './expiry.processor.js';
import { ExpirySchedule, type ExpiryJob } from './expiry.schedule.js';
import type { OrderClosing } from './order-closing.js';
import type { OrderRelay } from './order-relay.js';

Logger.overrideLogger(false);

const SECOND = 1_764_600_000;
const fake = <T>(part: { [K in keyof T]?: unknown }): T => part as T;

describe('ExpirySchedule', () => {
  const scheduled = async (nowMs: number, deadlinesMs: number[]): Promise<JobOptions[]> => {
    const added: JobOptions[] = [];
    const queue = fake<Queue<ExpiryJob>>({ add: async (_: ExpiryJob, options: JobOptions) => added.push(options) });
    await new ExpirySchedule(queue, fake<RedisClock>({ nowMs: () => nowMs })).schedule(deadlinesMs);
    return added;
  };

  it('makes one job per second, however many orders share it', async () => {
    const added = await scheduled(SECOND * 1000, [SECOND + 10, SECOND + 10, SECOND + 20].map((s) => s * 1000));
    expect(added.map(({ jobId, delay }) => [jobId, delay])).toEqual([
      [`second:${SECOND + 10}`, 10_000],
      [`second:${SECOND + 20}`, 20_000],
    ]);
  });

  it('gives a deadline that has passed, or is about to, to the next second, whose job has not begun', async () => {
    const jobIds = async (nowMs: number): Promise<unknown[]> => (await scheduled(nowMs, [SECOND * 1000])).map(({ jobId }) => jobId);
    expect(await jobIds(SECOND * 1000 - 101)).toEqual([`second:${SECOND}`]);
    expect(await jobIds(SECOND * 1000 - 50)).toEqual([`second:${SECOND + 1}`]);
    expect(await jobIds(SECOND * 1000 + 5500)).toEqual([`second:${SECOND + 6}`]);
  });

  it('does not keep its caller waiting while Redis is away, and does not throw', async () => {
    const clock = fake<RedisClock>({ nowMs: () => SECOND * 1000 });
    const away = fake<Queue<ExpiryJob>>({ add: () => new Promise(() => undefined) });
    const broken = fake<Queue<ExpiryJob>>({ add: () => Promise.reject(new Error('gone')) });
    await expect(new ExpirySchedule(away, clock).schedule([SECOND * 1000])).resolves.toBeUndefined();
    await expect(new ExpirySchedule(broken, clock).schedule([SECOND * 1000])).resolves.toBeUndefined();
  });
});

describe('ExpiryProcessor', () => {
  interface Setting {
    startMs: number;
    /** what expireDue finds, call by call; then nothing more */
    finds?: string[][];
    due?: () => boolean;
    fails?: boolean;
  }

  /** Each look at the clock takes 100 ms. */
  const run = async ({ startMs, finds = [], due = () => false, fails = false }: Setting) => {
    const seen = { asked: [] as number[], relayed: [] as string[][], scheduled: [] as number[] };
    let nowMs = startMs - 100;
    const expireDue = async (atMs: number): Promise<string[]> => {
      seen.asked.push(atMs);
      if (fails) throw new Error('the database is away');
      return finds.shift() ?? [];
    };
    const processor = new ExpiryProcessor(
      fake<RedisClock>({ nowMs: () => (nowMs += 100) }),
      fake<OrderClosing>({ expireDue, hasDue: async () => due() }),
      fake<OrderRelay>({ relayOrders: async (ids: string[]) => void seen.relayed.push(ids) }),
      fake<ExpirySchedule>({ schedule: async (ms: Iterable<number>) => void seen.scheduled.push(...ms) }),
    );
    await processor.expire(fake<Job<ExpiryJob>>({ data: { second: SECOND } }));
    return seen;
  };

  it('expires until nothing is left, and relays each batch', async () => {
    const { relayed, scheduled } = await run({ startMs: SECOND * 1000, finds: [['a', 'b'], ['c']] });
    expect(relayed).toEqual([['a', 'b'], ['c']]);
    expect(scheduled).toEqual([]);
  });

  it('waits out the moment by which it came too early', async () => {
    const { asked } = await run({ startMs: SECOND * 1000 - 20, finds: [['a']] });
    expect(asked[0]).toBeGreaterThanOrEqual(SECOND * 1000);
  });

  it('puts itself off when it came much too early, without losing the deadline', async () => {
    const { asked, scheduled } = await run({ startMs: SECOND * 1000 - 60_000 });
    expect(asked).toEqual([]);
    expect(scheduled).toEqual([(SECOND + 1) * 1000]);
  });

  it('leaves a job behind for an order that others have in hand all the time', async () => {
    const { asked, scheduled } = await run({ startMs: SECOND * 1000, due: () => true });
    expect(asked.length).toBeGreaterThan(1);
    expect(scheduled).toHaveLength(1);
  });

  it('leaves a job behind when the database is away', async () => {
    const { scheduled } = await run({ startMs: SECOND * 1000, fails: true });
    expect(scheduled).toHaveLength(1);
    expect(scheduled[0]).toBeGreaterThanOrEqual(SECOND * 1000 + 5000);
  });
});
