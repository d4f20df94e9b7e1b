import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ClosedSessions, sessionKey, Sessions } from '../../auth/index.js';
import { Settings } from '../../config/index.js';
import { shardName, type SaleShard } from '../../goods/index.js';
import { reasonOf } from '../../infra/errors.js';
import { Metrics } from '../../infra/metrics/index.js';
import { ShardWatch } from './shard-watch.js';
import { StreamPlaces } from './stream-places.js';
import { TicketHints } from './ticket-hints.js';
import { TicketStream } from './ticket-stream.js';
import { TicketsReader } from './tickets.reader.js';

const TICK_MS = 1000;
/** A stream of a peer that vanished without a word, and whose reader the network still seems to serve, ends with this at the latest. */
const LONGEST_MS = 30 * 60 * 1000;
/** How long streams that were told to end may take to send what they have. */
const END_GRACE_MS = 1000;

interface Care {
  /** When the stream's heartbeat and session are due next. */
  dueMs: number;
  openedMs: number;
  /** The key of its session. */
  session: string;
}

interface Watched {
  watch: ShardWatch;
  /** Resolves when hints are sure to be heard; null where subscribing has failed, so that it is tried again. */
  following: Promise<void> | null;
  /** It has been said in the log. */
  isFailing: boolean;
}

/** The open event streams of this process: joins each to its shard's watch, keeps it alive, and ends it in time. */
@Injectable()
export class TicketStreams implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('TicketStreams');
  private readonly watches = new Map<string, Watched>();
  private readonly open = new Map<TicketStream, Care>();
  private readonly beatMs: number;
  private isStopping = false;

  constructor(
    private readonly places: StreamPlaces,
    private readonly hints: TicketHints,
    private readonly reader: TicketsReader,
    private readonly sessions: Sessions,
    private readonly closed: ClosedSessions,
    private readonly metrics: Metrics,
    settings: Settings,
  ) {
    this.beatMs = settings.STREAM_HEARTBEAT_SECONDS * 1000;
  }

  /** The heartbeats look, too: a word that was lost costs as long as one of them. */
  onModuleInit(): void {
    this.closed.listen((key) => {
      for (const [stream, { session }] of [...this.open]) if (session === key) stream.end('signed_out');
    });
  }

  /**
   * Takes a stream whose head was sent into care until its connection closes; its place must have been taken. Its ticket is looked at right
   * away, because it may have changed since it was read.
   */
  adopt(stream: TicketStream, shard: SaleShard, response: ServerResponse): void {
    const nowMs = performance.now();
    const watched = this.watched(shard);
    const { watch } = watched;
    void this.subscribed(watched);
    watch.add(stream);
    this.open.set(stream, { dueMs: nowMs + Math.random() * this.beatMs, openedMs: nowMs, session: sessionKey(stream.token) });
    this.metrics.streams.set(this.open.size);
    const { socket } = response;
    // A request is answered also to who has closed this side, but nobody sits before a stream like that.
    const onEnd = (): void => stream.cut('closed');
    const onClose = (): void => {
      socket?.off('end', onEnd);
      this.forget(stream, watch);
    };
    if (response.destroyed) return onClose();
    socket?.once('end', onEnd);
    response.once('close', onClose);
    if (this.isStopping) stream.end('stopping');
    else watch.look([stream.userId]);
  }

  /** Resolves when hints of the shard are sure to be heard. */
  following(shard: SaleShard): Promise<void> {
    return this.subscribed(this.watched(shard));
  }

  /** Whether streams are being ended because the process stops. */
  get areStopping(): boolean {
    return this.isStopping;
  }

  @Interval(TICK_MS)
  async tick(): Promise<void> {
    for (const watched of [...this.watches.values()]) {
      const { watch } = watched;
      if (watch.isEmpty) {
        this.drop(watch);
        continue;
      }
      void this.subscribed(watched);
      void watch.tick();
    }
    await this.care(performance.now());
  }

  /** Streams keep the server from closing, so they end before it is asked to. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    if (this.open.size === 0) return;
    this.logger.log({ streams: this.open.size, msg: 'ending the streams' });
    for (const stream of [...this.open.keys()]) stream.end('stopping');
    for (let waitedMs = 0; this.open.size > 0 && waitedMs < END_GRACE_MS; waitedMs += 20) await delay(20);
    for (const stream of [...this.open.keys()]) stream.cut('stopping');
  }

  private async care(nowMs: number): Promise<void> {
    const due: TicketStream[] = [];
    for (const [stream, care] of [...this.open]) {
      if (care.dueMs > nowMs) continue;
      care.dueMs = nowMs + this.beatMs;
      if (nowMs - care.openedMs > LONGEST_MS) stream.end('aged');
      stream.beat();
      due.push(stream);
    }
    await this.endSignedOut(due);
  }

  private async endSignedOut(streams: TicketStream[]): Promise<void> {
    try {
      const areOpen = await this.sessions.areOpen(streams.map(({ token }) => token));
      streams.forEach((stream, index) => {
        if (areOpen[index] === false) stream.end('signed_out');
      });
    } catch (error) {
      this.logger.warn({ streams: streams.length, reason: reasonOf(error), msg: 'sessions not checked; the next heartbeat will' });
    }
  }

  private forget(stream: TicketStream, watch: ShardWatch): void {
    watch.remove(stream);
    this.open.delete(stream);
    this.places.free(stream.userId);
    this.metrics.streams.set(this.open.size);
    this.metrics.streamsEnded.inc({ reason: stream.endedFor });
    if (stream.endedFor === 'stalled') this.logger.warn({ userId: stream.userId, msg: 'a stream whose reader takes nothing was cut' });
  }

  private watched(shard: SaleShard): Watched {
    const name = shardName(shard);
    const known = this.watches.get(name);
    if (known) return known;
    const watched: Watched = { watch: new ShardWatch(shard, this.reader), following: null, isFailing: false };
    this.watches.set(name, watched);
    return watched;
  }

  /** Where it fails, the next stream and the next tick try again; until then the tickets are read now and then. */
  private subscribed(watched: Watched): Promise<void> {
    if (watched.following) return watched.following;
    const following = this.hints.follow(watched.watch);
    following.then(() => (watched.isFailing = false), (error: unknown) => this.notFollowing(watched, error));
    return (watched.following = following);
  }

  private notFollowing(watched: Watched, error: unknown): void {
    watched.following = null;
    if (!watched.isFailing) this.logger.warn({ shard: shardName(watched.watch.shard), reason: reasonOf(error), msg: 'not subscribed; tickets are read now and then' });
    watched.isFailing = true;
  }

  /** Not at once with the last stream: most often the next one is on its way. */
  private drop(watch: ShardWatch): void {
    this.watches.delete(shardName(watch.shard));
    this.hints.unfollow(watch.shard);
  }
}
