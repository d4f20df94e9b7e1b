import type { DataFolder } from './data-folder.mjs';

/** One private server: can be started, frozen, killed and started again on the same port and data. */
export interface Server {
  readonly port: number;
  readonly pid: number | undefined;
  readonly isRunning: boolean;
  readonly logFile: string;
  /** Starts it unless it runs, and waits until it serves. */
  start(): Promise<void>;
  /** Asks it to end in good order (SIGTERM), and waits for that. */
  stop(): Promise<void>;
  /** Sends a signal (default SIGKILL); with one that ends a process, waits for its end. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Connections stay open, nothing is answered any more. */
  freeze(): void;
  thaw(): void;
  /** The end of its log. */
  lastWords(): string;
}

export interface StartOptions {
  dataDir: string;
  /** 0 (default): any free one. */
  mysqlPort?: number;
  /** 0 (default): any free one. */
  redisPort?: number;
  /** The folder `dataDir`, where the caller has opened it already. */
  folder?: DataFolder;
  /** true (default): other commands of this machine may use the services. */
  announce?: boolean;
  /** how: `by SIGKILL`, `with exit code 1` */
  onUnexpectedExit?: (name: string, how: string) => void;
  log?: (line: string) => void;
}

export interface Services {
  readonly mysql: Server;
  readonly redis: Server;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly mysqlPid: number | undefined;
  readonly redisPid: number | undefined;
  /** Lets other commands of this machine use them, and tells where a service on them listens. */
  announce(service?: { host: string; port: number }): void;
  /** Stops both in good order, removes sockets and lock; the data stays. */
  stop(): Promise<void>;
}

export interface RedisNode extends Server {
  readonly url: string;
  /** Stops it and removes its socket; the data stays. */
  close(): Promise<void>;
}

/** Starts a private MariaDB and a private Redis, and waits until both serve. */
export function startServices(options: StartOptions): Promise<Services>;
/** The same without the one that is there already. */
export function startServices(options: StartOptions & { ownMysql?: boolean; ownRedis?: boolean }): Promise<Partial<Services> & Pick<Services, 'announce' | 'stop'>>;

/** One more Redis, for tests that need several (locks on independent nodes, a cluster). */
export function startRedisNode(options: { dataDir: string; port?: number; extraArgs?: string[] }): Promise<RedisNode>;
