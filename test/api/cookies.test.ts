import cookieParser from 'cookie-parser'
import { Controller, fromConnect } from 'routecontrollers'
import { express5, fromExpress } from 'routecontrollers/express'
import { describeServings } from '../support/describe-servings.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'

const parsed = [
  cookieParser('secret'),
  (req: any, res: any) => void res.json({ cookies: req.cookies, signed: req.signedCookies }),
] as const
const echo = (req: { cookies: object }) => ({ ...req.cookies })

describeServingsAndHttp2('req.cookies', (serving) => {
  const answerTo = async (cookie: string | undefined): Promise<unknown> => {
    const { send } = await serving.serve([new Controller('GET', '/', echo)])
    return (await send('/', cookie === undefined ? {} : { headers: { cookie } })).json() as unknown
  }

  it.each([
    ['a=1; b=%C3%A9; c="x"', { a: '1', b: 'é', c: '"x"' }],
    ['a=1; a=2', { a: '1' }],
    ['a=%zz', { a: '%zz' }],
    ['a', {}],
    ['=1; ;;', { '': '1' }],
    [undefined, {}],
  ])('of %p are %p', async (cookie, expected) => {
    expect(await answerTo(cookie)).toEqual(expected)
  })

  it('have no prototype that a name could meet', async () => {
    const seen: object[] = []
    const { send } = await serving.serve([
      new Controller('GET', '/', (req) => {
        seen.push(req.cookies)
        return {
          of: Object.entries(req.cookies).find(([name]) => name === 'toString')?.[1] ?? null,
          proto: req.cookies['__proto__'] ?? null,
        }
      }),
    ])
    expect((await send('/')).json()).toEqual({ of: null, proto: null })
    expect((await send('/', { headers: { cookie: '__proto__=a; toString=b' } })).json()).toEqual({
      of: 'b',
      proto: 'a',
    })
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })

  it('are parsed once for a request', async () => {
    const same = new Controller('GET', '/', (req) => ({ same: req.cookies === req.cookies }))
    const { send } = await serving.serve([same])
    expect((await send('/', { headers: { cookie: 'a=1' } })).json()).toEqual({ same: true })
  })

  it('are there in middleware, in onError and behind hooks; not in hooks, as in Express', async () => {
    const seen: unknown[] = []
    const note = (req: object): void => void seen.push((req as { cookies?: { a?: string } }).cookies?.a)
    const controller = new Controller('GET', '/', (req) => {
      note(req)
      throw new Error('no')
    })
    controller
      .use((req) => note(req))
      .use(
        fromConnect((req, _res, next) => {
          note(req)
          next()
        }),
      )
    const { send } = await serving.serve([controller], {
      setup: (routeControllers) =>
        routeControllers.addGlobal((req, _res, next) => {
          note(req)
          next()
        }),
      onError: (_error, req, res) => {
        note(req)
        return res.status(500).end()
      },
    })
    await send('/', { headers: { cookie: 'a=1' } })
    expect(seen).toEqual([undefined, '1', undefined, '1', '1'])
  })

  it.each(['a hook', 'a middleware'])('are those of cookie-parser behind it as %s', async (as) => {
    const controller = new Controller<'/', { signedCookies: object }>('GET', '/', (req) => ({
      cookies: req.cookies,
      signed: req.signedCookies,
    }))
    controller.use((req) => void req.cookies)
    if (as === 'a middleware') controller.use(fromConnect(cookieParser('secret')))
    const { send } = await serving.serve([controller], {
      setup: (routeControllers) => {
        if (as === 'a hook') routeControllers.addGlobal(cookieParser('secret'))
      },
    })
    const cookie = `plain=1; json=${encodeURIComponent('j:{"a":1}')}; forged=${encodeURIComponent('s:1.x')}`
    expect((await send('/', { headers: { cookie } })).json()).toEqual({
      cookies: { plain: '1', json: { a: 1 } },
      signed: { forged: false },
    })
  })

  it.each<[string, () => Controller]>([
    ['are the callback', () => new Controller('GET', '/', fromExpress(...parsed))],
    [
      'are behind our middleware',
      () => new Controller('GET', '/', fromExpress(...parsed)).use((req) => void req.cookies),
    ],
  ])('are those of cookie-parser among handlers of Express that %s', async (_how, controller) => {
    const { send } = await serving.serve([controller()])
    const forged = encodeURIComponent('s:1.x')
    expect((await send('/', { headers: { cookie: `a=1; forged=${forged}` } })).json()).toEqual({
      cookies: { a: '1' },
      signed: { forged: false },
    })
  })

  it('under a profile are there in our own callback, and in a handler of Express only with a parser', async () => {
    const controllers = [
      new Controller('GET', '/ours', echo),
      new Controller(
        'GET',
        '/theirs',
        fromExpress((req, res) => res.json({ is: typeof req.cookies })),
      ),
    ]
    const { send } = await serving.serve(controllers, { profile: express5() })
    expect((await send('/ours', { headers: { cookie: 'a=1' } })).json()).toEqual({ a: '1' })
    expect((await send('/theirs', { headers: { cookie: 'a=1' } })).json()).toEqual({ is: 'undefined' })
  })
})

