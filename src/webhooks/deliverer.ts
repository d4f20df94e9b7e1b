import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectDataSource } from '@nestjs/typeorm';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { RedisClock } from '../infra/clock/index.js';
import { inTransaction, select, text } from '../infra/database/index.js';
import { reasonOf } from '../infra/errors.js';
import { Metrics } from '../infra/metrics/index.js';
import { claimDue, markDelivered, markFailed, type Claimed } from './delivery.statements.js';
import { RetrySchedule } from './retry-schedule.js';
import { TIMEOUT_MS, WebhookSender, type SendOutcome } from './webhook-sender.js';

const EVERY_MS = 500;
/** Messages under way to one endpoint from one process. */
const AT_ONCE = 8;
/** A claim outlives its request by far: who still has one to send after that was frozen, and lets it be. */
const CLAIM_MS = 30_000;
const LONGEST_REASON = 500;

interface Target {
  id: string;
  url: string;
  secret: string;
}

/**
 * Sends what is due. Each endpoint has its own loop, so that a slow one holds up nobody else. Every scheduler does this at the same time:
 * a claim keeps a delivery to one of them, and a process that dies leaves its claims to run out.
 */
@Injectable()
export class Deliverer implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly loops = new Map<string, Promise<void>>();
  private stopped = false;
  /** For how long a delivery is kept to this process, in milliseconds. */
  claimMs = CLAIM_MS;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sender: WebhookSender,
    private readonly retries: RetrySchedule,
    private readonly clock: RedisClock,
    private readonly metrics: Metrics,
  ) {}

  /** Starts a loop for each endpoint that has something due and no loop. Index: ix_webhook_deliveries_due. */
  @Interval(EVERY_MS)
  async run(): Promise<void> {
    try {
      const rows = await select(
        this.dataSource,
        `SELECT id, url, secret FROM webhook_endpoints w WHERE state = 'active' AND EXISTS
          (SELECT 1 FROM webhook_deliveries d FORCE INDEX (ix_webhook_deliveries_due) WHERE d.endpoint_id = w.id AND d.next_try_at <= ?)`,
        [new Date(this.clock.nowMs())],
      );
      for (const row of rows) this.start({ id: text(row, 'id'), url: text(row, 'url'), secret: text(row, 'secret') });
    } catch (error) {
      this.logger.warn({ reason: reasonOf(error), msg: 'deliveries put off' });
    }
  }

  /** Lets the requests in hand end. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.loops.values());
  }

  private start(target: Target): void {
    if (this.stopped || this.loops.has(target.id)) return;
    const loop = this.deliverTo(target)
      .catch((error: unknown) => this.logger.warn({ webhookId: target.id, reason: reasonOf(error), msg: 'deliveries put off' }))
      .finally(() => this.loops.delete(target.id));
    this.loops.set(target.id, loop);
  }

  /** Goes on until nothing is due and nothing is under way. */
  private async deliverTo(target: Target): Promise<void> {
    const underWay = new Set<Promise<void>>();
    try {
      for (;;) {
        for (const delivery of await this.claim(target, AT_ONCE - underWay.size)) {
          const sending = this.deliver(target, delivery).finally(() => underWay.delete(sending));
          underWay.add(sending);
        }
        if (underWay.size === 0) return;
        await Promise.race([...underWay, delay(EVERY_MS, undefined, { ref: false })]);
      }
    } finally {
      await Promise.all(underWay);
    }
  }

  /** Nothing for an endpoint that was deleted meanwhile. */
  private async claim(target: Target, limit: number): Promise<Claimed[]> {
    if (this.stopped || limit === 0) return [];
    return inTransaction(this.dataSource, async (manager) => {
      const active = await select(manager, `SELECT id FROM webhook_endpoints WHERE id = ? AND state = 'active'`, [target.id]);
      const nowMs = this.clock.nowMs();
      return active.length === 0 ? [] : claimDue(manager, target.id, limit, { nowMs, untilMs: nowMs + this.claimMs });
    });
  }

  /** Never throws: what can't be written down is tried again when the claim has run out. */
  private async deliver(target: Target, delivery: Claimed): Promise<void> {
    if (this.clock.nowMs() + TIMEOUT_MS > delivery.untilMs) return;
    const sent = await this.sender.send({ url: target.url, secret: target.secret, id: delivery.eventId, payload: delivery.payload });
    try {
      await this.writeDown(delivery, sent);
    } catch (error) {
      this.logger.warn({ webhookId: target.id, deliveryId: delivery.id, reason: reasonOf(error), msg: 'outcome of a delivery lost; it is sent again' });
    }
  }

  private async writeDown(delivery: Claimed, sent: SendOutcome): Promise<void> {
    if (sent.outcome === 'delivered') {
      await inTransaction(this.dataSource, (manager) => markDelivered(manager, delivery, this.clock.nowMs()));
      this.metrics.webhooks.inc({ outcome: 'delivered' });
      return;
    }
    // 410 Gone: the receiver will never want it.
    const pauseMs = sent.status === 410 ? null : this.retries.after(delivery.attempt);
    await markFailed(this.dataSource, delivery, sent.reason.slice(0, LONGEST_REASON), pauseMs === null ? null : this.clock.nowMs() + pauseMs);
    this.metrics.webhooks.inc({ outcome: pauseMs === null ? 'dead' : 'failed' });
    const fields = { webhookId: delivery.endpointId, deliveryId: delivery.id, eventId: delivery.eventId, attempt: delivery.attempt, reason: sent.reason };
    if (pauseMs === null) this.logger.warn({ ...fields, msg: 'delivery given up' });
    else this.logger.debug({ ...fields, pauseMs, msg: 'delivery failed' });
  }
}
