/** What a run of the tests leaves in its folder (TEST_DATA_DIR) for `npm test`: the servers that ended by themselves, a line each. */
export const FALLEN_SERVERS = 'fallen-servers';
/** The test files that failed, a line each. */
export const FAILED_FILES = 'failed-files';
