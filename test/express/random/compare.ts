// Random apps, each made as often as it is needed: Express serves one, we serve the others, and the same requests call the same
// functions with the same things, in the same order, and are answered alike.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server as HttpServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { type AnyController, Controller, RouteControllers, Server } from 'routecontrollers'
import {
  express4 as profile4,
  express5 as profile5,
  expressPath,
  fromApp,
  fromExpress,
  toControllers,
} from 'routecontrollers/express'
import { cert, key } from '../../support/certificate.js'
import {
  addLate,
  build,
  type Built,
  type Call,
  type Calls,
  hidePaths,
  listed,
  Maker,
  routerOf,
  wrap,
} from './build.js'
import {
  type OwnPart,
  type Part,
  type Path,
  requestLine,
  type RequestPart,
  samplesOf,
  sampleOf,
  type Scenario,
  type Version,
} from './parts.js'

/** One side of a comparison: what is served, and what was called. */
interface Side {
  calls: Calls
  ask: (request: Asked, id: string) => Promise<string>
  /** What is to be compared of an answer of Express. */
  kept: (answer: string) => string
  /** Registers what comes while requests do. */
  change: () => void
  close: () => Promise<void>
}

/** A request that was answered by one side: what it has called, and its answer. */
interface Seen {
  calls: readonly Call[]
  answer: string
}

/** How often something has happened. */
export interface Counts {
  apps: number
  requests: number
  /** Requests for which the handler of a route was called. */
  reached: number
  /** Requests that we have refused with 400 before anything was called, because Express guesses what they mean. */
  refused: number
}

const silent = { info() {}, warn() {}, error() {} }
const mountOf = ({ way, sensitive }: Scenario): string => (way === 'inside' && sensitive ? '/m' : '')

/** Compares what an Express does with what we make of its apps. */
export class Comparison {
  readonly counts: Counts = { apps: 0, requests: 0, reached: 0, refused: 0 }
  readonly #express: any
  readonly #version: Version
  readonly #servers: HttpServer[] = []
  #listeners: RequestListener[] = []

  constructor(express: any, version: Version) {
    this.#express = express
    this.#version = version
  }

  /** Rejects with what is not alike. */
  async compare(scenario: Scenario): Promise<void> {
    // What Express prints about errors.
    const { error } = console
    console.error = () => {}
    this.#listeners = []
    const sides: Side[] = []
    try {
      sides.push(await this.#serveTheirs(scenario))
      sides.push(await this.#serveOurs(scenario, false))
      if (!scenario.way.startsWith('own')) sides.push(await this.#serveOurs(scenario, true))
      await this.#compareSides(scenario, sides)
      this.counts.apps++
    } finally {
      console.error = error
      await Promise.all(sides.map(({ close }) => close()))
    }
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#servers.map(async (server) => {
        server.close()
        await once(server, 'close')
      }),
    )
  }

