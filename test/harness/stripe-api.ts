import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { StripeBooks, StripeRefusal, type StripeObject } from './stripe-books.js';

/** What goes wrong with calls: nothing is done; it is done but the answer never leaves; it is done and answered late. */
type Disturbance = { on: RegExp; how: 'fail' | 'lose' } | { on: RegExp; how: 'slow'; ms: number };

interface Kept {
  call: string;
  /** undefined while the first call runs */
  answer?: { status: number; body: StripeObject };
}

/**
 * A stand-in for the part of Stripe's API that the service uses, over HTTP and for the real library: form bodies, keys, idempotency as
 * Stripe documents it (the first answer again, refusals too; 400 for another call, 409 while the first runs). It sends no webhooks: the tests do.
 * Written from the documentation, never compared with Stripe itself.
 */
export class StripeApi {
  readonly key = 'sk_test_standin';
  readonly webhookSecret = 'whsec_standin';
  readonly books = new StripeBooks();
  /** Each call that came in, as `POST /v1/refunds`. */
  readonly calls: string[] = [];
  private readonly kept = new Map<string, Kept>();
  private disturbance: Disturbance | null = null;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<StripeApi> {
    const server = createServer();
    const api = new StripeApi(server);
    server.on('request', (request, response) => void api.handle(request, response).catch((error: unknown) => response.destroy(error as Error)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  /** What the service needs to use it. */
  get settings(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return { STRIPE_SECRET_KEY: this.key, STRIPE_WEBHOOK_SECRET: this.webhookSecret, STRIPE_API_URL: `http://127.0.0.1:${port}` };
  }

  /** From now on calls that match go wrong, until `calm`. */
  disturb(disturbance: Disturbance): void {
    this.disturbance = disturbance;
  }

  calm(): void {
    this.disturbance = null;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = `${request.method} ${request.url}`;
    const form = await text(request);
    this.calls.push(call);
    const disturbed = this.disturbance?.on.test(call) ? this.disturbance : null;
    if (disturbed?.how === 'fail') return send(response, 503, { error: { type: 'api_error', message: 'out of order' } });
    const { status, body } = await this.once(request, { call, form, takesMs: disturbed?.how === 'slow' ? disturbed.ms : 0 });
    if (disturbed?.how === 'lose') return void response.destroy();
    send(response, status, body);
  }

  private async once(request: IncomingMessage, { call, form, takesMs }: { call: string; form: string; takesMs: number }): Promise<{ status: number; body: StripeObject }> {
    if (request.headers.authorization !== `Bearer ${this.key}`) return refused(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' });
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string') return delay(takesMs).then(() => this.answer(call, form));
    const first = this.kept.get(key);
    if (first && first.call !== `${call} ${form}`) return refused(400, { type: 'idempotency_error', message: 'Keys for idempotent requests can only be used with the same parameters' });
    if (first) return first.answer ?? refused(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'still running' });
    const kept: Kept = { call: `${call} ${form}` };
    this.kept.set(key, kept);
    await delay(takesMs);
    kept.answer = structuredClone(this.answer(call, form));
    return kept.answer;
  }

  private answer(call: string, form: string): { status: number; body: StripeObject } {
    try {
      return { status: 200, body: this.route(call, new URLSearchParams(form)) };
    } catch (error) {
      if (error instanceof StripeRefusal) return refused(error.status, error.body);
      throw error;
    }
  }

  private route(call: string, form: URLSearchParams): StripeObject {
    const [path = '', search] = call.split('?');
    const query = new URLSearchParams(search);
    const [, what, id = '', action] = /^\w+ \/v1\/(payment_intents|refunds)(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? [];
    const isPost = call.startsWith('POST');
    if (what === 'payment_intents' && isPost && id === '') return this.books.createIntent(form);
    if (what === 'payment_intents' && !isPost && id !== '') return this.books.intent(id);
    if (what === 'payment_intents' && isPost && action === 'cancel') return this.books.cancelIntent(id);
    if (what === 'refunds' && isPost && id === '') return this.books.createRefund(form);
    if (what === 'refunds' && !isPost && id === '') return { object: 'list', has_more: false, data: this.books.allRefundsOf(query.get('payment_intent') ?? '') };
    if (what === 'refunds' && !isPost && id !== '') return this.books.refund(id);
    throw new StripeRefusal(404, { type: 'invalid_request_error', message: `Unrecognized request URL (${call})` });
  }
}

const refused = (status: number, error: StripeObject): { status: number; body: StripeObject } => ({ status, body: { error } });

function send(response: ServerResponse, status: number, body: StripeObject): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${randomUUID()}` }).end(JSON.stringify(body));
}
