// The requests and responses of an app on classes of its own have the members that they have on a plain server.
import http, { IncomingMessage, ServerResponse } from 'node:http'
import connect from 'connect'
import express5, { type Express } from 'express'
import express4 from 'express4'
import { Controller, type NodeHandler, RouteControllers, Server } from 'routecontrollers'
import { createServer, fromApp, toControllers } from 'routecontrollers/express'
import { closeHosted, closeLater, host } from '../support/hosting.js'
import { refusal } from '../support/refusal.js'
import { expresses6 } from './support/express-6.js'
import { describeSideBySide, sides } from './support/side-by-side.js'

afterEach(closeHosted)

const silent = { info() {}, warn() {}, error() {} }

/** Tells in a text what a handler sees. */
const telling =
  (see: (req: any, res: any) => unknown) =>
  (req: any, res: any): void =>
    void res.send(String(see(req, res)))

const own = (name: string) => telling((req, res) => `${String(req[name])} ${String(res[name])}`)
const forwarded = { 'X-Forwarded-For': '192.0.2.6' }

function extend(app: Express, name: string, value: unknown = name): void {
  ;(app.request as any)[name] = value
  ;(app.response as any)[name] = value
}

const listed = (value: object): string[] => {
  const names: string[] = []
  for (const name in value) names.push(name)
  return names.sort()
}