  async #compareSides(scenario: Scenario, sides: readonly Side[]): Promise<void> {
    const { parts, own, way, requests } = scenario
    const rounds = scenario.late.length > 0 && way !== 'own alone' ? 2 : 1
    const ownSamples =
      way === 'own among' ? own.map(({ method, path }) => ({ method, path: sampleOf(path) })) : []
    const samples = [...samplesOf(parts), ...ownSamples]
    const mount = mountOf(scenario)
    const isHttp2 = scenario.http2 && way !== 'inside'
    const all = requests.map((request) => {
      const { method, target } = requestLine(request, samples)
      // Express 4 swallows a second slash behind a mount, and we do not: docs/express.md says so.
      const path = this.#version === 4 && mount !== '' ? target.replace(/^\/+/, '/') : target
      return { method, target: path.startsWith('/') ? mount + path : path, hasToken: request.hasToken }
    })
    // HTTP/2 has no other targets.
    const asked = isHttp2 ? all.filter(({ target }) => target.startsWith('/')) : all
    for (let round = 0; round < rounds; round++) {
      if (round > 0) for (const { change } of sides) change()
      // All at once.
      const [theirs, ours, whole] = await Promise.all(
        sides.map((side) => Promise.all(asked.map((one, number) => see(side, one, `${round}.${number}`)))),
      )
      for (const [number, one] of asked.entries()) {
        const expected = theirs![number]!
        this.counts.requests++
        if (isRefused(one, ours![number]!)) {
          this.counts.refused++
          continue
        }
        if (expected.calls.some(isRoute)) this.counts.reached++
        differ({ one, round, by: 'us' }, ours![number]!, expected, sides[1]!)
        if (whole !== undefined) {
          differ({ one, round, by: 'us, with all layers' }, whole[number]!, expected, sides[2]!)
        }
      }
    }
  }

  async #listen(listener: RequestListener): Promise<number> {
    const index = this.#listeners.push(listener) - 1
    if (this.#servers[index] === undefined) {
      const server = createServer((req, res) => this.#listeners[index]!(req, res))
      this.#servers[index] = server
      await once(server.listen(0, '127.0.0.1'), 'listening')
    }
    return (this.#servers[index].address() as AddressInfo).port
  }

  async #serveTheirs(scenario: Scenario): Promise<Side> {
    const { way, late } = scenario
    const calls: Calls = new Map()
    const anchors = way === 'own among' ? this.#anchors(scenario) : []
    const built = this.#build(scenario, calls, (app, position) => {
      scenario.own.forEach((own, number) => {
        if (anchors[number] === position) this.#addOwn(app, own, number, calls)
      })
    })
    let app = built.app
    if (way === 'own among') app = this.#around(scenario, built, calls, anchors)
    if (way === 'inside') app = this.#host(scenario, app, calls)
    const port = await this.#listen(app)
    const change = (): void => late.forEach((one) => addLate(built, one))
    return { calls, change, ...plain(port) }
  }

  async #serveOurs(scenario: Scenario, isWhole: boolean): Promise<Side> {
    const { way, late } = scenario
    const calls: Calls = new Map()
    if (way === 'own alone') {
      return {
        calls,
        change() {},
        ...(await start(scenario, { routeControllers: this.#alone(scenario, calls) })),
      }
    }
    const built = this.#build(scenario, calls)
    if (isWhole) hidePaths(this.#version, built)
    const { app } = built
    const change = (): void => late.forEach((one) => addLate(built, one))
    const { controllers } = toControllers(app, { middleware: way !== 'in front' })
    const all = way === 'own among' ? this.#among(scenario, controllers, calls) : controllers
    const routeControllers = new RouteControllers(all, { profile: fromApp(app), logger: silent })
    if (way === 'inside') {
      const port = await this.#listen(this.#host(scenario, routeControllers.middleware(), calls))
      return { calls, change, ...plain(port) }
    }
    const fallback = way === 'in front' ? { fallback: app } : {}
    return { calls, change, ...(await start(scenario, { routeControllers, ...fallback })) }
  }

  #build(scenario: Scenario, calls: Calls, before?: (app: any, position: number) => void): Built {
    const { way, late } = scenario
    const parts = way === 'own alone' ? sorted(scenario.parts) : scenario.parts
    const built = build(this.#express, this.#version, { ...scenario, parts }, calls, before)
    if (way !== 'own alone') wrap(scenario.wrapping, this.#version, built)
    // What is added later is called the same on all sides.
    if (late.length > 0) built.names.count = 1000
    return built
  }

  #host({ sensitive, way }: Scenario, handler: unknown, calls: Calls): any {
    const maker = new Maker(this.#version, calls)
    const host = this.#express().set('env', 'production')
    host.locals.name = 'host'
    host.use(maker.handler('next', 'before in the host'))
    host.use(...listed(way === 'inside' && sensitive ? '/m' : undefined), handler)
    host.use('/a', maker.handler('answer', 'behind in the host'))
    host.use(maker.errorHandler('next', 'errors in the host'))
    return host
  }

  /** For each of our own Controllers, the position of the app's part that it stands before, if it stands before one. */
  #anchors({ parts, own, wrapping }: Scenario): (number | undefined)[] {
    const shown = (path: Path): string => (Array.isArray(path) ? `[${path.join(', ')}]` : String(path))
    const all: string[] = []
    const collect = (some: readonly Part[], before: string): void => {
      for (const part of some) {
        if (part.kind === 'route') all.push((before + shown(part.path)).replace(/\/+/g, '/'))
        if (part.kind === 'router' || part.kind === 'app') {
          collect(part.parts, `${before}${part.path === undefined ? '' : shown(part.path)}/`)
        }
      }
    }
    collect(parts, '')
    const count = (path: string): number =>
      all.filter((one) => one.replace(/\/$/, '') === path.replace(/\/$/, '')).length
    // What copies a mounted app hides its routes.
    const isRead = ({ kind }: Part): boolean => kind !== 'app' || wrapping !== 'copies'
    const candidates = parts.flatMap((part, position) => {
      if (part.kind !== 'route' || count(shown(part.path).replace(/\/+/g, '/')) > 1) return []
      // Before the first route of the app is before the app.
      return samplesOf(parts.slice(0, position).filter(isRead)).length > 0 ? [position] : []
    })
    const last = parts.findLastIndex((part) => part.kind === 'route')
    const isLast =
      last >= 0 &&
      count(shown((parts[last] as { path: Path }).path).replace(/\/+/g, '/')) === 1 &&
      samplesOf(parts.slice(last + 1)).length === 0
    return own.map(({ place, anchor }) => {
      if (place === 'last' && isLast) return last + 1
      return place === 'between' && candidates.length > 0 ? candidates[anchor % candidates.length] : undefined
    })
  }

  #addOwn(app: any, { path, method, deeds }: OwnPart, number: number, calls: Calls): void {
    const maker = new Maker(this.#version, calls)
    const route = app.route(path)
    if (isCallback(deeds)) {
      const callback = maker.callback(`route own ${number}`)
      route[method]((req: any, res: any) => res.type('text/plain').send(callback(req)))
    } else route[method](...deeds.map((deed) => maker.handler(deed, `route own ${number}`)))
  }

  /** The Controllers that stand before and behind an app, as routes around its router. */
  #around({ own, sensitive, strict }: Scenario, { app }: Built, calls: Calls, anchors: unknown[]): any {
    const root = this.#express()
    root.set('env', 'production').set('case sensitive routing', sensitive).set('strict routing', strict)
    root.locals.name = 'root'
    const inner = routerOf(this.#version, app)
    const add = (isAfter: boolean): void =>
      own.forEach((one, number) => {
        if (anchors[number] === undefined && isBehind(one) === isAfter) this.#addOwn(root, one, number, calls)
      })
    if (this.#version === 4) root.lazyrouter()
    Object.assign(routerOf(this.#version, root), { params: inner.params })
    add(false)
    root.use(inner)
    add(true)
    return root
  }

  /** Our own Controllers before, between and behind those of an app. */
  #among(scenario: Scenario, controllers: readonly AnyController[], calls: Calls): AnyController[] {
    const { own, parts } = scenario
    const maker = new Maker(this.#version, calls)
    const anchors = this.#anchors(scenario)
    const make = ({ path, method, deeds }: OwnPart, number: number): AnyController => {
      const callback = isCallback(deeds)
        ? maker.callback(`route own ${number}`)
        : fromExpress(...deeds.map((deed) => maker.handler(deed, `route own ${number}`)))
      return new Controller(method === 'all' ? '*' : method.toUpperCase(), expressPath(path), callback)
    }
    const list = [...controllers]
    const before: AnyController[] = []
    const after: AnyController[] = []
    const places = new Map<AnyController, AnyController[]>()
    own.forEach((one, number) => {
      const position = anchors[number]
      if (position === undefined) return void (isBehind(one) ? after : before).push(make(one, number))
      const { path } = (one.place === 'last' ? {} : parts[position]) as { path?: Path }
      const source = path && expressPath(path).source
      // The last of them stands for what no route answers.
      const anchor = list.find((controller) => (controller as any).pattern.source === source) ?? list.at(-1)!
      places.set(anchor, [...(places.get(anchor) ?? []), make(one, number)])
    })
    return [...before, ...list.flatMap((one) => [...(places.get(one) ?? []), one]), ...after]
  }

  /** The app as hooks and Controllers of our own, without an app. */
  #alone({ sensitive, strict, parts }: Scenario, calls: Calls): RouteControllers {
    const controllers: AnyController[] = []
    const hooks: [path: string | undefined, hook: any][] = []
    const params: Record<string, any[]> = {}
    const recorder = {
      set: () => recorder,
      locals: {},
      use(...given: any[]) {
        const path = typeof given[0] === 'string' ? given.shift() : undefined
        for (const hook of given) hooks.push([path, hook])
      },
      param: (name: string, callback: unknown) => void (params[name] ??= []).push(callback),
      route(path: Path) {
        const shared = expressPath(path)
        return new Proxy(
          {},
          {
            get:
              (_target, method: string) =>
              (...handlers: any[]) => {
                const upper = method === 'all' ? '*' : method.toUpperCase()
                controllers.push(new Controller(upper, shared, fromExpress(...handlers)))
              },
          },
        )
      },
    }
    let isOutermost = true
    const create = (): unknown => {
      if (!isOutermost) return this.#express()
      isOutermost = false
      return recorder
    }
    const express = Object.assign(create, { Router: this.#express.Router })
    build(express, this.#version, { sensitive, strict, parts: sorted(parts) }, calls)
    const settings = { env: 'production', 'case sensitive routing': sensitive, 'strict routing': strict }
    const profile = (this.#version === 4 ? profile4 : profile5)({
      express: this.#express,
      settings,
      params,
      locals: { name: 'root' },
    })
    const routeControllers = new RouteControllers(controllers, { profile, logger: silent })
    for (const [path, hook] of hooks) {
      if (path === undefined) routeControllers.addGlobal(hook, { scope: 'every' })
      else routeControllers.addGlobal(path, hook, { scope: 'every' })
    }
    return routeControllers
  }
}

const isCallback = (deeds: OwnPart['deeds']): boolean => deeds.length === 1 && deeds[0] === 'answer'

const isBehind = ({ place }: OwnPart): boolean => place === 'last' || place === 'after'

const isRoute = ({ name }: Call): boolean => name.startsWith('route ')

/** Hooks before routes before error handlers, and none that only an app can have. */
function sorted(parts: readonly Part[]): Part[] {
  const order = ['param', 'use', 'router', 'route', 'errors']
  const first = (path: Path | undefined): Path | undefined =>
    path === undefined || typeof path === 'string'
      ? path
      : [path].flat().find((one): one is string => typeof one === 'string')
  return parts
    .map((part): Part => {
      if (part.kind === 'app') return { ...part, kind: 'router', options: {}, path: first(part.path) }
      if (part.kind === 'route' || part.kind === 'param') return part
      return { ...part, path: first(part.path) }
    })
    .map((part, position) => ({ part, position }))
    .sort((a, b) => {
      const rank = ({ part }: typeof a): number => (part.kind === 'router' ? 1 : order.indexOf(part.kind))
      return rank(a) - rank(b) || a.position - b.position
    })
    .map(({ part }) => part)
}

type Answering = Pick<Side, 'ask' | 'kept' | 'close'>

/** What listens to HTTP/1.1. */
function plain(port: number, close = async (): Promise<void> => {}): Answering {
  const ask: Side['ask'] = async ({ method, target, hasToken }, id) => {
    const lines = [`${method} ${target} HTTP/1.1`, 'Host: test', 'Connection: close', `X-Id: ${id}`]
    if (hasToken) lines.push('X-Token: teapot')
    return exchange(port, `${lines.join('\r\n')}\r\n\r\n`)
  }
  return { ask, kept: (answer) => answer, close }
}

async function start({ http2 }: Scenario, options: object): Promise<Answering> {
  const server = new Server()
  const tls = http2 ? { http2, tls: { key, cert } } : {}
  await server.start({ port: 0, host: '127.0.0.1', logger: silent, ...tls, ...options } as never)
  if (!http2) return plain(server.getPort(), () => server.stop())
  const session = connectHttp2(`https://localhost:${server.getPort()}`, { ca: cert, family: 4 } as never)
  session.on('error', () => {})
  const ask: Side['ask'] = ({ method, target, hasToken }, id) =>
    new Promise((resolve) => {
      const token = hasToken ? { 'x-token': 'teapot' } : {}
      const stream = session.request(
        { ':method': method, ':path': target, 'x-id': id, ...token },
        { endStream: true },
      )
      let answer = ''
      stream.setEncoding('latin1')
      stream.on('response', (head) => (answer = `${head[':status']} `))
      stream.on('data', (chunk) => (answer += String(chunk)))
      stream.on('error', () => {})
      stream.on('close', () => resolve(answer))
    })
  return {
    ask,
    // The rest is of HTTP/1.1.
    kept: (answer) => `${answer.slice(9, 12)} ${answer.slice(answer.indexOf('\r\n\r\n') + 4)}`,
    async close() {
      session.destroy()
      await server.stop({ graceMs: 0 })
    },
  }
}

interface Asked extends Pick<RequestPart, 'hasToken'> {
  method: string
  target: string
}

async function see({ ask, calls }: Side, asked: Asked, id: string): Promise<Seen> {
  const answer = await ask(asked, id)
  const called = calls.get(id)
  calls.delete(id)
  return { calls: called ?? [], answer: answer.replace(/^Date: .*/m, 'Date: *') }
}

/** Whether a target that is no plain path has called nothing of ours. */
function isRefused({ target }: Asked, { calls }: Seen): boolean {
  return !/^\/[^#]*$/.test(target) && calls.every(({ name }) => name.endsWith('in the host'))
}

/** Sends bytes on a connection of their own; gives what comes until it is closed. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(port, '127.0.0.1')
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => (received += String(chunk)))
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.write(bytes, 'latin1')
  })
}

function differ(what: object, found: Seen, expected: Seen, { kept }: Side): void {
  const seen = { calls: expected.calls, answer: kept(expected.answer) }
  const [ours, theirs] = [found, seen].map((one) => JSON.stringify(one, undefined, 1))
  if (ours === theirs) return
  const passed = expected.calls.filter(
    ({ name }) => name.startsWith('guard') && !found.calls.some((call) => call.name === name),
  )
  const guards = found.calls.some(isRoute) && passed.length > 0 ? ', past a guard' : ''
  throw new Error(`${JSON.stringify(what)}${guards}\nOurs: ${ours}\nExpress: ${theirs}`)
}

/** Compares random apps; throws the smallest that is not alike. */
export async function compareRandomApps(
  comparison: Comparison,
  scenarios: fc.Arbitrary<Scenario>,
  { apps, seed }: { apps: number; seed?: number | undefined },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(scenarios, (scenario) => comparison.compare(scenario)),
    { numRuns: apps, ...(seed !== undefined && { seed }) },
  )
}
