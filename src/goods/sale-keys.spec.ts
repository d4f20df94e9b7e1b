import { saleKeys, shardOf, shardsOf } from './sale-keys.js';

describe('shardOf', () => {
  const users = Array.from({ length: 10_000 }, (_, index) => String(index + 1));

  it.each([1, 2, 3, 7, 8, 16, 64])('spreads users with near ids over %i shards, none with more than 1.3 times its share', (shards) => {
    const sizes = Array.from({ length: shards }, () => 0);
    for (const user of users) sizes[shardOf(user, shards)] = (sizes[shardOf(user, shards)] ?? 0) + 1;
    expect(sizes.reduce((sum, size) => sum + size)).toBe(users.length);
    expect(Math.max(...sizes)).toBeLessThan((1.3 * users.length) / shards);
    expect(Math.min(...sizes)).toBeGreaterThan((0.7 * users.length) / shards);
  });

  it('leads a user to the same shard every time', () => {
    expect(users.slice(0, 100).map((user) => shardOf(user, 8))).toEqual(users.slice(0, 100).map((user) => shardOf(user, 8)));
  });

  it('is FNV-1a: the values published for it', () => {
    const whole = 2 ** 32;
    expect([shardOf('', whole), shardOf('a', whole), shardOf('foobar', whole)]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
  });
});

describe('saleKeys', () => {
  const shard = { saleId: '7', shard: 3 };
  const { stock, answer, staging, ...others } = saleKeys;
  const all = [...Object.values(others).map((key) => key(shard)), stock(shard, '1'), stock(shard, '11'), answer(shard, '1', '1a'), answer(shard, '11', 'a')];

  it('are all different, and share the hash tag of their shard', () => {
    expect(new Set(all).size).toBe(all.length);
    for (const key of [...all, staging(stock(shard, '1'), 'build')]) expect(key).toMatch(/^seckill:\{7:3\}:[a-z]+/);
  });

  it('keep builds apart from the state and from each other', () => {
    const staged = [...all.map((key) => staging(key, '1:a')), ...all.map((key) => staging(key, '1:b'))];
    expect(new Set([...all, ...staged]).size).toBe(3 * all.length);
  });

  it('list the shards of a sale from 0', () => {
    expect(shardsOf('7', 3)).toEqual([0, 1, 2].map((index) => ({ saleId: '7', shard: index })));
  });
});
