import base from './jest.config.mjs';

/** The fault suite: real processes and servers of its own, broken on purpose. @type {import('jest').Config} */
export default { ...base, testMatch: ['<rootDir>/test/faults/**/*.spec.ts'], testPathIgnorePatterns: [], globalSetup: undefined, globalTeardown: undefined, maxWorkers: 1 };
