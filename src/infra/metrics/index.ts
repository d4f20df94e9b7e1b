export { Metrics, MetricsModule } from './metrics.js';
