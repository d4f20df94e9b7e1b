import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { AuthApiModule, AuthModule } from './auth/index.js';
import { ConfigModule, type ProcessRole, type Settings } from './config/index.js';
import { GoodsModule } from './goods/index.js';
import { ClockModule } from './infra/clock/index.js';
import { DatabaseModule } from './infra/database/index.js';
import { HealthModule } from './infra/health/index.js';
import { HotRoutesModule } from './infra/http/index.js';
import { LockModule } from './infra/lock/index.js';
import { MetricsModule } from './infra/metrics/index.js';
import { QueueModule } from './infra/queue/index.js';
import { RedisModule } from './infra/redis/index.js';
import { OrderModule } from './order/index.js';
import { PagesModule } from './pages/index.js';
import { ReadinessModule } from './readiness/index.js';
import { RehearsalModule } from './rehearsal/index.js';
import { WebhooksModule } from './webhooks/index.js';

/** Puts together what the roles of this process need. */
@Module({})
export class AppModule {
  /** @param roles those of the settings, or others (the command line plays none) */
  static for(settings: Settings, roles: ProcessRole[] = settings.roles): DynamicModule {
    const infra = [ConfigModule.with(settings), RedisModule, DatabaseModule, ClockModule, LockModule, MetricsModule, QueueModule, HealthModule, HotRoutesModule];
    const forPeople = roles.includes('api') ? [AuthApiModule, PagesModule] : [AuthModule];
    const domain = [GoodsModule.for(roles), OrderModule.for(roles), WebhooksModule.for(roles), RehearsalModule.for(roles), ...(roles.includes('api') ? [ReadinessModule.for(roles)] : [])];
    return { module: AppModule, imports: [...infra, ScheduleModule.forRoot(), ...forPeople, ...domain] };
  }
}
