import type { Signal } from '@preact/signals';
import { stored } from './stored';

/** Who is signed in in this browser. */
export interface Session {
  token: string;
  username: string;
  role: string;
  expiresAt: string;
}

/** The session kept under a name, shared by all tabs; null when nobody is signed in. Shop and console have one each. */
export const sessionOf = (name: string): Signal<Session | null> => stored<Session | null>(`seckill.${name}`, sessionFrom, null);

function sessionFrom(value: unknown): Session | null {
  const { token, username, role, expiresAt } = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  if (typeof token !== 'string' || typeof username !== 'string' || typeof role !== 'string' || typeof expiresAt !== 'string') return null;
  return Date.parse(expiresAt) > Date.now() ? { token, username, role, expiresAt } : null;
}
