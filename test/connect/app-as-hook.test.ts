import { type AnyController, Controller, type Hook, RouteControllers, toListener } from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'

afterEach(closeHosted)

const target = '/y?a=1&b[c]=2'

describe.each(expresses)('An app of %s as a hook', (_name, express) => {
  const parsed = _name === 'Express 4' ? { a: '1', b: { c: '2' } } : { a: '1', 'b[c]': '2' }

  /** An app that answers its query at /x, and passes everything else on. */
  function app(): Hook {
    const own = createExpress(express)
    own.get('/x', (req, res) => void res.json({ query: req.query, originalUrl: req.originalUrl }))
    return own as never
  }

  const ask = async (
    controllers: AnyController[],
    path: string,
    setup: (all: RouteControllers) => void,
  ): Promise<any> => {
    const routeControllers = new RouteControllers(controllers)
    setup(routeControllers)
    const { send } = await host(toListener(routeControllers.getCallback()))
    return (await send(path)).json()
  }

  it('parses the query as it does by itself', async () => {
    const answer = await ask([], '/x?a=1&b[c]=2', (all) => void all.addGlobal(app()))
    expect(answer).toEqual({ query: parsed, originalUrl: '/x?a=1&b[c]=2' })
  })

  it('parses it so behind a hook that has looked at ours, too, and below a path', async () => {
    const seen: unknown[] = []
    const answer = await ask([], '/sub/x?a=1&b[c]=2', (all) => {
      all.addGlobal((req, _res, next) => {
        seen.push((req as never as { query: unknown }).query)
        next()
      })
      all.addGlobal('/sub', app())
    })
    expect(seen).toEqual([{ a: '1', 'b[c]': '2' }])
    expect(answer).toEqual({ query: parsed, originalUrl: '/sub/x?a=1&b[c]=2' })
  })

  it('parses it so behind a hook that has rewritten the URL', async () => {
    const answer = await ask([], '/old?d=2', (all) => {
      all.addGlobal((req, _res, next) => {
        req.url = '/sub/x?a=1&b[c]=2'
        next()
      })
      all.addGlobal('/sub', app())
    })
    expect(answer.query).toEqual(parsed)
  })

  it.each<[string, AnyController]>([
    ['a callback', new Controller('GET', '/y', (req, res) => res.json(req.query))],
    [
      'a handler of Express',
      new Controller(
        'GET',
        '/y',
        fromExpress((req, res) => void res.json(req.query)),
      ),
    ],
  ])('leaves our query to %s behind it', async (_who, controller) => {
    expect(await ask([controller], target, (all) => void all.addGlobal(app()))).toEqual({
      a: '1',
      'b[c]': '2',
    })
  })

  it('leaves our query to a hook behind it', async () => {
    const answer = await ask([], target, (all) => {
      all.addGlobal(app())
      all.addGlobal((req, res) => void res.end(JSON.stringify((req as never as { query: object }).query)))
    })
    expect(answer).toEqual({ a: '1', 'b[c]': '2' })
  })

  it('leaves none of its members on the request and the response that it passes on', async () => {
    const seen: unknown[] = []
    const look = (when: string) => (req: object, res: object, next: () => void) => {
      seen.push([when, 'render' in res, 'accepts' in req])
      next()
    }
    await ask([new Controller('GET', '/y', () => ({}))], target, (all) => {
      all.addGlobal(look('before')).addGlobal(app()).addGlobal(look('behind'))
    })
    expect(seen).toEqual([
      ['before', false, false],
      ['behind', false, false],
    ])
  })

  it('leaves what a hook has put in place of the query', async () => {
    const answer = await ask(
      [new Controller('GET', '/y', (req, res) => res.json(req.query))],
      target,
      (all) => {
        all.addGlobal((req, _res, next) => {
          ;(req as never as { query: object }).query = { cleaned: 'yes' }
          next()
        })
        all.addGlobal(app())
      },
    )
    expect(answer).toEqual({ cleaned: 'yes' })
  })

  it('inside a host sees the query of the host, which the host then has again', async () => {
    const outer = createExpress(express)
    const all = new RouteControllers([]).addGlobal(app(), { scope: 'every' })
    outer.use(all.middleware())
    outer.get('/y', (req, res) => void res.json(req.query))
    const { send } = await host(outer)
    expect((await send('/x?a=1&b[c]=2')).json().query).toEqual(parsed)
    expect((await send(target)).json()).toEqual(parsed)
  })

  it.each<[string, boolean, unknown]>([
    ['our query', false, { a: '1', 'b[c]': '2' }],
    ['what a hook has put in its place', true, { cleaned: 'yes' }],
  ])('inside a host leaves to a callback behind it %s', async (_what, cleans, expected) => {
    const seen: unknown[] = []
    const outer = createExpress(express)
    const all = new RouteControllers([new Controller('GET', '/y', (req, res) => res.json(req.query))])
    all.addGlobal((req, _res, next) => {
      if (cleans) {
        const value = { cleaned: 'yes' }
        Object.defineProperty(req, 'query', { value, writable: true, enumerable: true, configurable: true })
      }
      next()
    })
    const own = createExpress(express)
    own.use((req, _res, next) => {
      seen.push(req.query)
      next()
    })
    all.addGlobal(own as never)
    outer.use(all.middleware())
    const { send } = await host(outer)
    expect((await send(target)).json()).toEqual(expected)
    expect(seen).toEqual([cleans ? expected : parsed])
  })
})

it.each(expresses)(
  '%s has its own query again behind a hook that rewrites the URL',
  async (name, express) => {
    const all = new RouteControllers([]).addGlobal(
      (req, _res, next) => {
        req.url = '/new?c[d]=2'
        next()
      },
      { scope: 'every' },
    )
    const app = createExpress(express).set('query parser', 'extended')
    app.use(all.middleware())
    app.get('/new', (req, res) => void res.json(req.query))
    const { send } = await host(app)
    // Version 4 reads it of the URL as it came, before any middleware.
    const expected = name === 'Express 4' ? { a: { b: '1' } } : { c: { d: '2' } }
    expect((await send('/old?a[b]=1')).json()).toEqual(expected)
  },
)
