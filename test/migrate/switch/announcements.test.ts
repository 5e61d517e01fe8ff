import express from 'express'
import { Controller, RouteControllers } from 'routecontrollers'
import { memoryStore, migration, type MigrationStore } from '@routecontrollers/switch'
import { listenOn, sendTo } from '../../support/describe-servings.js'
import { closeShops, serveShop, silent, TestClock, until, ways } from './shop.js'

afterEach(closeShops)

it.each([
  [5, 'GET /1, GET /2, GET /3, GET /4, GET /5: they go back'],
  [6, 'GET /1, GET /2, GET /3, GET /4, GET /5, and 1 more: they go back'],
  [1, 'GET /1: it goes back'],
])('of %i routes that the legacy app has not five are named', async (count, told) => {
  const { send, logged } = await serveShop(ways[0]!, {
    legacy: (app) => void app.get('/old', (_req, res) => void res.end()),
    native: () => Array.from({ length: count }, (_, at) => new Controller('GET', `/${at + 1}`, () => 'new')),
    shadow: false,
  })
  await send('/1')
  expect(logged).toContain(`info migration: the legacy app has no route for ${told} by nothing but set()`)
})

it('routes that functions of use may answer are named, and none that the legacy app has itself', async () => {
  const { send, logged } = await serveShop(ways[0]!, {
    legacy: (app) => {
      app.use('/a', (_req, _res, next) => next())
      app.get('/a/own', (_req, res) => void res.end())
    },
    native: () => ['/a/own', '/a/other'].map((path) => new Controller('GET', path, () => 'new')),
    shadow: false,
  })
  await send('/a/own')
  expect(logged.filter((line) => line.includes('functions of use'))).toEqual([
    expect.stringContaining('has no route for GET /a/other, but functions of use'),
  ])
})

it('a difference is told with its route', async () => {
  const { send, switching } = await serveShop(ways[0]!, {
    legacy: (app) => void app.get('/a/:id', (_req, res) => void res.json({ a: 1 })),
    native: () => [new Controller('GET', '/a/:id', (_req, res) => res.json({ a: 2 }))],
  })
  await switching.set('*', 'shadow', { reason: 'a test' })
  const told = new Promise((resolve) => switching.on('difference', resolve))
  await send('/a/1')
  expect(await told).toMatchObject({ route: 'GET /a/:id', place: 'body $.a', target: '/a/1', count: 1 })
})

it('a path with an escape that is none is counted, and says nothing of either side', async () => {
  const { send, switching } = await serveShop(ways[0]!, {
    legacy: (app) => void app.get('/a/:id', (_req, res) => void res.json({ a: 1 })),
    native: () => [new Controller('GET', '/a/:id', (_req, res) => res.json({ a: 1 }))],
  })
  await switching.set('*', 'shadow', { reason: 'a test' })
  const seen: unknown[] = []
  for (const target of ['/a/%', '/a/%zz?a=1', '/a/1?a=%']) {
    await send(target)
    const { requests, watched } = switching.status().routes[0]!.legacy
    seen.push([requests, watched])
  }
  expect(seen).toEqual([
    [1, 0],
    [2, 0],
    [3, 1],
  ])
})

it('a route of the app beside the mount of the Controllers is none of theirs, whatever its end is', async () => {
  const app = express()
  const routeControllers = new RouteControllers([new Controller('GET', '/a', () => 'new')])
  const switching = migration({ legacy: app, routeControllers, logger: silent })
  app.use('/api', switching.middleware())
  app.get('/web/a', (_req, res) => void res.end())
  app.get('/', (_req, res) => void res.end())
  const { port, close } = await listenOn(app)
  expect((await sendTo(port)('/api/a')).text).toBe('new')
  const { legacyOnly, routes } = switching.status()
  expect([legacyOnly, routes.map(({ state }) => state)]).toEqual([['GET /web/a', 'GET /'], ['native']])
  await close()
  await switching.close()
})

it('what cannot be read of a store is told once, whatever else changes there', async () => {
  const own = memoryStore()
  const store: MigrationStore = {
    ...own,
    read: async (routes) => {
      const stored = await own.read(routes)
      return { ...stored, states: { ...stored.states, 'GET /nowhere': 'legacy' } }
    },
  }
  const clock = new TestClock()
  const { logged, switching } = await serveShop(ways[0]!, {
    legacy: (app) => void app.get('/a', (_req, res) => void res.end()),
    native: () => [new Controller('GET', '/a', () => 'new')],
    store,
    clock,
  })
  await switching.ready
  for (const state of ['shadow', 'native', 'legacy'] as const) {
    await switching.set('GET /a', state, { reason: 'a test' })
    await until(() => switching.status().routes[0]!.state === state)
  }
  expect(logged.filter((line) => line.includes('has what cannot be read'))).toHaveLength(1)
})

it('a change of a route that another process alone has is told there alone', async () => {
  const store = memoryStore()
  const clock = new TestClock()
  const shopOf = (path: string) =>
    serveShop(ways[0]!, {
      legacy: (app) => void app.get(path, (_req, res) => void res.end()),
      native: () => [new Controller('GET', path, () => 'new')],
      store,
      clock,
    })
  const [here, there] = [await shopOf('/a'), await shopOf('/b')]
  await there.switching.set('GET /b', 'shadow', { reason: 'a test' })
  clock.advance(1000)
  await until(() => here.switching.status().history.length === 1)
  const told = [here, there].map(({ logged }) => logged.filter((line) => line.includes('is at shadow now')))
  expect(told).toEqual([[], [expect.stringContaining('GET /b is at shadow now')]])
})

it('a route that legacy does not have is told of once, whatever a person writes for others', async () => {
  const clock = new TestClock()
  let states: Record<string, string> = { 'GET /new': 'legacy' }
  const { logged, send, switching } = await serveShop(ways[0]!, {
    legacy: (app) => void app.get('/a', (_req, res) => void res.end()),
    native: () => ['/a', '/new'].map((path) => new Controller('GET', path, () => 'new')),
    store: { name: 'by hand', read: () => ({ states }) },
    clock,
  })
  await send('/a')
  states = { ...states, '*': 'shadow' }
  clock.advance(1000)
  await until(() => switching.status().history.length === 1)
  const told = logged.filter((line) => line.includes('is not at native now'))
  expect(told).toEqual([expect.stringContaining('GET /new is not at native now')])
})
