import type { FastifyRequest } from 'fastify';
import { DomainError } from '../infra/errors.js';
import type { AuthenticatedUser } from './authenticated-user.js';

/** A request's session, once a guard has let the request in. */
export interface SignedIn {
  user: AuthenticatedUser;
  token: string;
}

const signedIn = new WeakMap<FastifyRequest, SignedIn>();
const BEARER = /^Bearer +(\S+)$/i;

/** Remembers who makes the request, for as long as the request lives. */
export function remember(request: FastifyRequest, session: SignedIn): void {
  signedIn.set(request, session);
}

/** @throws Error where the route has no guard, which is a fault of the program */
export function recall(request: FastifyRequest): SignedIn {
  const session = signedIn.get(request);
  if (!session) throw new Error('this route asks who is signed in, but has no @Authenticated() or @OperatorOnly()');
  return session;
}

/** The token of `Authorization: Bearer <token>`, or null. */
export function bearerToken({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  return BEARER.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The user who makes the request, for what is no parameter of a handler. @throws as `recall` does */
export const requesterOf = (request: FastifyRequest): AuthenticatedUser => recall(request).user;

export const unauthenticated = (): DomainError => new DomainError('UNAUTHENTICATED', 'Sign in first: the token is missing, unknown or expired.');
