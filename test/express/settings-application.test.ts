import express5 from 'express'
import express4 from 'express4'
import { express5 as profile5 } from 'routecontrollers/express'
import { express4 as profile4 } from './support/profiles.js'
import { Application, type ExpressVersion } from '../../src/express/application.js'
import { refusal } from '../support/refusal.js'

const makers = { 4: express4, 5: express5 }
const versions = [4, 5] as const

/** What is thrown, as a text. */
function thrownBy(run: () => unknown): string {
  try {
    run()
    return 'nothing'
  } catch (error) {
    return String(error)
  }
}

describe.each(versions)('The application of version %i', (version: ExpressVersion) => {
  const env = process.env['NODE_ENV']
  afterEach(() => {
    process.env['NODE_ENV'] = env
  })

  it.each(['test', 'production', ''])('has the settings of Express by default, NODE_ENV %p', (name) => {
    process.env['NODE_ENV'] = name
    const app = makers[version]()
    const ours = new Application(version)
    expect(Object.keys(ours.settings).sort()).toEqual(Object.keys(app.settings as object).sort())
    for (const setting of Object.keys(app.settings as object)) {
      const expected: unknown = app.get(setting)
      const value = ours.get(setting)
      if (typeof expected === 'function') expect([setting, typeof value]).toEqual([setting, 'function'])
      else expect([setting, value]).toEqual([setting, expected])
    }
    expect(Object.getPrototypeOf(ours.settings)).toBe(Object.getPrototypeOf(app.settings))
    expect(ours.locals['settings']).toBe(ours.settings)
    expect([ours.mountpath, ours.path()]).toEqual([app.mountpath, app.path()])
  })

  it('answers as Express does about settings', () => {
    const answers = [makers[version](), new Application(version)].map((app) => {
      const one = app as Application
      return [
        one.set('title', 'a') === one,
        one.get('title'),
        one.set('title'),
        one.get('none'),
        one.get('toString'),
        one.get('hasOwnProperty'),
        one.enable('a') === one,
        one.enabled('a'),
        one.disabled('a'),
        one.disable('a') === one,
        one.enabled('a'),
        one.disabled('a'),
        one.enabled('none'),
        one.set('title', undefined) === one,
        one.get('title'),
        'title' in one.settings,
      ]
    })
    expect(answers[1]).toEqual(answers[0])
  })

  it.each([
    ['etag', 'strongest'],
    ['etag', undefined],
    ['etag', 1],
    ['query parser', 'qs'],
    ['query parser', undefined],
    ['trust proxy', 'nowhere'],
    ['trust proxy', ['10.0.0.0/99']],
    ['trust proxy', undefined],
    ['trust proxy', null],
  ])('throws what Express throws for %s = %p', (name, value) => {
    const thrown = thrownBy(() => new Application(version).set(name, value))
    expect(thrown).toBe(thrownBy(() => makers[version]().set(name, value)))
  })

  it.each([true, false, 'weak', 'strong', (body: string | Buffer) => `"${body.length}"`])(
    'makes the ETags of Express, etag %p',
    (value) => {
      const tags = [makers[version](), new Application(version)].map((app) => {
        ;(app as Application).set('etag', value)
        const make = app.get('etag fn') as ((body: string | Buffer, encoding?: string) => string) | undefined
        return make && [make('text'), make(''), make(Buffer.from([0, 255])), make('é', 'latin1')]
      })
      expect(tags[1]).toEqual(tags[0])
    },
  )

  it.each([true, false, 'simple', 'extended'])('parses queries as Express does, query parser %p', (value) => {
    const texts = ['', 'a=1&a=2', 'a[b]=1&c[]=2', '__proto__[x]=1', '%', null]
    const parsed = [makers[version](), new Application(version)].map((app) => {
      ;(app as Application).set('query parser', value)
      const parse = app.get('query parser fn') as ((text: string | null) => unknown) | undefined
      return texts.map((text) => parse && JSON.stringify(parse(text)))
    })
    expect(parsed[1]).toEqual(parsed[0])
  })

  it.each([
    ['listen', 'start a Server'],
    ['use', 'addGlobal'],
    ['post', 'a route is a Controller'],
    ['all', 'a route is a Controller'],
    ['route', 'a route is a Controller'],
    ['param', 'express5({ params: { id: loadUser } })'],
    ['handle', 'middleware()'],
  ])('has no %s and says what to do instead', (member, instead) => {
    const application = new Application(version) as unknown as Record<string, (path: string) => void>
    expect(() => application[member]!('/path')).toThrow(
      refusal('ERR_APPLICATION_MEMBER', `no app.${member}`, instead),
    )
  })

  it('does not take a route for a setting', () => {
    const application = new Application(version) as unknown as { get(...parameters: unknown[]): void }
    expect(() => application.get('/path', () => {})).toThrow(
      refusal('ERR_APPLICATION_MEMBER', 'get(path, …)', 'a route is a Controller'),
    )
    expect(() => (application as unknown as { router: unknown }).router).toThrow(
      refusal('ERR_APPLICATION_MEMBER', 'no app.router'),
    )
  })

  it('emits events, as Express applications do for their own', () => {
    const application = new Application(version)
    const heard: unknown[] = []
    application.on('note', (value: unknown) => heard.push(value))
    application.emit('note', 7)
    expect(heard).toEqual([7])
  })
})

