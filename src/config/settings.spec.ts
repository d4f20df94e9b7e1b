import { readSettings, SettingsError, type Settings } from './settings.js';

const NEEDED = { DATABASE_URL: 'mysql://user:pass@127.0.0.1/seckill', REDIS_URL: 'redis://127.0.0.1:6379' };
const SECRETS = { OPERATOR_PASSWORD: 'a', PAYMENT_SECRET: 'b', PASS_SECRET: 'c' };
const read = (env: Record<string, string | undefined> = {}): Settings => readSettings({ ...NEEDED, ...env });
const faults = (env: Record<string, string | undefined>): string[] => {
  try {
    read(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
};

describe('readSettings', () => {
  it('fills in the defaults, also where the environment has an empty value', () => {
    expect(read({ PORT: '', LOG_LEVEL: undefined })).toMatchObject({ PORT: 3000, HOST: '127.0.0.1', PAYMENT_TIMEOUT_SECONDS: 900, LOG_LEVEL: 'info', DEMO: false, TRUST_PROXY: false });
  });

  it('reads numbers, lists and flags', () => {
    const settings = read({ PORT: '0', DEMO: '1', TRUST_PROXY: 'true', LOCK_REDIS_URLS: 'redis://a:1, redis://b:2,' });
    expect(settings).toMatchObject({ PORT: 0, DEMO: true, TRUST_PROXY: true, LOCK_REDIS_URLS: ['redis://a:1', 'redis://b:2'] });
  });

  it('knows the roles', () => {
    expect(read().roles).toEqual(['api', 'worker', 'scheduler']);
    expect(read({ ROLE: 'scheduler,api' }).roles).toEqual(['api', 'scheduler']);
    expect(faults({ ROLE: 'chef' })).toHaveLength(1);
  });

  it('names every fault, not only the first', () => {
    const named = faults({ PORT: 'x', DATABASE_URL: 'postgres://x', DEMO: 'maybe' }).join('\n');
    for (const name of ['PORT', 'DATABASE_URL', 'DEMO']) expect(named).toContain(name);
  });

  it.each([
    ['PORT', '65536'], ['PORT', '1.5'], ['PAYMENT_TIMEOUT_SECONDS', '0'], ['PAYMENT_TIMEOUT_SECONDS', '86401'], ['RETENTION_SECONDS', '59'],
    ['SESSION_TTL_SECONDS', '-1'], ['PRELOAD_LEAD_SECONDS', 'soon'], ['LOG_LEVEL', 'loud'], ['NODE_ENV', 'staging'], ['REDIS_URL', 'http://x'],
    ['REDIS_CLUSTER_NODES', 'a:1,b'], ['REDIS_SENTINELS', 'a'], ['LOCK_REDIS_URLS', 'a:1'], ['TRUST_PROXY', 'yes'], ['WEBHOOK_ALLOW_PRIVATE', 'maybe'],
    ['PAYMENT_PROVIDERS', 'cash'], ['PAYMENT_PROVIDERS', 'stripe'], ['STRIPE_API_URL', 'stripe.example'], ['STRIPE_API_URL', 'https://stripe.example/v1'],
  ])('refuses %s=%s and says which', (name, value) => {
    expect(faults({ [name]: value }).join()).toContain(name);
  });

  it('wants an address for the database, and one for Redis unless a cluster or sentinels stand for it', () => {
    expect(faults({ DATABASE_URL: undefined })).toHaveLength(1);
    expect(faults({ REDIS_URL: undefined })).toHaveLength(1);
    expect(faults({ REDIS_URL: undefined, REDIS_CLUSTER_NODES: 'a:1,b:2' })).toEqual([]);
    expect(faults({ REDIS_URL: undefined, REDIS_SENTINELS: 'a:1', REDIS_SENTINEL_NAME: 'main' })).toEqual([]);
    expect(faults({ REDIS_SENTINELS: 'a:1' }).length).toBeGreaterThan(0);
  });

  it('takes the key and the webhook secret of Stripe together or not at all, and keeps them out of its messages', () => {
    const [key, secret] = ['sk_test_1', 'whsec_1'];
    expect(read()).toMatchObject({ STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '' });
    expect(read({ STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret, STRIPE_API_URL: 'http://127.0.0.1:12111' })).toMatchObject({ STRIPE_SECRET_KEY: key, STRIPE_API_URL: 'http://127.0.0.1:12111' });
    expect(faults({ STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: '' })).toEqual([expect.stringMatching(/^STRIPE_WEBHOOK_SECRET is empty/)]);
    expect(faults({ STRIPE_WEBHOOK_SECRET: secret })).toEqual([expect.stringMatching(/^STRIPE_SECRET_KEY is empty/)]);
    expect(faults({ STRIPE_SECRET_KEY: 'sk test', STRIPE_WEBHOOK_SECRET: secret }).join()).not.toContain('sk test');
    // A test key in production is worth a warning, and no more.
    expect(faults({ NODE_ENV: 'production', ...SECRETS, STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret })).toEqual([]);
  });

  it('lets shoppers pay in every way that is set up, but in production not by the sandbox beside a real one', () => {
    const stripe = { STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
    const production = { NODE_ENV: 'production', ...SECRETS };
    expect([read().waysToPay, read(stripe).waysToPay, read(production).waysToPay, read({ ...production, ...stripe }).waysToPay]).toEqual([['sandbox'], ['sandbox', 'stripe'], ['sandbox'], ['stripe']]);
    expect(read({ ...stripe, PAYMENT_PROVIDERS: 'stripe, sandbox' }).waysToPay).toEqual(['stripe', 'sandbox']);
  });

  it('refuses local secrets in production, each by its name, and takes others', () => {
    expect(faults({ NODE_ENV: 'production' })).toHaveLength(3);
    expect(faults({ NODE_ENV: 'production', ...SECRETS, PASS_SECRET: 'local-pass-secret' })).toEqual([expect.stringContaining('PASS_SECRET')]);
    expect(faults({ NODE_ENV: 'production', ...SECRETS })).toEqual([]);
    expect(faults({ NODE_ENV: 'test' })).toEqual([]);
  });
});
