import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis, type Cluster, type RedisOptions } from 'ioredis';
import { Settings } from '../../config/index.js';
import { BoundedCluster } from './bounded-cluster.js';
import { GatheredReads } from './gathered-reads.js';
import { inOneWrite } from './one-write.js';

export type RedisClient = Redis | Cluster;

const COMMON: RedisOptions = {
  connectTimeout: 2000,
  // How long a socket that does not close by itself may keep a stopping process.
  disconnectTimeout: 200,
  keepAlive: 5000,
  maxRetriesPerRequest: null,
  retryStrategy: (attempt) => Math.min(attempt * 50, 500),
};

/** On the request path nothing queues while Redis is away: a command fails at once, or after this time. */
const REQUEST_TIMEOUT_MS = 800;
/** Background work may wait longer, but never for ever. */
const WORK_TIMEOUT_MS = 5000;

/**
 * The Redis connections of the process, each for one kind of traffic, so that a long answer to a worker never
 * stands before a shopper's join. `request` refuses to queue while Redis is away; `work` is for jobs; `subscriber` for pub/sub.
 */
@Injectable()
export class RedisConnections implements OnApplicationShutdown {
  private readonly logger = new Logger('Redis');
  private readonly open: RedisClient[] = [];
  private readonly runIds = new Map<RedisClient, Promise<string>>();
  readonly request: RedisClient;
  readonly work: RedisClient;
  readonly subscriber: RedisClient;
  /** Over `request`. */
  readonly reads: GatheredReads;

  constructor(private readonly settings: Settings) {
    this.request = this.connect('request', { enableOfflineQueue: false, commandTimeout: REQUEST_TIMEOUT_MS });
    if (this.request instanceof Redis) inOneWrite(this.request);
    this.reads = new GatheredReads(this.request);
    this.work = this.connect('work', { commandTimeout: WORK_TIMEOUT_MS });
    // Its ready check (INFO) would be refused once it subscribes.
    this.subscriber = this.connect('subscriber', { enableReadyCheck: false });
  }

  /** Opens one more connection with the process's address and manners; it is closed at shutdown with the others. */
  connect(name: string, options: RedisOptions): RedisClient {
    return this.adopt(name, openRedis(this.settings, { ...COMMON, ...options }));
  }

  /** The same for a server outside the main Redis, such as one node of a lock quorum. */
  connectTo(url: string, name: string, options: RedisOptions): Redis {
    return this.adopt(name, new Redis(url, { ...COMMON, ...options }));
  }

  private adopt<T extends RedisClient>(name: string, client: T): T {
    let lastMessage = '';
    client.on('error', (error: Error) => {
      if (error.message !== lastMessage) this.logger.warn({ connection: name, reason: error.message, msg: 'redis connection failed' });
      lastMessage = error.message;
    });
    client.on('ready', () => {
      lastMessage = '';
    });
    client.on('close', () => this.runIds.delete(client));
    this.open.push(client);
    return client;
  }

  /**
   * Run id of the server that a connection leads to. It changes when Redis restarts or another server takes over, and then what the server
   * knows may be older than what it knew. Asked once per connection; empty for a cluster, where each node has its own.
   */
  runIdOf(name: 'request' | 'work'): Promise<string> {
    const client = this[name];
    const known = this.runIds.get(client);
    if (known) return known;
    const asked = client instanceof Redis ? client.info('server').then((info) => /^run_id:(\w+)/m.exec(info)?.[1] ?? '') : Promise.resolve('');
    this.runIds.set(client, asked);
    asked.catch(() => this.runIds.delete(client));
    return asked;
  }

  onApplicationShutdown(): void {
    for (const client of this.open) client.disconnect();
  }
}

/** A client for the single server, the sentinels or the cluster that the settings name. */
export function openRedis(settings: Settings, options: RedisOptions): RedisClient {
  if (settings.REDIS_CLUSTER_NODES?.length) {
    // The queue of the cluster is meant, not those of its nodes: without these the slots would not be looked up again (redis/ioredis 581).
    const { enableOfflineQueue = true, ...redisOptions } = options;
    return new BoundedCluster(settings.REDIS_CLUSTER_NODES.map(toNode), { enableOfflineQueue, redisOptions });
  }
  if (settings.REDIS_SENTINELS?.length && settings.REDIS_SENTINEL_NAME) {
    return new Redis({ ...options, sentinels: settings.REDIS_SENTINELS.map(toNode), name: settings.REDIS_SENTINEL_NAME });
  }
  return new Redis(settings.REDIS_URL, options);
}

function toNode(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
}
