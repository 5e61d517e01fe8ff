/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['<rootDir>/test/package/'],
  moduleNameMapper: {
    '^routecontrollers$': '<rootDir>/src/index.ts',
    '^routecontrollers/express$': '<rootDir>/src/express/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  setupFilesAfterEnv: ['<rootDir>/test/support/disable-storages.ts'],
  transform: { '^.+\\.ts$': '<rootDir>/scripts/jest-transform.js' },
  reporters: ['<rootDir>/scripts/jest-progress.js'],
  // Jest leaves a core to itself otherwise, and has one of two.
  maxWorkers: '100%',
  collectCoverageFrom: ['src/**/*.ts'],
}
