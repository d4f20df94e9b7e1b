import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Cluster } from 'ioredis';
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
  /** It writes what it knows to a file as it goes (AOF). */
  persists: boolean;
}

/** Reads the answer to `INFO`. What it does not say counts as it should be: some hosts hide parts of it. */
export function readFitness(info: string): RedisFitness {
  const fields = new Map(info.split(/\r?\n/).map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
  const version = fields.get('redis_version') ?? '';
  const [major = NaN, minor = NaN] = version.split('.').map((part) => (part === '' ? NaN : Number(part)));
  return {
    version,
    isOld: major < OLDEST_REDIS.major || (major === OLDEST_REDIS.major && minor < OLDEST_REDIS.minor),
    evicts: Number(fields.get('maxmemory') ?? 0) > 0 && (fields.get('maxmemory_policy') ?? 'noeviction') !== 'noeviction',
    persists: (fields.get('aof_enabled') ?? '1') !== '0',
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

  /** Asks the server, or each master of a cluster, and says in the log what is not as it should be, once for as long as it stays so. */
  async look(): Promise<RedisFitness[]> {
    const { work } = this.connections;
    const nodes = work instanceof Cluster ? work.nodes('master') : [work];
    const found = await Promise.all(nodes.map(async (node) => readFitness(await node.info())));
    const faults = [...new Set(found.flatMap(faultsOf))];
    if (faults.join() !== this.said) for (const msg of faults) this.logger.warn({ version: found[0]?.version, msg });
    this.said = faults.join();
    return found;
  }
}

function faultsOf({ isOld, evicts, persists }: RedisFitness): string[] {
  return [
    ...(isOld ? ['this Redis is too old: scripts will fail'] : []),
    ...(evicts ? ['this Redis throws keys away when its memory is full, and sales with them: set maxmemory-policy to noeviction'] : []),
    ...(persists ? [] : ['this Redis keeps no append-only file: the places in line are lost whenever it restarts (set appendonly to yes)']),
  ];
}
