import base from '../jest.config.js'

// The packed package in each environment that is promised. Installing them takes a minute or two, and a gigabyte.
/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/package/environments/*.test.ts'],
  // Programs that run one after the other: Jest itself does next to nothing meanwhile.
  maxWorkers: '100%',
  globalSetup: '<rootDir>/test/package/environments/install.ts',
}
