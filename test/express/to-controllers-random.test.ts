import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express5 from 'express'
import express4 from 'express4'
import fc from 'fast-check'
import { RouteControllers, Server } from 'routecontrollers'
import { fromApp, toControllers } from 'routecontrollers/express'
import { closeHosted } from '../support/hosting.js'
import { ask, type WireAnswer, type WireRequest } from './support/compare.js'
import { times } from '../support/counts.js'

type Version = 4 | 5

/** What a function does when it is called: most go on. */
type Deed =
  | 'next'
  | 'later'
  | 'answer'
  | 'fail'
  | 'throw'
  | 'route'
  | 'router'
  | 'rewrite'
  | 'method'
  | 'recover'
  | 'reject'

type Part =
  | { kind: 'use'; path: Path | undefined; deeds: Deed[] }
  | { kind: 'errors'; path: Path | undefined; deed: Deed }
  | { kind: 'route'; path: Path; method: string; deeds: Deed[]; further: { method: string; deed: Deed }[] }
  | { kind: 'param'; name: string; deed: Deed }
  | { kind: 'router'; path: Path | undefined; options: object; parts: Part[] }
  | { kind: 'app'; path: Path | undefined; options: Record<string, boolean>; parts: Part[] }

type Path = string | RegExp | (string | RegExp)[]

const goesOn: Deed[] = ['next', 'next', 'next', 'next', 'next', 'later']
const deed = fc.constantFrom<Deed>(
  ...goesOn,
  ...goesOn,
  'answer',
  'answer',
  'fail',
  'throw',
  'route',
  'router',
  'rewrite',
  'method',
  'reject',
)
const paths = ['/', '/a', '/a/b', '/:x', '/a/:x', '/:x/:y', '/a/', '/A', '/:y/b', '/b']
const special: Record<Version, string[]> = {
  4: ['/*', '/a/:x?', '*', '/:x(\\d+)', '/a.:x', '/(a|b)'],
  5: ['/*rest', '/a{/:x}', '/a/*rest', '/a.:x', '{/:x}/b'],
}
const methods = ['get', 'post', 'head', 'options', 'all', 'delete', 'get', 'get']

function partsOf(version: Version, depth: number): fc.Arbitrary<Part[]> {
  const one = fc.constantFrom<string | RegExp>(
    ...paths,
    ...paths,
    ...special[version],
    /^\/(a|b)/,
    /^\/a(?:\/|$)/,
  )
  const path: fc.Arbitrary<Path> = fc.oneof(
    { weight: 9, arbitrary: one },
    { weight: 1, arbitrary: fc.array(one, { minLength: 2, maxLength: 3 }) },
  )
  const maybePath = fc.option(path, { nil: undefined })
  const flags = (names: string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, fc.boolean()]))) as fc.Arbitrary<
      Record<string, boolean>
    >
  const leaves: fc.Arbitrary<Part>[] = [
    fc.record({
      kind: fc.constant('use' as const),
      path: maybePath,
      deeds: fc.array(deed, { minLength: 1, maxLength: 2 }),
    }),
    fc.record({
      kind: fc.constant('errors' as const),
      path: maybePath,
      deed: fc.constantFrom<Deed>('next', 'next', 'answer', 'recover', 'throw', 'router'),
    }),
    fc.record({
      kind: fc.constant('route' as const),
      path,
      method: fc.constantFrom(...methods),
      deeds: fc.array(deed, { minLength: 1, maxLength: 3 }),
      further: fc.array(fc.record({ method: fc.constantFrom(...methods), deed }), { maxLength: 2 }),
    }),
    fc.record({
      kind: fc.constant('param' as const),
      name: fc.constantFrom('x', 'y'),
      deed: fc.constantFrom<Deed>('next', 'next', 'next', 'later', 'fail', 'throw', 'route', 'rewrite'),
    }),
  ]
  if (depth === 0)
    return fc.array(fc.oneof(leaves[0]!, leaves[1]!, leaves[2]!, leaves[2]!, leaves[3]!), { maxLength: 5 })
  const parts = partsOf(version, depth - 1)
  const router: fc.Arbitrary<Part> = fc.record({
    kind: fc.constant('router' as const),
    path: maybePath,
    options: flags(['mergeParams', 'caseSensitive', 'strict']),
    parts,
  })
  const app: fc.Arbitrary<Part> = fc.record({
    kind: fc.constant('app' as const),
    path: maybePath,
    options: flags(['case sensitive routing', 'strict routing', 'x-powered-by']),
    parts,
  })
  return fc.array(fc.oneof(leaves[0]!, leaves[1]!, leaves[2]!, leaves[2]!, leaves[3]!, router, router, app), {
    maxLength: 6,
  })
}

const request = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE'),
  target: fc.constantFrom(
    '/',
    '/a',
    '/a/',
    '/A',
    '/a/b',
    '/A/B/',
    '/a/b/a',
    '/a/b/a/b',
    '/b/1',
    '/b/b',
    '/a//b',
    '//a',
    '/a/a/a/a',
    '/a/b?q=1',
    '/?q=/a',
    '/%61',
    '/%',
    '/a/%',
    '/%/b',
    '/a%20b',
    '/a.x',
    '/5/b',
    'http://h/a/b',
    'http://h',
  ),
})

