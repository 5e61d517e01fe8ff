import installed5 from 'express'
import installed4 from 'express4'
import { Controller, RouteControllers } from 'routecontrollers'
import { express4 as bare4, express5, fromApp, fromExpress, fromRouter } from 'routecontrollers/express'
import { listenOn, sendTo } from '../support/describe-servings.js'
import { refusal } from '../support/refusal.js'
import { express4 } from './support/profiles.js'

/** The app that handlers see under a profile. */
async function appUnder(profile: ReturnType<typeof express5>): Promise<any> {
  let seen: unknown
  const look = fromExpress((req, res) => {
    seen = req.app
    res.end()
  })
  await new RouteControllers([new Controller('GET', '/x', look)], { profile }).getCallback()(
    new Request('http://test/x'),
  )
  return seen
}

describe.each([
  ['express4', express4],
  ['express5', express5],
] as const)('the options of %s', (name, profile) => {
  it('make an app of Express with settings, views, engines and locals', async () => {
    const engine = (): void => {}
    const io = {}
    const app = await appUnder(
      profile({
        settings: { 'json spaces': 2, 'trust proxy': 'loopback', io, title: undefined },
        views: ['one', 'two'],
        viewEngine: 'page',
        engines: { page: engine, '.part': engine },
        locals: { title: 'Shop' },
        strict: true,
        caseSensitive: false,
      }),
    )
    expect(app.get('json spaces')).toBe(2)
    expect(app.get('io')).toBe(io)
    expect('title' in app.settings).toBe(false)
    expect(app.get('trust proxy fn')('127.0.0.1', 0)).toBe(true)
    expect([app.get('views'), app.get('view engine')]).toEqual([['one', 'two'], 'page'])
    expect([app.enabled('strict routing'), app.enabled('case sensitive routing')]).toEqual([true, false])
    expect({ ...app.engines }).toEqual({ '.page': engine, '.part': engine })
    expect(app.locals).toEqual(expect.objectContaining({ title: 'Shop', settings: app.settings }))
  })

  it('count before a setting that says the same', async () => {
    const settings = { 'strict routing': true, 'case sensitive routing': true, 'view engine': 'setting' }
    const app = await appUnder(
      profile({ settings, strict: false, caseSensitive: false, viewEngine: 'option' }),
    )
    expect([app.enabled('strict routing'), app.enabled('case sensitive routing')]).toEqual([false, false])
    expect(app.get('view engine')).toBe('option')
  })

  it('leave res.locals to a hook that has set them', async () => {
    const look = fromExpress((_req, res) => void res.json(res.locals))
    const routeControllers = new RouteControllers([new Controller('GET', '/x', look)], { profile: profile() })
    routeControllers.addGlobal((_req, res, next) => {
      Object.assign(res, { locals: { user: 'Ada' } })
      next()
    })
    const answer = await routeControllers.getCallback()(new Request('http://test/x'))
    expect(await answer.json()).toEqual({ user: 'Ada' })
  })

  it.each([
    [{ view: 'a' }, [`${name} has no option "view"`]],
    [{ views: 7 }, ['"views" is a folder or a list of folders, not number']],
    [{ views: '' }, ['"views" is a folder']],
    [{ viewEngine: true }, ['"view engine" is a string, not boolean']],
    [{ engines: { ejs: 'ejs' } }, ['engines["ejs"] is a function, not string']],
    [{ engines: null }, ['engines is an object, not null']],
    [{ engines: new Map() }, ['engines is an object']],
    [{ locals: 'a' }, ['locals is an object, not string']],
    [{ settings: [] }, ['settings is an object, not a list']],
    [{ settings: { 'json space': 2, jsonSpaces: 2 } }, ['no setting "jsonSpaces"', 'written "json spaces"']],
    [{ settings: { trustProxy: true } }, ['written "trust proxy"']],
    [{ settings: { 'X-Powered-By': false } }, ['written "x-powered-by"']],
    [{ settings: { 'json spaces': -1 } }, ['"json spaces" is a number of spaces or a string, not number']],
    [{ settings: { etag: 'stronger' } }, ['"etag" is true, false', 'not "stronger"']],
    [{ settings: { 'query parser': 'qs' } }, ["'extended'", 'not "qs"']],
    [{ settings: { 'trust proxy': 'nowhere' } }, ['"trust proxy" cannot have this value', 'nowhere']],
    [{ settings: { 'trust proxy': ['10.0.0.0/99'] } }, ['"trust proxy" cannot have this value']],
    [{ settings: { 'trust proxy': null } }, ['"trust proxy" is']],
    [{ settings: { 'subdomain offset': '2' } }, ['"subdomain offset" is a whole number']],
    [{ settings: { 'strict routing': 1 } }, ['"strict routing" is true or false, not number']],
    [{ settings: { 'json replacer': 'a' } }, ['"json replacer" is a function or a list']],
    [{ strict: 'yes' }, ['strict is true or false']],
    [{ caseSensitive: 1 }, ['caseSensitive is true or false']],
    [{ params: [] }, ['params is an object of callbacks']],
    [{ params: { id: 'load' } }, ['params["id"] is a function, not string']],
    [true, ['takes an object of options']],
    [{ express: 'express' }, [`${name}({ express })`, 'not string']],
    [{ express: () => ({}) }, [`${name}({ express })`]],
  ])('are refused when they are %j', (options, sentences) => {
    const given = typeof options === 'object' ? options : (options as never)
    const make = name === 'express4' && typeof options === 'boolean' ? bare4 : profile
    expect(() => make(given as never)).toThrow(refusal('ERR_OPTION_INVALID', ...sentences))
  })
})

