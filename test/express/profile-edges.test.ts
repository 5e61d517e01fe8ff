import { connect, createServer as createHttp2Server } from 'node:http2'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import express5 from 'express'
import {
  Controller,
  type NodeHandler,
  RouteControllers,
  type RouteControllersOptions,
  toListener,
} from 'routecontrollers'
import { fromApp, fromExpress, fromRouter, toControllers } from 'routecontrollers/express'
import { describeServings } from '../support/describe-servings.js'
import { sendBy } from '../server/http2-client.js'
import { serveHttp2 } from '../server/serve-http2.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'

afterEach(closeHosted)

const logger = { info() {}, warn() {}, error() {} }
const refusal = (code: string, part: string): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(part) })
const thrownBy = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (error) {
    return error
  }
}

/** Asks a server of node:http2, and expects 500 for each path. */
async function expectRefused(
  controllers: readonly Controller[],
  paths: readonly string[],
  options: RouteControllersOptions = {},
): Promise<void> {
  const lines: string[] = []
  const routeControllers = new RouteControllers(controllers, {
    ...options,
    logger: { ...logger, error: (line: unknown) => lines.push(String(line)) },
  })
  const listener = toListener(routeControllers.getCallback())
  const server = createHttp2Server((req, res) => listener(req as never, res as never)).listen(0)
  await once(server, 'listening')
  const client = connect(`http://localhost:${(server.address() as AddressInfo).port}`)
  for (const path of paths) {
    const stream = client.request({ ':path': path })
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    expect(headers[':status']).toBe(500)
    expect(await text(stream)).not.toContain('node:http2')
  }
  client.close()
  server.close()
  expect(lines).toEqual(paths.map(() => expect.stringContaining('serve by Server with http2: true')))
}

it('A handler without a profile refuses a request of a server of node:http2, and does not pass it on', async () => {
  const own = new Controller(
    'GET',
    '/own',
    fromExpress((_req, res) => void res.send('own')),
  )
  await expectRefused([own], ['/own'])
})

describe.each(expresses)('Under the profile of an app of %s', (_name, express) => {
  const profile = () => fromApp(createExpress(express))

  it('a request of a server of node:http2 is answered by 500, and the log says what serves it', async () => {
    const app = createExpress(express)
    app.get('/taken', (_req, res) => void res.json({ by: 'the app' }))
    const controllers = [...toControllers(app).controllers, new Controller('GET', '/own', () => 'own')]
    await expectRefused(controllers, ['/taken', '/own'], { profile: fromApp(app) })
  })

  it.each(expresses)('an app of %s behind reads the query itself', async (_behind, other) => {
    const fallback = createExpress(other)
    fallback.get('/there', (req, res) => void res.json(req.query))
    const { send } = await host(fallback)
    const expected = (await send('/there?a[b]=1')).text
    const routeControllers = new RouteControllers([new Controller('GET', '/own', () => 'own')], {
      profile: profile(),
    })
    const { port } = await serveHttp2(routeControllers, { fallback })
    for (const protocol of ['h2', 'http/1.1'] as const)
      expect((await sendBy(protocol, port)('/there?a[b]=1')).text).toBe(expected)
  })

  it('what is passed on has the app behind for its app, where the server trusts proxies', async () => {
    const fallback = createExpress(express).set('json spaces', 1)
    fallback.use((req, res) => void res.json([req.app === fallback, res.app === fallback]))
    const passes = new Controller(
      'GET',
      '/passes',
      fromExpress((_req, _res, next) => next()),
    )
    const routeControllers = new RouteControllers([passes], { profile: profile() })
    routeControllers.addGlobal((_req, _res, next) => next(), { scope: 'every' })
    const { port } = await serveHttp2(routeControllers, { fallback, trustProxy: 'loopback' })
    for (const path of ['/passes', '/none'])
      expect((await sendBy('http/1.1', port)(path)).text).toBe('[\n true,\n true\n]')
  })

  it('a method that no route can have is refused', () => {
    const controllers = [new Controller('BREW', '/x', () => 'tea')]
    expect(thrownBy(() => new RouteControllers(controllers, { profile: profile() }))).toEqual(
      refusal('ERR_METHOD_INVALID', 'BREW'),
    )
  })

  it('onStale and the app of fromRouter are checked', () => {
    const app = createExpress(express)
    expect(thrownBy(() => toControllers(app, { onStale: 'ignore' as never }))).toEqual(
      refusal('ERR_OPTION_INVALID', 'onStale'),
    )
    expect(thrownBy(() => fromRouter(express.Router(), { app: {} }))).toEqual(
      refusal('ERR_OPTION_INVALID', 'app is an Express app'),
    )
  })

  it('checkRoute finds what an app answers that was taken over', () => {
    const app = createExpress(express)
    app.all('/all/:id', (_req, res) => void res.end())
    app.post('/posted', (_req, res) => void res.end())
    const check = (middleware: boolean, method: string | undefined, path: string) => {
      const { controllers } = toControllers(app, { middleware })
      const all = new RouteControllers(controllers, { profile: fromApp(app), logger })
      return all.checkRoute(method === undefined ? path : `${method}:${path}`)
    }
    expect(check(false, undefined, '/all/7')).toMatchObject({ exists: true, params: { id: '7' } })
    expect(check(false, undefined, '/posted')).toMatchObject({ exists: true, key: 'POST:/posted' })
    expect(check(false, 'GET', '/posted')).toMatchObject({ exists: false })
    expect(check(true, 'GET', '/posted')).toMatchObject({ exists: true, key: '*:*' })
    const some = toControllers(app, { only: ['GET /all/**', '/posted'] }).controllers
    const taken = new RouteControllers(some, { profile: fromApp(app), logger })
    expect(taken.checkRoute('/all/7')).toMatchObject({ exists: true, key: '*:/all/:id' })
    expect(taken.checkRoute('POST:/all/7')).toMatchObject({ exists: false })
  })

  it('a callback answers 200 in a host that begins with another status, as Koa does with 404', async () => {
    const own = new Controller('GET', '/own', (_req, res) => res.json({ by: 'us' }))
    const mw = new RouteControllers([own], { profile: profile() }).middleware()
    const { send } = await host((req, res) => {
      res.statusCode = 404
      mw(req, res, () => void res.end('of the host'))
    })
    expect((await send('/own')).status).toBe(200)
    expect(await send('/none')).toMatchObject({ status: 404, text: 'of the host' })
  })

  it('a fallback that throws is answered with 500', async () => {
    const fallback: NodeHandler = () => {
      throw new Error('of the fallback')
    }
    const all = new RouteControllers([new Controller('GET', '/x', () => 'x')], { profile: profile(), logger })
    const { send } = await host(toListener(all.getCallback(), { fallback, logger }))
    expect((await send('/other')).status).toBe(500)
  })
})

