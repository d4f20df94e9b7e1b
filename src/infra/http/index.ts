export { AnswersInTime } from './deadline.js';
export { FaultCode } from './fault-code.js';
export { HotRoutes, HotRoutesModule, type HotRoute } from './hot-routes.js';
export { closeHttpApp, createHttpApp } from './http-app.js';
export { digestOf, IdempotencyKey, idempotencyKeyOf, keyReused } from './idempotency-key.js';
export { sendProblem, toDomainError } from './problem.filter.js';
export { isStopping } from './stopping.js';
export { validated } from './validation.js';
