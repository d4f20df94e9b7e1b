import { Injectable } from '@nestjs/common';
import { RedisFitnessCheck, type RedisFitness } from '../../infra/redis/index.js';
import type { Finding } from '../finding.js';

/** Whether Redis keeps what it was told: in its memory, and over a restart. Of a cluster every master counts. */
@Injectable()
export class RedisKeeping {
  constructor(private readonly fitness: RedisFitnessCheck) {}

  async eviction(): Promise<Finding> {
    const servers = await this.servers();
    const policies = [...new Set(servers.map(({ evictionPolicy }) => evictionPolicy))];
    const figures = { policy: named(policies), maxMemoryBytes: Math.max(...servers.map(({ maxMemoryBytes }) => maxMemoryBytes)) };
    if (servers.some(({ evicts }) => evicts)) {
      return { status: 'failed', message: 'When its memory is full Redis throws keys away, and sales with them: set maxmemory-policy to noeviction.', figures };
    }
    if (policies.includes('')) return { status: 'warning', message: 'Redis does not say what it does when its memory is full: have it set to noeviction.', figures };
    if (policies.some((policy) => policy !== 'noeviction')) {
      return { status: 'failed', message: 'Redis would throw keys away as soon as its memory is limited: set maxmemory-policy to noeviction.', figures };
    }
    return { status: 'ok', message: 'Redis throws nothing away when its memory is full.', figures };
  }

  async persistence(): Promise<Finding> {
    const [servers, policies] = await Promise.all([this.servers(), this.fitness.fsyncPolicies()]);
    const appendonly = [...new Set(servers.map(({ appendOnly }) => appendOnly))];
    const figures = { appendonly: named(appendonly), appendfsync: named(policies) };
    if (appendonly.includes('no')) return { status: 'failed', message: 'Redis keeps no append-only file: places in line are lost whenever it restarts. Set appendonly to yes.', figures };
    if (!servers.every(({ lastWriteOk }) => lastWriteOk)) return { status: 'failed', message: 'Redis could not write its append-only file the last time it tried: look at its disk.', figures };
    if (appendonly.includes('')) return { status: 'warning', message: 'Redis does not say whether it writes an append-only file: have appendonly set to yes.', figures };
    if (policies.includes('no')) return { status: 'warning', message: 'Redis leaves it to the system when its file reaches the disk: set appendfsync to everysec.', figures };
    if (policies.includes('')) return { status: 'warning', message: 'Redis does not say how often its file reaches the disk: have appendfsync set to everysec.', figures };
    return { status: 'ok', message: `Redis writes an append-only file, which reaches the disk ${policies.includes('everysec') ? 'every second' : 'with every write'}.`, figures };
  }

  /** @throws Error while no master of a cluster is known */
  private async servers(): Promise<RedisFitness[]> {
    const servers = await this.fitness.look();
    if (servers.length === 0) throw new Error('no server is known');
    return servers;
  }
}

const named = (answers: string[]): string => answers.map((answer) => answer || 'unknown').join(', ');
