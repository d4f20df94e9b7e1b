export { closeHttpApp, createHttpApp, FAULT_CODE } from './http-app.js';
export { sendProblem, toDomainError } from './problem.filter.js';
