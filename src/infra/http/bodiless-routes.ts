import { RequestMethod, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { METHOD_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { DomainError } from '../errors.js';
import { unknownField } from './fault-words.js';

const READS_BODY: number[] = [RouteParamtypes.BODY, RouteParamtypes.RAW_BODY, RouteParamtypes.REQUEST];

/** Refuses fields sent to routes that take none, as the validation of bodies does where there is one. An empty object is no field. */
export class BodilessRoutes implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() === 'http' && changesSomething(context) && !readsBody(context)) refuseFields(context.switchToHttp().getRequest<FastifyRequest>().body);
    return next.handle();
  }
}

const changesSomething = (context: ExecutionContext): boolean => Reflect.getMetadata(METHOD_METADATA, context.getHandler()) !== RequestMethod.GET;

/** The parameters of a handler are kept under `<kind>:<index>`. */
function readsBody(context: ExecutionContext): boolean {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) ?? {}) as Record<string, unknown>;
  return Object.keys(parameters).some((name) => READS_BODY.includes(Number(name.split(':')[0])));
}

function refuseFields(body: unknown): void {
  if (body === undefined || body === null) return;
  const names = typeof body === 'object' && !Array.isArray(body) ? Object.keys(body) : undefined;
  if (names?.length === 0) return;
  const errors = (names ?? []).map((field) => ({ field, message: unknownField(field) }));
  throw new DomainError('VALIDATION_FAILED', errors[0]?.message ?? 'This call takes no body.', { errors });
}
