const UNAVAILABLE = [
  /^Command timed out/,
  /^Connection is closed/,
  /Stream isn't writeable and enableOfflineQueue/,
  /^Reached the max retries per request limit/,
  /^ClusterAllFailedError/,
  /^Cluster (isn't ready and enableOfflineQueue|is ended)/,
  /^(None of startup nodes is available|Failed to refresh slots cache|Too many Cluster redirections)/,
  /^(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|OOM|MISCONF|BUSY|NOREPLICAS) ?/,
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT/,
];

/** Whether Redis could not be asked, or could not take a write, just now (as opposed to a wrong command). */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'ClusterAllFailedError') return true;
  return error.name !== 'QueryFailedError' && UNAVAILABLE.some((pattern) => pattern.test(error.message));
}
