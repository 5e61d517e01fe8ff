import { Controller, RouteControllers } from 'routecontrollers'
import {
  environmentStore,
  type FleetReport,
  type Migration,
  type MigrationOptions,
  type MigrationStore,
  memoryStore,
  redisStore,
} from '@routecontrollers/switch'
import { createMigration } from '../../../packages/switch/src/migration.js'
import { nodePair, settled } from '../../support/node-pair.js'
import { FakeRedis } from './fake-redis.js'
import { closeShops, type ServedMigration, serveShop, type Shop, TestClock, until, ways } from './shop.js'

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

/** A replica that can be asked. */
function serve(
  store: MigrationStore,
  clock: TestClock,
  replica: string,
  more: Partial<Shop> = {},
): Promise<ServedMigration> {
  return serveShop(ways[0]!, {
    legacy: (app) => void app.get('/a', (_req, res) => void res.send('legacy')),
    native: () => [new Controller('GET', '/a', () => 'native')],
    shadow: false,
    clock,
    store,
    replica,
    ...more,
  })
}

const figuresKey = '{routecontrollers:migration}:figures'

/** Of a Controller that has failed and differed often, and was mended since. */
function withFormerFigures(redis: FakeRedis): FakeRedis {
  const requests = { nativeRequests: 9000, legacyRequests: 90_000 }
  const judged = { native: 2000, nativeBad: 500, legacy: 5000, legacyBad: 3, errors0: 12_000 }
  for (const [name, count] of Object.entries({ ...requests, ...judged, compared: 1000, different: 400 }))
    redis.hSet(figuresKey, `${name} GET /a`, String(count))
  return redis
}

async function seconds(clock: TestClock, count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    clock.advance(1000)
    await settled()
  }
}

const reportOf = (report: Partial<FleetReport>): FleetReport => ({
  replica: 'a',
  run: 'r1',
  number: 1,
  counts: new Map(),
  asked: [],
  mayLead: true,
  about: '{}',
  ...report,
})

