import { batch, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Outcome, Problem } from '../../shared/api';

/** When to ask again after an answer, in milliseconds; undefined for no more. */
export type Pace<T> = (data: T | undefined) => number | undefined;

/** Something the API is asked for, once or again and again. */
export class Resource<T> {
  /** The last answer; it stays while a later call fails. */
  readonly data = signal<T | undefined>(undefined);
  /** Why the last call failed. */
  readonly problem = signal<Problem | undefined>(undefined);
  /** When the last answer came, epoch milliseconds. */
  readonly answeredMs = signal<number | undefined>(undefined);
  private round = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isStopped = false;

  constructor(
    private readonly load: () => Promise<Outcome<T>>,
    private readonly pace: Pace<T>,
  ) {}

  /** Begins to ask; nobody is asked while the tab is hidden. @returns what ends it */
  start(): () => void {
    this.isStopped = false;
    const onVisibility = () => {
      if (document.hidden) clearTimeout(this.timer);
      else if (this.pace(this.data.peek()) !== undefined) void this.reload();
    };
    document.addEventListener('visibilitychange', onVisibility);
    void this.reload();
    return () => {
      this.isStopped = true;
      clearTimeout(this.timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }

  /** Asks now. Of several calls at once the last one counts. */
  readonly reload = async (): Promise<void> => {
    clearTimeout(this.timer);
    const round = ++this.round;
    const beganMs = performance.now();
    const outcome = await this.load();
    if (this.isStopped || round !== this.round) return;
    this.take(outcome);
    const everyMs = this.pace(this.data.peek());
    if (everyMs === undefined || document.hidden) return;
    this.timer = setTimeout(() => void this.reload(), Math.max(everyMs / 4, everyMs - (performance.now() - beganMs)));
  };

  private take(outcome: Outcome<T>): void {
    batch(() => {
      this.problem.value = outcome.ok ? undefined : outcome.problem;
      if (!outcome.ok) return;
      this.data.value = outcome.data;
      this.answeredMs.value = Date.now();
    });
  }
}

/**
 * Asks while the component is shown.
 * @param key what it is asked for: another key is another resource
 * @param everyMs asks again this often (or as the function says)
 */
export function useResource<T>(key: string, load: () => Promise<Outcome<T>>, everyMs?: number | Pace<T>): Resource<T> {
  const resource = useMemo(() => new Resource(load, typeof everyMs === 'function' ? everyMs : () => everyMs), [key]);
  useEffect(() => resource.start(), [resource]);
  return resource;
}
