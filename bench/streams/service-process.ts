import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** How long one may take to stop before it is killed. */
const STOP_MS = 10_000;

/** What a process of the service has used up, and holds, at one moment. */
export interface Usage {
  atMs: number;
  cpuSeconds: number;
  /** Live heap, after a collection. */
  heapBytes: number;
  /** All that the system has given it. */
  rssBytes: number;
}

/** Collects its garbage and says what is left, when it is asked to. */
const ON_ASKED = `process.on('SIGUSR2', () => { globalThis.gc(); const { heapUsed, rss } = process.memoryUsage(); const { user, system } = process.cpuUsage();
console.error('usage ' + JSON.stringify({ heapBytes: heapUsed, rssBytes: rss, cpuSeconds: (user + system) / 1e6 })); });`;

/** One real process of the service, built before. */
export class ServiceProcess {
  private asked: ((usage: Usage) => void) | undefined;

  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
  ) {}

  private static readonly all = new Set<ChildProcess>();

  /** Ends all of them, also those that do not serve yet. */
  static async stopAll(): Promise<void> {
    await Promise.all([...ServiceProcess.all].map(end));
  }

  /** Starts it and waits until it serves. */
  static async start(env: Record<string, string>): Promise<ServiceProcess> {
    const child = spawn(process.execPath, ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(ON_ASKED)}`, 'dist/src/main.js'], {
      env: { ...process.env, ...env, PORT: '0', DEMO: '0', LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    ServiceProcess.all.add(child);
    child.once('exit', () => ServiceProcess.all.delete(child));
    const address = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /"address":"([^"]+)".*"msg":"ready"/.exec(line)?.[1];
        if (found) resolve(found);
      });
      child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
    });
    const started = new ServiceProcess(child, address);
    createInterface({ input: child.stderr }).on('line', (line) => started.hear(line));
    return started;
  }

  usage(): Promise<Usage> {
    return new Promise((resolve) => {
      this.asked = resolve;
      this.child.kill('SIGUSR2');
    });
  }

  /** Without a collection, which costs CPU itself: what it has used up over the time in which `work` runs, in seconds of CPU a second. */
  async load(work: () => Promise<void>): Promise<{ cpuShare: number; seconds: number; before: Usage; after: Usage }> {
    const before = await this.usage();
    // What the collection took belongs to the measurement, not to the streams: it is over before the clock starts.
    const from = await this.cpuSeconds();
    const fromMs = performance.now();
    await work();
    const seconds = (performance.now() - fromMs) / 1000;
    const cpuShare = ((await this.cpuSeconds()) - from) / seconds;
    return { cpuShare, seconds, before, after: await this.usage() };
  }

  stop(): Promise<void> {
    return end(this.child);
  }

  private async cpuSeconds(): Promise<number> {
    const text = await (await fetch(`${this.address}/metrics`)).text();
    return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
  }

  private hear(line: string): void {
    if (!line.startsWith('usage ')) return void process.stderr.write(`${line}\n`);
    this.asked?.({ ...(JSON.parse(line.slice(6)) as Omit<Usage, 'atMs'>), atMs: performance.now() });
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(hard);
}
