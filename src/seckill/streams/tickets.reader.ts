import { Injectable } from '@nestjs/common';
import { parseTicket, saleKeys, type SaleShard, type TicketRecord } from '../../goods/index.js';
import { RedisConnections } from '../../infra/redis/index.js';
import type { LineStanding } from '../view-of-ticket.js';

/** Tickets read in one command, so that Redis is never held up for long. */
const CHUNK = 500;

/** Tickets of a shard, each with where the line stands for it; null for who has none. */
export type TicketsRead = Map<string, { ticket: TicketRecord; line: LineStanding } | null>;

/** Reads many tickets of a shard at once, in the background: over the work connection, so that they never stand before a shopper's call. */
@Injectable()
export class TicketsReader {
  constructor(private readonly redis: RedisConnections) {}

  /**
   * The tickets of these users; null while the shard's state does not stand: it is not loaded, is being built anew, or the server has
   * restarted and may have fallen back behind what was shown already.
   */
  async read(shard: SaleShard, userIds: readonly string[]): Promise<TicketsRead | null> {
    const read: TicketsRead = new Map();
    for (let from = 0; from < userIds.length; from += CHUNK) {
      // The line anew for each chunk, and first: what is not there after an epoch was seen is gone, and not yet to come.
      const line = await this.lineOf(shard);
      if (!line) return null;
      await this.readChunk(shard, userIds.slice(from, from + CHUNK), line, read);
    }
    return read;
  }

  /** Where the line stands; null while the state does not stand. */
  async lineOf(shard: SaleShard): Promise<LineStanding | null> {
    const [[epoch, runId, served, rate], current] = await Promise.all([
      this.redis.work.hmget(saleKeys.sale(shard), 'epoch', 'runId', 'served', 'rate'),
      this.redis.runIdOf('work'),
    ]);
    return epoch && runId === current ? { served: Number(served ?? 0), ratePerSecond: Number(rate ?? 0) } : null;
  }

  private async readChunk(shard: SaleShard, userIds: string[], line: LineStanding, into: TicketsRead): Promise<void> {
    const stored = await this.redis.work.hmget(saleKeys.status(shard), ...userIds);
    const standingBy: string[] = [];
    userIds.forEach((userId, index) => {
      const json = stored[index];
      const ticket = json === null || json === undefined ? null : parseTicket(json);
      if (ticket?.status === 'standby') standingBy.push(userId);
      into.set(userId, ticket && { ticket, line });
    });
    const ranks = await this.ranksOf(shard, standingBy);
    standingBy.forEach((userId, index) => {
      const entry = into.get(userId);
      // Its units are being written for who is in the line no more: nobody comes before.
      if (entry) into.set(userId, { ...entry, line: { ...line, standbyPosition: (ranks[index] ?? 0) + 1 } });
    });
  }

  private async ranksOf(shard: SaleShard, userIds: string[]): Promise<(number | null)[]> {
    if (userIds.length === 0) return [];
    const asked = this.redis.work.pipeline();
    for (const userId of userIds) asked.zrank(saleKeys.standby(shard), userId);
    return ((await asked.exec()) ?? []).map(([error, rank]) => {
      if (error) throw error;
      return typeof rank === 'number' ? rank : null;
    });
  }
}
