import { createHash } from 'node:crypto'
import compression from 'compression'
import express, { json, text } from 'express'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { createServer as createTlsServer, request as requestByTls } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { type AnyController, Controller, RouteControllers } from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { migration, type OpenDifference } from '@routecontrollers/switch'
import { cert, key } from '../../support/certificate.js'
import { listenOn, sendTo } from '../../support/describe-servings.js'
import {
  anyLoad,
  closeShops,
  describeWays,
  serveShop,
  type Shop,
  silent,
  TestClock,
  until,
  ways,
} from './shop.js'

const why = { reason: 'a test', by: 'test' }
const anyNoise = (): string => createHash('sha256').update(String(Math.random())).digest('hex')

interface Asked {
  legacy: { url: string; body?: unknown; headers: unknown; isShadow?: boolean }[]
  native: { url: string; body?: unknown; headers: unknown; isShadow?: boolean }[]
}

/** One route whose two sides answer what they are told to. */
function shopOf(
  legacy: () => unknown,
  native: () => unknown,
  asked: Asked = { legacy: [], native: [] },
): Shop & { asked: Asked } {
  return {
    asked,
    legacy(app) {
      app.get('/x/:id', (req, res) => {
        asked.legacy.push({
          url: req.originalUrl,
          headers: { ...req.headers },
          isShadow: (req as { isShadow?: boolean }).isShadow === true,
        })
        res.json(legacy())
      })
      app.post('/x', json(), (req, res) => {
        asked.legacy.push({ url: req.originalUrl, body: req.body, headers: req.headers })
        res.json({ got: req.body })
      })
    },
    native: (): AnyController[] => [
      new Controller('GET', '/x/:id', (req, res) => {
        asked.native.push({
          url: req.originalUrl,
          headers: { ...req.headers },
          isShadow: req.isShadow === true,
        })
        return res.header('etag', 'W/"x"').json(native())
      }),
      new Controller('POST', '/x', (req, res) => {
        asked.native.push({ url: req.originalUrl, body: req.body, headers: req.headers })
        return res.header('etag', 'W/"x"').json({ got: req.body, more: 1 })
      }),
    ],
  }
}

const ignoreHeaders = ['content-type', 'etag']
const without = ({ what, name, legacy, native }: OpenDifference): unknown[] => [what, name, legacy, native]

