import type { Money } from '../payment-provider.js';

/**
 * How Stripe counts where it differs from ISO 4217, which this service follows: what one of our minor units is in Stripe's.
 * ISK and UGX have no minor unit but are sent as if they had two decimals; MGA has one that Stripe does not know.
 * https://docs.stripe.com/currencies#special-cases
 */
const STRIPE_UNITS: Readonly<Record<string, number>> = { ISK: 100, UGX: 100, MGA: 1 / 100 };
/** Three decimals of which the last has to be 0. */
const ROUNDED = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);

/** An amount as Stripe counts it; null where Stripe has no such amount. */
export function toStripeAmount({ amountMinor, currency }: Money): number | null {
  const amount = times(amountMinor, STRIPE_UNITS[currency] ?? 1);
  const isRound = amount !== null && (!ROUNDED.has(currency) || amount % 10 === 0);
  return isRound && amount > 0 ? amount : null;
}

/** An amount of Stripe's in our minor units; null where it is none of ours (half an Icelandic króna, say). */
export function fromStripeAmount(amount: number, stripeCurrency: string): Money | null {
  const currency = stripeCurrency.toUpperCase();
  const amountMinor = times(amount, 1 / (STRIPE_UNITS[currency] ?? 1));
  return amountMinor === null ? null : { amountMinor, currency };
}

/** By a hundred, by one, or by a hundredth, where that comes out even. */
function times(amount: number, factor: number): number | null {
  const product = factor < 1 ? amount / Math.round(1 / factor) : amount * Math.round(factor);
  return Number.isSafeInteger(product) ? product : null;
}
