import { mixin, UseInterceptors, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { throwError, timeout, type Observable } from 'rxjs';
import { DomainError } from '../errors.js';

const DEADLINE_MS = 10_000;

const tooLate = (): DomainError =>
  new DomainError('UNAVAILABLE', 'This takes too long just now; what you asked for may still happen.', {}, { retryAfterMs: 2000 });

/**
 * For routes that wait for MySQL: answered with 503 after ten seconds (or `deadlineMs`), because a database that is frozen, unlike one
 * that is gone, would let them wait for ever. The work itself goes on and may still succeed.
 */
export function AnswersInTime(deadlineMs = DEADLINE_MS): ClassDecorator & MethodDecorator {
  class DeadlineInterceptor implements NestInterceptor {
    intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
      return next.handle().pipe(timeout({ first: deadlineMs, with: () => throwError(tooLate) }));
    }
  }
  return UseInterceptors(mixin(DeadlineInterceptor));
}
