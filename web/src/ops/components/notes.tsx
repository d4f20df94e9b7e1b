import type { ComponentChildren } from 'preact';
import type { Problem } from '../../shared/api';
import { timeOfDay } from '../format';
import type { Resource } from '../state/resource';
import { problemText, texts } from '../texts';

/** What the service refused, or that it can't be reached, with a way on. */
export function ProblemNote({ problem, retry }: { problem: Problem; retry?: () => unknown }) {
  const faults = problem.errors.length;
  return (
    <div class="note bad" role="alert">
      <p>{faults > 0 ? texts.value.faults(faults) : problemText(problem)}</p>
      {retry && faults === 0 && <button type="button" onClick={() => void retry()}>{texts.value.common.retry}</button>}
    </div>
  );
}

/** Nothing is there, and what can be done about it. */
export function Empty({ title, hint, children }: { title: string; hint?: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {hint && <p class="soft">{hint}</p>}
      {children}
    </div>
  );
}

/** Stands where something is about to appear, as tall as that. */
export function Loading({ height = 160 }: { height?: number }) {
  return (
    <div class="loading" style={{ minHeight: `${height}px` }} role="status">
      <span class="visually-hidden">{texts.value.common.loading}</span>
    </div>
  );
}

/**
 * Shows what was answered; before that that it is on its way, or why there is none. Old figures stay, and are called old
 * (unless `quiet`, where something else on the page says it).
 */
export function Loaded<T>({ of, height, quiet, children }: { of: Resource<T>; height?: number; quiet?: boolean; children: (data: T) => ComponentChildren }) {
  const { data, problem, answeredMs } = of;
  if (data.value === undefined) {
    return problem.value ? <ProblemNote problem={problem.value} retry={of.reload} /> : <Loading {...(height !== undefined && { height })} />;
  }
  return (
    <>
      {children(data.value)}
      {problem.value && !quiet && (
        <p class="stale" role="status">{texts.value.common.stale(timeOfDay(answeredMs.value ?? Date.now()))}</p>
      )}
    </>
  );
}
