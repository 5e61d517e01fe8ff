// Random apps that are changed between requests and within them, in this process: past no guard that Express calls does a handler of
// theirs have a request, in whichever way they are served.
import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { Controller, type NodeHandler, RouteControllers, Server } from 'routecontrollers'
import {
  expressPath,
  fromApp,
  fromExpress,
  fromRouter,
  native,
  toControllers,
} from 'routecontrollers/express'
import { type BesideMigration, migration } from '@routecontrollers/switch'
import { createListener } from '../../../src/run/listener.js'
import { cert, key } from '../../support/certificate.js'
import { build, type Built, type Call, type Calls, Maker, type Target, wrap } from './build.js'
import { apply, changesOf, type TimedChange } from './changes.js'
import {
  type Deed,
  type Part,
  requestLine,
  type RequestPart,
  type RoutePart,
  samplesOf,
  type Scenario,
  scenarioOf,
  type Version,
} from './parts.js'

export const ways = [
  'standalone',
  'as a web handler',
  'in front',
  'inside Express 4',
  'inside Express 5',
  'in place',
  'under a switch',
  'by HTTP/2',
  'beside',
  'beside in front',
] as const
export type ChangingWay = (typeof ways)[number]

/** Which of the routes are taken over: by their positions, as patterns of `GET /path` or of `/path`. */
interface Choice {
  by: 'only' | 'except' | undefined
  routes: number[]
  withMethods: boolean
}

export interface ChangingScenario extends Omit<Scenario, 'way' | 'http2' | 'own' | 'late'> {
  way: ChangingWay
  choice: Choice
  onStale: 'reread' | 'fallback' | 'throw'
  /** States of a switch, and when it gets them: before a request, or within it, when this many functions have been called. */
  states: { request: number; call: number | undefined; state: string }[]
  changes: TimedChange[]
}

const requestCount = 8

/** Random apps, what happens to them, and requests. */
export function changingScenarioOf(
  version: Version,
  odd: fc.Arbitrary<string>,
  some: readonly ChangingWay[] = ways,
): fc.Arbitrary<ChangingScenario> {
  return fc.constantFrom(...some).chain((way) =>
    fc
      .tuple(
        scenarioOf(version, { odd, guards: 20 }),
        fc.record({
          choice: fc.record({
            by: fc.constantFrom(undefined, 'only' as const, 'except' as const),
            routes: fc.array(fc.nat(10), { minLength: 1, maxLength: 3 }),
            withMethods: fc.boolean(),
          }),
          onStale: fc.constantFrom(
            'reread' as const,
            'reread' as const,
            'reread' as const,
            'fallback' as const,
            'throw' as const,
          ),
          states: fc.array(
            fc.record({
              request: fc.nat(requestCount - 1),
              call: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
              state: fc.constantFrom('native', 'legacy', 'canary 50%', 'shadow'),
            }),
            { maxLength: 6 },
          ),
          changes: changesOf(version, requestCount, way === 'in place'),
        }),
      )
      .map(([{ sensitive, strict, wrapping, parts, requests }, more]): ChangingScenario => {
        const scenario = { way, sensitive, strict, wrapping, parts, requests, ...more }
        // With a twin before the last handler, that is another one. And the router of another app leads to that, which nobody finds behind what
        // is wrapped.
        if (way.startsWith('beside')) {
          // Half of them begin with copies.
          if (scenario.choice.withMethods)
            scenario.states = [{ request: 0, call: undefined, state: 'shadow' }, ...scenario.states]
          scenario.changes = scenario.changes.filter(
            ({ change: { kind } }) =>
              kind !== 'drop a handler' && (kind !== 'other router' || wrapping === 'none'),
          )
        }
        // The Controllers of a switch are the user's own: they have the guards of the routes, and nothing of the app changes them.
        return way === 'under a switch' ? { ...scenario, parts: guardedRoutes(parts), changes: [] } : scenario
      }),
  )
}

function guardedRoutes(parts: readonly Part[]): Part[] {
  return parts.flatMap((part): Part[] => {
    if (part.kind === 'router' || part.kind === 'app') return guardedRoutes(part.parts)
    if (part.kind !== 'route') return []
    return [{ ...part, deeds: ['guard', ...part.deeds], further: [] }]
  })
}

