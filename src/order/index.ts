export { EXPIRY_QUEUE } from './expiry.schedule.js';
export { OrderModule } from './order.module.js';
export { ProofService } from './proof.service.js';
export { SaleUnits, type ItemUnits } from './stats/sale-units.js';
export { StatsReader } from './stats/stats.reader.js';
