import { Controller, type Logger, RouteControllers } from 'routecontrollers'
import { migration, type MigrationEvents } from '@routecontrollers/switch'
import { Listeners } from '../../../packages/switch/src/states/listeners.js'
import { closeShops, describeWays, serveShop, until, ways } from './shop.js'

const why = { reason: 'a test', by: 'test' }

const rejected = jest.fn()
beforeAll(() => void process.on('unhandledRejection', rejected))
afterAll(() => void process.off('unhandledRejection', rejected))
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(rejected).not.toHaveBeenCalled()
})

const down = (): Error => new Error('the chat is\nd\u001b[2Kown')
const line = /^error migration: a listener of 'change' has failed: /

/** What fails later is a promise of this language, or of another maker. */
const failing: Readonly<Record<string, () => unknown>> = {
  'that throws': () => {
    throw down()
  },
  'that throws nothing': () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- a user may
    throw undefined
  },
  'that throws what cannot be read': () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- a user may
    throw new Proxy(
      {},
      {
        get() {
          throw down()
        },
      },
    )
  },
  'that rejects': async () => Promise.reject(down()),
  'that rejects later': async () => {
    await new Promise((resolve) => setTimeout(resolve, 2))
    throw down()
  },
  'that gives a getter which throws': () => ({
    get then() {
      throw down()
    },
  }),
  'that gives a thenable which throws': () => ({
    then() {
      throw down()
    },
  }),
  'that gives a thenable which rejects twice': () => ({
    then(_resolve: unknown, reject: (error: unknown) => void) {
      reject(down())
      reject(down())
    },
  }),
  'that gives a thenable whose promise rejects': () => ({ then: async () => Promise.reject(down()) }),
}

function start(logger?: Logger) {
  const logged: string[] = []
  const note = (level: string) => (message: string) => void logged.push(`${level} ${message}`)
  const switching = migration({
    legacy: (_req, res) => void res.end('legacy'),
    routeControllers: new RouteControllers([new Controller('GET', '/a', () => 'native')]),
    logger: logger ?? { info: note('info'), warn: note('warn'), error: note('error') },
  })
  return { switching, logged }
}

describe('A listener of a migration', () => {
  it.each(Object.entries(failing))('%s ends nothing, and is one log line', async (_name, listener) => {
    const { switching, logged } = start()
    const others: MigrationEvents['change'][] = []
    switching.on('change', listener)
    switching.on('change', (entry) => void others.push(entry))
    expect(await switching.set('GET /a', 'native', why)).toEqual({ isStored: true })
    await until(() => logged.some((one) => line.test(one)))
    await new Promise((resolve) => setTimeout(resolve, 5))
    const lines = logged.filter((one) => one.startsWith('error'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(line)
    expect(lines[0]).not.toMatch(/[\0-\x1f]/)
    // No stack.
    expect(lines[0]).not.toContain('.test.ts')
    expect(others).toHaveLength(1)
    await switching.close()
  })

  it('that has ended is told nothing more, and the others are', async () => {
    const { switching } = start()
    const told: string[] = []
    const end = switching.on('change', () => told.push('one'))
    switching.on('change', () => told.push('two'))
    await switching.set('GET /a', 'native', why)
    end()
    end()
    await switching.set('GET /a', 'legacy', why)
    expect(told).toEqual(['one', 'two', 'two'])
    await switching.close()
  })

  it('that never settles is not waited for', async () => {
    const { switching, logged } = start()
    switching.on('change', () => new Promise<void>(() => {}))
    await switching.set('GET /a', 'native', why)
    await switching.close()
    expect(logged).toHaveLength(1)
  })

  it('may fail with a logger that fails too', async () => {
    const fails = (): unknown => Promise.reject(down())
    const { switching } = start({ info: fails, warn: fails, error: fails })
    switching.on('change', fails)
    await switching.set('GET /a', 'native', why)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await switching.close()
  })
})

describeWays('A listener that rejects', (way) => {
  it('ends no process when a client shows a difference', async () => {
    const { send, switching, logged } = await serveShop(way, {
      native: () => [new Controller('GET', '/a', () => 'native')],
      legacy: (app) => void app.get('/a', (_req, res) => void res.send('legacy')),
      initial: 'shadow',
    })
    switching.on('difference', async () => Promise.reject(down()))
    await send('/a')
    await until(() => logged.some((one) => one.includes("a listener of 'difference' has failed")))
    expect((await send('/a')).text).toBe('legacy')
    await closeShops()
  })
})

describe('stickyBy', () => {
  it('that rejects ends no process, and leaves its client at legacy', async () => {
    const { send, logged } = await serveShop(ways[0]!, {
      native: () => [new Controller('GET', '/a', () => 'native')],
      legacy: (app) => void app.get('/a', (_req, res) => void res.send('legacy')),
      initial: 'canary 100%',
      stickyBy: (async () => Promise.reject(down())) as never,
    })
    expect((await send('/a')).text).toBe('legacy')
    expect(logged.filter((one) => one.includes('stickyBy'))).toHaveLength(1)
    await closeShops()
  })
})

it('an event in the log has the level that it asks for', () => {
  const lines: [level: string, event: unknown][] = []
  const note = (level: string) => (line: string) =>
    void lines.push([level, (JSON.parse(line) as { event: string }).event])
  const all = new Listeners({ info: note('info'), warn: note('warn'), error: note('error') }, 'a')
  for (const name of ['change', 'rollback', 'difference', 'dropped', 'store'] as const)
    all.tell(name, { route: 'GET /a' } as never)
  expect(lines).toEqual([
    ['info', 'migration.change'],
    ['error', 'migration.rollback'],
    ['warn', 'migration.difference'],
    ['warn', 'migration.dropped'],
    ['warn', 'migration.store'],
  ])
})

describe('logEvents', () => {
  afterEach(closeShops)

  it('has one more line of JSON for each event, with the name of the replica, and none without it', async () => {
    const eventsOf = async (logEvents?: boolean): Promise<[string, Record<string, unknown>][]> => {
      const { switching, logged } = await serveShop(ways[0]!, {
        legacy: (app) => void app.get('/x', (_req, res) => void res.send('legacy')),
        native: () => [new Controller('GET', '/x', () => 'native')],
        replica: 'shop-1',
        ...(logEvents !== undefined && { logEvents }),
      })
      await switching.set('GET /x', 'shadow', { reason: 'two\nlines\u009b31m\u202e', by: 'Ada' })
      expect(logged.filter((one) => /[\u009b\u202e]/.test(one))).toEqual([])
      return logged
        .map((one) => [one.slice(0, one.indexOf(' ')), one.slice(one.indexOf(' ') + 1)] as const)
        .filter(([, text]) => text.startsWith('{'))
        .map(([level, text]) => [level, JSON.parse(text) as Record<string, unknown>])
    }
    expect(await eventsOf()).toEqual([])
    expect(await eventsOf(true)).toEqual([
      [
        'info',
        expect.objectContaining({
          event: 'migration.change',
          replica: 'shop-1',
          route: 'GET /x',
          to: 'shadow',
          by: 'Ada',
          reason: 'two\nlines\u009b31m\u202e',
        }),
      ],
    ])
  })
})
