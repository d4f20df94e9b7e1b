import { parse, serialize } from 'cookie';
import type { IncomingHttpHeaders } from 'node:http';

/** Where Bull's dashboard lies. */
export const QUEUES_PATH = '/ops/queues';
const NAME = 'seckill_queues';

/**
 * A dashboard is a page with calls of its own, which can't be told to send a token as the API wants it. This cookie carries the
 * operator's token to the dashboard alone, and never comes along from another site.
 * @param isHttps whether the browser speaks https to the service
 */
export function queueCookie(token: string, maxAgeSeconds: number, isHttps: boolean): string {
  return serialize(NAME, token, { httpOnly: true, sameSite: 'strict', path: QUEUES_PATH, secure: isHttps, maxAge: maxAgeSeconds });
}

/** The token that came with a request for the dashboard, or null. */
export const queueToken = ({ cookie = '' }: IncomingHttpHeaders): string | null => parse(cookie)[NAME] ?? null;
