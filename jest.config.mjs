/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
        },
        module: { type: 'es6' },
      },
    ],
  },
  setupFiles: ['reflect-metadata'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/faults/faults.spec.ts', '<rootDir>/test/faults/soak.spec.ts'],
  globalSetup: '<rootDir>/test/harness/global-setup.mjs',
  globalTeardown: '<rootDir>/test/harness/global-teardown.mjs',
  reporters: ['default', '<rootDir>/test/harness/failed-files.reporter.mjs'],
  // A worker keeps the modules of each file that it has run.
  workerIdleMemoryLimit: '1.5GB',
  maxWorkers: 2,
  testTimeout: 60_000,
};
