import { applyDecorators, Injectable, SetMetadata, UseInterceptors, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { ApiProblems, requesterOf } from '../../auth/index.js';
import { DomainError, type ErrorCode } from '../../infra/errors.js';
import { digestOf, idempotencyKeyOf, keyReused, toDomainError } from '../../infra/http/index.js';
import { IdempotencyStore, type KeyedCall } from './idempotency.store.js';

const RETRY_MS = 1000;
/** Less than a call may run: after that its key may be another call's. */
const [FORGET_FOR_MS, FORGET_EVERY_MS] = [50_000, 500];
const KEPT_UNLESS = 'idempotent:kept-unless';

/** Which answers are not kept. */
type Exception<Body> = (body: Body) => boolean;

/** A first answer as it is kept: what the handler answered, or the problem it met. */
type Kept = { body: unknown } | { problem: { code: ErrorCode; detail: string; extra: Record<string, unknown> } };

@Injectable()
class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly store: IdempotencyStore) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const key = idempotencyKeyOf(request);
    if (key === undefined) return next.handle();
    const call = { userId: requesterOf(request).id, keyDigest: digestOf(key), callDigest: digestOf([request.method, request.url, request.body ?? null]) };
    const isException = (Reflect.getMetadata(KEPT_UNLESS, context.getHandler()) as Exception<unknown> | undefined) ?? (() => false);
    const work = (): Promise<unknown> => this.doIt(call, next, request, isException);
    return from(this.once(call, work, context.switchToHttp().getResponse<FastifyReply>()));
  }

  private async once(call: KeyedCall, work: () => Promise<unknown>, reply: FastifyReply): Promise<unknown> {
    const begun = await this.store.begin(call);
    switch (begun.outcome) {
      case 'first':
        return work();
      case 'repeated':
        reply.header('idempotent-replayed', 'true');
        return replay(JSON.parse(begun.answer) as Kept);
      case 'running':
        throw new DomainError('IDEMPOTENCY_KEY_IN_USE', 'A call with this Idempotency-Key is still running.', {}, { retryAfterMs: RETRY_MS });
      case 'reused':
        throw keyReused();
    }
  }

  private async doIt(call: KeyedCall, next: CallHandler, request: FastifyRequest, isException: Exception<unknown>): Promise<unknown> {
    try {
      const body: unknown = await lastValueFrom(next.handle());
      await (isException(body) ? this.store.release(call) : this.keep(call, { body }));
      return body;
    } catch (thrown) {
      const error = toDomainError(thrown);
      // What went wrong on our side may go right the next time.
      if (error.status >= 500) await this.store.forget(call).catch(() => this.forgetLater(call));
      else await this.keep(call, { problem: { code: error.code, detail: error.message, extra: { ...error.extra, requestId: request.id } } });
      throw thrown;
    }
  }

  /** The database that the call found away may be away for the key, too. Until then its repeats read that the call is still running. */
  private forgetLater(call: KeyedCall): void {
    const endMs = performance.now() + FORGET_FOR_MS;
    const again = async (): Promise<void> => {
      while (performance.now() < endMs) {
        await delay(FORGET_EVERY_MS, undefined, { ref: false });
        if (await this.store.forget(call).then(() => true, () => false)) return;
      }
    };
    void again();
  }

  private keep(call: KeyedCall, answer: Kept): Promise<void> {
    return this.store.finish(call, JSON.stringify(answer));
  }
}

function replay(kept: Kept): unknown {
  if ('problem' in kept) throw new DomainError(kept.problem.code, kept.problem.detail, kept.problem.extra);
  return kept.body;
}

/**
 * For a route of signed-in users: a repeat with the same `Idempotency-Key` within a day is answered as the first call was, another call
 * under that key with 422, and one whose first call is still running with 409. After a 5xx the call may be made anew.
 * @param keptUnless says which answers must not be kept: the repeat is then done anew, so the route has to bear that
 */
export const Idempotent = <Body>({ keptUnless }: { keptUnless?: Exception<Body> } = {}): MethodDecorator =>
  applyDecorators(
    SetMetadata(KEPT_UNLESS, keptUnless),
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({ name: 'Idempotency-Key', required: false, description: 'a repeat with the same key within a day gets the first answer again' }),
    ApiProblems('IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED'),
  );
