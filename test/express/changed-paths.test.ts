// A layer whose path somebody has changed in place: it guards what it matches, and not what it was registered for.
import express5 from 'express'
import express4 from 'express4'
import { RouteControllers } from 'routecontrollers'
import { fromApp, toControllers } from 'routecontrollers/express'
import { shapeOfLayer, shapeOfPath } from '../../src/express/model/shape.js'
import { listenOn } from '../support/describe-servings.js'
import { ask } from './support/compare.js'

type Change = (layer: any, like: (path: unknown) => any) => void

const anyShape = { segments: [], open: true }

const changes = {
  4: {
    'the expression of another path': (layer, like) => (layer.regexp = like('/open').regexp),
    'an expression for all paths': (layer) => (layer.regexp = /^/),
    'the flag of the path /': (layer) => (layer.regexp.fast_slash = true),
    'the flag of the path *': (layer) => (layer.regexp.fast_star = true),
    'another exec': (layer) => {
      layer.regexp.exec = (path: string) => (path === '/open' ? [layer.route ? path : ''] : null)
    },
  },
  5: {
    'the matchers of another path': (layer, like) => (layer.matchers = like('/open').matchers),
    'the matchers of a param': (layer, like) => (layer.matchers = like('/:any').matchers),
    'the matchers of a wildcard': (layer, like) => (layer.matchers = like('/{*rest}').matchers),
    'the matchers of a text with a param': (layer, like) => {
      layer.matchers = like('/:before{-:behind}').matchers
    },
    'the matchers of an expression': (layer, like) => (layer.matchers = like(/^\/(open|closed)/).matchers),
    'the matchers of a list': (layer, like) => (layer.matchers = like(['/closed', '/open']).matchers),
    'one more matcher': (layer, like) => layer.matchers.push(...like('/open').matchers),
    'another function as its matcher': (layer) => {
      layer.matchers[0] = (path: string) => ({ path: layer.route ? path : '', params: {} })
    },
    'a function that matches another path too': (layer) => {
      layer.matchers[0] = (path: string) =>
        ['/closed', '/open'].includes(path) && { path: layer.route ? path : '', params: {} }
    },
    'the matcher of another path': (layer, like) => (layer.matchers[0] = like('/open').matchers[0]),
    'the flag of the path /': (layer) => (layer.slash = true),
  },
} satisfies Record<4 | 5, Record<string, Change>>

