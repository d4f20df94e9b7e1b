import { readFileSync } from 'node:fs';

/** What Linux counts CPU time in, for programs: `getconf CLK_TCK` answers 100 on all of its usual builds. */
const TICK_MS = 10;

/** CPU time that these processes have used so far, all of their threads and the kernel's work for them included. Steps of 10 ms. */
export function cpuMsOf(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + ticksOf(pid), 0) * TICK_MS;
}

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in brackets, and may hold anything; what follows it begins with field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [fields[11], fields[12]];
  return Number(user) + Number(system);
}
