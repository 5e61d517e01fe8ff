// `toControllers(app, { only, except })`: a part of an app in front, each route with all that guards it, the rest behind.
import express5 from 'express'
import express4 from 'express4'
import fc from 'fast-check'
import { Controller, RouteControllers, Server } from 'routecontrollers'
import { fromApp, toControllers } from 'routecontrollers/express'
import { inspect } from '@routecontrollers/cli'
import { times } from '../support/counts.js'
import { describeServings, listenOn } from '../support/describe-servings.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { refusal } from '../support/refusal.js'
import { ask } from './support/compare.js'

afterEach(async () => {
  jest.restoreAllMocks()
  await closeHosted()
})

const say =
  (text: string) =>
  (_req: unknown, res: any): void =>
    res.send(text)

/** An app with a guard, routers, and paths that are alike. */
function createApp(express: typeof express5): any {
  const app: any = express().set('env', 'production')
  app.use('/account', (req: any, res: any, next: () => void) =>
    req.get('x-user') === 'mia' ? next() : res.status(401).send('who?'),
  )
  const account = express.Router()
  account.get('/', say('account'))
  account.get('/orders/:id', say('order'))
  account.post('/orders', say('ordered'))
  account.all('/all', (req: any, res: any) => res.send(`all ${req.method}`))
  app.use('/account', account)
  app.get('/teas', say('teas'))
  app.get('/Teas/green', say('green'))
  app.get(['/one', '/two'], say('list'))
  app.get('/passing', (_req: unknown, _res: unknown, next: () => void) => next())
  app.get(/^\/re+gexp$/, say('regexp'))
  return app
}

const nameOf = ({ method, pattern }: any): string => `${method} ${pattern.source}`

const mia = { headers: { 'x-user': 'mia' } }

