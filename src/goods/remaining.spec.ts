import type { RedisConnections } from '../infra/redis/index.js';
import { Remaining, type CountedSale } from './remaining.js';

const sale: CountedSale = {
  id: '7',
  stage: 'published',
  shards: 2,
  items: [
    { id: '1', stock: 10, sold: 4 },
    { id: '2', stock: 5, sold: 0 },
  ],
};

type Reply = [Error | null, unknown];

/** Answers one prepared pipeline after the other and counts them. */
function redisAnswering(...pipelines: Reply[][]): { redis: RedisConnections; asked: () => number } {
  let asked = 0;
  const pipeline = { exists: () => pipeline, llen: () => pipeline, exec: () => Promise.resolve(pipelines[asked++ % pipelines.length]) };
  return { redis: { request: { pipeline: () => pipeline } } as unknown as RedisConnections, asked: () => asked };
}

describe('Remaining', () => {
  it('adds up the stock lists of all shards', async () => {
    const { redis } = redisAnswering([[null, 1], [null, 3], [null, 2]], [[null, 1], [null, 1], [null, 0]]);
    expect([...(await new Remaining(redis).of(sale))]).toEqual([['1', 4], ['2', 2]]);
  });

  it('is what live orders leave where a shard is not loaded', async () => {
    const { redis } = redisAnswering([[null, 1], [null, 3], [null, 2]], [[null, 0], [null, 0], [null, 0]]);
    expect([...(await new Remaining(redis).of(sale))]).toEqual([['1', 6], ['2', 5]]);
  });

  it('is what live orders leave while Redis is away', async () => {
    const { redis } = redisAnswering([[new Error('Command timed out'), null]]);
    expect([...(await new Remaining(redis).of(sale))]).toEqual([['1', 6], ['2', 5]]);
  });

  it('does not hide a fault of another kind', async () => {
    const { redis } = redisAnswering([[null, 1], [new Error('WRONGTYPE'), null], [null, 2]]);
    await expect(new Remaining(redis).of(sale)).rejects.toThrow('WRONGTYPE');
  });

  it('asks once for a crowd, and never for a draft', async () => {
    const { redis, asked } = redisAnswering([[null, 1], [null, 3], [null, 2]]);
    const remaining = new Remaining(redis);
    await Promise.all(Array.from({ length: 100 }, () => remaining.of(sale)));
    await remaining.of({ ...sale, id: '8', stage: 'draft' });
    expect(asked()).toBe(sale.shards);
  });
});