describeSideBySide('Members', {
  'of an app that has a server first and is mounted later': async ({ createApp, serve }) => {
    const sub = createApp().set('trust proxy', false).set('name', 'sub')
    sub.get(
      '/x',
      telling((req, res) => [req.app.get('name'), res.app.get('name'), req.ip, req.own, req.parents].join()),
    )
    extend(sub, 'own')
    const alone = await serve(sub)
    const parent = createApp().set('trust proxy', true).set('name', 'parent').use('/s', sub)
    extend(parent, 'parents')
    const mounted = await serve(parent)
    return [await mounted('/s/x', forwarded), await alone('/x', forwarded)]
  },
  'of an app that is mounted first and has a server later': async ({ createApp, serve }) => {
    const [parent, sub] = [createApp(), createApp()]
    sub.get(
      '/x',
      telling((req, res) => [req.app === sub, res.app === sub, req.parents, res.subs, req.late].join()),
    )
    parent.use('/s', sub).get('/y', own('subs')).get('/z', own('late'))
    const ask = await serve(parent)
    const alone = await serve(sub)
    extend(parent, 'parents')
    extend(sub, 'subs')
    parent.use('/t', sub)
    extend(parent, 'late')
    return [await ask('/s/x'), await ask('/y'), await ask('/z'), await ask('/t/x'), await alone('/x')]
  },
  'of apps that are mounted in each other, of which one has a server': async ({ createApp, serve }) => {
    const apps = [createApp(), createApp(), createApp()] as const
    const [outer, middle, inner] = apps
    outer.use('/m', middle)
    middle.use('/i', inner)
    const ask = await serve(middle)
    apps.forEach((app, at) => extend(app, `of${at}`))
    inner.get(
      '/x',
      telling((req, res) => [req.of0, req.of1, req.of2, res.of0, res.of1, res.of2].join()),
    )
    const answers = [await ask('/i/x')]
    const whole = await serve(outer)
    extend(outer, 'of0', 'later')
    return [...answers, await ask('/i/x'), await whole('/m/i/x')]
  },
  'back in the parent, when a mounted app has passed a request on': async ({ createApp, serve }) => {
    const [parent, sub] = [createApp(), createApp()]
    sub.use((_req, _res, next) => next())
    parent.use(sub).get(
      '/',
      telling((req, res) => [req.app === parent, res.app === parent, req.own, req.subs].join()),
    )
    extend(sub, 'subs')
    const alone = await serve(sub)
    const ask = await serve(parent)
    extend(parent, 'own')
    return [await ask(), await alone('/none')]
  },
  'of Express, added later': async ({ express, createApp, serve }) => {
    const ask = await serve(createApp().get('/', own('later')))
    Object.assign(express.request, { later: 1 })
    Object.assign(express.response, { later: 2 })
    const answer = await ask()
    Reflect.deleteProperty(express.request, 'later')
    Reflect.deleteProperty(express.response, 'later')
    return [answer, await ask()]
  },
  'of an app that replaces its request, before and later': async ({ createApp, serve }) => {
    const app: any = createApp()
    app.get(
      '/',
      telling((req, res) =>
        [req.before, res.later, Object.getPrototypeOf(req) === app.request, req.app === app].join(),
      ),
    )
    app.request = Object.create(app.request, { before: { value: 1 } })
    const first = await serve(app)
    app.response = Object.create(app.response, { later: { value: 2 } })
    const answers = [await first()]
    const second = await serve(app)
    app.request = Object.create(app.request, { before: { value: 3 } })
    return [...answers, await second(), await first()]
  },
  'that are getters, symbols or hidden': async ({ createApp, serve }) => {
    const symbol = Symbol('own')
    const app: any = createApp()
    Object.defineProperty(app.request, 'got', { get: () => 'got', configurable: true })
    Object.defineProperty(app.request, 'hidden', { value: 'hidden', configurable: true })
    app.response[symbol] = 'symbol'
    app.get(
      '/',
      telling((req, res) => [req.got, req.hidden, res[symbol], Object.keys(app.request)].join()),
    )
    return (await serve(app))()
  },
  'that cannot be moved': async ({ createApp, serve }) => {
    const answers: string[] = []
    for (const fix of [Object.freeze, Object.seal, Object.preventExtensions]) {
      const app: any = createApp()
      extend(app, 'own')
      fix(app.request)
      fix(app.response)
      app.get('/', own('own'))
      answers.push(await (await serve(app))())
    }
    const [fixed, sub]: any[] = [createApp(), createApp()]
    Object.defineProperty(fixed.request, 'own', { value: 1, writable: true })
    Object.defineProperty(fixed, 'response', { value: fixed.response, writable: false })
    fixed.use('/sub', sub.get('/', own('own')))
    const ask = await serve(fixed.get('/', own('own')))
    fixed.request.own = 2
    return [...answers, await ask(), await ask('/sub')]
  },
  'that Express sets before it gives a request its prototype': async ({ createApp, serve }) => {
    const answers: string[] = []
    for (const name of ['query', 'next', 'res']) {
      const app: any = createApp()
      Object.defineProperty(app.request, name, { value: { own: name }, writable: true, configurable: true })
      app.get(
        '/',
        telling((req) => [JSON.stringify(req.query), typeof req.next, typeof req.res].join()),
      )
      answers.push(await (await serve(app))('/?a=1'))
    }
    return answers
  },
  'in the place of those of Node, below those that an app has in their place': async ({
    createApp,
    serve,
  }) => {
    const answers: string[] = []
    for (const [kind, name] of [
      ['request', 'res'],
      ['response', 'statusCode'],
    ] as const) {
      const app: any = createApp()
      const below = Object.create(app[kind], {
        [name]: { get: () => 204, set() {}, configurable: true },
      }) as object
      app[kind] = Object.create(below, { more: { value: 1, configurable: true } })
      app.get(
        '/',
        telling((req, res) => [typeof req.res, res.statusCode, req.more, res.more].join()),
      )
      answers.push(await (await serve(app))())
    }
    return answers
  },
  'of the objects themselves': async ({ express, createApp, serve }) => {
    const app: any = createApp()
    app.get(
      '/',
      telling((req, res) =>
        JSON.stringify([
          req instanceof IncomingMessage,
          res instanceof ServerResponse,
          [req, res].map((one) => one.constructor.name),
          [req, res].map((one) => Object.keys(Object.getPrototypeOf(one)).includes('app')),
          Object.getPrototypeOf(req) === app.request && Object.getPrototypeOf(res) === app.response,
          Object.getPrototypeOf(app.request) === express.request,
          Object.getPrototypeOf(app.response) === express.response,
          Object.keys(app.request),
          Object.hasOwn(app.request, 'app') && Object.hasOwn(app.response, 'app'),
          listed(req),
          listed(res),
        ]),
      ),
    )
    return (await serve(app))()
  },
  'of an app with two servers': async ({ createApp, serve }) => {
    const app = createApp()
      .get('/', (_req, res) => void res.json({ a: 1 }))
      .get('/own', own('own'))
    const [first, second] = [await serve(app), await serve(app)]
    app.set('json spaces', 1)
    extend(app, 'own')
    return [await first(), await second(), await first('/own'), await second('/own')]
  },
  'where a middleware gives a request another prototype': async ({ createApp, serve }) => {
    const app = createApp()
    const prototype = Object.create(app.request, { more: { value: 1 } }) as object
    app.use((req, _res, next) => {
      Object.setPrototypeOf(req, prototype)
      next()
    })
    app.get(
      '/',
      telling((req) => `${req.more} ${req.path}`),
    )
    return (await serve(app))()
  },
  'of which the app itself is another later': async ({ createApp, serve }) => {
    const app: any = createApp()
    app.get(
      '/',
      telling((req) => `${req.app === app} ${req.app.tag}`),
    )
    const ask = await serve(app)
    app.request.app = Object.assign(Object.create(app) as object, { tag: 7 })
    return ask()
  },
  'of an app that stands behind a Proxy': async ({ createApp, serve }) => {
    const app = createApp()
    const [behind, direct] = [await serve(new Proxy(app, {})), await serve(app)]
    extend(app, 'own')
    app.get('/', own('own'))
    return [await behind(), await direct()]
  },
  'of a host of another version of Express': async ({ version, createApp, serve }) => {
    const outer: any = (version === 4 ? express5 : express4)().set('env', 'test')
    const app = createApp()
    app.get(
      '/x',
      telling((req, res) => [req.app === app, req.own, req.outers, req.path, typeof res.json].join()),
    )
    app.get('/json', (_req, res) => void res.json({ a: 1 }))
    extend(outer, 'outers')
    outer.use('/o', app).get('/own', own('outers'))
    const answers: string[] = []
    for (const ask of [await serve(outer), await serve(app)]) {
      extend(app, 'own')
      for (const target of ['/o/x', '/o/json', '/x', '/json', '/own']) answers.push(await ask(target))
    }
    return answers
  },
  'of an app that toControllers has taken over': async ({ createApp, serve }) => {
    const app = createApp()
    app.get('/old', own('own')).get('/json', (_req, res) => void res.json([1]))
    const { controllers } = toControllers(app)
    const mine = new Controller('GET', '/mine', (req) => `${String(req.rawBody)} ${'own' in req}`)
    const outer = createApp()
    outer.use(new RouteControllers([mine, ...controllers], { profile: fromApp(app) }).middleware())
    extend(outer, 'own', 'outer')
    const ask = await serve(outer)
    extend(app, 'own')
    return [await ask('/old'), await ask('/json'), await ask('/mine'), await ask('/none')]
  },
  'within a middleware of Connect': async ({ createApp, serve }) => {
    const app = createApp().get('/', own('own'))
    const outer = connect().use(app)
    const alone = await serve(app)
    extend(app, 'own')
    const { send } = await host(outer)
    const { status, text, headers } = await send('/')
    return [await alone(), status, text, headers['etag']]
  },
})

