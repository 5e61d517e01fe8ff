// Runs before an entry, in the child process that `routecontrollers inspect` has started for it, and only there: records what is
// registered, answers `listen` without a port, and writes down what it has found once nothing more is registered.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { type App, isApp, isRouter, routerOf } from 'routecontrollers/express-model'
import type { ErrorCode } from '../../../src/ground/error-codes.js'
import { withReading } from './inspect/inventory.js'
import { decideSide } from './entry/decide-side.js'
import { answerListen, listenOnFreePort } from './entry/listen.js'
import { obstaclesIn } from './doctor/obstacles.js'
import { withOwnFunctions } from './inspect/own-functions.js'
import { clock, Registrations } from './inspect/record.js'
import { readRegistered } from './inspect/read-registered.js'
import type { Address, PreloadOptions, Question, Report, Serve } from './documents/child.js'
import { describeServed } from 'routecontrollers/introspection'
import { observeAll } from './inspect/observe.js'

// Of an app that has put timers of its own in their place.
const { setImmediate: soon, setTimeout: asTimer } = globalThis

const versionUnknown: ErrorCode = 'ERR_EXPRESS_VERSION'
/** How often it looks whether something was registered meanwhile. */
const lookMs = 20

/** Begins to record. Called by the file that `--require` names. */
export function start(options: PreloadOptions): void {
  if (!isMainThread) return
  tellRunning(options)
  const registrations = new Registrations().install()
  watchNewApps(registrations)
  const listeners = new Map<unknown, Address | undefined>()
  let listensSince: number | undefined
  const found = (listener: unknown, address?: Address): void => {
    listeners.set(listener, address)
    listensSince ??= clock()
  }
  const { serve } = options
  const look: Look = { registrations, listeners, standIns: 0, servers: new Set() }
  if (serve === undefined) {
    const hear = (listener: unknown, server: Server): void => {
      look.servers.add(server)
      found(listener)
    }
    const serves = (): void => void (registrations.isServing = true)
    answerListen(hear, () => {
      // What the same turn of the loop registers behind `listen` comes before any request.
      soon(serves)
      // Before each timer that the app makes from here on. After a long turn, as on a busy machine, those that are due come first.
      asTimer(serves, 0).unref()
    })
  } else {
    listenOnFreePort(found)
    if (serve.withoutControllers) {
      registrations.standIn = () => {
        look.standIns++
        return passOn
      }
    }
    answerQuestions(options, look, serve)
  }

  let isWritten = false
  const write = (ended: Report['ended']): void => {
    if (isWritten) return
    isWritten = true
    clearInterval(timer)
    // Requests come once this is written.
    if (serve?.side !== undefined) decideSide(serve.side, registrations.apps, rootsOf(look))
    process.off('exit', onExit)
    withOwnFunctions(() => writeReport(options, read(options, look, ended)))
  }
  // The loop is empty: nothing more can be registered.
  const onExit = (code: number): void => write({ by: 'exit', code })
  process.on('exit', onExit)

  const started = clock()
  let lookedAt = started
  let quietSince = Infinity
  let quietMs = 0
  const timer = setInterval(() => {
    const now = clock()
    const since = Math.max(registrations.lastAt, listensSince ?? Infinity)
    // While the app is busy, or the machine runs others, no timer of the app is called either: such a time counts as one turn.
    quietMs = since === quietSince ? quietMs + Math.min(now - lookedAt, lookMs) : 0
    quietSince = since
    lookedAt = now
    if (quietSince < Infinity && quietMs >= options.settleMs) write({ by: 'settled' })
    else if (now - started >= options.timeLimitMs) write({ by: 'time limit' })
  }, lookMs)
  timer.unref()
}

/** Has a file while this process runs, so that it can be ended wherever it stands. */
function tellRunning({ reports }: PreloadOptions): void {
  const file = join(reports, `${process.pid}.running`)
  mkdirSync(reports, { recursive: true })
  writeFileSync(file, '')
  process.on('exit', () => rmSync(file, { force: true }))
}

