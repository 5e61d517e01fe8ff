import base from './jest.config.js'

// Read by test/support/counts.ts, in each process that runs tests.
process.env.TEST_ALL = '1'

/** @type {import('jest').Config} */
export default {
  ...base,
  collectCoverage: true,
  coverageReporters: [['text', { skipFull: true }]],
  coverageThreshold: { global: { lines: 99.5, branches: 98 } },
}
