import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { isLive, type SaleShard, type TicketRecord } from '../../goods/index.js';
import { DomainError } from '../../infra/errors.js';
import { isStopping } from '../../infra/http/index.js';
import { within } from '../../infra/within.js';
import { TicketService } from '../ticket.service.js';
import { viewOf, type LineStanding } from '../view-of-ticket.js';
import { StreamPlaces } from './stream-places.js';
import { stateId, TicketStream } from './ticket-stream.js';
import { TicketStreams } from './ticket-streams.js';
import { TicketsReader } from './tickets.reader.js';

/** No cache keeps a stream, and no proxy gathers it up. */
export const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' } as const;
/** How long a first stream of a shard may wait until its hints are sure to come. */
const SUBSCRIBE_MS = 1500;
const RETRY_MS = 1000;

/** Who wants to follow a ticket, and from where on. */
export interface FollowCall {
  userId: string;
  token: string;
  saleId: string;
  /** `Last-Event-ID` of a client that connects again, or ''. */
  seenId: string;
}

/** Opens streams: everything that can be refused is refused before a stream begins. */
@Injectable()
export class TicketFollowing {
  constructor(
    private readonly tickets: TicketService,
    private readonly reader: TicketsReader,
    private readonly places: StreamPlaces,
    private readonly streams: TicketStreams,
  ) {}

  /**
   * Turns the answer into a stream of the ticket, unless it is `over`: the client has seen how the ticket ended, so that there is nothing to
   * follow; or the call `asks` only (HEAD) whether there would be one.
   * @throws DomainError as asking for the ticket does, and as the limits of streams demand
   */
  async follow(call: FollowCall, reply: FastifyReply): Promise<'follows' | 'over' | 'asks'> {
    if (this.streams.areStopping || isStopping(reply.server.server)) throw unavailable();
    this.places.take(call.userId);
    let isOpen = false;
    try {
      const { userId, saleId, seenId } = call;
      const shard = await this.tickets.shardFor(saleId, userId);
      await within(SUBSCRIBE_MS, this.streams.following(shard), unavailable);
      const found = await this.find(call, shard);
      if (!isLive(found.ticket) && stateId(viewOf(found.ticket, found.line)) === seenId) return 'over';
      if (reply.request.method === 'HEAD') return 'asks';
      const stream = new TicketStream(reply.raw, userId, call.token, seenId);
      const headers = headersOf(reply);
      reply.hijack();
      stream.start(headers);
      this.streams.adopt(stream, shard, reply.raw);
      isOpen = true;
      stream.show(found.ticket, found.line, performance.now());
      return 'follows';
    } finally {
      if (!isOpen) this.places.free(call.userId);
    }
  }

  private async find({ userId, saleId }: FollowCall, shard: SaleShard): Promise<{ ticket: TicketRecord; line: LineStanding }> {
    const found = (await this.reader.read(shard, [userId]))?.get(userId);
    if (found) return found;
    // Says why there is none. A ticket that only an outdated state shows is none to begin with.
    await this.tickets.find(userId, saleId);
    throw new DomainError('NOT_LOADED', 'The sale is being loaded; try again in a moment.', {}, { retryAfterMs: RETRY_MS });
  }
}

const unavailable = (): DomainError =>
  new DomainError('UNAVAILABLE', 'No stream can be opened right now; try again shortly.', {}, { retryAfterMs: RETRY_MS });

/** Those that the hooks have set so far, and the stream's own: what is hijacked passes no further hook. */
function headersOf(reply: FastifyReply): Record<string, string> {
  const set = Object.entries(reply.getHeaders()).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return {
    ...(Object.fromEntries(set) as Record<string, string>),
    'x-request-id': reply.request.id,
    ...STREAM_HEADERS,
  };
}
