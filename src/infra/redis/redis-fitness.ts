import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Cluster, type Redis } from 'ioredis';
import { reasonOf } from '../errors.js';
import { within } from '../within.js';
import { RedisConnections } from './redis.connections.js';

/** The first that takes several values from a list, and a part of a sorted set by score, in one command each. */
export const OLDEST_REDIS = { major: 6, minor: 2 };
/** A server that does not answer for so long is not waited for: it is looked at when it can be reached. */
const PATIENCE_MS = 2000;

/** What a server says of itself (`INFO`), as far as the guarantees rest on it. */
export interface RedisFitness {
  version: string;
  isOld: boolean;
  /** When its memory is full it throws keys away to make room, stock and places in line among them. */
  evicts: boolean;
  /** What it does when its memory is full; empty where it does not say. */
  evictionPolicy: string;
  /** How much memory it may use, in bytes; 0: as much as there is. */
  maxMemoryBytes: number;
  /** Whether it writes what it knows to a file as it goes (AOF); empty where it does not say. */
  appendOnly: 'yes' | 'no' | '';
  /** The last write to that file went well. */
  lastWriteOk: boolean;
}

const APPEND_ONLY: Readonly<Record<string, 'yes' | 'no'>> = { 0: 'no', 1: 'yes' };

/** Reads the answer to `INFO`. What it does not say is no fault: some hosts hide parts of it. */
export function readFitness(info: string): RedisFitness {
  const fields = new Map(info.split(/\r?\n/).map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
  const version = fields.get('redis_version') ?? '';
  const [major = NaN, minor = NaN] = version.split('.').map((part) => (part === '' ? NaN : Number(part)));
  const maxMemoryBytes = Number(fields.get('maxmemory') ?? 0);
  const evictionPolicy = fields.get('maxmemory_policy') ?? '';
  return {
    version,
    isOld: major < OLDEST_REDIS.major || (major === OLDEST_REDIS.major && minor < OLDEST_REDIS.minor),
    evicts: maxMemoryBytes > 0 && !['', 'noeviction'].includes(evictionPolicy),
    evictionPolicy,
    maxMemoryBytes,
    appendOnly: APPEND_ONLY[fields.get('aof_enabled') ?? ''] ?? '',
    lastWriteOk: (fields.get('aof_last_write_status') ?? 'ok') === 'ok',
  };
}

/**
 * Looks at every server that the process connects to: at the start, and again at each new connection, since behind the same address another
 * server may have taken over.
 */
@Injectable()
export class RedisFitnessCheck implements OnModuleInit {
  private readonly logger = new Logger('Redis');
  private said = '';

  constructor(private readonly connections: RedisConnections) {}

  /** @throws Error when the server can be reached and is too old for the scripts */
  async onModuleInit(): Promise<void> {
    const found = await within(PATIENCE_MS, this.look(), () => new Error('no answer yet')).catch((error: unknown) => {
      this.logger.warn({ reason: reasonOf(error), msg: 'redis not looked at yet' });
      return [];
    });
    this.connections.work.on('ready', () => void this.look().catch((error: unknown) => this.logger.warn({ reason: reasonOf(error), msg: 'redis not looked at' })));
    const old = found.find(({ isOld }) => isOld);
    if (old) throw new Error(`Redis ${old.version} is too old: ${OLDEST_REDIS.major}.${OLDEST_REDIS.minor} or later is needed`);
  }

  /** How often the servers bring their files to disk (`appendfsync`), each policy once; empty for one that does not say. */
  async fsyncPolicies(): Promise<string[]> {
    const answers = await Promise.all(this.nodes.map((node) => node.config('GET', 'appendfsync').catch(() => [])));
    return [...new Set(answers.map((answer) => (Array.isArray(answer) && typeof answer[1] === 'string' ? answer[1] : '')))];
  }

  private get nodes(): Redis[] {
    const { work } = this.connections;
    return work instanceof Cluster ? work.nodes('master') : [work];
  }

  /** Asks the server, or each master of a cluster, and says in the log what is not as it should be, once for as long as it stays so. */
  async look(): Promise<RedisFitness[]> {
    const found = await Promise.all(this.nodes.map(async (node) => readFitness(await node.info())));
    const faults = [...new Set(found.flatMap(faultsOf))];
    if (faults.join() !== this.said) for (const msg of faults) this.logger.warn({ version: found[0]?.version, msg });
    this.said = faults.join();
    return found;
  }
}

function faultsOf({ isOld, evicts, appendOnly }: RedisFitness): string[] {
  return [
    ...(isOld ? ['this Redis is too old: scripts will fail'] : []),
    ...(evicts ? ['this Redis throws keys away when its memory is full, and sales with them: set maxmemory-policy to noeviction'] : []),
    ...(appendOnly === 'no' ? ['this Redis keeps no append-only file: the places in line are lost whenever it restarts (set appendonly to yes)'] : []),
  ];
}
