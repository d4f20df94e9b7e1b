export { closeHttpApp, createHttpApp, faultsOf } from './http-app.js';
export { sendProblem, toDomainError } from './problem.filter.js';
