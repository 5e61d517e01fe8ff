import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Controller } from 'routecontrollers'
import { fileStore, memoryStore, type MigrationStore, redisStore } from '@routecontrollers/switch'
import { FakeRedis } from './fake-redis.js'
import { closeShops, type ServedMigration, serveShop, TestClock, until, ways } from './shop.js'

const why = { reason: 'the old text was a mistake', by: 'Ada' }
const place = 'body $.count'
let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'accept-'))))
afterEach(async () => {
  await closeShops()
  rmSync(folder, { recursive: true })
})

function serve(store: MigrationStore, clock = new TestClock()): Promise<ServedMigration> {
  return serveShop(ways[0]!, {
    legacy: (app) => void app.get('/teas', (_req, res) => void res.json({ count: '7' })),
    native: () => [new Controller('GET', '/teas', (_req, res) => res.json({ count: 7 }))],
    rollback: { differenceRate: 1 },
    plan: { steps: [100], minutes: 0, answers: 1 },
    clock,
    store,
  })
}

/** Has one answer compared. */
async function compare({ send, switching }: ServedMigration): Promise<void> {
  const compared = (): number => switching.status().routes[0]!.shadow.compared
  const before = compared()
  await send('/teas')
  await until(() => compared() > before)
}

const kinds: readonly [string, () => () => MigrationStore][] = [
  [
    'memory',
    () =>
      (() => {
        const one = memoryStore()
        return () => one
      })(),
  ],
  ['file', () => () => fileStore({ file: join(folder, 'states.json') })],
  [
    'redis',
    () =>
      (() => {
        const redis = new FakeRedis()
        return () => redisStore({ client: redis.client() })
      })(),
  ],
]

describe.each(kinds)('A difference that is accepted in the store %s', (_name, kind) => {
  it('counts for no plan, stays after a restart, and can be taken back', async () => {
    const [store, clock] = [kind(), new TestClock()]
    const shop = await serve(store(), clock)
    const { switching } = shop
    const route = () => switching.status().routes[0]!
    await switching.set('GET /teas', 'canary 100%', { reason: 'try', by: 'Ada' })
    await compare(shop)
    await clock.until(() => route().paused?.includes('1 differences are open (body $.count)') === true)
    expect(route().differences.map(({ place: one }) => one)).toEqual([place])
    expect(await switching.acceptDifference('GET /teas', place, why)).toEqual({ isStored: true })
    expect(route().differences[0]!.accepted).toMatchObject({ route: 'GET /teas', place, ...why })
    const { different } = route().shadow
    await compare(shop)
    expect([route().shadow.different, route().shadow.differenceRate]).toEqual([different, 0])
    await clock.until(() => route().state === 'native')

    const next = await serve(store(), clock)
    await next.switching.set('GET /teas', 'shadow', { reason: 'look', by: 'Ada' })
    await compare(next)
    const seen = () => next.switching.status().routes[0]!
    expect([seen().shadow.different, seen().differences[0]!.accepted?.by]).toEqual([0, 'Ada'])
    await next.switching.acceptDifference('GET /teas', place, { ...why, takeBack: true })
    await compare(next)
    expect([seen().shadow.different, seen().differences[0]!.accepted]).toEqual([1, undefined])
  })
})

