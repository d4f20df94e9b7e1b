import { parse } from 'dotenv';
import { existsSync, readFileSync } from 'node:fs';

/** The values of the `.env` file in the working folder, overridden by the process's environment. */
export function readEnvironment(): Record<string, string | undefined> {
  const fromFile = existsSync('.env') ? parse(readFileSync('.env')) : {};
  return { ...fromFile, ...process.env };
}
