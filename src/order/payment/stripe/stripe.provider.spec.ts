import { Logger } from '@nestjs/common';
import { readSettings } from '../../../config/index.js';
import type { RedisClock } from '../../../infra/clock/index.js';
import { StripeProvider } from './stripe.provider.js';

const NEEDED = { DATABASE_URL: 'mysql://none', REDIS_URL: 'redis://none', OPERATOR_PASSWORD: 'a', PAYMENT_SECRET: 'b', PASS_SECRET: 'c' };
const clock = { nowMs: () => Date.now() } as RedisClock;
const made = (env: Record<string, string>): StripeProvider | null => StripeProvider.of(readSettings({ ...NEEDED, ...env }), clock);
const KEYS = { STRIPE_SECRET_KEY: 'sk_live_key', STRIPE_WEBHOOK_SECRET: 'whsec_1' };

describe('the Stripe provider', () => {
  const warnings: string[] = [];
  beforeAll(() => Logger.overrideLogger({ log: () => undefined, error: () => undefined, warn: (message: string) => warnings.push(message) }));
  afterEach(() => warnings.splice(0));
  afterAll(() => Logger.overrideLogger(true));

  it('is absent without its settings', () => {
    expect(made({})).toBeNull();
    expect(made(KEYS)?.name).toBe('stripe');
  });

  it('warns of a test key in production, and only there, without showing it', () => {
    made({ ...KEYS, NODE_ENV: 'production' });
    made({ ...KEYS, STRIPE_SECRET_KEY: 'sk_test_key' });
    expect(warnings).toEqual([]);
    made({ ...KEYS, NODE_ENV: 'production', STRIPE_SECRET_KEY: 'sk_test_key' });
    expect(warnings).toEqual([expect.stringContaining('is a test key')]);
    expect(warnings.join()).not.toContain('sk_test_key');
  });

  it('refuses what a stranger sends, whatever it is', () => {
    for (const [headers, body] of [[{}, ''], [{ 'stripe-signature': 'x' }, '{}'], [{ 'stripe-signature': ['a', 'b'] as unknown as string }, 'null'], [{ 'stripe-signature': 't=1,v1=ü' }, '\0']] as const) {
      expect(made(KEYS)?.verifyWebhook(headers, Buffer.from(body)).outcome).toBe('rejected');
    }
  });

  it('says why it can not take an amount', () => {
    expect(made(KEYS)?.refusal({ amountMinor: 5124, currency: 'KWD' })).toMatch(/5124 minor units of KWD/);
    expect(made(KEYS)?.refusal({ amountMinor: 5120, currency: 'KWD' })).toBeNull();
  });
});
