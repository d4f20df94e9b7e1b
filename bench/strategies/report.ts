import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { BASELINE, type Row } from './summary.js';

export interface Circumstances {
  requests: number;
  connections: number;
  shoppers: number;
  stock: number;
  rounds: number;
  database: string;
  redis: string;
  measuredAt: Date;
}

const HEAD = ['technique', 'from', 'orders in', 'sold', 'oversold', 'left over', 'bought twice', 'sent away', 'requests/s', `× ${BASELINE}`, 'p99 ms', 'all done ms', 'CPU µs/request', 'stores µs/request'];
const MARKED = /(<!-- written by the strategies lab -->\n)[^]*(<!-- end -->)/;

/** The table with a line on how it came about, as Markdown. */
export function toMarkdown(rows: readonly Row[], circumstances: Circumstances): string {
  const lines = [HEAD, HEAD.map((_, column) => (column < 3 ? '---' : '--:')), ...rows.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |`);
  return `${introduction(circumstances)}\n\n${lines.join('\n')}\n`;
}

function introduction({ requests, connections, shoppers, stock, rounds, database, redis, measuredAt }: Circumstances): string {
  const [cpu] = cpus();
  return (
    `${requests.toLocaleString('en')} requests over ${connections} connections by ${shoppers.toLocaleString('en')} shoppers (${(requests - shoppers).toLocaleString('en')} of whom click twice), stock ${stock}; ` +
    `medians of ${rounds} interleaved rounds, in brackets the worst round. ` +
    `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}) for load, servers, database and Redis together; Node ${process.versions.node}, ${database}, Redis ${redis}; ${measuredAt.toISOString().slice(0, 10)}.`
  );
}

function cellsOf(row: Row): string[] {
  const count = (value: number, worst: number): string => (value === worst ? String(value) : `${value} (${worst})`);
  return [
    row.title, row.source, row.ordersIn, String(row.sold), count(row.oversold, row.mostOversold), count(row.left, row.mostLeft), count(row.duplicates, row.mostDuplicates),
    whole(row.sentAway), whole(row.requestsPerSecond), row.ratio === null ? '–' : row.ratio.toFixed(1), whole(row.p99Ms), whole(row.doneMs), whole(row.cpuUsPerRequest), whole(row.storeCpuUsPerRequest),
  ];
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** Puts the table in its place in a document. @throws when the document has no such place */
export function writeIntoDocument(document: string, markdown: string): void {
  const text = readFileSync(document, 'utf8');
  if (!MARKED.test(text)) throw new Error(`${document} has no place for the table`);
  writeFileSync(document, text.replace(MARKED, (_, begin: string, end: string) => `${begin}\n${markdown}\n${end}`));
}
