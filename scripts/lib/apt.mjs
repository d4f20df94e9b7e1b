import { spawnSync } from 'node:child_process';
import { findOnPath } from './path.mjs';
import { run } from './run.mjs';

// The packages are wanted for their programs only: neither of these lets the distribution start its own services with them
// (the first is for systemd, the second for init scripts).
const APT_ENV = ['DEBIAN_FRONTEND=noninteractive', 'SYSTEMD_OFFLINE=1', 'RUNLEVEL=1'];

/** Whether packages can be installed here without asking anyone: apt, and root or sudo without a password. */
export function canInstall() {
  return Boolean(findOnPath('apt-get')) && rootPrefix() !== undefined;
}

/**
 * Installs, for each list of alternatives, the first package that this distribution has.
 *
 * @param {string[][]} wanted
 * @param {import('./console.mjs').Lines} lines
 * @returns {Promise<boolean>} whether it worked
 */
export async function aptInstall(wanted, lines) {
  let packages = choose(wanted);
  // Fresh machines come without lists, and old lists name files that are gone.
  if (packages && (await apt(lines, ['install', ...packages]))) return true;
  if (!(await apt(lines, ['update']))) return false;
  packages = choose(wanted);
  return packages !== undefined && apt(lines, ['install', ...packages]);
}

/** @param {string[][]} wanted @returns {string[] | undefined} */
function choose(wanted) {
  const chosen = wanted.flatMap((names) => names.find(isKnown) ?? []);
  return chosen.length === wanted.length ? chosen : undefined;
}

/** @param {string} name @returns {boolean} */
function isKnown(name) {
  const { stdout } = spawnSync('apt-cache', ['policy', name], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  return /Candidate: (?!\(none\))/.test(stdout ?? '');
}

/** @param {import('./console.mjs').Lines} lines @param {string[]} args @returns {Promise<boolean>} */
async function apt(lines, args) {
  const words = [...(rootPrefix() ?? []), 'env', ...APT_ENV, 'apt-get', '-y', '-q', '-o', 'DPkg::Lock::Timeout=120', '--no-install-recommends', ...args];
  lines.say(`Running apt-get ${args.join(' ')}`);
  const [command = 'env', ...rest] = words;
  return (await run(command, rest, { stdio: ['ignore', lines.fd, lines.fd] })) === 0;
}

/** @returns {string[] | undefined} what to put before a command to run it as root */
function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : undefined;
}
