import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Preloader, SaleReader, shardsOf, type Sale } from '../goods/index.js';
import { integer, select, text, type Row } from '../infra/database/index.js';
import { StockScripts, type TokenPlaces } from '../seckill/index.js';
import type { ProofView } from './dto/proof.view.js';
import { committedMoves } from './token-moves.statements.js';
import { stillOdd, TokenLedger, type OddToken } from './token-proof.js';

const PAGE = 20_000;
/** A token may be between two places while it is looked for; one that stays odd over so many looks is odd. */
const LOOKS = 3;
const PAUSE_MS = 250;

/** Checks that every token of a sale is in exactly one place, over Redis and MySQL. */
@Injectable()
export class ProofService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly stock: StockScripts,
    private readonly preloader: Preloader,
  ) {}

  /** The proof of a sale, also in the middle of it. @throws DomainError SALE_NOT_FOUND */
  async prove(saleId: string): Promise<ProofView> {
    let proof = await this.look(await this.sales.get(saleId));
    for (let look = 1; look < LOOKS && !proof.ok; look += 1) {
      await delay(PAUSE_MS);
      proof = confirm(proof, await this.look(await this.sales.get(saleId)));
    }
    return proof;
  }

  /** Redis first, MySQL after it: a token that was committed in between is then seen as held, not as lost. */
  private async look(sale: Sale): Promise<ProofView> {
    const itemIds = sale.items.map((item) => item.id);
    const ledgers = new Map(sale.items.map((item) => [item.id, new TokenLedger(item.issued)]));
    const shards = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.stock.tokenPlaces(shard, itemIds)));
    const loaded = shards.filter((places): places is TokenPlaces => places !== null && places.epoch === sale.epoch);
    for (const places of loaded) await this.noteRedis(places, ledgers);
    for (const itemId of itemIds) await this.noteHeld(itemId, ledgers);
    await this.noteReturning(sale.id, ledgers);
    const freeAreListed = loaded.length > 0 || this.preloader.isDue(sale);
    const items = sale.items.map((item) => itemView(item.id, item.issued, ledgers, freeAreListed));
    return { ok: items.every((item) => item.odd.length === 0), loaded: loaded.length === sale.shards, items };
  }

  /** A claimed ticket whose order is committed already holds its tokens in MySQL; it only waits to be settled. */
  private async noteRedis({ inList, claimed, withdrawing }: TokenPlaces, ledgers: Map<string, TokenLedger>): Promise<void> {
    for (const [itemId, serials] of inList) for (const serial of serials) ledgers.get(itemId)?.found(serial, 'inList');
    const committed = await this.committedTickets([...new Set(claimed.map((token) => token.ticketId))]);
    for (const { itemId, serial, ticketId } of claimed) {
      if (!committed.has(ticketId)) ledgers.get(itemId)?.found(serial, 'claimed');
    }
    const moved = await committedMoves(this.dataSource, withdrawing.filter(({ toShard }) => toShard !== null).map(({ id }) => id));
    for (const { id, itemId, serials } of withdrawing) {
      // On its way to the other shard, or there already.
      if (moved.has(id)) continue;
      const kept = await this.keptSerials(itemId, serials);
      for (const serial of serials) if (!kept.has(serial)) ledgers.get(itemId)?.found(serial, 'claimed');
    }
  }

  /** By uq_orders_ticket, in pages. */
  private async committedTickets(ticketIds: string[]): Promise<Set<string>> {
    const committed = new Set<string>();
    for (let from = 0; from < ticketIds.length; from += PAGE) {
      const rows = await select(this.dataSource, 'SELECT ticket_id FROM orders WHERE ticket_id IN (?)', [ticketIds.slice(from, from + PAGE)]);
      for (const row of rows) committed.add(text(row, 'ticket_id'));
    }
    return committed;
  }

  /** Those that MySQL has already, by the primary key of held_tokens. */
  private async keptSerials(itemId: string, serials: number[]): Promise<Set<number>> {
    const rows = await select(this.dataSource, 'SELECT serial FROM held_tokens WHERE sale_item_id = ? AND serial IN (?)', [itemId, serials]);
    return new Set(rows.map((row) => integer(row, 'serial')));
  }

  /** Pages through held_tokens by its primary key. */
  private async noteHeld(itemId: string, ledgers: Map<string, TokenLedger>): Promise<void> {
    let rows: Row[];
    let after = 0;
    do {
      rows = await select(
        this.dataSource,
        'SELECT serial, order_id IS NULL AS withdrawn FROM held_tokens WHERE sale_item_id = ? AND serial > ? ORDER BY serial LIMIT ?',
        [itemId, after, PAGE],
      );
      for (const row of rows) {
        after = integer(row, 'serial');
        ledgers.get(itemId)?.found(after, integer(row, 'withdrawn') === 1 ? 'withdrawn' : 'held');
      }
    } while (rows.length === PAGE);
  }

  /** By ix_token_returns_pending. */
  private async noteReturning(saleId: string, ledgers: Map<string, TokenLedger>): Promise<void> {
    const rows = await select(this.dataSource, 'SELECT sale_item_id, serial FROM token_returns WHERE relayed_at IS NULL AND sale_id = ?', [saleId]);
    for (const row of rows) ledgers.get(text(row, 'sale_item_id'))?.found(integer(row, 'serial'), 'returning');
  }
}

type ItemProof = ProofView['items'][number];

function itemView(itemId: string, issued: number, ledgers: Map<string, TokenLedger>, freeAreListed: boolean): ItemProof {
  const ledger = ledgers.get(itemId) ?? new TokenLedger(issued);
  return { itemId, stock: issued, ...ledger.counts, odd: ledger.odd(freeAreListed) };
}

/** Keeps as odd only what both looks found odd in the same way. */
function confirm(before: ProofView, now: ProofView): ProofView {
  const oddBefore = new Map<string, OddToken[]>(before.items.map((item) => [item.itemId, item.odd]));
  const items = now.items.map((item) => ({ ...item, odd: stillOdd(oddBefore.get(item.itemId) ?? [], item.odd) }));
  return { ...now, ok: items.every((item) => item.odd.length === 0), items };
}
