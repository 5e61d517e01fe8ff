import express from 'express'
import { RouteControllers, Server } from 'routecontrollers'
import { type Migration, migration } from '@routecontrollers/switch'
import { createControllers, createLegacyApp, type Faults, Store } from '../../../examples/migration/shop.js'
import { listenOn, sendTo } from '../../support/describe-servings.js'
import { silent, until } from './shop.js'

const route = 'GET /products/:id'
const shadow = { maxDelayMs: 60_000, maxUtilization: 1 }

/** Serves a shop in front, or inside the app that the shop is a part of. */
async function serve(
  isInside: boolean,
  switching: Migration,
  legacy: express.Express,
  shop: express.Express,
) {
  if (isInside) {
    legacy.use(switching.middleware(), shop)
    return listenOn(legacy)
  }
  const server = await new Server().start({ port: 0, host: '127.0.0.1', ...switching.serverOptions })
  return { port: server.getPort(), close: () => server.stop({ graceMs: 0 }) }
}

describe.each(['in front', 'inside'])('A shop goes the whole way, %s', (name) => {
  it('legacy, a difference in shadow, mended, a rollback under canary, native', async () => {
    const store = new Store()
    const faults: Faults = { noPrice: true, fails: false }
    const shop = createLegacyApp(store)
    const isInside = name === 'inside'
    const legacy = isInside ? express() : shop
    const routeControllers = new RouteControllers(createControllers(store, faults), { logger: silent })
    const switching = migration({ legacy, routeControllers, shadow, logger: silent })
    const { port, close } = await serve(isInside, switching, legacy, shop)
    const send = sendTo(port)
    const status = () => switching.status().routes.find((one) => one.route === route)!
    const teapot = { id: '1', name: 'Teapot', price: 24 }

    // Legacy: as it always was.
    expect((await send('/products/1')).json()).toEqual(teapot)
    expect((await send('/health')).json()).toEqual({ ok: true })
    expect(switching.status().routes.map((one) => [one.route, one.state])).toEqual([
      ['GET /products', 'legacy'],
      [route, 'legacy'],
      ['POST /orders', 'legacy'],
      ['GET /health', 'native'],
    ])
    expect(switching.status().legacyOnly).toEqual(['GET /old-catalogue'])

    // Shadow: clients see nothing of the difference that is found.
    await switching.set('*', 'shadow', { reason: 'to compare', by: 'Ada' })
    expect((await send('/products/1')).json()).toEqual(teapot)
    expect((await send('/products')).status).toBe(200)
    const order = await send('/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"product":"1","count":2}',
    })
    expect([order.status, store.orders.length]).toEqual([201, 1])
    await until(() =>
      switching
        .status()
        .routes.every(
          ({ shadow: { compared }, method, path }) => compared > 0 || method === 'POST' || path === '/health',
        ),
    )
    expect(status().differences).toMatchObject([{ what: 'body', name: '$.price', legacy: '24', count: 1 }])
    expect(switching.status().routes[0]!.differences).toEqual([])

    // Mended: no difference any more.
    faults.noPrice = false
    switching.forgetDifferences(route)
    await send('/products/2')
    await send('/products/1')
    await until(() => status().shadow.compared === 3)
    expect(status().differences).toEqual([])

    // Canary with a planted failure: back at legacy.
    await switching.set(route, 'canary 100%', { reason: 'shadow was clean', by: 'Ada' })
    expect((await send('/products/1')).json()).toEqual(teapot)
    faults.fails = true
    for (let at = 0; at < 50 && status().state !== 'legacy'; at++) await send('/products/1')
    expect(status().state).toBe('legacy')
    expect((await send('/products/1')).json()).toEqual(teapot)

    // Native.
    faults.fails = false
    await switching.set('*', 'native', { reason: 'mended', by: 'Ada' })
    expect((await send('/products/1')).json()).toEqual(teapot)
    expect(switching.status().history.map(({ to, by }) => `${to} by ${by}`)).toEqual([
      'shadow by Ada',
      'canary 100% by Ada',
      'legacy by rollback',
      'native by Ada',
    ])
    // All that is told can be written as JSON, and read again.
    expect(JSON.parse(JSON.stringify(switching.status())).routes).toHaveLength(4)
    const metrics = await switching.metrics()
    expect(metrics).toContain('routecontrollers_migration_state{route="GET /products/:id",state="native"} 1')
    const asked =
      /^routecontrollers_migration_last_asked_timestamp_seconds\{route="GET \/products\/:id"\} (\d+)/m.exec(
        metrics,
      )
    expect(Math.abs(Number(asked?.[1]) - Date.now() / 1000)).toBeLessThan(600)
    await close()
    await switching.close()
  })
})
