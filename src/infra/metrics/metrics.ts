import { Controller, Get, Header, Injectable, Module, Global } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The process's Prometheus registry and the few figures that say how a sale goes. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  readonly joins = this.counter('seckill_joins_total', 'Joins by outcome (queued, reserved or the code of the refusal)', ['outcome']);
  readonly decided = this.counter('seckill_tickets_decided_total', 'Tickets the drain decided, by outcome', ['outcome']);
  readonly closed = this.counter('seckill_orders_closed_total', 'Orders that left awaiting_payment, by status', ['status']);
  readonly repairs = this.counter('seckill_sweep_findings_total', 'What the sweeps found forgotten and set going again', ['kind']);
  readonly webhooks = this.counter('seckill_webhook_tries_total', 'Tries to deliver an event, by outcome (delivered, failed: tried again later, dead: given up)', ['outcome']);
  readonly webhookEventsLost = this.counter('seckill_webhook_events_lost_total', 'Events that could be handed to no endpoint and were given up, by source', ['source']);
  readonly refunds = this.counter('seckill_refunds_total', 'Refunds by outcome (done, failed: there will be another, given_up: an operator has to see to it)', ['outcome']);
  readonly streams = new Gauge({ name: 'seckill_ticket_streams', help: 'Event streams of tickets that are open', registers: [this.registry] });
  readonly streamsEnded = this.counter('seckill_ticket_streams_ended_total', 'Event streams of tickets that ended, by reason', ['reason']);
  readonly batchSeconds = new Histogram({
    name: 'seckill_drain_batch_seconds',
    help: 'Time from a claim to its settlement',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  private counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}

@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  scrape(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}

@Global()
@Module({ providers: [Metrics], controllers: [MetricsController], exports: [Metrics] })
export class MetricsModule {}
