import base from '../../jest.config.js'

// Tests of what `npm pack` makes: they build and install first, so they have a command of their own.
/** @type {import('jest').Config} */
export default {
  rootDir: '../..',
  testEnvironment: base.testEnvironment,
  testMatch: ['<rootDir>/test/package/*.test.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: base.transform,
  globalSetup: '<rootDir>/test/package/pack.ts',
  globalTeardown: '<rootDir>/test/package/unpack.ts',
  // Installing takes a registry's time.
  testTimeout: 120_000,
}
