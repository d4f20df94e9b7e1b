import { appendFileSync } from 'node:fs';
import type { Result } from './scenario.js';

/** Says what happened in one line, and keeps it for the table in docs/reliability.md when FAULT_RESULTS names a file. */
export function recordResult(result: Result): void {
  process.stderr.write(`${result.breaks.length === 0 ? 'held' : 'BROKEN'}  ${result.fault}, ${result.moment}: ${result.line}\n`);
  if (process.env.FAULT_RESULTS) appendFileSync(process.env.FAULT_RESULTS, `${JSON.stringify(result)}\n`);
}
