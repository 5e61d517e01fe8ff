import { createServer, type Server as HttpServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express5, { type Express } from 'express'
import express4 from 'express4'
import { type AnyController, RouteControllers, type RouteControllersOptions, Server } from 'routecontrollers'
import { express5 as profile5, fromApp } from 'routecontrollers/express'
import type { Migration, MigrationOptions } from '@routecontrollers/switch'
import type { Clock } from '../../../packages/switch/src/states/clock.js'
import { createMigration } from '../../../packages/switch/src/migration.js'
import { systemClock } from '../../../packages/switch/src/states/clock.js'
import { cert, key } from '../../support/certificate.js'
import { slowRows } from '../../support/counts.js'
import { openSession, sendOn } from '../../server/http2-client.js'
import { type Received, sendTo, type SendOptions } from '../../support/describe-servings.js'

/** For tests whose lines nobody reads. */
export const silent = { info() {}, warn() {}, error() {} }

/** A migration that is served, with what a client sees of it. */
export interface ServedMigration {
  readonly switching: Migration
  readonly routeControllers: RouteControllers
  readonly port: number
  readonly logged: string[]
  readonly send: (target: string, options?: SendOptions) => Promise<Received>
}

export interface Shop extends Omit<MigrationOptions, 'legacy' | 'routeControllers'> {
  readonly legacy: (app: Express) => void
  readonly native: () => readonly AnyController[]
  readonly setup?: (routeControllers: RouteControllers) => void
  readonly options?: RouteControllersOptions
  readonly clock?: Clock
  /** Of middleware before `middleware()`, inside. */
  readonly upstream?: (app: Express) => void
}

type Listen = (parts: { legacy: Express; switching: Migration }) => Promise<{
  port: number
  close: () => Promise<void>
  send?: ServedMigration['send']
}>

export interface Way {
  readonly name: string
  readonly make: () => Express
  readonly isInside: boolean
  readonly listen: Listen
  readonly options?: (legacy: Express) => RouteControllersOptions
}

async function listening(server: HttpServer): Promise<{ port: number; close: () => Promise<void> }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const inFront: Listen = async ({ switching }) => {
  const server = new Server()
  await server.start({ port: 0, host: '127.0.0.1', ...switching.serverOptions })
  return {
    port: server.getPort(),
    close: async () => {
      server.nodeServer!.closeAllConnections()
      await server.stop()
    },
  }
}

const overHttp2: Listen = async ({ switching }) => {
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    tls: { key, cert },
    http2: true,
    ...switching.serverOptions,
  })
  const session = await openSession(server.getPort())
  return {
    port: server.getPort(),
    send: (target, sent) => sendOn(session, target, sent),
    close: async () => {
      session.destroy()
      await server.stop({ graceMs: 0 })
    },
  }
}

/** Every way in which a migration can be served. */
export const ways: readonly Way[] = [
  { name: 'in front of Express 5', make: express5, isInside: false, listen: inFront },
  { name: 'in front of Express 4', make: express4 as never, isInside: false, listen: inFront },
  { name: 'in front, with HTTP/2', make: express5, isInside: false, listen: overHttp2 },
  {
    name: 'in front, with a profile',
    make: express5,
    isInside: false,
    listen: inFront,
    options: () => ({ profile: profile5({ express: express5 }) }),
  },
  {
    name: 'over a plain http.Server',
    make: express5,
    isInside: false,
    listen: ({ switching }) => listening(createServer(switching.listener())),
  },
  {
    name: 'inside Express 5',
    make: express5,
    isInside: true,
    listen: ({ legacy }) => listening(createServer(legacy)),
  },
  {
    name: 'inside Express 4',
    make: express4 as never,
    isInside: true,
    listen: ({ legacy }) => listening(createServer(legacy)),
  },
  {
    name: 'inside Express 5, with a profile',
    make: express5,
    isInside: true,
    listen: ({ legacy }) => listening(createServer(legacy)),
    options: () => ({ profile: profile5({ express: express5 }) }),
  },
  // There Controllers are as routes of that app, where no migration leaves them out.
  {
    name: 'inside Express 5, with the profile of that app',
    make: express5,
    isInside: true,
    listen: ({ legacy }) => listening(createServer(legacy)),
    options: (legacy) => ({ profile: fromApp(legacy) }),
  },
  {
    name: 'inside Express 4, with the profile of that app',
    make: express4 as never,
    isInside: true,
    listen: ({ legacy }) => listening(createServer(legacy)),
    options: (legacy) => ({ profile: fromApp(legacy) }),
  },
]

