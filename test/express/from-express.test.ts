import { Controller, fromConnect, RouteControllers, toListener } from 'routecontrollers'
import express from 'express'
import { express5, fromApp, fromExpress, type Handler } from 'routecontrollers/express'
import { describeServings, listenOn, sendTo } from '../support/describe-servings.js'
import { createExpress, expresses } from '../support/hosting.js'

it.each([[[]], [[[]]], [[null]], [['handler']], [[() => {}, undefined]]])(
  'fromExpress refuses the handlers %p',
  (handlers) => {
    expect(() => fromExpress(...(handlers as never[]))).toThrow(
      expect.objectContaining({ code: 'ERR_CONTROLLER_INVALID' }),
    )
  },
)

it('fromExpress says that it takes a handler at least', () => {
  expect(() => fromExpress()).toThrow(
    expect.objectContaining({ message: 'fromExpress takes at least one handler' }),
  )
})

describeServings('fromExpress', ({ serve, misses }) => {
  it('answers with what a handler sends', async () => {
    const { send } = await serve([
      new Controller(
        'GET',
        '/users/:id',
        fromExpress((req, res) => res.status(201).json({ id: req.params['id'] })),
      ),
    ])
    const answer = await send('/users/7')
    expect(answer.status).toBe(201)
    expect(answer.text).toBe('{"id":"7"}')
  })

  it('gives a handler the URL as it came, also over a plain server', async () => {
    const tell = fromExpress((req, res) => res.json([req.originalUrl, req.baseUrl, req.url]))
    const controller = new Controller('GET', '/tea/:id', tell)
    const expected = ['/tea/7?x=1', '', '/tea/7?x=1']
    const { send, routeControllers } = await serve([controller])
    expect((await send('/tea/7?x=1')).json()).toEqual(expected)
    const { port, close } = await listenOn(toListener(routeControllers.getCallback()))
    expect((await sendTo(port)('/tea/7?x=1')).json()).toEqual(expected)
    await close()
  })

  it('puts what res and hooks have set on the answer of a handler that a callback returns', async () => {
    const told = fromExpress((_req, res) => void res.append('X-List', 'handler').send('sent'))
    const controller = new Controller('GET', '/', (_req, res) => {
      res.status(202).header('X-List', ['1', '2']).header('X-Hook', 'callback').cookie('callback', '1')
      return told as object
    }).use((_req, res) => void res.cookie('middleware', '1'))
    const { send } = await serve([controller], {
      setup: (routeControllers) =>
        routeControllers.addGlobal((_req, res, next) => {
          res.setHeader('Set-Cookie', 'hook=1')
          res.setHeader('X-Hook', 'hook')
          next()
        }),
    })
    const { status, headers, cookies, text } = await send('/')
    expect([status, headers['x-list'], headers['x-hook'], text]).toEqual([
      202,
      '1, 2, handler',
      'callback',
      'sent',
    ])
    expect(cookies).toEqual(['hook=1', 'middleware=1; Path=/', 'callback=1; Path=/'])
  })

  it('answers where a middleware before it has replaced the method', async () => {
    const replaces: Handler = (req, _res, next) => {
      req.method = 'DELETE'
      next()
    }
    const tells = fromExpress(
      (req, res) => void res.send(`${req.method} ${Object.keys(req.route.methods).join()}`),
    )
    const { send } = await serve([new Controller('POST', '/x', tells).use(fromConnect(replaces as never))])
    expect((await send('/x', { method: 'POST' })).text).toBe('DELETE post')
  })

  it('gives the request on when the last handler calls next()', async () => {
    const { send } = await serve(
      [
        new Controller(
          'GET',
          '/on',
          fromExpress((_req, _res, next) => next()),
        ),
      ],
      {
        downstream: (app) => void app.get('/on', (_req, res) => void res.send('from the host')),
      },
    )
    const answer = await send('/on')
    expect([answer.status, answer.text]).toEqual(
      misses === 'us' ? [404, 'Not Found'] : [200, 'from the host'],
    )
  })

  it('gives an error to the error handlers of the route, then to the error path', async () => {
    const seen: unknown[] = []
    const { send } = await serve([
      new Controller(
        'GET',
        '/fails',
        fromExpress(
          () => {
            throw Object.assign(new Error('no tea'), { status: 418 })
          },
          (error: unknown, _req: unknown, _res: unknown, next: (error: unknown) => void) => {
            seen.push((error as Error).message)
            next(error)
          },
        ),
      ),
    ])
    const answer = await send('/fails')
    expect(answer.status).toBe(418)
    expect(seen).toEqual(['no tea'])
  })
})

describeServings(
  'fromExpress inside a host',
  ({ serve }) => {
    it('gives a handler the request as other handlers of that host have it', async () => {
      const tell = (req: any, res: any): void => {
        res.json({ query: req.query, isOurs: 'realIp' in req, cookies: typeof req.cookies })
      }
      const { send } = await serve([new Controller('GET', '/ours', fromExpress(tell))], {
        upstream: (app) => void app.set('query parser', 'extended'),
        downstream: (app) => void app.get('/theirs', tell),
      })
      const theirs = (await send('/theirs?a[b]=1')).json()
      expect(theirs).toMatchObject({ query: { a: { b: '1' } }, isOurs: false })
      expect((await send('/ours?a[b]=1')).json()).toEqual(theirs)
    })
  },
  ({ errors }) => errors === 'host',
)

