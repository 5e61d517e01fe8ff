// Routes and Express apps on a port in one line.
import { createServer } from 'node:http'
import express4 from 'express4'
import express5 from 'express'
import { Controller, group, RouteControllers, serve, Server } from 'routecontrollers'
import { serve as serveApp } from 'routecontrollers/express'
import { sendBy } from '../server/http2-client.js'
import { cert, key } from '../support/certificate.js'
import { sendTo } from '../support/describe-servings.js'
import { closeHosted, closeLater, host } from '../support/hosting.js'
import { refusal } from '../support/refusal.js'

afterEach(closeHosted)

const open = { port: 0, host: '127.0.0.1' } as const
const silent = { info() {}, warn() {}, error() {} }

async function started(server: Server): Promise<ReturnType<typeof sendTo>> {
  closeLater(() => server.stop())
  return sendTo(server.getPort())
}

const teas = new Controller('GET', '/teas', () => ['Assam'])
const cups = new Controller('GET', '/cups', () => ['small'])

describe('serve', () => {
  const shops = group('/shops/:shop')
  const stock = shops.get('/stock', (req) => req.params.shop)

  it.each([
    ['a Controller', teas, [200, 404, 404]],
    ['a list', [teas, cups], [200, 200, 404]],
    ['lists in lists', [[teas], [[cups], stock]], [200, 200, 200]],
    ['a RouteControllers', new RouteControllers([cups, stock]), [404, 200, 200]],
    ['no routes', [], [404, 404, 404]],
  ])('serves %s', async (_what, routes, statuses) => {
    const server = await serve(routes, open)
    expect(server).toBeInstanceOf(Server)
    const send = await started(server)
    const answers = await Promise.all(['/teas', '/cups', '/shops/1/stock'].map((target) => send(target)))
    expect(answers.map(({ status }) => status)).toEqual(statuses)
  })

  it('takes the options of Server.start, a fallback among them', async () => {
    const send = await started(
      await serve([teas], { ...open, fallback: (_req, res) => void res.end('behind') }),
    )
    expect((await send('/teas')).text).toBe('["Assam"]')
    expect((await send('/other')).text).toBe('behind')
  })

  it('gives its logger to the Controllers', async () => {
    const lines: string[] = []
    const logger = { ...silent, error: (line: string) => void lines.push(line) }
    const failing = new Controller('GET', '/fails', () => {
      throw new Error('no tea')
    })
    const send = await started(await serve(failing, { ...open, logger }))
    expect((await send('/fails')).status).toBe(500)
    expect(lines).toEqual([expect.stringContaining('no tea')])
  })

  it('refuses what is no route, by its place', async () => {
    const app = express5()
    for (const [routes, ...texts] of [
      [[teas, 'cups'], 'routes[1] is string; it takes Controllers'],
      [[[teas], [cups, null]], 'routes[1][1] is null; it takes Controllers'],
      [[teas, new RouteControllers([cups])], 'routes[1] is ', 'a RouteControllers stands alone'],
      [app, "routes is a function; an Express app is served by serve of 'routecontrollers/express'"],
      [undefined, 'routes is undefined'],
    ] as const) {
      await expect(serve(routes as never, open)).rejects.toThrow(refusal('ERR_OPTION_INVALID', ...texts))
    }
  })

  it('refuses options that are none, that are unknown, and that say again what is served', async () => {
    const routeControllers = new RouteControllers([teas])
    for (const [options, text] of [
      [undefined, 'serve takes an object of options, as { port: 3000 }, not undefined'],
      [3000, 'not number'],
      [{ ...open, routeControllers }, 'serve has no option routeControllers: give it as the routes'],
      [{ ...open, RouteControllers: routeControllers }, 'serve has no option RouteControllers'],
      [{ ...open, prot: 1 }, 'prot'],
      [{}, 'port'],
    ] as const) {
      await expect(serve([teas], options as never)).rejects.toThrow(refusal('ERR_OPTION_INVALID', text))
    }
  })

  it('says that a port is in use', async () => {
    const { port } = await host(() => {})
    await expect(serve([teas], { ...open, port })).rejects.toThrow(refusal('ERR_PORT_UNAVAILABLE'))
  })
})

describe.each([
  [4, express4],
  [5, express5],
] as const)('serve of an app of Express %i', (_version, express: any) => {
  const createApp = (): any => {
    const app = express().set('env', 'test')
    app.use('/account', (req: any, res: any, next: any) =>
      req.get('authorization') ? next() : res.sendStatus(401),
    )
    app.get('/account/orders', (_req: any, res: any) => res.json({ orders: [] }))
    app.get('/teas', (_req: any, res: any) => res.json(['of the app']))
    return app
  }

  const asked = [
    ['/account/orders', {}],
    ['/account/orders', { headers: { authorization: 'me' } }],
    ['/account', {}],
    ['/teas', { method: 'HEAD' }],
    ['/teas', { method: 'OPTIONS' }],
    ['/nothing', {}],
  ] as const
  const dated = ({ headers: { date: _date, ...headers }, ...rest }: any): object => ({ ...rest, headers })

  it('answers as the app alone', async () => {
    const alone = await host(createServer(createApp()).listeners('request')[0] as never)
    const send = await started(await serveApp(createApp(), open))
    for (const [target, options] of asked) {
      expect(shown(await send(target, options))).toEqual(shown(await alone.send(target, options)))
    }
  })
  const shown = (answer: any): object => ({ ...dated(answer), json: undefined })

  it('has routes in front of it, which do not pass its middleware', async () => {
    const routes = [[teas], new Controller('GET', '/account/new', () => 'new')]
    const send = await started(await serveApp(createApp(), { ...open, routes }))
    expect((await send('/teas')).text).toBe('["Assam"]')
    expect((await send('/account/new')).text).toBe('new')
    expect((await send('/account/orders')).status).toBe(401)
    expect((await send('/account/orders', { headers: { authorization: 'me' } })).json()).toEqual({
      orders: [],
    })
    expect((await send('/nothing')).status).toBe(404)
  })

  it('takes a RouteControllers as the routes, and the options of Server.start', async () => {
    const routes = new RouteControllers([teas])
    routes.addHeader('X-Shop', 'tea')
    const server = await serveApp(createApp(), { ...open, routes, tls: { key, cert }, http2: true })
    closeLater(() => server.stop({ graceMs: 0 }))
    for (const protocol of ['h2', 'http/1.1'] as const) {
      const send = sendBy(protocol, server.getPort())
      expect((await send('/teas')).headers['x-shop']).toBe('tea')
      expect((await send('/account/orders')).status).toBe(401)
    }
  })

  it('refuses what is no app, and options that mean something else', async () => {
    for (const [app, options, text] of [
      [
        [teas],
        open,
        "takes an app of Express 4 or 5, not an array; Controllers are served by serve of 'routecontrollers'",
      ],
      [createServer(), open, 'takes an app of Express 4 or 5, not '],
      [createApp(), { ...open, fallback: createApp() }, 'serve has no option fallback: the app gets'],
      [createApp(), { ...open, routes: [createApp()] }, 'routes[0] is a function; an Express app'],
      [createApp(), { ...open, routes: 'teas' }, 'routes is string'],
      [createApp(), { ...open, rotues: [teas] }, 'serve has no option "rotues". Did you mean routes?'],
      [createApp(), { ...open, worker: 2 }, 'Server.start has no option "worker"'],
      [createApp(), undefined, 'serve takes an object of options'],
    ] as const) {
      await expect(serveApp(app as never, options as never)).rejects.toThrow(
        refusal('ERR_OPTION_INVALID', text),
      )
    }
  })
})
