import { DomainError } from './errors.js';

const PROMPT_MS = 1500;

/**
 * What MySQL answers to a shopper who joins or looks at a ticket, when it does so at once.
 * @throws DomainError UNAVAILABLE when it does not: a database that is frozen, or whose connections are all in use, must not hold up a crowd
 */
export async function promptly<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DomainError('UNAVAILABLE', 'The service can not answer right now; try again shortly.', {}, { retryAfterMs: 1000 })), PROMPT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
