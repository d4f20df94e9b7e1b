import type { Outcome } from '../../shared/api';
import { backoffMs } from './backoff';
import { lost, pause } from './connection';
import { api, ask, forgetSession, type Ticket } from './shop-api';
import { isTerminal } from './ticket-status';
import { readTicketStream, type StreamEnd } from './ticket-stream';

/** Streams that may break one after the other before the ticket is asked for instead. */
const MOST_BREAKS = 2;
/** For how long it is asked for before a stream is tried again. */
const POLLING_MS = 30_000;
const POLL_MS = 2000;

/** What was learnt: the ticket, or that there is none. */
export type OnTicket = (ticket: Ticket | null) => void;

/** Follows the shopper's ticket in a sale by its events; by asking for it where these can't be had. */
export class TicketFollowing {
  private seenId = '';

  constructor(
    private readonly saleId: string,
    private readonly token: string,
    private readonly onTicket: OnTicket,
  ) {}

  /** Follows until the ticket has ended, there is none, the session is over, or it is called off. Called again it goes on where it was. */
  async run(signal: AbortSignal): Promise<void> {
    for (let breaks = 0; !signal.aborted; ) {
      const end = await readTicketStream({ saleId: this.saleId, seenId: this.seenId, onTicket: this.take(signal) }, signal);
      if (signal.aborted || this.isOver(end)) return;
      if (end.kind === 'closed') {
        breaks = 0;
        await pause(end.retryMs, signal);
      } else if (end.kind === 'broken' && ++breaks < MOST_BREAKS) {
        if (!navigator.onLine) lost();
        await pause(backoffMs(breaks), signal);
      } else {
        if (await this.poll(signal)) return;
        breaks = 0;
      }
    }
  }

  private take = (signal: AbortSignal) => (ticket: Ticket, eventId: string): void => {
    if (signal.aborted) return;
    this.seenId = eventId;
    this.onTicket(ticket);
  };

  private isOver(end: StreamEnd): boolean {
    if (end.kind === 'over') return true;
    if (end.kind !== 'refused') return false;
    const { code, status } = end.problem;
    if (code === 'NO_TICKET') this.onTicket(null);
    if (code === 'UNAUTHENTICATED') forgetSession(this.token);
    // Whatever else is refused stays so: there is nothing to follow.
    return status !== 0 && status !== 429 && status < 500;
  }

  /** Asks for the ticket for a while, as often as its answers say. @returns whether there is nothing more to ask for */
  private async poll(signal: AbortSignal): Promise<boolean> {
    const untilMs = performance.now() + POLLING_MS;
    for (let failures = 0; performance.now() < untilMs && !signal.aborted; ) {
      const outcome = await readTicket(this.saleId);
      if (signal.aborted) return true;
      if (outcome.ok) {
        // What is read here has no event's id, so the next stream tells where it stands from the start.
        this.seenId = '';
        this.onTicket(outcome.data);
        if (isTerminal(outcome.data.status)) return true;
      } else if (this.isOver({ kind: 'refused', problem: outcome.problem })) {
        return true;
      }
      failures = outcome.ok ? 0 : failures + 1;
      await pause(outcome.ok ? (outcome.data.pollAfterMs ?? POLL_MS) : (outcome.problem.retryAfterMs ?? backoffMs(failures)), signal);
    }
    return signal.aborted;
  }
}

const readTicket = (saleId: string): Promise<Outcome<Ticket>> => ask(api.GET('/api/sales/{saleId}/ticket', { params: { path: { saleId } } }));
