import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import base from './jest.config.js'

// Read by test/support/counts.ts, in each process that runs tests.
process.env.TEST_SLOW = '1'

/** The files that have tests of `itSlow` or `slowRows`, of all ways of serving a migration, and those that the loop leaves out as a whole. */
const names = readdirSync('test', { recursive: true })
  .map((name) => join('test', name).replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.test.ts') && !/^test\/(?:package|fleet)\//.test(name))
const slow = names.filter(
  (name) =>
    name.endsWith('.slow.test.ts') || /\b(?:itSlow|slowRows|describeWays)\b/.test(readFileSync(name, 'utf8')),
)

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: slow.map((name) => `<rootDir>/${name}`),
  testPathIgnorePatterns: [],
}
