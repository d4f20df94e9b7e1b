import { Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import type { ProcessRole } from '../config/index.js';
import { GoodsModule } from '../goods/index.js';
import { perRoles } from '../infra/per-roles.js';
import { OrderModule } from '../order/index.js';
import { RehearsalModule } from '../rehearsal/index.js';
import { SeckillModule } from '../seckill/index.js';
import { Clocks } from './checks/clocks.js';
import { LastRehearsal } from './checks/last-rehearsal.js';
import { RedisKeeping } from './checks/redis-keeping.js';
import { Roles } from './checks/roles.js';
import { Tokens } from './checks/tokens.js';
import { Readiness } from './readiness.js';
import { ReadinessController } from './readiness.controller.js';

/** Whether all is ready for a sale to open, for the api role. */
@Module({})
export class ReadinessModule {
  static readonly for = perRoles((roles) => ReadinessModule.build(roles));

  private static build(roles: ProcessRole[]): DynamicModule {
    return {
      module: ReadinessModule,
      imports: [AuthModule, GoodsModule.for(roles), SeckillModule.for(roles), OrderModule.for(roles), RehearsalModule.for(roles)],
      controllers: [ReadinessController],
      providers: [Readiness, Clocks, Tokens, RedisKeeping, Roles, LastRehearsal],
    };
  }
}