describe.each([
  [4, express4],
  [5, express5],
] as const)('Of an app of Express %i', (version, express) => {
  const names = (options: object, app = createApp(express)): string[] =>
    toControllers(app, options).controllers.map((one) => nameOf(one))

  it('has a preflight for a route that was taken over answered by a hook, and no other request', async () => {
    const app = createApp(express)
    const { controllers } = toControllers(app, { only: ['GET /teas'] })
    const routeControllers = new RouteControllers(controllers, { profile: fromApp(app) })
    const hooked: string[] = []
    routeControllers.addGlobal((req, res, next) => {
      hooked.push(req.method!)
      if (req.method !== 'OPTIONS') return next()
      res.statusCode = 204
      res.end()
    })
    const server = await new Server().start({ port: 0, host: '127.0.0.1', routeControllers, fallback: app })
    closeLater(() => server.stop())
    const send = async (method: string, target: string, headers: Record<string, string>): Promise<string> => {
      const { statusLine, body } = await ask(server.getPort(), { method, target, headers })
      return `${statusLine.split(' ')[1]!} ${body}`
    }
    const [from, asks] = [{ Origin: 'http://x' }, { 'Access-Control-Request-Method': 'GET' }]
    expect(await send('OPTIONS', '/teas', { ...from, ...asks })).toBe('204 ')
    // The app itself answers these.
    expect(await send('OPTIONS', '/teas', {})).toMatch(/^200 GET/)
    expect(await send('OPTIONS', '/teas', from)).toMatch(/^200 GET/)
    expect(await send('OPTIONS', '/teas', asks)).toMatch(/^200 GET/)
    const post = { ...from, 'Access-Control-Request-Method': 'POST' }
    expect(await send('OPTIONS', '/teas', post)).toMatch(/^200 GET/)
    expect(await send('OPTIONS', '/account/all', { ...from, ...asks })).toBe('401 who?')
    expect(await send('GET', '/teas', { ...from, ...asks })).toBe('200 teas')
    expect(await send('POST', '/teas', { ...from, ...asks })).toMatch(/^404/)
    expect(hooked).toEqual(['OPTIONS', 'GET'])
  })

  it.each([
    [['GET /account/**'], ['GET /account', 'GET /account/orders/:id', 'GET /account/all']],
    [['/account/orders/*'], ['GET /account/orders/:id']],
    [['/account/o*'], ['POST /account/orders']],
    [['POST /account/orders'], ['POST /account/orders']],
    [['post  /account/orders'], ['POST /account/orders']],
    [['* /account/all'], ['* /account/all']],
    [
      ['DELETE /account/all', 'GET /account/all'],
      ['DELETE /account/all', 'GET /account/all'],
    ],
    [['GET /teas'], ['GET /teas']],
    [['/Teas/green'], ['GET /Teas/green']],
    [['**/green'], ['GET /Teas/green']],
    [
      ['HEAD /teas', 'OPTIONS /teas'],
      ['HEAD /teas', 'OPTIONS /teas'],
    ],
    [['GET /two'], ['GET [/one, /two]']],
    [['GET [/one, /two]'], ['GET [/one, /two]']],
    [['[/one, /two]'], ['GET [/one, /two]']],
    [['/^\\/re+gexp$/'], ['GET /^\\/re+gexp$/']],
  ])('only %j takes %j', (only, expected) => {
    expect(new Set(names({ only }))).toEqual(new Set(expected))
  })

  it('GET of only and except is HEAD too, which no fallback gets then', async () => {
    const server = new Server()
    const app = createApp(express)
    const ask = async (options: object): Promise<number[]> => {
      const { controllers } = toControllers(app, options)
      await server.start({
        port: 0,
        host: '127.0.0.1',
        RouteControllers: new RouteControllers(controllers, { profile: fromApp(app) }),
        fallback: (_req, res) => void res.writeHead(299).end(),
      })
      const statuses = await Promise.all(
        ['GET', 'HEAD', 'OPTIONS'].map(async (method) => {
          return (await fetch(`${server.getURL()}/teas`, { method })).status
        }),
      )
      await server.stop()
      return statuses
    }
    expect(await ask({ only: ['GET /teas'] })).toEqual([200, 200, 299])
    expect(await ask({ only: ['get /teas'] })).toEqual([200, 200, 299])
    expect(await ask({ only: ['/teas'], except: ['GET /teas'] })).toEqual([299, 299, 299])
  })

  it('GET of except leaves HEAD with the app too, of all methods and of a route among others', async () => {
    const app = createApp(express)
    const { controllers } = toControllers(app, { except: ['GET /teas', 'GET /account/all'] })
    const routeControllers = new RouteControllers(controllers, { profile: fromApp(app) })
    const fallback = (_req: unknown, res: any): void => void res.writeHead(299).end()
    const server = await new Server().start({ port: 0, host: '127.0.0.1', routeControllers, fallback })
    closeLater(() => server.stop())
    const send = async (method: string, target: string): Promise<string> =>
      (await ask(server.getPort(), { method, target, ...mia })).statusLine.split(' ')[1]!
    expect(await send('GET', '/teas')).toBe('299')
    expect(await send('HEAD', '/teas')).toBe('299')
    expect(await send('GET', '/account/all')).toBe('299')
    expect(await send('HEAD', '/account/all')).toBe('299')
    expect(await send('POST', '/account/all')).toBe('200')
    expect(await send('HEAD', '/two')).toBe('200')
  })

  it('except leaves what only has chosen, or what there is', () => {
    expect(names({ only: ['/account/**'], except: ['GET /account', '/account/orders/**'] })).toEqual([
      '* /account/all',
    ])
    expect(names({ except: ['/account/**', '/two'] })).toEqual([
      'GET /teas',
      'GET /Teas/green',
      'GET /passing',
      'GET /^\\/re+gexp$/',
    ])
  })

  it('what getPath() gives is what only and except take, for lists of lists and expressions too', () => {
    const make = (): any => {
      const app = createApp(express)
      const router = express.Router()
      router.get(['/a/:id', '/b'], say('a'))
      router.post([/^\/c(\d)$/, '/d'] as any, say('c'))
      app.use(['/x', '/y'], router)
      return app
    }
    const all = names({}, make())
    expect(all).toHaveLength(11)
    if (version === 5) expect(all).toContain('GET [/x, /y]/[/a/:id, /b]')
    for (const one of all) {
      expect(names({ only: [one] }, make())).toEqual([one])
      expect(names({ except: [one] }, make())).toEqual(all.filter((other) => other !== one))
    }
  })

  it('what inspect prints is what only takes', () => {
    const app = createApp(express)
    const { routes } = inspect(app)
    expect(routes).toHaveLength(10)
    for (const { method, path } of routes) {
      const [taken, ...others] = names({ only: [`${method} ${path}`] }, app)
      expect([taken!.endsWith(path) || taken === 'GET [/one, /two]', others]).toEqual([true, []])
    }
  })

  it.each<[object, string[]]>([
    [{ only: [] }, ['only is empty', 'leave it out']],
    [{ only: 'GET /teas' }, ['only is an array', 'not string']],
    [{ only: new Set(['/teas']) }, ['only is an array', 'not a Set']],
    [{ except: [7] }, ["an entry of except is 'GET /path'", 'not number']],
    [{ only: ['teas'] }, ["an entry of only is 'GET /path'", 'not "teas"']],
    [{ only: ['GET'] }, ['not "GET"']],
    [{ only: ['GET /tea'] }, ['only has "GET /tea"', 'the closest route is "GET /teas"']],
    [{ only: ['/TEAS'] }, ['only has "/TEAS"', 'the closest route is "/teas"']],
    [{ only: ['POST /teas'] }, ['only has "POST /teas"', 'the closest route is "GET /teas"']],
    [{ except: ['/acount/**'] }, ['except has "/acount/**"']],
    [{ only: ['/teas'], middleware: true }, ['middleware: true answers every request']],
  ])('refuses %j', (options, parts) => {
    expect(() => names(options)).toThrow(refusal('ERR_OPTION_INVALID', ...parts))
  })

  it('refuses to choose of an app that has no routes', () => {
    expect(() => names({ only: ['/teas'] }, express())).toThrow(
      refusal('ERR_OPTION_INVALID', 'the app has no routes yet'),
    )
  })

  it(
    'in front of the app, whatever was chosen, each answer and each call is that of the app alone',
    async () => {
      const app = createApp(express)
      const calls: string[] = []
      app.use((req: any, _res: unknown, next: () => void) => {
        calls.push(`${req.method} ${req.originalUrl}`)
        next()
      })
      jest.spyOn(console, 'error').mockImplementation(() => {})
      const alone = await listenOn(app)
      const all = inspect(app).routes.map(({ method, path }) => `${method} ${path}`)
      const requests = ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'].flatMap((method) =>
        [
          '/account',
          '/account/orders/7',
          '/account/orders',
          '/account/all',
          '/TEAS/',
          '/teas/green',
          '/two',
          '/passing',
          '/regexp',
          '/no',
          '/account/orders/%zz',
        ].map((target) => ({ method, target, headers: { 'x-user': 'mia' } })),
      )
      const record = async (port: number): Promise<unknown[]> => {
        const answers: unknown[] = []
        for (const request of requests) {
          calls.length = 0
          const { statusLine, body } = await ask(port, request)
          answers.push({ ...request, statusLine, body, calls: [...calls] })
        }
        return answers
      }
      const expected = await record(alone.port)
      expect(expected.filter((one: any) => one.statusLine.includes(' 200 ')).length).toBeGreaterThan(20)
      const choices = fc.sample(fc.tuple(fc.subarray(all), fc.subarray(all)), {
        seed: 7,
        numRuns: times(6, 100),
      })
      for (const [only, except] of choices) {
        const { controllers } = toControllers(app, { ...(only.length > 0 && { only }), except })
        const server = await new Server().start({
          port: 0,
          host: '127.0.0.1',
          routeControllers: new RouteControllers(controllers, { profile: fromApp(app) }),
          fallback: app,
        })
        expect({ only, except, answers: await record(server.getPort()) }).toEqual({
          only,
          except,
          answers: expected,
        })
        await server.stop()
      }
      await alone.close()
    },
    times(20_000, 300_000),
  )

  describeServings('the app in parts', (serving) => {
    const serve = async (options: object) => {
      const app = createApp(express)
      const { controllers } = toControllers(app, options)
      const behind = jest.fn()
      const served = await serving.serve(controllers, {
        profile: fromApp(app),
        downstream: (host) =>
          void host.use((req: any, res: any) => {
            behind(`${req.method} ${req.originalUrl}`)
            res.status(404).send('behind')
          }),
      })
      return {
        app,
        behind,
        text: async (target: string, sent: object = {}) => {
          const { status, text } = await served.send(target, sent)
          return status === 404 ? 'left' : `${status} ${text}`
        },
      }
    }

    it('the routes of only are answered, guards included, and all others are left', async () => {
      const { text } = await serve({ only: ['GET /account/**', '/teas'] })
      expect(await text('/account')).toBe('401 who?')
      expect(await text('/account', mia)).toBe('200 account')
      expect(await text('/account/orders/7')).toBe('401 who?')
      expect(await text('/account/orders/7', mia)).toBe('200 order')
      expect(await text('/account/all', mia)).toBe('200 all GET')
      expect(await text('/teas')).toBe('200 teas')
      expect(await text('/teas', { method: 'HEAD' })).toBe('200 ')
      expect(await text('/account/all', { ...mia, method: 'POST' })).toBe('left')
      expect(await text('/account/orders', { ...mia, method: 'POST' })).toBe('left')
      expect(await text('/account/nothing', mia)).toBe('left')
      expect(await text('/one')).toBe('left')
    })

    it('OPTIONS is taken where it is named, or the route for all methods', async () => {
      const { text } = await serve({ only: ['GET /teas', '/one', 'OPTIONS /Teas/green'] })
      expect(await text('/two', { method: 'OPTIONS' })).toMatch(/^200 GET, ?HEAD$/)
      // Both routes have this path, where case does not count.
      expect(await text('/Teas/green', { method: 'OPTIONS' })).toMatch(/^200 GET, ?HEAD$/)
      expect(await text('/passing', { method: 'OPTIONS' })).toBe('left')
      if (serving.misses === 'host') expect(await text('/teas', { method: 'OPTIONS' })).toBe('left')
    })

    it('a param that cannot be decoded is refused where its route was taken, and left where it was not', async () => {
      const taken = await serve({ only: ['GET /account/**'] })
      expect(await taken.text('/account/orders/%zz', mia)).toMatch(/^400 /)
      const left = await serve({ except: ['GET /account/orders/:id'] })
      if (serving.misses === 'host') expect(await left.text('/account/orders/%zz', mia)).toBe('left')
    })

    it('a route that passes on ends in 404, and what stands behind never has the request', async () => {
      const { text, behind } = await serve({ only: ['GET /passing'] })
      expect(await text('/passing')).toBe('left')
      if (serving.name.startsWith('in front')) expect(behind).not.toHaveBeenCalled()
    })

    it('a Controller that stands between its routes is answered, also where only does not name it', async () => {
      const app = createApp(express)
      const { controllers } = toControllers(app, { only: ['GET /account', '/teas'] })
      const own = new Controller('GET', '/account/own', () => 'own')
      const { send } = await serving.serve([...controllers.slice(0, 1), own, ...controllers.slice(1)], {
        profile: fromApp(app),
        downstream: (host) => void host.use((_req: any, res: any) => res.status(404).send('behind')),
      })
      const texts = ['/account', '/account/own', '/teas'].map(async (path) => (await send(path, mia)).text)
      expect(await Promise.all(texts)).toEqual(['account', 'own', 'teas'])
      // The guard stands before the first of them, and so before what follows that.
      expect((await send('/account/own')).text).toBe('who?')
    })

    it('one method of a route of all methods is answered, where others of the chosen routes are not listed', async () => {
      const app = createApp(express)
      const { controllers } = toControllers(app, { only: ['GET /account/all', '/teas'] })
      const listed = controllers.filter((one) => nameOf(one) !== 'GET /teas')
      const { send } = await serving.serve(listed, {
        profile: fromApp(app),
        downstream: (host) => void host.use((_req: any, res: any) => res.status(404).send('behind')),
      })
      expect((await send('/account/all', mia)).text).toBe('all GET')
      expect((await send('/teas')).status).toBe(404)
    })

    it('a route that is registered later is taken where a pattern says so', async () => {
      const { app, text } = await serve({ only: ['GET /account/**'] })
      app.get('/account/later', say('later'))
      app.get('/later', say('later'))
      expect(await text('/account/later', mia)).toBe('200 later')
      expect(await text('/account/later')).toBe('401 who?')
      expect(await text('/later')).toBe('left')
    })
  })
})
