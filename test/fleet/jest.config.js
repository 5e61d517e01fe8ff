import base from '../../jest.config.js'

// What several processes do with a Redis of their own: it must be installed, so these tests have a command of their own.
/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/fleet/*.test.ts'],
  testPathIgnorePatterns: [],
  globalSetup: '<rootDir>/test/fleet/require-redis.ts',
  // A Redis each: as many as there are files.
  maxWorkers: 2,
  testTimeout: 60_000,
}
