import type { PaymentEvent } from '../payment-provider.js';

/** Body of the sandbox's webhook. */
export interface SandboxEventBody {
  /** A second event of the same kind about a payment needs an id of its own; the first one may do without. */
  id?: string;
  type: 'payment.succeeded' | 'payment.failed' | 'payment.refunded';
  paymentId: string;
  reference: string;
  amountMinor: number;
  currency: string;
}

const RESULTS = ['succeeded', 'failed', 'refunded'] as const;

/** Reads a webhook body; null if it is not one of the sandbox's. */
export function readSandboxEvent(rawBody: Buffer): PaymentEvent | null {
  const body = parse(rawBody);
  if (body === null) return null;
  const { type, paymentId, reference, amountMinor, currency } = body;
  const result = RESULTS.find((candidate) => type === `payment.${candidate}`);
  if (!result || (body.id !== undefined && !isShortText(body.id))) return null;
  if (!isShortText(paymentId) || !isShortText(reference) || !isShortText(currency)) return null;
  if (typeof amountMinor !== 'number' || !Number.isSafeInteger(amountMinor)) return null;
  return { eventId: body.id ?? `${result}:${paymentId}`, paymentId, providerRef: reference, result, amountMinor, currency };
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
function isShortText(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,64}$/.test(value);
}