describe('acceptDifference', () => {
  it('is for one place of one route, and of no other value of its status', async () => {
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) => {
        app.get('/a', (_req, res) => void res.status(200).json({ count: '7', name: 'x' }))
        app.get('/b', (_req, res) => void res.status(200).json({ count: '7' }))
      },
      native: () =>
        ['/a', '/b'].map(
          (path) => new Controller('GET', path, (_req, res) => res.json({ count: 7, name: 'y' })),
        ),
      store: memoryStore(),
    })
    await switching.acceptDifference('GET /a', place, why)
    await switching.set('*', 'shadow', why)
    for (const path of ['/a', '/b']) await send(path)
    const routes = () => switching.status().routes
    await until(() => routes().every(({ shadow }) => shadow.compared === 1))
    expect(routes().map(({ shadow }) => shadow.different)).toEqual([1, 1])
    expect(routes()[0]!.differences.map((one) => [one.place, one.accepted !== undefined])).toEqual([
      [place, true],
      ['body $.name', false],
    ])
    // Of the other route it is known all the same how much of it differs.
    await switching.acceptDifference('GET /a', 'body $.name', why)
    expect(routes().map(({ shadow }) => shadow.differenceRate)).toEqual([0, 1])
  })

  it('takes a place of a thousand letters, and no longer one', async () => {
    const { switching } = await serve(memoryStore())
    const of = (length: number): string => 'body $.'.padEnd(length, 'x')
    expect(await switching.acceptDifference('GET /teas', of(1000), why)).toEqual({ isStored: true })
    await expect(switching.acceptDifference('GET /teas', of(1001), why)).rejects.toThrow('is no place')
  })

  it('has room again for what was taken back, also in a store that carries none', async () => {
    const memory = memoryStore()
    const { switching } = await serve({ name: memory.name, read: (routes) => memory.read(routes) })
    const of = (at: number): string => `body $.name${at}`
    for (let at = 0; at < 1000; at++) await switching.acceptDifference('GET /teas', of(at), why)
    await expect(switching.acceptDifference('GET /teas', of(1000), why)).rejects.toThrow('which is the most')
    // Of one that was not accepted there is nothing to refuse.
    await switching.acceptDifference('GET /teas', of(1000), { ...why, takeBack: true })
    await switching.acceptDifference('GET /teas', of(0), { ...why, takeBack: true })
    expect(await switching.acceptDifference('GET /teas', of(1000), why)).toEqual({ isStored: false })
  })

  it('hides no other difference of an answer: neither one of a list, nor many', async () => {
    const old = Array.from({ length: 12 }, (_one, at) => `old${at}`)
    const body = (value: number): object => ({
      items: Array.from({ length: 12 }, (_one, at) => ({ count: value + at })),
      ...Object.fromEntries(old.map((name) => [name, value])),
      total: value,
    })
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) =>
        void app.get('/teas', (_req, res) =>
          res.set(Object.fromEntries(old.map((name) => [name, '1']))).json(body(1)),
        ),
      native: () => [new Controller('GET', '/teas', (_req, res) => res.json(body(20)))],
      shadow: { ignoreHeaders: ['etag', 'content-type'], maxDifferences: 1 },
      rollback: false,
    })
    const places = [
      'body $.items[*].count',
      ...old.flatMap((name) => [`missing header ${name}`, `body $.${name}`]),
    ]
    for (const one of places) await switching.acceptDifference('GET /teas', one, why)
    await switching.set('*', 'shadow', why)
    const route = () => switching.status().routes[0]!
    const shown: string[] = []
    switching.on('difference', (one) => void shown.push(one.place))
    await send('/teas')
    await until(() => route().shadow.compared === 1)
    const { differences, shadow } = route()
    expect(differences.filter(({ accepted }) => accepted === undefined)).toMatchObject([
      { place: 'body $.total', legacy: '1', native: '20', count: 1 },
    ])
    expect(differences.map(({ place: one }) => one).sort()).toEqual([...places, 'body $.total'].sort())
    expect([shadow.different, shown.at(-1)]).toEqual([1, 'body $.total'])
  })

  it('counts for nothing where it is an answer that never comes', async () => {
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/a', (_req, res) => void res.send('legacy')),
      native: () => [new Controller('GET', '/a', () => new Promise<string>(() => {}))],
      store: memoryStore(),
      shadow: { timeoutMs: 20 },
    })
    await switching.set('*', 'shadow', why)
    const shadow = () => switching.status().routes[0]!.shadow
    await send('/a')
    await until(() => shadow().compared === 1)
    expect(shadow().different).toBe(1)
    await switching.acceptDifference('GET /a', 'status 200 no answer', why)
    await send('/a')
    await until(() => shadow().compared === 2)
    expect([shadow().different, shadow().differenceRate]).toEqual([1, 0])
  })

  it('is told to the store once, however often that is read meanwhile, and a close waits for it', async () => {
    const told: string[] = []
    const answers: (() => void)[] = []
    const memory = memoryStore()
    const clock = new TestClock()
    const slow: MigrationStore = {
      ...memory,
      accept: async (acceptance, isTakenBack) => {
        told.push(acceptance.place)
        await new Promise<void>((resolve) => answers.push(resolve))
        await memory.accept!(acceptance, isTakenBack)
      },
    }
    const { switching } = await serve(slow, clock)
    const accepted = switching.acceptDifference('GET /teas', place, why)
    await until(() => told.length === 1)
    await switching.set('GET /teas', 'shadow', why)
    expect(told).toEqual([place])
    let isClosed = false
    const closed = switching.close().then(() => (isClosed = true))
    await new Promise(setImmediate)
    expect(isClosed).toBe(false)
    answers[0]!()
    expect(await accepted).toEqual({ isStored: true })
    await closed
  })

  it('is offered again where the store gives no answer', async () => {
    const told: string[] = []
    const memory = memoryStore()
    const clock = new TestClock()
    const hanging: MigrationStore = {
      ...memory,
      accept(acceptance, isTakenBack) {
        told.push(acceptance.place)
        return told.length === 1 ? new Promise(() => {}) : memory.accept!(acceptance, isTakenBack)
      },
    }
    const { switching } = await serve(hanging, clock)
    let outcome: unknown
    void switching.acceptDifference('GET /teas', place, why).then((one) => (outcome = one))
    await clock.until(() => outcome !== undefined)
    expect(outcome).toEqual({ isStored: false })
    await clock.until(() => told.length === 2)
    let isClosed = false
    void switching.close().then(() => (isClosed = true))
    await clock.until(() => isClosed)
  })

  it('counts at once where the store is away, and is offered again', async () => {
    const [redis, clock] = [new FakeRedis(), new TestClock()]
    const { switching } = await serve(redisStore({ client: redis.client() }), clock)
    await clock.until(() => switching.status().store.from === 'store')
    redis.isAway = true
    expect(await switching.acceptDifference('GET /teas', place, why)).toEqual({ isStored: false })
    redis.isAway = false
    const stored = () => Object.values(redis.hash('{routecontrollers:migration}:accepted'))
    await clock.until(() => stored().length === 1)
    expect(JSON.parse(stored()[0]!)).toMatchObject({ route: 'GET /teas', place, ...why })
    // What an emptied Redis has lost is put back with the states.
    await switching.set('GET /teas', 'shadow', why)
    await clock.until(() => switching.status().store.version === 1)
    redis.flush()
    await clock.until(() => stored().length === 1)
  })

  it('counts on where a read answers that was begun before the store had it', async () => {
    const memory = memoryStore()
    const clock = new TestClock()
    const answers: (() => void)[] = []
    let isSlow = false
    const store: MigrationStore = {
      ...memory,
      async read(routes) {
        const found = await memory.read(routes)
        if (isSlow) await new Promise<void>((resolve) => answers.push(resolve))
        return found
      },
    }
    const { switching, send } = await serve(store, clock)
    const accepted = () => switching.status().routes[0]!.differences[0]?.accepted
    await switching.set('GET /teas', 'shadow', why)
    await send('/teas')
    await until(() => switching.status().routes[0]!.differences.length === 1)
    isSlow = true
    for (const takeBack of [false, true]) {
      await clock.until(() => answers.length === 1)
      await switching.acceptDifference('GET /teas', place, { ...why, takeBack })
      answers.pop()!()
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      expect(accepted() === undefined).toBe(takeBack)
    }
    // What was read after it counts: it was taken back elsewhere.
    await clock.until(() => answers.length === 1)
    await switching.acceptDifference('GET /teas', place, why)
    isSlow = false
    answers.pop()!()
    const { at } = accepted()!
    await memory.accept!({ route: 'GET /teas', place, by: 'Bob', reason: 'no', at }, true)
    await clock.until(() => accepted() === undefined)
  })

  it.each([
    ['GET /other', place, why],
    ['GET /teas', 'cheese', why],
    ['GET /teas', 5 as never, why],
    ['GET /teas', place, { reason: ' ' }],
    ['GET /teas', place, { reason: 'x', takeBack: 'yes' as never }],
    ['GET /teas', place, undefined as never],
  ])('refuses %p, %p, %p', async (route, where, options) => {
    const { switching } = await serve(memoryStore())
    await expect(switching.acceptDifference(route, where, options)).rejects.toMatchObject({
      code: 'ERR_OPTION_INVALID',
    })
  })
})

