import { computed } from '@preact/signals';
import { decimalsOf } from './currency';
import { language } from './language';

const locale = computed(() => (language.value === 'zh' ? 'zh-CN' : 'en-GB'));
const integers = computed(() => new Intl.NumberFormat(locale.value));
const moments = computed(() => new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium', timeStyle: 'medium' }));

/** An amount in minor units with its currency, as the language writes it. */
export function money(amountMinor: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const format = new Intl.NumberFormat(locale.value, { style: 'currency', currency, minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return format.format(amountMinor / 10 ** decimals);
}

/** A count with its thousands separated. */
export const count = (value: number): string => integers.value.format(value);

/** Date and time in the browser's zone. @param iso a time of the API */
export const moment = (iso: string): string => moments.value.format(new Date(iso));

/** How long something still takes: `1:05:09`, `05:09`; days are counted as hours. Never below zero. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'));
  const hours = Math.floor(seconds / 3600);
  return (hours > 0 ? [hours, ...parts] : parts).join(':');
}