describe('replicas with one Redis', () => {
  it('have one leader, and another one once its lease is over; one without requests leads nothing', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const store = (): MigrationStore => redisStore({ client: redis.client() })
    const all = [await serve(store(), clock, 'a'), await serve(store(), clock, 'b')]
    const fleets = () => all.map(({ switching }) => switching.status().fleet!)
    await clock.until(() => fleets().every(({ replicas }) => replicas === 2))
    expect(fleets().map(({ leader }) => leader)).toEqual([undefined, undefined])
    await all[1]!.send('/a')
    await clock.until(() => fleets().every(({ leader }) => leader === 'b'))
    expect(fleets().map(({ replica, isLeader }) => [replica, isLeader])).toEqual([
      ['a', false],
      ['b', true],
    ])
    await all[1]!.switching.close()
    redis.flush('{routecontrollers:migration}:leader')
    await all[0]!.send('/a')
    await clock.until(() => all[0]!.switching.status().fleet!.isLeader)
  })

  it('have a report counted once that Redis took and did not answer', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const { send, switching } = await serve(redisStore({ client: redis.client() }), clock, 'a')
    await clock.until(
      () => switching.status().fleet?.replicas === 1 && switching.status().store.from === 'store',
    )
    redis.losesAnswers = true
    for (let at = 0; at < 3; at++) await send('/a')
    const requests = () => redis.hash(figuresKey)['legacyRequests GET /a']
    await clock.until(() => requests() === '3')
    await send('/a')
    for (let seconds = 0; seconds < 5; seconds++) {
      clock.advance(1000)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(requests()).toBe('3')
    redis.losesAnswers = false
    await clock.until(() => requests() === '4')
    expect(switching.status().routes[0]!.fleet!.legacy).toEqual({ requests: 4, failures: 0 })
  })

  it('have told at once what was counted since a report that was offered again', async () => {
    const [reports, clock]: [FleetReport[], TestClock] = [[], new TestClock()]
    let isAway = true
    const store: MigrationStore = {
      ...environmentStore(),
      report(report) {
        reports.push(report)
        if (isAway) throw new Error('no way there')
        const none = new Map<string, never>()
        const view = { lease: undefined, leader: undefined, isLeader: false, since: 0, now: 0 }
        return Promise.resolve({ ...view, members: none, counts: none, askedAt: none })
      },
    }
    const { send } = await serve(store, clock, 'a')
    const legacyOf = ({ counts }: FleetReport) => counts.get('legacyRequests GET /a')
    await send('/a')
    clock.advance(1000)
    await settled()
    await send('/a')
    await send('/a')
    isAway = false
    reports.length = 0
    clock.advance(1000)
    await settled()
    expect(reports.map(legacyOf)).toEqual([1, 2])
  })

  it('count for a step as long as they are those of now, and then each replica counts alone', async () => {
    const [counts, clock] = [new Map<string, number>(), new TestClock()]
    let isAway = false
    const store: MigrationStore = {
      ...memoryStore(),
      report() {
        if (isAway) throw new Error('no way there')
        const none = new Map<string, never>()
        const view = { lease: 'a#1', leader: 'a', isLeader: true, since: 0, now: 0 }
        return Promise.resolve({ ...view, members: none, counts: new Map(counts), askedAt: none })
      },
    }
    const { send, switching } = await serve(store, clock, 'a', { plan: { minutes: 600 } })
    await send('/a')
    clock.advance(1000)
    await settled()
    await switching.set('GET /a', 'canary 5%', why)
    counts.set('native GET /a', 500)
    clock.advance(1000)
    await settled()
    const answers = () => switching.status().routes[0]!.plan?.answers
    expect(answers()).toBe(500)
    isAway = true
    clock.advance(5000)
    await settled()
    expect(answers()).toBe(0)
  })

  it('have each number of a run taken once, and those of another run with the same name', async () => {
    const redis = new FakeRedis()
    const store = redisStore({ client: redis.client() })
    const report = (run: string, number: number) =>
      store.report!(reportOf({ run, number, counts: new Map([['native GET /a', 1]]) }))
    for (const [run, number] of [
      ['r1', 1],
      ['r1', 2],
      ['r1', 2],
      ['r1', 1],
      ['r2', 1],
    ] as const)
      await report(run, number)
    expect(redis.hash(figuresKey)).toEqual({ 'native GET /a': '3' })
  })

  it.each(['x', '1e300', 'NaN', ''])(
    'read on where somebody has written %j into their Redis',
    async (odd) => {
      const [redis, clock] = [new FakeRedis(), new TestClock()]
      redis.time = clock.now()
      redis.hSet('{routecontrollers:migration}:asked', '', odd)
      redis.hSet('{routecontrollers:migration}:asked', 'GET /a', odd)
      redis.hSet(figuresKey, 'legacyRequests GET /a', odd)
      redis.rPush(
        '{routecontrollers:migration}:history',
        JSON.stringify({
          id: 'z',
          at: '2026-01-01T00:00:00.000Z',
          route: 'GET /a',
          to: 'native',
          by: 'x',
          reason: 'r',
          time: 1e300,
        }),
      )
      const { send, switching } = await serve(redisStore({ client: redis.client() }), clock, 'a')
      await send('/a')
      await clock.until(() => switching.status().fleet?.replicas === 1)
      const { store, history } = switching.status()
      expect(store.isAway).toBe(false)
      expect(history.map(({ id, at }) => [id, at])).toEqual([['z', '2026-01-01T00:00:00.000Z']])
    },
  )

  it('are led by the one that leads as long as it reports', async () => {
    const redis = new FakeRedis()
    const store = redisStore({ client: redis.client() })
    const leases = new Set<string | undefined>()
    for (let number = 1; number <= 10; number++) {
      const { lease, isLeader } = await store.report!(reportOf({ number }))
      leases.add(lease)
      expect(isLeader).toBe(true)
      redis.time += 4000
    }
    expect([...leases]).toEqual(['a#r1#1'])
    redis.time += 2000
    expect((await store.report!(reportOf({ replica: 'b' }))).lease).toBe('b#r1#2')
  })

  it('have no leader of the same name that is another process', async () => {
    const redis = new FakeRedis()
    const store = redisStore({ client: redis.client() })
    const views = [await store.report!(reportOf({ run: 'r1' })), await store.report!(reportOf({ run: 'r2' }))]
    expect(views.map(({ leader, isLeader }) => [leader, isLeader])).toEqual([
      ['a', true],
      ['a', false],
    ])
  })

  it('show the versions of all, and which one has other states', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    redis.time = clock.now()
    const store = (): MigrationStore => redisStore({ client: redis.client() })
    const [a, b] = [await serve(store(), clock, 'a'), await serve(store(), clock, 'b')]
    for (const { send } of [a, b]) await send('/a')
    const members = () => a.switching.status().fleet!.members
    await clock.until(() => members().length === 2)
    for (let seconds = 0; seconds < 5; seconds++) clock.advance(1000)
    expect(members().map(({ replica, disagrees }) => [replica, disagrees])).toEqual([
      ['a', false],
      ['b', false],
    ])
    // One that cannot read what the others have read.
    redis.hSet('{routecontrollers:migration}:members', 'old', JSON.stringify({ routes: 'x', states: 'y' }))
    await a.switching.set('GET /a', 'shadow', why)
    await clock.until(() =>
      members().every(({ replica, stateVersion }) => replica === 'old' || stateVersion === 1),
    )
    const told = JSON.parse(redis.hash('{routecontrollers:migration}:members')['a']!) as object
    redis.hSet(
      '{routecontrollers:migration}:members',
      'c',
      JSON.stringify({ ...told, appVersion: '2.0.0', states: 'z' }),
    )
    await clock.until(() => members().some(({ disagrees }) => disagrees))
    expect(members().filter(({ disagrees }) => disagrees)).toEqual([
      { replica: 'c', appVersion: '2.0.0', stateVersion: 1, disagrees: true },
    ])
    expect(a.switching.status().routes[0]!.lastAskedAt).toBeDefined()
  })

  it('have a dead route where none of them was asked for it', async () => {
    const clock = new TestClock()
    const day = 86_400_000
    let daysAgo = 3
    const store: MigrationStore = {
      name: 'test',
      read: () => ({ states: {} }),
      report: () => ({
        ...{ lease: undefined, leader: undefined, isLeader: false, members: new Map(), counts: new Map() },
        ...{ askedAt: new Map([['GET /a', (10 - daysAgo) * day]]), since: 0, now: 10 * day },
      }),
    }
    const { send, switching } = await serve(store, clock, 'a', { deadAfterDays: 1 / 24 })
    const isDead = async (days: number): Promise<boolean> => {
      daysAgo = days
      clock.advance(1000)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return switching.status().routes[0]!.isDead
    }
    await send('/a')
    expect(await isDead(3)).toBe(false)
    clock.advance(2 * 3_600_000)
    expect(await isDead(0)).toBe(false)
    expect(await isDead(3)).toBe(true)
  })

  it('lead nothing up by figures that are older than a lease may be', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const { switching, send } = await serve(redisStore({ client: redis.client() }), clock, 'a')
    await send('/a')
    await clock.until(() => switching.status().fleet!.isLeader)
    redis.isSilent = true
    await clock.until(() => !switching.status().fleet!.isLeader)
    redis.isSilent = false
  })

  it('lead nothing up by an answer that a process gets after it was stopped for a while', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const base = redisStore({ client: redis.client() })
    const asked: (readonly string[])[] = []
    const led: (boolean | undefined)[] = []
    let goOn: (() => void) | undefined
    let isStopped = false
    const { switching, send } = await serve(
      {
        ...base,
        report: async (report) => {
          asked.push(report.asked)
          led.push(switching.status().fleet?.isLeader)
          const view = await base.report!(report)
          if (isStopped) await new Promise<void>((resolve) => (goOn = resolve))
          return view
        },
      },
      clock,
      'a',
    )
    await send('/a')
    await clock.until(() => switching.status().fleet!.isLeader)
    isStopped = true
    await clock.until(() => goOn !== undefined)
    clock.advance(10_000)
    isStopped = false
    const before = led.length
    goOn!()
    await until(() => led.length > before)
    // What came in between was old when it came.
    expect(led[before]).toBe(false)
    await clock.until(() => switching.status().fleet!.isLeader)
    // And each request is told once.
    expect(asked.filter((routes) => routes.length > 0)).toEqual([['GET /a']])
  })

  it('have no step taken under a lease that is over', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const store = redisStore({ client: redis.client() })
    const { lease } = await store.report!(reportOf({}))
    const entry = { id: '1', at: '2030-01-01T00:00:00.000Z', from: undefined, ...why }
    const change = { route: 'GET /a', state: 'canary 5%', takeBack: [], seen: undefined } as const
    const write = (id: string, held: string | undefined) =>
      store.write!({ ...change, lease: held, entry: { ...entry, id, route: change.route, to: change.state } })
    expect(await write('1', lease)).toEqual({ isStored: true })
    redis.flush('{routecontrollers:migration}:leader')
    await store.report!(reportOf({ replica: 'b' }))
    expect(await write('2', lease)).toEqual({ isStored: false, isLeaseOver: true })
    expect(await write('3', undefined)).toEqual({ isStored: true })
    const { switching } = start(store, clock, 'c')
    await until(() => switching.status().store.from === 'store')
    expect(switching.status().history.map(({ id }) => id)).toEqual(['1', '3'])
  })

  it('take a route back without a lease: who fails need not lead', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const store = (): MigrationStore => redisStore({ client: redis.client() })
    const { send, switching } = await serve(store(), clock, 'a', {
      native: () => [
        new Controller('GET', '/a', () => {
          throw new Error('planted')
        }),
      ],
    })
    await send('/a')
    await clock.until(() => switching.status().fleet!.isLeader)
    await switching.set('GET /a', 'canary 100%', why)
    redis.flush('{routecontrollers:migration}:leader')
    await store().report!(reportOf({ replica: 'b' }))
    while (switching.status().routes[0]!.state !== 'legacy') await send('/a')
    const stored = () => switching.status().history.filter(({ version }) => version !== undefined)
    await clock.until(() => stored().some(({ by }) => by === 'rollback'))
    expect(redis.hash('{routecontrollers:migration}:states')).toEqual({ 'GET /a': 'legacy' })
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

  it('lead a step up by what all have answered since it began, and not by what was before', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const { send, switching } = await serve(redisStore({ client: redis.client() }), clock, 'a', {
      rollback: false,
      plan: { steps: [10, 50], minutes: 0, answers: 5 },
    })
    const route = () => switching.status().routes[0]!
    await send('/a')
    redis.hSet(figuresKey, 'native GET /a', '100')
    redis.hSet(figuresKey, 'nativeRequests GET /a', '100')
    await clock.until(() => route().fleet?.native.requests === 100 && switching.status().fleet!.isLeader)
    await switching.set('GET /a', 'canary 10%', why)
    for (let seconds = 0; seconds < 5; seconds++) {
      clock.advance(1000)
      await settled()
    }
    expect(route().state).toBe('canary 10%')
    redis.hSet(figuresKey, 'native GET /a', '105')
    await clock.until(() => route().state === 'canary 50%')
  })

  it('say nothing of a step of a plan where a person has set something else at that moment', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const [own, other] = [redisStore({ client: redis.client() }), redisStore({ client: redis.client() })]
    const refused: unknown[] = []
    const store: MigrationStore = {
      ...own,
      async write(change) {
        if (change.entry.by !== 'plan' || refused.length > 0) return own.write!(change)
        const entry = { ...change.entry, id: 'a person', by: 'Ada', to: 'canary 20%' } as const
        await other.write!({ ...change, state: 'canary 20%', entry, lease: undefined })
        const answer = await own.write!(change)
        refused.push(answer)
        return answer
      },
    }
    const plan = { steps: [10, 50], minutes: 0, answers: 5 }
    const { send, switching } = await serve(store, clock, 'a', { rollback: false, plan })
    const dropped: unknown[] = []
    switching.on('dropped', (event) => dropped.push(event))
    await send('/a')
    await clock.until(() => switching.status().fleet!.isLeader)
    await switching.set('GET /a', 'canary 10%', why)
    redis.hSet(figuresKey, 'native GET /a', '100')
    redis.hSet(figuresKey, 'nativeRequests GET /a', '100')
    await clock.until(() => switching.status().routes[0]!.state === 'canary 20%')
    await settled()
    expect([refused, dropped]).toEqual([[{ isStored: false }], []])
  })

  it.each([true, false])(
    'lead nothing up by what was counted before a process was started, asked at once: %p',
    async (isAskedAtOnce) => {
      const [redis, clock] = [new FakeRedis(), new TestClock()]
      const { send, switching } = await serve(
        redisStore({ client: withFormerFigures(redis).client() }),
        clock,
        'a',
        {
          initial: 'canary 1%',
          plan: { minutes: 600 },
        },
      )
      await clock.until(() => switching.status().store.from === 'store')
      if (!isAskedAtOnce) await seconds(clock, 3)
      await send('/a')
      const route = () => switching.status().routes[0]!
      await clock.until(() => route().fleet?.native.requests === 9000)
      await seconds(clock, 2)
      expect(route().plan?.answers).toBe(0)
      redis.hSet(figuresKey, 'native GET /a', '2007')
      await clock.until(() => route().plan?.answers === 7)
    },
  )

  it('take nothing back and lead nothing up by old figures where a failover has lost the last ones', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const store = (): MigrationStore => redisStore({ client: redis.client() })
    withFormerFigures(redis)
    const { send, switching } = await serve(store(), clock, 'a', { plan: { minutes: 600 } })
    await serve(store(), clock, 'b')
    const route = () => switching.status().routes[0]!
    await clock.until(() => switching.status().fleet?.replicas === 2)
    await send('/a')
    await switching.set('GET /a', 'canary 50%', why)
    await seconds(clock, 3)
    redis.hSet(figuresKey, 'native GET /a', '2005')
    await clock.until(() => route().plan?.answers === 5)
    redis.hSet(figuresKey, 'legacyRequests GET /a', '89990')
    await clock.until(() => route().fleet?.legacy.requests === 89_990)
    await seconds(clock, 2)
    expect([route().state, route().plan?.answers]).toEqual(['canary 50%', 5])
    // What comes then counts.
    redis.hSet(figuresKey, 'compared GET /a', '1100')
    redis.hSet(figuresKey, 'different GET /a', '490')
    await clock.until(() => route().state === 'legacy')
  })

  it('lead a step up once differences are forgotten that were too many for it, and say so until then', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const { send, switching, logged } = await serve(redisStore({ client: redis.client() }), clock, 'a', {
      plan: { steps: [10, 50], minutes: 0, answers: 5 },
    })
    const route = () => switching.status().routes[0]!
    const count = async (native: number, compared: number, different: number): Promise<void> => {
      for (const [name, sum] of Object.entries({ native, nativeRequests: native, compared, different }))
        redis.hSet(figuresKey, `${name} GET /a`, String(sum))
      await clock.until(() => route().fleet?.native.requests === native)
      await seconds(clock, 2)
    }
    await send('/a')
    await clock.until(() => switching.status().fleet!.isLeader)
    await switching.set('GET /a', 'canary 10%', why)
    await count(40, 40, 10)
    const waits =
      '25.0% of 40 compared answers differ, more than 2.5%: a step needs less than half of what takes it back'
    expect([route().state, route().paused]).toEqual(['canary 10%', waits])
    expect(logged).toContainEqual(expect.stringContaining(`GET /a waits at canary 10%: ${waits}`))
    switching.forgetDifferences('GET /a')
    await count(45, 45, 10)
    expect(route().state).toBe('canary 50%')
  })

  it('know of the cool-down of one another while they serve', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    redis.time = clock.now()
    const store = (): MigrationStore => redisStore({ client: redis.client() })
    const { send, switching } = await serve(store(), clock, 'a')
    await send('/a')
    const entry = { id: '1', at: '2030-01-01T00:00:00.000Z', from: undefined, route: 'GET /a' }
    await store().write!({
      route: 'GET /a',
      state: 'legacy',
      takeBack: [],
      entry: { ...entry, to: 'legacy', by: 'rollback', reason: 'x', replica: 'b' },
    })
    await clock.until(() => switching.status().routes[0]!.coolDownUntil !== undefined)
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

  it('does not warn of one where there are no rollbacks', () => {
    const store = environmentStore({ variable: 'NO_MIGRATION_AT_ALL' })
    expect(start(store, new TestClock(), undefined, { rollback: false }).logged).toEqual([])
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
