// Applications of others whose routes are moved: how each one starts, and how its tests run.

export interface App {
  /** What `--entry` gets. */
  readonly entry: string
  readonly parameters?: readonly string[]
  /** Makes what the checkout has not got: data, and what is built. */
  readonly prepare?: string
  /** Builds what runs of what was written. */
  readonly build?: string
  /** Which files are its own, where git's pattern has to say so: those of a folder `node_modules`. */
  readonly files?: string
  readonly test: string
  readonly testEnv?: Readonly<Record<string, string>>
  /** Packages of this repository that it runs by here. */
  readonly needs?: readonly string[]
  readonly timeLimitMs?: number
}

export const apps: Readonly<Record<string, App>> = {
  'express-typescript': {
    entry: 'src/index.ts',
    test: 'npx vitest run',
  },
  'express-api-starter-ts': {
    entry: 'src/index.ts',
    test: 'npx vitest run',
  },
  'json-server': {
    prepare: `npx babel src -d lib --source-maps && echo '{ "posts": [{ "id": 1 }], "comments": [{ "id": 1, "postId": 1 }], "profile": { "name": "x" } }' > db.json`,
    entry: 'lib/cli/bin.js',
    timeLimitMs: 120_000,
    parameters: ['db.json', '--port', '3456'],
    build: 'npx babel src -d lib --source-maps',
    // Its tests of the command wait for another process.
    test: 'npx jest --testTimeout 60000',
    testEnv: { NODE_ENV: 'test' },
  },
  'actual-server': {
    entry: 'app.js',
    test: 'npx jest',
    testEnv: { NODE_ENV: 'test', NODE_OPTIONS: '--experimental-vm-modules' },
  },
  'peerjs-server': {
    entry: 'bin/peerjs.ts',
    parameters: ['--port', '9000'],
    needs: ['tsx'],
    test: 'npx jest',
  },
  'testing-node-apps': {
    entry: 'dev.js',
    test: 'npx jest --config test/jest.config.final.js',
  },
  'juice-shop': {
    prepare:
      'npx tsc; mkdir -p frontend/dist/frontend && cp -r frontend/src/assets frontend/src/index.html frontend/dist/frontend && cd frontend/dist/frontend && touch styles.css main.js polyfills.js hacking-instructor-1.js',
    entry: 'app.ts',
    timeLimitMs: 120_000,
    test: 'node --import ./test/api/helpers/test-env.mjs --import tsx --test --test-force-exit "test/api/**/*.test.ts"',
  },
  'node-red': {
    entry: 'packages/node_modules/node-red/red.js',
    parameters: ['--userDir', 'data'],
    files: 'packages/node_modules/**/*.js',
    test: 'npx mocha "test/unit/@node-red/editor-api/**/*_spec.js" --exit --timeout 10000',
  },
  'signalk-server': {
    prepare: 'npm run build:workspaces; npx tsc --sourceMap',
    entry: 'bin/signalk-server',
    parameters: ['-c', 'settings'],
    // With other versions of its packages than those of its authors it has errors of types of its own.
    build: 'npx tsc --sourceMap; true',
    timeLimitMs: 60_000,
    test: 'npx mocha "test/*.[jt]s"',
    testEnv: { NODE_ENV: 'test' },
  },
  'etherpad-lite': {
    entry: 'src/node/server.ts',
    timeLimitMs: 60_000,
    test: 'cd src && npx mocha --import=tsx --timeout 120000 --recursive "tests/backend/specs/**.ts"',
    testEnv: { NODE_ENV: 'production' },
  },
}
