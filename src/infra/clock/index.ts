export { ClockModule } from './clock.module.js';
export { RedisClock } from './redis-clock.js';