describe.each(sides)('createServer with %s', (_name, express) => {
  it('makes classes of its own for an app that is mounted in another', () => {
    const [parent, sub] = [express(), express()]
    parent.use(sub)
    createServer(parent)
    const { request, response } = sub
    createServer(sub)
    expect(sub.request).not.toBe(request)
    expect(sub.response).not.toBe(response)
    expect(Object.getPrototypeOf(request)).toBe(sub.request)
    expect(sub.request.app).toBe(sub)
  })

  it('gives a request and a response the prototypes that Express would give them', async () => {
    const app = express()
    const server = createServer(app)
    const seen: boolean[] = []
    server.prependListener('request', (req, res) => {
      seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response)
    })
    await new Promise<void>((resolve) => server.listen(0, resolve))
    await fetch(`http://localhost:${(server.address() as { port: number }).port}/`)
    await new Promise((resolve) => server.close(resolve))
    expect(seen).toEqual([true, true])
  })

  it('makes the classes of an app once, also where its package was loaded twice', () => {
    const app = express()
    createServer(app)
    const { request, response } = app
    jest.isolateModules(() => {
      const again = jest.requireActual<{ createServer: typeof createServer }>('routecontrollers/express')
      expect(again.createServer).not.toBe(createServer)
      again.createServer(app)
    })
    expect(app.request).toBe(request)
    expect(app.response).toBe(response)
  })

  it('is a server of Node with the options and the app', () => {
    const app = express()
    const server = createServer(app, { keepAliveTimeout: 1234, requestTimeout: 4321 })
    expect(server).toBeInstanceOf(http.Server)
    expect(server.listeners('request')).toEqual([app])
    expect([server.keepAliveTimeout, server.requestTimeout]).toEqual([1234, 4321])
  })

  it('changes nothing of Express and of Node', () => {
    const prototypes = [
      express.request,
      express.response,
      express.application,
      IncomingMessage.prototype,
      ServerResponse.prototype,
    ]
    const read = () =>
      prototypes.map((one) => [Object.getOwnPropertyDescriptors(one), Object.getPrototypeOf(one) as unknown])
    const before = read()
    createServer(express())
    expect(read()).toEqual(before)
  })

  it('refuses options of another server, and classes', () => {
    for (const name of ['http2', 'allowHTTP1', 'tls', 'key', 'cert', 'pfx']) {
      expect(() => createServer(express(), { [name]: true })).toThrow(
        refusal('ERR_OPTION_INVALID', `createServer has no option "${name}"; `, 'use Server with'),
      )
    }
    for (const name of ['IncomingMessage', 'ServerResponse'] as const) {
      expect(() => createServer(express(), { [name]: http[name] })).toThrow(
        refusal('ERR_OPTION_INVALID', `createServer has no option "${name}"; `, 'put members on app.re'),
      )
    }
    expect(() => createServer(express(), 'no' as never)).toThrow(
      refusal('ERR_OPTION_INVALID', 'an object of options, not string'),
    )
    const app = express()
    const { request } = app
    expect(() => createServer(app, { key: '' } as object)).toThrow(refusal('ERR_OPTION_INVALID'))
    expect(app.request).toBe(request)
  })
})

