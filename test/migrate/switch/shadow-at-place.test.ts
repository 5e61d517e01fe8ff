// Shadow of native callbacks: a copy begins in the route, with what guards have left, and harms nobody.
import { AsyncLocalStorage } from 'node:async_hooks'
import compression from 'compression'
import { json } from 'express'
import { rateLimit } from 'express-rate-limit'
import session from 'express-session'
import { fromExpress, native } from 'routecontrollers/express'
import {
  type BesideMigration,
  migration,
  type RouteStatus,
  type ShadowOptions,
} from '@routecontrollers/switch'
import { closeHosted, closeLater } from '../../support/hosting.js'
import { appServings, byExpress, type Send } from '../../express/support/app-servings.js'
import { sides } from '../../express/support/side-by-side.js'
import { createMigration } from '../../../packages/switch/src/migration.js'
import { anyLoad, silent, TestClock, until } from './shop.js'

afterEach(closeHosted)

const why = { reason: 'a test', by: 'test' }
const { 'in front of itself': _alike, ...servings } = appServings

const states = ['shadow', 'canary 100%'] as const

class NotingStore extends session.MemoryStore {
  readonly asked: string[] = []
  override get(...all: Parameters<session.MemoryStore['get']>): void {
    this.asked.push('get')
    super.get(...all)
  }
  override set(...all: Parameters<session.MemoryStore['set']>): void {
    this.asked.push('set')
    super.set(...all)
  }
  override touch(...all: Parameters<session.MemoryStore['touch']>): void {
    this.asked.push('touch')
    super.touch(...all)
  }
  override destroy(...all: Parameters<session.MemoryStore['destroy']>): void {
    this.asked.push('destroy')
    super.destroy(...all)
  }
}

interface Shadowed {
  readonly send: Send
  readonly switching: BesideMigration
  /** Of the first route. */
  readonly route: () => RouteStatus
  /** Waits until so many requests of the first route were compared or dropped. */
  readonly compared: (count: number) => Promise<RouteStatus>
}

async function shadowed(
  app: any,
  shadow: ShadowOptions = {},
  serveApp: (app: any) => Promise<Send> = byExpress,
  state: 'shadow' | 'canary 100%' = 'shadow',
): Promise<Shadowed> {
  const switching = migration({ app, logger: silent, shadow: { ...anyLoad, ...shadow }, rollback: false })
  closeLater(() => switching.close())
  await switching.set('*', state, why)
  const send = await serveApp(app)
  const route = (): RouteStatus => switching.status().routes[0]!
  const compared = async (count: number): Promise<RouteStatus> => {
    await until(() => route().shadow.compared + route().shadow.dropped >= count)
    return route()
  }
  return { send, switching, route, compared }
}

const shown = ({ differences }: RouteStatus): unknown[] =>
  differences.map(({ what, name, legacy, native: now }) => [what, name, legacy, now])

