import base from './jest.config.js'

// Read by test/support/counts.ts, in each process that runs tests.
process.env.TEST_ALL = '1'

/** @type {import('jest').Config} */
export default {
  ...base,
  testPathIgnorePatterns: base.testPathIgnorePatterns.slice(0, 2),
  collectCoverage: true,
  coverageReporters: [['text', { skipFull: true }]],
  // Some files run in processes of their own alone, in test/migrate and in test/package: the two entries, what they load for a look at an
  // app, and those that say where a package is now. What is in `browser` runs in Chromium, in test/migrate/switch/page.test.ts.
  collectCoverageFrom: [
    '{src,packages/*/src}/**/*.ts',
    '!src/{command,migrate}.ts',
    '!packages/cli/src/{cli,preload}.ts',
    '!packages/cli/src/{doctor/obstacles,inspect/own-functions}.ts',
    '!packages/switch/src/page/browser/**',
  ],
  coverageThreshold: {
    global: { lines: 99.5, branches: 98 },
    './packages/': { lines: 95, branches: 83 },
  },
}