it('Handlers answer a method that Express does not know', async () => {
  const routeControllers = new RouteControllers([
    new Controller(
      'BREW',
      '/tea',
      fromExpress((req, res) => void res.send(req.method)),
    ),
  ])
  const answer = await routeControllers.getCallback()(new Request('http://x/tea', { method: 'BREW' }))
  expect([answer.status, await answer.text()]).toEqual([200, 'BREW'])
})

it('Handlers may stand in lists of lists, in their order', async () => {
  const note =
    (name: string) => (_req: unknown, res: { append: (...all: string[]) => unknown }, next: () => void) => {
      res.append('X-Seen', name)
      next()
    }
  const all = fromExpress(note('a') as never, [note('b'), [note('c'), [note('d')]]] as never, (_req, res) =>
    res.end(),
  )
  const answer = await new RouteControllers([new Controller('GET', '/', all)]).getCallback()(
    new Request('http://x/'),
  )
  expect(answer.headers.get('x-seen')).toBe('a, b, c, d')
})

it('A handler that passes on leaves a host of node:http its request and its response as they were', async () => {
  const passes = fromExpress((req, res, next) => {
    res.setHeader('X-Seen', String(typeof req.accepts === 'function' && typeof res.json === 'function'))
    next()
  })
  const routeControllers = new RouteControllers([new Controller('GET', '/', passes)])
  const middleware = routeControllers.middleware()
  const { port, close } = await listenOn((req, res) => {
    const before = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)] as unknown[]
    middleware(req, res, () => {
      const isSame = Object.getPrototypeOf(req) === before[0] && Object.getPrototypeOf(res) === before[1]
      res.end(String(isSame && !('accepts' in req) && !('json' in res)))
    })
  })
  const { headers, text } = await sendTo(port)('/')
  expect([headers['x-seen'], text]).toEqual(['true', 'true'])
  await close()
})

it('Controllers with a profile that stand twice in a host are asked again for a request that was rewritten', async () => {
  const passes = fromExpress((_req, _res, next) => next())
  const list = [new Controller('GET', '/old', passes), new Controller('GET', '/new', () => 'new')]
  const middleware = new RouteControllers(list, { profile: express5() }).middleware()
  const app = express().use(middleware)
  app.use((req, _res, next) => {
    req.url = '/new'
    next()
  })
  app.use(middleware)
  const { port, close } = await listenOn(app)
  expect((await sendTo(port)('/old')).text).toBe('new')
  await close()
})

it('Controllers with a profile that stand twice in a host run a hook of every request at each of the two places', async () => {
  const seen: string[] = []
  const routeControllers = new RouteControllers([new Controller('GET', '/a', () => 'a')], {
    profile: express5(),
  })
  const hook = (_req: unknown, _res: unknown, next: () => void): void => (seen.push('hook'), next())
  routeControllers.addGlobal(hook, { scope: 'every' })
  const middleware = routeControllers.middleware()
  const app = express().use(middleware)
  app.use((_req, _res, next) => (seen.push('between'), next()))
  app.use(middleware)
  app.use((_req, res) => void res.end('b'))
  const { port, close } = await listenOn(app)
  expect((await sendTo(port)('/b')).text).toBe('b')
  expect(seen).toEqual(['hook', 'between', 'hook'])
  await close()
})

describe.each(expresses)(
  'A handler that rewrites its request and gives it to its host again, in %s',
  (_name, host) => {
    const show = fromExpress((req, res) => void res.json([req.url, req.params, req.route.path]))
    const again = fromExpress((req, res, next) => {
      req.url = req.params['id'] === 'none' ? '/none' : '/teas/7'
      ;(req.app as unknown as { handle: Handler }).handle(req, res, next)
    })
    const list = [new Controller('GET', '/teas/:id', show), new Controller('GET', '/again/:id', again)]
    // With a hook the Controllers are no routes of the router that they stand in.
    it.each([
      ['as routes of the host', undefined],
      ['with a hook', (_req: unknown, res: any, next: () => void) => (res.append('X-Seen', 'hook'), next())],
    ])('reaches a Controller that stands before its own, %s', async (_how, hook) => {
      const app = createExpress(host)
      const routeControllers = new RouteControllers(list, { profile: fromApp(app) })
      if (hook !== undefined) routeControllers.addGlobal(hook as never)
      app.use(routeControllers.middleware())
      app.use((req, res) => void res.status(404).json(req.url))
      const { port, close } = await listenOn(app)
      const send = sendTo(port)
      const answer = await send('/again/1')
      expect(answer.json()).toEqual(['/teas/7', { id: '7' }, '/teas/:id'])
      expect(answer.headers['x-seen']).toBe(hook && 'hook, hook')
      expect((await send('/again/none')).json()).toBe('/none')
      await close()
    })
  },
)
