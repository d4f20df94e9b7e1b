import { Logger } from '@nestjs/common';
import { createConnection } from 'mysql2/promise';
import { CHECKS, type CheckName } from '../../src/readiness/finding.js';
import { expectProblem } from '../contract/refusals.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { readinessOf, type Readiness } from './findings.js';

Logger.overrideLogger(false);

const LONG_MS = 120_000;
const COULD_NOT = 'This could not be checked: a server did not answer as it should. The log says more.';

describe('the readiness of a sale', () => {
  let shop: Shop;
  let sale: TestSale;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
    sale = await shop.sale({ startsInMs: 60_000 });
    await until('the first signs', async () => (await readinessOf(shop, sale)).ready);
  });
  afterAll(() => shop.close());

  const statuses = ({ findings }: Readiness): Record<string, string> => Object.fromEntries(Object.entries(findings).map(([name, { status }]) => [name, status]));
  const allOk = (but: Partial<Record<CheckName, string>> = {}): Record<string, string> => ({ ...Object.fromEntries(CHECKS.map((name) => [name, 'ok'])), ...but });

  it('stands in spite of warnings, and after a rehearsal without any', async () => {
    const before = await readinessOf(shop, sale);
    expect(statuses(before)).toEqual(allOk({ last_rehearsal: 'warning' }));
    expect(before.ready).toBe(true);

    const { id } = ok(await shop.operator.post('/admin/rehearsals', { shoppers: 3, stock: 2 }), 202).body;
    await until('the rehearsal to be over', async () => ok(await shop.operator.get(`/admin/rehearsals/${id}`), 200).body.state !== 'running', LONG_MS);
    const after = await readinessOf(shop, sale);
    expect(statuses(after)).toEqual(allOk());
    expect(after.ready).toBe(true);
    expect(after.findings.last_rehearsal.figures.id).toBe(id);
  }, LONG_MS);

  it('says of which sale and when, check by check', async () => {
    const { body } = ok(await shop.operator.get(`/admin/sales/${sale.id}/readiness`), 200);
    expect(body).toMatchObject({ saleId: sale.id });
    expect(Math.abs(Date.parse(body.checkedAt) - Date.now())).toBeLessThan(10_000);
    expect(body.checks.map(({ name }: { name: string }) => name)).toEqual([...CHECKS]);
    expectProblem(await shop.operator.get('/admin/sales/999999/readiness'), 404, 'SALE_NOT_FOUND');
  });

  it('does not stand where something can not be looked at; the other checks are not kept from it', async () => {
    await shop.database.query('RENAME TABLE rehearsals TO rehearsals_away');
    try {
      const { ready, findings } = await readinessOf(shop, sale);
      expect(findings.last_rehearsal).toEqual({ status: 'failed', message: COULD_NOT, figures: {} });
      expect(Object.values(findings).filter(({ status }) => status === 'failed')).toHaveLength(1);
      expect(ready).toBe(false);
    } finally {
      await shop.database.query('RENAME TABLE rehearsals_away TO rehearsals');
    }
  });

  it('does not wait for ever for a check', async () => {
    const other = await createConnection(shop.services.databaseUrl);
    await other.query('LOCK TABLES rehearsals WRITE');
    try {
      const begun = performance.now();
      const { ready, findings } = await readinessOf(shop, sale);
      expect(performance.now() - begun).toBeLessThan(9000);
      expect(findings.last_rehearsal).toEqual({ status: 'failed', message: COULD_NOT, figures: {} });
      expect(findings.clock_mysql.status).toBe('ok');
      expect(ready).toBe(false);
    } finally {
      await other.query('UNLOCK TABLES');
      await other.end();
    }
  });
});
