import { Controller, RouteControllers } from 'routecontrollers'
import {
  environmentStore,
  type Migration,
  type MigrationOptions,
  type MigrationStore,
  redisStore,
} from '@routecontrollers/switch'
import { createMigration } from '../../../packages/switch/src/migration.js'
import { nodePair, settled } from '../../support/node-pair.js'
import { FakeRedis } from './fake-redis.js'
import { closeShops, serveShop, TestClock, until, ways } from './shop.js'

const why = { reason: 'a test', by: 'Ada' }
const open: Migration[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  await closeShops()
})

function start(
  store: MigrationStore,
  clock: TestClock,
  replica?: string,
  more: Partial<MigrationOptions> = {},
): { switching: Migration; logged: string[] } {
  const logged: string[] = []
  const note = (line: string): void => void logged.push(line)
  const switching = createMigration(
    {
      legacy: (_req, res) => void res.end('legacy'),
      routeControllers: new RouteControllers([new Controller('GET', '/a', () => 'native')]),
      store,
      logger: { info() {}, warn: note, error: note },
      ...(replica !== undefined && { replica }),
      ...more,
    },
    clock,
  )
  open.push(switching)
  return { switching, logged }
}

describe('replicas with one Redis', () => {
  it('have one leader, and another one once its lease is over', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const store = (): MigrationStore => redisStore({ client: redis.client() })
    const [a, b] = [start(store(), clock, 'a').switching, start(store(), clock, 'b').switching]
    const fleets = () => [a, b].map((one) => one.status().fleet!)
    await clock.until(() => fleets().every(({ replicas, leader }) => replicas === 2 && leader !== undefined))
    expect(fleets().map(({ replica, isLeader }) => [replica, isLeader])).toEqual([
      ['a', true],
      ['b', false],
    ])
    await a.close()
    redis.flush('{routecontrollers:migration}:leader')
    await clock.until(() => b.status().fleet!.isLeader)
  })

  it('lead nothing up by figures that are older than a lease may be', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const { switching } = start(redisStore({ client: redis.client() }), clock)
    await clock.until(() => switching.status().fleet!.isLeader)
    redis.isSilent = true
    await clock.until(() => !switching.status().fleet!.isLeader)
    redis.isSilent = false
  })

  it('have no step taken under a lease that is over', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const store = redisStore({ client: redis.client() })
    const { lease } = await store.report!({ replica: 'a', counts: new Map() })
    const entry = { id: '1', at: '2030-01-01T00:00:00.000Z', from: undefined, ...why }
    const change = { route: 'GET /a', state: 'canary 5%', takeBack: [], seen: undefined } as const
    const write = (id: string, held: string | undefined) =>
      store.write!({ ...change, lease: held, entry: { ...entry, id, route: change.route, to: change.state } })
    expect(await write('1', lease)).toEqual({ isStored: true })
    redis.flush('{routecontrollers:migration}:leader')
    await store.report!({ replica: 'b', counts: new Map() })
    expect(await write('2', lease)).toEqual({ isStored: false, isLeaseOver: true })
    expect(await write('3', undefined)).toEqual({ isStored: true })
    const { switching } = start(store, clock, 'c')
    await until(() => switching.status().store.from === 'store')
    expect(switching.status().history.map(({ id }) => id)).toEqual(['1', '3'])
  })

  it('add up what each has counted, once', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const shop = {
      legacy: () => {},
      native: () => [new Controller('GET', '/x', () => 'native')],
      shadow: false as const,
      clock,
    }
    const store = (): MigrationStore => redisStore({ client: redis.client() })
    const served = [
      await serveShop(ways[0]!, { ...shop, store: store() }),
      await serveShop(ways[0]!, { ...shop, store: store() }),
    ]
    await served[0]!.switching.set('GET /x', 'canary 100%', why)
    for (const { switching } of served)
      await clock.until(() => switching.status().settings['GET /x'] === 'canary 100%')
    for (const { send } of served) for (let at = 0; at < 3; at++) await send('/x')
    const figures = () => redis.hash('{routecontrollers:migration}:figures')
    await clock.until(() => Number(figures()['native GET /x']) >= 2)
    const before = figures()
    for (let seconds = 0; seconds < 5; seconds++) {
      clock.advance(1000)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(figures()).toEqual(before)
  })

  it('count a client once in ten seconds, whatever it tells of addresses', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const { switching } = start(redisStore({ client: redis.client() }), clock, 'a', { rollback: false })
    await clock.until(() => switching.status().store.from === 'store')
    await switching.set('GET /a', 'canary 100%', why)
    const listener = switching.listener()
    for (let at = 0; at < 60; at++) {
      const headers = ['X-Forwarded-For', `203.0.113.${at}`]
      const { req, res, finish } = nodePair({ url: '/a', headers, remoteAddress: `192.0.2.${at % 6}` })
      finish()
      listener(req, res)
      await settled()
    }
    const counted = () => redis.hash('{routecontrollers:migration}:figures')['native GET /a']
    await clock.until(() => Number(counted()) >= 6)
    clock.advance(1000)
    await settled()
    // Twice where another ten seconds have begun meanwhile.
    expect([6, 12]).toContain(Number(counted()))
  })

  it('know of the cool-down of one another, and who has made a change', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    redis.time = clock.now()
    const store = (): MigrationStore => redisStore({ client: redis.client() })
    const { switching } = start(store(), clock, 'a')
    await clock.until(() => switching.status().store.from === 'store')
    const entry = {
      id: '1',
      at: '2030-01-01T00:00:00.000Z',
      from: undefined,
      route: 'GET /a',
      to: 'legacy' as const,
    }
    await store().write!({
      route: 'GET /a',
      state: 'legacy',
      takeBack: [],
      entry: { ...entry, by: 'rollback', reason: 'x', replica: 'b' },
    })
    await clock.until(() => switching.status().routes[0]!.coolDownUntil !== undefined)
    expect(switching.status().history.at(-1)).toMatchObject({ by: 'rollback', replica: 'b', version: 1 })
    const next = start(store(), clock, 'c').switching
    await clock.until(() => next.status().routes[0]!.coolDownUntil !== undefined)
  })
})

