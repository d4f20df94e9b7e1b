import type { ComponentChildren } from 'preact';

/** A name and a value, within a `<dl class="facts">`. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return <div><dt>{name}</dt><dd class="number">{children}</dd></div>;
}

/** Counts by name as a table; empty ones are left out by whoever asks. */
export function CountTable({ caption, head, rows }: { caption: string; head: readonly [string, string]; rows: readonly (readonly [string, string])[] }) {
  return (
    <table>
      <caption class="visually-hidden">{caption}</caption>
      <thead><tr><th scope="col">{head[0]}</th><th scope="col" class="end">{head[1]}</th></tr></thead>
      <tbody>{rows.map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td class="end number">{value}</td></tr>)}</tbody>
    </table>
  );
}
