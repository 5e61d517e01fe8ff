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
  // Types are checked once, by `npm run types`; each test file is only transpiled.
  transform: {
    '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.test.json' }],
  },
  collectCoverageFrom: ['src/**/*.ts'],
  coverageThreshold: { global: { lines: 99.5, branches: 98 } },
}
