export interface SalePlan {
  /** Units of its one item. */
  stock: number;
  mode?: 'queue' | 'instant';
  shards?: number;
  publish?: boolean;
}

/** A published sale with one item. */
export interface BenchSale {
  id: string;
  itemId: string;
}

/** What the proof says of the sale's item. */
export interface Proof {
  ok: boolean;
  stock: number;
  inList: number;
  held: number;
}

const SALE_MS = 3 * 3600_000;

/** The operator's calls that the benchmark needs, over the public API. */
export class Operator {
  private constructor(
    private readonly base: string,
    readonly token: string,
  ) {}

  static async signIn(base: string, username: string, password: string): Promise<Operator> {
    const { token } = await call(`${base}/api/auth/login`, { username, password });
    return new Operator(base, String(token));
  }

  async sale({ stock, publish = true, ...plan }: SalePlan): Promise<BenchSale> {
    const goods = await this.post('/admin/goods', { title: 'Benchmark goods', listPriceMinor: 1000, currency: 'EUR' });
    const window = { startsAt: new Date(Date.now() - 1000).toISOString(), endsAt: new Date(Date.now() + SALE_MS).toISOString() };
    const item = { goodsId: goods.id, priceMinor: 100, stock, limitPerUser: 1 };
    const created = await this.post('/admin/sales', { title: 'Benchmark', ...window, ...plan, items: [item] });
    const [{ id: itemId }] = created.items as [{ id: string }];
    const sale = { id: String(created.id), itemId };
    if (publish) await this.publish(sale);
    return sale;
  }

  async publish(sale: BenchSale): Promise<void> {
    await this.post(`/admin/sales/${sale.id}/publish`, {});
  }

  async end(sale: BenchSale): Promise<void> {
    await this.post(`/admin/sales/${sale.id}/end`, {});
  }

  async proof(sale: BenchSale): Promise<Proof> {
    const { ok, items } = await call(`${this.base}/api/admin/sales/${sale.id}/proof`, undefined, this.token);
    const [item] = items as [Omit<Proof, 'ok'>];
    return { ...item, ok: ok === true };
  }

  private post(path: string, body: object): Promise<Record<string, unknown>> {
    return call(`${this.base}/api${path}`, body, this.token);
  }
}

/** @throws Error for any answer but a success */
async function call(url: string, body?: object, token?: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
