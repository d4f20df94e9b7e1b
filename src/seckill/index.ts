export { DRAIN_QUEUE, DrainSignal } from './drain-signal.js';
export { SaleTally } from './sale-tally.js';
export { SeckillModule } from './seckill.module.js';
export { SeckillScripts, type HeldElsewhere, type SettleOutcome, type Settlement } from './seckill.scripts.js';
export { StockScripts, type ShardLine, type TokenPlaces, type Withdrawal } from './stock.scripts.js';
