/**
 * Measures the package beside node:http and other frameworks; bench/README.md says how and how to read it.
 *
 *     npm run bench -- [--quick] [--rows <regex>] [--node <binary>] [--json <file>] [--write]
 *                      [--against <revision>] [--cpu-prof <folder>] [--check]
 *
 * With `--check` it fails where the package makes an Express app dearer than Express alone.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildPackage } from './harness/build-package.js'
import { describeMachine } from './harness/machine.js'
import { measureRow } from './harness/measure.js'
import { listVersions, measureImports, measureSizes } from './harness/package-cost.js'
import { runRouteIndex } from './harness/route-index.js'
import { summariseImports, summariseRow, summariseSizes } from './report/summary.js'
import { importCells, rowCells, sizeCells, targetCells, toText } from './report/tables.js'
import { writeResults } from './report/write.js'
import { createRows } from './rows.js'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rows: { type: 'string', default: '' },
    node: { type: 'string', default: process.execPath },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    against: { type: 'string' },
    'cpu-prof': { type: 'string' },
    check: { type: 'boolean', default: false },
  },
})

// A slice is what one contender has in one round; times are milliseconds.
const settings = {
  ...(options.quick
    ? {
        processes: 1,
        rounds: 2,
        preciseRounds: 2,
        slice: 300,
        warmUpRequests: 2_000,
        longestWarmUp: 1_000,
        imports: 3,
      }
    : {
        processes: 2,
        rounds: 4,
        preciseRounds: 5,
        slice: 500,
        warmUpRequests: 10_000,
        longestWarmUp: 3_000,
        imports: 11,
      }),
  node: resolve(options.node),
  profiles: options['cpu-prof'] && resolve(options['cpu-prof']),
}

const started = performance.now()
const packages = [buildPackage()]
if (options.against !== undefined) packages.push(buildPackage(options.against))
process.on('exit', () => packages.forEach(({ remove }) => remove()))
process.on('SIGINT', () => process.exit(130))

const wanted = new RegExp(options.rows)
const results = {
  date: new Date().toISOString().slice(0, 10),
  command: `npm run bench${options.quick ? ' -- --quick' : ''}`,
  node: execFileSync(settings.node, ['--version'], { encoding: 'utf8' }).trim(),
  ...describeMachine(),
  versions: listVersions(),
  rows: [],
  targets: [],
}
console.log(`Node ${results.node}, ${results.machine}; ${results.load}; pinned: ${results.pinned}`)

const [{ entry }, before] = packages
for (const row of createRows({ entry, before: before?.entry })) {
  if (!wanted.test(row.name) || (options.quick && row.thorough)) continue
  const summary = summariseRow(row, await measureRow(row, settings))
  results.rows.push(summary)
  results.targets.push(...summary.targets)
  print(`${row.title}   [${row.name}]`, rowCells(summary))
}
if (wanted.test('import')) {
  results.imports = measureImports(entry, settings)
  results.targets.push(...summariseImports(results.imports))
  print('import, in a fresh process   [import]', importCells(results.imports))
}
if (wanted.test('size')) {
  results.sizes = await measureSizes(entry)
  results.targets.push(...summariseSizes(results.sizes))
  print('Size   [size]', sizeCells(results.sizes))
}
if (wanted.test('route index')) {
  console.log('\nRoute index   [route index]')
  results.routeIndex = await runRouteIndex(settings)
}
if (results.targets.length > 0) print('Targets', targetCells(results.targets))
console.log(`\n${Math.round((performance.now() - started) / 1000)} s`)

if (options.check) {
  for (const { title, base, contenders } of results.rows.filter(({ name }) => name.startsWith('app '))) {
    // By its best rounds and by their median: a single round may be anything.
    for (const { name, ratio } of contenders.filter(({ ratio }) => ratio.high < 1)) {
      console.error(`${title}: ${name} is dearer than ${base} (${(1 / ratio.median).toFixed(2)})`)
      process.exitCode = 1
    }
  }
}
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`)
if (options.write) await writeResults(results)

function print(title, cells) {
  console.log(`\n${title}\n${toText(cells)}`)
}
