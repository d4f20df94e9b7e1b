import { Logger } from '@nestjs/common';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startRedisNode, type RedisNode } from '../../scripts/lib/services.mjs';
import { readSettings } from '../../src/config/index.js';
import { RedisClock } from '../../src/infra/clock/index.js';
import { RedisConnections } from '../../src/infra/redis/index.js';

Logger.overrideLogger(false);

/** Redis and this process run on one machine, so the clock must agree with the local one whatever the network does. */
describe('the clock', () => {
  let dir: string;
  let node: RedisNode;
  let connections: RedisConnections;
  let clock: RedisClock;
  beforeAll(async () => {
    dir = await mkdtemp(join(process.env.TEST_DATA_DIR ?? tmpdir(), 'clock-'));
    node = await startRedisNode({ dataDir: dir });
    connections = new RedisConnections(readSettings({ DATABASE_URL: 'mysql://nobody@127.0.0.1/none', REDIS_URL: node.url }));
    clock = new RedisClock(connections);
    await clock.onModuleInit();
  });
  afterAll(async () => {
    clock.onApplicationShutdown();
    connections.onApplicationShutdown();
    await node.close();
    await rm(dir, { recursive: true, force: true });
  });

  const errorMs = (): number => Math.abs(clock.nowMs() - Date.now());

  it('agrees with Redis', () => expect(errorMs()).toBeLessThan(200));

  it('does not believe an answer that was long in coming', async () => {
    node.freeze();
    const measuring = clock.measure();
    await delay(2500);
    node.thaw();
    await measuring;
    expect(errorMs()).toBeLessThan(200);
  });
});
