import { Controller, RouteControllers } from 'routecontrollers'
import { memoryStore, type Migration, type MigrationStore, redisStore } from '@routecontrollers/switch'
import { createMigration } from '../../../packages/switch/src/migration.js'
import { FakeRedis } from './fake-redis.js'
import { describeWays, serveShop, silent, TestClock, until } from './shop.js'

const why = { reason: 'payments fail', by: 'Ada' }
const open: Migration[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

function start(store: MigrationStore, clock = new TestClock()): Migration {
  const switching = createMigration(
    {
      legacy: (_req, res) => void res.end('legacy'),
      routeControllers: new RouteControllers([
        new Controller('GET', '/a', () => 'native'),
        new Controller('GET', '/b/c', () => 'native'),
      ]),
      initial: 'native',
      logger: silent,
      store,
    },
    clock,
  )
  open.push(switching)
  return switching
}

const statesOf = (switching: Migration): string =>
  switching
    .status()
    .routes.map(({ state }) => state)
    .join()
const off = { ...why, override: true }

describe('The off switch', () => {
  it('has all at legacy, above what was set, what is set later, and what cannot be read', async () => {
    const store = memoryStore({ 'GET /a': 'native', '/b': 'canary 50%', 'GET /b/c': 'shadow' })
    const switching = start(store)
    expect(statesOf(switching)).toBe('native,shadow')
    expect(await switching.set('*', 'legacy', off)).toEqual({ isStored: true })
    expect(statesOf(switching)).toBe('legacy,legacy')
    expect(switching.status().routes[0]!.setFor).toBe('!*')
    expect(switching.status().settings).toEqual({ '!*': 'legacy' })
    expect(switching.status().store).toMatchObject({ ignored: [], unread: [] })
    await expect(switching.set('GET /a', 'native', why)).rejects.toMatchObject({
      code: 'ERR_STATE_CHANGED',
      message: expect.stringContaining('by the off switch (Ada: payments fail)') as string,
    })
    // By hand, or by a process that has not read it.
    const other = memoryStore({
      '!*': 'legacy',
      'GET /a': 'native',
      '*': 'native',
      'GET /b/c': 'cheese' as 'legacy',
    })
    expect(statesOf(start(other))).toBe('legacy,legacy')
  })

  it('ends with a state for all', async () => {
    const switching = start(memoryStore())
    await switching.set('*', 'legacy', off)
    await switching.set('*', 'shadow', why)
    expect([statesOf(switching), switching.status().settings]).toEqual(['shadow,shadow', { '*': 'shadow' }])
    await switching.set('GET /a', 'native', why)
    expect(statesOf(switching)).toBe('native,shadow')
    // The second time it is on by another user.
    await switching.set('*', 'legacy', { override: true, reason: 'a fire', by: 'Bob' })
    await expect(switching.set('GET /a', 'native', why)).rejects.toMatchObject({
      message: expect.stringContaining('by the off switch (Bob: a fire)') as string,
    })
  })

  it('holds in all processes, also over what one has set while the store was away', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const [here, there] = [0, 1].map(() => start(redisStore({ client: redis.client() }), clock)) as [
      Migration,
      Migration,
    ]
    await clock.until(() => [here, there].every((one) => one.status().store.from === 'store'))
    await here.set('*', 'legacy', off)
    await clock.until(() => statesOf(there) === 'legacy,legacy')
    await expect(there.set('/b', 'native', why)).rejects.toMatchObject({ code: 'ERR_STATE_CHANGED' })
    const next = start(redisStore({ client: redis.client() }), clock)
    await until(() => next.status().store.from === 'store')
    expect(statesOf(next)).toBe('legacy,legacy')
  })

  it('is not refused for what another user sets at the same time', async () => {
    const [memory, clock] = [memoryStore(), new TestClock()]
    const there = start(memory, clock)
    let others: Promise<unknown>[] = []
    const here = start(
      {
        ...memory,
        async write(change) {
          // It is decided by then, and has not come to the store.
          if (others.length === 0)
            others = [there.set('GET /a', 'native', why), there.set('*', 'native', why)]
          await Promise.all(others)
          return memory.write!(change)
        },
      },
      clock,
    )
    await clock.until(() => here.status().store.from === 'store')
    expect(await here.set('*', 'legacy', off)).toEqual({ isStored: true })
    await clock.until(() => statesOf(there) === 'legacy,legacy')
    expect([statesOf(here), here.status().settings]).toEqual(['legacy,legacy', { '!*': 'legacy' }])
  })

  it('is told that it is on where another user was first', async () => {
    const [memory, clock] = [memoryStore(), new TestClock()]
    const there = start(memory, clock)
    let isFirst = true
    const here = start(
      {
        ...memory,
        async write(change) {
          if (isFirst) await there.set('*', 'legacy', { override: true, reason: 'a fire', by: 'Bob' })
          isFirst = false
          return memory.write!(change)
        },
      },
      clock,
    )
    await clock.until(() => here.status().store.from === 'store')
    await expect(here.set('*', 'legacy', off)).rejects.toMatchObject({
      code: 'ERR_STATE_CHANGED',
      message: expect.stringContaining('Bob') as string,
    })
    expect([statesOf(here), statesOf(there)]).toEqual(['legacy,legacy', 'legacy,legacy'])
  })

  it('counts in all processes once the store is back, also where another one has set a route meanwhile', async () => {
    const [memory, clock] = [memoryStore(), new TestClock()]
    let isAway = false
    const reach = (): void => {
      if (isAway) throw new Error('away')
    }
    const cut: MigrationStore = {
      ...memory,
      read: (routes) => (reach(), memory.read(routes)),
      write: (change) => (reach(), memory.write!(change)),
    }
    const [here, there] = [start(cut, clock), start(memory, clock)]
    await there.set('GET /a', 'canary 50%', why)
    await clock.until(() => statesOf(here) === 'canary 50%,native')
    isAway = true
    expect(await here.set('*', 'legacy', off)).toEqual({ isStored: false })
    await there.set('GET /a', 'native', why)
    await there.set('*', 'native', why)
    isAway = false
    await clock.until(() => statesOf(there) === 'legacy,legacy')
    expect(statesOf(here)).toBe('legacy,legacy')
  })

  it('is no key that a state can be set for', async () => {
    for (const state of ['native', 'legacy'] as const)
      await expect(start(memoryStore()).set('!*', state, why)).rejects.toMatchObject({
        code: 'ERR_OPTION_INVALID',
        message: expect.stringContaining("set('*', 'legacy', { override: true, reason })") as string,
      })
  })

  it.each(['native', 'canary 50%', 'shadow', 'cheese', ''])(
    'is on whatever state its key has in a store: %j',
    async (state) => {
      const switching = start(memoryStore({ '!*': state as 'native', 'GET /a': 'native' }))
      await switching.ready
      expect(statesOf(switching)).toBe('legacy,legacy')
      expect(switching.status().store.unread).toEqual([])
      await expect(switching.set('GET /a', 'native', why)).rejects.toMatchObject({
        code: 'ERR_STATE_CHANGED',
      })
      await switching.set('*', 'native', why)
      expect(statesOf(switching)).toBe('native,native')
    },
  )

  it.each([
    ['GET /a', 'legacy'],
    ['*', 'shadow'],
  ] as const)('is not for %s and %s', async (route, state) => {
    await expect(start(memoryStore()).set(route, state, off)).rejects.toMatchObject({
      code: 'ERR_OPTION_INVALID',
    })
  })
})

describeWays('Under the off switch', (way) => {
  it('the old app answers each request, also where a process still sets another state', async () => {
    const store = memoryStore({ 'GET /tea': 'native' })
    const { switching, send } = await serveShop(way, {
      store,
      legacy: (app) => void app.get('/tea', (_req, res) => void res.send('legacy')),
      native: () => [new Controller('GET', '/tea', () => 'native')],
    })
    await switching.ready
    expect((await send('/tea')).text).toBe('native')
    await switching.set('*', 'legacy', off)
    expect((await send('/tea')).text).toBe('legacy')
    await expect(switching.set('GET /tea', 'native', why)).rejects.toMatchObject({
      code: 'ERR_STATE_CHANGED',
    })
    expect((await send('/tea')).text).toBe('legacy')
    await switching.set('*', 'native', why)
    expect((await send('/tea')).text).toBe('native')
  })
})
