// An app that was taken over runs a request once: by its Controllers or by itself, whatever stands behind them, and whoever calls it.
import { createServer } from 'node:http'
import { createConnection } from 'node:net'
import express5 from 'express'
import express4 from 'express4'
import { RouteControllers, toListener } from 'routecontrollers'
import { fromApp, fromRouter, toControllers } from 'routecontrollers/express'
import supertest from 'supertest'
import { openSession, sendOn } from '../server/http2-client.js'
import { serveHttp2 } from '../server/serve-http2.js'
import { closeHosted } from '../support/hosting.js'

describe.each([
  [4, express4],
  [5, express5],
] as const)('A request of Express %i that a taken route passes on', (_version, express: any) => {
  const open: (() => Promise<void>)[] = []
  afterEach(async () => {
    jest.restoreAllMocks()
    await Promise.all(open.splice(0).map((close) => close()))
  })

  let log: string[]
  beforeEach(() => void (log = []))

  const note =
    (text: string) =>
    (_req: any, _res: any, next: any): void => {
      log.push(text)
      next()
    }

  /** An app with a guard, whose routes pass on. */
  const make = (name = ''): any => {
    const app = express().set('env', 'test')
    app.use(note(`${name}mw`))
    app.use('/admin', (req: any, res: any, next: any) => {
      log.push(`${name}guard`)
      if (req.headers['x-user'] === 'mia') next()
      else res.status(401).send('who?')
    })
    app.all('/pay', note(`${name}pay`))
    app.all('/fail', (_req: any, _res: any, next: any) => {
      log.push(`${name}fail`)
      next(new Error('failed'))
    })
    app.get('/admin/x', (_req: any, res: any) => res.send('secret'))
    return app
  }

  const middlewareOf = (app: any, options: object = {}): any =>
    new RouteControllers(toControllers(app, options).controllers, { profile: fromApp(app) }).middleware()

  it('runs a router once, where it was taken over by itself and as a part of its app', async () => {
    const app = express().set('env', 'test')
    const router = express.Router()
    router.all('/pay', note('pay'))
    app.use(router)
    app.use(note('rest'))
    const host = express().set('env', 'test')
    const { controllers } = toControllers(router)
    host.use(new RouteControllers(controllers, { profile: fromRouter(router, { app }) }).middleware())
    host.use(middlewareOf(app, { middleware: true }))
    await supertest(host).get('/pay')
    expect(log).toEqual(['pay', 'rest'])
  })

  /** The status of an answer, and what ran for it. */
  const ask = async (
    handler: any,
    target = '/pay',
    headers: Record<string, string> = {},
  ): Promise<string> => {
    log.length = 0
    const { status } = await supertest(handler).get(target).set(headers)
    return `${status} ${log.join()}`
  }

  const choices: [string, object][] = [
    ['only', { only: ['/pay'] }],
    ['except', { except: ['/fail'] }],
    ['all', {}],
    ['the rest, too,', { middleware: true }],
  ]
  describe.each(choices)('with %s', (_name, options) => {
    const ways: [string, (app: any, mw: any) => any][] = [
      ['the app is called by hand behind', (app, mw) => (q: any, s: any) => mw(q, s, () => app(q, s))],
      ['a host has the app behind', (app, mw) => express().use(mw).use(app)],
      [
        'a host of the other version has it behind',
        (app, mw) => ((express === express4 ? express5 : express4) as any)().use(mw).use(app),
      ],
      [
        'a host within a host has it behind',
        (app, mw) =>
          express()
            .use(mw)
            .use(express().use(express.Router().use(app))),
      ],
      [
        'both are mounted',
        (app, mw) => {
          const host = express().use('/v1', mw).use('/v1', app)
          return (q: any, s: any) => {
            q.url = `/v1${q.url}`
            host(q, s)
          }
        },
      ],
      ['the middleware is mounted twice', (app, mw) => express().use(mw).use(mw).use(app)],
      ['two RouteControllers have it', (app, mw) => express().use(mw).use(middlewareOf(app, options))],
      ['the app stands in front', (app, mw) => express().use(app).use(mw)],
      ['the app is called by hand in front', (app, mw) => (q: any, s: any) => app(q, s, () => mw(q, s))],
      ['it is inside the app itself', (app, mw) => app.use(mw)],
      ['it is inside a router of the app itself', (app, mw) => app.use(express.Router().use(mw))],
      ['it is called by hand inside the app', (app, mw) => app.use((q: any, s: any, n: any) => mw(q, s, n))],
      ['it is inside an app that is mounted in the app', (app, mw) => app.use(express().use(mw))],
    ]
    it.each(ways)('runs once where %s', async (_way, combine) => {
      const app = make()
      expect(await ask(combine(app, middlewareOf(app, options)))).toBe('404 mw,pay')
    })

    it('runs once in front of the app', async () => {
      const app = make()
      const { controllers } = toControllers(app, options)
      const routeControllers = new RouteControllers(controllers, { profile: fromApp(app) })
      expect(await ask(toListener(routeControllers.getCallback(), { fallback: app }))).toBe('404 mw,pay')
    })

    it('still comes to what stands behind in the host', async () => {
      const app = make()
      const host = express().use(middlewareOf(app, options)).use(app)
      host.get('/pay', (_req: any, res: any) => res.status(203).send('host'))
      expect(await ask(host)).toBe('203 mw,pay')
    })
  })

  it('runs once where it fails and the error is passed over', async () => {
    const app = make()
    const mw = middlewareOf(app)
    expect(await ask((q: any, s: any) => mw(q, s, () => app(q, s)), '/fail')).toBe('404 mw,fail')
  })

  it.each([
    ['the URL', (q: any) => (q.url = '/admin/x')],
    ['the URL, and the whole one', (q: any) => (q.url = q.originalUrl = '/admin/x')],
  ])('meets the guard of its new path where %s was rewritten in between', async (_what, rewrite) => {
    const app = make()
    const between = (q: any, _s: any, next: any): void => {
      rewrite(q)
      next()
    }
    for (const options of [{}, { only: ['/pay'] }]) {
      const mw = middlewareOf(app, options)
      const host = express().use(mw).use(between).use(mw).use(app)
      const byHand = (q: any, s: any): void => mw(q, s, () => between(q, s, () => mw(q, s, () => app(q, s))))
      for (const handler of [host, byHand]) {
        expect(await ask(handler)).toBe('401 mw,pay,mw,guard')
        expect(await ask(handler, '/pay', { 'x-user': 'mia' })).toBe('200 mw,pay,mw,guard')
      }
    }
  })

  it('runs again where another method or another mount makes it another request', async () => {
    const app = make()
    const mw = middlewareOf(app)
    const method = express()
      .use(mw)
      .use((q: any, _s: any, next: any) => {
        q.method = 'POST'
        next()
      })
    expect(await ask(method.use(app))).toBe('404 mw,pay,mw,pay')
    const whole = express()
      .use(mw)
      .use((q: any, _s: any, next: any) => {
        q.originalUrl = '/other'
        next()
      })
    expect(await ask(whole.use(app))).toBe('404 mw,pay,mw,pay')
    const mount = express()
      .use('/a', mw)
      .use((q: any, _s: any, next: any) => {
        q.url = q.url.replace('/a/', '/b/')
        next()
      })
    expect(await ask(mount.use('/b', app), '/a/pay')).toBe('404 mw,pay,mw,pay')
  })

  it('runs again behind the app where it has become another request since', async () => {
    const app = make()
    const host = express()
      .use(app)
      .use((q: any, _s: any, next: any) => {
        q.url = '/admin/x'
        next()
      })
      .use(middlewareOf(app))
    expect(await ask(host)).toBe('401 mw,pay,mw,guard')
    log = []
    expect(await ask(host, '/pay', { 'x-user': 'mia' })).toBe('200 mw,pay,mw,guard')
  })

  it('runs once where a hook takes the request back to what the app has had', async () => {
    const app = make()
    const { controllers } = toControllers(app)
    const routeControllers = new RouteControllers(controllers, { profile: fromApp(app) })
    const toPay = (q: any, _s: any, next: any): void => {
      q.url = '/pay'
      next()
    }
    routeControllers.addGlobal(toPay, { scope: 'every' })
    const away = (q: any, _s: any, next: any): void => {
      q.url = '/elsewhere'
      next()
    }
    const host = express().use(app).use(away).use(routeControllers.middleware())
    expect(await ask(host)).toBe('404 mw,pay')
    // It comes to the guard of another path.
    const toAdmin = (q: any, _s: any, next: any): void => {
      q.url = '/admin/x'
      next()
    }
    const other = new RouteControllers(controllers, { profile: fromApp(app) })
    other.addGlobal(toAdmin, { scope: 'every' })
    expect(await ask(express().use(app).use(away).use(other.middleware()))).toBe('401 mw,pay,mw,guard')
  })

  it('runs twice where a host has the app itself twice, as in Express', async () => {
    const app = make()
    middlewareOf(app)
    expect(await ask(express().use(app).use(app))).toBe('404 mw,pay,mw,pay')
  })

  it('runs once in each of two apps', async () => {
    const [a, b] = [make('a '), make('b ')]
    const controllers = [
      ...toControllers(a, { only: ['/pay'] }).controllers,
      ...toControllers(b, { only: ['/pay'] }).controllers,
    ]
    const mw = new RouteControllers(controllers, { profile: fromApp(a) }).middleware()
    expect(await ask(express().use(mw).use(a).use(b))).toBe('404 a mw,a pay,b mw,b pay')
    expect(await ask(express().use(a).use(mw).use(b))).toBe('404 a mw,a pay,b mw,b pay')
    expect(await ask(express().use(middlewareOf(b)).use(mw).use(a).use(b))).toBe('404 b mw,b pay,a mw,a pay')
  })

  it('is taken to the hooks alone where the app has had it, also to those that are added later', async () => {
    const app = make()
    const routeControllers = new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) })
    const host = express().use(app).use(routeControllers.middleware())
    routeControllers.addGlobal(note('of what is answered here'))
    routeControllers.addGlobal(note('first'), { scope: 'every' })
    expect(await ask(host)).toBe('404 mw,pay,first')
    routeControllers.addGlobal(note('second'), { scope: 'every' })
    expect(await ask(host)).toBe('404 mw,pay,first,second')
  })

  it('runs once in a Router, wherever that stands', async () => {
    const router = (): any => express.Router().use(note('mw')).all('/pay', note('pay'))
    const of = (one: any): any =>
      new RouteControllers(toControllers(one).controllers, {
        profile: fromRouter(one, { app: express() }),
      }).middleware()
    const first = router()
    expect(await ask(express().use('/api', of(first)).use('/api', first), '/api/pay')).toBe('404 mw,pay')
    const second = router()
    expect(await ask(express().use('/api', second.use(of(second))), '/api/pay')).toBe('404 mw,pay')
    const third = router()
    const app = express().use(third)
    expect(await ask(express().use(of(third)).use(middlewareOf(app)).use(app))).toBe('404 mw,pay')
  })

  it('does not mark the next request of its connection', async () => {
    const app = make()
    const mw = middlewareOf(app)
    const server = createServer((q, s) => mw(q, s, () => app(q, s))).listen(0)
    open.push(async () => void server.close())
    const text = await new Promise<string>((resolve, reject) => {
      const socket = createConnection((server.address() as any).port)
      const request = (target: string, more = ''): string =>
        `GET ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
      let received = ''
      socket
        .on('data', (chunk) => (received += String(chunk)))
        .on('end', () => resolve(received))
        .on('error', reject)
      socket.write(
        request('/pay') +
          request('/pay') +
          request('/admin/x') +
          request('/admin/x', 'Connection: close\r\n'),
      )
    })
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual([
      'HTTP/1.1 404',
      'HTTP/1.1 404',
      'HTTP/1.1 401',
      'HTTP/1.1 401',
    ])
    expect(log.join()).toBe('mw,pay,mw,pay,mw,guard,mw,guard')
  })

  it('runs once over HTTP/2, behind what answers there', async () => {
    const app = make()
    const mw = middlewareOf(app, { only: ['/pay'] })
    const host = express().use(mw).use(mw).use(app)
    const { port } = await serveHttp2(new RouteControllers([]), { fallback: host })
    open.push(closeHosted)
    const session = await openSession(port)
    expect([(await sendOn(session, '/pay')).status, log.join()]).toEqual([404, 'mw,pay'])
    log.length = 0
    expect([(await sendOn(session, '/admin/x')).status, log.join()]).toEqual([401, 'mw,guard'])
    session.close()
  })

  it('is answered by Controllers in a host that shares the request, or the response, of their app', async () => {
    for (const share of [
      (host: any, app: any) => (host.request = app.request),
      (host: any, app: any) => Object.assign(host, { request: app.request, response: app.response }),
      (host: any, app: any) => (host.request = Object.create(app.request)),
    ]) {
      const app = make()
      const host = express().set('env', 'test')
      share(host, app)
      host.use(middlewareOf(app))
      expect(await ask(host, '/admin/x', { 'x-user': 'mia' })).toBe('200 mw,guard')
      expect(await ask(host, '/admin/x')).toBe('401 mw,guard')
    }
  })
})
