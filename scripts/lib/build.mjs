import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, SERVICE_PROGRAM } from './project.mjs';
import { npmCommand, runStep } from './run.mjs';

const SOURCES = ['src', 'migrations', 'web', 'package-lock.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'];
/** Made by the build itself. */
const MADE = join('web', 'src', 'api', 'schema.d.ts');

/**
 * Builds `dist/` unless it was made from the very files that are there now.
 *
 * @param {import('./console.mjs').Lines} lines
 */
export async function ensureBuild(lines) {
  const stamp = join(projectRoot, 'dist', '.built-from');
  const now = fingerprint(projectRoot);
  if (existsSync(join(projectRoot, SERVICE_PROGRAM)) && readText(stamp) === now) return;
  lines.say('Building the service and the web pages');
  await runStep(lines, ...npmCommand(['run', '--silent', 'build:dist']));
  writeFileSync(stamp, now);
}

/**
 * Names, times and sizes of all sources. Unlike "is anything newer than the build", it also notices a file that is gone or has become
 * an older one.
 *
 * @param {string} root
 * @returns {string}
 */
export function fingerprint(root) {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((source) => listFiles(join(root, source)))) {
    if (file === join(root, MADE)) continue;
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest('hex');
}

/** @param {string} path @returns {string[]} */
function listFiles(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).sort().flatMap((name) => listFiles(join(path, name)));
}

/** @param {string} path @returns {string | undefined} */
function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
