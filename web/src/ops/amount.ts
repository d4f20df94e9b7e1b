import { decimalsOf } from '../shared/currency';

/** Digits, and decimals behind a point or a comma. A comma before three digits may also stand for thousands, so it is taken for neither. */
const AMOUNT = /^\d+(\.\d+|,(?!\d{3}$)\d+)?$/;

/**
 * An amount as it is typed, `19.99`, in minor units. What is no amount is NaN, which JSON sends as null, so that the API names the field; more
 * decimals than the currency has are no whole number, and refused by the API as well.
 */
export function minorOf(typed: string, currency: string): number {
  const text = typed.trim();
  return AMOUNT.test(text) ? Number((Number(text.replace(',', '.')) * 10 ** decimalsOf(currency)).toFixed(6)) : NaN;
}

/** An amount in minor units as it is typed. */
export const typedAmount = (amountMinor: number, currency: string): string => (amountMinor / 10 ** decimalsOf(currency)).toFixed(decimalsOf(currency));
