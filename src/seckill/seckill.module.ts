import { BullModule } from '@nestjs/bull';
import { Module, type DynamicModule } from '@nestjs/common';
import { AuthApiModule, AuthModule } from '../auth/index.js';
import { GoodsModule } from '../goods/index.js';
import { perRoles } from '../infra/per-roles.js';
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
import { StreamPlaces } from './streams/stream-places.js';
import { TicketEventsController } from './streams/ticket-events.controller.js';
import { TicketFollowing } from './streams/ticket-following.js';
import { TicketHints } from './streams/ticket-hints.js';
import { TicketStreams } from './streams/ticket-streams.js';
import { TicketsReader } from './streams/tickets.reader.js';
import { TicketController } from './ticket.controller.js';
import { TicketReader } from './ticket.reader.js';
import { TicketService } from './ticket.service.js';

const ASKING = [AdmissionService, HotTickets, JoinRefusal, SoldOutFlags, TicketReader, TicketService];
const FOLLOWING = [StreamPlaces, TicketFollowing, TicketHints, TicketsReader, TicketStreams];

/** The queue of a sale: what shoppers ask (api role) and the scripts' front that the drain works through (every role). */
@Module({})
export class SeckillModule {
  static readonly for = perRoles((roles) => SeckillModule.build(roles));

  private static build(roles: ProcessRole[]): DynamicModule {
    const api = roles.includes('api');
    return {
      module: SeckillModule,
      imports: [AuthModule, ...(api ? [AuthApiModule] : []), GoodsModule.for(roles), BullModule.registerQueue({ name: DRAIN_QUEUE })],
      controllers: api ? [JoinController, TicketController, TicketEventsController] : [],
      providers: [SeckillScripts, StockScripts, DrainSignal, SaleTally, ...(api ? [...ASKING, ...FOLLOWING] : [])],
      exports: [SeckillScripts, StockScripts, DrainSignal, SaleTally, BullModule],
    };
  }
}
