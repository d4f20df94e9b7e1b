import { effect } from '@preact/signals';
import { stored } from './stored';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Dark or light in all tabs; `auto` follows the system. */
export const theme = stored<Theme>('seckill.theme', (value) => THEMES.find((name) => name === value), 'auto');
effect(() => {
  if (theme.value === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});
