// Changes of sources against a few files of tests, all in this process: a hundredth of a second for each, where Jest takes seconds.
// A change is asked of the tests that run it, one file of tests after the other, until one fails. The changes are Stryker's.
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { blocksAround, compileTests, loadTests, runTests } from './test-file.js'

/**
 * A test may take so many milliseconds without a change, and with one so many times as long as without it, but at least so many. Where
 * a change runs so often, the test is ended too.
 */
const [longestAlone, timesAsLong, shortest, mostHits] = [20_000, 10, 300, 5_000_000]
/** Of one file of tests those are asked of a change that take so many milliseconds of the processor together. */
const mostOfFile = 200

const silent = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].flatMap((level) => [
    [level, () => {}],
    [`is${level[0].toUpperCase()}${level.slice(1)}Enabled`, () => false],
  ]),
)
/** What the instrumented sources read and write. */
const stryker = (globalThis.__stryker__ ??= {})

/** Gives for each file its changes, as Stryker reports them. `ranges` is what `mutate` takes: `['src/run/chain.ts:12-14']`. */
export async function* mutantsInProcess(ranges, testFiles) {
  const { files, mutants } = await new Instrumenter(silent).instrument(filesOf(ranges), {
    ...{ plugins: null, excludedMutations: [], ignorers: [] },
  })
  const changed = new Map(files.map(({ name, content }) => [resolve(name), content]))
  const suites = []
  for (const file of testFiles) suites.push(await readSuite(file, changed))
  for (const { name } of files) {
    const found = []
    for (const mutant of mutants) {
      if (mutant.fileName !== name || mutant.ignoreReason !== undefined) continue
      const { fileName, location, replacement } = mutant
      const place = ({ line, column }) => ({ line: line + 1, column: column + 1 })
      const { start, end } = location
      const status = await statusOf(String(mutant.id), suites)
      found.push({ fileName, location: { start: place(start), end: place(end) }, replacement, status })
    }
    yield [name, found]
  }
}

/** Runs all tests of a file without a change, to see which changes each runs and how long it takes. What fails is left out. */
async function readSuite(file, changed) {
  const compiled = await compileTests(file, changed)
  const loaded = load(compiled)
  const all = new Set(loaded.tests.map(({ number }) => number))
  const [entered, ids, left] = [[], new Map(), new Set()]
  const entering = (one) => {
    if (!ids.has(one)) ids.set(one, String(ids.size))
    stryker.currentTestId = ids.get(one)
    entered.push({ one, at: performance.now(), used: cpuMs() })
  }
  const failing = ({ number, test, error }) => {
    left.add(number)
    console.log(`${file}: fails without Jest, and is left out: ${test}: ${error.message.split('\n', 1)[0]}`)
  }
  const failed = await runTests(loaded, all, longestAlone, { entering, failing })
  if (failed !== undefined)
    throw new Error(`Without a change, a hook of ${file} fails: ${failed.error.message}`)
  stryker.currentTestId = undefined
  const { static: atLoad, perTest } = stryker.mutantCoverage
  entered.push({ at: performance.now(), used: cpuMs() })
  const tests = new Map()
  for (const [place, { one: test, at, used }] of entered.slice(0, -1).entries()) {
    if (test.run === undefined || left.has(test.number)) continue
    const next = entered[place + 1]
    const runs = [test, ...blocksAround(test)].flatMap((one) => Object.keys(perTest[ids.get(one)] ?? {}))
    const { name, number } = test
    tests.set(number, { name, ms: next.at - at, cost: next.used - used, runs: new Set(runs) })
  }
  return { file, compiled, tests, atLoad: new Set(Object.keys(atLoad)), alone: new Map() }
}

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function load(compiled) {
  stryker.mutantCoverage = { static: {}, perTest: {} }
  stryker.currentTestId = undefined
  return loadTests(compiled)
}

async function statusOf(id, suites) {
  let status = 'NoCoverage'
  for (const suite of suites) {
    const failed = await firstToFail(suite, id)
    if (failed?.error.isTimeout || /^Stryker: Hit count/.test(failed?.error.message)) return 'Timeout'
    if (failed !== undefined) return 'Killed'
    if (testsFor(id, suite).size > 0) status = 'Survived'
  }
  return status
}

/** The first test of a file that fails with a change, and passes without it. */
async function firstToFail(suite, id) {
  for (;;) {
    const chosen = testsFor(id, suite)
    if (chosen.size === 0) return undefined
    let failed = await run(suite, chosen, id)
    // What nothing has caught may be of the change before.
    if (failed?.error.isUncaught) failed = await run(suite, chosen, id)
    if (failed === undefined) return undefined
    const { number = [...chosen][0] } = failed
    if (!suite.alone.has(number)) suite.alone.set(number, await run(suite, new Set([number]), undefined))
    const alone = suite.alone.get(number)
    if (alone === undefined) return failed
    console.log(`${suite.file}, leaves out what fails alone: ${alone.test}`)
    suite.tests.delete(number)
  }
}

/**
 * The numbers of the tests that run the change, without those that take too long together: first what runs little else. Of those of one
 * name, which ask the same in several ways of serving, one has its turn before all have a second one.
 */
function testsFor(id, { tests, atLoad }) {
  const running = [...tests].filter(([, { runs }]) => atLoad.has(id) || runs.has(id))
  running.sort(([, a], [, b]) => a.runs.size - b.runs.size)
  const [chosen, inTurns, rounds] = [new Set(), [], new Map()]
  for (const [number, { name, cost }] of running) {
    const before = rounds.get(name) ?? 0
    rounds.set(name, before + 1)
    inTurns.push({ number, cost, round: before })
  }
  inTurns.sort((a, b) => a.round - b.round)
  let left = mostOfFile
  for (const { number, cost } of inTurns) {
    if (left > 0) chosen.add(number)
    left -= cost
  }
  return chosen
}

/** Runs the chosen tests of a file with one change, or with none: the first one that fails, with its error. */
async function run({ compiled, tests }, chosen, id) {
  const ms = Math.max(...[...chosen].map((number) => tests.get(number).ms))
  Object.assign(stryker, { activeMutant: id, hitCount: 0, hitLimit: mostHits })
  try {
    return await runTests(load(compiled), chosen, Math.max(shortest, timesAsLong * ms))
  } catch (error) {
    return { error: error ?? new Error('threw nothing') }
  } finally {
    stryker.activeMutant = undefined
  }
}

/** Files with the lines of them that may be changed. */
function filesOf(ranges) {
  const files = new Map()
  for (const range of ranges) {
    const [, name, first, last] = /^(.*?)(?::(\d+)-(\d+))?$/.exec(range)
    const file = files.get(name) ?? { name, content: readFileSync(name, 'utf8'), mutate: [] }
    files.set(name, file)
    const end = { line: Number(last) - 1, column: Infinity }
    if (first === undefined) file.mutate = true
    else file.mutate.push({ start: { line: Number(first) - 1, column: 0 }, end })
  }
  return [...files.values()]
}
