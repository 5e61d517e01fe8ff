// A copy of a request has the session of a client that may have asked for more since.
import cookieSession from 'cookie-session'
import type { Request, RequestHandler, Response } from 'express'
import session, { MemoryStore, type SessionData, type SessionOptions, Store } from 'express-session'
import type { IncomingMessage } from 'node:http'
import { Controller } from 'routecontrollers'
import { fromConnect } from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { keepSession } from '../../../packages/switch/src/shadow/copy-session.js'
import { describeWays, serveShop, type Shop, until, type Way } from './shop.js'

const why = { reason: 'a test', by: 'test' }

type Visit = session.Session & { visits?: number; cart?: string[]; by?: string }
type WithSession = Omit<Request, 'session'> & { session: Visit }

/** Notes what is written to a store, and for whom. */
class NotingStore extends MemoryStore {
  readonly written: string[] = []
  override set(id: string, data: SessionData, done?: (error?: unknown) => void): void {
    this.written.push('set')
    super.set(id, data, done)
  }
  override touch(id: string, data: SessionData, done?: () => void): void {
    this.written.push('touch')
    super.touch(id, data, done)
  }
  override destroy(id: string, done?: (error?: unknown) => void): void {
    this.written.push('destroy')
    super.destroy(id, done)
  }
  override clear(done?: (error?: unknown) => void): void {
    this.written.push('clear')
    super.clear(done)
  }
}

const call = (object: Record<string, unknown>, name: string): unknown => (object[name] as () => unknown)()

it.each(['save', 'touch', 'destroy', 'regenerate', 'commit'])(
  'a copy writes no session that has no store, by its method %s',
  async (name) => {
    let written = 0
    const session: Record<string, unknown> = { user: 'mia', [name]: () => void written++, read: () => 'read' }
    const copy = {} as IncomingMessage & { session?: Record<string, unknown> }
    keepSession(copy)
    copy.session = session
    await call(copy.session, name)
    expect([written, copy.session['user'], call(copy.session, 'read')]).toEqual([0, 'mia', 'read'])
  },
)

it.each([false, true])(
  'a copy writes nothing to its store, and is told that it is done, also where that is frozen: %p',
  async (isFrozen) => {
    const store = new NotingStore()
    if (isFrozen) Object.freeze(store)
    const copy = {} as IncomingMessage & { sessionStore?: object }
    keepSession(copy)
    copy.sessionStore = store
    const given = copy.sessionStore as Record<string, (...all: unknown[]) => unknown>
    for (const name of ['set', 'touch', 'destroy']) {
      await new Promise((resolve) => given[name]!('id', { cookie: {} }, resolve))
    }
    await new Promise((resolve) => given['clear']!(resolve))
    expect(store.written).toEqual([])
    // What reads goes to the store.
    store.set('id', { cookie: {} } as SessionData)
    expect(
      await new Promise((resolve) => given['length']!((_error: unknown, count: number) => resolve(count))),
    ).toBe(1)
  },
)

it('a store has its touch replaced once, for however many copies', () => {
  const store = new NotingStore()
  const touch = (): unknown => Reflect.get(store, 'touch')
  const own = touch()
  const seen = [1, 2, 3].map(() => {
    const copy = {} as IncomingMessage & { sessionStore?: unknown }
    keepSession(copy)
    copy.sessionStore = store
    return touch()
  })
  expect([seen[0] === own, new Set(seen).size]).toEqual([false, 1])
})

/** Another store: its members are private, and its methods answer later. */
class PrivateStore extends Store {
  readonly #sessions = new Map<string, string>()
  readonly written: string[] = []
  override get(id: string, done: (error: unknown, data?: SessionData | null) => void): void {
    const text = this.#sessions.get(id)
    setTimeout(() => done(null, text === undefined ? null : (JSON.parse(text) as SessionData)), 2)
  }
  override set(id: string, data: SessionData, done?: (error?: unknown) => void): void {
    this.written.push('set')
    this.#sessions.set(id, JSON.stringify(data))
    setTimeout(() => done?.(), 2)
  }
  override destroy(id: string, done?: (error?: unknown) => void): void {
    this.written.push('destroy')
    this.#sessions.delete(id)
    setTimeout(() => done?.(), 2)
  }
}