/** Every timer is late by it. */
class LateClock extends TestClock {
  lateMs = 1000
  #late = 0
  override monotonic(): number {
    return super.monotonic() + (this.#late += this.lateMs)
  }
}

describeWays('shadow', (way) => {
  it('says once that a busy process compares nothing, and what to do', async () => {
    const shop = shopOf(
      () => ({ a: 1 }),
      () => ({ a: 1 }),
    )
    const { send, switching, logged } = await serveShop(way, {
      ...shop,
      clock: new LateClock(),
      shadow: { maxDelayMs: 50 },
    })
    await switching.set('GET /x/:id', 'shadow', why)
    const told = () => logged.filter((line) => line.includes('has dropped'))
    const dropped = () => switching.status().shadow.dropped.load
    for (let count = 1; count <= 25; count++) {
      await send('/x/7')
      await until(() => dropped() === count)
      expect(told()).toHaveLength(count < 10 ? 0 : 1)
    }
    expect(told()[0]).toMatch(
      /^warn.* Raise shadow\.maxUtilization \(\S+\) or shadow\.maxDelayMs \(50\), or lower shadow\.share/,
    )
  })

  it('says nothing of a process that is busy now and then', async () => {
    const clock = new LateClock()
    const shop = shopOf(
      () => ({ a: 1 }),
      () => ({ a: 1 }),
    )
    const shadow = { ignoreHeaders: ['etag', 'content-type'] }
    const { send, switching, logged } = await serveShop(way, { ...shop, clock, shadow })
    await switching.set('GET /x/:id', 'shadow', why)
    const seen = (): number => {
      const { dropped } = switching.status().shadow
      return dropped.load + switching.status().routes[0]!.shadow.compared
    }
    for (let count = 1; count <= 20; count++) {
      // Less often than ten times in a row.
      clock.lateMs = count % 10 === 0 ? 0 : 100_000
      await send('/x/7')
      await until(() => seen() === count)
    }
    expect(switching.status().routes[0]!.shadow.compared).toBe(2)
    expect(logged.filter((line) => line.includes('has dropped'))).toEqual([])
  })

  it('asks the Controller too once the client has its answer, and tells in what that differs', async () => {
    const shop = shopOf(
      () => ({ price: 5, tags: ['a', 'b'], same: { deep: true }, password: 'one' }),
      () => ({ tags: ['a', 'c'], price: 6, same: { deep: true }, password: 'two', extra: 1 }),
    )
    const found: OpenDifference[] = []
    const { send, switching } = await serveShop(way, { ...shop, shadow: { ignoreHeaders } })
    switching.on('difference', (one) => found.push(one))
    await switching.set('GET /x/:id', 'shadow', why)
    const answer = await send('/x/7?tea=1&token=sesame', { headers: { authorization: 'Bearer secret1' } })
    expect(answer.json().price).toBe(5)
    const route = () => switching.status().routes[0]!
    await until(() => route().shadow.compared === 1)
    expect(route().differences.map(without)).toEqual([
      ['body', '$.price', '5', '6'],
      ['body', '$.tags[*]', '"b"', '"c"'],
      ['body', '$.password', '[redacted]', '[redacted]'],
      ['body', '$.extra', undefined, '1'],
    ])
    expect(found.map(without)).toEqual(route().differences.map(without))
    expect(route().differences[0]).toMatchObject({ target: '/x/7?tea=1&token=[redacted]', count: 1 })
    expect(JSON.stringify(switching.status())).not.toMatch(/secret1|sesame/)
    const { native, legacy } = shop.asked
    expect(native.map(({ url, isShadow }) => [url, isShadow])).toEqual([['/x/7?tea=1&token=sesame', true]])
    expect(legacy.map(({ isShadow }) => isShadow)).toEqual([false, true])
    expect(native[0]!.headers).toMatchObject({ authorization: 'Bearer secret1' })
    switching.forgetDifferences()
    expect(route().differences).toEqual([])
  })

  it('takes what legacy itself says in another way for noise', async () => {
    const shop = shopOf(
      () => ({ id: anyNoise(), at: new Date().toISOString(), list: [{ n: anyNoise() }, { n: anyNoise() }] }),
      () => ({ list: [{ n: anyNoise() }, { n: anyNoise() }], at: new Date().toISOString(), id: anyNoise() }),
    )
    const { send, switching } = await serveShop(way, { ...shop, shadow: { ignoreHeaders } })
    await switching.set('GET /x/:id', 'shadow', why)
    await send('/x/1')
    await send('/x/2')
    const route = () => switching.status().routes[0]!
    await until(() => route().shadow.compared === 2)
    expect(route().differences.map(without)).toEqual([])
    expect(route().shadow.noise).toEqual(expect.arrayContaining(['$.id', '$.list[*].n']))
  })

  it('takes what was written between the two answers neither for a difference nor for noise', async () => {
    // Written at once after the first answer of each route.
    const states = (): (() => object | undefined) => {
      let asked = 0
      return () => (asked++ === 0 ? { title: 'green', list: [1] } : { title: 'black', list: [1, 2] })
    }
    const [x, z] = [states(), states()]
    let asked = 0
    const isThere = (): boolean => asked++ > 0
    const { send, switching } = await serveShop(way, {
      legacy: (app) => {
        app.get('/x', (_req, res) => void res.json({ ...x(), id: anyNoise() }))
        app.get('/y', (_req, res) => void (isThere() ? res.json({ stock: 1 }) : res.sendStatus(404)))
        app.get('/z', (_req, res) => void res.json({ ...z() }))
      },
      native: () => [
        new Controller('GET', '/x', (_req, res) => res.json({ ...x(), id: anyNoise() })),
        new Controller('GET', '/y', (_req, res) =>
          isThere() ? res.json({ stock: 1 }) : res.status(404).send('Not Found'),
        ),
        new Controller('GET', '/z', (_req, res) => res.json({ ...z(), title: 'wrong' })),
      ],
      shadow: { ignoreHeaders },
    })
    await switching.set('*', 'shadow', why)
    const routes = () => switching.status().routes
    for (const path of ['/x', '/y', '/z']) await send(path)
    await until(() => routes().every(({ shadow }) => shadow.compared + shadow.dropped === 1))
    expect(routes().map(({ differences }) => differences.map(without))).toEqual([[], [], []])
    expect(routes().map(({ shadow }) => shadow.compared)).toEqual([1, 0, 1])
    expect(switching.status().shadow.dropped.changed).toBe(1)
    // The places that a write has changed are compared the next time.
    expect(routes().map(({ shadow }) => shadow.noise)).toEqual([[], [], []])
    await send('/z')
    await until(() => routes()[2]!.shadow.compared === 2)
    expect(routes()[2]!.differences.map(without)).toEqual([['body', '$.title', '"black"', '"wrong"']])
  })

  it('asks legacy about what a Controller has answered under canary', async () => {
    const shop = shopOf(
      () => ({ by: 'legacy' }),
      () => ({ by: 'native' }),
    )
    const { send, switching } = await serveShop(way, { ...shop, shadow: { ignoreHeaders } })
    await switching.set('GET /x/:id', 'canary 100%', why)
    expect((await send('/x/1')).json()).toEqual({ by: 'native' })
    const route = () => switching.status().routes[0]!
    await until(() => route().shadow.compared === 1)
    expect(route().differences.map(without)).toEqual([['body', '$.by', '"legacy"', '"native"']])
  })

  it('compares one in a hundred answers of legacy under canary once they are alike, and each after a difference', async () => {
    let native = { a: 1 }
    const shop = shopOf(
      () => ({ a: 1 }),
      () => native,
    )
    const { send, switching } = await serveShop(way, {
      ...shop,
      shadow: { ignoreHeaders, ...anyLoad },
      rollback: { window: 10, differenceRate: 1 },
    })
    await switching.set('GET /x/:id', 'canary 0%', why)
    const known = () => switching.status().routes[0]!.shadow.compared
    const random = jest.spyOn(Math, 'random')
    const compared = async (requests: number, more: number): Promise<void> => {
      const before = known()
      for (let at = 0; at < requests; at++) await send('/x/7')
      await until(() => known() === before + more && switching.status().shadow.waiting === 0)
    }
    try {
      random.mockReturnValue(0.5)
      await compared(10, 10)
      await compared(20, 0)
      native = { a: 2 }
      random.mockReturnValue(0.001)
      await compared(1, 1)
      random.mockReturnValue(0.5)
      await compared(3, 3)
    } finally {
      random.mockRestore()
    }
  })

  it('compares ten answers of legacy a second at most under canary once they are alike', async () => {
    let now = 0
    // It stands still: no second ends on the way.
    const clock = Object.assign(new TestClock(), { monotonic: () => now })
    const { send, switching } = await serveShop(way, {
      ...shopOf(
        () => ({ a: 1 }),
        () => ({ a: 1 }),
      ),
      shadow: { ignoreHeaders, ...anyLoad },
      rollback: { window: 10, differenceRate: 1 },
      clock,
    })
    await switching.set('GET /x/:id', 'canary 0%', why)
    const known = () => switching.status().routes[0]!.shadow.compared
    const compared = async (requests: number, all: number): Promise<void> => {
      for (let at = 0; at < requests; at++) await send('/x/7')
      await until(() => known() === all && switching.status().shadow.waiting === 0)
    }
    await compared(10, 10)
    const random = jest.spyOn(Math, 'random').mockReturnValue(0.001)
    try {
      await compared(15, 20)
      now += 1000
      await compared(15, 30)
      // Those of the Controller are compared all the same.
      await switching.set('GET /x/:id', 'canary 100%', why)
      await compared(15, 45)
    } finally {
      random.mockRestore()
    }
  })

  it('tells nothing of what was written between the two answers under canary, and counts it', async () => {
    let asked = 0
    const answer = (): object => ({ title: asked++ === 0 ? 'green' : 'black' })
    const { send, switching } = await serveShop(way, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.json(answer())),
      native: () => [new Controller('GET', '/x', (_req, res) => res.json(answer()))],
      shadow: { ignoreHeaders },
    })
    await switching.set('*', 'canary 100%', why)
    await send('/x')
    await until(() => switching.status().shadow.dropped.changed === 1)
    expect(switching.status().routes[0]!.differences).toEqual([])
  })

