import { makeRoom } from './make-room.js';

/**
 * Keeps answers for a short time and lets those who ask at once share one load, so that a crowd costs as much as one.
 * A load that fails is not kept.
 */
export class ShortCache<V> {
  private readonly entries = new Map<string, { value: Promise<V>; untilMs: number }>();

  constructor(
    private readonly ttlMs: number,
    private readonly maxEntries: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** The kept answer, or the one of `load`. */
  get(key: string, load: () => Promise<V>): Promise<V> {
    const entry = this.entries.get(key);
    return entry && this.nowMs() < entry.untilMs ? entry.value : this.load(key, load);
  }

  /** Makes the next `get` load afresh; a load under way is not kept either. */
  forget(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }

  private load(key: string, load: () => Promise<V>): Promise<V> {
    const entry = { value: load(), untilMs: Infinity };
    this.entries.delete(key);
    makeRoom(this.entries, this.maxEntries);
    this.entries.set(key, entry);
    entry.value.then(
      () => {
        entry.untilMs = this.nowMs() + this.ttlMs;
      },
      () => {
        if (this.entries.get(key) === entry) this.entries.delete(key);
      },
    );
    return entry.value;
  }
}
