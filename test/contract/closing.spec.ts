import { Agent, request } from 'node:http';
import { Shop } from '../harness/shop.js';

const CLIENTS = 20;
const GRACE_MS = 500;

describe('a service that is told to stop', () => {
  it('answers every request that comes in meanwhile, tells each client to let go, and is gone soon after', async () => {
    const shop = await Shop.open({}, ['worker']);
    const app = await shop.start(['api']);
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    // Each goes on asking on its connection until it is told that it ends, as a busy shop's proxy does.
    const clients = Array.from({ length: CLIENTS }, async () => {
      const statuses: (number | undefined)[] = [];
      for (;;) {
        const { status, connection } = await logIn(shop.api.base, agent);
        statuses.push(status);
        if (connection === 'close') return statuses;
      }
    });
    // Signing in takes a while, for the hash of the password: when this one is answered the others are at it.
    await logIn(shop.api.base, new Agent());
    const startedMs = Date.now();
    await shop.stop(app, GRACE_MS);
    expect(Date.now() - startedMs).toBeLessThan(8000);
    expect(new Set((await Promise.all(clients)).flat())).toEqual(new Set([401]));
    agent.destroy();
    await shop.close();
  });
});

function logIn(base: string, agent: Agent): Promise<{ status: number | undefined; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const call = request(`${base}/auth/login`, { method: 'POST', agent, headers: { 'content-type': 'application/json' } }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode, connection: response.headers.connection }));
    });
    call.on('error', reject);
    call.end(JSON.stringify({ username: 'nobody', password: 'nothing-at-all' }));
  });
}
