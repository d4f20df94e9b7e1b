import type { Spread } from '../statistics.js';

/** What one opening of a page showed. Times from the navigation on. */
export interface Opening {
  firstPaintMs: number;
  /** When the largest part of the page stood: for the shop's sale its heading or picture, for the console's its charts. */
  largestPaintMs: number;
  /** Cumulative layout shift; 0 is none. */
  layoutShift: number;
  requests: number;
  /** As sent, compressed, with headers. */
  bytes: number;
  scriptBytes: number;
}

export interface PageFigures {
  page: string;
  network: string;
  firstPaintMs: Spread;
  largestPaintMs: Spread;
  layoutShift: number;
  requests: number;
  bytes: number;
  scriptBytes: number;
}

export interface Result {
  node: string;
  browser: string;
  cpus: number;
  loadAverage: number;
  rounds: number;
  networks: Record<string, string>;
  figures: PageFigures[];
}

const FLOOR = 'bare page';

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;
const ms = ({ median, min, max }: Spread): string => `${median.toFixed(0)} ms (${min.toFixed(0)} to ${max.toFixed(0)})`;

/** The report for people. */
export function asMarkdown({ figures, networks, ...around }: Result): string {
  const bare = (network: string): number => figures.find((one) => one.page === FLOOR && one.network === network)?.firstPaintMs.median ?? NaN;
  const rows = figures.map((one) => [
    one.page, one.network, ms(one.firstPaintMs), `${(one.firstPaintMs.median / bare(one.network)).toFixed(1)} ×`, ms(one.largestPaintMs), one.layoutShift.toFixed(3),
    kib(one.bytes), kib(one.scriptBytes), String(one.requests),
  ]);
  return `# The web pages

Each page opened ${around.rounds} times with an empty cache, in turns, in ${around.browser} (headless) on ${around.cpus} CPUs that browser and service share, Node ${around.node}, load average ${around.loadAverage.toFixed(1)} at the start. Medians, with the least and the most. The ${FLOOR} is one line of HTML from a bare Node server: what browser and network take by themselves.

${Object.entries(networks).map(([name, text]) => `- *${name}*: ${text}`).join('\n')}

| page | on | first paint | of the ${FLOOR} | largest paint | layout shift | bytes | of them scripts | requests |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}
`;
}
