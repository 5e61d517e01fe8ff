import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect, inventoryPage } from '@routecontrollers/cli'
import { memoryStore, migration } from '@routecontrollers/switch'
import { Controller, RouteControllers, Server, toListener } from 'routecontrollers'
import { createControllers as createApi } from '../api/api.js'
import { createStore } from '../api/store.js'
import { createControllers, createLegacyApp as createSmallShop, Store } from '../migration/shop.js'
import { createApp } from './app.js'
import { createRouteControllers } from './controllers.js'
import type { Urls } from './guide.js'
import type { Serving } from './serve.js'
import type { Setup } from './setup.js'
import { tourPage } from './tour-page.js'

/** One page that leads to all that there is to look at: the shop, its routes, a migration under way, an API with its document. */
export async function serveTour(setup: Setup, urls: Urls, port: number): Promise<Serving> {
  const moving = await startMigration()
  const page = moving.switching.page({
    path: '/migration',
    // For people at this machine: a page of another site that has its name lead here has another Host.
    authorize: ({ headers: { host = '' } }) =>
      /^(?:127\.0\.0\.1|localhost):\d+$/.test(host) && 'a visitor of the tour',
  })
  const tour: RouteControllers = new RouteControllers([
    new Controller('GET', '/', (_req, res) => res.html(tourPage(urls)), { hidden: true }),
    new Controller(
      'GET',
      '/routes',
      (_req, res) => {
        const app = createApp(setup, createRouteControllers(setup))
        return res.html(inventoryPage(inspect(app), 'the tea shop'))
      },
      { hidden: true },
    ),
    ...createApi(createStore(), () => tour),
  ])
  const listener = toListener(tour.getCallback())
  const server = createServer((req, res) => page(req, res, () => listener(req, res)))
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, 'localhost', resolve),
  )
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
      await moving.stop()
    },
  }
}

const paths = ['/products', '/products/1', '/products/2', '/products/3']

/** A small shop whose routes are at different states, with customers. Its new code has one mistake, which shadow finds. */
async function startMigration() {
  const store = new Store()
  const routeControllers = new RouteControllers(createControllers(store, { noPrice: true, fails: false }))
  const switching = migration({
    legacy: createSmallShop(store),
    routeControllers,
    store: memoryStore(),
    // Its page says what happens.
    logger: { info() {}, warn() {}, error: console.error },
    stickyBy: ({ headers }) => String(headers['x-customer']),
  })
  await switching.ready
  const by = 'the tour'
  await switching.set('GET /products', 'canary 25%', { reason: 'its answers were equal under shadow', by })
  await switching.set('GET /products/:id', 'shadow', { reason: 'to see whether its answers are equal', by })
  const server = new Server()
  await server.start({ port: 0, host: '127.0.0.1', ...switching.serverOptions })
  const url = server.getURL()

  let isOpen = true
  let visits = 0
  let visiting = Promise.resolve()
  const visit = async (): Promise<void> => {
    const path = paths[++visits % paths.length]!
    const answer = await fetch(url + path, { headers: { 'x-customer': `customer ${visits % 40}` } })
    await answer.arrayBuffer()
  }
  const timer = setInterval(() => {
    if (isOpen) visiting = visit().catch(() => undefined)
  }, 150)
  return {
    switching,
    async stop(): Promise<void> {
      isOpen = false
      clearInterval(timer)
      await visiting
      await switching.close()
      await server.stop()
    },
  }
}
