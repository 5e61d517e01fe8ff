import { Controller } from 'routecontrollers'
import { closeShops, serveShop, ways } from './shop.js'

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
