export { HealthModule } from './health.module.js';
export { LifeSigns, type Probe } from './life-signs.js';
