import { EventSourceParserStream } from 'eventsource-parser/stream';
import { outcomeOf, type Problem } from '../../shared/api';
import { reached } from './connection';
import { api, type Ticket } from './shop-api';
import { isTerminal } from './ticket-status';

/** How a stream of a ticket came to its end. `over`: its reader has seen all there is. */
export type StreamEnd = { kind: 'over' } | { kind: 'refused'; problem: Problem } | { kind: 'closed'; retryMs: number } | { kind: 'broken' };

export interface Following {
  saleId: string;
  /** Id of the event seen last, or ''. */
  seenId: string;
  onTicket: (ticket: Ticket, eventId: string) => void;
}

/** Silence after which a connection counts as gone; the service sends a heartbeat every fifteen seconds by default. */
const SILENCE_MS = 40_000;
const RETRY_MS = 2000;

/** Reads a ticket's events until their stream ends. It is read through fetch, as the browser's EventSource can't say who is asking. */
export async function readTicketStream({ saleId, seenId, onTicket }: Following, signal: AbortSignal): Promise<StreamEnd> {
  const silence = silenceAfter(SILENCE_MS);
  const until = AbortSignal.any([signal, silence.signal, offline(signal)]);
  try {
    const headers = seenId === '' ? {} : { 'Last-Event-ID': seenId };
    // Unlike other calls, this one may take as long as it likes.
    const opened = await outcomeOf(
      api.GET('/api/sales/{saleId}/ticket/events', { params: { path: { saleId } }, headers, parseAs: 'stream', signal: until, fetch: (request) => fetch(request) }),
    );
    if (!opened.ok) return opened.problem.code === 'OFFLINE' ? { kind: 'broken' } : { kind: 'refused', problem: opened.problem };
    reached();
    // 204: the end was seen.
    return opened.data ? await readEvents(opened.data, silence.heard, onTicket) : { kind: 'over' };
  } catch {
    return { kind: 'broken' };
  } finally {
    silence.stop();
  }
}

async function readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>, heard: () => void, onTicket: Following['onTicket']): Promise<StreamEnd> {
  let retryMs = RETRY_MS;
  const parser = new EventSourceParserStream({ onRetry: (ms) => (retryMs = ms), onComment: heard });
  const reader = body.pipeThrough(new TextDecoderStream()).pipeThrough(parser).getReader();
  for (let isLast = false; ; ) {
    const { done, value } = await reader.read();
    if (done) return isLast ? { kind: 'over' } : { kind: 'closed', retryMs };
    heard();
    if (value.event !== 'ticket') continue;
    const ticket: unknown = JSON.parse(value.data);
    if (!isTicket(ticket)) return { kind: 'broken' };
    isLast = isTerminal(ticket.status);
    onTicket(ticket, value.id ?? '');
  }
}

/** What a newer service may add to a ticket is no fault; what names it must be there. */
const isTicket = (value: unknown): value is Ticket =>
  typeof value === 'object' && value !== null && 'ticketId' in value && typeof value.ticketId === 'string' && 'status' in value && typeof value.status === 'string';

function silenceAfter(ms: number): { signal: AbortSignal; heard: () => void; stop: () => void } {
  const controller = new AbortController();
  const cut = (): void => controller.abort();
  let timer = setTimeout(cut, ms);
  const stop = (): void => clearTimeout(timer);
  const heard = (): void => {
    stop();
    timer = setTimeout(cut, ms);
  };
  return { signal: controller.signal, heard, stop };
}

/** Aborts when the browser loses the network, which a stream alone would not notice for long. */
function offline(until: AbortSignal): AbortSignal {
  const controller = new AbortController();
  addEventListener('offline', () => controller.abort(), { once: true, signal: until });
  return controller.signal;
}