type Handler = (req: WithSession, res: Response) => void

/** One page with a session, on both sides. The copy is slow: what the client does meanwhile is newer. */
function shopOf(way: Way, middleware: RequestHandler, page: Handler): Shop {
  const handler = page as unknown as RequestHandler
  const slow: Handler = (req, res) => {
    if ((req as { isShadow?: boolean }).isShadow === true) setTimeout(() => page(req, res), 40)
    else page(req, res)
  }
  const isOwn = way.isInside
  const controller = new Controller('GET', '/page', fromExpress(slow as unknown as RequestHandler))
  return {
    upstream: (app) => void app.use(middleware),
    legacy: (app) => {
      app.get('/page', handler)
      app.post('/cart', (req, res) => {
        const { session } = req as unknown as WithSession
        ;(session.cart ??= []).push('tea')
        res.json(session.cart)
      })
      app.get('/cart', (req, res) => void res.json((req as unknown as WithSession).session.cart ?? []))
    },
    native: () => [isOwn ? controller : controller.use(fromConnect(middleware as never))],
    shadow: { ignoreHeaders: ['etag', 'content-type', 'vary'] },
  }
}

const optionsOf = (store: Store, more: Partial<SessionOptions> = {}): SessionOptions => ({
  secret: 's',
  resave: false,
  saveUninitialized: true,
  store,
  ...more,
})

describeWays('a session under shadow', (way) => {
  const pageOf =
    (change: (req: WithSession, done: () => void) => void): Handler =>
    (req, res) =>
      change(req, () => void res.json({ visits: 1 }))

  const visit: Handler = pageOf((req, done) => {
    req.session.visits = (req.session.visits ?? 0) + 1
    done()
  })

  it.each([
    ['express-session', () => new NotingStore()],
    ['a store with private members', () => new PrivateStore()],
  ])('keeps what a client has put into it since: %s', async (_name, makeStore) => {
    const store = makeStore()
    const { send, switching } = await serveShop(way, shopOf(way, session(optionsOf(store)), visit))
    const first = await send('/page')
    await switching.set('*', 'shadow', why)
    const headers = { cookie: first.cookies[0]!.split(';')[0]! }
    await send('/page', { headers })
    // The copy has read its session, and has not ended.
    await until(() => switching.status().shadow.running === 1)
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await send('/cart', { method: 'POST', headers })).json()).toEqual(['tea'])
    const route = () => switching.status().routes[0]!
    await until(() => route().shadow.compared + route().shadow.dropped === 1)
    expect(route().shadow).toMatchObject({ compared: 1, different: 0 })
    expect((await send('/cart', { headers })).json()).toEqual(['tea'])
  })

  const cases: readonly [string, Partial<SessionOptions>, Handler, readonly string[], dropped?: number][] = [
    ['saves by itself', { resave: true }, visit, ['set']],
    ['touches', { resave: false }, pageOf((_req, done) => done()), ['touch']],
    ['is rolling', { rolling: true, cookie: { maxAge: 60_000 } }, pageOf((_req, done) => done()), ['touch']],
    [
      'is saved by the handler',
      {},
      pageOf((req, done) => {
        req.session.by = 'handler'
        req.session.save(done)
      }),
      ['set', 'touch'],
    ],
    ['is made anew', {}, pageOf((req, done) => req.session.regenerate(done)), ['destroy', 'set']],
    ['is destroyed', {}, pageOf((req, done) => void req.session.destroy(done)), ['destroy']],
    [
      'is taken away',
      { unset: 'destroy' },
      pageOf((req, done) => {
        ;(req as { session: unknown }).session = null
        done()
      }),
      ['destroy'],
    ],
    [
      'is written by its store',
      {},
      pageOf((req, done) => req.sessionStore.set(req.sessionID, req.session as never, done)),
      ['set', 'touch'],
    ],
    [
      'is lost with all others of its store',
      {},
      pageOf((req, done) => req.sessionStore.clear!(done)),
      ['clear', 'touch'],
      // What is gone cannot be lost again: both sides answer their copies in another way than the client.
      1,
    ],
  ]
  it.each(cases)(
    'is not written by a copy where it %s, and says the same',
    async (_name, more, page, expected, dropped = 0) => {
      const store = new NotingStore()
      const { send, switching } = await serveShop(way, shopOf(way, session(optionsOf(store, more)), page))
      const login = await send('/cart', { method: 'POST' })
      const headers = { cookie: login.cookies[0]!.split(';')[0]! }
      await switching.set('*', 'shadow', why)
      store.written.length = 0
      await send('/page', { headers })
      const route = () => switching.status().routes[0]!
      await until(() => route().shadow.compared + route().shadow.dropped === 1)
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(route().shadow).toMatchObject({ compared: 1 - dropped, different: 0, dropped })
      // Those of the client alone.
      expect(store.written).toEqual(expected)
    },
  )

  it('is not made by a copy of a request without one', async () => {
    const store = new NotingStore()
    const { send, switching } = await serveShop(way, shopOf(way, session(optionsOf(store)), visit))
    await switching.set('*', 'shadow', why)
    await send('/page')
    const route = () => switching.status().routes[0]!
    await until(() => route().shadow.compared + route().shadow.dropped === 1)
    expect(route().shadow).toMatchObject({ compared: 1, different: 0 })
    expect(store.written).toEqual(['set'])
  })

  it('of cookie-session goes to no client', async () => {
    const { send, switching } = await serveShop(way, shopOf(way, cookieSession({ secret: 's' }), visit))
    await switching.set('*', 'shadow', why)
    const answer = await send('/page')
    expect(answer.cookies.length).toBeGreaterThan(0)
    const route = () => switching.status().routes[0]!
    await until(() => route().shadow.compared + route().shadow.dropped === 1)
    expect(route().shadow).toMatchObject({ compared: 1, different: 0 })
  })
})