describe('Differences that are accepted', () => {
  it('are at most 1000, of which one can be taken back for another one', async () => {
    const { switching } = await serve(memoryStore())
    const accept = (at: number, takeBack = false) =>
      switching.acceptDifference('GET /teas', `body $.n${at}`, { ...why, takeBack })
    for (let at = 0; at < 1000; at++) await accept(at)
    await expect(accept(1000)).rejects.toMatchObject({
      code: 'ERR_OPTION_INVALID',
      message: expect.stringContaining('1000 differences are accepted') as string,
    })
    // Another reason for the same one.
    await accept(7)
    await accept(7, true)
    await accept(1000)
    await expect(accept(7)).rejects.toMatchObject({ code: 'ERR_OPTION_INVALID' })
  })

  it('are accepted by nobody known where no name is given', async () => {
    const { switching, send } = await serve(memoryStore())
    await switching.set('GET /teas', 'shadow', why)
    await send('/teas')
    const differences = () => switching.status().routes[0]!.differences
    await until(() => differences().length === 1)
    await switching.acceptDifference('GET /teas', place, { reason: why.reason })
    expect(differences()[0]!.accepted).toMatchObject({ by: 'unknown', reason: why.reason })
  })

  it('count at once, and once, while the store is being told', async () => {
    const store = memoryStore()
    const held: (() => void)[] = []
    let isHeld = false
    const { send, switching } = await serve({
      ...store,
      async accept(one, isTakenBack) {
        if (isHeld) await new Promise<void>((resolve) => held.push(resolve))
        await store.accept!(one, isTakenBack)
      },
    })
    const accept = (where: string, takeBack = false) =>
      switching.acceptDifference('GET /teas', where, { ...why, takeBack })
    const route = () => switching.status().routes[0]!
    await switching.set('GET /teas', 'shadow', why)
    await send('/teas')
    await until(() => route().differences.length === 1)
    for (let at = 0; at < 998; at++) await accept(`body $.n${at}`)
    await accept(place)
    expect(route().differences[0]!.accepted).toBeDefined()
    isHeld = true
    // Of the two it has one already.
    const told = [accept('body $.n7'), accept('body $.n999')]
    await expect(accept('body $.n1000')).rejects.toMatchObject({ code: 'ERR_OPTION_INVALID' })
    const again = accept(place)
    told.push(accept(place, true))
    expect(route().differences[0]!.accepted).toBeUndefined()
    // The store has what was said before, and not what was said last.
    held[2]!()
    expect(await again).toEqual({ isStored: true })
    expect(route().differences[0]!.accepted).toBeUndefined()
    for (const letGo of held) letGo()
    expect(await Promise.all(told)).toEqual(Array(3).fill({ isStored: true }))
    expect(route().differences[0]!.accepted).toBeUndefined()
  })
})
