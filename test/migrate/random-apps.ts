// Random apps of Express 4 and 5, whose functions all note that they were called.
import type { IncomingMessage } from 'node:http'
import express5 from 'express'
import express4 from 'express4'
import { type AnyController, Controller, RouteControllers } from 'routecontrollers'
import {
  express4 as profile4,
  express5 as profile5,
  expressPath,
  fromExpress,
} from 'routecontrollers/express'
import { below, pick, type Random } from '../hard/random.js'

export interface RandomApp {
  readonly version: 4 | 5
  readonly app: any
  /** Those functions, by what they note. */
  readonly functions: ReadonlyMap<unknown, string>
  /**
   * Sends a request through it, and gives what it has passed. With `failing` the call of that number fails, and error handlers let
   * the request on, or with `keepsError` its error alone.
   */
  readonly pass: (method: string, url: string, failing?: number, keepsError?: boolean) => Promise<string[]>
}

// Warnings of Controllers that look as guards, of which there are many here.
const silent = { info() {}, warn() {}, error() {} }

const segments = ['a', 'b', 'users', 'Admin', 'x.y']
const names = ['id', 'name', 'tenant']

interface Maker {
  readonly random: Random
  readonly version: 4 | 5
  /** A function that notes its call and calls `next()`. */
  note(kind: string, parameters?: 3 | 4): any
  budget: number
}

/** Makes an app; the same chances make the same one. */
export function createRandomApp(random: Random, version: 4 | 5 = random() < 0.5 ? 4 : 5): RandomApp {
  const express: any = version === 4 ? express4 : express5
  const functions = new Map<unknown, string>()
  let called: string[] = []
  let failingCall: number | undefined
  let isErrorKept = false
  let count = 0
  const maker: Maker = {
    random,
    version,
    budget: 4 + below(random, 14),
    note(kind, parameters = 3) {
      const name = `${kind}${++count}`
      const run =
        parameters === 4
          ? (error: unknown, _req: unknown, _res: unknown, next: (error: unknown) => void) => {
              called.push(name)
              next(failingCall === undefined || isErrorKept ? error : undefined)
            }
          : (_req: unknown, _res: unknown, next: (error?: unknown) => void) => {
              called.push(name)
              next(called.length - 1 === failingCall ? new Error('It fails') : undefined)
            }
      functions.set(run, name)
      return run
    },
  }
  const app = express()
  app.set('env', 'test')
  if (random() < 0.2) app.enable('strict routing')
  if (random() < 0.2) app.enable('case sensitive routing')
  fill(maker, express, app, 0)
  return {
    version,
    app,
    functions,
    async pass(method, url, failing, keepsError = false) {
      called = []
      failingCall = failing
      isErrorKept = keepsError
      await new Promise<void>((resolve) => {
        const req = { method, url, headers: {}, socket: {} } as unknown as IncomingMessage
        const end = (): void => resolve()
        const res = { setHeader() {}, getHeader() {}, set() {}, get() {}, send: end, end, req }
        app.handle(req, res, end)
      })
      return called
    },
  }
}

function fill(maker: Maker, express: any, router: any, depth: number): void {
  const { random } = maker
  while (maker.budget-- > 0) {
    const chance = random()
    if (chance < 0.08 && depth > 0) return
    if (chance < 0.3) router.use(...mountPath(maker), ...handlers(maker, 'use'))
    else if (chance < 0.36) router.use(...mountPath(maker), maker.note('error', 4))
    else if (chance < 0.44) router.param(pick(random, names), maker.note('param'))
    else if (chance < 0.56) mountRouter(maker, express, router, depth)
    else if (chance < 0.62) mountApp(maker, express, router, depth)
    else if (chance < 0.68) router.all(routePath(maker), ...handlers(maker, 'all'))
    else if (chance < 0.76) chained(maker, router)
    else if (chance < 0.84) router.use(...mountPath(maker), controllers(maker))
    else router[pick(random, ['get', 'get', 'post', 'head'])](routePath(maker), ...handlers(maker, 'route'))
  }
}

function mountRouter(maker: Maker, express: any, parent: any, depth: number): void {
  const { random } = maker
  const router = express.Router({
    mergeParams: random() < 0.4,
    strict: random() < 0.2,
    caseSensitive: random() < 0.2,
  })
  const before = random() < 0.8
  if (before) fill(maker, express, router, depth + 1)
  parent.use(...mountPath(maker), ...(random() < 0.3 ? [maker.note('use')] : []), router)
  if (!before) fill(maker, express, router, depth + 1)
}

