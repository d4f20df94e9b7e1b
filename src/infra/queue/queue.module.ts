import { Global, Module } from '@nestjs/common';
import { BullModule } from '@nestjs/bull';
import { RedisConnections, RedisModule } from '../redis/index.js';

/** One hash tag for all of Bull's keys, as Redis Cluster demands of its multi-key scripts. */
const PREFIX = '{seckill-bull}';

/** Where Bull keeps its jobs: the same Redis, on connections of its own. Finished jobs are not kept. */
@Global()
@Module({
  imports: [
    BullModule.forRootAsync({
      imports: [RedisModule],
      inject: [RedisConnections],
      useFactory: (connections: RedisConnections) => ({
        prefix: PREFIX,
        createClient: (type, options) =>
          connections.connect(`bull-${type}`, { ...options, maxRetriesPerRequest: null, enableReadyCheck: false }),
        defaultJobOptions: { removeOnComplete: true, removeOnFail: true, attempts: 1 },
      }),
    }),
  ],
})
export class QueueModule {}
