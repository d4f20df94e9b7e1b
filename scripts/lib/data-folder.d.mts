/** Where the servers are, and, where there is one, the service itself listens. */
export interface Places {
  databaseUrl?: string;
  redisUrl?: string;
  host?: string;
  port?: number;
}

/** A folder with the data of the private services; one process at a time may run services on it. */
export class DataFolder {
  private constructor(dir: string);
  static open(dir: string, say: (line: string) => void): Promise<DataFolder>;
  static tryOpen(dir: string, say: (line: string) => void): Promise<DataFolder | undefined>;
  readonly dir: string;
  readonly isClosed: boolean;
  readonly socketDir: string;
  record(name: string, pid: number): void;
  announce(places: Places): void;
  close(options?: { isUrgent?: () => boolean }): Promise<void>;
}

export function findRunningServices(dir: string, timeoutMs: number, say: (line: string) => void): Promise<Places | undefined>;
export function cleanUpAfterDeadOwner(dir: string, say: (line: string) => void): Promise<boolean>;
