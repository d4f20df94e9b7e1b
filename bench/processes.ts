import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const STOP_MS = 10_000;
const canPin = spawnSync('taskset', ['--version']).status === 0 && availableParallelism() > 1;
const lastCore = availableParallelism() - 1;
/** The process under test has the last core for itself; load generator and servers share the others. */
export const CORES = canPin ? { tested: String(lastCore), others: lastCore === 1 ? '0' : `0-${lastCore - 1}` } : undefined;

/** Nanoseconds of CPU that all threads of a process have used; threads that ended no longer count. */
export function cpuNs(pid: number): number {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The thread ended between the two calls.
    }
  }
  return sum;
}

/** Keeps a process, with its threads, on some cores; without effect where the machine has one core or no taskset. */
export function pin(pid: number, cores: string | undefined): void {
  if (cores !== undefined) spawnSync('taskset', ['-a', '-c', '-p', cores, String(pid)]);
}

export interface StartPlan {
  program: string;
  args?: string[];
  nodeArgs?: string[];
  env?: NodeJS.ProcessEnv;
  cores?: string | undefined;
  logFile: string;
}

/** A Node process that the benchmark has started. */
export class NodeProcess {
  private constructor(private readonly child: ChildProcess) {
    // Whatever ends the benchmark, nothing that it started stays behind.
    process.once('exit', () => this.isRunning && child.kill('SIGKILL'));
  }

  static start({ program, args = [], nodeArgs = [], env = {}, cores, logFile }: StartPlan): NodeProcess {
    const log = openSync(logFile, 'a');
    const command = [process.execPath, ...nodeArgs, program, ...args];
    const [first = process.execPath, ...rest] = cores === undefined ? command : ['taskset', '-c', cores, ...command];
    return new NodeProcess(spawn(first, rest, { env: { ...process.env, ...env }, stdio: ['ignore', log, log] }));
  }

  /** taskset becomes the program that it starts, so this is the program's own. */
  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the process was not started');
    return this.child.pid;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const hard = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(hard);
  }
}