const silent = { info() {}, warn() {}, error() {} }

interface Seen {
  trace: unknown[]
  answer: WireAnswer
}

let trace: unknown[] = []

function note(name: string, req: any): void {
  const { url, method, originalUrl, baseUrl, params, route, app } = req
  trace.push({
    name,
    url,
    method,
    originalUrl,
    baseUrl,
    params: { ...params },
    bare: params !== undefined && Object.getPrototypeOf(params) === null,
    route: route && String(route.path),
    app: app?.name_,
  })
}

function act(
  version: Version,
  doing: Deed,
  name: string,
  req: any,
  res: any,
  next: (signal?: unknown) => void,
  error?: unknown,
): unknown {
  note(error === undefined ? name : `${name} (${String((error as Error).message ?? error)})`, req)
  switch (doing) {
    case 'next':
      return error === undefined ? next() : next(error)
    case 'later':
      return void setImmediate(next)
    case 'answer':
      res.statusCode = 200
      return res.end(req.method === 'HEAD' ? undefined : name)
    case 'fail':
      return next(Object.assign(new Error(`failed in ${name}`), { status: 418 }))
    case 'throw':
      throw Object.assign(new Error(`thrown in ${name}`), { status: 409 })
    case 'reject':
      return version === 5 ? Promise.reject(new Error(`rejected in ${name}`)) : next()
    case 'route':
    case 'router':
      return next(doing)
    case 'rewrite':
      req.url = req.url.startsWith('/b') ? '/' : '/b/b?rewritten'
      return next()
    case 'method':
      req.method = req.method === 'GET' ? 'POST' : 'GET'
      return next()
    case 'recover':
      return next()
  }
}

function build(version: Version, sensitive: boolean, parts: Part[]): any {
  const express: any = version === 4 ? express4 : express5
  let count = 0
  const handler = (doing: Deed, kind: string) => {
    const name = `${kind}${++count}`
    return (req: any, res: any, next: any) => act(version, doing, name, req, res, next)
  }
  const fill = (target: any, some: Part[]): void => {
    for (const part of some) {
      const at = 'path' in part && part.path !== undefined ? [part.path] : []
      if (part.kind === 'use') target.use(...at, ...part.deeds.map((one) => handler(one, 'use')))
      if (part.kind === 'errors') {
        const name = `errors${++count}`
        target.use(...at, (error: any, req: any, res: any, next: any) =>
          act(version, part.deed, name, req, res, next, error),
        )
      }
      if (part.kind === 'param') {
        const name = `param${++count}`
        target.param(part.name, (req: any, res: any, next: any, value: string, param: string) =>
          act(version, part.deed, `${name} ${param}=${String(value)}`, req, res, next),
        )
      }
      if (part.kind === 'route') {
        const route = target.route(part.path)
        route[part.method](...part.deeds.map((one) => handler(one, part.method)))
        for (const { method, deed: one } of part.further) route[method](handler(one, method))
      }
      if (part.kind === 'router') {
        const router = express.Router(part.options)
        fill(router, part.parts)
        target.use(...at, router)
      }
      if (part.kind === 'app') {
        const app = express()
        app.name_ = `app${++count}`
        for (const [name, value] of Object.entries(part.options)) app.set(name, value)
        fill(app, part.parts)
        target.use(...at, app)
      }
    }
  }
  const app = express()
  app.set('env', 'production').set('case sensitive routing', sensitive)
  // One of version 4 prepares a request only where it has something to do with it.
  app.use(handler('next', 'first'))
  app.name_ = 'root'
  fill(app, parts)
  return app
}

describe.each([4, 5] as const)('Express %i', (version) => {
  let listener: RequestListener
  let port: number
  const server = createServer((req: IncomingMessage, res: ServerResponse) => listener(req, res))

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  beforeEach(() => void jest.spyOn(console, 'error').mockImplementation(() => {}))
  afterEach(async () => {
    jest.restoreAllMocks()
    await closeHosted()
  })

  const see = async (at: number, one: WireRequest): Promise<Seen> => {
    trace = []
    const answer = await ask(at, one)
    const seen = { trace, answer }
    trace = []
    return seen
  }

  it('answers random requests to random apps as Express does, calling the same functions with the same things', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        partsOf(version, 2),
        fc.array(request, { minLength: 4, maxLength: 8 }),
        async (sensitive, parts, requests) => {
          const app = build(version, sensitive, parts)
          const { controllers, left } = toControllers(app, { middleware: true })
          expect(left).toEqual([])
          const ours = new Server()
          await ours.start({
            port: 0,
            host: '127.0.0.1',
            RouteControllers: new RouteControllers(controllers, { profile: fromApp(app), logger: silent }),
          })
          try {
            listener = app
            for (const one of requests) {
              const expected = await see(port, one)
              expect({ one, ...(await see(ours.getPort(), one)) }).toEqual({ one, ...expected })
            }
          } finally {
            await ours.stop()
          }
        },
      ),
      {
        numRuns: Number(process.env['RUNS'] ?? times(15, 60)),
        ...(process.env['SEED'] && { seed: Number(process.env['SEED']) }),
      },
    )
  }, 120_000)
})