describe.each(sides)('shadow at the place of a native callback, of %s', (_name, express: any) => {
  const createApp = (): any => express().set('env', 'test')

  it.each(Object.entries(servings))(
    'touches no session, limit or token twice: %s',
    async (_serving, serveApp) => {
      const app = createApp().set('trust proxy', 1)
      const store = new NotingStore()
      const tokens = new Set(['one', 'two', 'three'])
      let logged = 0
      app.use((_req: any, _res: any, next: any) => (logged++, next()))
      app.use(rateLimit({ windowMs: 60_000, limit: 3, validate: false, legacyHeaders: true }))
      app.use(session({ secret: 's', resave: false, saveUninitialized: true, rolling: true, store }))
      app.use(express.json())
      app.use((req: any, res: any, next: any) =>
        tokens.delete(req.get('x-once')) ? next() : res.sendStatus(403),
      )
      const views = (req: any): object => {
        req.session.views = (req.session.views ?? 0) + 1
        return { views: req.session.views, ip: req.ip, more: req.isShadow === true && 'copy' }
      }
      let copies = 0
      app.get(
        '/views/:id',
        native((req) => {
          copies++
          return { ...views(req), more: false, id: req.params['id'] }
        }),
        (req: any, res: any) => void res.json({ ...views(req), more: false, id: req.params.id }),
      )
      const { send, compared } = await shadowed(app, {}, serveApp)
      const first = await send('/views/1', { headers: { 'x-once': 'one' } })
      await compared(1)
      const headers = { cookie: first.cookies[0]!.split(';')[0]! }
      const second = await send('/views/2', { headers: { ...headers, 'x-once': 'two' } })
      const third = await send('/views/3', { headers: { ...headers, 'x-once': 'three' } })
      expect([first, second, third].map((one) => one.json().views)).toEqual([1, 2, 3])
      expect([first, second, third].map((one) => one.headers['x-ratelimit-remaining'])).toEqual([
        '2',
        '1',
        '0',
      ])
      const route = await compared(3)
      expect(route.shadow).toMatchObject({ compared: 3, different: 0, dropped: 0, notCopied: [] })
      expect([copies, logged, tokens.size]).toEqual([3, 3, 0])
      // Those of the three clients.
      expect(store.asked).toEqual(['set', 'get', 'set', 'get', 'set'])
    },
  )

  it('gives a copy what guards have left, and keeps what it does to that from the client', async () => {
    const app = createApp()
    const context = new AsyncLocalStorage<string>()
    app.use(express.json())
    app.use((req: any, res: any, next: any) => {
      req.user = { name: 'mia', tags: ['a'], born: new Date(0), key: Buffer.from('k') }
      res.locals.theme = { dark: true }
      res.set('x-guard', 'g').status(201)
      req.headers['x-added'] = 'yes'
      context.run('inside', next)
    })
    const seen: unknown[] = []
    const router = express.Router({ mergeParams: true })
    const answer = (req: any, res: any): object => ({
      user: req.user,
      key: String(req.user.key),
      born: req.user.born.getTime(),
      theme: res.locals?.theme,
      body: req.body,
      params: req.params,
      query: req.query,
      urls: [req.url, req.baseUrl, req.originalUrl, req.method, req.get('x-added')],
      store: context.getStore(),
    })
    router.post(
      '/:item',
      native((req: any, res) => {
        const given = answer(req, req.res)
        seen.push(structuredClone(given))
        req.user.tags.push('by the copy')
        req.res.locals.theme.dark = false
        req.body.deep.list.push(9)
        req.headers['x-added'] = 'no'
        req.res.setHeader('x-guard', 'other')
        return res.status(201).json(given)
      }),
      (req: any, res: any) => {
        seen.push(structuredClone(answer(req, res)))
        setImmediate(() => void res.json(answer(req, res)))
      },
    )
    app.use('/shops/:shop', router)
    const { send, compared } = await shadowed(app, { unsafe: ['POST /shops/:shop/:item'] })
    const options = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"deep":{"list":[1]},"__proto__":{"x":1}}',
    }
    const received = await send('/shops/s1/i2?q=1', options)
    const route = await compared(1)
    expect(received.status).toBe(201)
    expect(received.headers['x-guard']).toBe('g')
    expect(received.json()).toMatchObject({
      user: { name: 'mia', tags: ['a'] },
      theme: { dark: true },
      body: { deep: { list: [1] } },
      params: { shop: 's1', item: 'i2' },
      store: 'inside',
    })
    expect(route.shadow).toMatchObject({ compared: 1, dropped: 0 })
    expect(seen[1]).toEqual(seen[0])
    expect(shown(route).map((one: any) => one[1])).toEqual([
      'x-guard',
      '$.user.tags',
      '$.theme.dark',
      '$.body.deep.list',
    ])
  })

  it('gives each copy the session that guards have left, with a cookie of its own', async () => {
    const app = createApp()
    app.use(session({ secret: 's', resave: false, saveUninitialized: true }))
    app.use((req: any, _res: any, next: any) => ((req.session.cart = { items: [1] }), next()))
    const seen = ({ session: { cart, cookie } }: any): object => ({ cart, path: cookie.path })
    const legacy = (req: any, res: any): void => res.json(seen(req))
    const native1 = native((req: any) => seen(req))
    const native2 = native((req: any) => {
      req.session.cart.items.push(2)
      req.session.cookie.path = '/native'
      return seen(req)
    })
    // Of the first one legacy is not asked again, of the second one it is: by a copy of its own.
    app.post('/read', native1, legacy)
    app.get('/written', native2, legacy)
    const { send, switching } = await shadowed(app, { unsafe: ['POST /read'] })
    await send('/read', { method: 'POST' })
    await send('/written')
    const routes = (): readonly RouteStatus[] => switching.status().routes
    await until(() => routes().every(({ shadow }) => shadow.compared + shadow.dropped === 1))
    expect(routes().map(shown)).toEqual([
      [],
      [
        ['body', '$.cart.items', '[1]', '[1,2]'],
        ['body', '$.path', '"/"', '"/native"'],
      ],
    ])
  })

  it('has a handler answer a copy as its client, whatever it does to what guards have left', async () => {
    const app = createApp().disable('x-powered-by')
    let counted = 0
    app.use(session({ secret: 's', resave: false, saveUninitialized: true }))
    app.use(express.json())
    app.use((req: any, res: any, next: any) => {
      const user: any = { name: 'mia' }
      user.self = user
      req.user = user
      req.account = { user }
      req.session.seen = ['tea']
      req.bytes = [Buffer.from('one'), new Uint8Array(3).fill(1)]
      req.box = {
        get count() {
          return ++counted
        },
      }
      res.set('x-guard', 'g')
      next()
    })
    const handlers: Record<string, (req: any, res: any) => unknown> = {
      '/headers': (_req, res) => res.send(`guarded by ${res.getHeader('x-guard')}`),
      '/same': (req, res) => res.json([req.user === req.account.user, req.user.self.self.name]),
      '/bytes': (req, res) => {
        const found = req.bytes.map((one: Uint8Array) => [...one])
        for (const one of req.bytes) one.fill(0)
        res.json(found)
      },
      '/left': (req, res) => req.session.destroy(() => res.json([req.session === undefined])),
      '/anew': (req, res) =>
        req.session.regenerate(() => res.json([Object.keys(req.session), typeof req.session.regenerate])),
      '/parsed': (req, res) => express.json()(req, res, () => res.json([req.body])),
      '/reused': (_req, res) => {
        const memory = Buffer.from('one')
        res.write(memory)
        memory.fill('x')
        res.end()
      },
      '/errors': () => {
        throw new Error('planted')
      },
    }
    for (const [path, handler] of Object.entries(handlers))
      app.post(path, native(fromExpress(handler)), handler)
    app.use((_error: any, _req: any, _res: any, next: any) => next({ status: 418 }))
    const unsafe = Object.keys(handlers).map((path) => `POST ${path}`)
    const { send, switching } = await shadowed(app, { unsafe })
    const headers = { 'content-type': 'application/json' }
    for (const path of Object.keys(handlers)) await send(path, { method: 'POST', headers, body: '{"a":1}' })
    const routes = (): readonly RouteStatus[] => switching.status().routes
    await until(() => routes().every(({ shadow }) => shadow.compared + shadow.dropped === 1))
    expect(routes().map((one) => [one.path, one.shadow.compared, shown(one)])).toEqual(
      Object.keys(handlers).map((path) => [path, 1, []]),
    )
    // A getter is not asked: what it gives may be shared.
    expect(counted).toBe(0)
  })

  it('gives each copy headers of its own, and compares those that writeHead was given', async () => {
    const app = createApp().disable('x-powered-by')
    app.use((req: any, _res: any, next: any) => ((req.headers['x-added'] = 'yes'), next()))
    const legacy = (req: any, res: any): void => {
      res.writeHead(200, { 'x-left': req.headers['x-added'] })
      res.end()
    }
    const changing = (req: any, res: any): void => {
      req.headers['x-added'] = 'no'
      legacy(req, res)
    }
    app.get('/x', native(fromExpress(changing)), legacy)
    const { send, compared } = await shadowed(app)
    await send('/x')
    // Legacy, asked again by a copy, says the same as before.
    expect(shown(await compared(1))).toEqual([['header', 'x-left', 'yes', 'no']])
  })

  it('holds nothing any more of an answer that was too large', async () => {
    const app = createApp()
    app.use((req: any, _res: any, next: any) => ((req.user = { name: 'x'.repeat(500) }), next()))
    const large = (_req: any, res: any): void => res.send('x'.repeat(5000))
    app.get('/x', native(fromExpress(large)), large)
    const { send, switching, compared } = await shadowed(app, { maxBytes: 2000 })
    await send('/x')
    expect((await compared(1)).shadow.dropped).toBe(1)
    expect(switching.status().shadow.heldBytes).toBe(0)
  })

  it('keeps nothing of what a handler goes on to write to a copy that has ended', async () => {
    const app = createApp()
    const chunk = Buffer.alloc(1 << 20, 'x')
    let copy: any
    app.get(
      '/x',
      native(() => 'x'),
      (req: any, res: any) => {
        if (req.isShadow !== true) return void res.type('text').send('x')
        copy = res
        res.write(chunk)
      },
    )
    const { send, compared } = await shadowed(app, { maxBytes: 2000 }, byExpress, 'canary 100%')
    await send('/x')
    expect((await compared(1)).shadow.dropped).toBe(1)
    const before = process.memoryUsage().arrayBuffers
    for (let at = 0; at < 64; at++) copy.write(chunk)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 << 20)
  })

  it('compares what handlers leave, before compression has it', async () => {
    const app = createApp()
    app.use(compression({ threshold: 0 }))
    const text = 'tea '.repeat(100)
    app.get(
      '/x',
      native((_req, res) => res.html(text)),
      (_req: any, res: any) => void res.send(text),
    )
    const { send, compared } = await shadowed(app)
    const received = await send('/x', { headers: { 'accept-encoding': 'gzip' } })
    expect(received.headers['content-encoding']).toBe('gzip')
    const route = await compared(1)
    expect([shown(route), route.shadow.compared]).toEqual([[], 1])
  })

  it('compares headers as handlers leave them, and not what one of them adds when the head is sent', async () => {
    const app = createApp()
    const addLate = (res: any): void => {
      const { writeHead } = res
      res.writeHead = (...all: unknown[]): unknown => {
        res.setHeader('x-late', '1')
        return writeHead.apply(res, all)
      }
    }
    // Legacy is not asked again, which would make the header noise.
    app.post(
      '/x',
      native((req: any, res) => (addLate(req.res), res.json({ a: 1 }))),
      (_req: any, res: any) => (addLate(res), void res.json({ a: 1 })),
    )
    const { send, compared } = await shadowed(app, { unsafe: ['POST /x'] })
    expect((await send('/x', { method: 'POST' })).headers['x-late']).toBe('1')
    expect(shown(await compared(1))).toEqual([])
  })

  it('names what cannot be copied and is looked for, and gives as it is what asIs names', async () => {
    class User {
      readonly name = 'mia'
    }
    const createUserApp = (): any => {
      const app = createApp()
      app.use((req: any, res: any, next: any) => {
        req.user = new User()
        req.unused = new User()
        res.locals.t = (word: string) => word.toUpperCase()
        res.answer = (value: unknown) => res.json(value)
        next()
      })
      app.get(
        '/x',
        native((req: any) => ({ name: req.user?.name, word: req.res.locals.t?.('tea') })),
        (req: any, res: any) => res.answer({ name: req.user.name, word: res.locals.t('tea') }),
      )
      return app
    }
    const bare = await shadowed(createUserApp())
    expect((await bare.send('/x')).json()).toEqual({ name: 'mia', word: 'TEA' })
    const route = await bare.compared(1)
    expect(route.shadow.notCopied.filter((one) => one !== 'res.answer')).toEqual(['req.user', 'res.locals.t'])
    expect(shown(route)).toEqual([
      ['body', '$.name', '"mia"', undefined],
      ['body', '$.word', '"TEA"', undefined],
    ])
    expect(route.differences[0]!.remedy).toContain("asIs: ['req.user', 'res.locals.t']")
    bare.switching.forgetDifferences()
    expect(bare.route().shadow.notCopied).toEqual([])
    const shared = await shadowed(createUserApp(), { asIs: ['req.user', 'res.locals.t'] })
    await shared.send('/x')
    const other = await shared.compared(1)
    expect([shown(other), other.shadow.notCopied]).toEqual([[], []])
  })

  it.each(states)(
    'takes no answer for alike whose copy lacks what a guard has left, at %s',
    async (state) => {
      class User {
        readonly role = 'admin'
      }
      const app = createApp()
      app.use((req: any, _res: any, next: any) => {
        req.user = new User()
        Object.defineProperty(req, 'hidden', { value: new User() })
        next()
      })
      for (const name of ['user', 'hidden'])
        app.get(
          `/${name}`,
          native((req: any, res) =>
            (req[name] ?? req.express?.req?.[name]) === undefined
              ? res.status(401).json({})
              : { role: 'wrong' },
          ),
          (req: any, res: any) =>
            void (req[name] === undefined ? res.status(401).json({}) : res.json({ role: req[name].role })),
        )
      const { send, switching } = await shadowed(app, {}, byExpress, state)
      const routes = (): readonly RouteStatus[] => switching.status().routes
      for (const [at, name] of ['user', 'hidden'].entries()) {
        expect((await send(`/${name}`)).status).toBe(200)
        await until(() => routes()[at]!.shadow.compared + routes()[at]!.shadow.dropped === 1)
      }
      expect(switching.status().shadow.dropped.changed).toBe(2)
      const [user, hidden] = routes() as [RouteStatus, RouteStatus]
      expect([user, hidden].map(({ shadow }) => [shadow.compared, shadow.different])).toEqual([
        [0, 0],
        [0, 0],
      ])
      expect(shown(user)).toEqual([
        state === 'shadow' ? ['status', undefined, '200', '401'] : ['status', undefined, '401', '200'],
      ])
      expect(user.differences[0]!.remedy).toContain("asIs: ['req.user']")
      expect(shown(hidden)).toEqual([])
    },
  )

  it.each(['native', 'canary 100%'] as const)(
    'takes a Controller back at %s that fails, though legacy fails for copies that lack something',
    async (state) => {
      class User {
        readonly name = 'mia'
      }
      const app = createApp()
      app.use((req: any, _res: any, next: any) => ((req.user = new User()), next()))
      app.get(
        '/x',
        native((_req, res) => res.status(500).json({})),
        (req: any, res: any) => void res.json({ name: req.user.name }),
      )
      const clock = new TestClock()
      const stickyBy = ({ url }: { url?: string | undefined }): string => url!
      const switching = createMigration({ app, logger: silent, shadow: anyLoad, stickyBy }, clock)
      closeLater(() => switching.close())
      await switching.set('*', state, why)
      const send = await byExpress(app)
      const route = (): RouteStatus => switching.status().routes[0]!
      let sent = 0
      while (sent < 40 && route().state === state) {
        await send(`/x?${sent++}`)
        await until(() => route().native.failures === sent)
        clock.advance(500)
      }
      expect(route()).toMatchObject({ state: 'legacy', legacy: { failureRate: 0 } })
    },
  )

  it.each(states)('compares no body of HEAD, at %s', async (state) => {
    const app = createApp()
    app.get(
      '/x',
      native((_req, res) => res.header('Content-Type', 'text/csv; charset=utf-8').text('id\n1\n')),
      (_req: any, res: any) => {
        res.set({ 'content-type': 'text/csv; charset=utf-8', 'content-length': '5' }).write('id\n')
        res.end('1\n')
      },
    )
    const { send, compared } = await shadowed(app, { ignoreHeaders: ['etag'] }, byExpress, state)
    expect(await send('/x', { method: 'HEAD' })).toMatchObject({ status: 200 })
    expect(shown(await compared(1))).toEqual([])
  })

  it('gives back what a handler has put in the place of what was not copied', async () => {
    const app = createApp()
    app.use((req: any, _res: any, next: any) => {
      req.a = { 'b.c': () => 1, b: { c: () => 2 } }
      req.done = () => {}
      next()
    })
    const answer = (req: any): object => {
      req.done = 'later'
      req.a.b.c = 3
      // What stands on another object is that one's.
      const other = Object.create(req.a)
      other['b.c'] = 4
      return { done: req.done, both: [other['b.c'], req.a['b.c'] === 4, req.a.b.c] }
    }
    app.get('/x', native(answer), (req: any, res: any) => res.json(answer(req)))
    const { send, compared } = await shadowed(app)
    expect((await send('/x')).json()).toEqual({ done: 'later', both: [4, false, 3] })
    const route = await compared(1)
    expect([shown(route), route.shadow.notCopied]).toEqual([[], ['req.a.b.c']])
  })

  it('names twenty things at most that could not be copied', async () => {
    const app = createApp()
    const names = Array.from({ length: 25 }, (_one, at) => `m${at}`)
    app.use((req: any, _res: any, next: any) => {
      for (const name of names) req[name] = () => name
      next()
    })
    const answer = (req: any): string => (names.forEach((name) => void req[name]), 'same')
    app.get('/x', native(answer), (req: any, res: any) => res.type('text').send(answer(req)))
    const { send, compared } = await shadowed(app)
    await send('/x')
    expect((await compared(1)).shadow.notCopied).toEqual(names.slice(0, 20).map((name) => `req.${name}`))
  })

  it('harms nobody by a callback that throws, never answers, or destroys its request', async () => {
    const app = createApp()
    const legacy = (_req: any, res: any): void => res.json({ by: 'legacy' })
    let caught = 0
    app.get(
      '/throws',
      native(() => Promise.reject(new Error('planted'))),
      legacy,
    )
    app.get(
      '/hangs',
      native(() => new Promise<string>(() => {})),
      legacy,
    )
    app.get(
      '/destroys',
      native((req: any) => {
        req.socket.destroy()
        req.destroy()
        return 'x'
      }),
      legacy,
    )
    app.use((_error: any, _req: any, res: any, _next: any) => {
      caught++
      res.status(503).json({ by: 'error handler' })
    })
    const { send, switching } = await shadowed(app, { timeoutMs: 500 })
    for (const path of ['/throws', '/hangs', '/destroys']) {
      expect((await send(path)).json()).toEqual({ by: 'legacy' })
    }
    const routes = (): readonly RouteStatus[] => switching.status().routes
    await until(() => routes().every(({ shadow }) => shadow.compared + shadow.dropped === 1))
    const [throwing, hanging, destroying] = routes() as [RouteStatus, RouteStatus, RouteStatus]
    expect(shown(throwing)[0]).toEqual(['status', undefined, '200', '503'])
    expect(caught).toBe(1)
    expect(shown(hanging)[0]).toEqual(['status', undefined, '200', 'no answer'])
    expect(shown(destroying)[0]).toEqual(['status', undefined, '200', 'the connection was closed'])
  })

  it('takes what legacy itself says in another way for noise, unless a guard may stand behind the callback', async () => {
    const app = createApp()
    let guards = 0
    const answer = (): object => ({ at: `${Math.random()}`, same: 1 })
    const legacy = (_req: any, res: any): void => res.json(answer())
    const guard = (_req: any, _res: any, next: any): void => (guards++, next())
    app.get('/x', native(answer), legacy)
    app.get('/guarded', native(answer), guard, legacy)
    const { send, switching } = await shadowed(app)
    await send('/x')
    await send('/guarded')
    const routes = (): readonly RouteStatus[] => switching.status().routes
    await until(() => routes().every(({ shadow }) => shadow.compared === 1))
    expect(routes()[0]!.differences).toEqual([])
    expect(routes()[1]!.differences.map(({ name }) => name)).toEqual(['$.at'])
    expect(guards).toBe(1)
  })

  it('asks the handler behind about what a callback has answered under canary', async () => {
    const app = createApp()
    app.get(
      '/x',
      native(() => ({ by: 'native' })),
      (_req: any, res: any) => void res.json({ by: 'legacy' }),
    )
    const { send, compared } = await shadowed(app, {}, servings['by Express'], 'canary 100%')
    expect((await send('/x')).json()).toEqual({ by: 'native' })
    expect(shown(await compared(1))).toEqual([['body', '$.by', '"legacy"', '"native"']])
  })

  it('takes no error handler of the route for a guard behind the callback: legacy is asked again', async () => {
    const app = createApp()
    const answer = (): object => ({ at: `${Math.random()}` })
    app.get(
      '/x',
      native(answer),
      (_req: any, res: any) => void res.json(answer()),
      (error: any, _req: any, _res: any, next: any) => next(error),
    )
    const { send, compared } = await shadowed(app)
    await send('/x')
    const route = await compared(1)
    expect([shown(route), route.shadow.compared]).toEqual([[], 1])
  })

  it('gives an error to the handlers behind its own route, also where another one follows', async () => {
    const app = createApp()
    const fail = (): never => {
      throw new Error('planted')
    }
    const answer = (status: number) => (_error: any, _req: any, res: any, _next: any) =>
      void res.status(status).json({})
    app.post('/x', native(fail), fail)
    app.use(answer(501))
    app.post(
      '/x',
      native(() => ({})),
      fail,
    )
    app.use(answer(502))
    // Legacy is not asked again, whose error would go the same way.
    const { send, compared } = await shadowed(app, { unsafe: ['POST /x'] })
    expect((await send('/x', { method: 'POST' })).status).toBe(501)
    const route = await compared(1)
    expect([shown(route), route.shadow.compared]).toEqual([[], 1])
  })

  it.each(states)('answers an error without an error handler by its own status, at %s', async (state) => {
    const app = createApp()
    const errors = [
      { status: 418, statusCode: 503 },
      { statusCode: 503 },
      { status: 200, statusCode: 599 },
      {},
    ]
    const handler = (req: any, res: any, next: any): void => {
      res.status(409)
      next(errors[Number(req.params.at)])
    }
    app.get('/:at', native(fromExpress(handler)), handler)
    const { send, compared } = await shadowed(app, {}, byExpress, state)
    for (const [at, status] of [418, 503, 599, 409].entries()) {
      expect((await send(`/${at}`)).status).toBe(status)
      const { shadow, differences } = await compared(at + 1)
      expect([shadow.compared, differences]).toEqual([at + 1, []])
    }
  })

  it.each(states)(
    'begins a copy of the answer with the status that a guard has set, at %s',
    async (state) => {
      const app = createApp()
      const handler = (_req: any, res: any): void => void res.end('x')
      const guard = (_req: any, res: any, next: any): void => {
        res.statusCode = 202
        res.statusMessage = 'Noted'
        next()
      }
      app.get('/x', guard, native(fromExpress(handler)), handler)
      const { send, compared } = await shadowed(app, {}, byExpress, state)
      expect((await send('/x')).status).toBe(202)
      const { shadow, differences } = await compared(1)
      expect([shadow.compared, differences]).toEqual([1, []])
    },
  )

  it.each(states)('leaves a parser the body that a guard of another make has read, at %s', async (state) => {
    const app = createApp()
    app.use(async (req: any, _res: any, next: any) => {
      let text = ''
      for await (const chunk of req) text += chunk
      req.body = JSON.parse(text)
      next()
    })
    const handler = (req: any, res: any): void => express.json()(req, res, () => res.json({ got: req.body }))
    app.post('/x', native(fromExpress(handler)), handler)
    const { send, compared } = await shadowed(app, { unsafe: ['POST /x'] }, byExpress, state)
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"tea":1}' }
    expect((await send('/x', options)).json()).toEqual({ got: { tea: 1 } })
    const { shadow, differences } = await compared(1)
    expect([shadow.compared, differences]).toEqual([1, []])
  })

  it('is a copy that breaks off where a callback has begun its answer and fails: no error handler ends it', async () => {
    const handled: unknown[] = []
    const app = createApp()
    app.get(
      '/a',
      native(
        fromExpress((_req, res, next) => {
          res.write('begun')
          next(new Error('no'))
        }),
      ),
      (_req: any, res: any) => res.send('whole'),
    )
    app.use((error: Error, req: any, res: any, _next: any) => {
      handled.push([error.message, req.isShadow])
      res.end('ended')
    })
    const { send, compared } = await shadowed(app)
    expect((await send('/a')).text).toBe('whole')
    const [first] = shown(await compared(1))
    expect([first, handled]).toEqual([['status', undefined, '200', 'the connection was closed'], []])
  })

  it('compares what was answered, where a handler calls next() after that', async () => {
    const app = createApp()
    const answer = (_req: any, res: any, next: any): void => {
      res.json({ tea: 1 })
      next()
    }
    app.post('/x', native(fromExpress(answer)), answer)
    const { send, compared } = await shadowed(app, { unsafe: ['POST /x'] })
    expect((await send('/x', { method: 'POST' })).json()).toEqual({ tea: 1 })
    const route = await compared(1)
    expect([shown(route), route.shadow.compared]).toEqual([[], 1])
  })

  it('takes an error that an error handler passes on as a request for a request that is passed on', async () => {
    const app = createApp()
    const fail = (): never => {
      throw new Error('planted')
    }
    app.get('/x', native(fail), (_req: any, _res: any, next: any) => next())
    app.use((_error: any, _req: any, _res: any, next: any) => next())
    app.get('/:any', (_req: any, res: any) => void res.json({ by: 'next' }))
    const { send, compared } = await shadowed(app)
    expect((await send('/x')).json()).toEqual({ by: 'next' })
    const route = await compared(1)
    expect([shown(route), route.shadow.compared]).toEqual([[], 1])
  })

  it.each([undefined, 'route', 'router'])(
    'takes two that pass a request on for alike: next(%j)',
    async (given) => {
      const app = createApp()
      const pass = (_req: any, _res: any, next: any): void => next(given)
      const inner = express.Router().get(
        '/x',
        native((req: any) => req.next(given) as never),
        pass,
      )
      app.use(inner)
      app.get('/:any', (_req: any, res: any) => void res.json({ by: 'next' }))
      const { send, switching } = await shadowed(app)
      expect((await send('/x')).json()).toEqual({ by: 'next' })
      await until(() => {
        const { compared, dropped } = switching.status().routes[0]!.shadow
        return compared + dropped === 1
      })
      expect(switching.status().routes[0]!.differences).toEqual([])
    },
  )

  it.each<[string, (app: any) => void, number]>([
    [
      'the next route',
      (app) => app.all('/x/:any', (_req: any, res: any) => void res.json({ by: 'next' })),
      200,
    ],
    ['a middleware', (app) => app.use((_req: any, res: any) => void res.status(410).json({})), 410],
    ['nothing', () => {}, 404],
  ])(
    'does not compare a request that may write and that both sides pass on to %s',
    async (_to, add, status) => {
      const app = createApp()
      const pass = (_req: any, _res: any, next: any): void => next()
      const inner = express.Router().post('/:id', native(fromExpress(pass)), pass)
      app.use('/x', inner)
      add(app)
      for (const state of states) {
        const options = { unsafe: ['POST /x/:id'] }
        const { send, switching, compared } = await shadowed(app, options, byExpress, state)
        expect((await send('/x/1', { method: 'POST' })).status).toBe(status)
        const route = await compared(1)
        expect([shown(route), switching.status().shadow.dropped.passed]).toEqual([[], 1])
        await switching.close()
      }
    },
  )

  it.each<[string, string | undefined, ...string[]]>([
    ['legacy', undefined, 'status', '200', 'passed on'],
    ['legacy', 'route', 'status', '200', 'passed on'],
    ['legacy', 'router', 'status', '200', 'passed on'],
    ['native', undefined, 'status', '404', '200'],
  ])(
    'tells of a request that may write and that only one side answers, which is %s, the other next(%j)',
    async (by, given, ...told) => {
      const app = createApp()
      const pass = (_req: any, _res: any, next: any): void => next(given)
      const answer = (_req: any, res: any): void => void res.json({})
      app.post('/x', native(fromExpress(by === 'native' ? answer : pass)), by === 'native' ? pass : answer)
      const { send, compared } = await shadowed(app, { unsafe: ['POST /x'] })
      await send('/x', { method: 'POST' })
      const [what, ...values] = told
      expect(shown(await compared(1))[0]).toEqual([what, undefined, ...values])
    },
  )

  it('keeps a body that a handler reads, and no more of what guards have left than may be held', async () => {
    const app = createApp()
    app.post(
      '/echo',
      native((req) => ({ got: req.body })),
      json(),
    )
    app.post('/echo', (req: any, res: any) => void res.json({ got: req.body }))
    app.get(
      '/large',
      (req: any, _res: any, next: any) => ((req.found = 'x'.repeat(2000)), next()),
      native(() => 'x'),
      (_req: any, res: any) => void res.send('x'),
    )
    const { send, switching } = await shadowed(app, { unsafe: ['POST /echo'], maxBytes: 1000 })
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"tea":1}' }
    expect((await send('/echo', options)).json()).toEqual({ got: { tea: 1 } })
    await send('/large')
    const routes = (): readonly RouteStatus[] => switching.status().routes
    await until(() => routes().every(({ shadow }) => shadow.compared + shadow.dropped === 1))
    expect(routes()[0]!.differences).toEqual([])
    expect(routes()[1]!.shadow).toMatchObject({ compared: 0, dropped: 1 })
    expect(switching.status().shadow).toMatchObject({ heldBytes: 0, dropped: { size: 1 } })
  })
})
