import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { AddressGuard, isPublic } from '../../src/webhooks/address-guard.js';
import { RetrySchedule } from '../../src/webhooks/retry-schedule.js';

describe('addresses of webhooks', () => {
  let shop: Shop;
  let answers: string[];
  beforeAll(async () => {
    shop = await Shop.open();
    shop.get(AddressGuard).resolve = (_host, _options, done) => done(null, answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    shop.get(RetrySchedule).pausesMs = [];
  });
  afterAll(() => shop.close());

  const register = (url: string) => shop.operator.post('/admin/webhooks', { url });

  it.each([
    'http://shop.example/', 'ftp://shop.example/', 'https://user:pass@shop.example/', 'shop.example', 'https://127.0.0.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://10.0.0.1/',
    'https://172.16.0.1/', 'https://192.168.1.1/', 'https://169.254.169.254/', 'https://168.63.129.16/', 'https://[::ffff:168.63.129.16]/', 'https://100.64.0.1/', 'https://0.0.0.0/', 'https://224.0.0.1/', 'https://255.255.255.255/',
    'https://[::1]/', 'https://[::]/', 'https://[fe80::1]/', 'https://[fc00::1]/', 'https://[ff02::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:10.0.0.1]/', 'https://[64:ff9b::7f00:1]/', 'https://[::7f00:1]/',
  ])('refuses %s', async (url) => {
    answers = ['93.184.215.14'];
    const answer = await register(url);
    expect([answer.status, answer.body.code]).toEqual([400, 'WEBHOOK_URL_REFUSED']);
  });

  it.each([[['127.0.0.1']], [['93.184.215.14', '10.0.0.1']], [['::1']], [[]]])('refuses a name that leads to %j', async (addresses) => {
    answers = addresses;
    expect((await register('https://shop.example/')).body.code).toBe('WEBHOOK_URL_REFUSED');
  });

  it.each([
    ['ENOTFOUND', 'This address can not be used: there is no address for the name shop.example.'],
    ['EAI_AGAIN', 'This address can not be used: the name shop.example can not be looked up right now.'],
    ['ETIMEOUT', 'This address can not be used: the name shop.example can not be looked up right now.'],
  ])('says in plain words what the failure %s of a look-up means', async (code, detail) => {
    const guard = shop.get(AddressGuard);
    const { resolve } = guard;
    guard.resolve = (host, _options, done) => done(Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code }), []);
    const answer = await register('https://shop.example/');
    guard.resolve = resolve;
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([400, 'WEBHOOK_URL_REFUSED', detail]);
  });

  it.each(['93.184.215.14', '2606:2800:220:1::1', '::ffff:8.8.8.8'])('takes %s for public', (address) => expect(isPublic(address)).toBe(true));

  it('checks the address again when it connects: a name that leads elsewhere by then is not followed', async () => {
    answers = ['93.184.215.14'];
    const { id } = ok(await register('https://shop.example:9443/'), 201).body;
    answers = ['127.0.0.1'];
    const sale = await shop.sale();
    await shop.buy(await shop.shopper(), sale);
    const dead = await until('a dead delivery', async () => {
      const { deliveries } = ok(await shop.operator.get(`/admin/webhooks/${id}/deliveries?status=dead`), 200).body;
      return deliveries.length > 0 && deliveries;
    });
    expect(dead[0].lastError).toBe('shop.example is not on the public internet');
  });

  it('takes fifty, and no more', async () => {
    answers = ['93.184.215.14'];
    const there = ok(await shop.operator.get('/admin/webhooks'), 200).body.webhooks.length;
    const made = await Promise.all(Array.from({ length: 55 - there }, (_, index) => register(`https://shop.example/${index}`)));
    const tally = made.map(({ status, body }) => body.code ?? status);
    expect([tally.filter((code) => code === 201).length, tally.filter((code) => code === 'TOO_MANY_WEBHOOKS').length]).toEqual([50 - there, 5]);
    for (const { body } of made) if (body.id) ok(await shop.operator.delete(`/admin/webhooks/${body.id}`), 204);
  });

  it('refuses unknown fields and types, shows the secret once, and knows no other webhooks', async () => {
    answers = ['93.184.215.14'];
    for (const extra of [{ colour: 'red' }, { types: [] }, { types: ['order.eaten'] }, { types: null }]) {
      expect((await shop.operator.post('/admin/webhooks', { url: 'https://shop.example/', ...extra })).body.code).toBe('VALIDATION_FAILED');
    }
    const created = ok(await shop.operator.post('/admin/webhooks', { url: 'https://shop.example/', types: ['order.paid'] }), 201).body;
    expect(created).toEqual({ id: created.id, url: 'https://shop.example/', types: ['order.paid'], secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/), createdAt: created.createdAt });
    const listed = ok(await shop.operator.get('/admin/webhooks'), 200).body.webhooks;
    expect(listed.find((webhook: { id: string }) => webhook.id === created.id)).toEqual({ id: created.id, url: created.url, types: ['order.paid'], createdAt: created.createdAt, pending: 0, dead: 0 });
    expect(JSON.stringify(listed)).not.toContain('whsec_');
    for (const id of ['1', '01a23393-e3f3-748c-8bd9-8cc5cc0385c0']) {
      expect((await shop.operator.delete(`/admin/webhooks/${id}`)).body.code).toBe('WEBHOOK_NOT_FOUND');
      expect((await shop.operator.post(`/admin/webhooks/${id}/replay`)).body.code).toBe('WEBHOOK_NOT_FOUND');
    }
    expect((await shop.operator.delete(`/admin/webhooks/${created.id}/deliveries/1x`)).body.code).toBe('DELIVERY_NOT_FOUND');
  });
});
