import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { RedisClock } from '../infra/clock/index.js';
import { date, execute, inTransaction, mysqlCode, nullable, placeholders, select, text, type Executor, type Row } from '../infra/database/index.js';
import { reasonOf } from '../infra/errors.js';
import { Metrics } from '../infra/metrics/index.js';
import type { OutgoingEvent } from './event-types.js';
import { orderEvents } from './order-snapshots.js';
import { saleEvents } from './sale-events.js';

/** What one transaction writes at most, beyond its first event: shoppers' calls wait for the events it holds, and servers bound a statement's bytes. */
const [MOST_ROWS, MOST_BYTES] = [500, 1 << 20];
/** The database's word that a row is at fault, and not the moment. */
const ROW_FAULTS = new Set(['ER_DUP_ENTRY', 'ER_DATA_TOO_LONG', 'ER_TRUNCATED_WRONG_VALUE', 'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD', 'ER_WARN_DATA_OUT_OF_RANGE', 'ER_NET_PACKET_TOO_LARGE']);

interface Source {
  table: 'order_events' | 'sale_events';
  /** The column whose rows must keep their order. */
  of: 'order_id' | 'sale_id';
  /** Events looked at in one transaction. */
  batch: number;
  read: (manager: EntityManager, rows: Row[]) => Promise<OutgoingEvent[]>;
}
const SOURCES: Source[] = [
  { table: 'sale_events', of: 'sale_id', batch: 20, read: async (_, rows) => saleEvents(rows) },
  { table: 'order_events', of: 'order_id', batch: 500, read: orderEvents },
];

interface Endpoint {
  id: string;
  types: string[] | null;
  createdAt: Date;
}
/** An event as it will be sent. */
interface Written extends OutgoingEvent {
  payload: string;
  bytes: number;
}
interface NewDelivery {
  endpointId: string;
  event: Written;
  /** Whether nothing of its key has to arrive before it. */
  isFirst: boolean;
}

/** One of these rows is at fault. */
class Unwritable extends Error {
  constructor(readonly rows: Row[], cause: unknown) {
    super(reasonOf(cause), { cause });
  }
}

