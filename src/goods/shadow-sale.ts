import { IsNull } from 'typeorm';
import type { Sale } from './entities/sale.entity.js';

/** What usernames of a rehearsal's shoppers begin with. Its id is random, and nobody but operators gets to know it. */
export const rehearsalShoppers = (rehearsalId: string): string => `rehearsal-${rehearsalId}`;

/** Whether somebody may take part in a sale: in a shadow sale only the shoppers of its rehearsal. */
export function mayTakePart(username: string, { rehearsalId }: Pick<Sale, 'rehearsalId'>): boolean {
  return rehearsalId === null || username.startsWith(`${rehearsalShoppers(rehearsalId)}-`);
}

/** Condition for sales that are none of a rehearsal. */
export const NO_SHADOW = { rehearsalId: IsNull() };

/** The ids of shadow sales, as a subquery: there is hardly ever more than one. Index: ix_sales_rehearsal. */
export const SHADOW_SALE_IDS = 'SELECT id FROM sales WHERE rehearsal_id IS NOT NULL';
