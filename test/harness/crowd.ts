import { Agent, request } from 'node:http';
import type { TestSale } from './shop.js';

/** What a request of the crowd was answered: the status, and the body as text. */
export interface CrowdAnswer {
  status: number;
  text: string;
}

/** A lean keep-alive client for tens of thousands of requests. Close it at the end. */
export class Crowd {
  private readonly agent: Agent;
  private readonly hostname: string;
  private readonly port: string;
  private readonly path: string;

  /** @param base address of the API, as `Api` has it */
  constructor(base: string, connections: number) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
    const { hostname, port, pathname } = new URL(base);
    [this.hostname, this.port, this.path] = [hostname, port, pathname];
  }

  /** One unit of the sale's first item. */
  join(token: string, sale: TestSale): Promise<CrowdAnswer> {
    return this.post(`/sales/${sale.id}/tickets`, token, JSON.stringify({ items: [{ itemId: sale.itemIds[0], quantity: 1 }] }));
  }

  get(path: string, token: string): Promise<CrowdAnswer> {
    return this.send('GET', path, token);
  }

  post(path: string, token: string, body = ''): Promise<CrowdAnswer> {
    return this.send('POST', path, token, body);
  }

  close(): void {
    this.agent.destroy();
  }

  private send(method: string, path: string, token: string, body = ''): Promise<CrowdAnswer> {
    const { agent, hostname, port } = this;
    const headers = {
      authorization: `Bearer ${token}`,
      ...(method === 'POST' ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {}),
    };
    return new Promise((resolve, reject) => {
      const sent = request({ agent, hostname, port, method, path: this.path + path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/** The outcome of an answer in one word: the problem's code, or the ticket's status. */
export function outcomeOf({ status, text }: CrowdAnswer): string {
  const body: unknown = text === '' ? {} : JSON.parse(text);
  if (typeof body !== 'object' || body === null) return String(status);
  if ('code' in body) return String(body.code);
  return 'status' in body ? String(body.status) : String(status);
}
