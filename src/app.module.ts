import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { ConfigModule, type Settings } from './config/index.js';
import { ClockModule } from './infra/clock/index.js';
import { DatabaseModule } from './infra/database/index.js';
import { HealthModule } from './infra/health/health.module.js';
import { LockModule } from './infra/lock/index.js';
import { MetricsModule } from './infra/metrics/index.js';
import { QueueModule } from './infra/queue/index.js';
import { RedisModule } from './infra/redis/index.js';

/** Puts together what the roles of this process need. */
@Module({})
export class AppModule {
  static for(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [ConfigModule.with(settings), RedisModule, DatabaseModule, ClockModule, LockModule, MetricsModule, QueueModule, HealthModule, ScheduleModule.forRoot()],
    };
  }
}
