// A native callback in a route of Express: the same answers as the handler that it stands before, whichever of the two answers.
import cookieParser from 'cookie-parser'
import diagnostics from 'node:diagnostics_channel'
import http from 'node:http'
import { Readable } from 'node:stream'
import net from 'node:net'
import { fromExpress, native, sendFile } from 'routecontrollers/express'
import { z } from 'zod'
import { switchNatives } from 'routecontrollers/express-model'
import type { Received, SendOptions } from '../support/describe-servings.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'
import { appServings, byExpress } from './support/app-servings.js'
import { thrownBy } from '../support/thrown-by.js'
import { sides } from './support/side-by-side.js'

afterEach(closeHosted)

/** Rejects with what is no error. */
const rejecting = (reason: unknown): Promise<never> => Promise.reject(reason)

type Handler = (req: any, res: any, next: any) => unknown

/** How a route is built: the handler alone, behind its native twin, or behind one that leaves all requests to it. */
type Beside = (handler: Handler) => Handler[]
const mustNotRun: Handler = (_req, res) => res.status(500).send('the handler behind a native one has run')
const ways: Record<string, Beside> = {
  alone: (handler) => [handler],
  native: (handler) => [native(fromExpress(handler)) as Handler, mustNotRun],
  'native, with a schema': (handler) => [
    native(fromExpress(handler), { input: { headers: z.unknown() } }) as Handler,
    mustNotRun,
  ],
  'left to the handler': (handler) => [native(() => 'the native callback has run') as Handler, handler],
}

interface Scenario {
  build: (app: any, beside: Beside, express: any, ran: string[]) => void
  asks: [target: string, options?: SendOptions][]
}

const note =
  (ran: string[], name: string): Handler =>
  (_req, _res, next) => {
    ran.push(name)
    next()
  }

