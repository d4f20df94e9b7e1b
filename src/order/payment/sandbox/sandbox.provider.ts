import { Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { Settings } from '../../../config/index.js';
import { RedisClock } from '../../../infra/clock/index.js';
import type { PaymentOrder, PaymentProvider, PaymentStart, RefundAnswer, WebhookReading } from '../payment-provider.js';
import { SandboxCourier } from './sandbox.courier.js';
import { readSandboxEvent } from './sandbox.event.js';
import { SANDBOX_SIGNATURE_HEADER, signatureFault } from './sandbox.signature.js';

/**
 * A provider for trying the service out: no money moves, and every payment is confirmed within a second by a webhook
 * that is signed and sent like a real one.
 */
@Injectable()
export class SandboxProvider implements PaymentProvider {
  readonly name = 'sandbox';

  constructor(
    private readonly settings: Settings,
    private readonly clock: RedisClock,
    private readonly courier: SandboxCourier,
  ) {}

  async start({ id, amountMinor, currency }: PaymentOrder): Promise<PaymentStart> {
    const reference = `sandbox_${id}`;
    this.courier.dispatch({ type: 'payment.succeeded', paymentId: id, reference, amountMinor, currency });
    return { status: 'pending', providerRef: reference };
  }

  async cancel({ id }: PaymentOrder): Promise<void> {
    this.courier.recall(id);
  }

  async refund(): Promise<RefundAnswer> {
    return { status: 'refunded' };
  }

  verifyWebhook(headers: IncomingHttpHeaders, rawBody: Buffer): WebhookReading {
    const fault = signatureFault(headers[SANDBOX_SIGNATURE_HEADER], rawBody, this.settings.PAYMENT_SECRET, this.clock.nowMs());
    if (fault !== null) return { outcome: 'rejected', reason: fault };
    const event = readSandboxEvent(rawBody);
    return event ? { outcome: 'event', event } : { outcome: 'rejected', reason: 'the body is no event of the sandbox' };
  }
}