/** How often something has happened. */
export interface ChangingCounts {
  apps: number
  requests: number
  /** Requests for which we have called the handler of a route. */
  reached: number
  /** The same where the app had been changed before, or was within the request. */
  reachedChanged: number
  /** Copies of requests that one of two twins has got. */
  copies: number
}

interface Asked extends Pick<RequestPart, 'hasToken'> {
  method: string
  target: string
  forwarded: boolean
}

interface Side {
  readonly calls: Calls
  readonly built: Built
  ask(asked: Asked, id: string): Promise<void>
  close?(): Promise<void>
  before?(request: number): Promise<void>
}

const silent = { info() {}, warn() {}, error() {} }

export class ChangingComparison {
  readonly counts: ChangingCounts = { apps: 0, requests: 0, reached: 0, reachedChanged: 0, copies: 0 }
  readonly #express: any
  readonly #hosts: Record<Version, any>
  readonly #version: Version

  constructor(hosts: Record<Version, any>, version: Version) {
    this.#express = hosts[version]
    this.#hosts = hosts
    this.#version = version
  }

  /** Rejects with a guard that was passed, or with another difference. */
  async compare(scenario: ChangingScenario): Promise<void> {
    const { error } = console
    // What Express prints about errors.
    console.error = () => {}
    const sides: Side[] = []
    try {
      sides.push(await this.#serveTheirs(scenario))
      sides.push(await this.#serveOurs(scenario))
      await this.#compareSides(scenario, sides[0]!, sides[1]!)
      this.counts.apps++
    } finally {
      console.error = error
      for (const side of sides) await side.close?.()
    }
  }

  async #compareSides(scenario: ChangingScenario, theirs: Side, ours: Side): Promise<void> {
    const { way, requests, changes } = scenario
    let isChanged = false
    for (const [number, request] of requests.entries()) {
      const asked = askedBy(scenario, request)
      if (!isAskable(way, asked)) continue
      const id = String(number)
      const seen: (readonly Call[])[] = []
      // In one order on both sides, also where a side is not called so often.
      const here = changes
        .filter(({ request }) => request === number)
        .sort((one, other) => (one.call ?? 0) - (other.call ?? 0))
      for (const side of [theirs, ours]) {
        await side.before?.(number)
        this.#arm(side, changes, here, id)
        await side.ask(asked, id)
        side.built.onCall = undefined
        // Those that nobody came to.
        for (const one of here) this.#apply(side, changes, one)
        seen.push(side.calls.get(id) ?? [])
        side.calls.delete(id)
      }
      isChanged ||= here.length > 0
      const [expected, found] = seen as [Call[], Call[]]
      this.counts.requests++
      if (found.some(isRoute)) {
        this.counts.reached++
        if (isChanged) this.counts.reachedChanged++
      }
      const passed = passedBy(found, expected)
      if (passed !== undefined) throw differing(`past a guard: ${passed}`, asked, number, found, expected)
      const isRefused = !/^\/[^#]*$/.test(asked.target) && found.length === 0
      // Express runs some functions twice when layers move under a request, and what `next('router')` has left not at all.
      const isWithin = here.some(({ call }) => call !== undefined)
      if (!isAlike(scenario) || isRefused || isWithin) continue
      if (found.map(shown).join() !== expected.map(shown).join()) {
        throw differing('another order', asked, number, found, expected)
      }
    }
  }

  /** Makes changes before a request at once, and those within it when their time has come. */
  #arm(side: Side, changes: readonly TimedChange[], here: readonly TimedChange[], id: string): void {
    for (const one of here) if (one.call === undefined) this.#apply(side, changes, one)
    let count = 0
    side.built.onCall = (of) => {
      if (of !== id) return
      count++
      for (const one of here) if (one.call === count) this.#apply(side, changes, one)
    }
  }

  #apply({ built }: Side, changes: readonly TimedChange[], one: TimedChange): void {
    const number = changes.indexOf(one)
    const { done } = built
    if (done.has(number)) return
    done.add(number)
    // The same names on both sides.
    built.names.count = 1000 * (number + 1)
    apply(this.#express, this.#version, built, one.change)
  }

  /** The app behind a switch, and its routes with their guards as Controllers before it. */
  async #switched(
    { states, parts }: ChangingScenario,
    { app }: Built,
    calls: Calls,
  ): Promise<Pick<Side, 'ask' | 'before' | 'close'>> {
    let id = ''
    let count = 0
    let set = (_call: number | undefined): unknown => undefined
    const maker = new Maker(this.#version, calls, () => set(++count))
    const names = { count: 0 }
    const controllers = parts.map((part) => {
      const { path, method, deeds } = part as RoutePart
      const handlers = deeds.map((deed) =>
        maker.handler(deed, `${deed === 'guard' ? deed : `route ${method}`}${++names.count}`),
      )
      return new Controller(
        method === 'all' ? '*' : method.toUpperCase(),
        expressPath(path),
        fromExpress(...handlers),
      )
    })
    const profile = fromApp(app)
    const routeControllers = new RouteControllers(controllers, { profile, logger: silent })
    const switching = migration({ legacy: app, routeControllers, logger: silent })
    await switching.ready
    set = (call) =>
      Promise.all(
        states
          .filter((one) => String(one.request) === id && one.call === call && controllers.length > 0)
          .map(({ state }) => switching.set('*', state as never, { reason: 'a test', by: 'test' })),
      )
    const handler = switching.listener()
    return {
      async before(request) {
        id = String(request)
        count = 0
        await set(undefined)
      },
      ask: (asked, id) => askInMemory(handler, asked, id),
      close: () => switching.close(),
    }
  }

  #build(scenario: ChangingScenario, calls: Calls, isOurs: boolean, beside?: Beside): Built {
    const built: Built = build(this.#express, this.#version, scenario, calls, undefined, {
      called: (id) => {
        built.onCall?.(id)
        beside?.called()
      },
      ...(isOurs && scenario.way === 'in place' && { addRoute: addInPlace }),
      ...(beside !== undefined && { addRoute: beside.addRoute }),
    })
    wrap(scenario.wrapping, this.#version, built)
    return built
  }

