import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { RedisClock } from '../infra/clock/index.js';
import { date, execute, inTransaction, integer, nullable, placeholders, select, text, type Row } from '../infra/database/index.js';
import type { OutgoingEvent } from './event-types.js';
import { orderEvents } from './order-snapshots.js';
import { saleEvents } from './sale-events.js';

/** Events of one transaction, and the deliveries they may become in it: shoppers' calls must not wait long for the rows it locks. */
const [MOST_EVENTS, MOST_DELIVERIES] = [500, 2000];
/** What one statement may carry: far less than any server takes in one packet (`max_allowed_packet`), whatever the payloads are. */
const [ROWS_PER_STATEMENT, BYTES_PER_STATEMENT] = [500, 1024 * 1024];

interface Source {
  table: 'order_events' | 'sale_events';
  /** The column whose rows must keep their order. */
  of: 'order_id' | 'sale_id';
  read: (manager: EntityManager, rows: Row[]) => Promise<OutgoingEvent[]>;
}
const SOURCES: Source[] = [
  { table: 'sale_events', of: 'sale_id', read: async (_, rows) => saleEvents(rows) },
  { table: 'order_events', of: 'order_id', read: orderEvents },
];

interface Endpoint {
  id: string;
  types: string[] | null;
  createdAt: Date;
}
interface NewDelivery {
  endpointId: string;
  event: OutgoingEvent;
  /** Whether nothing of its key has to arrive before it. */
  isFirst: boolean;
}

/**
 * Hands what happened to the endpoints that were there when it did: one delivery each, in the same transaction that marks the event.
 * The one row of webhook_dispatch lets one transaction at a time do so, because an order's later event must not overtake its earlier one.
 * Events are marked, not counted off by id: ids do not become visible in their order.
 */