describe('the Express of a profile', () => {
  it('is refused where it is of another version', () => {
    expect(() => express5({ express: installed4 })).toThrow(
      refusal('ERR_EXPRESS_VERSION', 'express5() needs Express 5, found 4'),
    )
    expect(() => bare4({ express: installed5 })).toThrow(
      refusal('ERR_EXPRESS_VERSION', 'express4() needs Express 4, found 5'),
    )
  })

  it('is that of the program, and named with its version where it does not fit', () => {
    const { version } = jest.requireActual<{ version: string }>('express/package.json')
    expect(() => express5()).not.toThrow()
    expect(() => bare4()).toThrow(
      refusal('ERR_EXPRESS_VERSION', `express4() needs Express 4, found ${version}`),
    )
  })
})

describe.each([
  [4, installed4],
  [5, installed5],
] as const)('fromApp of Express %i', (_version, express) => {
  it('shows the very app', async () => {
    const app = express()
    expect(await appUnder(fromApp(app))).toBe(app)
  })

  it('matches by the settings that it has when the Controllers are made, where it has no layers', async () => {
    const app = express()
    const profile = fromApp(app)
    app.enable('strict routing')
    const fetchHandler = new RouteControllers([new Controller('GET', '/x', () => 'x')], {
      profile,
    }).getCallback()
    expect((await fetchHandler(new Request('http://test/x/'))).status).toBe(404)
  })

  it('runs callbacks of params behind those that the app has', async () => {
    const calls: string[] = []
    const note =
      (name: string) =>
      (_req: unknown, _res: unknown, next: () => void): void => {
        calls.push(name)
        next()
      }
    const app = express()
    app.param('id', note('of the app'))
    const profile = fromApp(app, { params: { id: [note('first'), note('second')] } })
    const fetchHandler = new RouteControllers([new Controller('GET', '/x/:id', () => 'x')], {
      profile,
    }).getCallback()
    await fetchHandler(new Request('http://test/x/7'))
    expect(calls).toEqual(['of the app', 'first', 'second'])
  })

  it('counts what the app is told later', async () => {
    const app = express()
    const answer = fromExpress((_req, res) => void res.json({ a: 1 }))
    const fetchHandler = new RouteControllers([new Controller('GET', '/x', answer)], {
      profile: fromApp(app),
    }).getCallback()
    const ask = async (): Promise<string> => (await fetchHandler(new Request('http://test/x'))).text()
    expect(await ask()).toBe('{"a":1}')
    app.set('json spaces', 1)
    expect(await ask()).toBe('{\n "a": 1\n}')
    ;(app.response as any).json = function (this: any) {
      return this.send('patched')
    }
    expect(await ask()).toBe('patched')
  })

  it('gives the value of a callback to a res.json that was replaced, when the status is known', async () => {
    const app = express()
    const replaced = app.response.json
    app.response.json = function (data) {
      return replaced.call(this, { data, status: this.statusCode, url: this.req.url })
    }
    const add = new Controller('POST', '/teas', (_req, res) =>
      res.status(201).header('X-Own', 'yes').json({ id: 1 }),
    )
    const fetchHandler = new RouteControllers([add], { profile: fromApp(app) }).getCallback()
    const answer = await fetchHandler(new Request('http://test/teas', { method: 'POST' }))
    expect([answer.status, answer.headers.get('X-Own')]).toEqual([201, 'yes'])
    expect(await answer.json()).toEqual({ data: { id: 1 }, status: 201, url: '/teas' })
  })

  it.each([
    ['a router', () => express.Router(), 'a Router: use fromRouter(router)'],
    ['a function', () => () => {}, 'a function'],
    ['nothing', () => undefined, 'undefined'],
  ])('is not made of %s', (_name, other, named) => {
    const wanted = 'fromApp takes an Express app, as express() makes it, not '
    expect(() => fromApp(other())).toThrow(refusal('ERR_OPTION_INVALID', wanted + named))
  })

  it('refuses options that it does not have', () => {
    expect(() => fromApp(express(), { settings: {} } as never)).toThrow(
      refusal('ERR_OPTION_INVALID', 'fromApp has no option "settings"; it has params'),
    )
  })
})