  #host(version: Version, handlers: unknown[], calls: Calls): any {
    const maker = new Maker(version, calls)
    const host = this.#hosts[version]().set('env', 'production')
    host.use(maker.handler('next', 'before in the host'))
    host.use(...handlers)
    host.use('/a', maker.handler('answer', 'behind in the host'))
    return host
  }

  async #serveTheirs(scenario: ChangingScenario): Promise<Side> {
    const calls: Calls = new Map()
    const built = this.#build(scenario, calls, false)
    const { way } = scenario
    const host = hostOf(way)
    const app = host === undefined ? built.app : this.#host(host, [built.app], calls)
    return { calls, built, ask: (asked, id) => askInMemory(app, asked, id) }
  }

  async #serveOurs(scenario: ChangingScenario): Promise<Side> {
    const calls: Calls = new Map()
    const { way, onStale } = scenario
    const beside = way.startsWith('beside') ? new Beside(scenario, this.counts) : undefined
    const built = this.#build(scenario, calls, true, beside)
    const { app } = built
    beside?.serve(app)
    const side = { calls, built, ...(beside && { before: beside.before, close: () => beside.close() }) }
    if (way === 'beside') return { ...side, ask: (asked, id) => beside!.ask(app, asked, id) }
    if (way === 'in place') return { ...side, ask: (asked, id) => askInMemory(app, asked, id) }
    const alone = way === 'standalone' || way === 'as a web handler'
    if (way === 'under a switch') return { ...side, ...(await this.#switched(scenario, built, calls)) }
    const choice = chosen(scenario, app)
    const { controllers } = toControllers(app, {
      ...choice,
      onStale,
      middleware: alone && choice === undefined,
    })
    const routeControllers = new RouteControllers(controllers, { profile: fromApp(app), logger: silent })
    const host = hostOf(way)
    if (host !== undefined) {
      const all = this.#host(host, [routeControllers.middleware(), app], calls)
      return { ...side, ask: (asked, id) => askInMemory(all, asked, id) }
    }
    if (way === 'as a web handler') {
      const fetchHandler = routeControllers.getCallback()
      return { ...side, ask: (asked, id) => askWeb(fetchHandler, asked, id) }
    }
    if (way === 'by HTTP/2') return { ...side, ...(await serveHttp2(routeControllers, app)) }
    const fallback = way === 'in front' || way === 'beside in front' ? { fallback: app } : {}
    const handler = createListener(routeControllers.getCallback(), fallback)
    if (beside !== undefined) return { ...side, ask: (asked, id) => beside.ask(handler, asked, id) }
    return { ...side, ask: (asked, id) => askInMemory(handler, asked, id) }
  }
}

