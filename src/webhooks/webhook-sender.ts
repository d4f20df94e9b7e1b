import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Webhook } from 'standardwebhooks';
import { RedisClock } from '../infra/clock/index.js';
import { reasonOf } from '../infra/errors.js';
import { AddressGuard } from './address-guard.js';

/** How long a receiver may take to answer. */
export const TIMEOUT_MS = 5000;

export interface Message {
  url: string;
  secret: string;
  id: string;
  payload: string;
}

/** What of an answer is let pass, in bytes and in time; nobody reads it. */
const [LONGEST_ANSWER, LONGEST_ANSWER_MS] = [65_536, 1000];

/** `status` is missing where there was no answer. */
export type SendOutcome = { outcome: 'delivered' } | { outcome: 'failed'; reason: string; status?: number };

/** Sends one signed message (https://www.standardwebhooks.com). Follows no redirect: only a 2xx of the very address counts. */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  private readonly plain = new http.Agent({ keepAlive: true });
  private readonly secure = new https.Agent({ keepAlive: true });

  constructor(
    private readonly guard: AddressGuard,
    private readonly clock: RedisClock,
  ) {}

  onApplicationShutdown(): void {
    this.plain.destroy();
    this.secure.destroy();
  }

  /** Never throws. */
  async send(message: Message): Promise<SendOutcome> {
    const fault = this.guard.faultOf(message.url);
    if (fault !== undefined) return { outcome: 'failed', reason: fault };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const status = await this.post(message, signal);
      return status >= 200 && status < 300 ? { outcome: 'delivered' } : { outcome: 'failed', reason: `answered ${status}`, status };
    } catch (error) {
      return { outcome: 'failed', reason: signal.aborted ? `no answer within ${TIMEOUT_MS} ms` : reasonOf(error) };
    }
  }

  private post(message: Message, signal: AbortSignal, isRepeat = false): Promise<number> {
    const url = new URL(message.url);
    const isSecure = url.protocol === 'https:';
    const options = { method: 'POST', headers: this.headersOf(message), signal, lookup: this.guard.lookup, agent: isSecure ? this.secure : this.plain };
    return new Promise((resolve, reject) => {
      const request = (isSecure ? https : http).request(url, options, (response) => {
        resolve(letPass(response).then(() => response.statusCode ?? 0));
      });
      // Comes last; but where the receiver turns to another protocol it comes alone.
      request.on('close', () => reject(new Error('the connection was closed without an answer')));
      request.on('error', (error) => {
        // The receiver had closed a kept connection: that says nothing about this message.
        if (request.reusedSocket && !isRepeat && !signal.aborted) resolve(this.post(message, signal, true));
        else reject(error);
      });
      request.end(message.payload);
    });
  }

  private headersOf({ secret, id, payload }: Message): Record<string, string> {
    const at = new Date(this.clock.nowMs());
    return {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(payload)),
      'user-agent': 'seckill-webhooks/1',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, payload),
    };
  }
}

/**
 * Waits for the end of an answer, so that its connection can be used again and no more are open than messages under way. One that is too
 * long, or too slow, is cut off: its status has been said.
 */
function letPass(response: IncomingMessage): Promise<void> {
  const cut = setTimeout(() => response.destroy(), LONGEST_ANSWER_MS);
  let bytes = 0;
  response.on('error', () => undefined);
  response.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > LONGEST_ANSWER) response.destroy();
  });
  return new Promise((resolve) => {
    response.once('close', () => {
      clearTimeout(cut);
      resolve();
    });
  });
}
