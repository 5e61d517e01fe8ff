// `migration({ app })`: each native callback in a route of an app answers, or the handler behind it, as the state of its route says.
import { native } from 'routecontrollers/express'
import { type BesideMigration, type BesideOptions, memoryStore, migration } from '@routecontrollers/switch'
import { createMigration } from '../../../packages/switch/src/migration.js'
import type { SendOptions } from '../../support/describe-servings.js'
import { closeHosted, closeLater } from '../../support/hosting.js'
import { appServings, byExpress, type Send } from '../../express/support/app-servings.js'
import { sides } from '../../express/support/side-by-side.js'
import { silent, TestClock, until } from './shop.js'

afterEach(closeHosted)

const why = { reason: 'a test', by: 'test' }
const by = (side: string) =>
  native((req) => ({ by: `native${side}`, id: req.params['id'], user: (req as any).user }))
const legacy =
  (side = '') =>
  (req: any, res: any) =>
    void res.json({ by: `legacy${side}`, id: req.params.id, user: req.user })

describe.each(sides)('migration({ app }) of %s', (_name, express: any) => {
  const createApp = (): any => {
    const app = express().set('env', 'test')
    const orders = express.Router()
    orders.param('id', (req: any, _res: any, next: any, id: string) => {
      req.found = [...(req.found ?? []), id]
      next()
    })
    const requireUser = (req: any, res: any, next: any): void =>
      req.headers['x-user'] === undefined ? res.sendStatus(401) : ((req.user = req.headers['x-user']), next())
    orders.get('/:id', requireUser, by(''), legacy())
    orders.post('/', by(' post'), legacy(' post'))
    app.use('/orders', orders)
    const admin = express()
    admin.get('/stats', by(' stats'), legacy(' stats'))
    app.use('/admin', admin)
    app.get('/new', by(' new'))
    app.get('/plain', legacy(' plain'))
    return app
  }
  const switched = (app: any, options: Partial<BesideOptions> = {}): BesideMigration => {
    const switching = migration({ app, logger: silent, ...options })
    closeLater(() => switching.close())
    return switching
  }
  const headers = { 'x-user': 'mia' }
  const answerer = async (send: Send, target: string, options: SendOptions = { headers }): Promise<unknown> =>
    (await send(target, options)).json().by

  it('begins at native where an error handler alone stands behind, and at legacy where its route is there again', async () => {
    const app = express().set('env', 'test')
    app.get('/errors', by(' errors'), (error: Error, _req: any, _res: any, next: any) => next(error))
    app.get('/again', by(' again'))
    app.all('/again', legacy(' again'))
    app.get('/other', by(' other'))
    app.post('/other', legacy(' other'))
    const switching = switched(app)
    const statesNow = (): string[] => switching.status().routes.map(({ route, state }) => `${route} ${state}`)
    expect(statesNow()).toEqual(['GET /errors native', 'GET /again legacy', 'GET /other native'])
    // What is registered later is found in a later turn.
    app.get('/late', by(' late'), legacy(' late'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(statesNow()).toContain('GET /late legacy')
  })

  describe.each(Object.entries(appServings))('%s', (_serving, serveApp) => {
    it('begins at legacy where another handler stands behind, else at native', async () => {
      const app = createApp()
      const send = await serveApp(app)
      expect(await answerer(send, '/orders/7')).toBe('native')
      const switching = switched(app)
      expect(await answerer(send, '/orders/7')).toBe('legacy')
      expect(await answerer(send, '/new')).toBe('native new')
      const { routes, legacyOnly } = switching.status()
      expect(routes.map(({ route, state }) => [route, state])).toEqual([
        ['GET /orders/:id', 'legacy'],
        ['POST /orders', 'legacy'],
        ['GET /admin/stats', 'legacy'],
        ['GET /new', 'native'],
      ])
      expect(legacyOnly).toEqual(['GET /plain'])
    })

    it('says what clients get of a route whose old handler is gone, once it is set back', async () => {
      const app = createApp()
      const send = await serveApp(app)
      const lines: string[] = []
      const warn = (line: string): void => void lines.push(line)
      const switching = switched(app, { logger: { ...silent, warn } })
      expect(await answerer(send, '/new')).toBe('native new')
      await switching.set('/orders', 'legacy', why)
      await switching.set('*', 'native', why)
      expect(lines).toEqual([])
      await switching.set('*', 'legacy', { ...why, override: true })
      expect((await send('/new')).status).toBe(404)
      expect(lines).toEqual([
        'migration: GET /new is not at native now, and it has nothing else to answer: clients get what the app answers without that route, mostly 404. Set what is to answer to native',
      ])
    })

    it('leads a route to its callback and back, behind its guards', async () => {
      const app = createApp()
      const send = await serveApp(app)
      const switching = switched(app)
      for (const state of ['native', 'legacy', 'canary 100%', 'canary 0%'] as const) {
        await switching.set('GET /orders/:id', state, why)
        const side = ['native', 'canary 100%'].includes(state) ? 'native' : 'legacy'
        expect((await send('/orders/7', { headers })).json()).toEqual({ by: side, id: '7', user: 'mia' })
        expect((await send('/orders/7')).status).toBe(401)
        expect((await send('/orders/7', { method: 'HEAD', headers })).status).toBe(200)
        expect(await answerer(send, '/orders', { method: 'POST' })).toBe('legacy post')
      }
      await switching.set('/orders', 'native', why)
      expect(await answerer(send, '/orders', { method: 'POST' })).toBe('native post')
      await switching.set('*', 'native', why)
      expect(await answerer(send, '/admin/stats')).toBe('native stats')
      await switching.set('/admin', 'legacy', why)
      expect(await answerer(send, '/admin/stats')).toBe('legacy stats')
      expect(await answerer(send, '/plain')).toBe('legacy plain')
    })

    it('counts the requests of both sides, and goes back where the callback fails', async () => {
      const app = express().set('env', 'test')
      let fails = false
      app.get(
        '/x',
        native((_req, res) => {
          if (fails) throw new Error('planted')
          return res.html('x')
        }),
        (_req: any, res: any) => res.send('x'),
      )
      app.use((_error: any, _req: any, res: any, _next: any) => res.sendStatus(500))
      const send = await serveApp(app)
      const clock = new TestClock()
      const switching = createMigration({ app, logger: silent }, clock)
      closeLater(() => switching.close())
      await send('/x')
      await switching.set('GET /x', 'canary 100%', why)
      for (let at = 0; at < 25; at++) await send('/x')
      const route = (): any => switching.status().routes[0]
      await until(() => route().native.watched === 25)
      expect([route().legacy.requests, route().native.requests]).toEqual([1, 25])
      fails = true
      expect((await send('/x')).status).toBe(500)
      for (let at = 0; at < 20; at++) await send('/x')
      // Legacy has no clients, and is asked copies: where none of its answers has come for two seconds, its last ones count.
      clock.advance(3000)
      expect(route().state).toBe('legacy')
      expect((await send('/x')).status).toBe(200)
    })

    it('keeps what is registered later at legacy, until that is said otherwise', async () => {
      const app = createApp()
      const send = await serveApp(app)
      const switching = switched(app)
      await send('/plain')
      const late = express.Router()
      late.get('/:id', by(' late'), legacy(' late'))
      app.use('/late', late)
      expect(await answerer(send, '/late/1')).toBe('legacy late')
      await switching.set('GET /late/:id', 'native', why)
      expect(await answerer(send, '/late/1')).toBe('native late')
    })
  })

  it('says what to write where no route has a native callback', async () => {
    const app = express().get('/', legacy())
    const switching = migration({ app, logger: silent })
    await expect(switching.set('*', 'native', why)).rejects.toThrow(
      'set: there is no route to switch: no route of the app has a native callback. Write native(…) before its handler',
    )
    await switching.close()
  })

  it('leaves a route whose router cannot be read at legacy, and says so', async () => {
    const app = createApp()
    const hidden = express.Router()
    hidden.get('/x', by(' hidden'), legacy(' hidden'))
    app.use('/hidden', (req: any, res: any, next: any) => hidden(req, res, next))
    const lines: string[] = []
    const logger = { ...silent, warn: (line: string) => void lines.push(line) }
    switched(app, { logger, initial: 'native' })
    const send = await byExpress(app)
    expect(await answerer(send, '/hidden/x')).toBe('legacy hidden')
    expect(await answerer(send, '/hidden/x')).toBe('legacy hidden')
    expect(lines).toEqual([expect.stringContaining('GET /x stands in a router that cannot be read')])
  })

  it('has one state for a router that is mounted twice, and for two routes of one key', async () => {
    const app = express().set('env', 'test')
    const router = express.Router()
    router.get('/x', by(''), legacy())
    app.use('/a', router)
    app.use('/b', router)
    app.get('/twice', by(' one'), (_req: any, _res: any, next: any) => next())
    app.get('/twice', by(' two'), legacy(' two'))
    const switching = switched(app)
    const send = await byExpress(app)
    expect(switching.status().routes.map(({ route }) => route)).toEqual(['GET /a/x', 'GET /twice'])
    await switching.set('GET /a/x', 'native', why)
    expect([await answerer(send, '/a/x'), await answerer(send, '/b/x')]).toEqual(['native', 'native'])
    expect(await answerer(send, '/twice')).toBe('legacy two')
    await switching.set('GET /twice', 'native', why)
    expect(await answerer(send, '/twice')).toBe('native one')
  })

  it('takes the place of one that was closed, whose last states count until then', async () => {
    const app = createApp()
    const send = await byExpress(app)
    const store = memoryStore()
    const first = createMigration({ app, logger: silent, store }, new TestClock())
    await first.ready
    await first.set('GET /orders/:id', 'native', why)
    expect(() => migration({ app, logger: silent })).toThrow(
      expect.objectContaining({ code: 'ERR_MIGRATION_EXISTS' }),
    )
    await first.close()
    expect(await answerer(send, '/orders/7')).toBe('native')
    switched(app)
    expect(await answerer(send, '/orders/7')).toBe('legacy')
  })

  it('decides for the apps that are mounted in its own, unless they have a migration', async () => {
    const [outer, inner] = [express().set('env', 'test'), express().set('env', 'test')]
    inner.get('/x', by(''), legacy())
    outer.use('/inner', inner)
    const own = switched(inner)
    await own.set('GET /x', 'native', why)
    const around = switched(outer)
    const send = await byExpress(outer)
    expect(await answerer(send, '/inner/x')).toBe('native')
    await around.set('GET /inner/x', 'legacy', why)
    expect(await answerer(send, '/inner/x')).toBe('native')
  })

  it('decides for an app that is mounted in a Router, which does not know of the app around it', async () => {
    const app = createApp()
    const mount = (path: string): void => {
      const inner = express().set('env', 'test')
      inner.get('/x', by(path), legacy(path))
      const router = express.Router()
      router.use(inner)
      app.use(path, router)
    }
    mount('/early')
    const switching = switched(app)
    const send = await byExpress(app)
    expect(await answerer(send, '/early/x')).toBe('legacy/early')
    mount('/late')
    expect(await answerer(send, '/late/x')).toBe('legacy/late')
    await switching.set('*', 'native', why)
    expect(await answerer(send, '/early/x')).toBe('native/early')
    expect(await answerer(send, '/late/x')).toBe('native/late')
    // Another app has none of it.
    const other = express().set('env', 'test')
    other.get('/x', by(' other'), legacy(' other'))
    await switching.set('*', 'legacy', why)
    expect(await answerer(await byExpress(other), '/x')).toBe('native other')
    expect(await answerer(send, '/late/x')).toBe('legacy/late')
  })

  it('refuses what is no app, and what has two things to switch', () => {
    const invalid = expect.objectContaining({ code: 'ERR_OPTION_INVALID' })
    for (const app of [undefined, express.Router(), () => {}])
      expect(() => migration({ app } as never)).toThrow(invalid)
    const app = createApp()
    expect(() => migration({ app, legacy: app } as never)).toThrow(invalid)
    expect(() => migration({ app: createApp(), nothing: 1 } as never)).toThrow(invalid)
  })

  it('names the key that was probably meant, also before the first request', async () => {
    const switching = switched(createApp())
    await expect(switching.set('GET /order/:id', 'native', why)).rejects.toThrow(
      "did you mean 'GET /orders/:id'?",
    )
  })
})
