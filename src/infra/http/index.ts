export { AnswersInTime } from './deadline.js';
export { FaultCode } from './fault-code.js';
export { HotRoutes, HotRoutesModule, type HotAnswer, type HotCall } from './hot-routes.js';
export { closeHttpApp, createHttpApp } from './http-app.js';
export { digestOf, IdempotencyKey, idempotencyKeyOf, isIdempotencyKey, keyReused } from './idempotency-key.js';
export { describeApi, setPrefix } from './openapi.js';
export { sendProblem, toDomainError } from './problem.filter.js';
export { ownAddress } from './own-address.js';
export { isStopping } from './stopping.js';