  it('takes no answer for alike that its client alone gets, and says so once', async () => {
    const used = new Set<unknown>()
    const works = (token: unknown): boolean =>
      token === 'any' || (!used.has(token) && Boolean(used.add(token)))
    const { send, switching, logged } = await serveShop(way, {
      legacy: (app) =>
        void app.get('/x', (req, res) =>
          works(req.query['token']) ? res.json({ role: 'user' }) : res.status(403).json({}),
        ),
      native: () => [
        new Controller('GET', '/x', (req, res) =>
          works(req.query['token']) ? res.json({ role: 'user' }) : res.status(403).json({}),
        ),
      ],
      shadow: { ignoreHeaders },
      rollback: false,
    })
    const [shadow, lines] = [
      () => switching.status().routes[0]!.shadow,
      () => logged.filter((line) => line.includes('10 answers of GET /x in a row')),
    ]
    let sent = 0
    const ask = async (token: number | 'any'): Promise<void> => {
      expect((await send(`/x?token=${token}`)).json()).toEqual({ role: 'user' })
      sent++
      await until(() => shadow().compared + shadow().dropped === sent)
    }
    const drop = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at++) await ask(sent)
    }
    await switching.set('*', 'shadow', why)
    await drop(9)
    await ask('any')
    await drop(9)
    expect(lines()).toEqual([])
    await drop(1)
    await switching.set('*', 'canary 100%', why)
    await drop(11)
    expect(lines()).toEqual([
      expect.stringMatching(/^warn .* legacy answers a copy in another way than its client/),
    ])
    expect(shadow()).toMatchObject({ compared: 1, different: 0, noise: [] })
    expect(switching.status().shadow.dropped.changed).toBe(30)
  })

  it('asks nobody twice for what writes, unless the route is named, and then with its body', async () => {
    const post = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tea: 'x'.repeat(20_000) }),
    }
    const safe = shopOf(Object, Object)
    const one = await serveShop(way, safe)
    await one.switching.set('*', 'shadow', why)
    expect((await one.send('/x', post)).json().got.tea).toHaveLength(20_000)
    await one.send('/x/1')
    await until(() => one.switching.status().routes[0]!.shadow.compared === 1)
    expect(safe.asked.native.map(({ url }) => url)).toEqual(['/x/1'])

    const unsafe = shopOf(Object, Object)
    const two = await serveShop(way, { ...unsafe, shadow: { unsafe: ['POST /x'], ignoreHeaders } })
    await two.switching.set('*', 'shadow', why)
    expect((await two.send('/x', post)).json().got.tea).toHaveLength(20_000)
    const route = () => two.switching.status().routes[1]!
    await until(() => route().shadow.compared === 1)
    expect((unsafe.asked.native[0]!.body as { tea: string }).tea).toHaveLength(20_000)
    // In chunks, without its length.
    await two.send('/x', { ...post, body: '{"tea":"y"}', chunked: true })
    await until(() => route().shadow.compared === 2)
    expect(unsafe.asked.native[1]!.body).toEqual({ tea: 'y' })
    // Legacy is not asked again: it would write twice.
    expect(unsafe.asked.legacy).toHaveLength(2)

    const both = shopOf(Object, Object)
    const three = await serveShop(way, { ...both, shadow: { unsafe: ['POST /x'], exclude: ['POST /x'] } })
    await three.switching.set('*', 'shadow', why)
    await three.send('/x', post)
    await three.send('/x/1')
    await until(() => three.switching.status().routes[0]!.shadow.compared === 1)
    expect(both.asked.native.map(({ url }) => url)).toEqual(['/x/1'])
    expect(route().differences.map(without)).toEqual([['body', '$.more', undefined, '1']])
  })

  it('copies no request of a method that may write, whatever it is, and one of HEAD', async () => {
    const asked: string[] = []
    const { send, switching } = await serveShop(way, {
      legacy: (app) => void app.all('/x', (_req, res) => void res.send('legacy')),
      native: () => [
        new Controller('*', '/x', (req) => {
          asked.push(req.method)
          return 'native'
        }),
      ],
      shadow: { ignoreHeaders },
    })
    await switching.set('*', 'shadow', why)
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST', 'QUERY', 'HEAD']) await send('/x', { method })
    await until(() => switching.status().routes[0]!.shadow.compared === 1)
    expect(asked).toEqual(['HEAD'])
  })

  it('stores no secret of a header or of a text in JSON, and no name of any length', async () => {
    const long = 'x'.repeat(5000)
    const make = (side: string): object => ({ link: `${side} https://x/?token=sesame&page=1`, [long]: side })
    const { send, switching } = await serveShop(way, {
      legacy: (app) =>
        void app.get(
          '/x',
          (_req, res) => void res.set('x-next', '/cb?token=sesame&page=1').json(make('one')),
        ),
      native: () => [
        new Controller('GET', '/x', (_req, res) =>
          res.header('x-next', '/cb?token=sesame&page=2').json(make('two')),
        ),
      ],
      shadow: { ignoreHeaders },
    })
    await switching.set('*', 'shadow', why)
    await send('/x')
    const route = () => switching.status().routes[0]!
    await until(() => route().shadow.compared === 1)
    const link = 'https://x/?token=[redacted]&page=1'
    expect(route().differences.map(without)).toEqual([
      ['header', 'x-next', expect.stringContaining('page=1'), expect.stringContaining('page=2')],
      ['body', '$.link', `"one ${link}"`, `"two ${link}"`],
      ['body', `$.${'x'.repeat(60)}...`, '"one"', '"two"'],
    ])
    expect(JSON.stringify(switching.status())).not.toContain('sesame')
  })

  it('compares what only looks as if something had been left out of it', async () => {
    const shop = shopOf(
      () => ({ note: '[redacted] one' }),
      () => ({ note: '[redacted] two' }),
    )
    const { send, switching } = await serveShop(way, { ...shop, shadow: { ignoreHeaders } })
    await switching.set('GET /x/:id', 'shadow', why)
    await send('/x/7')
    const route = () => switching.status().routes[0]!
    await until(() => route().shadow.compared === 1)
    expect(route().differences.map(without)).toEqual([
      ['body', '$.note', '"[redacted] one"', '"[redacted] two"'],
    ])
  })

  it('shows spaces where the answers differ in nothing else', async () => {
    const { send, switching } = await serveShop(way, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.type('text').send('not found')),
      native: () => [new Controller('GET', '/x', (_req, res) => res.text('not found \n'))],
      shadow: { ignoreHeaders },
    })
    await switching.set('*', 'shadow', why)
    await send('/x')
    await until(() => switching.status().routes[0]!.shadow.compared === 1)
    const [difference] = switching.status().routes[0]!.differences
    expect(difference).toMatchObject({ what: 'body', legacy: '"not found"', native: '"not found \\n"' })
  })

  it('leaves out what is excluded', async () => {
    const shop = shopOf(Object, Object)
    const { send, switching } = await serveShop(way, { ...shop, shadow: { exclude: ['GET /x/:id'] } })
    await switching.set('*', 'shadow', why)
    await send('/x/1')
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(shop.asked.native).toEqual([])
  })
})

