// Which files of tests run a file of the sources: asked of one run of all tests with coverage, and kept beside what other tools keep.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

export const kept = 'node_modules/.cache/mutation/reach.json'

/**
 * `tests` is `{ 'test/api/body.test.ts': { ms: 900, reached: { 'src/body/body.ts': [0, 1, 4] } } }`: the numbers of statements.
 * `starts` is `{ 'src/body/body.ts': [[3, 0], [4, 2]] }`: where each statement begins, by line and column.
 */
export function readReach({ again }) {
  if (again || !existsSync(kept)) {
    console.log('Which tests run which sources? All tests run once for this, which takes minutes.')
    const asked = [
      '--coverage',
      '--coverageReporters=json-summary',
      '--coverageDirectory=node_modules/.cache/mutation',
      '--reporters=<rootDir>/scripts/mutation/reach-reporter.js',
    ]
    // A test that fails with coverage alone is left out of what is kept.
    try {
      execFileSync('npx', ['jest', ...asked], { stdio: 'inherit' })
    } catch {
      if (!existsSync(kept)) throw new Error(`Jest has written no ${kept}`)
    }
  }
  return JSON.parse(readFileSync(kept, 'utf8'))
}
