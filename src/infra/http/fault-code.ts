import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { DomainError, ERROR_STATUS, type ErrorCode } from '../errors.js';

/** For a route: the code under which a request that is not well-formed is refused, in place of VALIDATION_FAILED. */
export const FaultCode = (code: ErrorCode): MethodDecorator => RouteConfig({ faultCode: code });

/** A header that is not as it must be. What a route takes may be in order all the same, so this keeps its own code. */
export class HeaderFault extends DomainError {
  constructor(header: string, message: string) {
    super('VALIDATION_FAILED', message, { errors: [{ field: header, message }] });
  }
}

/** The error under the code that its route has for it: a body that is no JSON, or has faults, reads the same there. */
export function underRouteCode(error: DomainError, request: FastifyRequest): DomainError {
  const config: object = request.routeOptions?.config ?? {};
  const code: unknown = Reflect.get(config, 'faultCode');
  if (error.code !== 'VALIDATION_FAILED' || error instanceof HeaderFault || typeof code !== 'string' || !(code in ERROR_STATUS)) return error;
  return new DomainError(code as ErrorCode, error.message, error.extra, { cause: error.cause });
}