@Injectable()
export class Dispatcher {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: RedisClock,
  ) {}

  /** Hands on all that is there, batch by batch, for as long as `goOn` says so. A source that fails keeps the others from nothing. */
  async dispatch(goOn: () => boolean = () => true): Promise<void> {
    const failures: unknown[] = [];
    for (const source of SOURCES) {
      try {
        while (goOn() && (await inTransaction(this.dataSource, (manager) => this.dispatchBatch(manager, source)))) continue;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Answers whether there may be more. */
  private async dispatchBatch(manager: EntityManager, source: Source): Promise<boolean> {
    const mine = await select(manager, 'SELECT id FROM webhook_dispatch WHERE id = 1 FOR UPDATE SKIP LOCKED');
    if (mine.length === 0) return false;
    const { table } = source;
    const most = await mostEvents(manager);
    const rows = await select(manager, `SELECT * FROM ${table} FORCE INDEX (ix_${table}_unpublished) WHERE published_at IS NULL ORDER BY id LIMIT ${most}`);
    if (rows.length === 0) return false;
    // After the events, so that an endpoint registered before any of them is seen; shared, so that none of them is removed meanwhile.
    const endpoints = (await select(manager, `SELECT id, types, created_at FROM webhook_endpoints WHERE state = 'active' LOCK IN SHARE MODE`)).map(toEndpoint);
    const events = new Map((endpoints.length > 0 ? await source.read(manager, rows) : []).map((event) => [event.id, event]));
    const taken = await lockInOrder(manager, source, rows);
    if (taken.length === 0) return false;
    const wanted = taken.flatMap((row) => {
      const event = events.get(eventIdOf(table, row));
      return event ? endpoints.filter((endpoint) => wants(endpoint, event)).map(({ id }) => ({ endpointId: id, event })) : [];
    });
    await insertDeliveries(manager, await inLanes(manager, wanted), new Date(this.clock.nowMs()));
    await this.publish(manager, table, taken);
    return taken.length === most;
  }

  /** Nobody hands these on any more. Index: PRIMARY. */
  private async publish(manager: EntityManager, table: Source['table'], rows: Row[]): Promise<void> {
    await execute(manager, `UPDATE ${table} SET published_at = ? WHERE id IN (?)`, [new Date(this.clock.nowMs()), rows.map((row) => text(row, 'id'))]);
  }
}

async function mostEvents(manager: EntityManager): Promise<number> {
  const [row] = await select(manager, `SELECT COUNT(*) AS endpoints FROM webhook_endpoints WHERE state = 'active'`);
  const endpoints = row ? integer(row, 'endpoints') : 0;
  return Math.max(1, Math.min(MOST_EVENTS, Math.floor(MOST_DELIVERIES / Math.max(1, endpoints))));
}

const eventIdOf = (table: Source['table'], row: Row): string => `${table === 'order_events' ? 'evt_order_' : 'evt_sale_'}${text(row, 'id')}`;

const toEndpoint = (row: Row): Endpoint => ({ id: text(row, 'id'), types: nullable(text, row, 'types')?.split(',') ?? null, createdAt: date(row, 'created_at') });

const wants = ({ types, createdAt }: Endpoint, event: OutgoingEvent): boolean =>
  createdAt.getTime() <= event.createdAt.getTime() && (types === null || types.includes(event.type));

/**
 * Locks those rows that nobody else holds, and of each order only up to the first that somebody does (the relay to Redis locks them, too):
 * it waits for nobody, so it can be part of no deadlock, and passes over no event of an order. Index: PRIMARY.
 */
async function lockInOrder(manager: EntityManager, { table, of }: Source, rows: Row[]): Promise<Row[]> {
  const ids = rows.map((row) => text(row, 'id'));
  const locked = await select(manager, `SELECT id FROM ${table} FORCE INDEX (PRIMARY) WHERE id IN (?) FOR UPDATE SKIP LOCKED`, [ids]);
  const free = new Set(locked.map((row) => text(row, 'id')));
  const heldBack = new Set<string>();
  return rows.filter((row) => {
    if (!free.has(text(row, 'id'))) heldBack.add(text(row, of));
    return !heldBack.has(text(row, of));
  });
}

const laneOf = (endpointId: string, orderingKey: string): string => `${endpointId} ${orderingKey}`;

/**
 * Finds out which deliveries have an earlier one of their key still before them. Those earlier ones are locked: whoever settles one now
 * either has done so, or finds the new ones and sets them going. Index: ix_webhook_deliveries_lane.
 */
async function inLanes(manager: EntityManager, wanted: { endpointId: string; event: OutgoingEvent }[]): Promise<NewDelivery[]> {
  if (wanted.length === 0) return [];
  const keys = [...new Set(wanted.map(({ event }) => event.orderingKey))];
  const before = await select(
    manager,
    `SELECT endpoint_id, ordering_key FROM webhook_deliveries FORCE INDEX (ix_webhook_deliveries_lane)
      WHERE ordering_key IN (?) AND status <> 'delivered' FOR UPDATE`,
    [keys],
  );
  const taken = new Set(before.map((row) => laneOf(text(row, 'endpoint_id'), text(row, 'ordering_key'))));
  return wanted.map(({ endpointId, event }) => {
    const lane = laneOf(endpointId, event.orderingKey);
    const isFirst = !taken.has(lane);
    taken.add(lane);
    return { endpointId, event, isFirst };
  });
}

async function insertDeliveries(manager: EntityManager, deliveries: NewDelivery[], now: Date): Promise<void> {
  for (const rows of inStatements(deliveries)) {
    await execute(
      manager,
      `INSERT INTO webhook_deliveries (endpoint_id, event_id, type, ordering_key, payload, status, next_try_at, created_at) VALUES ${placeholders(rows.length, 8)}`,
      rows.flatMap(({ endpointId, event, payload, isFirst }) => [endpointId, event.id, event.type, event.orderingKey, payload, 'pending', isFirst ? now : null, now]),
    );
  }
}

/** Splits deliveries so that each statement keeps its bounds; one that is larger by itself goes alone. */
function inStatements(deliveries: NewDelivery[]): (NewDelivery & { payload: string })[][] {
  const statements: (NewDelivery & { payload: string })[][] = [];
  const payloads = new Map<OutgoingEvent, string>();
  let bytes = Infinity;
  for (const delivery of deliveries) {
    const payload = payloads.get(delivery.event) ?? payloadOf(delivery.event);
    payloads.set(delivery.event, payload);
    const size = Buffer.byteLength(payload);
    if (bytes + size > BYTES_PER_STATEMENT || (statements.at(-1)?.length ?? 0) >= ROWS_PER_STATEMENT) {
      statements.push([]);
      bytes = 0;
    }
    statements.at(-1)?.push({ ...delivery, payload });
    bytes += size;
  }
  return statements;
}

const payloadOf = ({ id, type, createdAt, data }: OutgoingEvent): string => JSON.stringify({ id, type, createdAt: createdAt.toISOString(), data });