describe('the session of a copy', () => {
  interface Own {
    user: string
    save(done?: (error: unknown) => void): unknown
  }
  const copyWith = (session: object): IncomingMessage & { session: Own } => {
    const copy = {} as IncomingMessage & { session: Own }
    keepSession(copy)
    copy.session = session as never
    return copy
  }

  it('reads one of other middleware, and does not write it', async () => {
    const written: string[] = []
    class OwnSession {
      #user = 'Ada'
      get user(): string {
        return this.#user
      }
      name(): string {
        return this.#user
      }
      save(): void {
        written.push('save')
      }
      destroy(): void {
        written.push('destroy')
      }
    }
    const shared = new OwnSession()
    const { session } = copyWith(shared) as unknown as { session: OwnSession }
    expect([session.user, session.name(), session.constructor]).toEqual(['Ada', 'Ada', OwnSession])
    await (session.save() as unknown)
    await new Promise((resolve) => (session.destroy as (done: unknown) => void)(resolve))
    expect(written).toEqual([])
    // Other requests have the same object.
    shared.save()
    expect(written).toEqual(['save'])
  })

  it.each([[undefined], [null], ['text'], [Object.freeze({ user: 'Ada', save: () => 1 })]])(
    'may be %j',
    (one) => {
      expect(() => copyWith(one as never).session?.user).not.toThrow()
    },
  )

  it('may be defined by middleware itself, and removed', () => {
    const copy = copyWith({})
    Object.defineProperty(copy, 'session', { value: { user: 'Ada' }, configurable: true })
    expect(copy.session.user).toBe('Ada')
    delete (copy as { session?: unknown }).session
    expect(copy.session).toBeUndefined()
  })
})
