import autocannon, { type Client, type Instance, type Options, type Request, type Result } from 'autocannon';
import { once } from 'node:events';
import { percentile } from './statistics.js';

/** Nothing the benchmark asks for takes longer; what does is a fault of the run. */
const RUN_TIMEOUT_MS = 60_000;

export interface LoadPlan {
  /** `http://127.0.0.1:<port>` */
  base: string;
  connections: number;
  /** One list for each connection, which sends its requests in order, and begins anew when it has sent them all. */
  requestsOf: (connection: number) => Request[];
  /** Requests in all; a multiple of `connections`. */
  amount: number;
}

export interface LoadResult {
  seconds: number;
  perSecond: number;
  statuses: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
}

/** Drives a server with a fixed number of requests. @throws Error when a request failed below HTTP, or the run took too long */
export async function load({ base, connections, requestsOf, amount }: LoadPlan): Promise<LoadResult> {
  const [latencies, statuses]: [number[], Record<string, number>] = [[], {}];
  let opened = 0;
  const setupClient = (client: Client): void => client.setRequests(requestsOf(opened++));
  const running = start({ url: base, connections, amount, setupClient, timeout: 20, sampleInt: 50 });
  const startedMs = performance.now();
  let endedMs = startedMs;
  running.on('response', (_client, status, _bytes, responseMs) => {
    endedMs = performance.now();
    latencies.push(responseMs);
    statuses[status] = (statuses[status] ?? 0) + 1;
  });
  const hard = setTimeout(() => running.stop(), RUN_TIMEOUT_MS);
  const [result] = (await once(running, 'done')) as [Result];
  clearTimeout(hard);
  if (result.errors > 0 || latencies.length !== amount) throw new Error(`${latencies.length} of ${amount} requests were answered, ${result.errors} failed`);
  const seconds = (endedMs - startedMs) / 1000;
  return { seconds, perSecond: amount / seconds, statuses, p50Ms: percentile(latencies, 50), p99Ms: percentile(latencies, 99) };
}

/** With a callback it answers the running instance, without one a promise. The interval, in ms, is when it looks whether it is done. */
const start = (options: Options & { sampleInt: number }): Instance => autocannon(options, () => undefined);