describeServings(
  'req.cookies inside Express',
  (serving) => {
    it("are those of the host's cookie-parser", async () => {
      const { send } = await serving.serve([new Controller('GET', '/', echo)], {
        upstream: (app) => void app.use(cookieParser()),
      })
      const cookie = `json=${encodeURIComponent('j:{"a":1}')}`
      expect((await send('/', { headers: { cookie } })).json()).toEqual({ json: { a: 1 } })
    })
  },
  ({ errors }) => errors === 'host',
)

describeServings(
  'req.cookies before Express',
  (serving) => {
    it('leave a cookie-parser behind us its work', async () => {
      const { send } = await serving.serve([new Controller('GET', '/ours', echo)], {
        setup: (routeControllers) =>
          routeControllers.addGlobal((_req, _res, next) => next(), { scope: 'every' }),
        downstream: (app) => void app.use(cookieParser(), (req, res) => void res.json(req.cookies)),
      })
      const cookie = `json=${encodeURIComponent('j:{"a":1}')}`
      expect((await send('/theirs', { headers: { cookie } })).json()).toEqual({ json: { a: 1 } })
    })
  },
  ({ misses }) => misses === 'host',
)

describeServings(
  'req.cookies of onNotFound and of onError',
  ({ serve }) => {
    it('is there as in a callback, also behind hooks', async () => {
      const { send } = await serve([new Controller('GET', '/fails', () => Promise.reject(new Error('no')))], {
        setup: (all) => void all.addGlobal((_req, _res, next) => next()),
        onNotFound: (req, res) => res.status(404).json(req.cookies),
        onError: (_error, req, res) => res.status(500).json(req.cookies),
      })
      for (const target of ['/fails', '/nowhere']) {
        expect((await send(target, { headers: { cookie: 'a=1' } })).json()).toEqual({ a: '1' })
      }
    })
  },
  ({ misses }) => misses === 'us',
)

describeServingsAndHttp2('res.cookie', ({ serve }) => {
  it('sets the same cookie as often as it is called, as in Express, also behind a hook', async () => {
    const twice = new Controller('GET', '/', (_req, res) => res.cookie('a', '1').cookie('a', '1').text('x'))
    const bare = await serve([twice])
    const behind = await serve([twice], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((_req, res, next) => {
          res.setHeader('Set-Cookie', 'hook=1')
          next()
        }),
    })
    expect((await bare.send('/')).cookies).toEqual(['a=1; Path=/', 'a=1; Path=/'])
    expect((await behind.send('/')).cookies).toEqual(['hook=1', 'a=1; Path=/', 'a=1; Path=/'])
  })
})
