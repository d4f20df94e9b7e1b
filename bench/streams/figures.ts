/** The value below which a share of the values lies. */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export interface Delays {
  tickets: number;
  p50Ms: number;
  p99Ms: number;
}

/** From the moments at which tickets were settled to those at which their shoppers read it. */
export function delays(settledAtMs: Map<number, number>, readAtMs: Map<number, number>): Delays {
  const all = [...readAtMs].flatMap(([index, readMs]) => {
    const settledMs = settledAtMs.get(index);
    return settledMs === undefined ? [] : [readMs - settledMs];
  });
  return { tickets: all.length, p50Ms: Math.round(percentile(all, 0.5)), p99Ms: Math.round(percentile(all, 0.99)) };
}

export interface Result {
  streams: number;
  node: string;
  cpus: number;
  /** Of the machine, before: what others have it do. */
  loadAverage: number;
  openSeconds: number;
  heapPerStreamBytes: number;
  rssPerStreamBytes: number;
  /** Of one CPU, in the whole process, before the first stream. */
  cpuIdle: number;
  cpuAtRest: number;
  cpuMoving: number;
  eventsPerSecondMoving: number;
  heapPerStreamMovingBytes: number;
  cpuInBurst: number;
  burstSeconds: number;
  byStream: Delays;
  cpuPolling: number;
  pollsPerSecond: number;
  byPolling: Delays;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;
export function asMarkdown(result: Result): string {
  const { streams } = result;
  const perStream = (share: number): string => `${(((share - result.cpuIdle) / streams) * 1e6).toFixed(1)} µs/s`;
  const rows = [
    ['opening them', `${result.openSeconds.toFixed(1)} s`, `${(result.openSeconds * 1000 / streams).toFixed(2)} ms`],
    ['live heap (after a collection)', kib(result.heapPerStreamBytes * streams), kib(result.heapPerStreamBytes)],
    ['resident memory', kib(result.rssPerStreamBytes * streams), kib(result.rssPerStreamBytes)],
    ['CPU without streams', percent(result.cpuIdle), ''],
    ['CPU at rest (heartbeats, sessions, looks)', percent(result.cpuAtRest), perStream(result.cpuAtRest)],
    [`CPU while every place moves each second (${Math.round(result.eventsPerSecondMoving)} events/s)`, percent(result.cpuMoving), perStream(result.cpuMoving)],
    ['live heap while moving', kib(result.heapPerStreamMovingBytes * streams), kib(result.heapPerStreamMovingBytes)],
    [`CPU while all tickets are decided (${result.burstSeconds.toFixed(1)} s)`, percent(result.cpuInBurst), ''],
    [`CPU of the same crowd polling at \`pollAfterMs\` (${Math.round(result.pollsPerSecond)} polls/s)`, percent(result.cpuPolling), perStream(result.cpuPolling)],
  ];
  const ratio = (share: 'p50Ms' | 'p99Ms'): string => `${(result.byPolling[share] / result.byStream[share]).toFixed(1)} times`;
  return `# Event streams

${streams} shoppers, one API process, Node ${result.node}, ${result.cpus} CPUs that the clients, Redis, the database and the worker share; load average ${result.loadAverage.toFixed(1)} at the start.

| what | in all | per stream |
| --- | --- | --- |
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}

From the settlement of a ticket to the moment its shopper reads it:

| | p50 | p99 | tickets |
| --- | --- | --- | --- |
| stream | ${result.byStream.p50Ms} ms | ${result.byStream.p99Ms} ms | ${result.byStream.tickets} |
| polling at \`pollAfterMs\` | ${result.byPolling.p50Ms} ms | ${result.byPolling.p99Ms} ms | ${result.byPolling.tickets} |
| polling is later | ${ratio('p50Ms')} | ${ratio('p99Ms')} | |
`;
}
