import { makeRoom } from './make-room.js';

interface Entry<V> {
  value: Promise<V>;
  /** What the load answered, once it has. */
  loaded: V | undefined;
  untilMs: number;
}

/**
 * Keeps answers for a short time and lets those who ask at once share one load, so that a crowd costs as much as one.
 * A load that fails is not kept.
 */
export class ShortCache<V> {
  private readonly entries = new Map<string, Entry<V>>();

  /** @param ttl milliseconds, or how many for an answer whose loading took so long */
  constructor(
    private readonly ttl: number | ((tookMs: number) => number),
    private readonly maxEntries: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** The kept answer, or the one of `load`. */
  get(key: string, load: () => Promise<V>): Promise<V> {
    const entry = this.entries.get(key);
    return entry && this.nowMs() < entry.untilMs ? entry.value : this.load(key, load);
  }

  /** The kept answer itself, with no promise to make and wait for; undefined when there is none, or while it is being loaded. */
  atHand(key: string): V | undefined {
    const entry = this.entries.get(key);
    return entry && this.nowMs() < entry.untilMs ? entry.loaded : undefined;
  }

  /** Makes the next `get` load afresh; a load under way is not kept either. */
  forget(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }

  private load(key: string, load: () => Promise<V>): Promise<V> {
    const startMs = this.nowMs();
    const entry: Entry<V> = { value: load(), loaded: undefined, untilMs: Infinity };
    this.entries.delete(key);
    makeRoom(this.entries, this.maxEntries);
    this.entries.set(key, entry);
    entry.value.then(
      (loaded) => {
        const nowMs = this.nowMs();
        entry.loaded = loaded;
        entry.untilMs = nowMs + (typeof this.ttl === 'number' ? this.ttl : this.ttl(nowMs - startMs));
      },
      () => {
        if (this.entries.get(key) === entry) this.entries.delete(key);
      },
    );
    return entry.value;
  }
}
