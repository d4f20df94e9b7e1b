import { computed, effect, type ReadonlySignal } from '@preact/signals';
import { stored } from './stored';

export const LANGUAGES = { en: 'English', zh: '中文' } as const;
export type Language = keyof typeof LANGUAGES;

const isLanguage = (value: unknown): value is Language => typeof value === 'string' && value in LANGUAGES;
const preferred = navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage);

/** The language of all tabs: as chosen, else as the browser prefers it. */
export const language = stored<Language>('seckill.language', (value) => (isLanguage(value) ? value : undefined), preferred ?? 'en');
effect(() => {
  document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en';
});

/** The texts of a page in the language that is set. Each language has the same names; those with numbers in them are functions. */
export const textsOf = <T>(texts: Record<Language, T>): ReadonlySignal<T> => computed(() => texts[language.value]);