describe.each(sides)('A Server in front of an app of %s', (_name, express) => {
  /** `made` has whether each request and response was made with the prototypes of the app. */
  async function start(
    own: readonly Controller[],
    fallback: (app: Express) => NodeHandler,
    prepare: (app: any) => void = () => {},
  ) {
    const app = express().set('env', 'test')
    prepare(app)
    app.get(
      '/taken',
      telling((req, res) => [req.app === app, res.app === app, 'rawBody' in req].join()),
    )
    app.get(
      '/left',
      telling((req, res) => [req.app === app, res.app === app, 'rawBody' in req].join()),
    )
    const { controllers } = toControllers(app, { only: ['GET /taken'] })
    const routeControllers = new RouteControllers([...own, ...controllers], { profile: fromApp(app) })
    const server = new Server()
    await server.start({ port: 0, routeControllers, fallback: fallback(app), logger: silent })
    closeLater(() => server.stop({ lameDuckMs: 0, graceMs: 0 }))
    const made: unknown[] = []
    server.nodeServer!.prependListener('request', (req, res) => {
      made.push(Object.getPrototypeOf(req) === app.request && Object.getPrototypeOf(res) === app.response)
    })
    const read = async (path: string) => (await fetch(`${server.getURL()}${path}`)).text()
    return { made, read }
  }
  const mine = new Controller('GET', '/mine', (req) => String('rawBody' in req))

  it('makes requests of the classes of the app, where all Controllers are of the app', async () => {
    const { made, read } = await start([], (app) => app)
    expect(await read('/left')).toBe('true,true,false')
    expect(await read('/taken')).toBe('true,true,false')
    expect(made).toEqual([true, true])
  })

  it('makes them of classes with the members of callbacks, where there are others', async () => {
    const { made, read } = await start([mine], (app) => app)
    expect(await read('/left')).toBe('true,true,false')
    expect(await read('/mine')).toBe('true')
    expect(made).toEqual([false, false])
  })

  it('gives them back as those of Node to another fallback', async () => {
    const { made, read } = await start(
      [],
      () => (req, res) => void res.end(String('app' in req || 'send' in res)),
    )
    expect(await read('/left')).toBe('false')
    expect(await read('/taken')).toMatch(/^true,true/)
    expect(made).toEqual([false, false])
  })

  it('serves an app whose members cannot be moved', async () => {
    const { made, read } = await start(
      [],
      (app) => app,
      (app) => Object.freeze(app.request),
    )
    expect(await read('/left')).toBe('true,true,false')
    // As on the classes with the members of callbacks.
    expect(await read('/taken')).toBe('true,true,true')
    expect(made).toEqual([false, false])
  })
})

it('createServer refuses what is no app', () => {
  for (const wrong of [express5.Router(), connect(), () => {}, {}, undefined, null]) {
    expect(() => createServer(wrong as never)).toThrow(
      refusal('ERR_OPTION_INVALID', 'createServer takes an app of Express 4 or 5, not '),
    )
  }
})

// Its router is not read: Express 5 would make it then, before the settings that are still to come.
it.each(expresses6.filter(([name]) => name.startsWith('whose app')))(
  'createServer refuses an app of an Express 6 %s',
  (_name, express6) => {
    const app = express6()
    const { request } = app
    expect(() => createServer(app)).toThrow(refusal('ERR_EXPRESS_VERSION', 'install express@5'))
    expect(app.request).toBe(request)
  },
)

it('createServer leaves the router of Express 5 to be made with the settings that come later', async () => {
  const app = express5()
  const server = createServer(app)
  app.set('strict routing', true).get('/a', (_req, res) => void res.send('a'))
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { status } = await fetch(`http://localhost:${(server.address() as { port: number }).port}/a/`)
  await new Promise((resolve) => server.close(resolve))
  expect(status).toBe(404)
})
