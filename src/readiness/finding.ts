export const FINDING_STATUSES = ['ok', 'warning', 'failed'] as const;

/** What a check came to. */
export interface Finding {
  status: (typeof FINDING_STATUSES)[number];
  /** What is so, and where it is not as it should be what to do. */
  message: string;
  figures: Record<string, number | string>;
}

export const CHECKS = [
  'clock_redis', 'clock_mysql', 'tokens_loaded', 'eviction_policy', 'persistence', 'worker_alive', 'scheduler_alive', 'last_rehearsal',
] as const;
export type CheckName = (typeof CHECKS)[number];
