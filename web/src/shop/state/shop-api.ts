import { createApi, outcomeOf, type Outcome, type Schemas } from '../../shared/api';
import { sessionOf } from '../../shared/session';
import { lost, reached } from './connection';

export type Sale = Schemas['SaleDto'];
export type SaleItem = Schemas['SaleItemDto'];
export type Ticket = Schemas['TicketView'];
export type Order = Schemas['OrderAnswer'];
export type PaidOrder = Schemas['OrderWithPaymentAnswer'];

/** Who shops in this browser. */
export const session = sessionOf('shopper');

export const api = createApi(() => session.value?.token);

/** The outcome of a call, which also tells whether the service can be reached and whether the session still holds. */
export async function ask<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<Outcome<T>> {
  const token = session.value?.token;
  const outcome = await outcomeOf(call);
  if (!outcome.ok && outcome.problem.code === 'OFFLINE') lost();
  else reached();
  if (!outcome.ok && outcome.problem.code === 'UNAUTHENTICATED') forgetSession(token);
  return outcome;
}

/** A session that the service does not know any more. One that was opened meanwhile stays. */
export function forgetSession(token: string | undefined): void {
  if (session.value && session.value.token === token) session.value = null;
}
