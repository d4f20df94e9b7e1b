import Stripe from 'stripe';
import type { Settings } from '../../../config/index.js';

/** Both attempts and the pause between them end before the service's own deadline of ten seconds. */
const [TIMEOUT_MS, RETRIES] = [3500, 1];

/** The official library, with the key and at the address of the settings. */
export function stripeClient({ STRIPE_SECRET_KEY, STRIPE_API_URL }: Settings): Stripe {
  return new Stripe(STRIPE_SECRET_KEY, { ...addressOf(STRIPE_API_URL), timeout: TIMEOUT_MS, maxNetworkRetries: RETRIES, telemetry: false });
}

function addressOf(url: string | undefined): Pick<NonNullable<ConstructorParameters<typeof Stripe>[1]>, 'protocol' | 'host' | 'port'> {
  if (url === undefined) return {};
  const { protocol, hostname, port } = new URL(url);
  const isHttps = protocol === 'https:';
  return { protocol: isHttps ? 'https' : 'http', host: hostname, port: port || (isHttps ? '443' : '80') };
}