const scenarios: Record<string, Scenario> = {
  'params run once, with those of the mount': {
    build(app, beside, express, ran) {
      const router = express.Router({ mergeParams: true })
      router.param('id', (req: any, _res: any, next: any, id: string) => {
        ran.push(`param ${id}`)
        if (id === '0') return next(Object.assign(new Error('none'), { status: 404 }))
        req.order = { id }
        next()
      })
      const show: Handler = (req, res) =>
        res.json([req.params, req.order, req.baseUrl, req.url, req.originalUrl, req.route.path])
      router.get('/:id', note(ran, 'guard'), ...beside(show))
      app.use('/shops/:shop/orders', router)
      app.use((error: any, req: any, res: any, _next: any) =>
        res.status(error.status).json([error.message, req.params]),
      )
    },
    asks: [
      ['/shops/a/orders/7'],
      ['/shops/a/orders/0'],
      ['/shops/a/orders/%zz'],
      ['/shops/a/orders/7', { method: 'HEAD' }],
    ],
  },
  'guards in the route, before it and behind': {
    build(app, beside, _express, ran) {
      const guard: Handler = (req, res, next) =>
        req.get('x-user') ? ((req.user = 'mia'), next()) : res.sendStatus(401)
      app.get('/own', guard, ...beside((req, res) => res.json(req.user)))
      app.all('/all/:id', guard)
      app.get('/all/:id', ...beside((req, res) => res.json([req.user, req.params])))
      app.get('/before', ...beside((req, res) => res.json(req.user ?? 'nobody')))
      app.use(note(ran, 'use'), guard)
      app.get('/behind', ...beside((req, res) => res.json(req.user)))
    },
    asks: ['/own', '/all/1', '/before', '/behind'].flatMap((target): [string, SendOptions?][] => [
      [target],
      [target, { headers: { 'x-user': 'mia' } }],
    ]),
  },
  'a Router among the handlers before it, with a route of its own': {
    build(app, beside, express, ran) {
      const guard = express.Router()
      guard.all(/./, (req: any, res: any, next: any) => (req.get('x-user') ? next() : res.sendStatus(401)))
      const router = express.Router()
      router.get('/:id', guard, note(ran, 'guard'), ...beside((req, res) => res.json(req.params)))
      app.use('/orders', router)
      app.post('/teas', guard, ...beside((_req, res) => res.json('teas')))
    },
    asks: [
      ['/orders/7'],
      ['/orders/7', { headers: { 'x-user': 'mia' } }],
      ['/orders/7', { method: 'HEAD', headers: { 'x-user': 'mia' } }],
      ['/teas', { method: 'POST', headers: { 'x-user': 'mia' } }],
    ],
  },
  'methods of a route, HEAD and OPTIONS': {
    build(app, beside, express) {
      const router = express.Router()
      const handler: Handler = (req, res) => res.set('x-method', req.method).send(req.method)
      router
        .route('/x')
        .get(...beside(handler))
        .post(...beside(handler))
      router.put('/x', handler)
      router.all('/any', ...beside(handler))
      router.head('/head', (_req: any, res: any) => res.set('x-method', 'own').end())
      router.get('/head', ...beside(handler))
      app.use('/o', router)
    },
    asks: ['/o/x', '/o/any', '/o/head'].flatMap((target) =>
      ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'].map((method): [string, SendOptions] => [
        target,
        { method },
      ]),
    ),
  },
  'what goes on, and what fails': {
    build(app, beside, express, ran) {
      const router = express.Router()
      router.get('/next', ...beside((_req, _res, next) => next()))
      router.get('/route', ...beside((_req, _res, next) => next('route')))
      router.get('/router', ...beside((_req, _res, next) => next('router')))
      router.get(['/next', '/route', '/router'], (req: any, res: any) => res.json(['second', req.route.path]))
      router.get(
        '/throws/:a',
        ...beside(() => {
          throw Object.assign(new Error('no'), { status: 418 })
        }),
      )
      router.get('/fails', ...beside((_req, _res, next) => next(new Error('failed'))))
      router.use((error: any, req: any, _res: any, next: any) => {
        ran.push(`router: ${error.message} ${req.url} ${JSON.stringify(req.params)}`)
        next(error)
      })
      app.use('/r', router)
      app.use((req: any, res: any) => res.send(`behind ${req.url} ${req.baseUrl}`))
      app.use((error: any, req: any, res: any, _next: any) =>
        res.status(error.status ?? 500).json([error.message, req.originalUrl]),
      )
    },
    asks: ['/next', '/route', '/router', '/throws/1', '/fails'].map((path) => [`/r${path}`]),
  },
  'bodies, queries, locals and settings of the app': {
    build(app, beside, express) {
      app.set('json spaces', 2).set('query parser', 'extended')
      app.locals.a = 1
      app.use(express.json(), express.urlencoded({ extended: true }))
      app.use((_req: any, res: any, next: any) => ((res.locals.b = 2), res.cookie('c', 'd'), next()))
      const echo: Handler = (req, res) =>
        res.json([req.body ?? null, req.query, res.locals, req.app === app, req.res === res, req.ip])
      app.post('/echo', ...beside(echo))
      app.get('/echo', ...beside(echo))
      app.get('/old', ...beside((_req, res) => res.redirect('/echo')))
      app.get('/text', ...beside((_req, res) => res.type('text').send('ä'.repeat(400))))
    },
    asks: [
      ['/echo?a[b]=1&c=2&c=3'],
      ['/echo', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' }],
      [
        '/echo',
        { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a[b]=1' },
      ],
      ['/echo', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{no' }],
      ['/echo', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'tea' }],
      ['/old'],
      ['/text'],
      ['/text', { headers: { 'if-none-match': '*' } }],
    ],
  },
  'order, lists of paths and expressions': {
    build(app, beside) {
      app.get('/wide/:id', ...beside((req, res) => res.send(`wide ${req.params.id}`)))
      app.get('/wide/new', ...beside((_req, res) => res.send('new')))
      app.get(['/a/:x', /^\/b\/(\d+)$/], ...beside((req, res) => res.json(req.params)))
    },
    asks: [['/wide/new'], ['/wide/7'], ['/a/1'], ['/b/12'], ['/b/c'], ['/b/1', { method: 'OPTIONS' }]],
  },
}

const ofConnection = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'set-cookie']
const shown = ({ status, headers, text }: Received): unknown => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name))),
  text: text.replace(/<pre>([^<]*)<br>[\s\S]*<\/pre>/, '$1'),
})

