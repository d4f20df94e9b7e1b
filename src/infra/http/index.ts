export { AnswersInTime } from './deadline.js';
export { FaultCode } from './fault-code.js';
export { closeHttpApp, createHttpApp, isStopping } from './http-app.js';
export { digestOf, IdempotencyKey, idempotencyKeyOf, keyReused } from './idempotency-key.js';
export { sendProblem, toDomainError } from './problem.filter.js';
