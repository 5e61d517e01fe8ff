import type { Express } from 'express'
import { Controller } from 'routecontrollers'
import { memoryStore, type MigrationStore } from '@routecontrollers/switch'
import { settled } from '../../support/node-pair.js'
import { closeShops, type ServedMigration, serveShop, TestClock, until, ways } from './shop.js'

const hour = 3_600_000
afterEach(closeShops)

function serve(clock: TestClock): Promise<ServedMigration> {
  return serveShop(ways[0]!, {
    legacy: (app) => void app.get('/a', (_req, res) => void res.end()),
    native: () => [new Controller('GET', '/a', (_req, res) => res.status(500).end())],
    shadow: false,
    rollback: { minAnswers: 1, coolDownMs: 10 * hour, errorRate: 0 },
    plan: { minutes: 600 },
    clock,
  })
}

it('the times of a status are those of the day, also once its clock was set', async () => {
  const clock = new TestClock()
  const began = clock.now()
  const { switching, send } = await serve(clock)
  await send('/a')
  await switching.set('GET /a', 'canary 50%', { reason: 'a test' })
  const times = (): number[] => {
    const { at, since, routes } = switching.status()
    return [at, since, routes[0]!.lastAskedAt!, routes[0]!.plan!.notBefore].map((one) => Date.parse(one))
  }
  const near = (given: readonly number[], wanted: readonly number[]): void => {
    for (const [at, time] of given.entries()) expect(Math.abs(time - wanted[at]!)).toBeLessThan(60_000)
  }
  const due = began + 10 * hour
  near(times(), [began, began, began, due])
  clock.set(began + hour / 12)
  clock.advance(1000)
  near(
    times(),
    [began, began, began, due].map((time) => time + hour / 12),
  )
})

it('the times of a status stay the same while the clock of the day drifts by less than a second', async () => {
  const clock = new TestClock()
  const began = clock.now()
  let drift = 0
  clock.monotonic = () => clock.now() - began - drift
  const { switching } = await serve(clock)
  const sinceAfter = (more: number): number => {
    drift += more
    clock.set(clock.now() + more)
    clock.advance(1000)
    return Date.parse(switching.status().since) - began
  }
  expect([sinceAfter(0), sinceAfter(900), sinceAfter(200)]).toEqual([0, 0, 1100])
})

it('a route that was taken back cools down until a time of the day', async () => {
  const clock = new TestClock()
  const { switching, send } = await serve(clock)
  await switching.set('GET /a', 'canary 100%', { reason: 'a test' })
  const route = () => switching.status().routes[0]!
  for (let at = 0; at < 60 && route().rollbacks === 0; at++) {
    await send('/a')
    clock.advance(11_000)
  }
  await until(() => route().coolDownUntil !== undefined)
  expect([route().state, route().rollbacks]).toEqual(['legacy', 1])
  const left = Date.parse(route().coolDownUntil!) - clock.now()
  expect(Math.abs(left - 10 * hour)).toBeLessThan(hour)
})

it('a change tells what was set before for its route, its group and for all', async () => {
  const { switching } = await serve(new TestClock())
  const why = { reason: 'a test' }
  for (const [key, state] of [
    ['GET /a', 'shadow'],
    ['/a', 'legacy'],
    ['/a', 'native'],
    ['GET /a', 'legacy'],
    ['*', 'shadow'],
    ['*', 'legacy'],
  ] as const)
    await switching.set(key, state, why)
  expect(switching.status().history.map(({ route, from }) => [route, from])).toEqual([
    ['GET /a', 'legacy'],
    ['/a', undefined],
    ['/a', 'legacy'],
    ['GET /a', 'native'],
    ['*', undefined],
    ['*', 'shadow'],
  ])
})

it('a route of the app that is added before the first request has its place, and none that is added later', async () => {
  let app!: Express
  const { send, switching } = await serveShop(ways[0]!, {
    legacy: (made) => void (app = made),
    native: () => ['/a', '/b'].map((path) => new Controller('GET', path, () => 'new')),
  })
  const states = (): string[] => switching.status().routes.map(({ state }) => state)
  expect(states()).toEqual(['native', 'native'])
  app.get('/a', (_req, res) => void res.send('old'))
  expect(states()).toEqual(['legacy', 'native'])
  await send('/b')
  app.get('/b', (_req, res) => void res.send('old'))
  expect(states()).toEqual(['legacy', 'native'])
})

it('the last request of a route is that of any replica', async () => {
  const clock = new TestClock()
  const began = clock.now()
  let elsewhere = began - hour
  const store: MigrationStore = {
    ...memoryStore(),
    report() {
      const none = new Map<string, never>()
      const view = { lease: undefined, leader: undefined, isLeader: false, since: began, now: clock.now() }
      return Promise.resolve({
        ...{ ...view, members: none, counts: none },
        askedAt: new Map([['GET /a', elsewhere]]),
      })
    },
  }
  const { send, switching } = await serveShop(ways[0]!, {
    legacy: (app) => void app.get('/a', (_req, res) => void res.end()),
    native: () => [new Controller('GET', '/a', () => 'new')],
    shadow: false,
    store,
    clock,
  })
  await send('/a')
  const told = async (): Promise<number> => {
    clock.advance(1000)
    await settled()
    return Math.round((Date.parse(switching.status().routes[0]!.lastAskedAt!) - began) / hour)
  }
  expect(await told()).toBe(0)
  elsewhere = began + 2 * hour
  expect(await told()).toBe(2)
})
