import { randomUUID } from 'node:crypto'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

// For test/support/bundled.ts, in each process that runs tests.
process.env.SHARED_PROGRAMS = join(tmpdir(), `programs-${randomUUID()}`)

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '<rootDir>/test/package/',
    '<rootDir>/test/fleet/',
    // `npm run test:slow` has these: each of their tests is slow.
    '\\.slow\\.test\\.ts$',
    // `npm run test:all` alone has this one, which compiles all of this repository several times.
    '<rootDir>/test/repository/touch.test.ts',
  ],
  moduleNameMapper: {
    '^routecontrollers$': '<rootDir>/src/index.ts',
    '^routecontrollers/express$': '<rootDir>/src/express/index.ts',
    '^routecontrollers/express-model$': '<rootDir>/src/express/express-model.ts',
    '^routecontrollers/(introspection|migrate)$': '<rootDir>/src/$1.ts',
    '^@routecontrollers/(cli|switch)$': '<rootDir>/packages/$1/src/index.ts',
    '^routecontrollers/(bun|deno|lambda|workers)$': '<rootDir>/src/runtimes/$1.ts',
    '^routecontrollers/openapi$': '<rootDir>/src/openapi/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  runtime: '<rootDir>/scripts/jest-runtime.cjs',
  testRunner: '<rootDir>/scripts/jest-quiet.cjs',
  // Jest runs a file in a context of its own, where each look at a global costs. These become parameters of each module. No module may
  // declare a name that is one of them.
  sandboxInjectedGlobals: 'Array Error JSON Map Math Number Object Promise Reflect Set String Symbol'.split(
    ' ',
  ),
  globalTeardown: '<rootDir>/scripts/jest-remove-programs.js',
  setupFilesAfterEnv: ['disable-storages', 'leave-channels'].map(
    (file) => `<rootDir>/test/support/${file}.ts`,
  ),
  // arktype has no CommonJS, and wasmoon loads parts of itself by import().
  transform: {
    '^.+\\.ts$|/node_modules/(?:arktype|arkregex|@ark|wasmoon)/.+\\.js$': [
      '<rootDir>/scripts/jest-typescript.js',
      {
        // Types are checked once, by `npm run types`. Jest gives a test its own modules through `require` alone.
        tsconfig: {
          module: 'CommonJS',
          moduleResolution: 'Bundler',
          verbatimModuleSyntax: false,
          allowJs: true,
          rootDir: '.',
        },
        astTransformers: { before: ['<rootDir>/scripts/jest-import-meta.cjs'] },
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/(?!(?:arktype|arkregex|@ark|wasmoon)/)'],
  reporters: ['<rootDir>/scripts/jest-progress.js'],
  // Jest alone leaves a core free, one of two. Two processes more than there are cores, because many tests wait: for limits of time,
  // and for the processes that they start.
  maxWorkers: availableParallelism() + 2,
  // A new process loads and compiles everything anew, so a process stays. What it keeps of the files before is little: jest-runtime.cjs.
  workerIdleMemoryLimit: '1GB',
  // A process ends by itself. On a busy machine that takes longer than the half second after which Jest ends it, and says so.
  workerGracefulExitTimeout: 10_000,
  // What is waited for depends on the machine; nothing that is asserted does.
  testTimeout: 120_000,
  collectCoverageFrom: ['{src,packages/*/src}/**/*.ts'],
}