describe.each([
  [4, express4],
  [5, express5],
] as const)('an app of Express %i', (version, express: any) => {
  const stackOf = (app: any): any[] => (version === 4 ? app._router : app.router).stack
  const deny = (_req: unknown, res: any): void => void res.status(401).end('denied')
  const guard = (req: any, res: any, next: () => void): void => (req.query.pass ? next() : deny(req, res))

  const guards: Record<string, (app: any, path: unknown) => unknown> = {
    'a function of use': (app, path) => app.use(path, guard),
    'a route of all methods': (app, path) => app.all(path, guard),
    'a route of all methods that answers': (app, path) => app.all(path, deny),
    'a route of one method': (app, path) => app.get(path, guard),
  }

  const create = (register: (app: any, path: unknown) => unknown) => {
    const app = express().set('env', 'test')
    register(app, '/closed')
    const layer = stackOf(app).at(-1)
    app.get('/open', (_req: unknown, res: any) => res.end('open'))
    const like = (path: unknown): any => {
      const other = express()
      register(other, path)
      return stackOf(other).at(-1)
    }
    return { app, layer, like }
  }

  const serve = (app: any): ((path: string) => Promise<string>) => {
    const { controllers } = toControllers(app)
    const fetchHandler = new RouteControllers(controllers, { profile: fromApp(app) }).getCallback()
    return async (path) => (await fetchHandler(new Request(`http://x${path}`))).text()
  }

  const isGuarded = async (app: any): Promise<boolean> => {
    const { port, close } = await listenOn(app)
    const { body } = await ask(port, { target: '/open' })
    await close()
    return body === 'denied'
  }

  const cases = Object.entries(guards).flatMap(([kind, register]) =>
    Object.entries(changes[version] as Record<string, Change>).map(
      ([name, change]) => [kind, name, register, change] as const,
    ),
  )

  it.each(cases)(
    'runs %s that was given %s, before it was taken over and since',
    async (_kind, _name, register, change) => {
      const before = create(register)
      change(before.layer, before.like)
      expect(await isGuarded(before.app)).toBe(true)
      expect(await serve(before.app)('/open')).toBe('denied')

      const since = create(register)
      const send = serve(since.app)
      expect(await send('/open')).toBe('open')
      change(since.layer, since.like)
      expect(await send('/open')).toBe('denied')
    },
  )

  it('runs a route of one method that answers, and was given another path before it was taken over', async () => {
    const { app, layer, like } = create((one, path) => one.get(path, deny))
    for (const name of ['regexp', 'matchers']) if (name in layer) layer[name] = like('/open')[name]
    expect(await isGuarded(app)).toBe(true)
    expect(await serve(app)('/open')).toBe('denied')
  })

  it('knows what a layer matches where nobody has changed it, whatever the settings of its router', () => {
    const ofBoth = ['/', '/x', '/X/y/', '/x/:id', '/:id', '/:a/y/:b', "/a-b_c.d~e'f", '/x%20y', '/x/:id.json']
    const ofOne = {
      4: ['/x//', '/x/*', '/x/:id?', '/x/:id(\\d+)', '/a(bc)?d', '/x.y+'],
      5: ['/x/*rest', '/x{/:id}', '/x{/y}/z', '/a\\:b', '/x/:"a b"', '/a//{b}', '/f/{*rest}/g'],
    }
    for (const strict of [false, true]) {
      for (const caseSensitive of [false, true]) {
        const router = express.Router({ strict, caseSensitive })
        for (const path of [...ofBoth, ...ofOne[version]]) {
          router.get(path, deny)
          expect([path, shapeOfLayer(version, router.stack.at(-1))]).toEqual([
            path,
            shapeOfPath(version, path, true),
          ])
        }
        router.use('/closed/:id/', guard)
        const mount = router.stack.at(-1)
        // Routers of version 5 before 2.3 keep the path of no function of `use`.
        const isKnown = version === 4 || mount.rawPath !== undefined
        expect(shapeOfLayer(version, mount)).toEqual(
          isKnown ? { segments: ['closed', null], open: true } : anyShape,
        )
      }
    }
  })

  it('does not take what matches more for what Express has made of a path', () => {
    const others = {
      4: ['/closed/*', '/:any', '/clos(ed)?', '*'],
      5: [
        '/c:any',
        '/clo:any',
        '/{*any}',
        '/:any',
        '/closed{/*any}',
        '{/:any}/closed',
        '/closed{/:any}/',
        '/{:any}closed',
      ],
    }
    const router = express.Router()
    for (const other of others[version]) {
      router.get('/closed', deny).get(other, deny)
      const [layer, from] = router.stack.slice(-2)
      for (const name of ['regexp', 'matchers']) if (name in layer) layer[name] = from[name]
      expect([other, shapeOfLayer(version, layer)]).toEqual([other, anyShape])
    }
  })

  it('knows nothing of what a layer matches by that a program has written', () => {
    const router = express.Router().get('/closed', deny)
    const [layer] = router.stack
    if (version === 4)
      layer.regexp = Object.assign(new RegExp(layer.regexp.source, 'iy'), {
        fast_slash: false,
        fast_star: false,
      })
    else layer.matchers[0] = (path: string) => ['/closed', '/open'].includes(path) && { path, params: {} }
    expect(shapeOfLayer(version, layer)).toEqual(anyShape)
  })

  it('counts no match of an expression with the flag g that a layer was given', async () => {
    if (version === 5) return
    const { app, layer } = create(guards['a route of all methods']!)
    layer.regexp = Object.assign(/^\/open/g, { fast_slash: false, fast_star: false })
    const send = serve(app)
    expect([await send('/open'), await send('/open'), await send('/open')]).toEqual([
      'denied',
      'open',
      'denied',
    ])
  })

  it('asks a guard whose expression was given the flag g for requests of other paths too, which begin it again', async () => {
    if (version === 5) return
    const { app, layer } = create(guards['a function of use']!)
    app.get('/closed', (_req: unknown, res: any) => res.end('closed'))
    const { source } = layer.regexp
    layer.regexp = Object.assign(new RegExp(source, 'gi'), { fast_slash: false, fast_star: false })
    const send = serve(app)
    const answers: string[] = []
    for (const path of ['/closed', '/open', '/closed']) answers.push(await send(path))
    expect(answers).toEqual(['denied', 'open', 'denied'])
  })
})
