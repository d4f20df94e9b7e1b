import { Injectable, UseInterceptors, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { throwError, timeout, type Observable } from 'rxjs';
import { DomainError } from '../errors.js';

const DEADLINE_MS = 15_000;

@Injectable()
class DeadlineInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(timeout({ first: DEADLINE_MS, with: () => throwError(tooLate) }));
  }
}

const tooLate = (): DomainError =>
  new DomainError('UNAVAILABLE', 'This takes too long just now; what you asked for may still happen.', {}, { retryAfterMs: 2000 });

/**
 * For routes that wait for MySQL: answered with 503 after fifteen seconds, because a database that is frozen, unlike one that is gone,
 * would let them wait for ever. The work itself goes on and may still succeed.
 */
export const AnswersInTime = (): ClassDecorator & MethodDecorator => UseInterceptors(DeadlineInterceptor);
