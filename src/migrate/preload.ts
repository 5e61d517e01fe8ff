// Runs before an entry, in the child process that `routecontrollers inspect` has started for it, and only there: records what is
// registered, answers `listen` without a port, and writes down what it has found once nothing more is registered.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { type App, isApp, isRouter, routerOf } from './express-router.js'
import { withReading } from './inventory.js'
import { answerListen } from './listen.js'
import { Registrations } from './record.js'
import type { Question, Report } from './report.js'
import { describeServing } from './trace.js'
import { observeAll } from './check.js'

/** What the parent wants to know, and where it looks for the answer. */
export interface PreloadOptions {
  /** The folder that reports are written to, a file for each process. */
  readonly reports: string
  /** The folder that shown paths are relative to. */
  readonly root: string
  readonly settleMs: number
  readonly timeLimitMs: number
  readonly question: Question
}

/** Begins to record. Called by the file that `--require` names. */
export function start(options: PreloadOptions): void {
  if (!isMainThread) return
  const registrations = new Registrations().install()
  watchNewApps(registrations)
  const listeners = new Set<unknown>()
  let listensSince: number | undefined
  answerListen((listener) => {
    listeners.add(listener)
    listensSince ??= performance.now()
  })

  let isWritten = false
  const write = (ended: Report['ended']): void => {
    if (isWritten) return
    isWritten = true
    clearInterval(timer)
    process.off('exit', onExit)
    writeReport(options, read(options, registrations, [...listeners], listensSince !== undefined, ended))
  }
  // The loop is empty: nothing more can be registered.
  const onExit = (code: number): void => write({ by: 'exit', code })
  process.on('exit', onExit)

  const started = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const quietSince = Math.max(registrations.lastAt, listensSince ?? Infinity)
    if (now - quietSince >= options.settleMs) write({ by: 'settled' })
    else if (now - started >= options.timeLimitMs) write({ by: 'time limit' })
  }, 20)
  timer.unref()
}

/** Sees apps and routers as they are made, by whatever loader and in whatever bundle: both members are set in this way by each version. */
function watchNewApps(registrations: Registrations): void {
  const { defineProperty, setPrototypeOf } = Object
  Object.defineProperty = function <T>(target: T, name: PropertyKey, descriptor: PropertyDescriptor): T {
    const result = defineProperty(target, name, descriptor)
    if (name === 'router' && isApp(target)) registrations.watchApp(target)
    return result
  }
  Object.setPrototypeOf = function <T>(target: T, prototype: object | null): T {
    const result = setPrototypeOf(target, prototype) as T
    if (typeof target === 'function' && typeof (target as { param?: unknown }).param === 'function') {
      for (
        let one = prototype;
        one !== null && one !== Function.prototype;
        one = Object.getPrototypeOf(one) as object | null
      ) {
        if (Object.hasOwn(one, 'use') && Object.hasOwn(one, 'route')) registrations.watchPrototype(one)
      }
    }
    return result
  }
}

function read(
  { root, question }: PreloadOptions,
  registrations: Registrations,
  listeners: readonly unknown[],
  hasListened: boolean,
  ended: Report['ended'],
): Report {
  const roots = findRoots(registrations, listeners)
  const report = { ended, hasListened, opaqueListeners: listeners.filter((one) => !isKnown(one)).length }
  if (roots.length === 0) return report
  try {
    return withReading(roots, { root }, (reading) => ({
      ...report,
      inventory: reading.inventory(),
      observations: observeAll(reading, question),
    }))
  } catch (error) {
    return { ...report, error: error instanceof Error ? error.stack! : String(error) }
  }
}

function isKnown(value: unknown): boolean {
  return isApp(value) || isRouter(value) || describeServing(value) !== undefined
}

/** What answers requests: the listeners of servers, or else the apps and RouteControllers that stand in no other. */
function findRoots(registrations: Registrations, listeners: readonly unknown[]): unknown[] {
  const known = listeners.filter(isKnown)
  const alone = [...registrations.apps].filter(
    (app) => (app as { parent?: unknown }).parent === undefined && hasLayers(app),
  )
  if (known.length > 0) {
    // A listener of which nothing is known may call an app: all that stand alone are shown then.
    return known.length === listeners.length ? known : [...new Set([...known, ...alone])]
  }
  if (alone.length > 0) return alone
  return [...registrations.routeControllers]
}

function hasLayers(app: App): boolean {
  const router = routerOf(app)
  return router !== undefined && router.stack.some(({ name }) => name !== 'query' && name !== 'expressInit')
}

function writeReport({ reports }: PreloadOptions, report: Report): void {
  mkdirSync(reports, { recursive: true })
  const file = join(reports, `${process.pid}.json`)
  // Whole or not at all, for whoever looks for it.
  writeFileSync(`${file}.part`, JSON.stringify(report))
  renameSync(`${file}.part`, file)
}
