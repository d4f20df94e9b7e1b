import { fromStripeAmount, toStripeAmount } from './stripe.amount.js';

const to = (currency: string, amountMinor: number): number | null => toStripeAmount({ amountMinor, currency });

describe("amounts in Stripe's units", () => {
  it.each([
    ['EUR', 1999, 1999],
    ['JPY', 500, 500],
    ['KRW', 1, 1],
    ['ISK', 5, 500],
    ['UGX', 3700, 370_000],
    ['MGA', 150_000, 1500],
    ['KWD', 5120, 5120],
    ['TND', 10, 10],
  ])('%s %d is %d, there and back', (currency, ours, stripes) => {
    expect(to(currency, ours)).toBe(stripes);
    expect(fromStripeAmount(stripes, currency.toLowerCase())).toEqual({ amountMinor: ours, currency });
  });

  it.each([['KWD', 5124], ['BHD', 1], ['MGA', 150], ['EUR', 0], ['EUR', -5], ['EUR', 1.5], ['ISK', Number.MAX_SAFE_INTEGER]])('%s %d has none', (currency, ours) => {
    expect(to(currency, ours)).toBeNull();
  });

  it('of which ours have no like are none of ours', () => {
    for (const [amount, currency] of [[150, 'isk'], [50, 'ugx'], [0.5, 'eur'], [Number.NaN, 'eur']] as const) expect(fromStripeAmount(amount, currency)).toBeNull();
    // Stripe's own word is taken as it is: only what we ask for has to be round.
    expect(fromStripeAmount(5124, 'kwd')).toEqual({ amountMinor: 5124, currency: 'KWD' });
  });
});
