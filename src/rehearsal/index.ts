export { eachAtOnce } from './crowd/at-once.js';
export { CrowdClient, CrowdFault } from './crowd/crowd-client.js';
export { CrowdShopper, type Decided, type Joined } from './crowd/crowd-shopper.js';
export { MOST_SHOPPERS } from './dto/rehearsal.requests.js';
export { Rehearsal } from './entities/rehearsal.entity.js';
export type { RehearsalReport } from './rehearsal-report.js';
export { RehearsalModule } from './rehearsal.module.js';
export { RehearsalRunner, type Begun } from './rehearsal.runner.js';
export { Rehearsals, type RehearsalEnd, type RehearsalPlan, type RehearsalProgress } from './rehearsals.js';
