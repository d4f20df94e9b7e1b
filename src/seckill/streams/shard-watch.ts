import { Logger } from '@nestjs/common';
import { shardName, type SaleShard } from '../../goods/index.js';
import { reasonOf } from '../../infra/errors.js';
import type { TicketStream } from './ticket-stream.js';
import type { TicketsReader } from './tickets.reader.js';

/** Every so many ticks all tickets are read again, since a hint may be lost. */
const TICKS_BETWEEN_READS = 3;

/** The open streams of one shard: reads their tickets together, however many there are. */
export class ShardWatch {
  private readonly logger = new Logger('TicketStreams');
  private readonly streams = new Map<string, Set<TicketStream>>();
  private readonly changed = new Set<string>();
  private isReading = false;
  private failed = false;
  private ticks = 0;

  constructor(
    readonly shard: SaleShard,
    private readonly reader: TicketsReader,
  ) {}

  get isEmpty(): boolean {
    return this.streams.size === 0;
  }

  add(stream: TicketStream): void {
    const others = this.streams.get(stream.userId);
    if (others) others.add(stream);
    else this.streams.set(stream.userId, new Set([stream]));
  }

  remove(stream: TicketStream): void {
    const ofUser = this.streams.get(stream.userId);
    ofUser?.delete(stream);
    if (ofUser?.size === 0) this.streams.delete(stream.userId);
  }

  /** Reads the tickets of those among these users who have a stream. What is asked for during a read becomes the next one. */
  look(userIds: Iterable<string>): void {
    for (const userId of userIds) if (this.streams.has(userId)) this.changed.add(userId);
    if (this.changed.size > 0 && !this.isReading) void this.readChanged();
  }

  lookAtAll(): void {
    this.look(this.streams.keys());
  }

  /** Once a second: shows who waits how the line has moved, by one read for all; or looks at all tickets. */
  async tick(): Promise<void> {
    this.ticks += 1;
    if (this.ticks % TICKS_BETWEEN_READS === 0) return this.lookAtAll();
    if (this.isReading || !this.someoneWaits()) return;
    await this.attempt(async () => {
      const line = await this.reader.lineOf(this.shard);
      if (line) for (const stream of this.all()) stream.lineMoved(line, performance.now());
    });
  }

  private async readChanged(): Promise<void> {
    this.isReading = true;
    while (this.changed.size > 0) {
      const userIds = [...this.changed];
      this.changed.clear();
      await this.attempt(() => this.read(userIds));
    }
    this.isReading = false;
  }

  private async read(userIds: string[]): Promise<void> {
    const read = await this.reader.read(this.shard, userIds);
    if (!read) return;
    for (const [userId, entry] of read) {
      for (const stream of [...(this.streams.get(userId) ?? [])]) {
        if (entry) stream.show(entry.ticket, entry.line, performance.now());
        // It was lost with Redis; who connects again is told so.
        else stream.end('no_ticket');
      }
    }
  }

  /** Redis may be away: the streams stay open, and the next tick looks again. */
  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.failed = false;
    } catch (error) {
      if (!this.failed) this.logger.warn({ shard: shardName(this.shard), streams: this.streams.size, reason: reasonOf(error), msg: 'tickets not read; streams wait' });
      this.failed = true;
    }
  }

  private someoneWaits(): boolean {
    for (const stream of this.all()) if (stream.waitsInQueue) return true;
    return false;
  }

  private *all(): Generator<TicketStream> {
    for (const ofUser of this.streams.values()) yield* ofUser;
  }
}