/** What guards leave on a request, each of which may be used once. */
class Left {
  readonly session: { visits: number; save(): void; touch(): void; destroy(): void }
  readonly limit = { left: 5 }
  readonly tokens = ['once']
  #writes = 0

  constructor() {
    const write = (): void => void this.#writes++
    // Its methods are those of a class, which writes to a store.
    this.session = Object.assign(Object.create({ save: write, touch: write, destroy: write }), { visits: 0 })
  }

  /** Uses all of them, as a handler does. */
  static use({ session, limit, tokens }: Left): void {
    session.visits++
    limit.left--
    tokens.pop()
    session.save()
    session.touch()
    session.destroy()
  }

  get isUsed(): boolean {
    return this.#writes + this.session.visits > 0 || this.limit.left < 5 || this.tokens.length === 0
  }
}

/**
 * A native twin before the last handler of every other route. The state, which changes before requests and within them, decides which of
 * the two has a request. Where it has the other one get a copy, that uses all that guards have left on the request.
 */
class Beside {
  readonly #states: ChangingScenario['states']
  readonly #isReadable: boolean
  readonly #counts: ChangingCounts
  #switching: BesideMigration | undefined
  #routes = 0
  #request = -1
  #calls = 0
  #state = 'legacy'

  constructor({ states, wrapping }: ChangingScenario, counts: ChangingCounts) {
    this.#states = states
    this.#isReadable = wrapping === 'none'
    this.#counts = counts
  }

