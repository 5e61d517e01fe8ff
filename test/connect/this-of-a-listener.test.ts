import type { IncomingMessage, ServerResponse } from 'node:http'
import { RouteControllers, Server, toListener } from 'routecontrollers'
import { sendTo } from '../support/describe-servings.js'
import { closeHosted, closeLater, host } from '../support/hosting.js'

describe('A listener that is written for http.createServer has the server as its `this`', () => {
  afterEach(closeHosted)

  it('as a hook', async () => {
    const seen: unknown[] = []
    const routeControllers = new RouteControllers([])
    routeControllers.addGlobal(function (this: unknown, _req: IncomingMessage, res: ServerResponse) {
      seen.push(this)
      res.end()
    })
    const { send, server } = await host(toListener(routeControllers.getCallback()))
    await send('/')
    expect(seen[0]).toBe(server)
  })

  it('as an error hook', async () => {
    const seen: unknown[] = []
    const routeControllers = new RouteControllers([])
    routeControllers.addGlobal((_req, _res, next) => next(new Error('no')))
    routeControllers.addGlobal(function (
      this: unknown,
      _error: unknown,
      _req: IncomingMessage,
      res: ServerResponse,
      _next: unknown,
    ) {
      seen.push(this)
      res.end()
    })
    const { send, server } = await host(toListener(routeControllers.getCallback()))
    await send('/')
    expect(seen[0]).toBe(server)
  })

  it('as the fallback', async () => {
    const seen: unknown[] = []
    const server = new Server()
    closeLater(() => server.stop())
    await server.start({
      port: 0,
      host: '127.0.0.1',
      routeControllers: new RouteControllers([]),
      fallback(this: unknown, _req, res) {
        seen.push(this)
        res.end()
      },
    })
    await sendTo(server.getPort())('/')
    expect(seen[0]).toBe(server.nodeServer)
  })

  it('is undefined where there is no server', async () => {
    const seen: unknown[] = []
    const routeControllers = new RouteControllers([])
    routeControllers.addGlobal(function (this: unknown, _req: IncomingMessage, res: ServerResponse) {
      seen.push(this)
      res.end()
    })
    await routeControllers.getCallback()(new Request('http://localhost/'))
    expect(seen).toEqual([undefined])
  })
})
