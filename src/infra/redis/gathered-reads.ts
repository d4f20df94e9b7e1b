import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { RedisClient } from './redis.connections.js';

/** Fields in one command, so that Redis is never held up for long. */
const MOST_FIELDS = 500;

type Values = (string | null)[];

interface Batch {
  fields: string[];
  values: Promise<Values>;
}

/**
 * Reads of hash fields, of which all that come up in one turn of the event loop for the same hash share one HMGET: a crowd's requests arrive
 * many to a turn, and a command for each costs this process and Redis more than the field (docs/decisions/0034). A batch that fails, fails
 * for all who are in it. The technique is that of DataLoader.
 * @see https://github.com/graphql/dataloader#batching
 */
export class GatheredReads {
  private readonly open = new Map<string, Batch>();

  constructor(private readonly client: RedisClient) {}

  /** A field of a hash, or null. What was written before the call is seen. @throws what the command throws */
  async hget(key: string, field: string): Promise<string | null> {
    const batch = this.open.get(key) ?? this.begin(key);
    const index = batch.fields.push(field) - 1;
    if (batch.fields.length === MOST_FIELDS) this.open.delete(key);
    return (await batch.values)[index] ?? null;
  }

  private begin(key: string): Batch {
    const fields: string[] = [];
    const batch = { fields, values: this.read(key, fields) };
    this.open.set(key, batch);
    return batch;
  }

  private async read(key: string, fields: string[]): Promise<Values> {
    await endOfTurn();
    if (this.open.get(key)?.fields === fields) this.open.delete(key);
    return this.client.hmget(key, ...fields);
  }
}
