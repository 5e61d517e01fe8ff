// Which files of tests run a file of the sources: asked of one run of all tests with coverage, and kept beside what other tools keep.
// Tests that have changed since then are asked again.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'

export const kept = 'node_modules/.cache/mutation/reach.json'

/**
 * `tests` is `{ 'test/api/body.test.ts': { hash: '…', ms: 900, reached: { 'src/body/body.ts': [0, 1, 4] } } }`: the numbers of statements.
 * `starts` is `{ 'src/body/body.ts': [[3, 0], [4, 2]] }`: where each statement begins, by line and column.
 */
export function readReach({ again, folders }) {
  if (again || !existsSync(kept)) {
    console.log('Which tests run which sources? All tests run once for this, which takes minutes.')
    return ask([], folders, { tests: {}, starts: {} })
  }
  const known = JSON.parse(readFileSync(kept, 'utf8'))
  const tests = readdirSync('test', { recursive: true })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts'))
  for (const test of Object.keys(known.tests)) if (!tests.includes(test)) delete known.tests[test]
  const changed = tests.filter((test) => known.tests[test]?.hash !== hashOf(test))
  return changed.length === 0 ? known : ask(changed, folders, known)
}

/** The reach of some tests, or of all, added to what is known of others. */
function ask(tests, folders, known) {
  const asked = [
    ...['--coverage', '--coverageReporters=json-summary', '--coverageDirectory=node_modules/.cache/mutation'],
    ...folders.map((folder) => `--collectCoverageFrom=${folder}/**/*.ts`),
    '--reporters=<rootDir>/scripts/mutation/reach-reporter.js',
    ...(tests.length > 0 ? ['--runTestsByPath', '--passWithNoTests', ...tests] : []),
  ]
  // A test that fails with coverage alone reaches nothing.
  try {
    execFileSync('npx', ['jest', ...asked], { stdio: 'inherit' })
  } catch {
    if (!existsSync(kept)) throw new Error(`Jest has written no ${kept}`)
  }
  const found = JSON.parse(readFileSync(kept, 'utf8'))
  const all = { tests: { ...known.tests, ...found.tests }, starts: { ...known.starts, ...found.starts } }
  for (const test of tests) all.tests[test] ??= { ms: 0, reached: {} }
  for (const [test, one] of Object.entries(all.tests)) {
    if (tests.length === 0 || tests.includes(test)) one.hash = hashOf(test)
  }
  writeFileSync(kept, JSON.stringify(all))
  return all
}

const hashOf = (file) => createHash('sha1').update(readFileSync(file)).digest('base64')
