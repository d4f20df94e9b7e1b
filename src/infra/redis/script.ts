import { readFileSync } from 'node:fs';
import type { RedisClient } from './redis.connections.js';

/** What a Lua script may answer. */
export type ScriptReply = string | number | null | ScriptReply[];
type Command = (...args: (string | number)[]) => Promise<unknown>;

const INCLUDE = /^--- @include "([a-z-]+)"$/gm;

/**
 * A Lua script kept in a file of its own; what several share stands in `includes/` beside it and is put in at `--- @include "name"`. It is
 * sent by its hash, and in full only where a server does not know it yet (ioredis falls back on NOSCRIPT), so a restart, a failover or
 * SCRIPT FLUSH costs one call.
 */
export class Script {
  private readonly lua: string;

  constructor(
    private readonly name: string,
    file: URL,
  ) {
    this.lua = readFileSync(file, 'utf8').replace(INCLUDE, (_line, name: string) => readFileSync(new URL(`includes/${name}.lua`, file), 'utf8'));
  }

  /** Runs the script on `client` with keys in KEYS and values in ARGV. */
  async run(client: RedisClient, keys: string[], args: (string | number)[]): Promise<ScriptReply> {
    return (await this.commandOf(client).call(client, keys.length, ...keys, ...args)) as ScriptReply;
  }

  private commandOf(client: RedisClient): Command {
    const known: unknown = Reflect.get(client, this.name);
    if (typeof known === 'function') return known as Command;
    client.defineCommand(this.name, { lua: this.lua });
    return Reflect.get(client, this.name) as Command;
  }
}

/** The reply as a list; a script that answers anything else broke its contract. */
export function asList(reply: ScriptReply | undefined): ScriptReply[] {
  if (Array.isArray(reply)) return reply;
  throw new TypeError('the script answered no list');
}

/** The reply as a text. */
export function asText(reply: ScriptReply | undefined): string {
  if (typeof reply === 'string') return reply;
  throw new TypeError('the script answered no text');
}

/** The reply as an integer, whether Redis gave it as a number or as digits. */
export function asInteger(reply: ScriptReply | undefined): number {
  const value = typeof reply === 'string' && reply !== '' ? Number(reply) : reply;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new TypeError('the script answered no integer');
}
