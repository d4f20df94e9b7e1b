import type { ComponentChildren, RefObject } from 'preact';
import './notice.css';

interface Props {
  title: string;
  hint?: string;
  heading?: RefObject<HTMLHeadingElement | null>;
  children?: ComponentChildren;
}

/** What a page says in place of its content: that there is none, or that it could not be had. */
export function Notice({ title, hint, heading, children }: Props) {
  return (
    <div class="notice stack">
      <div class="notice-mark" aria-hidden="true" />
      {heading ? <h1 ref={heading} tabIndex={-1}>{title}</h1> : <p class="notice-title">{title}</p>}
      {hint !== undefined && <p class="soft">{hint}</p>}
      {children}
    </div>
  );
}

/** Stands where content will be, at about its height. */
export function Skeleton({ rows, label }: { rows: number; label: string }) {
  return (
    <div class="stack" role="status">
      <span class="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, row) => <div key={row} class="skeleton" aria-hidden="true" />)}
    </div>
  );
}
