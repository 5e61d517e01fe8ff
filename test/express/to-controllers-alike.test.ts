import express5, { type Express } from 'express'
import express4 from 'express4'
import { RouteControllers, Server } from 'routecontrollers'
import { fromApp, toControllers } from 'routecontrollers/express'
import { listenOn } from '../support/describe-servings.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { ask, type WireAnswer, type WireRequest } from './support/compare.js'

type Step = (req: any, res: any, next: (signal?: unknown) => void) => unknown

afterEach(async () => {
  jest.restoreAllMocks()
  await closeHosted()
})

describe.each([
  [4, express4],
  [5, express5],
] as const)('an app of Express %i as Controllers', (version, express) => {
  interface Seen {
    answer: WireAnswer
    trace: unknown[]
  }
  /** What has been noted in the request that is under way. */
  let trace: unknown[]

  const note =
    (name: string): Step =>
    (req, _res, next) => {
      trace.push([name, req.method, req.url, req.baseUrl, { ...req.params }, req.route?.path])
      next()
    }
  const say =
    (name: string): Step =>
    (req, res) =>
      res.end(JSON.stringify([name, req.url, req.baseUrl, req.params]))
  const catching =
    (answer: (error: any) => unknown) => (error: any, _req: unknown, res: any, next: () => void) => {
      trace.push(['caught', error.code ?? error.message])
      const said = answer(error)
      if (said === undefined) next()
      else res.end(said)
    }

  /** Asks the app and the Controllers that are made of it for the same, one after the other, and expects the same answers. */
  const expectAlike = async (
    build: (app: any) => void,
    requests: readonly (string | WireRequest)[],
    source: (app: any) => unknown = (app) => app,
  ): Promise<readonly Seen[]> => {
    jest.spyOn(console, 'error').mockImplementation(() => {})
    const app = express().set('env', 'production') as Express
    build(app)
    const { port, close } = await listenOn(app)
    closeLater(close)
    const { controllers, left } = toControllers(source(app), { middleware: true })
    expect(left).toEqual([])
    const server = new Server()
    const options = { port: 0, host: '127.0.0.1' }
    await server.start({
      ...options,
      routeControllers: new RouteControllers(controllers, { profile: fromApp(app) }),
    })
    closeLater(() => server.stop())
    const see = async (at: number, request: WireRequest): Promise<Seen> => {
      trace = []
      const answer = await ask(at, request)
      return { answer, trace }
    }
    const all: Seen[] = []
    for (const one of requests) {
      const request = typeof one === 'string' ? { target: one } : one
      const expected = await see(port, request)
      expect({ request, ...(await see(server.getPort(), request)) }).toEqual({ request, ...expected })
      all.push(expected)
    }
    return all
  }

  it('leave a router in which the URL has been rewritten to what is none', async () => {
    await expectAlike(
      (app) => {
        const router = express.Router()
        router.use((req: any, _res: any, next: () => void) => {
          req.url = req.get('x-url')
          next()
        })
        router.use(note('behind'))
        router.get('/x', say('x'))
        app.use('/r', router)
        app.use(/.*/, say('any'))
      },
      ['', '?a=1', 'http://[x', 'http://test/x', '/x', 'x', '/%', '//x'].map((url) => ({
        target: '/r/a',
        headers: { 'x-url': url },
      })),
    )
  })

  it('enter routers with a URL that is no path', async () => {
    await expectAlike(
      (app) => {
        const router = express.Router()
        router.use(note('in a router'))
        router.get('/x', say('x'))
        app.use((req: any, _res: any, next: () => void) => {
          req.url = req.get('x-url') ?? req.url
          next()
        })
        app.use(router)
        app.use('/', express().use(note('in an app')))
        app.use(/.*/, say('any'))
      },
      [
        ...['x', 'x?a=://b', 'x/y'].map((url) => ({ target: '/other', headers: { 'x-url': url } })),
        { method: 'OPTIONS', target: '*' },
      ],
    )
  })

  it('go on behind a param that cannot be decoded, once an error handler has forgiven it', async () => {
    await expectAlike(
      (app) => {
        const router = express.Router()
        router.get('/a/b', say('never'))
        app.use('/:y/b', router)
        app.use(catching(() => undefined))
        app.get('/:y/b', say('y'))
        app.use('/%', note('guard'))
        app.use(catching(() => undefined))
        app.use(say('any'))
      },
      ['/%/b', '/a/b', '/%'],
    )
  })

  it('are those of a router that merges params, where there are none to merge', async () => {
    let router: any
    await expectAlike(
      (app) => {
        router = express.Router({ mergeParams: true })
        router.get(/^\/(\w)(\w)/, say('groups'))
        router.get('/:name', say('name'))
        app.use(router)
      },
      ['/abc', '/a'],
      () => router,
    )
  })

  it('skip what follows in a route, and in a router', async () => {
    await expectAlike(
      (app) => {
        const router = express.Router()
        const leave = (signal: string) => (_req: unknown, _res: unknown, next: (signal: string) => void) =>
          next(signal)
        router.get('/:how', note('first'), leave('route'), say('never'))
        router.get('/router', leave('router'), say('never'))
        router.get('/router', say('never'))
        router.get('/route', say('the next route'))
        app.use(router)
        app.get('/router', say('behind the router'))
      },
      ['/route', '/router'],
    )
  })

  it.each([false, true])(
    'find what stands in routers to any depth (case sensitive: %p)',
    async (sensitive) => {
      await expectAlike(
        (app) => {
          app.set('case sensitive routing', sensitive)
          for (const [at, path] of ['/:team', /^\/re(?=\/)/, '/lit', ['/one', '/two']].entries()) {
            const outer = express.Router()
            const middle = express.Router({ caseSensitive: true })
            const inner = express()
            inner.use('/in', note(`guard ${at}`))
            inner.get('/in/:id', note(`route ${at}`))
            middle.use(inner)
            middle.use('/deep', inner)
            outer.use(middle)
            outer.use('/Mid', middle)
            app.use(path, outer)
          }
          app.get('/lit/in/7', say('behind'))
          app.get('/re/mid/deep/in/7', say('behind'))
          app.get('/:any/in/:id', say('behind any'))
        },
        [
          '/x/in/7',
          '/re/in/7',
          '/lit/in/7',
          '/two/in/7',
          '/LIT/in/7',
          ...['/x', '/re', '/lit', '/one'].flatMap((path) => [
            `${path}/Mid/in/7`,
            `${path}/mid/deep/in/7`,
            `${path}/MID/DEEP/IN/7`,
          ]),
        ],
      )
    },
  )

  it('pass by what stands at other paths', async () => {
    await expectAlike(
      (app) => {
        const router = express.Router()
        router.use('/in', note('in'))
        router.use('/other', note('other in a router'))
        router.get('/in/:id', note('route'), (_req: unknown, _res: unknown, next: (signal: string) => void) =>
          next('route'),
        )
        router.post('/in/:id', note('another method'))
        app.use('/a', note('a'), router)
        app.use('/b', note('b'))
        app.get('/b', say('b'))
        app.use(['/b', '/a/in'], note('either'))
        app.get('/a/in/7', say('a'))
        app.use('/a', router)
      },
      ['/a/in/7', '/A/IN/8', '/a', '/b', '/b/x', '/c'],
    )
  })

  it('count unnamed groups on behind those of the outer router', async () => {
    await expectAlike(
      (app) => {
        const inner = express.Router({ mergeParams: true })
        inner.get(/^\/(\w)(\w)?(\w)?\/(?<name>\w+)/, say('inner'))
        inner.use(/^\/(\w)/, note('inner middleware'))
        inner.get('/:name', say('named'))
        for (const path of [/^\/one\/(\w)/, /^\/two\/(\w)\/(\w)\/(\w)/, '/named/:name', /^\/none/]) {
          app.use(path, inner)
        }
      },
      [
        '/one/a/b/c',
        '/one/a/bcd/e',
        '/two/a/b/c/d/e',
        '/two/a/b/c/def/g',
        '/named/a/b/c',
        '/none/a/b',
        '/one/a/b',
      ],
    )
  })

  it('call the callbacks of params for each value once, in each router', async () => {
    const all = await expectAlike(
      (app) => {
        const router = express.Router({ mergeParams: true })
        const callback =
          (name: string) =>
          (req: any, _res: any, next: (signal?: unknown) => void, value: string, param: string) => {
            trace.push([name, param, value])
            if (value === 'skip') return next('route')
            if (value === 'fail') return next(new Error('no such thing'))
            if (value === 'throw') throw new Error('thrown')
            if (value === 'later') return void setImmediate(next)
            req.params[param] = `${value}!`
            next()
          }
        app.param('x', callback('first'))
        app.param('x', callback('second'))
        app.param('y', callback('of y'))
        router.param('x', callback('inner'))
        app.get('/:x/:y', note('both'))
        app.get('/:x/:z', note('one'))
        app.use('/:x', note('mounted'))
        app.use(catching(() => undefined))
        app.get('/:y/:x', note('turned'))
        app.use('/:x', router)
        router.get('/:x', say('inner'))
        app.use(catching((error) => error.message))
      },
      [
        '/a/b',
        '/a/a',
        '/skip/b',
        '/b/skip',
        '/fail/b',
        '/b/fail',
        '/throw/b',
        '/later/b',
        '/later/fail',
        '/skip/fail',
      ],
    )
    expect(all.some(({ trace: calls }) => calls.length > 5)).toBe(true)
  })

  it('take a regular expression for a mount only where it ends with a segment', async () => {
    await expectAlike(
      (app) => {
        app.use(/\/a/, note('a'))
        app.use(/\/b\//, note('with a slash'))
        app.use([/^\/c/, '/d'], note('several'))
        app.get(/.*/, say('any'))
      },
      ['/a', '/a/', '/ab', '/a.b', '/x/a', '/b/', '/b/c', '/b//c', '/c', '/cd', '/d/e', '/D'],
    )
  })

  it('take a regular expression for the mount of a router only where it ends with a segment', async () => {
    await expectAlike(
      (app) => {
        for (const path of [/^\/a/, /\/b/, /^\/c\//]) {
          const router = express.Router()
          router.get(['/', '/x', '/.x'], say(String(path)))
          app.use(path, router)
        }
        app.get(/.*/, say('any'))
      },
      ['/a', '/ax', '/a/x', '/a.x', '/y/b/x', '/b/x', '/c/x', '/c//x', '/c/'],
    )
  })

  it.each(['g', 'y'])(
    'go on with an expression of the flag %s where its last match has ended',
    async (flag) => {
      const app = express() as Express
      app.get(new RegExp('^/x$', flag), say('x'))
      app.get(/.*/, say('any'))
      const { controllers } = toControllers(app)
      // To look for the route of a request is no match of it.
      const ask = new RouteControllers(controllers, { profile: fromApp(app) }).getCallback()
      const names: unknown[] = []
      for (let at = 0; at < 4; at++) {
        const [name] = (await (await ask(new Request('http://x/x'))).json()) as [string]
        names.push(name)
      }
      expect(names).toEqual(['x', 'any', 'x', 'any'])
    },
  )

  it('answer OPTIONS as the app does, whatever has become of the method', async () => {
    await expectAlike(
      (app) => {
        const router = express.Router()
        app.use((req: any, _res: any, next: () => void) => {
          req.method = req.get('x-method') ?? req.method
          next()
        })
        router.route('/x').get(say('get')).post(say('post'))
        router.head('/x', say('head'))
        router.all('/all', say('all'))
        router.use('/leave', (_req: unknown, _res: unknown, next: (signal: string) => void) => next('router'))
        router.put('/leave', say('put'))
        app.delete('/r/x', say('delete'))
        app.use('/r', router)
        app.patch('/r/leave', say('patch'))
      },
      [
        { method: 'OPTIONS', target: '/r/x' },
        { method: 'OPTIONS', target: '/r/all' },
        { method: 'OPTIONS', target: '/r/leave' },
        { method: 'OPTIONS', target: '/r/none' },
        { method: 'OPTIONS', target: '/r/x', headers: { 'x-method': 'GET' } },
        { method: 'OPTIONS', target: '/r/x', headers: { 'x-method': 'PUT' } },
        { method: 'GET', target: '/r/x', headers: { 'x-method': 'OPTIONS' } },
        { method: 'PUT', target: '/r/x', headers: { 'x-method': 'OPTIONS' } },
      ],
    )
  })

  it('give an answer to OPTIONS that cannot be sent to the error handlers', async () => {
    const [{ trace: calls }] = (await expectAlike(
      (app) => {
        const router = express.Router()
        router.use((_req: unknown, res: any, next: () => void) => {
          res.end('early')
          next()
        })
        router.get('/x', say('x'))
        app.use('/r', router)
        app.use((error: any, _req: unknown, _res: unknown, _next: unknown) => void trace.push(error.code))
      },
      [{ method: 'OPTIONS', target: '/r/x' }],
    )) as [Seen]
    expect(calls).toEqual(['ERR_HTTP_HEADERS_SENT'])
  })

  it('enter a route without handlers, and functions that are none for their number of parameters', async () => {
    await expectAlike(
      (app) => {
        app.route('/x')
        app.use('/x', (_a: unknown, _b: unknown, _c: unknown, _d: unknown, _e: unknown) => {
          throw new Error('never called')
        })
        app.use('/y', (_error: unknown, _req: unknown, _res: unknown, _next: unknown) => {
          throw new Error('never called')
        })
        app.get('/:any', note('route'), (_error: unknown, _req: unknown, _res: unknown, _next: unknown) => {
          throw new Error('never called')
        })
        app.get('/:any', say('any'))
      },
      ['/x', '/y', { method: 'HEAD', target: '/x' }],
    )
  })

  it('skip mounts and routes while an error is under way', async () => {
    await expectAlike(
      (app) => {
        const router = express.Router()
        const mounted = express()
        router.use(note('in a router'))
        mounted.use(note('in an app'))
        app.use('/x', (_req: unknown, _res: unknown, next: (error: Error) => void) => next(new Error('x')))
        app.use('/x', router)
        app.use('/x/', mounted)
        app.get('/x/y', say('never'))
        app.use(
          '/x',
          catching(() => undefined),
        )
        app.get('/x/y', say('recovered'))
      },
      ['/x/y', '/x'],
    )
  })

  it('keep a function that only bears the name of a mounted app', async () => {
    await expectAlike(
      (app) => {
        app.use('/x', function mounted_app(req: any, res: any, next: () => void) {
          if (req.url.startsWith('/own')) res.end('own')
          else if (req.get === undefined) res.setHeader('X-Read', '1')
          else next()
        })
        app.get('/x/:on', say('on'))
      },
      ['/x/own', '/x/other'],
    )
  })

  it('run an app of the other version as the function that it is', async () => {
    await expectAlike(
      (app) => {
        const other: any = (version === 4 ? express5 : express4)()
        other.get('/in', (_req: unknown, res: any) => res.end('of the other version'))
        app.use('/other', other)
        // Without a layer, and in version 4 without a router.
        app.use('/other', express())
        app.get('/other/:on', say('on'))
      },
      ['/other/in', '/other/on'],
    )
  })

  it('run members that all requests or all responses were given', async () => {
    const added: any = express
    added.response.message = function (this: any, text: string) {
      return this.send(`message: ${text}`)
    }
    Object.defineProperty(added.request, 'shout', {
      configurable: true,
      get(this: any) {
        return String(this.url).toUpperCase()
      },
    })
    try {
      await expectAlike((app) => app.get('/x', (req: any, res: any) => res.message(req.shout)), ['/x?a=b'])
    } finally {
      delete added.response.message
      delete added.request.shout
    }
  })

  it('match layers that do not know how they were written', async () => {
    await expectAlike(
      (app) => {
        const router = express.Router()
        router.get('/in/:id', say('in'))
        app.use(['/a', '/B'], note('middleware'), router)
        app.use('/c/:x', router)
        app.get('/a/:rest', say('rest'))
        // As the layers of router 2.2 and before.
        for (const layer of [...(version === 4 ? app._router : app.router).stack, ...(router as any).stack])
          delete layer.rawPath
      },
      ['/a/in/7', '/b/in/7', '/c/1/in/2', '/a/x', '/A/%2F', '/nope'],
    )
  })

  it.each([false, true])(
    'finish in front of another app what they have begun (middleware: %p)',
    async (middleware) => {
      const seen: unknown[] = []
      const app: any = express()
      const mounted: any = express()
      mounted.get('/own', (req: any, res: any) => res.end(String(req.app === mounted)))
      const router: any = express.Router()
      // By a router, whose apps stay what is shown.
      router.use(mounted)
      router.get('/next', (req: any, _res: unknown, next: () => void) => {
        seen.push(req.app === mounted)
        next()
      })
      app.use(router)
      const fallback: any = express()
      fallback.use((req: any, res: any) => res.end(String(req.app === fallback && res.app === fallback)))
      const { controllers } = toControllers(app, { middleware })
      const server = new Server()
      await server.start({
        port: 0,
        host: '127.0.0.1',
        routeControllers: new RouteControllers(controllers, { profile: fromApp(app) }),
        fallback,
      })
      closeLater(() => server.stop())
      expect((await ask(server.getPort(), { target: '/own' })).body).toContain('true')
      expect((await ask(server.getPort(), { target: '/next' })).body).toContain('Cannot GET /next')
      const untouched = await ask(server.getPort(), { target: '/untouched' })
      expect(untouched.body).toContain(middleware ? 'Cannot GET /untouched' : 'true')
      expect(seen).toEqual([true])
    },
  )
})
