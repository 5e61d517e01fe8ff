// Takes an app the whole road, and runs its own tests at each step: served in front of itself, moved, under shadow, as a canary with callbacks
// that fail, native, retired, and lifted where it can be.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from './apps.js'
import { edit, type Edited, noRoutes } from './edit.js'
import { type Result, runShell, runTests } from './own-tests.js'
import { plantFailures, wrapAppsIn } from './states.js'
import type { WorkingCopy } from './working-copy.js'

/** One step: what was done, and how many tests have passed. */
export interface Step {
  readonly what: string
  readonly told: string
  readonly passed: number
  readonly isGood: boolean
}

/** What the apps note in a file: each difference and each rollback, and how much was compared so far. */
interface Noted {
  readonly id: string
  readonly compared?: number
  readonly difference?: string
  readonly rollback?: string
}

/** In which state each route begins. */
interface States {
  readonly all: string
  /** By the key of a route, where that is another one. */
  readonly rest?: Readonly<Record<string, string>>
}

/** So many times the tests run with callbacks that fail, at most: each time some routes go back. */
const mostRounds = 8

// An app in front of itself. A proxy is the app to its users, and to what listens it is what serves the app.
const served = `((app) => {
  const { ROAD_STATES: given, ROAD_NOTES: notes } = process.env
  const logger = { info() {}, warn() {}, error() {} }
  if (given) {
    const { all, rest = {} } = JSON.parse(given)
    const id = String(process.pid) + String(Math.random())
    const note = (one) => appendFileSync(notes, JSON.stringify({ id, ...one }) + '\\n')
    const switching = migration({
      app, logger,
      initial: (route) => rest[route] ?? all,
      stickyBy: () => 'one',
      // A test asks a route once or twice, and its process ends then: the first failure has to be enough, without a copy for legacy.
      rollback: { minAnswers: 1, errorRate: 0, falseAlarmRate: 0.5 },
      shadow: all === 'shadow' && { maxUtilization: 1, maxDelayMs: 10000 },
    })
    switching.on('difference', (one) => note({ difference: [one.route, one.what, one.name].join(' ') }))
    switching.on('rollback', (one) => note({ rollback: one.route }))
    let before = 0
    setInterval(() => {
      const compared = switching.status().routes.reduce((sum, { shadow }) => sum + shadow.compared, 0)
      if (compared > before) note({ compared })
      before = compared
    }, 20).unref?.()
  }
  let serve
  return new Proxy(app, {
    apply(target, self, [req, res, next]) {
      if (next !== undefined) return Reflect.apply(target, self, [req, res, next])
      serve ??= toListener(
        new RouteControllers(toControllers(target, { middleware: true }).controllers, { profile: fromApp(target), logger }).getCallback(),
        { fallback: target, logger },
      )
      return serve(req, res)
    },
  })
})`
const imports = {
  // Jest 26 finds no module by a name with node:.
  fs: ['appendFileSync'],
  routecontrollers: ['RouteControllers', 'toListener'],
  'routecontrollers/express': ['fromApp', 'toControllers'],
  '@routecontrollers/switch': ['migration'],
}

