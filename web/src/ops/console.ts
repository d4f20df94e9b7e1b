import { signal } from '@preact/signals';
import { createApi, outcomeOf, type Outcome } from '../shared/api';
import { sessionOf } from '../shared/session';

/** The operator who is signed in to the console; a shopper of the same browser has a session of their own. */
export const session = sessionOf('console');

/** Whether the service ended the session that was there. */
export const sessionOver = signal(false);

export const api = createApi(() => session.value?.token);

/** What a call came to. One that the service refuses because nobody is signed in any more leads to the sign-in. */
export async function ask<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<Outcome<T>> {
  const token = session.peek()?.token;
  const outcome = await outcomeOf(call);
  if (!outcome.ok && outcome.problem.status === 401 && token !== undefined && session.peek()?.token === token) {
    sessionOver.value = true;
    session.value = null;
  }
  return outcome;
}

/** Ends the session here at once, and at the service as soon as it hears of it. */
export async function signOut(): Promise<void> {
  const token = session.peek()?.token;
  session.value = null;
  sessionOver.value = false;
  if (token) await outcomeOf(api.POST('/api/auth/logout', { headers: { authorization: `Bearer ${token}` } }));
}
