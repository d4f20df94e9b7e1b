import type { Request } from 'autocannon';
import type { BenchSale } from './operator.js';

/** A join for one unit. */
export function joinRequest(sale: BenchSale, token: string, path = `/api/sales/${sale.id}/tickets`): Request {
  return {
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ items: [{ itemId: sale.itemId, quantity: 1 }] }),
  };
}

/** A look at the ticket. */
export function pollRequest(sale: BenchSale, token: string): Request {
  return { method: 'GET', path: `/api/sales/${sale.id}/ticket`, headers: { authorization: `Bearer ${token}` } };
}

/** Gives each connection its own shoppers: connection k gets the k-th part of the tokens. */
export function shared(tokens: readonly string[], connections: number, toRequest: (token: string) => Request): (connection: number) => Request[] {
  const size = Math.floor(tokens.length / connections);
  return (connection) => tokens.slice(connection * size, (connection + 1) * size).map(toRequest);
}
