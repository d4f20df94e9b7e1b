import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { RedisClock } from '../infra/clock/index.js';
import { date, execute, integer, inTransaction, nullable, select, text, type Row } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import { startNext } from './delivery.statements.js';
import type { DeliveriesDto, DeliveryDto } from './dto/webhook.answers.js';
import type { ListDeliveriesDto } from './dto/webhook.requests.js';
import { DELIVERY_STATUSES, eventType } from './event-types.js';
import { WebhookEndpoints } from './webhook-endpoints.js';

const PAGE = 50;
const BATCH = 1000;
const ID = /^[1-9]\d{0,18}$/;

/** What operators see of deliveries, and do about dead ones. Index throughout: ix_webhook_deliveries_status. */
@Injectable()
export class WebhookDeliveries {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly endpoints: WebhookEndpoints,
    private readonly clock: RedisClock,
  ) {}

  /** A page of an endpoint's deliveries, newest first. @throws DomainError WEBHOOK_NOT_FOUND */
  async list(webhookId: string, { status, cursor }: ListDeliveriesDto): Promise<DeliveriesDto> {
    await this.endpoints.mustExist(webhookId);
    const rows = await select(
      this.dataSource,
      `SELECT id, event_id, type, status, attempts, next_try_at, last_error, created_at, delivered_at FROM webhook_deliveries
        WHERE endpoint_id = ? AND status IN (?) ${cursor === undefined ? '' : 'AND id < ?'} ORDER BY id DESC LIMIT ${PAGE + 1}`,
      [webhookId, status === undefined ? DELIVERY_STATUSES : [status], ...(cursor === undefined ? [] : [cursor])],
    );
    const deliveries = rows.slice(0, PAGE).map(toDto);
    const last = deliveries.at(-1);
    return rows.length > PAGE && last ? { deliveries, nextCursor: last.id } : { deliveries };
  }

  /** Sends dead deliveries again, from their first try on: those given, or all. Others are left as they are. @throws DomainError WEBHOOK_NOT_FOUND */
  async replay(webhookId: string, deliveryIds?: string[]): Promise<number> {
    await this.endpoints.mustExist(webhookId);
    let replayed = 0;
    for (;;) {
      const changed = await execute(
        this.dataSource,
        `UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_try_at = ?
          WHERE endpoint_id = ? AND status = 'dead' ${deliveryIds ? 'AND id IN (?)' : ''} LIMIT ${BATCH}`,
        [new Date(this.clock.nowMs()), webhookId, ...(deliveryIds ? [deliveryIds] : [])],
      );
      replayed += changed;
      if (changed < BATCH) return replayed;
    }
  }

  /** Gives a dead delivery up for good; the next of its order or sale goes out. @throws DomainError WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND, DELIVERY_NOT_DEAD */
  async drop(webhookId: string, deliveryId: string): Promise<void> {
    await this.endpoints.mustExist(webhookId);
    if (!ID.test(deliveryId)) throw notFound();
    await inTransaction(this.dataSource, async (manager) => {
      const [row] = await select(manager, 'SELECT status, ordering_key FROM webhook_deliveries WHERE id = ? AND endpoint_id = ? FOR UPDATE', [deliveryId, webhookId]);
      if (!row) throw notFound();
      const status = text(row, 'status');
      if (status !== 'dead') throw new DomainError('DELIVERY_NOT_DEAD', `Only a dead delivery can be dropped; this one is ${status}.`);
      await execute(manager, 'DELETE FROM webhook_deliveries WHERE id = ?', [deliveryId]);
      await startNext(manager, { endpointId: webhookId, orderingKey: text(row, 'ordering_key') }, this.clock.nowMs());
    });
  }
}

const notFound = (): DomainError => new DomainError('DELIVERY_NOT_FOUND', 'This webhook has no such delivery.');

function toDto(row: Row): DeliveryDto {
  const optional = { nextTryAt: nullable(date, row, 'next_try_at')?.toISOString(), deliveredAt: nullable(date, row, 'delivered_at')?.toISOString(), lastError: nullable(text, row, 'last_error') ?? undefined };
  const status = DELIVERY_STATUSES.find((known) => known === text(row, 'status'));
  if (status === undefined) throw new TypeError('a delivery has an unknown status');
  return {
    id: text(row, 'id'),
    eventId: text(row, 'event_id'),
    type: eventType(text(row, 'type')),
    status,
    attempts: integer(row, 'attempts'),
    createdAt: date(row, 'created_at').toISOString(),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}
