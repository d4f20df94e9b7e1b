export { ReadinessModule } from './readiness.module.js';
