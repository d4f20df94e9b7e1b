import { DomainError } from './errors.js';
import { within } from './within.js';

const PROMPT_MS = 1500;

/**
 * What MySQL answers to a shopper who joins or looks at a ticket, when it does so at once.
 * @throws DomainError UNAVAILABLE when it does not: a database that is frozen, or whose connections are all in use, must not hold up a crowd
 */
export const promptly = <T>(answer: Promise<T>): Promise<T> =>
  within(PROMPT_MS, answer, () => new DomainError('UNAVAILABLE', 'The service can not answer right now; try again shortly.', {}, { retryAfterMs: 1000 }));
