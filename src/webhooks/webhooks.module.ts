import { Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import type { ProcessRole } from '../config/index.js';
import { GoodsModule } from '../goods/index.js';
import { AddressGuard } from './address-guard.js';
import { Deliverer } from './deliverer.js';
import { Dispatcher } from './dispatcher.js';
import { EventsOutJob } from './events-out.job.js';
import { RetrySchedule } from './retry-schedule.js';
import { SaleEvents } from './sale-events.js';
import { WebhookCleaning } from './webhook-cleaning.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { WebhookEndpoints } from './webhook-endpoints.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhooksController } from './webhooks.controller.js';

const API = [AddressGuard, WebhookEndpoints, WebhookDeliveries];
const SCHEDULER = [AddressGuard, SaleEvents, Dispatcher, WebhookCleaning, EventsOutJob, RetrySchedule, WebhookSender, Deliverer];

/** Tells the merchant's own systems what happens to orders and sales: addresses over HTTP (api), events and their delivery (scheduler). */
@Module({})
export class WebhooksModule {
  static for(roles: ProcessRole[]): DynamicModule {
    const has = (role: ProcessRole): boolean => roles.includes(role);
    return {
      module: WebhooksModule,
      imports: [AuthModule, GoodsModule.for(roles)],
      controllers: has('api') ? [WebhooksController] : [],
      providers: [...new Set([...(has('api') ? API : []), ...(has('scheduler') ? SCHEDULER : [])])],
    };
  }
}
