import { batch, effect, signal } from '@preact/signals';
import type { Problem } from '../../shared/api';
import { serverNowMs } from '../../shared/server-clock';
import { stored } from '../../shared/stored';
import { backoffMs } from './backoff';
import { basket } from './basket';
import { pause } from './connection';
import { joinAgainMs } from './join-retry';
import { pendingJoin, type PendingJoin } from './pending-join';
import { api, ask, session, type Ticket } from './shop-api';
import { signedIn } from './signing-in';
import { listenToReturn, listenToTabs, tellOrders, tellTabs } from './tabs';
import { TicketFollowing } from './ticket-following';
import { isTerminal } from './ticket-status';

const isStart = (value: unknown): value is { ticketId: string; position: number } =>
  typeof value === 'object' && value !== null && 'ticketId' in value && typeof value.ticketId === 'string' && 'position' in value && typeof value.position === 'number';

/** Where the ticket that was seen last began, so that its progress outlives a reload. */
const lineStart = stored<{ ticketId: string; position: number } | null>('seckill.line-start', (value) => (isStart(value) ? value : undefined), null);

/** Refusals that mean that the shopper holds something already: the ticket says what. */
const HELD = new Set(['ALREADY_QUEUED', 'UNPAID_ORDER']);

/** What a shopper reads whose session ended while there was a ticket, or an order. */
const SIGNED_OUT: Problem = { status: 401, code: 'UNAUTHENTICATED', detail: '', errors: [], extra: {} };
/** What a shopper reads whose ticket was lost with the Redis that held it. */
const PLACE_LOST: Problem = { status: 404, code: 'NO_TICKET', detail: '', errors: [], extra: {} };

/** The shopper's place in one sale: joining, following, leaving. All that the page shows of it is in these signals. */
export class SalePlace {
  /** Undefined while it is not known whether there is one. */
  readonly ticket = signal<Ticket | null | undefined>(undefined);
  /** From the click on; `again` once the join had to be sent once more. */
  readonly joining = signal<'no' | 'sending' | 'again'>('no');
  readonly refusal = signal<Problem | null>(null);
  readonly leaving = signal(false);
  private following = new AbortController();
  private sending = new AbortController();
  private isWatched = false;

  constructor(readonly saleId: string) {}

  /** Follows the ticket of whoever is signed in, in step with the other tabs, and takes up a join that was not answered. @returns how to stop */
  watch(): () => void {
    this.isWatched = true;
    const stopEffect = effect(() => this.startFor(session.value?.token));
    const stopTabs = listenToTabs((saleId) => saleId === this.saleId && this.follow());
    const stopReturn = listenToReturn(() => this.follow());
    const pending = pendingJoin.peek();
    if (pending?.saleId === this.saleId && pending.username === session.peek()?.username) void this.send(pending);
    return () => {
      this.isWatched = false;
      for (const stop of [stopEffect, stopTabs, stopReturn]) stop();
      this.following.abort();
      this.sending.abort();
    };
  }

  /**
   * One click: one join. Steps that a shopper must take before it come first, each on a line of its own.
   * @param items the basket
   */
  async join(items: PendingJoin['items']): Promise<void> {
    if (this.joining.peek() !== 'no') return;
    this.joining.value = 'sending';
    this.refusal.value = null;
    // Who has gone elsewhere while the dialog was open would not see what came of it.
    if (!(await signedIn()) || !this.isWatched) return this.stopJoining();
    const username = session.peek()?.username ?? '';
    await this.send({ saleId: this.saleId, username, key: crypto.randomUUID(), items, clickedAtMs: Date.now() });
  }

  /** Sends no more of a join that is not answered. Whether it was taken the ticket tells. */
  stopJoining(): void {
    this.sending.abort();
    pendingJoin.value = null;
    this.joining.value = 'no';
    this.follow();
  }

  async leave(): Promise<void> {
    this.leaving.value = true;
    this.refusal.value = null;
    const outcome = await ask(api.DELETE('/api/sales/{saleId}/ticket', { params: { path: { saleId: this.saleId } } }));
    this.leaving.value = false;
    if (!outcome.ok) this.refusal.value = outcome.problem;
    this.changed();
  }

  /** To be called when something was done to the ticket by other means, paying for instance. */
  changed(): void {
    this.follow();
    tellTabs(this.saleId);
  }

  /** Where the ticket in hand began. */
  startOf({ ticketId, position = 1 }: Ticket): number {
    const start = lineStart.value;
    return start?.ticketId === ticketId ? Math.max(start.position, position) : position;
  }

  private async send(pending: PendingJoin): Promise<void> {
    this.sending = new AbortController();
    const { signal: until } = this.sending;
    pendingJoin.value = pending;
    for (let tries = 0; !until.aborted; tries += 1) {
      this.joining.value = tries === 0 ? 'sending' : 'again';
      const { saleId, items, key } = pending;
      const outcome = await ask(
        api.POST('/api/sales/{saleId}/tickets', { params: { path: { saleId }, header: { 'Idempotency-Key': key } }, body: { items } }),
      );
      if (until.aborted) return;
      const againMs = outcome.ok ? null : joinAgainMs(outcome.problem, serverNowMs(), backoffMs(tries));
      if (againMs === null) return this.answered(outcome.ok ? outcome.data : null, outcome.ok ? null : outcome.problem);
      await pause(againMs, until);
    }
  }

  private answered(joined: Ticket | null, problem: Problem | null): void {
    batch(() => {
      pendingJoin.value = null;
      this.joining.value = 'no';
      this.refusal.value = problem;
      if (joined) this.take(joined);
    });
    if (joined) this.changed();
    else if (problem && HELD.has(problem.code)) this.follow();
  }

  private startFor(token: string | undefined): void {
    const before = this.ticket.peek();
    this.ticket.value = token === undefined ? null : undefined;
    this.following.abort();
    // A click is that of who clicked.
    const pending = pendingJoin.peek();
    if (pending?.saleId === this.saleId && pending.username !== session.peek()?.username) this.stopJoining();
    if (token === undefined && before && !isTerminal(before.status)) this.refusal.value = SIGNED_OUT;
    if (token !== undefined) this.follow();
  }

  private follow(): void {
    const token = session.peek()?.token;
    this.following.abort();
    if (token === undefined) return;
    this.following = new AbortController();
    void new TicketFollowing(this.saleId, token, (ticket) => this.take(ticket)).run(this.following.signal);
  }

  private take(ticket: Ticket | null): void {
    if (ticket?.position !== undefined && lineStart.peek()?.ticketId !== ticket.ticketId) {
      lineStart.value = { ticketId: ticket.ticketId, position: ticket.position };
    }
    const before = this.ticket.peek();
    if (ticket === null && before && !isTerminal(before.status)) this.refusal.value = PLACE_LOST;
    // What is paid is not bought again by a stray click.
    if (ticket?.status === 'paid' && before?.status === 'awaiting_payment') basket.value = null;
    this.ticket.value = ticket;
    if (before && before.status !== ticket?.status) tellOrders();
  }
}
