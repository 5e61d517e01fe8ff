import { type AnyController, Controller } from 'routecontrollers'
import type { RollbackEvidence } from '@routecontrollers/switch'
import { describeWays, serveShop, closeShops, type Shop, TestClock, until, ways } from './shop.js'

const why = { reason: 'a test', by: 'test' }

interface Sides {
  legacyFails?: boolean
  nativeFails?: boolean
  nativeDelayMs?: number
}

function shopOf(sides: Sides): Shop {
  return {
    legacy: (app) => {
      app.get('/x', (_req, res) => void res.status(sides.legacyFails ? 500 : 200).send('answer'))
    },
    native: (): AnyController[] => [
      new Controller('GET', '/x', async (_req, res) => {
        if (sides.nativeDelayMs) await new Promise((resolve) => setTimeout(resolve, sides.nativeDelayMs))
        if (sides.nativeFails) throw new Error('planted')
        return res.send('answer')
      }),
    ],
    shadow: false,
  }
}

describeWays('rollback', (way) => {
  it('takes a route whose Controller begins to fail back within 50 requests', async () => {
    const sides: Sides = {}
    const { send, switching, logged } = await serveShop(way, shopOf(sides))
    const rollbacks: RollbackEvidence[] = []
    switching.on('rollback', (one) => rollbacks.push(one))
    await switching.set('GET /x', 'canary 100%', why)
    const route = () => switching.status().routes[0]!
    for (let at = 0; at < 30; at++) expect((await send('/x')).status).toBe(200)
    await until(() => route().native.watched === 30)
    sides.nativeFails = true
    let failed = 0
    while (route().state !== 'legacy' && failed < 50) if ((await send('/x')).status === 500) failed++
    expect(route().state).toBe('legacy')
    expect(failed).toBeLessThanOrEqual(50)
    expect((await send('/x')).status).toBe(200)
    expect(rollbacks).toHaveLength(1)
    expect(rollbacks[0]).toMatchObject({ route: 'GET /x', from: 'canary 100%', cause: 'errors' })
    expect([rollbacks[0]!.answers, rollbacks[0]!.samples]).toEqual(Array(2).fill(expect.any(Number)))
    const lines = logged.filter((line) => line.includes('goes back'))
    expect(lines).toEqual([`error ${rollbacks[0]!.message}`])
    expect(lines[0]).toMatch(
      /^error migration: GET \/x goes back from canary 100% to legacy: [\d.]+% of \d+ answers are 5xx, more than 5\.0%$/,
    )
    expect(switching.status().history.at(-1)).toMatchObject({ to: 'legacy', by: 'rollback' })
    expect(route().coolDownUntil).toBeDefined()
  })
})

describe('rollback', () => {
  afterEach(closeShops)
  const way = ways[0]!

  it('takes a native route back too', async () => {
    const { send, switching } = await serveShop(way, shopOf({ nativeFails: true }))
    await switching.set('*', 'native', why)
    const route = () => switching.status().routes[0]!
    for (let at = 0; at < 60 && route().state !== 'legacy'; at++) await send('/x')
    expect(route().state).toBe('legacy')
  })

  it('leaves a new route where it is, which legacy would answer with 404', async () => {
    const { send, switching } = await serveShop(way, { ...shopOf({ nativeFails: true }), legacy: () => {} })
    for (let at = 0; at < 300; at++) expect((await send('/x')).status).toBe(500)
    expect(switching.status().routes[0]!.state).toBe('native')
  })

  it('leaves a route alone that fails as often at legacy', async () => {
    const { send, switching } = await serveShop(way, shopOf({ legacyFails: true, nativeFails: true }))
    const route = () => switching.status().routes[0]!
    await switching.set('*', 'canary 0%', why)
    for (let at = 0; at < 25; at++) await send('/x')
    await switching.set('*', 'canary 100%', why)
    for (let at = 0; at < 40; at++) await send('/x')
    await until(() => route().native.failures === 40)
    expect(route().state).toBe('canary 100%')
  })

  it('does nothing where it is switched off, and below the least number of answers', async () => {
    const off = await serveShop(way, { ...shopOf({ nativeFails: true }), rollback: false })
    await off.switching.set('*', 'canary 100%', why)
    const few = await serveShop(way, { ...shopOf({ nativeFails: true }), rollback: { minAnswers: 1000 } })
    await few.switching.set('*', 'canary 100%', why)
    for (const { send, switching } of [off, few]) {
      for (let at = 0; at < 40; at++) await send('/x')
      await until(() => switching.status().routes[0]!.native.failures === 40)
      expect(switching.status().routes[0]!.state).toBe('canary 100%')
    }
  })

  it('takes a route back that is much slower than legacy, once that has lasted', async () => {
    const clock = new TestClock()
    const sides: Sides = {}
    const { send, switching } = await serveShop(way, {
      ...shopOf(sides),
      clock,
      rollback: { minTimings: 10, p99MarginMs: 20, p99Factor: 1.5 },
    })
    const route = () => switching.status().routes[0]!
    await switching.set('*', 'canary 0%', why)
    for (let at = 0; at < 20; at++) await send('/x')
    const slowest = route().legacy.p99Ms!
    sides.nativeDelayMs = Math.ceil(slowest * 2) + 50
    await switching.set('*', 'canary 100%', why)
    await Promise.all(Array.from({ length: 20 }, () => send('/x')))
    await until(() => route().native.watched === 20)
    clock.advance(1000)
    expect(route().state).toBe('canary 100%')
    clock.advance(1000)
    expect(route().state).toBe('legacy')
    expect(switching.status().history.at(-1)!.reason).toMatch(/^its p99 is \d+ ms, more than \d+ ms/)
  })

  it('takes a route back whose answers differ', async () => {
    const shop: Shop = {
      legacy: (app) => void app.get('/x', (_req, res) => void res.json({ by: 'legacy' })),
      native: () => [new Controller('GET', '/x', (_req, res) => res.json({ by: 'native' }))],
      rollback: { minAnswers: 5 },
    }
    const { send, switching } = await serveShop(way, shop)
    await switching.set('*', 'canary 100%', why)
    for (let at = 0; at < 5; at++) await send('/x')
    await until(() => switching.status().routes[0]!.state === 'legacy')
    expect(switching.status().history.at(-1)!.reason).toContain('compared answers differ')
  })
})

