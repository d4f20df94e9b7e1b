import type { Settings } from '../config/index.js';
import { ownAddress } from '../infra/http/index.js';
import { DomainError } from '../infra/errors.js';

const PATIENCE_MS = 5000;

/**
 * The address of the service that the settings name.
 * @throws DomainError UNAVAILABLE when none answers there
 */
export async function runningService(settings: Settings): Promise<string> {
  const address = ownAddress(settings);
  const answer = await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null);
  if (!answer?.ok) throw new DomainError('UNAVAILABLE', `no service is ready at ${address}: start it with npm start, or say with HOST and PORT where it listens`);
  return address;
}