/** What a process has seen. */
interface Look {
  readonly registrations: Registrations
  /** With the address of their servers, where those have one. */
  readonly listeners: ReadonlyMap<unknown, Address | undefined>
  standIns: number
  readonly servers: Set<Server>
}

/** Serves in the place of routeControllers: what stands behind them answers. */
function passOn(_incoming: unknown, outgoing: ServerResponse, _host: unknown, pass?: () => void): void {
  if (pass === undefined) outgoing.writeHead(404).end()
  else pass()
}

/** Says who would answer certain requests, when it is asked by a file; and ends with who has started it, however that has ended. */
function answerQuestions({ reports, root }: PreloadOptions, look: Look, { parent }: Serve): void {
  const file = join(reports, `${process.pid}.question`)
  const isOwn = process.ppid === parent
  const answer = (): void => {
    if (!existsSync(file)) return
    const question = JSON.parse(readFileSync(file, 'utf8')) as Question
    rmSync(file)
    writeWhole(
      join(reports, `${process.pid}.answer`),
      withReading(rootsOf(look), { root }, (reading) => observeAll(reading, question)),
    )
  }
  const timer = setInterval(() => {
    if (isOwn && process.ppid !== parent) endGroup()
    withOwnFunctions(answer)
  }, 50)
  timer.unref()
}

function endGroup(): void {
  if (process.platform === 'win32') process.exit(1)
  process.kill(-process.pid, 'SIGKILL')
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
  { root, question, seeksObstacles, wantsRegistered }: PreloadOptions,
  look: Look,
  ended: Report['ended'],
): Report {
  const { listeners, registrations, standIns } = look
  const roots = rootsOf(look)
  const opaque = [...listeners.keys()].filter((one) => !isKnown(one))
  // An app that no server has for its listener is called by one that is not known.
  const [behind] = [...opaque, ...listeners.keys()].map((one) => listeners.get(one))
  const report = {
    pid: process.pid,
    ended,
    hasListened: listeners.size > 0,
    opaqueListeners: opaque.length,
    addresses: behind === undefined ? [] : roots.map((one) => listeners.get(one) ?? behind),
    routeControllers: registrations.routeControllers.size,
    standIns,
  }
  if (roots.length === 0) return report
  try {
    return withReading(roots, { root }, (reading) => {
      const inventory = reading.inventory()
      const registered = wantsRegistered ? readRegistered(reading, inventory, registrations) : undefined
      const observations = observeAll(reading, question, inventory)
      return {
        ...report,
        inventory,
        observations,
        ...(seeksObstacles && { obstacles: obstaclesIn(look, reading.functions, reading.sources) }),
        ...(registered && { registered }),
      }
    })
  } catch (error) {
    // By its code: the class is that of the copy of the package that has thrown it.
    if (error instanceof Error && 'code' in error && error.code === versionUnknown) {
      return { ...report, error: `${versionUnknown}: ${error.message}` }
    }
    return { ...report, error: error instanceof Error ? error.stack! : String(error) }
  }
}

function isKnown(value: unknown): boolean {
  return isApp(value) || isRouter(value) || describeServed(value) !== undefined
}

/** What answers requests: the listeners of servers, or else the apps and RouteControllers that stand in no other. */
function rootsOf({ registrations, listeners: found }: Look): unknown[] {
  const listeners = [...found.keys()]
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
  try {
    const router = routerOf(app)
    return router !== undefined && router.stack.some(({ name }) => name !== 'query' && name !== 'expressInit')
  } catch {
    // Of a version that is not known: that is told when its routes are read.
    return true
  }
}

function writeReport({ reports }: PreloadOptions, report: Report): void {
  mkdirSync(reports, { recursive: true })
  writeWhole(join(reports, `${process.pid}.json`), report)
}

/** Whole or not at all: another process looks for it. */
function writeWhole(file: string, value: unknown): void {
  writeFileSync(`${file}.part`, JSON.stringify(value))
  renameSync(`${file}.part`, file)
}