  /** Has the states decide for an app from now on. */
  serve(app: any): void {
    this.#switching = migration({
      app,
      logger: silent,
      shadow: { maxUtilization: 1, maxDelayMs: 60_000, unsafe: ['*'] },
      rollback: false,
      initial: 'legacy',
    })
  }

  /** Asks, and waits for the copies. All calls of functions, also those that copies make, are compared with Express's. */
  async ask(handler: NodeHandler, asked: Asked, id: string): Promise<void> {
    const left = new Left()
    await askInMemory(handler, asked, id, left)
    if (!['shadow', 'canary 50%'].includes(this.#state)) return
    await settle(() => {
      const { running, waiting } = this.#switching!.status().shadow
      return running + waiting === 0
    })
    if (left.isUsed) throw new Differing(`past a guard: a copy has used ${JSON.stringify(left)}`)
  }

  readonly before = async (request: number): Promise<void> => {
    await this.#switching?.ready
    this.#request = request
    this.#calls = 0
    this.#set(undefined)
  }

  called(): void {
    this.#set(++this.#calls)
  }

  async close(): Promise<void> {
    await this.#switching?.close()
  }

  #set(call: number | undefined): void {
    for (const { state, ...one } of this.#states) {
      if (one.request !== this.#request || one.call !== call) continue
      // It counts at once, and is refused where the app has no native callback yet.
      if (this.#switching?.status().routes.length === 0) continue
      this.#state = state
      this.#switching?.set('*', state as never, { reason: 'a test', by: 'test' }).catch(() => {})
    }
  }

  readonly addRoute = (
    { target }: Target,
    { path, method, deeds, further }: RoutePart,
    handlerFor: (deed: Deed, method: string) => any,
  ): void => {
    const handlers = deeds.map((deed) => handlerFor(deed, method))
    const last = handlers.at(-1)
    const route = target.route(path)
    // What passes a request on to the rest of its route has no twin.
    const isTwin = this.#routes++ % 2 === 0 && further.length === 0 && last !== undefined
    route[method](...(isTwin ? [...handlers.slice(0, -1), ...this.#twins(last)] : handlers))
    for (const { method, deed } of further) route[method](handlerFor(deed, method))
  }

  /** The native one is asked about just before it runs, and the other one runs just after that. */
  #twins(handler: any): unknown[] {
    const asSide = (side: string) => (req: any, res: any, next: any) => {
      if (req.isShadow === true) {
        this.#counts.copies++
        Left.use(req)
        return res.end()
      }
      // What stands in something wrapped cannot be read, and stays at legacy.
      const isKnown = this.#isReadable || side === 'native'
      const isOther = isKnown && ['native', 'legacy'].includes(this.#state) && this.#state !== side
      if (isOther) throw new Differing(`past a guard: ${side} runs at ${this.#state}`)
      return handler(req, res, next)
    }
    return [native(fromExpress(asSide('native'))), asSide('legacy')]
  }
}

/** Puts Controllers in the place of a route. */
function addInPlace(
  { target, owner }: Target,
  { path, method, deeds, further }: RoutePart,
  handlerFor: (deed: Deed, method: string) => any,
): void {
  const profile = target === owner ? fromApp(owner) : fromRouter(target, { app: owner })
  const shared = expressPath(path)
  const create = (method: string, all: Deed[]): Controller =>
    new Controller(
      method === 'all' ? '*' : method.toUpperCase(),
      shared,
      fromExpress(...all.map((deed) => handlerFor(deed, method))),
    )
  const list = [create(method, deeds), ...further.map(({ method, deed }) => create(method, [deed]))]
  target.use(new RouteControllers(list, { profile, logger: silent }).middleware())
}

function hostOf(way: ChangingWay): Version | undefined {
  return way === 'inside Express 4' ? 4 : way === 'inside Express 5' ? 5 : undefined
}

/** Options of `toControllers`, as far as the app has routes to choose. */
function chosen({ choice }: ChangingScenario, app: unknown): object | undefined {
  const { by, routes, withMethods } = choice
  if (by === undefined) return undefined
  const { controllers } = toControllers(app)
  if (controllers.length === 0) return undefined
  const patterns = routes.map((at) => {
    const { method, pattern } = controllers[at % controllers.length] as unknown as {
      method: string
      pattern: { source: string }
    }
    return withMethods ? `${method} ${pattern.source}` : pattern.source
  })
  try {
    toControllers(app, { [by]: patterns })
  } catch {
    // A list of paths has no name of its own.
    return undefined
  }
  return { [by]: patterns }
}

/** What differs in a request. */
class Differing extends Error {}

/**
 * Whether all calls are those of Express, in their order, and not just past all guards. In place, a change may be of what stands
 * around a Controller instead of its route; and what answers nobody there, as under a switch, gets to the app behind.
 */
function isAlike({ way, choice, onStale }: ChangingScenario): boolean {
  if (way === 'standalone') return choice.by === undefined && onStale === 'reread'
  return (
    way === 'beside' || (['in front', 'by HTTP/2', 'beside in front'].includes(way) && onStale !== 'throw')
  )
}

/** What is compared of a call: a layer that stands before those of Express 4 itself sees a request that is not prepared. */
const shown = ({ name, url, baseUrl, method, params }: Call): string =>
  `${name}: ${String(method)} ${String(baseUrl)}|${String(url)} ${JSON.stringify(params)}`

const isRoute = ({ name }: Call): boolean => name.startsWith('route ')

/** Says which guard has not run before a handler that was reached, or that Express does not reach this one. */
function passedBy(found: readonly Call[], expected: readonly Call[]): string | undefined {
  const [at, first] = [found.findIndex(isRoute), found.find(isRoute)]
  if (first === undefined) return undefined
  const there = expected.findIndex(({ name }) => name === first.name)
  if (there < 0) return `Express does not reach ${first.name}`
  const ran = new Set(found.slice(0, at).map(({ name }) => name))
  return expected.slice(0, there).find(({ name }) => name.startsWith('guard') && !ran.has(name))?.name
}

function differing(
  what: string,
  asked: Asked,
  number: number,
  found: readonly Call[],
  expected: readonly Call[],
): Differing {
  const [ours, theirs] = [found, expected].map((calls) => calls.map(shown))
  return new Differing(
    `${what}, request ${number} ${JSON.stringify(asked)}\nOurs: ${JSON.stringify(ours, undefined, 1)}\nExpress: ${JSON.stringify(theirs, undefined, 1)}`,
  )
}

function askedBy({ parts }: ChangingScenario, request: RequestPart): Asked {
  const { hasToken, route } = request
  return { ...requestLine(request, samplesOf(parts)), hasToken, forwarded: route % 4 === 0 }
}

function isAskable(way: ChangingWay, { method, target }: Asked): boolean {
  if (way === 'by HTTP/2') return target.startsWith('/')
  if (way !== 'as a web handler') return true
  // A URL resolves dots, and the path is another one then.
  return (
    /^\/[^\\#]*$/.test(target) &&
    URL.canParse(`http://test${target}`) &&
    new URL(`http://test${target}`).href === `http://test${target}` &&
    /^(?:GET|HEAD|POST|OPTIONS|DELETE)$/.test(method)
  )
}

function headersOf({ hasToken, forwarded }: Asked, id: string): Record<string, string> {
  return {
    host: 'test',
    'x-id': id,
    ...(hasToken && { 'x-token': 'teapot' }),
    ...(forwarded && { 'x-forwarded-for': 'forbidden' }),
  }
}

// Node's own classes, over a socket that is nobody's.
const emptySocket = (): Duplex =>
  Object.assign(
    new Duplex({ read() {}, write: (_chunk, _encoding, written) => written() }).setMaxListeners(0),
    { remoteAddress: '127.0.0.1' },
  )
const socket = emptySocket()

const mostTurns = 60

/** Waits for an answer, or until nothing can come any more. */
async function settle(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < mostTurns && !isDone(); turn++)
    await new Promise((turned) => setImmediate(turned))
}

async function askInMemory(handler: NodeHandler, asked: Asked, id: string, left?: object): Promise<void> {
  const incoming = new IncomingMessage(socket as never)
  Object.assign(incoming, left)
  const headers = headersOf(asked, id)
  Object.assign(incoming, {
    method: asked.method,
    url: asked.target,
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    complete: true,
  })
  for (const [name, value] of Object.entries(headers)) incoming.rawHeaders.push(name, value)
  Object.assign(incoming.headers, headers)
  incoming.push(null)
  const outgoing = new ServerResponse(incoming)
  // It ends as one that has been sent.
  if (left !== undefined) {
    outgoing.assignSocket(emptySocket() as never)
    outgoing.once('finish', () => outgoing.emit('close'))
  }
  try {
    handler(incoming, outgoing)
  } catch {
    // Express throws at some targets of absolute form, before anybody is asked.
    return
  }
  await settle(() => outgoing.writableEnded)
}

async function askWeb(
  fetchHandler: (request: Request) => Promise<Response>,
  asked: Asked,
  id: string,
): Promise<void> {
  const { host: _host, ...headers } = headersOf(asked, id)
  let isDone = false
  const done = (): void => void (isDone = true)
  const { method, target } = asked
  void fetchHandler(new Request(`http://test${target}`, { method, headers })).then(done, done)
  await settle(() => isDone)
}

async function serveHttp2(
  routeControllers: RouteControllers,
  app: NodeHandler,
): Promise<Pick<Side, 'ask' | 'close'>> {
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    tls: { key, cert },
    http2: true,
    logger: silent,
    routeControllers,
    fallback: app,
  })
  let session: ClientHttp2Session | undefined
  return {
    async ask(asked, id) {
      if (session === undefined || session.destroyed || session.closed) {
        session = connectHttp2(`https://localhost:${server.getPort()}`, { ca: cert, family: 4 } as never)
        session.on('error', () => {})
        await once(session, 'connect')
      }
      const { host: _host, ...headers } = headersOf(asked, id)
      const stream = session.request(
        { ':method': asked.method, ':path': asked.target, ...headers },
        { endStream: true },
      )
      stream.on('error', () => {})
      await new Promise((resolve) => stream.once('close', resolve).resume())
    },
    async close() {
      session?.destroy()
      await server.stop({ graceMs: 0 })
    },
  }
}

/** Serves random apps while they change; throws the smallest that is not alike, with what makes it again. */
export async function compareChangingApps(
  comparison: ChangingComparison,
  scenarios: fc.Arbitrary<ChangingScenario>,
  { apps, seed, path }: { apps: number; seed?: number | undefined; path?: string | undefined },
): Promise<void> {
  const property = fc.asyncProperty(scenarios, (scenario) => comparison.compare(scenario))
  const found = await fc.check(property, {
    numRuns: apps,
    ...(seed !== undefined && { seed }),
    ...(path !== undefined && { path }),
  })
  if (!found.failed) return
  const [scenario] = found.counterexample as [ChangingScenario]
  const { requests, ...app } = scenario
  const text = (value: unknown): string =>
    JSON.stringify(value, (_key, one: unknown) => (one instanceof RegExp ? String(one) : one))
  const asked = requests.map((one) => text(askedBy(scenario, one))).join('\n')
  const why = found.errorInstance as Error
  throw new Error(
    `seed ${found.seed}, path ${found.counterexamplePath}: ${why instanceof Differing ? why.message : why.stack}\nThe app: ${text(app)}\nRequests:\n${asked}`,
  )
}