describe('The options of an application', () => {
  it('are settings, views, engines and locals', () => {
    const engine = (): void => {}
    const io = {}
    const application = new Application(5, {
      settings: { 'json spaces': 2, 'trust proxy': 'loopback', io, title: undefined },
      views: ['one', 'two'],
      viewEngine: 'page',
      engines: { page: engine, '.part': engine },
      locals: { title: 'Shop' },
    })
    expect(application.get('json spaces')).toBe(2)
    expect(application.get('io')).toBe(io)
    expect('title' in application.settings).toBe(false)
    expect(
      (application.get('trust proxy fn') as (address: string, hops: number) => boolean)('127.0.0.1', 0),
    ).toBe(true)
    expect([application.get('views'), application.get('view engine')]).toEqual([['one', 'two'], 'page'])
    expect({ ...application.engines }).toEqual({ '.page': engine, '.part': engine })
    expect(application.locals).toEqual(
      expect.objectContaining({ title: 'Shop', settings: application.settings }),
    )
  })

  it.each([
    [{ view: 'a' }, ['express4 has no option "view"']],
    [{ views: 7 }, ['"views" is a folder or a list of folders, not number']],
    [{ views: '' }, ['"views" is a folder']],
    [{ viewEngine: true }, ['"view engine" is a string, not boolean']],
    [{ engines: { ejs: 'ejs' } }, ['engines["ejs"] is a function, not string']],
    [{ engines: null }, ['engines is an object']],
    [{ locals: 'a' }, ['locals is an object, not string']],
    [{ settings: [] }, ['settings is an object']],
    [{ settings: { 'json space': 2, jsonSpaces: 2 } }, ['no setting "jsonSpaces"', 'written "json spaces"']],
    [{ settings: { trustProxy: true } }, ['written "trust proxy"']],
    [{ settings: { 'X-Powered-By': false } }, ['written "x-powered-by"']],
    [{ settings: { 'json spaces': -1 } }, ['"json spaces" is a number of spaces or a string, not number']],
    [{ settings: { etag: 'stronger' } }, ['"etag" is true, false', 'not "stronger"']],
    [{ settings: { 'query parser': 'qs' } }, ["'extended'", 'not "qs"']],
    [{ settings: { 'trust proxy': 'nowhere' } }, ["['10.0.0.0/8', 'loopback']", 'not "nowhere"']],
    [{ settings: { 'trust proxy': ['nowhere'] } }, ['"trust proxy" is', 'not this list']],
    [{ settings: { 'trust proxy': null } }, ['"trust proxy" is']],
    [{ settings: { 'subdomain offset': '2' } }, ['"subdomain offset" is a whole number']],
    [{ settings: { 'strict routing': 1 } }, ['"strict routing" is true or false, not number']],
    [{ settings: { 'json replacer': 'a' } }, ['"json replacer" is a function or a list']],
  ])('are refused when they are %j', (options, sentences) => {
    expect(() => new Application(4, options as never)).toThrow(refusal('ERR_OPTION_INVALID', ...sentences))
  })
})

describe.each(versions)('An application that is taken over from Express %i', (version: ExpressVersion) => {
  const make = makers[version]

  it('has its settings, its engines, its locals and its very functions', () => {
    const app = make()
    const engine = (): void => {}
    app.set('json spaces', 2).set('trust proxy', 'loopback').set('etag', 'strong').set('title', 'Shop')
    app.engine('page', engine)
    app.locals['user'] = 'ada'
    const application = Application.fromApp(app)
    expect(application.version).toBe(version)
    expect(application.settings).toEqual(app.settings)
    for (const name of ['etag fn', 'query parser fn', 'trust proxy fn']) {
      expect(application.get(name)).toBe(app.get(name))
    }
    expect(application.engines['.page']).toBe(engine)
    expect(application.locals).toBe(app.locals)
  })

  it('is a copy of its settings and engines, and shares its locals', () => {
    const app = make()
    const application = Application.fromApp(app)
    app.set('title', 'later')
    app.engine('later', () => {})
    app.locals['user'] = 'ada'
    application.set('etag', false)
    expect(application.get('title')).toBeUndefined()
    expect(application.engines).toEqual({})
    expect(application.locals['user']).toBe('ada')
    expect(app.get('etag')).toBe('weak')
  })

  it('has what a mounted app has from its parent', () => {
    const parent = make()
    parent.set('trust proxy', 'loopback').set('title', 'of the parent').set('views', '/views')
    const child = make()
    child.set('views', '/others')
    parent.use('/child', child)
    const application = Application.fromApp(child)
    expect(application.get('trust proxy fn')).toBe(parent.get('trust proxy fn'))
    expect([application.get('title'), application.get('views')]).toEqual(['of the parent', '/others'])
    expect([application.mountpath, application.path()]).toEqual(['/child', '/child'])
  })

  it.each([
    ['a router', () => make.Router()],
    ['a function', () => () => {}],
    ['nothing', () => undefined],
  ])('is not made of %s', (_name, other) => {
    expect(() => Application.fromApp(other() as never)).toThrow(
      refusal('ERR_OPTION_INVALID', 'fromApp takes an Express app'),
    )
  })
})

describe.each([
  ['express4', profile4],
  ['express5', profile5],
] as const)('the options of %s', (name, profile) => {
  it.each([
    ['strict', 'yes'],
    ['caseSensitive', 1],
  ])('refuse %s: %p', (option, value) => {
    expect(() => profile({ [option]: value })).toThrow(
      refusal('ERR_OPTION_INVALID', `${name}: ${option} is true or false`),
    )
  })
})