describe.each([
  [4, installed4],
  [5, installed5],
] as const)('fromRouter of Express %i', (_version, express) => {
  it('keeps strict, caseSensitive and the callbacks of params', async () => {
    const router = express.Router({ strict: true, caseSensitive: true })
    router.param('id', (req, _res, next, id) => {
      req.params['id'] = `number ${id}`
      next()
    })
    const show = fromExpress((req, res) => void res.json(req.params))
    const fetchHandler = new RouteControllers([new Controller('GET', '/users/:id', show)], {
      profile: fromRouter(router, { app: express() }),
    }).getCallback()
    const ask = async (path: string): Promise<Response> => fetchHandler(new Request(`http://test${path}`))
    expect(await (await ask('/users/7')).json()).toEqual({ id: 'number 7' })
    expect((await ask('/users/7/')).status).toBe(404)
    expect((await ask('/Users/7')).status).toBe(404)
  })

  it('has the settings of the app that it is given, and else those of its host', async () => {
    const own = express().set('json spaces', 1)
    const isOwn = fromExpress((req, res) => void res.json({ own: (req.app as unknown) === own }))
    const textWith = async (options: object): Promise<string> => {
      const host = express().set('json spaces', 2)
      const profile = fromRouter(express.Router(), options)
      host.use(new RouteControllers([new Controller('GET', '/', isOwn)], { profile }).middleware())
      const { port, close } = await listenOn(host)
      const { text } = await sendTo(port)('/')
      await close()
      return text
    }
    expect(await textWith({ app: own })).toBe('{\n "own": true\n}')
    expect(await textWith({})).toBe('{\n  "own": false\n}')
  })

  it.each([
    ['an app', () => express()],
    ['a function', () => () => {}],
    ['null', () => null],
  ])('is not made of %s', (_name, other) => {
    expect(() => fromRouter(other())).toThrow(refusal('ERR_OPTION_INVALID', 'fromRouter takes a Router'))
  })
})
