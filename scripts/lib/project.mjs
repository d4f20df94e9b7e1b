import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './console.mjs';

const OLDEST_NODE = { major: 20, minor: 19 };

/** The project's folder, wherever a script was called from. */
export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** What `nest build` makes of `src/main.ts` and `src/cli/main.ts`. */
export const SERVICE_PROGRAM = 'dist/src/main.js';
export const CLI_PROGRAM = 'dist/src/cli/main.js';

/** npm only warns about `engines`; what breaks later with an older Node is hard to read. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE.major || (major === OLDEST_NODE.major && minor >= OLDEST_NODE.minor)) return;
  throw new SetupError(`Node ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or later is needed, this is ${process.versions.node}`);
}