describeServings(
  'under a profile, where others stand behind',
  ({ serve }) => {
    it('a preflight for a route goes through the hooks also where only the method that it asks about is taken over', async () => {
      const app = createExpress(express5)
      app.put('/x', (_req, res) => void res.send('put'))
      const { send } = await serve(toControllers(app, { only: ['PUT /x'] }).controllers, {
        profile: fromApp(app),
        setup: (all) =>
          void all.addGlobal((req, res, next) => {
            if (req.method !== 'OPTIONS') return next()
            res.statusCode = 204
            res.setHeader('X-By', 'hook')
            res.end()
          }),
      })
      const ask = async (method: string) => {
        const headers = { Origin: 'http://other', 'Access-Control-Request-Method': method }
        const { status, headers: answered } = await send('/x', { method: 'OPTIONS', headers })
        return [status === 204, answered['x-by']]
      }
      expect(await ask('PUT')).toEqual([true, 'hook'])
      expect(await ask('DELETE')).not.toEqual([true, 'hook'])
      expect((await send('/x', { method: 'PUT' })).text).toBe('put')
    })
  },
  ({ misses }) => misses === 'host',
)

describeServings('under a profile', ({ serve }) => {
  it('a preflight for a route goes through the hooks, and one for none does not', async () => {
    const preflights: string[] = []
    const { send } = await serve(
      [
        new Controller(
          'PUT',
          '/x',
          fromExpress((_req, res) => void res.end()),
        ),
      ],
      {
        profile: fromApp(createExpress(express5)),
        setup: (all) =>
          void all.addGlobal((req, res, next) => {
            if (req.method !== 'OPTIONS') return next()
            preflights.push(req.url!)
            res.statusCode = 204
            res.end()
          }),
      },
    )
    const headers = { Origin: 'http://other', 'Access-Control-Request-Method': 'PUT' }
    expect((await send('/x', { method: 'OPTIONS', headers })).status).toBe(204)
    expect(preflights).toEqual(['/x'])
  })

  it('a hook may be async, and may go on by next(req, res)', async () => {
    const { send } = await serve([new Controller('GET', '/:what', (req, res) => res.text(req.params.what))], {
      profile: fromApp(createExpress(express5)),
      setup: (all) =>
        void all
          .addGlobal(async (req, _res, next) => {
            await Promise.resolve()
            if (req.url === '/failing') throw Object.assign(new Error('of the hook'), { status: 418 })
            next()
          })
          .addGlobal((req, res, next) => void next(req, res)),
    })
    expect((await send('/failing')).status).toBe(418)
    expect((await send('/right')).text).toBe('right')
  })

  it('an answer of a callback that cannot be sent is an error for the error hooks', async () => {
    const read = new Response('read')
    void read.text()
    const { send } = await serve([new Controller('GET', '/x', () => read)], {
      profile: fromApp(createExpress(express5)),
      setup: (all) =>
        void all.addGlobal((error: unknown, _req: unknown, res: any, _next: unknown) => {
          res.status(500).send(String((error as { code?: unknown }).code))
        }),
    })
    expect((await send('/x')).text).toBe('ERR_RESPONSE_INVALID')
  })
})
