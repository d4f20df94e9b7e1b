const UNAVAILABLE = [
  /^Command timed out/,
  /^Connection is closed/,
  /Stream isn't writeable and enableOfflineQueue/,
  /^Reached the max retries per request limit/,
  /^ClusterAllFailedError/,
  /^(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|OOM|MISCONF|BUSY|NOREPLICAS) ?/,
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT/,
];

/** Whether Redis could not be asked, or could not take a write, just now (as opposed to a wrong command). */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'ClusterAllFailedError') return true;
  return error.name !== 'QueryFailedError' && UNAVAILABLE.some((pattern) => pattern.test(error.message));
}
