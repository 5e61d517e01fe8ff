// Controllers in the place of routes, as `move` writes them, where a package has wrapped the layers of Express: compared with the routes.
import express5 from 'express'
import express4 from 'express4'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromApp, fromExpress, fromRouter } from 'routecontrollers/express'
import { listenOn } from '../support/describe-servings.js'
import { isWhole } from '../support/counts.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { ask } from './support/compare.js'

beforeEach(() => void jest.spyOn(console, 'error').mockImplementation(() => {}))
afterEach(async () => {
  jest.restoreAllMocks()
  await closeHosted()
})

type Wrap = (layer: any) => void

/** As express-async-errors does it: the other function has the length, and what Object.keys names. */
const asAsyncErrors: Wrap = (layer) => {
  const { handle } = layer
  const wrapper = (...some: unknown[]): unknown => handle(...some)
  Object.defineProperty(wrapper, 'length', { value: handle.length })
  layer.handle = Object.assign(wrapper, handle)
}
/** As the tracers of OpenTelemetry do it: what for-in names is looked up in the first function. */
const asTracer: Wrap = (layer) => {
  const { handle } = layer
  const wrapper: any =
    handle.length === 4
      ? (a: any, b: any, c: any, d: any) => handle(a, b, c, d)
      : (a: any, b: any, c: any) => handle(a, b, c)
  for (const key in handle) Object.defineProperty(wrapper, key, { get: () => handle[key], enumerable: true })
  layer.handle = wrapper
}

const wrapAll = (router: any, wrap: Wrap): void => {
  for (const layer of router.stack) {
    if (layer.name === 'query' || layer.name === 'expressInit' || layer.route) continue
    if (layer.handle.stack) wrapAll(layer.handle, wrap)
    wrap(layer)
  }
}

type Register = (to: any, isApp: boolean, method: string, path: string, ...handlers: any[]) => void
const asRoutes: Register = (to, _isApp, method, path, ...handlers) =>
  to[method.toLowerCase()](path, ...handlers)
const asControllers: Register = (to, isApp, method, path, ...handlers) => {
  const profile = isApp ? fromApp(to) : fromRouter(to)
  to.use(
    new RouteControllers([new Controller(method, expressPath(path), fromExpress(...handlers))], {
      profile,
    }).middleware(),
  )
}

const guard = (req: any, res: any, next: any): void =>
  req.get('x-user') === 'mia' ? next() : res.status(401).send('who?')
const tell = (req: any, res: any): void =>
  res.json({ url: req.url, baseUrl: req.baseUrl, params: req.params })

const paths = [
  '/api/x',
  '/api//x',
  '//api/x',
  '//api//x',
  '/api///x',
  '/api/./x',
  '/api/x/',
  '/api/x//',
  '/API/X',
  '/api/%78',
  '/api%2fx',
  '/api/x%2f',
]
const params = [
  '/api/p/7',
  '/api/p//7',
  '/api//p/7',
  '/api/p/a%2fb',
  '/api/p/%zz',
  '/api/p/.',
  '/api/p/..',
  '/API/P/7/',
  '/api/p/',
]
const tops = ['/x', '//x', '///x', '/x/', '/x//', '/X', '/./x', '/x;a', '/x?a=//b', '/none']
const targets = [...paths, ...params, ...tops, '/api', '/api/', '/api//', '/api/none']

const wraps = [undefined, asAsyncErrors, asTracer]
const someOptions = [{}, { strict: true }, { caseSensitive: true, mergeParams: true }]

/** In the loop a third: each target under each wrap, and with all options. */
function targetsOf(wrap: Wrap | undefined, options: object): string[] {
  const turn = wraps.indexOf(wrap) + someOptions.indexOf(options)
  return targets.filter((_target, at) => isWhole || (at + turn) % 3 === 0)
}

describe.each([
  [4, 'nothing', express4, undefined],
  [4, 'express-async-errors', express4, asAsyncErrors],
  [4, 'a tracer', express4, asTracer],
  [5, 'nothing', express5, undefined],
  [5, 'express-async-errors', express5, asAsyncErrors],
  [5, 'a tracer', express5, asTracer],
] as const)(
  'Controllers in their own router of Express %i, whose layers %s has wrapped',
  (_version, _name, express: any, wrap) => {
    let refused = 0
    it.each(someOptions)(
      'answer each target as the routes do, with their guards, in routers with %j',
      async (options) => {
        const ports: number[] = []
        for (const register of [asRoutes, asControllers]) {
          const app = express().set('env', 'production')
          const api = express.Router(options)
          register(api, false, 'GET', '/x', guard, tell)
          register(api, false, 'POST', '/x', guard, tell)
          register(api, false, 'GET', '/p/:id', guard, tell)
          app.use('/api', api)
          register(app, true, 'GET', '/x', guard, tell)
          app.use('/api', (_req: any, res: any) => res.status(404).send('behind'))
          if (wrap !== undefined) wrapAll(app._router ?? app.router, wrap)
          const { port, close } = await listenOn(app)
          closeLater(close)
          ports.push(port)
        }
        for (const target of targetsOf(wrap, options)) {
          for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD']) {
            for (const headers of [{}, { 'x-user': 'mia' }]) {
              const [theirs, ours] = await Promise.all(
                ports.map((port) => ask(port, { method, target, headers })),
              )
              expect({ method, target, headers, ...ours }).toEqual({ method, target, headers, ...theirs })
              if (theirs!.statusLine.includes(' 401 ')) refused++
            }
          }
        }
      },
    )

    it('have refused some of them, as the routes have', () => {
      expect(refused).toBeGreaterThan(isWhole ? 45 : 15)
    })
  },
)