/** A busy machine is no reason to compare nothing. */
export const anyLoad = { maxDelayMs: 60_000, maxUtilization: 1, timeoutMs: 60_000 }

const open: (() => Promise<void>)[] = []

/** Serves a migration until the test ends. */
export async function serveShop(
  way: Way,
  { legacy: addRoutes, native, setup, clock, upstream, options, ...rest }: Shop & { asked?: unknown },
): Promise<ServedMigration> {
  const logged: string[] = []
  delete rest.asked
  const logger = {
    info: (message: string) => void logged.push(`info ${message}`),
    warn: (message: string) => void logged.push(`warn ${message}`),
    error: (message: string) => void logged.push(`error ${message}`),
  }
  const shadow = rest.shadow !== false && { ...anyLoad, ...rest.shadow }
  const legacy = way.make()
  legacy.set('env', 'test')
  const routeControllers = new RouteControllers(native(), { logger, ...way.options?.(legacy), ...options })
  setup?.(routeControllers)
  const switching = createMigration(
    { legacy, routeControllers, logger, ...rest, shadow },
    clock ?? systemClock,
  )
  upstream?.(legacy)
  if (way.isInside) legacy.use(switching.middleware())
  addRoutes(legacy)
  const { port, close, send = sendTo(port) } = await way.listen({ legacy, switching })
  open.push(async () => {
    await close()
    await switching.close()
  })
  return { switching, routeControllers, port, logged, send }
}

export async function closeShops(): Promise<void> {
  for (const close of open.splice(0)) await close()
}

const inLoop = [
  'in front of Express 5',
  'in front, with HTTP/2',
  'inside Express 4',
  'inside Express 5, with the profile of that app',
]

/** Ways that differ most, first; the loop has these alone, where there are some of them. */
export function waysOf(only: (way: Way) => boolean = () => true): readonly Way[] {
  const all = ways.filter(only)
  const first = all.filter(({ name }) => inLoop.includes(name))
  return slowRows(first.length || all.length, [...first, ...all.filter((way) => !first.includes(way))])
}

/** Describes one behaviour in each way of serving a migration; in the loop in those of `waysOf`. */
export function describeWays(
  name: string,
  define: (way: Way) => void,
  only: (way: Way) => boolean = () => true,
): void {
  describe.each(waysOf(only).map((way) => [way.name, way] as const))(`${name} – %s`, (_name, way) => {
    afterEach(closeShops)
    define(way)
  })
}

/** Waits until something is so. */
export async function until(isSo: () => boolean, what = 'it'): Promise<void> {
  const end = Date.now() + 120_000
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`${what} did not happen`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** A clock that a test moves. */
export class TestClock implements Clock {
  #now = Date.UTC(2030, 0, 1)
  #advanced = 0
  readonly #calls = new Set<{ at: number; call: () => void; every: number | undefined }>()

  now(): number {
    return this.#now
  }
  monotonic(): number {
    return performance.now() + this.#advanced
  }
  /** Sets the day's clock alone, as an administrator or NTP does. */
  set(now: number): void {
    for (const one of this.#calls) one.at += now - this.#now
    this.#now = now
  }
  every(ms: number, call: () => void): () => void {
    return this.#add(ms, call, ms)
  }
  after(ms: number, call: () => void): () => void {
    return this.#add(ms, call, undefined)
  }
  #add(ms: number, call: () => void, every: number | undefined): () => void {
    const one = { at: this.#now + ms, call, every }
    this.#calls.add(one)
    return () => void this.#calls.delete(one)
  }
  /** How many calls are to come. */
  get waiting(): number {
    return this.#calls.size
  }
  /** Moves on, a second after the other, until it is so. What was begun goes on in between. */
  async until(isSo: () => boolean, what?: string): Promise<void> {
    await until(() => {
      if (isSo()) return true
      this.advance(1000)
      return isSo()
    }, what)
  }
  /** Moves on, and calls what is due, in its order. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const due = [...this.#calls].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.#advanced += due.at - this.#now
      this.#now = due.at
      if (due.every === undefined) this.#calls.delete(due)
      else due.at += due.every
      due.call()
    }
    this.#advanced += end - this.#now
    this.#now = end
  }
}