describe('a plan', () => {
  afterEach(closeShops)

  async function planned(sides: Sides) {
    const clock = new TestClock()
    const served = await serveShop(ways[0]!, {
      ...shopOf(sides),
      clock,
      stickyBy: (req) => String(req.headers['x-user']),
      rollback: { coolDownMs: 600_000 },
      plan: { steps: [10, 50, 100], minutes: 5, answers: 20 },
    })
    let user = 0
    const ask = async (count: number): Promise<void> => {
      const before = state().native.requests
      for (let at = 0; at < 1000 && state().native.requests < before + count; at++) {
        await served.send('/x', { headers: { 'x-user': `u${user++}` } })
      }
      await until(() => state().native.watched === state().native.requests)
    }
    const state = () => served.switching.status().routes[0]!
    return { ...served, clock, ask, state }
  }

  it('goes up step by step, each with its time and its answers, up to native', async () => {
    const { switching, clock, ask, state } = await planned({})
    await switching.set('GET /x', 'canary 10%', why)
    await ask(1)
    clock.advance(301_000)
    // Not enough answers.
    expect(state().state).toBe('canary 10%')
    await ask(19)
    clock.advance(1000)
    expect(state().state).toBe('canary 50%')
    await ask(20)
    clock.advance(290_000)
    // Not enough time.
    expect(state().state).toBe('canary 50%')
    clock.advance(11_000)
    expect(state().state).toBe('canary 100%')
    await ask(20)
    clock.advance(301_000)
    expect(state().state).toBe('native')
    expect(switching.status().history.map(({ by }) => by)).toEqual(['test', 'plan', 'plan', 'plan'])
  })

  it('does not begin by itself, and leaves a route alone for a while that was taken back', async () => {
    const sides: Sides = {}
    const { switching, clock, ask, state, send } = await planned(sides)
    await send('/x')
    clock.advance(600_000)
    expect(state().state).toBe('legacy')
    await switching.set('GET /x', 'canary 50%', why)
    sides.nativeFails = true
    await ask(20)
    expect(state().state).toBe('legacy')
    sides.nativeFails = false
    await switching.set('GET /x', 'canary 50%', { reason: 'mended' })
    await ask(25)
    clock.advance(301_000)
    expect(state().state).toBe('canary 50%')
    clock.advance(300_000)
    expect(state().state).toBe('canary 100%')
  })

  it.each([3_600_000, -3_600_000])(
    'goes up by the time that has passed, whoever sets the clock by %d ms',
    async (jump) => {
      const { switching, clock, ask, state, send } = await planned({})
      await send('/x')
      await switching.set('GET /x', 'canary 10%', why)
      await ask(20)
      clock.advance(100_000)
      clock.set(clock.now() + jump)
      clock.advance(150_000)
      expect(state().state).toBe('canary 10%')
      clock.advance(60_000)
      expect(state().state).toBe('canary 50%')
      // The times that it shows are those of the clock as it is now.
      expect(Math.abs(Date.parse(state().lastAskedAt!) - clock.now())).toBeLessThan(400_000)
    },
  )

  it('leaves a route alone that was taken back, whoever sets the clock', async () => {
    const sides: Sides = { nativeFails: true }
    const { switching, clock, ask, state } = await planned(sides)
    await switching.set('GET /x', 'canary 50%', why)
    await ask(20)
    expect(state().state).toBe('legacy')
    sides.nativeFails = false
    await switching.set('GET /x', 'canary 50%', { reason: 'mended' })
    await ask(25)
    clock.advance(200_000)
    clock.set(clock.now() + 86_400_000)
    clock.advance(200_000)
    expect(state().state).toBe('canary 50%')
    clock.advance(210_000)
    expect(state().state).toBe('canary 100%')
  })
})