const { 'by createServer': _onClasses, ...servings } = appServings

describe.each(sides)('A native callback in a route of %s', (_name, express: any) => {
  const created = (build: (app: any) => void): any => {
    const app = express().set('env', 'test')
    build(app)
    return app
  }

  describe.each(Object.entries(servings))('%s', (_serving, serveApp) => {
    it.each(Object.entries(scenarios))(
      'answers as the handler that it stands before: %s',
      async (_title, { build, asks }) => {
        const answers: Record<string, unknown[]> = {}
        for (const [way, beside] of Object.entries(ways)) {
          const ran: string[] = []
          const app = created((app) => build(app, beside, express, ran))
          // As `migration({ app })` does at `legacy`.
          const leaveAll = { choose: () => false, finish: (answer: any) => answer }
          if (way === 'left to the handler') switchNatives(app, { place: () => leaveAll, read() {} })
          const send = await serveApp(app)
          answers[way] = []
          for (const ask of asks) answers[way].push([...ask, shown(await send(...ask)), ran.splice(0)])
        }
        const { alone, ...others } = answers
        for (const other of Object.values(others)) expect(other).toEqual(alone)
      },
    )

    it('answers with what the callback of a Controller returns, by the settings of the app', async () => {
      const send = await serveApp(
        created((app) => {
          app.set('json spaces', 1)
          app.get(
            '/orders/:id',
            native((req, res) => res.header('X-Own', 'yes').json({ id: req.params['id'], q: req.query })),
          )
          app.get(
            '/text',
            native(() => 'tea'),
          )
          app.get(
            '/none',
            native(() => null),
          )
          app.get(
            '/stream',
            native((_req, res) => res.stream(Readable.from(['a', 'b']))),
          )
          app.get(
            '/later',
            native(async (req) => Promise.resolve({ route: req.route.path, method: req.route.method })),
          )
          app.get(
            '/web',
            native(() => new Response('web', { status: 203 })),
          )
        }),
      )
      const order = await send('/orders/7?a=1')
      expect([order.status, order.text, order.headers['x-own']]).toEqual([
        200,
        '{\n "id": "7",\n "q": {\n  "a": "1"\n }\n}',
        'yes',
      ])
      expect(order.headers.etag).toMatch(/^W\//)
      expect(
        (await send('/orders/7?a=1', { headers: { 'if-none-match': order.headers.etag! } })).status,
      ).toBe(304)
      expect((await send('/text')).text).toBe('tea')
      expect((await send('/none')).status).toBe(204)
      expect((await send('/stream')).text).toBe('ab')
      expect(JSON.parse((await send('/later')).text)).toEqual({ route: '/later', method: 'GET' })
      expect(await send('/web')).toMatchObject({ status: 203, text: 'web' })
    })

    it('parses and checks a body where nothing before it has', async () => {
      const input = { body: z.object({ amount: z.number() }) }
      const send = await serveApp(
        created((app) => {
          app.post(
            '/orders',
            native((req, res) => res.status(201).json(req.body), { input, bodyLimit: 30 }),
            mustNotRun,
          )
        }),
      )
      const post = (body: string, type = 'application/json'): Promise<Received> =>
        send('/orders', { method: 'POST', headers: { 'content-type': type }, body })
      expect(await post('{"amount":1,"x":2}')).toMatchObject({ status: 201, text: '{"amount":1}' })
      const refused = await post('{"amount":"1"}')
      expect([refused.status, JSON.parse(refused.text).errors[0].path]).toEqual([422, '/amount'])
      expect((await post('{no')).status).toBe(400)
      expect((await post(`{"amount":${'1'.repeat(30)}}`)).status).toBe(413)
    })

    it('checks the input of handlers of Express, too, and gives them what its schemas make of it', async () => {
      const ran: unknown[] = []
      const handler = fromExpress((req, res) => {
        ran.push(req.params)
        res.json(req.params)
      })
      const input = { params: z.object({ id: z.string().regex(/^\d+$/), more: z.string().default('none') }) }
      const send = await serveApp(
        created((app) => app.get('/orders/:id', native(handler, { input }), mustNotRun)),
      )
      const refused = await send('/orders/x')
      expect([refused.status, JSON.parse(refused.text).errors[0].path]).toEqual([422, '/id'])
      expect(ran).toEqual([])
      expect(await send('/orders/7')).toMatchObject({ status: 200, text: '{"id":"7","more":"none"}' })
    })

    it('gives what it throws to the error handlers of the app', async () => {
      const send = await serveApp(
        created((app) => {
          app.get(
            '/throws',
            native(() => {
              throw Object.assign(new Error('no tea'), { status: 418 })
            }),
            mustNotRun,
          )
          app.get(
            '/rejects',
            native(() => Promise.reject(new Error('no tea either'))),
            mustNotRun,
          )
          app.get(
            '/nothing',
            native(() => undefined as never),
            mustNotRun,
          )
          app.use((error: any, _req: any, res: any, _next: any) =>
            res.status(error.status ?? 500).json(error.code ?? error.message),
          )
        }),
      )
      expect(await send('/throws')).toMatchObject({ status: 418, text: '"no tea"' })
      expect(await send('/rejects')).toMatchObject({ status: 500, text: '"no tea either"' })
      expect(await send('/nothing')).toMatchObject({ status: 500, text: expect.stringContaining('ERR_') })
    })

    it.each<[string, (begun: () => void) => unknown]>([
      [
        'a callback throws',
        (begun) =>
          native(async (req) => {
            begun()
            await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
            throw new Error('no tea')
          }),
      ],
      [
        'a handler of Express has in the middle of its answer',
        (begun) =>
          native(
            fromExpress((_req, res, next) => {
              res.once('close', () => next(new Error('no tea')))
              res.write('tea')
              begun()
            }),
            { input: { headers: z.unknown() } },
          ),
      ],
    ])('gives what %s to the error handlers of the app after the client has gone', async (_what, make) => {
      let told = (_message: string): void => {}
      const message = new Promise<string>((resolve) => (told = resolve))
      let begun = (): void => {}
      const running = new Promise<void>((resolve) => (begun = resolve))
      const send = await serveApp(
        created((app) => {
          app.get('/late', make(begun), mustNotRun)
          app.get('/over', (_req: any, res: any) => res.send('over'))
          app.use((error: any, _req: any, _res: any, next: any) => {
            told(error.message)
            next(error)
          })
        }),
      )
      const client = net.connect(send.port, '127.0.0.1')
      client.write('GET /late HTTP/1.1\r\nHost: test\r\n\r\n')
      await running
      client.destroy()
      expect(await message).toBe('no tea')
      expect((await send('/over')).text).toBe('over')
    })

    it('fails outside of a route', async () => {
      const send = await serveApp(
        created((app) => {
          app.get('/passes', (_req: any, _res: any, next: any) => next())
          app.use(native(() => 'tea'))
          app.use((error: any, _req: any, res: any, _next: any) => res.status(500).json(error.code))
        }),
      )
      for (const path of ['/', '/passes'])
        expect(await send(path)).toMatchObject({ status: 500, text: '"ERR_NATIVE_PLACE"' })
    })

    it('fails behind a Router where it stands in several routes', async () => {
      const send = await serveApp(
        created((app) => {
          const router = express.Router()
          router.get(/./, (_req: any, _res: any, next: any) => next())
          const handler = native(() => 'tea')
          app.get('/one', router, handler)
          app.get('/two', handler)
          app.use((error: any, _req: any, res: any, _next: any) => res.status(500).json(error.code))
        }),
      )
      expect((await send('/one')).text).toBe('"ERR_NATIVE_PLACE"')
      expect((await send('/two')).text).toBe('tea')
    })

    it('fails where something else than a route calls it', () => {
      const handler = native(() => 'tea') as unknown as (req: unknown, res: unknown) => void
      expect(thrownBy(() => handler({ method: 'GET' }, {})).code).toBe('ERR_NATIVE_PLACE')
    })

    it('says what to write in the place of a function around it', async () => {
      const around =
        (handler: Handler): Handler =>
        (req, res, next) =>
          Promise.resolve(handler(req, res, next)).catch(next)
      const send = await serveApp(
        created((app) => {
          app.get('/wrapped', around(native(() => 'tea')))
          app.use((error: any, _req: any, res: any, _next: any) => res.status(500).send(error.message))
        }),
      )
      expect((await send('/wrapped')).text).toContain(
        'A function around it, as asyncHandler(native(…)), goes',
      )
    })
  })

  describe.each(Object.entries(servings))('%s, where res.json was replaced', (_serving, serveApp) => {
    const onResponses =
      (replace: (res: any, json: any) => unknown) =>
      (app: any): void =>
        app.use((_req: any, res: any, next: any) => {
          res.json = replace(res, res.json)
          next()
        })
    const replacements: Record<string, (app: any) => void> = {
      'by one that is bound': onResponses((res, json) => {
        const bound = json.bind(res)
        return (data: unknown) => bound({ data })
      }),
      'by one that reads the response': onResponses(
        (_res, json) =>
          function (this: any, data: unknown) {
            return json.call(this, {
              data,
              status: this.statusCode,
              own: this.get('X-Own'),
              url: this.req.url,
            })
          },
      ),
      'by one that answers later': onResponses((res, json) => (data: unknown) => {
        setImmediate(() => json.call(res, { data }))
        return res
      }),
      'by one that sends another type': onResponses(
        (res) => (data: unknown) => res.type('application/vnd.tea+json').send(JSON.stringify({ data })),
      ),
      'on the responses of the app': (app) => {
        const { json } = app.response
        app.response.json = function (data: unknown) {
          return json.call(this, { data, status: this.statusCode })
        }
      },
    }

    it.each(Object.entries(replacements))('%s', async (_title, replace) => {
      const answers = await Promise.all(
        [
          (_req: any, res: any) => res.status(201).set('X-Own', 'yes').json({ tea: '<1>', none: undefined }),
          native((_req, res) => res.status(201).header('X-Own', 'yes').json({ tea: '<1>', none: undefined })),
        ].map(async (handler) => {
          const send = await serveApp(
            created((app) => {
              app
                .set('json spaces', 1)
                .set('json escape', true)
                .set('json replacer', ['data', 'status', 'own', 'url', 'tea'])
              replace(app)
              app.get('/tea', handler)
            }),
          )
          return shown(await send('/tea'))
        }),
      )
      expect(answers[0]).toMatchObject({ status: 201, headers: { 'x-own': 'yes' } })
      expect(answers[1]).toEqual(answers[0])
    })

    it('sends none of two answers', async () => {
      const send = await serveApp(
        created((app) => {
          replacements['on the responses of the app']!(app)
          app.get(
            '/tea',
            native((_req, res) => {
              res.status(403).json({ built: true })
              return res.text('returned')
            }),
          )
          app.use((error: any, _req: any, res: any, _next: any) => res.status(500).send(error.code))
        }),
      )
      expect((await send('/tea')).text).toBe('ERR_ANSWER_TWICE')
    })
  })

  it('writes JSON by the settings of the app', async () => {
    const value = { tea: '<a & b>', cups: [1], left: 'out' }
    const answers = await Promise.all(
      [(_req: any, res: any) => res.json(value), native(() => value)].map(async (handler) => {
        const send = await byExpress(
          created((app) => {
            app.set('json spaces', 1).set('json escape', true).set('json replacer', ['tea', 'cups'])
            app.get('/tea', handler)
          }),
        )
        return shown(await send('/tea'))
      }),
    )
    expect(answers[1]).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ text: expect.stringContaining('\\u003ca \\u0026 b\\u003e') })
  })

  it('publishes its requests to the tracing channel', async () => {
    const seen: unknown[] = []
    const subscribers = {
      start() {},
      end() {},
      asyncStart() {},
      asyncEnd: (message: any) => void seen.push([message.route.path, message.status]),
      error: (message: any) => void seen.push(message.error.message),
    }
    const channel = diagnostics.tracingChannel('routecontrollers.request')
    channel.subscribe(subscribers)
    try {
      const send = await byExpress(
        created((app) => {
          app.get(
            '/teas/:id',
            native(() => 'tea'),
          )
          app.get(
            '/fails',
            native(() => Promise.reject(new Error('no tea'))),
          )
          app.get('/passes', native(fromExpress((_req, _res, next) => next())))
        }),
      )
      for (const path of ['/teas/1', '/fails', '/passes']) await send(path)
    } finally {
      channel.unsubscribe(subscribers)
    }
    expect(seen).toEqual([['/teas/:id', 200], 'no tea', ['/fails', 500], ['/passes', undefined]])
  })

  it('leaves no members on a request that it passes on in a Router without an app', async () => {
    const router = express.Router()
    const pass = fromExpress((_req, _res, next) => next())
    router.get('/x', native(pass, { input: { headers: z.unknown() } }))
    router.get('/x', (req: any, res: any) => res.end(`${typeof req.text} ${typeof req.realIp}`))
    const send = await byExpress((req: any, res: any) => router(req, res, () => res.end('none')))
    expect((await send('/x')).text).toBe('undefined undefined')
  })

  it('leaves the requests that it does not run as they were', async () => {
    const send = await byExpress(
      created((app) => {
        app.get(
          '/native',
          native((req) => ({ cookies: req.cookies, ip: typeof req.realIp })),
        )
        app.get('/passes', native(fromExpress((_req, _res, next) => next())))
        app.use(cookieParser('secret'))
        app.use(async (req: any, res: any) => {
          let text = ''
          for await (const chunk of req) text += String(chunk)
          res.json([
            text,
            req.cookies,
            typeof req.text,
            typeof req.json,
            req.rawBody ?? null,
            // Node 24.21 gives a request one of its own.
            req.signal === Reflect.get(http.IncomingMessage.prototype, 'signal', req),
          ])
        })
      }),
    )
    const headers = { cookie: 'a=b' }
    const body = { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body: 'tea' }
    const before = (await send('/any', body)).text
    expect(before).toBe('["tea",{"a":"b"},"undefined","undefined",null,true]')
    expect((await send('/native', { headers })).text).toBe('{"cookies":{"a":"b"},"ip":"string"}')
    expect((await send('/any', body)).text).toBe(before)
    expect((await send('/passes', { headers })).text).toBe('["",{"a":"b"},"undefined","undefined",null,true]')
  })

  it('finds its members where the app has one of its own of such a name, or takes none', async () => {
    for (const prepare of [(request: any) => (request.text = () => 'own'), Object.freeze]) {
      const send = await byExpress(
        created((app) => {
          app.get('/own', (req: any, res: any) =>
            res.send(typeof req.text === 'function' ? req.text() : 'none'),
          )
          app.post(
            '/native',
            native(async (req) => `${await req.text()} ${req.get('host') !== undefined}`),
          )
          prepare(app.request)
        }),
      )
      const post = { method: 'POST', headers: { 'content-type': 'application/x-tea' }, body: 'tea' }
      expect((await send('/native', post)).text).toBe('tea true')
      expect((await send('/own')).text).toBe(prepare === Object.freeze ? 'none' : 'own')
      expect((await send('/native', post)).text).toBe('tea true')
    }
  })

  it('finds its place in a route that gets it later, and where a tracer has wrapped it', async () => {
    const handle = native((req) => req.route.method)
    const app = express().set('env', 'test')
    const route = app.route('/x').get(handle)
    const send = await byExpress(app)
    expect((await send('/x')).text).toBe('GET')
    route.post(handle)
    expect((await send('/x', { method: 'POST' })).text).toBe('POST')
    const layer = (app._router ?? app.router).stack.at(-1).route.stack[0]
    const original = layer.handle
    layer.handle = Object.assign((...parameters: unknown[]) => original(...parameters), {
      __original: original,
    })
    expect((await send('/x')).text).toBe('GET')
  })
})

