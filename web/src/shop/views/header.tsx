import { useLocation } from 'preact-iso';
import { language } from '../../shared/language';
import { theme, THEMES } from '../../shared/theme';
import { signedIn, signOut } from '../state/signing-in';
import { session } from '../state/shop-api';
import { texts } from '../texts';
import './header.css';

/** Where one can go, who one is, and how it looks. */
export function Header() {
  const { path } = useLocation();
  const { brand, sales, myOrders } = texts.value;
  const current = (own: boolean): { 'aria-current'?: 'page' } => (own ? { 'aria-current': 'page' } : {});
  return (
    <header class="header">
      <div class="header-in">
        <a class="brand" href="/"><img src="/icon.svg" alt="" width="26" height="26" />{brand}</a>
        <nav class="header-nav">
          <a href="/" {...current(path === '/')}>{sales}</a>
          <a href="/orders" {...current(path === '/orders')}>{myOrders}</a>
        </nav>
        <div class="header-tools">
          <LanguageButton />
          <ThemeButton />
        </div>
        <div class="header-account"><Account /></div>
      </div>
    </header>
  );
}

function LanguageButton() {
  const isChinese = language.value === 'zh';
  const { otherLanguage } = texts.value;
  return (
    <button type="button" class="quiet tool" lang={isChinese ? 'en' : 'zh-CN'} title={otherLanguage} aria-label={otherLanguage} onClick={() => (language.value = isChinese ? 'en' : 'zh')}>
      {isChinese ? 'EN' : '中'}
    </button>
  );
}

function ThemeButton() {
  const label = texts.value.themeIs[theme.value];
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto';
  return (
    <button type="button" class="quiet tool" title={label} aria-label={label} onClick={() => (theme.value = next)}>
      <span class="theme-mark" data-theme-mark={theme.value} aria-hidden="true" />
    </button>
  );
}

function Account() {
  const { signIn, signOut: out } = texts.value;
  const who = session.value;
  if (!who) return <button type="button" class="account" onClick={() => void signedIn()}>{signIn}</button>;
  return (
    <>
      <span class="who" title={who.username}>{who.username}</span>
      <button type="button" class="quiet account" onClick={() => void signOut()}>{out}</button>
    </>
  );
}
