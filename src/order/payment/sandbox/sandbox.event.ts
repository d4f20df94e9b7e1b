import type { PaymentEvent, PaymentResult } from '../payment-provider.js';

/** Body of the sandbox's webhook. */
export interface SandboxEventBody {
  /** A second event of the same kind about a payment needs an id of its own; the first one may do without. */
  id?: string;
  type: 'payment.succeeded' | 'payment.failed' | 'payment.refunded' | 'payment.refund_failed';
  paymentId: string;
  reference: string;
  amountMinor: number;
  currency: string;
  /** Which refund it is about; one that failed has a reason. */
  refund?: { reference: string; reason?: string; isFinal?: boolean };
}

const RESULTS = ['succeeded', 'failed', 'refunded', 'refund_failed'] as const;

/** Reads a webhook body; null if it is not one of the sandbox's. */
export function readSandboxEvent(rawBody: Buffer): PaymentEvent | null {
  const body = parse(rawBody);
  if (body === null) return null;
  const { type, paymentId, reference, amountMinor, currency } = body;
  const result = RESULTS.find((candidate) => type === `payment.${candidate}`);
  if (!result || (body.id !== undefined && !isShortText(body.id))) return null;
  if (!isShortText(paymentId) || !isShortText(reference) || !isShortText(currency, 8)) return null;
  if (typeof amountMinor !== 'number' || !Number.isSafeInteger(amountMinor)) return null;
  const outcome = resultOf(result, body.refund);
  return outcome && { eventId: body.id ?? `${result}:${paymentId}`, paymentId, providerRef: reference, amountMinor, currency, ...outcome };
}

function resultOf(result: PaymentEvent['result'], refund: unknown): PaymentResult | null {
  if (result === 'succeeded' || result === 'failed') return { result };
  const { reference, reason, isFinal = false } = typeof refund === 'object' && refund !== null ? { ...refund } as Record<string, unknown> : {};
  if (result === 'refunded') return isShortText(reference) ? { result, refundRef: reference } : refund === undefined ? { result } : null;
  if (!isShortText(reference) || !isShortText(reason) || typeof isFinal !== 'boolean') return null;
  return { result, failure: { refundRef: reference, reason, isFinal } };
}

function parse(rawBody: Buffer): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(rawBody.toString('utf8'));
    return typeof body === 'object' && body !== null ? { ...body } : null;
  } catch {
    return null;
  }
}

/** Printable ASCII that fits its column. */
function isShortText(value: unknown, mostLength = 64): value is string {
  return typeof value === 'string' && value.length <= mostLength && /^[\x21-\x7e]+$/.test(value);
}
