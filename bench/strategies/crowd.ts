import autocannon from 'autocannon';

export interface CrowdResult {
  answered: number;
  /** Requests that were not answered before the round's time was up, or whose connection broke. */
  unanswered: number;
  /** Answers that say "come again". */
  busy: number;
  /** Answers that say that the server failed. */
  failed: number;
  /** When the first was sent and the last answered, by `performance.now()`. */
  startedAt: number;
  endedAt: number;
  p99Ms: number;
}

const BUSY = 503;
/** How often the load generator looks whether it is done. */
const LOOK_MS = 50;
/** A fifth of the clicks are by shoppers who click twice, both clicks on their way at the same time. */
const DOUBLE_PART = 0.2;

/**
 * The clicks of the crowd, per connection and in their order; an entry is the number of a shopper. In each turn some neighbouring
 * connections have the same shopper; apart from that everyone clicks once.
 */
export function planClicks(requests: number, connections: number): { clicks: number[][]; shoppers: number } {
  const clicks = Array.from({ length: connections }, (): number[] => []);
  const doubled = Math.floor((connections * DOUBLE_PART) / 2) * 2;
  let shoppers = 0;
  for (let sent = 0; sent < requests; sent += 1) {
    const connection = sent % connections;
    const isSecond = connection < doubled && connection % 2 === 1;
    if (!isSecond) shoppers += 1;
    clicks[connection]?.push(shoppers - 1);
  }
  return { clicks, shoppers };
}

/** Sends every click once, each connection its own one after the other, and ends when the last is answered or the time is up. */
export function runCrowd(url: string, body: string, clicks: number[][], tokens: string[], capMs: number): Promise<CrowdResult> {
  const requests = clicks.reduce((total, mine) => total + mine.length, 0);
  const lines = clicks.map((mine) => mine.map((shopper) => ({ headers: { authorization: `Bearer ${tokens[shopper] ?? ''}`, 'content-type': 'application/json' } })));
  return new Promise((resolve, reject) => {
    const seen = { answered: 0, busy: 0, failed: 0, startedAt: 0, endedAt: 0 };
    const options = {
      url, method: 'POST' as const, body, connections: clicks.length, amount: requests, sampleInt: LOOK_MS, timeout: Math.ceil(capMs / 1000) + 1,
      setupClient: (client: autocannon.Client) => client.setRequests(lines.shift() ?? []),
    };
    const instance = autocannon(options, (error: unknown, result: autocannon.Result) => {
      clearTimeout(cap);
      if (error) reject(error instanceof Error ? error : new Error('the load generator failed'));
      else resolve({ ...seen, unanswered: requests - seen.answered, p99Ms: result.latency.p99 });
    });
    const cap = setTimeout(() => void instance.stop?.(), capMs);
    instance.on('start', () => (seen.startedAt = performance.now()));
    instance.on('response', (_client, status) => {
      seen.answered += 1;
      seen.endedAt = performance.now();
      if (status === BUSY) seen.busy += 1;
      else if (status >= 500) seen.failed += 1;
    });
  });
}
