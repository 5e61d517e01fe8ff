import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { Controller, type ResponseBuilder, RouteControllers, Server, toListener } from 'routecontrollers'
import express from 'express'
import { express5, fromApp, fromExpress, toControllers } from 'routecontrollers/express'
import { express4 } from './support/profiles.js'
import { describeServings } from '../support/describe-servings.js'
import { closeHosted, closeLater, expresses, host } from '../support/hosting.js'
import { ask, describeAlike, type WireAnswer } from './support/compare.js'
import { describeRoutes } from './support/routes.js'

const jsonParser = express.json()
const failure = (details: object = {}): Error => Object.assign(new Error('secret'), details)

describeRoutes(
  'the page of an error',
  [
    [
      'GET',
      '/thrown',
      () => {
        throw failure()
      },
    ],
    ['GET', '/passed', (_req, _res, next) => next(failure({ status: 404 }))],
    ['GET', '/code', (_req, _res, next) => next(failure({ statusCode: 418, expose: true }))],
    ['GET', '/odd', (_req, _res, next) => next(failure({ status: 200 }))],
    ['GET', '/from-response', (_req, res, next) => (res.statusCode = 409) && next(failure())],
    [
      'GET',
      '/headers',
      (_req, res, next) => {
        res.setHeader('X-Before', 'kept')
        res.setHeader('Set-Cookie', ['a=1', 'b=2'])
        res.setHeader('Content-Language', 'de')
        next(failure({ status: 429, headers: { 'Retry-After': '7', 'x-before': 'replaced' } }))
      },
    ],
    [
      'GET',
      '/without-a-name',
      (_req, res, next) => {
        res.removeHeader('X-Powered-By')
        next(failure())
      },
    ],
    ['GET', '/headers-of-500', (_req, _res, next) => next(failure({ headers: { 'Retry-After': '7' } }))],
    ['GET', '/string', (_req, _res, next) => next('text')],
    ['GET', '/object', (_req, _res, next) => next({ a: 1 } as never)],
    [
      'GET',
      '/by-throw',
      () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error
        throw 'route'
      },
    ],
    ['GET', '/by-throw', (_req, res) => void res.end('the next route')],
  ],
  [
    '/thrown',
    '/passed',
    '/code',
    '/odd',
    '/from-response',
    '/headers',
    '/without-a-name',
    '/headers-of-500',
    '/string',
    '/object',
    '/by-throw',
    'HEAD /thrown',
    '/nope/<b>?a=1',
    'POST /nope',
  ],
)
describeRoutes(
  'an error after the answer has begun',
  [
    [
      'GET',
      '/half',
      (_req, res, next) => {
        res.write('half')
        setTimeout(() => next(failure()), 30)
      },
    ],
  ],
  ['/half'],
  { web: false },
)
const odd = (thrown: unknown) => async (): Promise<never> => {
  throw thrown
}
describeRoutes(
  'async handlers of version 5',
  [
    ['GET', '/rejects', async () => Promise.reject(failure({ status: 503 }))],
    ['GET', '/rejects-with-nothing', odd(undefined)],
    ['GET', '/route', odd('route')],
    ['GET', '/route', (_req, res) => void res.end('the next route')],
  ],
  ['/rejects', '/rejects-with-nothing', '/route'],
  { versions: [5] },
)
describeAlike(
  'a malformed body of express.json()',
  { malformed: { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{' } },
  (req, res) => void res.end(JSON.stringify(req.body)),
  {
    withoutProfile: false,
    versions: [5],
    legacy(app) {
      app.use(jsonParser)
      app.post('/x', (req, res) => void res.end(JSON.stringify(req.body)))
    },
    setup: (routeControllers) => void routeControllers.addGlobal(jsonParser),
  },
)

describeServings(
  'errors under a profile',
  ({ serve, errors }) => {
    const throwing = [
      new Controller(
        'GET',
        '/fails',
        fromExpress(() => Promise.reject(failure())),
      ),
      new Controller(
        'GET',
        '/headers',
        fromExpress((_req, _res, next) => next(failure({ status: 400, headers: { 'X-Bad': 'a\nb' } }))),
      ),
      new Controller(
        'GET',
        '/both',
        fromExpress((_req, res, next) => {
          next()
          res.end('answered all the same')
        }),
      ),
    ]
    it.each([
      ['express4', express4],
      ['express5', express5],
    ] as const)('%s tells the logger once, but in the environment test', async (_name, profile) => {
      const printed = jest.spyOn(console, 'error').mockImplementation(() => {})
      for (const env of ['production', 'test']) {
        const { send, logged } = await serve(throwing, { profile: profile({ settings: { env } }) })
        expect((await send('/fails')).status).toBe(500)
        expect(logged.filter((line) => line.includes('secret'))).toHaveLength(env === 'test' ? 0 : 1)
      }
      expect(printed).not.toHaveBeenCalled()
      printed.mockRestore()
      // Inside Express, Express tells the console.
      expect(errors).toBe('us')
    })

    it.each([
      ['express4', express4],
      ['express5', express5],
    ] as const)('gives up the connection under %s where no answer can be sent', async (_name, profile) => {
      const { port, send } = await serve(
        [
          ...throwing,
          new Controller(
            'GET',
            '/trailer',
            fromExpress((_req, res, next) => {
              // Node sends none with a length, which the page of an error has.
              res.setHeader('Trailer', 'X-Sum')
              next(failure())
            }),
          ),
        ],
        { profile: profile() },
      )
      if (port === undefined) expect((await send('/trailer')).status).toBe(500)
      else expect((await ask(port, { target: '/trailer' })).statusLine).toBe('')
      expect((await send('/both')).text).toBe('answered all the same')
    })

    it.each([
      ['express4', express4],
      ['express5', express5],
    ] as const)(
      'answers under %s what an error handler of a Controller rejects with',
      async (_name, profile) => {
        const rejects = fromExpress(
          (_req, _res, next) => next(failure()),
          (_error: unknown, _req: unknown, _res: unknown, _next: unknown) =>
            Promise.reject(failure({ status: 503 })),
        )
        const { send } = await serve([new Controller('GET', '/x', rejects)], { profile: profile() })
        expect((await send('/x')).status).toBe(503)
      },
    )

    it('survives headers of an error that cannot be sent', async () => {
      const { send } = await serve(throwing, { profile: 'express5' })
      expect((await send('/headers')).status).toBe(500)
      expect((await send('/fails')).status).toBe(500)
    })

    it('lets a handler answer that has called next() first', async () => {
      const { send } = await serve(throwing, { profile: 'express5' })
      expect((await send('/both')).text).toBe('answered all the same')
    })
  },
  ({ name }) => name === 'standalone' || name === 'web',
)

describeServings(
  'The page of an error, while a body is piped to what takes no more of it,',
  ({ serve }) => {
    it.each([
      ['express4', express4],
      ['express5', express5],
    ] as const)('is sent all the same under %s', async (_name, profile) => {
      const stuck = new Controller(
        'POST',
        '/',
        fromExpress((req, _res, next) => {
          req.pipe(new Writable({ highWaterMark: 1, write() {} }))
          setImmediate(() => next(failure({ status: 418 })))
        }),
      )
      const { send } = await serve([stuck], { profile: profile() })
      expect((await send('/', { method: 'POST', body: 'x'.repeat(200_000) })).status).toBe(418)
    })
  },
  ({ onNode }) => onNode,
)

describe.each(expresses)('A page under the profile of an app of %s', (_name, create) => {
  it('for a path without a route does not name Express where a hook such as that of helmet hides it', async () => {
    const hide = (_req: unknown, res: ServerResponse, next: () => void): void => {
      res.removeHeader('X-Powered-By')
      next()
    }
    const app = create().set('env', 'test').use(hide)
    const all = new RouteControllers([new Controller('GET', '/x', () => 'x')], {
      profile: fromApp(create().set('env', 'test')),
    }).addGlobal(hide)
    const [theirs, ours] = [await host(app), await host(toListener(all.getCallback()))]
    const expected = await ask(theirs.port, { target: '/none' })
    expect(expected.headers.join()).not.toContain('X-Powered-By')
    expect(await ask(ours.port, { target: '/none' })).toEqual(expected)
  })

  it('for what a plain fallback throws is that of the app', async () => {
    const app = create().set('env', 'test')
    const all = new RouteControllers([new Controller('GET', '/x', () => 'x')], { profile: fromApp(app) })
    const fallback = (): never => {
      throw failure({ status: 418 })
    }
    const logger = { info() {}, warn() {}, error() {} }
    const theirs = await host(create().set('env', 'test').use(fallback))
    const ours = await host(toListener(all.getCallback(), { fallback, logger }))
    const namesOf = ({ statusLine, headers }: WireAnswer): unknown => [
      statusLine,
      headers.filter((line) => !line.startsWith('Content-Length')),
    ]
    const expected = await ask(theirs.port, { target: '/none' })
    expect(namesOf(await ask(ours.port, { target: '/none' }))).toEqual(namesOf(expected))
  })
})

describe.each(expresses)('onError under the profile of an app of %s', (_name, createApp) => {
  afterEach(closeHosted)

  const onError = (error: any, _req: unknown, res: ResponseBuilder): object =>
    res
      .status(418)
      .cookie('a', 'b')
      .json({ told: error.code ?? error.message })

  const serve = async (options: object, fallback?: () => void, controllers?: any): Promise<number> => {
    const list = controllers ?? [new Controller('GET', '/own', () => 'own')]
    const routeControllers = new RouteControllers(list, { onError, ...options })
    const server = await new Server().start({
      port: 0,
      host: '127.0.0.1',
      routeControllers,
      ...(fallback && { fallback }),
    })
    closeLater(() => server.stop())
    return server.getPort()
  }

  it('answers what a fallback throws', async () => {
    const port = await serve({ profile: fromApp(createApp()) }, () => {
      throw new Error('no fallback')
    })
    const { statusLine, headers, body } = await ask(port, { target: '/other' })
    expect([statusLine, body]).toEqual(["HTTP/1.1 418 I'm a Teapot", '{"told":"no fallback"}'])
    expect(headers).toContain('Set-Cookie: a=b; Path=/')
  })

  it('answers for an app that has changed', async () => {
    const app = createApp()
    app.get('/teas', (_req: unknown, res: any) => res.json('teas'))
    const { controllers } = toControllers(app, { onStale: 'throw' })
    const port = await serve({ profile: fromApp(app) }, undefined, controllers)
    expect((await ask(port, { target: '/teas' })).body).toBe('"teas"')
    app.get('/late', (_req: unknown, res: any) => res.json('late'))
    const { statusLine, body } = await ask(port, { target: '/teas' })
    expect([statusLine, body]).toEqual(["HTTP/1.1 418 I'm a Teapot", '{"told":"ERR_APP_CHANGED"}'])
  })
})
