import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { minorUnits } from './columns.js';
import { Goods } from './goods.entity.js';
import type { Sale } from './sale.entity.js';

/** A goods offered in a sale: price, stock and limit per user. */
@Entity('sale_items')
export class SaleItem {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: string;

  @Column({ name: 'sale_id', type: 'bigint', unsigned: true })
  saleId!: string;

  // Named by a string, so that the two entities do not import each other.
  @ManyToOne('Sale', 'items')
  @JoinColumn({ name: 'sale_id' })
  sale!: Relation<Sale>;

  @Column({ name: 'goods_id', type: 'bigint', unsigned: true })
  goodsId!: string;

  @ManyToOne(() => Goods)
  @JoinColumn({ name: 'goods_id' })
  goods!: Relation<Goods>;

  @Column({ name: 'price_minor', type: 'bigint', transformer: minorUnits })
  priceMinor!: number;

  @Column({ type: 'char', length: 3 })
  currency!: string;

  /** Serials ever issued: tokens are numbered 1..issued. Differs from `stock` by the withdrawn ones. */
  @Column({ type: 'int', unsigned: true })
  issued!: number;

  /** Units that may be sold. */
  @Column({ type: 'int', unsigned: true })
  stock!: number;

  /** Units held by live orders. */
  @Column({ type: 'int', unsigned: true, default: 0 })
  sold!: number;

  @Column({ name: 'limit_per_user', type: 'int', unsigned: true })
  limitPerUser!: number;
}
