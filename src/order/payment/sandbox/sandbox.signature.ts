import { createHmac, timingSafeEqual } from 'node:crypto';

/** Header that carries the signature, `t=<epoch seconds>,v1=<hex>`. */
export const SANDBOX_SIGNATURE_HEADER = 'sandbox-signature';

/** How far the time in a signature may be from ours, either way. */
const TOLERANCE_SECONDS = 300;
const FORM = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;

/**
 * Signs a webhook body: HMAC-SHA256 over `<epoch seconds>.<raw body>`, so that neither the body nor its age can be changed.
 * The scheme is the one payment providers commonly use (https://docs.stripe.com/webhooks#verify-manually).
 */
export function signSandboxWebhook(rawBody: Buffer | string, secret: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  return `t=${seconds},v1=${digest(rawBody, secret, seconds).toString('hex')}`;
}

/** Answers why a signature does not hold, or null if it does. The comparison takes the same time wherever it differs. */
export function signatureFault(header: unknown, rawBody: Buffer, secret: string, nowMs: number): string | null {
  const parts = typeof header === 'string' ? FORM.exec(header) : null;
  if (!parts) return 'the signature is missing or has another form';
  const seconds = Number(parts[1]);
  if (!timingSafeEqual(digest(rawBody, secret, seconds), Buffer.from(parts[2] ?? '', 'hex'))) return 'the signature does not fit the body';
  if (Math.abs(nowMs / 1000 - seconds) > TOLERANCE_SECONDS) return 'the signature is too old or from the future';
  return null;
}

function digest(rawBody: Buffer | string, secret: string, seconds: number): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.`).update(rawBody).digest();
}
