import { BullModule } from '@nestjs/bull';
import { Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import type { ProcessRole } from '../config/index.js';
import { GoodsModule } from '../goods/index.js';
import { SeckillModule } from '../seckill/index.js';
import { reservedPool } from '../infra/database/index.js';
import { perRoles } from '../infra/per-roles.js';
import { BatchDecision } from './batch-decision.js';
import { SaleClosingJob } from './closing/sale-closing.job.js';
import { SaleReports } from './closing/sale-report.reader.js';
import { DrainProcessor, DRAINS } from './drain.processor.js';
import { DrainSteps } from './drain-steps.js';
import { ExpiryProcessor } from './expiry.processor.js';
import { EXPIRY_QUEUE, ExpirySchedule } from './expiry.schedule.js';
import { IdempotencyStore } from './idempotency/idempotency.store.js';
import { SchedulerProbe, WorkerProbe } from './life-probes.js';
import { OrderCancelling } from './order-cancelling.js';
import { OrderClosing } from './order-closing.js';
import { OrderDesk } from './order-desk.js';
import { OrderHistory } from './order-history.js';
import { OrderRefunding } from './order-refunding.js';
import { OrderRelay } from './order-relay.js';
import { OrderReader } from './order.reader.js';
import { OrderRepository } from './order.repository.js';
import { OrderSearch } from './order-search.js';
import { OrdersExport } from './orders-export.js';
import { OrdersController } from './orders.controller.js';
import { OrderOperationsController } from './order-operations.controller.js';
import { paymentApiProviders, paymentSchedulerProviders, paymentVoidingProviders } from './payment/payment.providers.js';
import { WebhookController } from './payment/webhook.controller.js';
import { ProofService } from './proof.service.js';
import { RepairJob } from './repair.job.js';
import { SaleOperationsController } from './sale-operations.controller.js';
import { OrderCounting } from './stats/order-figures.js';
import { SaleSamples } from './stats/sale-samples.js';
import { SaleUnits } from './stats/sale-units.js';
import { SamplingJob } from './stats/sampling.job.js';
import { StatsReader } from './stats/stats.reader.js';
import { StockEditor } from './stock-editor.js';
import { SweepJob } from './sweep.job.js';
import { TokenBalancing } from './token-balancing.js';
import { TokenRepair } from './token-repair.js';
import { TokenTaking } from './token-taking.js';
import { UnloadedStock } from './unloaded-stock.js';

const EVERY_ROLE = [...paymentVoidingProviders, OrderClosing, OrderRelay, ExpirySchedule, ProofService, StatsReader, SaleUnits, OrderCounting, SaleSamples, StockEditor, UnloadedStock, TokenTaking, IdempotencyStore, SaleReports];
const API = [OrderReader, OrderSearch, OrderHistory, OrderDesk, OrderCancelling, OrderRefunding, OrdersExport, ...paymentApiProviders];
const SCHEDULER = [SaleClosingJob, SamplingJob, SweepJob, SchedulerProbe, TokenBalancing, TokenRepair, RepairJob, ...paymentSchedulerProviders];
/** A drain writes one batch while it prepares the next. */
const drainPool = reservedPool(2 * DRAINS);
const WORKER = [drainPool, OrderRepository, BatchDecision, DrainSteps, DrainProcessor, ExpiryProcessor, WorkerProbe];

/** What tickets become: orders over HTTP (api), the drain and the expiry (worker), the sweeps (scheduler). */
@Module({})
export class OrderModule {
  static readonly for = perRoles((roles) => OrderModule.build(roles));

  private static build(roles: ProcessRole[]): DynamicModule {
    const has = (role: ProcessRole): boolean => roles.includes(role);
    return {
      module: OrderModule,
      imports: [AuthModule, GoodsModule.for(roles), SeckillModule.for(roles), BullModule.registerQueue({ name: EXPIRY_QUEUE })],
      controllers: has('api') ? [OrdersController, WebhookController, SaleOperationsController, OrderOperationsController] : [],
      providers: [...new Set([...EVERY_ROLE, ...(has('api') ? API : []), ...(has('worker') ? WORKER : []), ...(has('scheduler') ? SCHEDULER : [])])],
      exports: [ProofService, SaleUnits, StatsReader],
    };
  }
}