/**
 * Hands what happened to the endpoints that were there when it did: one delivery each, in the same transaction that marks the event.
 * The one row of webhook_dispatch lets one transaction at a time do so, because an order's later event must not overtake its earlier one.
 * Events are marked, not counted off by id: ids do not become visible in their order.
 */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger('Webhooks');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: RedisClock,
    private readonly metrics: Metrics,
  ) {}

  /** Hands on all that is there, batch by batch, for as long as `goOn` says so. What fails for one source does not hold up the other. */
  async dispatch(goOn: () => boolean = () => true): Promise<void> {
    const failures: unknown[] = [];
    for (const source of SOURCES) await this.handOn(source, goOn).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** Where a row is at fault, the events go one by one until it stands alone; it is given up then. */
  private async handOn(source: Source, goOn: () => boolean): Promise<void> {
    let limit = source.batch;
    while (goOn()) {
      try {
        if (!(await inTransaction(this.dataSource, (manager) => this.dispatchBatch(manager, source, limit)))) return;
      } catch (error) {
        if (!(error instanceof Unwritable)) throw error;
        const [row, ...others] = error.rows;
        if (row && others.length === 0) await this.giveUp(source, row, error);
        limit = others.length === 0 ? source.batch : 1;
      }
    }
  }

  /** Answers whether there may be more. */
  private async dispatchBatch(manager: EntityManager, source: Source, limit: number): Promise<boolean> {
    const mine = await select(manager, 'SELECT id FROM webhook_dispatch WHERE id = 1 FOR UPDATE SKIP LOCKED');
    if (mine.length === 0) return false;
    const { table } = source;
    const rows = await select(manager, `SELECT * FROM ${table} FORCE INDEX (ix_${table}_unpublished) WHERE published_at IS NULL ORDER BY id LIMIT ${limit}`);
    if (rows.length === 0) return false;
    // After the events, so that an endpoint registered before any of them is seen; shared, so that none of them is removed meanwhile.
    const endpoints = (await select(manager, `SELECT id, types, created_at FROM webhook_endpoints WHERE state = 'active' LOCK IN SHARE MODE`)).map(toEndpoint);
    const few = rows.slice(0, Math.max(1, Math.floor(MOST_ROWS / Math.max(1, endpoints.length))));
    const events = endpoints.length > 0 ? await written(manager, source, few) : new Map<string, Written>();
    const chosen = fitting(few, (row) => (events.get(eventIdOf(table, row))?.bytes ?? 0) * endpoints.length);
    const taken = await lockInOrder(manager, source, chosen);
    if (taken.length === 0) return false;
    const wanted = taken.flatMap((row) => {
      const event = events.get(eventIdOf(table, row));
      return event ? endpoints.filter((endpoint) => wants(endpoint, event)).map(({ id }) => ({ endpointId: id, event })) : [];
    });
    await insertDeliveries(manager, await inLanes(manager, wanted), new Date(this.clock.nowMs())).catch((error: unknown) => {
      throw ROW_FAULTS.has(mysqlCode(error) ?? '') ? new Unwritable(taken, error) : error;
    });
    await this.publish(manager, table, taken);
    return taken.length < rows.length ? taken.length === chosen.length : rows.length === limit;
  }

  /** An operator learns of it by the log and the metric; nobody else will. */
  private async giveUp({ table }: Source, row: Row, error: Unwritable): Promise<void> {
    await this.publish(this.dataSource, table, [row]);
    this.metrics.webhookEventsLost.inc({ source: table });
    this.logger.error({ eventId: eventIdOf(table, row), reason: error.message, msg: 'event given up: it can not be handed on' });
  }

  /** Nobody hands these on any more. Index: PRIMARY. */
  private async publish(manager: Executor, table: Source['table'], rows: Row[]): Promise<void> {
    await execute(manager, `UPDATE ${table} SET published_at = ? WHERE id IN (?)`, [new Date(this.clock.nowMs()), rows.map((row) => text(row, 'id'))]);
  }
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
async function inLanes(manager: EntityManager, wanted: { endpointId: string; event: Written }[]): Promise<NewDelivery[]> {
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
  for (let from = 0; from < deliveries.length;) {
    const rows = fitting(deliveries.slice(from, from + MOST_ROWS), ({ event }) => event.bytes);
    from += rows.length;
    await execute(
      manager,
      `INSERT INTO webhook_deliveries (endpoint_id, event_id, type, ordering_key, payload, status, next_try_at, created_at) VALUES ${placeholders(rows.length, 8)}`,
      rows.flatMap(({ endpointId, event, isFirst }) => [endpointId, event.id, event.type, event.orderingKey, event.payload, 'pending', isFirst ? now : null, now]),
    );
  }
}

/** The first of them that together have no more than MOST_BYTES, but one at least. */
function fitting<T>(all: T[], bytesOf: (one: T) => number): T[] {
  let bytes = 0;
  const end = all.findIndex((one, index) => (bytes += bytesOf(one)) > MOST_BYTES && index > 0);
  return end < 0 ? all : all.slice(0, end);
}

/** @throws Unwritable where a row can't be read, or makes a message that is too large */
async function written(manager: EntityManager, { read }: Source, rows: Row[]): Promise<Map<string, Written>> {
  let events: OutgoingEvent[];
  try {
    events = await read(manager, rows);
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) throw new Unwritable(rows, error);
    throw error;
  }
  return new Map(events.map((event) => {
    const payload = payloadOf(event);
    const bytes = Buffer.byteLength(payload);
    if (bytes > MOST_BYTES) throw new Unwritable(rows, new RangeError(`a message of ${bytes} bytes`));
    return [event.id, { ...event, payload, bytes }];
  }));
}

const payloadOf = ({ id, type, createdAt, data }: OutgoingEvent): string => JSON.stringify({ id, type, createdAt: createdAt.toISOString(), data });
