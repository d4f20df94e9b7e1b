import { LOCAL_SECRETS } from '../../src/config/settings.js';
import { SANDBOX_SIGNATURE_HEADER, signSandboxWebhook } from '../../src/order/payment/sandbox/sandbox.signature.js';
import type { Answer, Api } from './api.js';

/** What the sandbox's webhook needs to know of a payment, as `POST /orders/:id/pay` answers it. */
export interface SandboxPayment {
  id: string;
  amountMinor: number;
  currency: string;
}

/** What the sandbox says of a refund; one that failed has a reason. */
export interface SandboxRefund {
  reference: string;
  reason?: string;
  isFinal?: boolean;
}

/** Body and headers of the sandbox's signed word about a payment. */
export function sandboxEvent(
  result: 'succeeded' | 'failed' | 'refunded' | 'refund_failed', { id, amountMinor, currency }: SandboxPayment, eventId?: string, refund?: SandboxRefund,
): [body: string, headers: Record<string, string>] {
  const body = JSON.stringify({ id: eventId, type: `payment.${result}`, paymentId: id, reference: `sandbox_${id}`, amountMinor, currency, refund });
  return [body, { [SANDBOX_SIGNATURE_HEADER]: signSandboxWebhook(body, LOCAL_SECRETS.PAYMENT_SECRET, Date.now()) }];
}

/** Sends the sandbox's own signed word that a payment succeeded, at whatever moment a test wants it. */
export function confirmPayment(api: Api, payment: SandboxPayment): Promise<Answer> {
  return api.post('/payments/sandbox/webhook', ...sandboxEvent('succeeded', payment));
}
