import { BullModule } from '@nestjs/bull';
import { Module, type DynamicModule } from '@nestjs/common';
import { AuthApiModule, AuthModule } from '../auth/index.js';
import { GoodsModule } from '../goods/index.js';
import type { ProcessRole } from '../config/index.js';
import { AdmissionService } from './admission.service.js';
import { DRAIN_QUEUE, DrainSignal } from './drain-signal.js';
import { HotTickets } from './hot-tickets.js';
import { JoinRefusal } from './join-refusal.js';
import { JoinController } from './join.controller.js';
import { SaleTally } from './sale-tally.js';
import { SeckillScripts } from './seckill.scripts.js';
import { SoldOutFlags } from './sold-out-flags.js';
import { StockScripts } from './stock.scripts.js';
import { TicketController } from './ticket.controller.js';
import { TicketService } from './ticket.service.js';

/** The queue of a sale: what shoppers ask (api role) and the scripts' front that the drain works through (every role). */
@Module({})
export class SeckillModule {
  static for(roles: ProcessRole[]): DynamicModule {
    const api = roles.includes('api');
    return {
      module: SeckillModule,
      imports: [AuthModule, ...(api ? [AuthApiModule] : []), GoodsModule.for(roles), BullModule.registerQueue({ name: DRAIN_QUEUE })],
      controllers: api ? [JoinController, TicketController] : [],
      providers: [SeckillScripts, StockScripts, DrainSignal, SaleTally, ...(api ? [AdmissionService, JoinRefusal, SoldOutFlags, TicketService, HotTickets] : [])],
      exports: [SeckillScripts, StockScripts, DrainSignal, SaleTally, BullModule],
    };
  }
}