describe('shadow', () => {
  afterEach(closeShops)

  it('runs where the globals are not those of Node, as with jsdom and Jest 26', () => {
    jest.replaceProperty(globalThis, 'performance', { now: () => 1 } as typeof performance)
    jest.spyOn(globalThis, 'setTimeout').mockReturnValue(1 as never)
    jest.spyOn(globalThis, 'setInterval').mockReturnValue(1 as never)
    try {
      const switching = migration({ app: express(), initial: 'shadow', logger: silent })
      expect(switching.status().routes).toEqual([])
    } finally {
      jest.restoreAllMocks()
    }
  })

  it('tells a user that sets a state in spite of differences, and not of a plan without rollbacks', async () => {
    const clock = new TestClock()
    const { send, switching, logged } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.json(1)),
      native: () => [new Controller('GET', '/x', (_req, res) => res.json(2))],
      clock,
      stickyBy: (req) => String(req.headers['x-user']),
      rollback: false,
      plan: { steps: [50], minutes: 0, answers: 1 },
    })
    const route = () => switching.status().routes[0]!
    await switching.set('*', 'shadow', why)
    await send('/x')
    await until(() => route().shadow.compared === 1)
    await switching.set('GET /x', 'canary 50%', why)
    for (let asked = 0; asked < 1000 && route().state !== 'native'; asked++) {
      await send('/x', { headers: { 'x-user': `u${asked}` } })
      clock.advance(1000)
    }
    expect(route().state).toBe('native')
    expect(route().state).toBe('native')
    const told = logged.filter((line) => line.includes('of its last comparisons differed'))
    expect(told).toEqual([expect.stringContaining('GET /x is at canary 50% now')])
  })

  it.each([
    ['/x', []],
    ['*', []],
    ['GET /x/', [`warn migration: shadow.exclude: "GET /x/" is no route (did you mean 'GET /x/:id'?)`]],
    ['/y', ['warn migration: shadow.exclude: "/y" is no route']],
  ])('leaves out all that the key %s is for, and warns of one that is for no route', async (key, lines) => {
    const shop = shopOf(Object, Object)
    const { send, switching, logged } = await serveShop(ways[0]!, { ...shop, shadow: { exclude: [key] } })
    await switching.set('*', 'shadow', why)
    await send('/x/1')
    await send('/x/2')
    if (lines.length > 0) await until(() => shop.asked.native.length === 2)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(shop.asked.native.length).toBe(lines.length > 0 ? 2 : 0)
    const warnings = logged.filter((line) => line.includes('shadow.exclude'))
    expect(warnings.map((line) => line.split(', so it leaves nothing out: name one as')[0])).toEqual(lines)
  })

  it('warns of a key of unsafe that is for no route, as one of a group, and of no other', async () => {
    const { send, logged } = await serveShop(ways[0]!, {
      ...shopOf(Object, Object),
      shadow: { unsafe: ['POST /x', '/x', 'post /x'] },
    })
    await send('/x/1')
    expect(logged.filter((line) => line.includes('shadow.unsafe'))).toEqual([
      `warn migration: shadow.unsafe: "/x" is no route, so it has nothing compared: name one as 'GET /users/:id'`,
      `warn migration: shadow.unsafe: "post /x" is no route (did you mean 'POST /x'?), so it has nothing compared: name one as 'GET /users/:id'`,
    ])
  })

  it('shows twenty differences of a route, unless it is told otherwise', async () => {
    const of = (req: { query: object }, value: number): object =>
      Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${JSON.stringify(req.query)} ${at}`, value]))
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/x', (req, res) => void res.json(of(req, 1))),
      native: () => [new Controller('GET', '/x', (req, res) => res.json(of(req, 2)))],
    })
    await switching.set('*', 'shadow', why)
    const route = () => switching.status().routes[0]!
    for (const at of [1, 2, 3]) {
      await send(`/x?${at}`)
      await until(() => route().shadow.compared === at)
    }
    expect(route().differences).toHaveLength(20)
  })

  it('makes no copy for events, also where none has come or HEAD asks', async () => {
    let copies = 0
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) =>
        void app
          .get('/events', (_req, res) => void res.type('text/event-stream').end())
          .get('/x', (_req, res) => void res.json(1)),
      native: () => [
        new Controller('GET', '/events', () => String(++copies)),
        new Controller('GET', '/x', (_req, res) => res.json(2)),
      ],
    })
    await switching.set('*', 'shadow', why)
    const methods = ['GET', 'HEAD']
    for (const method of methods) expect((await send('/events', { method })).status).toBe(200)
    await send('/x')
    const [events, x] = [0, 1].map((at) => () => switching.status().routes[at]!.shadow)
    await until(() => x!().compared === 1)
    expect([copies, events!().compared, events!().dropped]).toEqual([0, 0, 0])
    expect(switching.status().shadow).toMatchObject({ heldBytes: 0, waiting: 0 })
  })

  it('compares what is packed, whoever has packed it', async () => {
    for (const way of ways.filter(({ name }) => /in front of Express 5|inside Express 5$/.test(name))) {
      const big = { text: 'legacy '.repeat(1000) }
      const shop: Shop = {
        legacy: (app) => {
          if (!way.isInside) app.use(compression())
          app.get('/x', (_req, res) => void res.json(big))
        },
        upstream: (app) => void app.use(compression()),
        native: () => [new Controller('GET', '/x', (_req, res) => res.json({ text: big.text, more: 1 }))],
        shadow: { ignoreHeaders: ['etag', 'content-type', 'content-encoding', 'vary'] },
      }
      const { send, switching } = await serveShop(way, shop)
      await switching.set('*', 'shadow', why)
      const answer = await send('/x', { headers: { 'accept-encoding': 'gzip' } })
      expect(answer.headers['content-encoding']).toBe('gzip')
      const route = () => switching.status().routes[0]!
      await until(() => route().shadow.compared === 1)
      expect([way.name, ...route().differences.map(without)]).toEqual([
        way.name,
        ['body', '$.more', undefined, '1'],
      ])
    }
  })

  it('drops what is too large, what has no room, and what cannot be run; and gives the memory back', async () => {
    let goOn = (): void => {}
    const waiting = new Promise<void>((resolve) => (goOn = resolve))
    const shop: Shop = {
      legacy: (app) => {
        app.get('/large', (_req, res) => void res.send('x'.repeat(5000)))
        app.get('/slow', (_req, res) => void res.send('x'))
      },
      native: () => [
        new Controller('GET', '/large', () => 'x'),
        new Controller('GET', '/slow', async () => {
          await waiting
          return 'x'
        }),
      ],
      shadow: { maxBytes: 1000, queue: 2, concurrency: 1, timeoutMs: 5000 },
    }
    const { send, switching } = await serveShop(ways[0]!, shop)
    await switching.set('*', 'shadow', why)
    await send('/large')
    await until(() => switching.status().shadow.dropped.size === 1)
    await send('/slow')
    await until(() => switching.status().shadow.running === 1)
    for (let at = 0; at < 6; at++) await send('/slow')
    await until(() => switching.status().shadow.dropped.queue > 0)
    expect(switching.status().shadow).toMatchObject({ running: 1, waiting: 2 })
    goOn()
    await until(() => switching.status().shadow.running + switching.status().shadow.waiting === 0)
    expect(switching.status().shadow.heldBytes).toBe(0)
  })

  describe('holds no bytes', () => {
    /** Answers of legacy and of the Controller that wait until they are let go. */
    async function gated(shadow: object, clock?: TestClock) {
      const text = 'x'.repeat(1000)
      const gates = { legacy: [] as (() => void)[], native: [] as (() => void)[] }
      const pass = (side: keyof typeof gates) => new Promise<void>((resolve) => gates[side].push(resolve))
      const served = await serveShop(ways[0]!, {
        legacy: (app) => {
          app.get('/x', (_req, res) => void pass('legacy').then(() => res.send(text)))
          app.post('/x', json(), (_req, res) => void res.send('x'.repeat(5000)))
        },
        native: () => [
          new Controller('GET', '/x', () => pass('native').then(() => text)),
          new Controller('POST', '/x', () => text),
        ],
        shadow: { ignoreHeaders: ['etag', 'content-type', 'x-powered-by'], ...shadow },
        ...(clock && { clock }),
      })
      await served.switching.set('*', 'shadow', why)
      const open = (side: keyof typeof gates): void => gates[side].splice(0).forEach((go) => go())
      const status = () => served.switching.status().shadow
      /** So many clients at once get the answer of legacy. */
      const visit = async (count: number): Promise<void> => {
        const answers = Array.from({ length: count }, () => served.send('/x'))
        await until(() => gates.legacy.length === count)
        open('legacy')
        await Promise.all(answers)
        await until(() => gates.native.length > 0 || status().running + status().waiting === 0)
      }
      const rest = async (): Promise<void> => {
        await until(() => {
          open('native')
          open('legacy')
          return status().running + status().waiting === 0
        })
      }
      return { ...served, status, visit, rest, gates }
    }

    it('of answers that come while the queue is full', async () => {
      const { status, visit, rest } = await gated({ queue: 1, concurrency: 1 })
      await visit(6)
      await until(() => status().dropped.queue >= 4)
      expect(status().heldBytes).toBe(1000 * (status().running + status().waiting))
      await rest()
      expect(status().heldBytes).toBe(0)
    })

    it('beyond those that it may, whoever comes', async () => {
      const { status, visit, rest } = await gated({ maxHeldBytes: 2500, concurrency: 1 })
      await visit(6)
      await until(() => status().dropped.size === 4)
      expect(status()).toMatchObject({ running: 1, waiting: 1, heldBytes: 2000 })
      await rest()
      await visit(1)
      expect(status()).toMatchObject({ heldBytes: 1000, dropped: { size: 4 } })
      await rest()
      expect(status().heldBytes).toBe(0)
    })

    it('of what is dropped because the process is busy', async () => {
      /** Each look at it is a second later. */
      class LateClock extends TestClock {
        #looks = 0
        override monotonic(): number {
          return super.monotonic() + 1000 * this.#looks++
        }
      }
      const { status, visit } = await gated({ maxDelayMs: 100 }, new LateClock())
      await visit(2)
      await until(() => status().dropped.load === 2)
      expect(status().heldBytes).toBe(0)
    })

    it('of a request whose answer is too large', async () => {
      const { send, status } = await gated({ maxBytes: 2000, unsafe: ['POST /x'] })
      const headers = { 'content-type': 'application/json' }
      await send('/x', { method: 'POST', headers, body: JSON.stringify({ text: 'x'.repeat(1000) }) })
      await until(() => status().dropped.size === 1)
      expect(status().heldBytes).toBe(0)
    })

    it('once it is closed', async () => {
      const { status, visit, switching, gates } = await gated({ concurrency: 1 })
      await visit(4)
      expect(status()).toMatchObject({ running: 1, waiting: 3 })
      const closing = switching.close()
      for (const go of gates.native.splice(0)) go()
      await closing
      expect(status()).toMatchObject({ running: 0, waiting: 0, heldBytes: 0 })
    })
  })

  it('says what helps as soon as it is known, also of what was found beside another status', async () => {
    let status = 404
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.set('x-frame-options', 'DENY').send('x')),
      native: () => [new Controller('GET', '/x', (_req, res) => res.status(status).text('x'))],
    })
    await switching.set('*', 'shadow', why)
    const route = () => switching.status().routes[0]!
    const helps = () => route().differences.find(({ name }) => name === 'x-frame-options')!.remedy
    await send('/x')
    await until(() => route().shadow.compared === 1)
    expect(helps()).toBeUndefined()
    status = 200
    await send('/x')
    await until(() => route().shadow.compared === 2)
    expect(helps()).toContain('helmet')
  })

  it('asks with a body in chunks as one with a length, and compares texts of any encoding', async () => {
    const seen: unknown[] = []
    const { port, switching } = await serveShop(ways[0]!, {
      legacy: (app) => void app.post('/x', text(), (_req, res) => void res.end('dGVh', 'base64')),
      native: () => [
        new Controller('POST', '/x', async (req, res) => {
          seen.push([req.headers['transfer-encoding'], req.headers['content-length'], await req.text()])
          return res.send(Buffer.from('tea'))
        }),
      ],
      shadow: { unsafe: ['POST /x'], ignoreHeaders: ['etag', 'content-type', 'x-powered-by'] },
    })
    await switching.set('*', 'shadow', why)
    const sending = request({ port, path: '/x', method: 'POST', headers: { 'content-type': 'text/plain' } })
    sending.write('one ')
    setImmediate(() => sending.end('two'))
    const [answered] = (await once(sending, 'response')) as [IncomingMessage]
    answered.resume()
    const route = () => switching.status().routes[0]!
    await until(() => route().shadow.compared === 1)
    expect(seen).toEqual([[undefined, '7', 'one two']])
    expect(route().differences).toEqual([])
  })

  it('tells nothing of what is compared once it is being closed', async () => {
    let answer = (): void => {}
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.send('legacy')),
      native: () => [
        new Controller('GET', '/x', async () => {
          await new Promise<void>((resolve) => (answer = resolve))
          return 'native'
        }),
      ],
    })
    const told: OpenDifference[] = []
    switching.on('difference', (one) => told.push(one))
    await switching.set('*', 'shadow', why)
    await send('/x')
    await until(() => switching.status().shadow.running === 1)
    const closing = switching.close()
    answer()
    await closing
    expect([told, switching.status().routes[0]!.shadow.compared]).toEqual([[], 0])
  })

  it('tells nothing of a copy that is not answered once it is being closed', async () => {
    let closing: Promise<void> | undefined
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.send('legacy')),
      native: () => [
        new Controller('GET', '/x', () => {
          closing = switching.close()
          return new Promise<string>(() => {})
        }),
      ],
      shadow: { timeoutMs: 20 },
    })
    const told: OpenDifference[] = []
    switching.on('difference', (one) => told.push(one))
    await switching.set('*', 'shadow', why)
    await send('/x')
    await until(() => closing !== undefined)
    await closing
    expect([told, switching.status().routes[0]!.shadow.compared]).toEqual([[], 0])
  })

  it('asks the other side for no more requests than the share that it was given', async () => {
    const chance = jest.spyOn(Math, 'random')
    try {
      const shop = shopOf(Object, Object)
      const { send, switching } = await serveShop(ways[0]!, {
        ...shop,
        shadow: { sample: 0.3, ignoreHeaders },
      })
      await switching.set('*', 'shadow', why)
      for (const [at, next] of [0.9, 0.3, 0.29, 0, 0.5].entries()) {
        chance.mockReturnValue(next)
        await send(`/x/${at}`)
      }
      await until(() => switching.status().routes[0]!.shadow.compared === 2)
      expect(shop.asked.native.map(({ url }) => url)).toEqual(['/x/2', '/x/3'])
    } finally {
      chance.mockRestore()
    }
  })

  it('makes no route that writes again because another one may be', async () => {
    const asked: string[] = []
    const paths = ['/search', '/orders']
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) => {
        for (const path of paths) app.post(path, (_req, res) => void res.send('x'))
      },
      native: () =>
        paths.map(
          (path) =>
            new Controller('POST', path, () => {
              asked.push(path)
              return 'x'
            }),
        ),
      shadow: { unsafe: ['POST /search'] },
    })
    await switching.set('*', 'shadow', why)
    await send('/orders', { method: 'POST' })
    await send('/search', { method: 'POST' })
    await until(() => switching.status().routes[0]!.shadow.compared === 1)
    expect(asked).toEqual(['/search'])
    expect(switching.status().routes[1]!.shadow).toMatchObject({ compared: 0, dropped: 0 })
  })

  it('counts each difference, keeps as many as it may, and forgets those of the routes that are named', async () => {
    const { send, switching, logged } = await serveShop(ways[0]!, {
      legacy: (app) => {
        app.get('/a', (_req, res) => void res.set('x-trace', '1').json({ one: 1, two: 2, three: 3 }))
        app.get('/b', (_req, res) => void res.status(200).json({}))
      },
      native: () => [
        new Controller('GET', '/a', (_req, res) =>
          res.header('x-trace', 'a').json({ one: 2, two: 3, three: 4 }),
        ),
        new Controller('GET', '/b', (req, res) => res.status(Number(req.query['status'])).json({})),
      ],
      shadow: { maxDifferences: 2, ignoreHeaders: ['ETag', 'Content-Type', 'X-Trace'] },
    })
    await switching.set('*', 'shadow', why)
    const [a, b] = [0, 1].map((at) => () => switching.status().routes[at]!)
    const targets = ['/a', '/a?token=sesame', '/a', '/b?status=201', '/b?status=202']
    for (const [at, target] of targets.entries()) {
      await send(target)
      await until(() => a!().shadow.compared + b!().shadow.compared === at + 1)
    }
    expect(a!().differences.map(({ name, count }) => [name, count])).toEqual([
      ['$.one', 3],
      ['$.two', 3],
    ])
    expect(b!().differences.map(({ what, native, count }) => [what, native, count])).toEqual([
      ['status', '201', 1],
      ['status', '202', 1],
    ])
    switching.forgetDifferences('GET /a')
    expect([a!().differences, a!().shadow.differenceRate]).toEqual([[], 0])
    expect([b!().differences.length, b!().shadow.differenceRate]).toEqual([2, 1])
    // It is no other one because of a change of the state, and a change in spite of it is told.
    await switching.set('GET /b', 'legacy', why)
    expect(logged.at(-1)).toBe('info migration: GET /b is at legacy now, by test: a test')
    await switching.set('GET /b', 'native', why)
    expect(b!().shadow.differenceRate).toBe(1)
    expect(logged.at(-1)).toBe(
      'warn migration: GET /b is at native now, though 100% of its last comparisons differed: status() and the page show the differences',
    )
    await switching.set('GET /a', 'native', why)
    expect(logged.at(-1)).toBe('info migration: GET /a is at native now, by test: a test')
    await switching.set('*', 'shadow', why)
    await send('/a?token=sesame')
    await until(() => a!().differences.length === 2)
    expect(a!().differences.map(({ target }) => target)).toEqual([
      '/a?token=[redacted]',
      '/a?token=[redacted]',
    ])
    switching.forgetDifferences('/b')
    expect([a!().differences.length, b!().differences.length]).toEqual([2, 0])
    switching.forgetDifferences()
    expect(a!().differences).toEqual([])
  })

  it('compares of a share of requests the same share of those that are alike under canary', async () => {
    const shop = shopOf(
      () => ({ a: 1 }),
      () => ({ a: 1 }),
    )
    const { send, switching } = await serveShop(ways[0]!, {
      ...shop,
      shadow: { ignoreHeaders, ...anyLoad, share: 0.5 },
      rollback: { window: 10, differenceRate: 1 },
    })
    await switching.set('GET /x/:id', 'canary 0%', why)
    const known = () => switching.status().routes[0]!.shadow.compared
    const random = jest.spyOn(Math, 'random')
    const compared = async (chance: number, requests: number, all: number): Promise<void> => {
      random.mockReturnValue(chance)
      for (let at = 0; at < requests; at++) await send('/x/7')
      await until(() => known() === all && switching.status().shadow.waiting === 0)
    }
    try {
      await compared(0.5, 2, 0)
      await compared(0.49, 10, 10)
      await compared(0.005, 2, 10)
      await compared(0.0049, 2, 12)
    } finally {
      random.mockRestore()
    }
  })

  it('compares HEAD', async () => {
    const shop = shopOf(Object, Object)
    const { send, switching } = await serveShop(ways[0]!, { ...shop, shadow: { ignoreHeaders } })
    await switching.set('*', 'shadow', why)
    await send('/x/1', { method: 'HEAD' })
    await until(() => switching.status().routes[0]!.shadow.compared === 1)
    expect(switching.status().routes[0]!.differences).toEqual([])
  })

  it('asks legacy again by HEAD, too: what it says in another way is noise', async () => {
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.set('x-id', anyNoise()).json(1)),
      native: () => [new Controller('GET', '/x', (req, res) => res.header('x-id', anyNoise()).json(1))],
      shadow: { ignoreHeaders },
    })
    await switching.set('*', 'shadow', why)
    for (const count of [1, 2]) {
      await send('/x', { method: 'HEAD' })
      await until(() => switching.status().routes[0]!.shadow.compared === count)
    }
    const [route] = switching.status().routes
    expect([route!.differences, route!.shadow.noise]).toEqual([[], ['x-id']])
  })

  it('asks with the headers of the client, whatever a copy has made of its own', async () => {
    const asked: unknown[] = []
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) =>
        void app.get('/x', (req, res) => {
          asked.push(req.headers['x-mine'])
          res.json(1)
        }),
      native: () => [
        new Controller(
          'GET',
          '/x',
          fromExpress((req, res) => {
            req.headers['x-mine'] = 'written'
            res.json(2)
          }),
        ),
      ],
      shadow: { ignoreHeaders },
    })
    await switching.set('*', 'shadow', why)
    await send('/x', { headers: { 'x-mine': 'sent' } })
    await until(() => switching.status().routes[0]!.shadow.compared === 1)
    expect(asked).toEqual(['sent', 'sent'])
  })

  it('compares nothing when a client goes away', async () => {
    const shop: Shop = {
      legacy: (app) => {
        app.get('/x', (_req, res) => {
          res.write('begun')
        })
      },
      native: () => [new Controller('GET', '/x', () => 'x')],
    }
    const { port, switching } = await serveShop(ways[0]!, shop)
    await switching.set('*', 'shadow', why)
    const outgoing = request({ port, path: '/x', host: '127.0.0.1' })
    outgoing.on('error', () => {})
    outgoing.on('response', (incoming) => {
      incoming.on('error', () => {})
      incoming.once('data', () => outgoing.destroy())
    })
    outgoing.end()
    const route = () => switching.status().routes[0]!
    await until(() => route().legacy.aborted === 1)
    expect(route().shadow).toMatchObject({ compared: 0, dropped: 1 })
    expect(switching.status().shadow.heldBytes).toBe(0)
  })

  it('says so when the Controller cannot be reached by a copy', async () => {
    // The app that has middleware() is another one.
    const legacy = express().get('/x', (_req, res) => void res.send('x'))
    const routeControllers = new RouteControllers([new Controller('GET', '/x', () => 'y')])
    const switching = migration({ legacy, routeControllers, shadow: anyLoad, logger: silent })
    const app = express()
    app.use(switching.middleware())
    app.get('/x', (_req, res) => void res.send('x'))
    const { port, close } = await listenOn(app)
    await switching.set('*', 'shadow', why)
    await sendTo(port)('/x')
    await until(() => switching.status().shadow.dropped.failed === 1)
    await close()
    await switching.close()
  })

  it('shows a copy the connection that the request has come by, certificate of the client and all', async () => {
    interface Seen {
      socket: TLSSocket & { encrypted: true }
    }
    const tell = ({ socket }: Seen): object => ({
      isKnown: socket.authorized,
      certificate: socket.getPeerCertificate().serialNumber,
      from: [socket.remoteAddress, socket.remotePort, socket.remoteFamily],
      to: [socket.localAddress, socket.localPort, socket.address()],
      protocol: [socket.getProtocol(), socket.getCipher().name],
    })
    const app = express().disable('etag')
    app.get('/x', (req, res) => void res.json(tell(req as never)))
    const native = fromExpress((req, res) => res.json(tell(req as never)))
    const switching = migration({
      legacy: app,
      routeControllers: new RouteControllers([new Controller('GET', '/x', native)]),
      initial: 'shadow',
      shadow: { ...anyLoad, ignoreHeaders: ['etag'] },
    })
    const tls = { key, cert, ca: cert, requestCert: true }
    const server = createTlsServer(tls, switching.listener()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const outgoing = requestByTls({ port, host: '127.0.0.1', path: '/x', ...tls, agent: false }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    const answer = JSON.parse(Buffer.concat(await incoming.toArray()).toString()) as { isKnown: boolean }
    expect(answer).toMatchObject({ isKnown: true, from: ['127.0.0.1', expect.any(Number), 'IPv4'] })
    await until(() => switching.status().routes[0]!.shadow.compared === 1)
    expect(switching.status().routes[0]!.differences).toEqual([])
    server.close()
    await switching.close()
  })

  it('leaves upgrades to the server', async () => {
    const switching = migration({
      legacy: (_req, res) => void res.end('legacy'),
      routeControllers: new RouteControllers([new Controller('GET', '/x', () => 'y')]),
    })
    const server = createServer((req, res) => switching.serverOptions.fallback(req, res))
    server.on('upgrade', (_req, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tea\r\n\r\n')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const status = await new Promise((resolve) => {
      const outgoing = request({ port, path: '/x', headers: { connection: 'upgrade', upgrade: 'tea' } })
      outgoing.on('upgrade', (incoming, socket) => {
        socket.destroy()
        resolve(incoming.statusCode)
      })
      outgoing.end()
    })
    expect(status).toBe(101)
    server.close()
    await switching.close()
  })
})