export async function goRoad(app: App, copy: WorkingCopy, tell: (line: string) => void): Promise<Step[]> {
  const { folder, git, commit } = copy
  const notes = join(folder, 'node_modules/road-notes')
  const steps: Step[] = []
  let baseline = 0
  const add = (what: string, told: string, result: Result, isGood = true): void => {
    const { passed } = result
    const isWhole = passed > 0 && passed >= baseline
    steps.push({ what, told, passed, isGood: isGood && isWhole })
    tell(`${what}: ${told}; ${passed} tests pass, ${result.failed} fail`)
    if (!isWhole) tell(result.output.split('\n').slice(-60).join('\n'))
  }
  /** Some tests of others depend on time. What they find has to be so three times. */
  const test = async (env: Readonly<Record<string, string>> = {}, mostTimes = 3): Promise<Result> => {
    let best: Result | undefined
    for (let times = 0; times < mostTimes && (best === undefined || best.passed < baseline); times++) {
      const result = await runTests(app.test, folder, { ...app.testEnv, ...env })
      if (best === undefined || result.passed > best.passed) best = result
    }
    return best!
  }
  const build = async (): Promise<void> => {
    if (app.build !== undefined) await runShell(app.build, folder)
  }
  /** Runs the tests with each app in front of itself, and leaves the files as they were. */
  const testServed = async (
    states?: States,
    isFailing = false,
  ): Promise<{ readonly result: Result; readonly noted: readonly Noted[] }> => {
    rmSync(notes, { force: true })
    if (isFailing) plantFailures(copy)
    wrapAppsIn(copy, imports, served)
    await build()
    const env = states === undefined ? {} : { ROAD_STATES: JSON.stringify(states) }
    const result = await test({ ...env, ROAD_NOTES: notes }, isFailing ? 1 : undefined)
    git('checkout', '-q', '.')
    await build()
    return { result, noted: readNotes(notes) }
  }
  const ran = async (
    what: string,
    name: Parameters<typeof edit>[0],
    options: readonly string[],
    counted: string,
  ): Promise<Edited> => {
    const edited = await edit(name, app, folder, options)
    const own = edited.rows.filter(({ left }) => left === undefined || !noRoutes.includes(left))
    const taken = own.filter(({ left }) => left === undefined)
    for (const row of own)
      if (row.left !== undefined) tell(`${name} leaves ${row.method} ${row.path}: ${row.left}`)
    commit(what)
    const told = `${taken.length} of ${own.length} ${counted}; check: ${edited.check}`
    const isGood = edited.check === 'clean' || (name === 'lift' && edited.check === 'not compared')
    add(what, told, await test(), isGood)
    return edited
  }

  const before = await test()
  baseline = before.passed
  add('as it is', `${before.failed} fail before anything is done`, before)
  git('checkout', '-q', '.')
  add('serve', 'each app in front of itself', (await testServed()).result)

  const files = app.files === undefined ? [] : git('ls-files', app.files).trim().split('\n')
  const moved = await ran('move', 'move', ['--as-is', '--write', ...files], 'routes beside')

  const shadow = await testServed({ all: 'shadow' })
  const compared = comparedIn(shadow.noted)
  const differences = [...new Set(shadow.noted.flatMap(({ difference }) => difference ?? []))]
  for (const one of differences) tell(`differs: ${one}`)
  const isSame = compared > 0 && differences.length === 0
  add('shadow', `${compared} answers compared, ${differences.length} differ`, shadow.result, isSame)

  // Callbacks that fail go back to their handlers. Where these begin the next time, the tests pass in the end, with the same callbacks.
  const rolledBack = new Set<string>()
  let last: Result = before
  let rounds = 0
  for (let isChanged = true; (isChanged || last.passed < baseline) && rounds < mostRounds; rounds++) {
    const rest = Object.fromEntries([...rolledBack].map((route) => [route, 'legacy']))
    const { result, noted } = await testServed({ all: 'canary 100%', rest }, true)
    const { size } = rolledBack
    for (const { rollback } of noted) if (rollback !== undefined) rolledBack.add(rollback)
    tell(`canary, round ${rounds + 1}: ${result.passed} pass, ${rolledBack.size} routes have gone back`)
    last = result
    isChanged = rolledBack.size > size
  }
  const told = `callbacks that fail: ${rolledBack.size} routes go back, then the tests run with them`
  add('canary', told, last, rolledBack.size > 0)

  add('native', 'all callbacks answer', (await testServed({ all: 'native' })).result)
  if (moved.rows.some(({ left }) => left === undefined))
    await ran('retire', 'retire', ['--routes', '/**', '--write'], 'routes retired')
  await ran('lift', 'lift', ['--write'], 'routes lifted')
  return steps
}

function readNotes(file: string): readonly Noted[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Noted)
}

/** The last count of each app. */
function comparedIn(noted: readonly Noted[]): number {
  const counts = new Map<string, number>()
  for (const { id, compared } of noted) if (compared !== undefined) counts.set(id, compared)
  return [...counts.values()].reduce((sum, one) => sum + one, 0)
}
