/** Where the pages of the console are. */
export const to = {
  sales: '/ops',
  newSale: '/ops/sales/new',
  sale: (id: string) => `/ops/sales/${id}`,
  editSale: (id: string) => `/ops/sales/${id}/edit`,
  saleOrders: (id: string) => `/ops/sales/${id}/orders`,
  saleReport: (id: string) => `/ops/sales/${id}/report`,
  goods: '/ops/goods',
  newGoods: '/ops/goods/new',
  editGoods: (id: string) => `/ops/goods/${id}`,
  orders: '/ops/orders',
  order: (id: string) => `/ops/orders/${id}`,
  rehearsals: '/ops/rehearsals',
  rehearsal: (id: string) => `/ops/rehearsals/${id}`,
};

/** The same address with some of its query changed; what is empty is left out. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
