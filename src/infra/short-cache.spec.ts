import { ShortCache } from './short-cache.js';

describe('ShortCache', () => {
  let nowMs = 0;
  let loads = 0;
  const load = (): Promise<number> => Promise.resolve((loads += 1));
  const cache = (maxEntries = 10): ShortCache<number> => new ShortCache<number>(500, maxEntries, () => nowMs);

  beforeEach(() => {
    nowMs = 0;
    loads = 0;
  });

  it('loads once for all who ask at the same time', async () => {
    const shared = cache();
    expect(await Promise.all([shared.get('a', load), shared.get('a', load), shared.get('a', load)])).toEqual([1, 1, 1]);
  });

  it('keeps an answer for its time, counted from its arrival, and no longer', async () => {
    const short = cache();
    await short.get('a', load);
    nowMs = 499;
    expect(await short.get('a', load)).toBe(1);
    nowMs = 500;
    expect(await short.get('a', load)).toBe(2);
  });

  it('keeps an answer for as long as its loading makes it worth', async () => {
    const sparing = new ShortCache<number>((tookMs) => 9 * tookMs, 10, () => nowMs);
    const slowly = (): Promise<number> => {
      nowMs += 100;
      return load();
    };
    await sparing.get('a', slowly);
    nowMs = 999;
    expect(await sparing.get('a', slowly)).toBe(1);
    nowMs = 1000;
    expect(await sparing.get('a', slowly)).toBe(2);
  });

  it('does not keep a failure', async () => {
    const failing = cache();
    await expect(failing.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await failing.get('a', load)).toBe(1);
  });

  it('does not keep a load that was under way when it was told to forget', async () => {
    const forgetful = cache();
    let arrive: (value: number) => void = () => undefined;
    const stale = forgetful.get('a', () => new Promise<number>((resolve) => (arrive = resolve)));
    forgetful.forget('a');
    const fresh = await forgetful.get('a', load);
    arrive(-1);
    await stale;
    expect([fresh, await forgetful.get('a', load)]).toEqual([1, 1]);
  });

  it('drops the oldest answers when it is full', async () => {
    const small = cache(2);
    for (const key of ['a', 'b', 'c']) await small.get(key, load);
    expect([await small.get('b', load), await small.get('c', load), await small.get('a', load)]).toEqual([2, 3, 4]);
  });

  describe('has at hand', () => {
    it('what was loaded, for its time', async () => {
      const short = cache();
      await short.get('a', load);
      nowMs = 499;
      expect(short.atHand('a')).toBe(1);
      nowMs = 500;
      expect(short.atHand('a')).toBeUndefined();
    });

    it('nothing while it is being loaded, or when the load failed', async () => {
      const short = cache();
      const loading = short.get('a', load);
      expect(short.atHand('a')).toBeUndefined();
      await loading;
      await expect(short.get('b', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
      expect([short.atHand('a'), short.atHand('b')]).toEqual([1, undefined]);
    });

    it('nothing of what was forgotten, also when its load ends later', async () => {
      const forgetful = cache();
      await forgetful.get('a', load);
      const loading = forgetful.get('b', load);
      forgetful.forget('a');
      forgetful.forget('b');
      await loading;
      expect([forgetful.atHand('a'), forgetful.atHand('b')]).toEqual([undefined, undefined]);
    });
  });
});
