import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Settings } from '../../../config/index.js';
import { RedisClock } from '../../../infra/clock/index.js';
import { ownAddress } from '../../../infra/http/index.js';
import type { SandboxEventBody } from './sandbox.event.js';
import { SANDBOX_SIGNATURE_HEADER, signSandboxWebhook } from './sandbox.signature.js';

const WEBHOOK_PATH = '/api/payments/sandbox/webhook';
/** Pause before each try: the first is the time the "bank" takes. */
const PAUSES_MS = [200, 300, 1000, 3000, 10_000];
const TRY_TIMEOUT_MS = 3000;

/**
 * Brings the sandbox's webhooks to this very service, over HTTP as a provider would. At most one delivery per payment is under way;
 * those that are not done when the process stops are given up (a repeated pay starts them anew).
 */
@Injectable()
export class SandboxCourier implements OnModuleDestroy {
  private readonly logger = new Logger('SandboxPayment');
  private readonly underWay = new Map<string, { stop: AbortController; done: Promise<void> }>();
  private stopped = false;

  constructor(
    private readonly settings: Settings,
    private readonly clock: RedisClock,
    private readonly http: HttpAdapterHost,
  ) {}

  /** Sends the event shortly, and again until the service has taken it; while it is under way a repeated call does nothing. */
  dispatch(event: SandboxEventBody): void {
    if (this.stopped || this.underWay.has(event.paymentId)) return;
    const stop = new AbortController();
    const done = this.deliver(event, stop.signal).finally(() => this.underWay.delete(event.paymentId));
    this.underWay.set(event.paymentId, { stop, done });
  }

  /** Gives a delivery up, if it has not left yet. */
  recall(paymentId: string): void {
    this.underWay.get(paymentId)?.stop.abort();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    const deliveries = [...this.underWay.values()];
    for (const { stop } of deliveries) stop.abort();
    await Promise.all(deliveries.map(({ done }) => done));
  }

  private async deliver(event: SandboxEventBody, stop: AbortSignal): Promise<void> {
    for (const pauseMs of PAUSES_MS) {
      try {
        await delay(pauseMs, undefined, { signal: stop });
        const status = await this.send(JSON.stringify(event), stop);
        if (status < 300) return;
        this.logger.warn({ paymentId: event.paymentId, status, msg: 'webhook not taken' });
      } catch (error) {
        if (stop.aborted) return;
        this.logger.warn({ paymentId: event.paymentId, reason: String(error), msg: 'webhook not delivered' });
      }
    }
    this.logger.error({ paymentId: event.paymentId, msg: 'webhook given up; paying again sends it anew' });
  }

  private async send(body: string, stop: AbortSignal): Promise<number> {
    const response = await fetch(ownAddress(this.settings, this.http.httpAdapter.getHttpServer() as Server) + WEBHOOK_PATH, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [SANDBOX_SIGNATURE_HEADER]: signSandboxWebhook(body, this.settings.PAYMENT_SECRET, this.clock.nowMs()),
      },
      body,
      redirect: 'error',
      signal: AbortSignal.any([stop, AbortSignal.timeout(TRY_TIMEOUT_MS)]),
    });
    await response.arrayBuffer();
    return response.status;
  }
}
