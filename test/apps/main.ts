// Moves the routes of applications of others, or takes them the whole road, and runs their own tests: `npm run apps -- move FOLDER [--app NAME]`,
// `npm run apps -- road FOLDER`. The folder has checkouts by the names of the table, with their dependencies installed. Nothing is fetched, and no
// checkout is changed.
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type App, apps } from './apps.js'
import { type Moved, moveAll } from './move.js'
import { goRoad, type Step } from './road.js'
import { runShell } from './own-tests.js'
import { copyOf, pack } from './working-copy.js'

const { values, positionals } = parseArgs({
  options: { app: { type: 'string' }, keep: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [what, folder] = positionals
if ((what !== 'move' && what !== 'road') || folder === undefined || !existsSync(folder)) {
  console.error(
    'npm run apps -- move FOLDER, or road FOLDER, takes a folder of checkouts: ' +
      Object.keys(apps).join(', '),
  )
  process.exit(2)
}
const found = readdirSync(folder).filter(
  (name) => name in apps && (values.app === undefined || name === values.app),
)
if (found.length === 0) {
  console.error(`${folder} has none of ${Object.keys(apps).join(', ')}`)
  process.exit(2)
}

const rows: [string, Moved][] = []
const roads: [string, readonly Step[]][] = []
const packed = pack()
try {
  for (const name of found) {
    const app: App = apps[name]!
    const checkout = resolve(folder, name)
    if (!existsSync(join(checkout, 'node_modules'))) {
      console.error(`${name}: run npm install in ${checkout} first`)
      process.exitCode = 1
      continue
    }
    const copy = copyOf(checkout, packed.tarballs, app.needs ?? [])
    const tell = (line: string): void => void console.error(`${name}: ${line}`)
    if (values.keep) tell(copy.folder)
    try {
      if (app.prepare !== undefined) {
        const { code, output } = await runShell(app.prepare, copy.folder)
        if (code !== 0) tell(`${app.prepare} has ended with ${code}: ${output.slice(-2_000)}`)
        copy.commit('prepared')
      }
      if (what === 'move') rows.push([name, await moveAll(app, copy, tell)])
      else roads.push([name, await goRoad(app, copy, tell)])
    } catch (error) {
      tell((error as Error).message)
      process.exitCode = 1
    } finally {
      if (!values.keep) copy.remove()
    }
  }
} finally {
  packed.remove()
}
if (what === 'move') printMoves()
else printRoads()

function printRoads(): void {
  console.log('| app | step | what was done | tests that pass |')
  console.log('| --- | --- | --- | ---: |')
  for (const [name, steps] of roads) {
    for (const { what: step, told, passed, isGood } of steps) {
      console.log(`| ${name} | ${step} | ${told} | ${passed} |`)
      if (isGood) continue
      console.error(`${name}: ${step} is not as it should be`)
      process.exitCode = 1
    }
  }
}

function printMoves(): void {
  console.log(
    '| app | routes | native | beside | left | new lines a route | tests before | native | native, failing | legacy, failing | check |',
  )
  console.log('| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | --- |')
  for (const [name, { routes, native, beside, left, lines, before, failing, legacy, after, check }] of rows) {
    const why = [...left].map(([reason, count]) => `${count} ${reason}`).join('; ')
    const perRoute = (lines / Math.max(beside, 1)).toFixed(1)
    const tests = [before, after, failing, legacy].map(({ passed }) => passed).join(' | ')
    console.log(
      `| ${name} | ${routes} | ${native} | ${beside} | ${why} | ${perRoute} | ${tests} | ${check} |`,
    )
    const isWhole = before.passed > 0 && after.passed >= before.passed && legacy.passed >= before.passed
    // Tests that pass with callbacks that fail have asked none of them.
    const isProven = failing.passed < before.passed
    if (!isProven) console.error(`${name}: none of its tests asks a native callback`)
    if (!isWhole || !isProven || check !== 'clean' || beside < routes * 0.95) process.exitCode = 1
  }
}
