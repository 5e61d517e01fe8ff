// Changes the sources of some folders in small ways, one at a time, and sees whether their unit tests notice:
// `npm run test:mutation`, or `npm run test:mutation -- src/body src/routing/scope.ts`.
//
// One run for each file, with the tests of that file alone, `test/body/json.test.ts` or `test/body/json.….test.ts` of
// `src/body/json.ts`: Jest loads all test files that it knows for each change, and most of the time goes there.
import { Stryker } from '@stryker-mutator/core'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = ['routing', 'body', 'node']
const asked = process.argv.slice(2)

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .sort()
const isAsked = (file) =>
  asked.length === 0 || asked.some((path) => file === path || file.startsWith(path.replace(/\/?$/, '/')))

/** The tests of `src/body/json.ts`. */
function testsOf(source, tests) {
  const name = source.slice('src/'.length, -'.ts'.length)
  return tests.filter((test) => test.startsWith(`test/${name}.`) && test.endsWith('.test.ts'))
}

const total = { file: 'all', killed: 0, timeout: 0, survived: 0, uncovered: 0 }
const rows = [total]
const untested = []
// Not in the project, where everybody's Jest would find a second copy of it.
const tempDirName = mkdtempSync(join(tmpdir(), 'mutation-'))
try {
  for (const folder of folders) {
    const tests = filesOf(`test/${folder}`)
    for (const file of filesOf(`src/${folder}`).filter(isAsked)) {
      const own = testsOf(file, tests)
      if (own.length === 0) {
        untested.push(file)
        continue
      }
      const mutants = await new Stryker({
        mutate: [file],
        tempDirName,
        jest: { config: { testMatch: own.map((test) => `<rootDir>/${test}`) } },
      }).runMutationTest()
      const count = (status) => mutants.filter((mutant) => mutant.status === status).length
      const row = {
        file,
        killed: count('Killed'),
        timeout: count('Timeout'),
        survived: count('Survived'),
        uncovered: count('NoCoverage'),
      }
      for (const name of ['killed', 'timeout', 'survived', 'uncovered']) total[name] += row[name]
      rows.push(row)
    }
  }
} finally {
  rmSync(tempDirName, { recursive: true, force: true })
}

console.table(
  rows.map(({ file, killed, timeout, survived, uncovered }) => {
    const noticed = killed + timeout
    const score = ((100 * noticed) / (noticed + survived + uncovered)).toFixed(1)
    return { file, killed, timeout, survived, uncovered, score }
  }),
)
if (untested.length > 0) console.log(`Without unit tests of their own: ${untested.join(', ')}`)
