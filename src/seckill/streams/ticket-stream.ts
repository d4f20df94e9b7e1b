import type { ServerResponse } from 'node:http';
import { isLive, type TicketRecord } from '../../goods/index.js';
import type { TicketView } from '../dto/ticket.view.js';
import { positionOf, viewOf, type LineStanding } from '../view-of-ticket.js';

/** Why a stream ended. */
export type StreamEnd = 'closed' | 'decided' | 'stalled' | 'signed_out' | 'no_ticket' | 'aged' | 'stopping';

/** Positions may move with every batch of the drain; nobody has to see each of them. */
const BETWEEN_POSITIONS_MS = 750;
/** What may wait in this process for a slow reader. Beyond it states are left out, and the newest is sent when there is room. */
const MOST_UNSENT_BYTES = 4096;
/** Heartbeats in a row at which a reader has taken nothing. */
const MOST_STALLED_BEATS = 2;
const [FIRST_RETRY_MS, SPREAD_RETRY_MS] = [1000, 3000];

/** After what time a client should connect again: spread, so that a crowd does not come back as one. */
const retryMs = (): number => FIRST_RETRY_MS + Math.round(Math.random() * SPREAD_RETRY_MS);

/**
 * Names the state that a view shows. A client that connects again with the id of the current state has seen it, so it is the state and not a
 * count: any process can tell, and what lay between does not matter.
 */
export function stateId({ ticketId, status, position, reason }: Pick<TicketView, 'ticketId' | 'status' | 'position' | 'reason'>): string {
  return [ticketId, status, position ?? reason].filter((part) => part !== undefined).join('.');
}

/** One open stream: writes what its shopper has not seen yet, and never more than the reader takes. */
export class TicketStream {
  private ticket: TicketRecord | null = null;
  /** What was sent last, and where its shopper stood. */
  private sent = '';
  private sentPosition: number | undefined;
  private sentAtMs = -Infinity;
  private stalledBeats = 0;
  private unsentAtBeat = 0;
  private ended: StreamEnd | null = null;

  /** @param seenId the id of the state that the client saw last, or '' */
  constructor(
    private readonly response: ServerResponse,
    readonly userId: string,
    readonly token: string,
    private seenId: string,
  ) {}

  /** Sends the head and how to come back. Nothing has been sent before. */
  start(headers: Record<string, string>): void {
    // A peer that goes away in the middle of a write is no fault.
    this.response.on('error', () => undefined);
    this.response.writeHead(200, headers);
    this.write(`retry: ${retryMs()}\n\n`);
  }

  /** Shows a ticket as it was read, unless its reader knows that state, or can't take it now. A ticket that has ended ends the stream. */
  show(ticket: TicketRecord, line: LineStanding, nowMs: number): void {
    if (this.ended) return;
    this.ticket = ticket;
    const view = viewOf(ticket, line);
    const id = stateId(view);
    if (id !== this.seenId && !this.send(view, id, nowMs)) return;
    if (!isLive(ticket)) this.end('decided');
  }

  /** The line has moved, and with it whoever waits in it. */
  lineMoved(line: LineStanding, nowMs: number): void {
    if (!this.ticket || !this.waitsInQueue || positionOf(this.ticket, line) === this.sentPosition) return;
    this.show(this.ticket, line, nowMs);
  }

  get waitsInQueue(): boolean {
    return this.ticket?.status === 'queued' || this.ticket?.status === 'reserved';
  }

  /** A comment: keeps what lies between from cutting the stream, and finds a peer that is gone. A reader that takes nothing is cut. */
  beat(): void {
    const unsent = this.response.writableLength;
    this.stalledBeats = unsent > 0 && unsent >= this.unsentAtBeat ? this.stalledBeats + 1 : 0;
    this.unsentAtBeat = unsent;
    if (this.stalledBeats >= MOST_STALLED_BEATS) return this.cut('stalled');
    // One that ended is over only when its reader has taken what was still to be sent.
    if (!this.ended && unsent < MOST_UNSENT_BYTES) this.write(':\n\n');
  }

  /** Ends the stream in good order, saying when to come back, unless the ticket has ended: then there is nothing to come back for. */
  end(why: StreamEnd): void {
    if (this.ended) return;
    this.ended = why;
    this.response.end(why === 'decided' ? '' : `retry: ${retryMs()}\n\n`);
  }

  /** Ends the stream and its connection at once, whatever was still to be sent. */
  cut(why: StreamEnd): void {
    this.ended ??= why;
    this.response.destroy();
  }

  /** Why it ended, once it has. */
  get endedFor(): StreamEnd {
    return this.ended ?? 'closed';
  }

  /** Whether it was sent. What was not is shown with the next look at the ticket. */
  private send(view: TicketView, id: string, nowMs: number): boolean {
    const what = `${view.ticketId} ${view.status}`;
    const isMove = what === this.sent;
    if (isMove && nowMs - this.sentAtMs < BETWEEN_POSITIONS_MS) return false;
    if (this.response.writableLength > MOST_UNSENT_BYTES) return false;
    this.write(`event: ticket\nid: ${id}\ndata: ${JSON.stringify(view)}\n\n`);
    this.seenId = id;
    this.sent = what;
    this.sentPosition = view.position;
    this.sentAtMs = nowMs;
    return true;
  }

  private write(text: string): void {
    if (!this.response.destroyed) this.response.write(text);
  }
}