function mountApp(maker: Maker, express: any, parent: any, depth: number): void {
  const app = express()
  if (maker.random() < 0.2) app.enable('strict routing')
  if (maker.random() < 0.8) fill(maker, express, app, depth + 1)
  parent.use(...mountPath(maker), app)
}

function chained(maker: Maker, router: any): void {
  let route = router.route(routePath(maker))
  for (let left = 1 + below(maker.random, 3); left > 0; left--) {
    route = route[pick(maker.random, ['all', 'get', 'post', 'delete'])](...handlers(maker, 'route'))
  }
}

function handlers(maker: Maker, kind: string): unknown[] {
  const { random } = maker
  const list = Array.from({ length: 1 + below(random, 3) }, () => maker.note(kind))
  if (random() < 0.1) list.splice(below(random, list.length), 0, maker.note('error', 4))
  return random() < 0.2 ? [list] : list
}

/** Controllers that call `next()`, with and without a profile, with hooks. */
function controllers(maker: Maker): unknown {
  const { random } = maker
  const profiled = random() < 0.6
  const list: AnyController[] = []
  const seen = new Set<string>()
  for (let left = 1 + below(random, 4); left > 0; left--) {
    const method = pick(random, ['GET', 'GET', 'POST', '*'])
    const path = `/${segmentsOf(maker, profiled ? '' : '*')}`
    const key = `${method} ${path.replace(/:\w+/g, ':')}`
    if (!profiled && seen.has(key)) continue
    seen.add(key)
    const callback = fromExpress(...(handlers(maker, 'controller') as never[]))
    list.push(new Controller(method, profiled ? expressPath(path) : path, callback))
  }
  const profile = maker.version === 4 ? profile4({ express: express4 }) : profile5({ express: express5 })
  const routeControllers = new RouteControllers(list, { logger: silent, ...(profiled && { profile }) })
  if (random() < 0.4) routeControllers.addGlobal(maker.note('hook'))
  if (random() < 0.3)
    routeControllers.addGlobal(`/${pick(random, segments)}`, maker.note('hook'), {
      scope: random() < 0.5 ? 'every' : 'answered',
    })
  if (random() < 0.3) {
    routeControllers.addGlobal(maker.note('error', 4), { scope: random() < 0.5 ? 'every' : 'answered' })
  }
  return routeControllers.middleware()
}

function mountPath(maker: Maker): unknown[] {
  const { random } = maker
  if (random() < 0.4) return []
  if (random() < 0.1) return ['/']
  if (random() < 0.08) return [[routePath(maker), routePath(maker)]]
  return [routePath(maker)]
}

function routePath(maker: Maker): unknown {
  const { random, version } = maker
  if (random() < 0.05) return /^\/(a|b)(\/.*)?$/i
  if (random() < 0.05) return '/'
  if (random() < 0.06) return version === 4 ? '*' : '/{*all}'
  const path = `/${segmentsOf(maker, version === 4 ? '*' : '*rest', version === 4)}`
  return random() < 0.1 ? `${path}/` : path
}

function segmentsOf({ random }: Maker, rest: string, regexps = false): string {
  const list: string[] = []
  const free = [...names]
  for (let left = 1 + below(random, 3); left > 0; left--) {
    const chance = random()
    if (chance < 0.3 && free.length > 0) {
      const [name] = free.splice(below(random, free.length), 1)
      list.push(`:${name}${regexps && random() < 0.1 ? '(\\d+)' : ''}`)
    } else list.push(pick(random, segments))
  }
  if (rest !== '' && random() < 0.08) list.push(rest)
  return list.join('/')
}

/** A path that has a chance to be matched. */
export function createRandomUrl(random: Random): string {
  const list = Array.from({ length: below(random, 4) }, () =>
    random() < 0.05
      ? pick(random, ['%', '%41', '%2F', '', '..', 'x'])
      : pick(random, [...segments, 'USERS', '7', 'aaa']),
  )
  const query = random() < 0.1 ? '?q=/a/b' : ''
  return `/${list.join('/')}${random() < 0.15 ? '/' : ''}${query}`
}
