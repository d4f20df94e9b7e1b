export { QueueModule } from './queue.module.js';
