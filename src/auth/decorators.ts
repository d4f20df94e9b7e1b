import { applyDecorators, createParamDecorator, UseGuards, type ExecutionContext } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiProblems } from './api-problems.js';
import type { AuthenticatedUser } from './authenticated-user.js';
import { OperatorGuard, SessionGuard } from './guards.js';
import { recall } from './signed-in.js';

type ClassOrMethod = ClassDecorator & MethodDecorator;

/** For a controller or a route: only whoever is signed in, else 401 UNAUTHENTICATED. */
export function Authenticated(): ClassOrMethod {
  return applyDecorators(UseGuards(SessionGuard), ApiBearerAuth(), ApiProblems('UNAUTHENTICATED'));
}

/** For a controller or a route: only operators, else 401 UNAUTHENTICATED or 403 FORBIDDEN. */
export function OperatorOnly(): ClassOrMethod {
  return applyDecorators(UseGuards(OperatorGuard), ApiBearerAuth(), ApiProblems('UNAUTHENTICATED', 'FORBIDDEN'));
}

/** Parameter: the user who makes the request. The route must be `@Authenticated()` or `@OperatorOnly()`. */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedUser => signedInAt(context).user);

/** Parameter: the token of the request's session. */
export const CurrentToken = createParamDecorator((_: unknown, context: ExecutionContext): string => signedInAt(context).token);

const signedInAt = (context: ExecutionContext) => recall(context.switchToHttp().getRequest<FastifyRequest>());
