import { Agent, request } from 'node:http';
import { Shop } from '../harness/shop.js';

const CALLS = 20;

describe('a service that is told to stop', () => {
  it('answers the requests that run, ends their connections, and does not wait for idle ones', async () => {
    const shop = await Shop.open({}, ['api']);
    const agent = new Agent({ keepAlive: true, maxSockets: CALLS });
    // Connections that were not accepted yet are lost with the listener: so they are opened first.
    await inTurn(() => send(`${shop.api.base}/sales`, agent));
    const logins = inTurn(() => send(`${shop.api.base}/auth/login`, agent, { username: 'nobody', password: 'nothing-at-all' }));
    // Signing in takes a while, for the hash of the password: when this one is answered the others have long been received.
    await send(`${shop.api.base}/auth/login`, new Agent(), { username: 'nobody', password: 'nothing-at-all' });
    const startedMs = Date.now();
    const closing = shop.close();
    const answers = await logins;
    await closing;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(answers.at(-1)?.connection).toBe('close');
    expect(Date.now() - startedMs).toBeLessThan(8000);
    agent.destroy();
  });
});

interface Reply {
  status: number | undefined;
  connection: string | undefined;
}

const inTurn = (call: () => Promise<Reply>): Promise<Reply[]> => Promise.all(Array.from({ length: CALLS }, call));

function send(url: string, agent: Agent, body?: Record<string, string>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method: body ? 'POST' : 'GET', agent, headers: { 'content-type': 'application/json' } }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode, connection: response.headers.connection }));
    });
    call.on('error', reject);
    call.end(body && JSON.stringify(body));
  });
}
