export { OrderModule } from './order.module.js';
export { ProofService } from './proof.service.js';
export { StatsReader } from './stats/stats.reader.js';