describe.each(expresses)('native in a route of %s', (_name, express) => {
  it('answers HEAD as GET where it stands for other methods too', async () => {
    const app = createExpress(express)
    const both = native((req, res) => res.header('X-Native', req.route.method).end())
    app.route('/both').get(both).post(both)
    const { send } = await host(app)
    expect((await send('/both', { method: 'HEAD' })).headers['x-native']).toBe('GET')
  })

  it.each<[string, unknown]>([
    ['a handler that rejects with nothing', () => rejecting(undefined)],
    ['a handler that rejects with its request', (req: object) => rejecting(req)],
    ['a function of five parameters', (_a: any, _b: any, _c: any, _d: any, _e: any) => {}],
  ])('runs handlers as a route of Express 5: %s', async (what, handler) => {
    const say = (_req: any, res: any): void => void res.send('reached')
    const handlers = fromExpress(handler as never, say as never)
    const app = createExpress(express).get('/x', native(handlers as never))
    const { send } = await host(app)
    const isPassedOver = what.startsWith('a function')
    expect((await send('/x')).status).toBe(isPassedOver ? 200 : 500)
  })

  it('answers where a handler before it has replaced the method', async () => {
    const app: any = createExpress(express)
    const replaces = (req: any, _res: any, next: () => void): void => {
      req.method = 'PUT'
      next()
    }
    app.post(
      '/one',
      replaces,
      native((req) => `${req.method} ${req.route.method}`),
    )
    app.all(
      '/all',
      replaces,
      native((req) => `${req.method} ${req.route.method}`),
    )
    app.head(
      '/head',
      replaces,
      native((_req, res) => res.header('X-Native', '1').end()),
    )
    app.post(
      '/file',
      replaces,
      native(() => sendFile('package.json', { root: process.cwd() })),
    )
    const { send } = await host(app)
    expect((await send('/file', { method: 'POST' })).json().name).toBe('routecontrollers')
    expect((await send('/one', { method: 'POST' })).text).toBe('PUT POST')
    expect((await send('/all', { method: 'POST' })).text).toBe('PUT *')
    expect((await send('/head', { method: 'HEAD' })).headers['x-native']).toBe('1')
  })
})

describe('native', () => {
  it.each([
    ['a text', 'tea', 'string'],
    ['nothing', undefined, 'undefined'],
    ['a list', [() => 'tea'], 'an array'],
  ])('refuses %s', (_what, callback, named) => {
    expect(() => native(callback as never)).toThrow(
      expect.objectContaining({
        code: 'ERR_CONTROLLER_INVALID',
        message: `native takes the callback of a Controller, (req, res) => …, not ${named}`,
      }),
    )
  })

  it('refuses options that a Controller does not have', () => {
    expect(() => native(() => 'tea', { bodyLimits: 1 } as never)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION_INVALID' }),
    )
  })

  it('has the name of its callback', () => {
    expect(
      native(function show() {
        return 'tea'
      }).name,
    ).toBe('show')
    expect(native(() => 'tea').name).toBe('native')
  })
})
