import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { v7 as uuid, validate } from 'uuid';
import { RedisClock } from '../infra/clock/index.js';
import { date, execute, inTransaction, integer, nullable, select, text, type Row } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import { AddressGuard } from './address-guard.js';
import type { ListedWebhookDto, NewWebhookDto, WebhookDto } from './dto/webhook.answers.js';
import type { CreateWebhookDto } from './dto/webhook.requests.js';
import { EVENT_TYPES, eventType } from './event-types.js';

const SECRET_BYTES = 32;
/** Each event is written once for each of them, while shoppers' calls may wait for its row. */
const MOST_ENDPOINTS = 50;

/** The addresses that events are sent to. */
@Injectable()
export class WebhookEndpoints {
  private readonly logger = new Logger('Webhooks');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly guard: AddressGuard,
    private readonly clock: RedisClock,
  ) {}

  /** Registers an address and answers its secret, this once. @throws DomainError WEBHOOK_URL_REFUSED, TOO_MANY_WEBHOOKS */
  async create({ url, types }: CreateWebhookDto, operatorId: string): Promise<NewWebhookDto> {
    await this.guard.check(url);
    const id = uuid();
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    const createdAt = new Date(this.clock.nowMs());
    await inTransaction(this.dataSource, async (manager) => {
      // Of two at once the second counts the first.
      await select(manager, 'SELECT id FROM webhook_dispatch WHERE id = 1 FOR UPDATE');
      const there = await select(manager, `SELECT id FROM webhook_endpoints WHERE state = 'active' LIMIT ${MOST_ENDPOINTS}`);
      if (there.length >= MOST_ENDPOINTS) throw new DomainError('TOO_MANY_WEBHOOKS', `There are ${MOST_ENDPOINTS} webhooks already, which is the most; delete one first.`);
      await execute(manager, `INSERT INTO webhook_endpoints (id, url, secret, types, state, created_at) VALUES (?, ?, ?, ?, 'active', ?)`, [
        id, url, secret, types?.join(',') ?? null, createdAt,
      ]);
    });
    this.logger.log({ webhookId: id, host: new URL(url).host, operatorId, msg: 'webhook registered' });
    return { id, url, types: types ?? [...EVENT_TYPES], secret, createdAt: createdAt.toISOString() };
  }

  /** All of them, with what waits and what was given up. Index: ix_webhook_deliveries_status. */
  async list(): Promise<ListedWebhookDto[]> {
    const count = (status: string): string => `(SELECT COUNT(*) FROM webhook_deliveries d WHERE d.endpoint_id = w.id AND d.status = '${status}')`;
    const rows = await select(
      this.dataSource,
      `SELECT w.id, w.url, w.types, w.created_at, ${count('pending')} AS pending, ${count('dead')} AS dead
         FROM webhook_endpoints w WHERE w.state = 'active' ORDER BY w.id`,
    );
    return rows.map((row) => ({ ...toDto(row), pending: integer(row, 'pending'), dead: integer(row, 'dead') }));
  }

  /** Nothing is sent there from now on but what is under way; its deliveries are removed in the background. @throws DomainError WEBHOOK_NOT_FOUND */
  async remove(id: string, operatorId: string): Promise<void> {
    await this.mustExist(id);
    await execute(this.dataSource, `UPDATE webhook_endpoints SET state = 'deleted', secret = '' WHERE id = ?`, [id]);
    this.logger.log({ webhookId: id, operatorId, msg: 'webhook deleted' });
  }

  /** @throws DomainError WEBHOOK_NOT_FOUND */
  async mustExist(id: string): Promise<void> {
    const rows = validate(id) ? await select(this.dataSource, `SELECT id FROM webhook_endpoints WHERE id = ? AND state = 'active'`, [id]) : [];
    if (rows.length === 0) throw new DomainError('WEBHOOK_NOT_FOUND', 'There is no such webhook.');
  }
}

function toDto(row: Row): WebhookDto {
  const types = nullable(text, row, 'types')?.split(',').map(eventType) ?? [...EVENT_TYPES];
  return { id: text(row, 'id'), url: text(row, 'url'), types, createdAt: date(row, 'created_at').toISOString() };
}
