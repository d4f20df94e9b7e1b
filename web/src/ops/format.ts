import { count } from '../shared/format';
import { language } from '../shared/language';

/** How long something took, short: `254 ms`, `1.3 s`. */
export const span = (ms: number): string => (ms < 1000 ? `${count(Math.round(ms))} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`);

/** The time of day to the second. @param at epoch milliseconds, or a time of the API */
export const timeOfDay = (at: number | string): string => new Date(at).toLocaleTimeString(language.value === 'zh' ? 'zh-CN' : 'en-GB');

/** A rate, whole from ten on. */
export const rate = (perSecond: number): string => (perSecond < 10 && perSecond !== Math.round(perSecond) ? perSecond.toFixed(1) : count(Math.round(perSecond)));

/** A share of a whole: `12 %`. */
export const share = (part: number, whole: number): string => `${whole > 0 ? Math.round((part / whole) * 100) : 0} %`;

/** A time of the API as a `datetime-local` field takes it: in the browser's zone, to the second. */
export function localInput(at: string | number): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The other way. Empty where nothing whole was typed, so that the API names the field. */
export function isoOf(typed: string): string {
  const ms = typed === '' ? NaN : new Date(typed).getTime();
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}
