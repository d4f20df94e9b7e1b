import { LOCAL_SECRETS } from '../../src/config/settings.js';
import { SANDBOX_SIGNATURE_HEADER, signSandboxWebhook } from '../../src/order/payment/sandbox/sandbox.signature.js';
import type { Answer, Api } from './api.js';

/** What the sandbox's webhook needs to know of a payment, as `POST /orders/:id/pay` answers it. */
export interface SandboxPayment {
  id: string;
  amountMinor: number;
  currency: string;
}

/** Sends the sandbox's own signed word that a payment succeeded, at whatever moment a test wants it. */
export function confirmPayment(api: Api, { id, amountMinor, currency }: SandboxPayment): Promise<Answer> {
  const body = JSON.stringify({ type: 'payment.succeeded', paymentId: id, reference: `sandbox_${id}`, amountMinor, currency });
  const signature = signSandboxWebhook(body, LOCAL_SECRETS.PAYMENT_SECRET, Date.now());
  return api.post('/payments/sandbox/webhook', body, { [SANDBOX_SIGNATURE_HEADER]: signature });
}
