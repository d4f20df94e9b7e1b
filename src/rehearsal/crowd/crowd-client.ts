import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';

/** What a call was answered; `tookMs` counts from when it was sent. */
export interface CrowdAnswer {
  status: number;
  body: Readonly<Record<string, unknown>>;
  tookMs: number;
}

export interface CrowdCall {
  method: 'GET' | 'POST';
  /** below `/api` */
  path: string;
  token: string;
  body?: object;
}

/** Calls under way at once, each on a connection that is kept. */
const CONNECTIONS = 100;
const CALL_TIMEOUT_MS = 30_000;
/** How often a call is made that the service puts off, or whose connection breaks. */
const TRIES = 10;
const PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;

/** The service behaves in a way that no shopper would put up with. */
export class CrowdFault extends Error {}

/**
 * The HTTP side of a crowd: many shoppers, few connections. A call waits for its turn here, so that what is measured is the service and not
 * the line in front of the connections. Close it at the end.
 */
export class CrowdClient {
  private readonly pool: Pool;
  private readonly waiting: (() => void)[] = [];
  private free = CONNECTIONS;

  /**
   * @param address where the service listens, `http://host:port`
   * @param signal ends every call and pause when it is aborted; they throw its reason
   */
  constructor(
    address: string,
    readonly signal: AbortSignal,
  ) {
    this.pool = new Pool(address, { connections: CONNECTIONS, pipelining: 1, headersTimeout: CALL_TIMEOUT_MS, bodyTimeout: CALL_TIMEOUT_MS });
    // Each shopper of a crowd listens.
    setMaxListeners(0, signal);
  }

  /**
   * Makes a call, again where the service puts it off (429, 503) or the connection broke. So it may have been taken before: a repeat must be safe.
   * @throws CrowdFault when the service can't be reached, or puts it off again and again
   */
  async call(call: CrowdCall): Promise<CrowdAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.inTurn(() => this.attempt(call));
      if (!(answer instanceof Error) && answer.status !== 503 && answer.status !== 429) return answer;
      if (attempt === TRIES) throw new CrowdFault(`${call.method} ${call.path}: ${answer instanceof Error ? answer.message : told(answer)}`);
      await this.pause(answer instanceof Error ? PAUSE_MS * attempt : Math.min(answer.retryAfterMs, LONGEST_PAUSE_MS));
    }
  }

  /** Waits, unless the signal comes. */
  async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal }).catch(() => this.signal.throwIfAborted());
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async attempt({ method, path, token, body }: CrowdCall): Promise<(CrowdAnswer & { retryAfterMs: number }) | Error> {
    const sentMs = performance.now();
    try {
      const answer = await this.pool.request({
        method,
        path: `/api${path}`,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        body: body ? JSON.stringify(body) : null,
        signal: this.signal,
      });
      const text = await answer.body.text();
      return { status: answer.statusCode, body: parse(text), tookMs: performance.now() - sentMs, retryAfterMs: Number(answer.headers['retry-after'] ?? 1) * 1000 };
    } catch (error) {
      this.signal.throwIfAborted();
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      this.signal.throwIfAborted();
      return await work();
    } finally {
      // The place goes to the next one, or back.
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}

/** An answer in short, for a message. */
export const told = ({ status, body }: Pick<CrowdAnswer, 'status' | 'body'>): string => `was answered ${status} ${typeof body.code === 'string' ? body.code : ''}`.trimEnd();

function parse(text: string): CrowdAnswer['body'] {
  const value: unknown = text === '' ? {} : JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new CrowdFault('an answer is no JSON object');
  return Object.fromEntries(Object.entries(value));
}
