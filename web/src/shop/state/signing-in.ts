import { signal } from '@preact/signals';
import type { Outcome, Schemas } from '../../shared/api';
import { api, ask, session } from './shop-api';

type Answer = (isSignedIn: boolean) => void;

/** Who waits for the shopper to sign in; null while nobody does. The dialog is open as long as somebody waits. */
export const waiting = signal<Answer | null>(null);

/** Whether the shopper is signed in, once asked to where that is needed. */
export function signedIn(): Promise<boolean> {
  if (session.peek()) return Promise.resolve(true);
  return new Promise((resolve) => {
    waiting.peek()?.(false);
    waiting.value = resolve;
  });
}

/** Closes the dialog. */
export function answerSignIn(isSignedIn: boolean): void {
  const answer = waiting.peek();
  waiting.value = null;
  answer?.(isSignedIn);
}

/** Signs in, or up: what of it is wrong is in the outcome. */
export async function openSession(way: 'login' | 'register', body: { username: string; password: string }): Promise<Outcome<Schemas['SessionDto']>> {
  const outcome = await ask(way === 'login' ? api.POST('/api/auth/login', { body }) : api.POST('/api/auth/register', { body }));
  if (outcome.ok) {
    const { token, expiresAt, user } = outcome.data;
    session.value = { token, expiresAt, username: user.username, role: user.role };
  }
  return outcome;
}

/** Ends the session here at once, and at the service if it can be reached. */
export async function signOut(): Promise<void> {
  const call = ask(api.POST('/api/auth/logout'));
  session.value = null;
  await call;
}
