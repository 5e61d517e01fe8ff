// Serves Controllers in each way and asks them: after the recipe of docs/observability.md, or without its subscriber.
import express from 'express'
import {
  Controller,
  type Logger,
  RouteControllers,
  type RouteControllersOptions,
  Server,
} from 'routecontrollers'
import { express5, fromApp, fromExpress, toControllers } from 'routecontrollers/express'

const silent = (): void => {}
const logger: Logger = { info: silent, warn: silent, error: silent }

function createRouteControllers(options: RouteControllersOptions = {}): RouteControllers {
  const list = [
    new Controller('GET', '/users/:id', () => 'ok', { name: 'user' }),
    new Controller(
      'GET',
      '/handler/:id',
      fromExpress((_req, res) => void res.send('ok')),
    ),
    new Controller('GET', '/fails/:id', () => Promise.reject(new Error('no'))),
  ]
  return new RouteControllers(list, { logger, ...options })
}

const targets = ['/users/7', '/handler/7', '/fails/7', '/theirs/7', '/none', '/api/users/7']

async function ask(way: string, port: number): Promise<void> {
  for (const target of targets) {
    const response = await fetch(`http://127.0.0.1:${port}${target}?way=${encodeURIComponent(way)}`)
    await response.text()
  }
}

async function serve(
  way: string,
  routeControllers: RouteControllers,
  fallback?: express.Express,
): Promise<void> {
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers,
    ...(fallback && { fallback }),
  })
  await ask(way, server.getPort())
  await server.stop()
}

function createApp(): express.Express {
  const app = express().set('env', 'test')
  app.get('/theirs/:id', (_req, res) => void res.send('theirs'))
  return app
}

async function serveInside(way: string): Promise<void> {
  const app = express().set('env', 'test')
  app.use(createRouteControllers().middleware())
  app.use('/api', createRouteControllers().middleware())
  app.get('/theirs/:id', (_req, res) => void res.send('theirs'))
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  await ask(way, (server.address() as { port: number }).port)
  server.close()
  server.closeAllConnections()
}

async function main(): Promise<void> {
  await serve('standalone', createRouteControllers())
  await serve('in front', createRouteControllers(), createApp())
  await serveInside('inside Express')
  await serve('under a profile', createRouteControllers({ profile: express5() }))
  const app = createApp()
  const { controllers } = toControllers(app)
  await serve('taken over', new RouteControllers(controllers, { logger, profile: fromApp(app) }))
}

// The exporter alone keeps no process alive: who has all spans ends this one.
setInterval(silent, 1000)
void main()
