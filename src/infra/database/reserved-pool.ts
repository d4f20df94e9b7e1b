import type { FactoryProvider, OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { openPool } from './connection-pool.js';

/**
 * Connections for work that a whole line waits for. A pool hands its connections out in the order of the asking, so in the pool of the
 * process each batch of orders would stand behind every request of a crowd (docs/decisions/0027).
 */
export class ReservedPool implements OnApplicationShutdown {
  constructor(readonly dataSource: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}

/** Provides a pool of at most so many connections to the database of the process; they are opened when they are first needed. */
export const reservedPool = (connections: number): FactoryProvider<ReservedPool> => ({
  provide: ReservedPool,
  inject: [DataSource],
  useFactory: async (main: DataSource) => new ReservedPool(await openPool({ ...main.options, poolSize: connections } as DataSource['options'])),
});
