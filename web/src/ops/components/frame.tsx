import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import type { ComponentChildren, RefObject } from 'preact';
import type { Problem } from '../../shared/api';
import { api, ask, session, signOut } from '../console';
import { to } from '../routes';
import { texts } from '../texts';
import { ProblemNote } from './notes';
import { LanguageSelect, ThemeSelect } from './settings';

/** What stands around each page: where one can go, and how it looks. */
export function Frame({ main, children }: { main: RefObject<HTMLElement | null>; children: ComponentChildren }) {
  const { brand, nav, settings } = texts.value;
  return (
    <>
      <a class="skip" href="#main">{nav.skip}</a>
      <header class="top">
        <a class="brand" href={to.sales}><img src="/icon.svg" alt="" width="24" height="24" /><span>{brand}</span></a>
        <Navigation />
        <div class="row tight settings">
          <LanguageSelect />
          <ThemeSelect />
          <span class="soft small who">{session.value?.username}</span>
          <button type="button" class="quiet small" onClick={() => void signOut()}>{settings.signOut}</button>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} aria-labelledby="page-title">{children}</main>
    </>
  );
}

function Navigation() {
  const { path } = useLocation();
  const { nav } = texts.value;
  const links = [
    [to.sales, nav.sales, path === to.sales || path.startsWith('/ops/sales')],
    [to.goods, nav.goods, path.startsWith(to.goods)],
    [to.orders, nav.orders, path.startsWith(to.orders)],
    [to.rehearsals, nav.rehearsals, path.startsWith(to.rehearsals)],
  ] as const;
  return (
    <nav class="main-nav" aria-label={nav.label}>
      {links.map(([href, label, isHere]) => <a key={href} href={href} aria-current={isHere ? 'page' : undefined}>{label}</a>)}
      <QueuesLink />
    </nav>
  );
}

/** The dashboard of the queues asks with a cookie, which is asked for first. */
function QueuesLink() {
  const problem = useSignal<Problem | undefined>(undefined);
  const open = async () => {
    const outcome = await ask(api.POST('/api/admin/queues/session'));
    if (outcome.ok) location.assign('/ops/queues');
    else problem.value = outcome.problem;
  };
  return (
    <>
      <button type="button" class="link" onClick={() => void open()}>{texts.value.nav.queues}</button>
      {problem.value && <div class="toast"><ProblemNote problem={problem.value} retry={open} /></div>}
    </>
  );
}
