import { LANGUAGES, language, type Language } from '../../shared/language';
import { THEMES, theme } from '../../shared/theme';
import { texts } from '../texts';

const CODES = Object.keys(LANGUAGES) as Language[];

export function LanguageSelect() {
  return (
    <select class="small" aria-label={texts.value.settings.language} value={language.value}
      onChange={(event) => (language.value = CODES.find((code) => code === event.currentTarget.value) ?? 'en')}>
      {CODES.map((code) => <option key={code} value={code}>{LANGUAGES[code]}</option>)}
    </select>
  );
}

export function ThemeSelect() {
  const { settings } = texts.value;
  return (
    <select class="small" aria-label={settings.theme} value={theme.value}
      onChange={(event) => (theme.value = THEMES.find((name) => name === event.currentTarget.value) ?? 'auto')}>
      {THEMES.map((name) => <option key={name} value={name}>{settings.themes[name]}</option>)}
    </select>
  );
}
