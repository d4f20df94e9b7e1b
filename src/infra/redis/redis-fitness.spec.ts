import { readFitness } from './redis-fitness.js';

const info = (fields: Record<string, string | number>): string => `# Server\r\n${Object.entries(fields).map(([name, value]) => `${name}:${value}\r\n`).join('')}`;
const FIT = { redis_version: '7.0.15', maxmemory: 1000, maxmemory_policy: 'noeviction', aof_enabled: 1 };

describe('what a Redis says of itself', () => {
  it.each([
    ['5.0.14', true], ['6.0.16', true], ['6.1.240', true], ['6.2.0', false], ['6.10.0', false], ['7.0.15', false], ['10.0.0', false],
  ])('version %s is too old: %s', (version, isOld) => {
    expect(readFitness(info({ ...FIT, redis_version: version }))).toMatchObject({ version, isOld });
  });

  it.each([
    ['noeviction', 1000, false], ['allkeys-lru', 1000, true], ['volatile-ttl', 1000, true], ['allkeys-lru', 0, false],
  ])('with policy %s and %i bytes at most it evicts: %s', (policy, maxmemory, evicts) => {
    expect(readFitness(info({ ...FIT, maxmemory, maxmemory_policy: policy }))).toMatchObject({ evicts });
  });

  it('it says whether it writes an append-only file', () => {
    expect(readFitness(info(FIT)).appendOnly).toBe('yes');
    expect(readFitness(info({ ...FIT, aof_enabled: 0 })).appendOnly).toBe('no');
  });

  it('what it hides is no fault', () => {
    expect(readFitness('')).toEqual({ version: '', isOld: false, evicts: false, evictionPolicy: '', maxMemoryBytes: 0, appendOnly: '', lastWriteOk: true });
  });
});
