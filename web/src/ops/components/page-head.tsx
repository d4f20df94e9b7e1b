import type { ComponentChildren } from 'preact';
import { useTitle } from '../state/title';

/** The heading of a page, with what can be done on it. */
export function PageHead({ title, children }: { title: string; children?: ComponentChildren }) {
  useTitle(title);
  return (
    <div class="row spread page-head">
      <h1 id="page-title">{title}</h1>
      {children && <div class="row">{children}</div>}
    </div>
  );
}
