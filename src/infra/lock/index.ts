export { LeaderJob } from './leader-job.js';
export { LeaderLock, type Exclusive } from './leader-lock.js';
export { LockModule } from './lock.module.js';