describe('migration()', () => {
  it('warns of a store that is not written, once, as a rollback holds in one process then', () => {
    const clock = new TestClock()
    const { logged } = start(environmentStore({ variable: 'NO_MIGRATION_AT_ALL' }), clock)
    expect(logged).toEqual([
      expect.stringMatching(/the store environment is not written, so a rollback holds/),
    ])
  })

  it.each(['a b', 'a#1', '', 5])('refuses %p for the name of a replica', (replica) => {
    expect(() => start(environmentStore(), new TestClock(), replica as string)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION_INVALID' }),
    )
  })

  it('warns once where nearly all requests of a canary have one key', async () => {
    const clock = new TestClock()
    const { send, switching, logged } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.send('legacy')),
      native: () => [new Controller('GET', '/x', () => 'native')],
      shadow: false,
      rollback: false,
      clock,
    })
    await switching.set('GET /x', 'canary 50%', why)
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 25; at++) await send('/x')
      clock.advance(61_000)
    }
    expect(logged.filter((line) => line.includes('one client key'))).toHaveLength(1)
    expect(switching.status().hasOneClientKey).toBe(true)
    // A proxy that tells who asks: each of its clients counts.
    const sides = new Set<string>()
    for (let at = 0; at < 40; at++)
      sides.add((await send('/x', { headers: { 'x-forwarded-for': `203.0.113.${at}` } })).text)
    clock.advance(61_000)
    expect([[...sides].sort(), switching.status().hasOneClientKey]).toEqual([['legacy', 'native'], false])
  })
})
