// Controllers in the router whose profile they have, compared with routes of that router: the same requests to both.
import express5 from 'express'
import express4 from 'express4'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromApp, fromExpress, fromRouter } from 'routecontrollers/express'
import { listenOn } from '../support/describe-servings.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { ask } from './support/compare.js'

const versions = { 4: express4, 5: express5 } as const

afterEach(closeHosted)

type Register = (to: any, isApp: boolean, method: string, path: string, handler: any) => void

const asRoutes: Register = (to, _isApp, method, path, handler) =>
  to[method === '*' ? 'all' : method.toLowerCase()](path, handler)
const asControllers: Register = (to, isApp, method, path, handler) => {
  const profile = isApp ? fromApp(to) : fromRouter(to)
  const controller = new Controller(method, expressPath(path), fromExpress(handler))
  to.use(new RouteControllers([controller], { profile }).middleware())
}

describe.each([4, 5] as const)('Controllers in their own router of Express %i', (version) => {
  const express: any = versions[version]

  const alike = async (make: (app: any, register: Register) => void, requests: readonly string[]) => {
    const ports = await Promise.all(
      [asRoutes, asControllers].map(async (register) => {
        const app = express().set('env', 'production')
        make(app, register)
        const { port, close } = await listenOn(app)
        closeLater(close)
        return port
      }),
    )
    for (const request of requests) {
      const [method, target] = request.split(' ') as [string, string]
      const [theirs, ours] = await Promise.all(ports.map((port) => ask(port, { method, target })))
      expect({ request, ...ours }).toEqual({ request, ...theirs })
    }
  }

  it('name their methods with those of all routes, when the router comes to its end', () =>
    alike(
      (app, register) => {
        app.get('/x', (_req: any, res: any) => res.send('first'))
        register(app, true, 'POST', '/x', (_req: any, res: any) => res.send('ours'))
        app.use('/x/y', (_req: any, _res: any, next: any) => next())
        register(app, true, 'DELETE', '/:any', (_req: any, res: any) => res.send('ours too'))
        app.put('/x', (_req: any, res: any) => res.send('last'))
      },
      [
        'OPTIONS /x',
        'OPTIONS /x/',
        'OPTIONS /X',
        'OPTIONS /x#y',
        'OPTIONS /other',
        'OPTIONS /',
        'GET /x',
        'PUT /x',
        'HEAD /x',
      ],
    ))

  it('have a route of all methods before them run once', () =>
    alike(
      (app, register) => {
        app.route('/x').all((_req: any, res: any, next: any) => (res.append('X-Ran', 'all'), next()))
        register(app, true, 'POST', '/x', (_req: any, res: any) => res.send('ours'))
        app.get('/x', (_req: any, res: any) => res.send('last'))
      },
      ['OPTIONS /x', 'GET /x', 'POST /x'],
    ))

  it('leave OPTIONS to Controllers behind that answer it', () =>
    alike(
      (app, register) => {
        register(app, true, 'GET', '/x', (_req: any, res: any) => res.send('ours'))
        register(app, true, 'OPTIONS', '/x', (_req: any, res: any) => res.send('of OPTIONS'))
        register(app, true, 'GET', '/y', (_req: any, res: any) => res.send('ours'))
        register(app, true, '*', '/y', (req: any, res: any) => res.send(`all, by ${req.method}`))
        app.put('/x', (_req: any, res: any) => res.send('last'))
      },
      ['OPTIONS /x', 'OPTIONS /y', 'GET /x', 'POST /y'],
    ))

  it('let OPTIONS meet a guard that comes while the request is on its way', () =>
    alike(
      (app, register) => {
        register(app, true, 'GET', '/x', (_req: any, res: any) => res.send('ours'))
        let isGuarded = false
        app.use((_req: any, _res: any, next: any) => {
          const { stack } = version === 4 ? app._router : app.router
          if (!isGuarded) {
            isGuarded = true
            app.use((_req: any, res: any) => res.status(401).send('the guard'))
            stack.splice(stack.length - 3, 0, stack.pop())
          }
          next()
        })
        register(app, true, 'PUT', '/x', (_req: any, res: any) => res.send('ours'))
        app.options('/x', (_req: any, res: any) => res.send('past the guard'))
      },
      ['OPTIONS /x', 'OPTIONS /x'],
    ))

  it('let OPTIONS meet what is added behind the last layer, and not what has gone', () =>
    alike(
      (app, register) => {
        register(app, true, 'GET', '/x', (_req: any, res: any) => res.send('ours'))
        register(app, true, 'GET', '/y', (_req: any, res: any) => res.send('ours'))
        app.use((req: any, _res: any, next: any) => {
          const { stack } = version === 4 ? app._router : app.router
          if (req.path === '/x') app.use((_req: any, res: any) => res.send('the last one'))
          // The layer of /x: the next one moves to where this one stood, and Express passes it over.
          else stack.splice(version === 4 ? 2 : 0, 1)
          next()
        })
        app.options('/y', (_req: any, res: any) => res.send('passed over'))
      },
      ['OPTIONS /y', 'OPTIONS /x'],
    ))

  const ours = (_req: any, res: any): void => res.send('ours')
  const refuse = (_req: any, res: any): void => res.status(401).send('the guard')
  const secret = (_req: any, res: any): void => res.send('past the guard')
  const middlewareOf = (profile: any, path = '/:any'): any =>
    new RouteControllers([new Controller('GET', expressPath(path), fromExpress(ours))], {
      profile,
    }).middleware()
  const optionsOf = async (app: any, targets: readonly string[]): Promise<string[]> => {
    const { port, close } = await listenOn(app)
    closeLater(close)
    const answers = []
    for (const target of targets) {
      const { statusLine, body } = await ask(port, { method: 'OPTIONS', target })
      answers.push(`${target} ${statusLine.split(' ')[1]} ${body.split('\n')[0]!.replaceAll(', ', ',')}`)
    }
    return answers
  }
  const missing = '404 <!DOCTYPE html>'

  it('answer OPTIONS for their own routes alone behind a path, where guards have other paths than they', async () => {
    const app = express().set('env', 'test')
    app.use('/admin', refuse)
    app.use('/x', middlewareOf(fromApp(app), '/:a/:b'))
    app.options('/admin/secret', secret)
    app.all('/secret', secret)
    expect(
      await optionsOf(app, ['/admin/secret', '/x/admin/secret', '/x/secret', '/x/secret#', '/x/a/b']),
    ).toEqual([
      '/admin/secret 401 the guard',
      '/x/admin/secret 200 GET,HEAD',
      `/x/secret ${missing}`,
      `/x/secret# ${missing}`,
      '/x/a/b 200 GET,HEAD',
    ])
  })

  it.each(['the other router', 'the same router again, behind a path', 'another app'])(
    'run nothing for OPTIONS that stands behind them in their router where a request comes by %s',
    async (way) => {
      const app = express().set('env', 'test')
      const [own, other] = [express.Router(), express.Router()]
      const middleware = middlewareOf(fromRouter(own))
      own.use(refuse).use(middleware)
      own.all('/secret', secret)
      if (way === 'the other router') other.use(middleware)
      else if (way === 'another app') other.use(express().set('env', 'test').use(middleware))
      else own.use('/again', middleware)
      app.use('/own', own).use('/other', other)
      const targets = ['/own/secret', '/other/secret', '/other/secret#', '/own/again/secret']
      for (const answer of await optionsOf(app, targets)) expect(answer).not.toContain('past the guard')
    },
  )

  it('let OPTIONS meet the hooks of other Controllers of the router', async () => {
    const app = express().set('env', 'test')
    app.use(middlewareOf(fromApp(app)))
    const hooked = new RouteControllers([new Controller('GET', expressPath('/x/:any'), fromExpress(ours))], {
      profile: fromApp(app),
    }).addGlobal(refuse, { scope: 'every' })
    app.use(hooked.middleware())
    app.all('/secret', secret)
    expect(await optionsOf(app, ['/secret', '/x/y'])).toEqual(['/secret 401 the guard', '/x/y 401 the guard'])
  })

  it('name the methods of their own router where others stand behind a path', async () => {
    const app = express().set('env', 'test')
    app.use(middlewareOf(fromApp(app)))
    const other = new Controller('PUT', expressPath('/:any'), fromExpress(ours))
    app.use('/x', new RouteControllers([other], { profile: fromApp(app) }).middleware())
    expect(await optionsOf(app, ['/y', '/x/y'])).toEqual(['/y 200 GET,HEAD', '/x/y 200 PUT'])
  })

  it('answer OPTIONS as the routes do once a handler has made another request of it', () =>
    alike(
      (app, register) => {
        register(app, true, '*', '/:any', (req: any, _res: any, next: any) => {
          if (req.method === 'OPTIONS') req.method = req.get('x-method') ?? 'POST'
          next()
        })
        app.use((_req: any, _res: any, next: any) => next())
        register(app, true, 'POST', '/x', (_req: any, res: any) => res.send('posted'))
        register(app, true, 'GET', '/x', (_req: any, res: any) => res.send('got'))
        app.post('/y', (_req: any, res: any) => res.send('posted'))
      },
      ['OPTIONS /x', 'OPTIONS /y', 'OPTIONS /z'],
    ))

  it('are found where they stand once layers have changed places', async () => {
    const allowed = async (register: Register): Promise<unknown[]> => {
      const app = express().set('env', 'test')
      app.get('/x', (_req: any, res: any) => res.send('theirs'))
      register(app, true, 'POST', '/x', (_req: any, res: any) => res.send('ours'))
      const { port, close } = await listenOn(app)
      closeLater(close)
      const options = async (): Promise<string> =>
        (await ask(port, { method: 'OPTIONS', target: '/x' })).body.replace(/[^A-Z,]/g, '')
      const first = await options()
      const { stack } = version === 4 ? app._router : app.router
      stack.push(...stack.splice(-2, 1))
      return [first, await options()]
    }
    expect(await allowed(asControllers)).toEqual(await allowed(asRoutes))
  })

  it('run once where each of them passes on an OPTIONS request that it takes', async () => {
    const called: string[] = []
    await alike(
      (app, register) => {
        for (const method of ['OPTIONS', 'options', 'GET']) {
          register(app, true, method, '/x', (_req: any, _res: any, next: any) => {
            called.push(method)
            next()
          })
        }
      },
      ['OPTIONS /x'],
    )
    expect(called.sort()).toEqual(['OPTIONS', 'OPTIONS', 'options', 'options'])
  })

  it('leave what fails behind them, for an OPTIONS request that they do not take, to error handlers once', async () => {
    const called: string[] = []
    await alike(
      (app, register) => {
        app.get('/y', (_req: any, res: any) => res.send('first'))
        register(app, true, 'GET', '/x', (_req: any, res: any) => res.send('ours'))
        const failure = Object.assign(new Error('behind'), { stack: 'behind' })
        app.use((_req: any, _res: any, next: any) => next(failure))
        app.use((error: any, req: any, _res: any, next: any) => {
          called.push(`${req.method} ${error.message}`)
          next(error)
        })
        app.set('env', 'test')
      },
      ['OPTIONS /y', 'OPTIONS /z'],
    )
    expect(called).toEqual(Array(4).fill('OPTIONS behind'))
  })

  it('leave OPTIONS to a function behind that answers all that comes to it', () =>
    alike(
      (app, register) => {
        const router = express.Router()
        register(router, false, 'GET', '/x', (_req: any, res: any) => res.send('ours'))
        app.use('/at', router)
        register(app, true, 'GET', '/x', (_req: any, res: any) => res.send('ours'))
        app.use((_req: any, res: any) => res.status(404).send('no such page'))
      },
      ['OPTIONS /x', 'OPTIONS /at/x', 'GET /at/x', 'GET /none'],
    ))

  it('have the app of the host, and the params of the mount', () =>
    alike(
      (app, register) => {
        app.disable('x-powered-by').set('json spaces', 2)
        const router = express.Router({ mergeParams: true, strict: true, caseSensitive: true })
        router.param('id', (req: any, _res: any, next: any, id: string) => {
          req.found = `found ${id}`
          next()
        })
        register(router, false, 'GET', '/users/:id', (req: any, res: any) =>
          res.json([req.app === app, res.app === app, req.found, req.params, req.baseUrl, req.url]),
        )
        app.use('/:team', router)
        app.use((error: any, _req: any, res: any, _next: any) => res.status(error.status).send(error.message))
      },
      [
        'GET /tea/users/7',
        'GET /tea/users/7/',
        'GET /tea/USERS/7',
        'GET /tea//users/7',
        'GET /tea/users/%',
        'GET /tea/users/7?a=%',
      ],
    ))

  it('give the host an error that a callback of a param has for OPTIONS', () =>
    alike(
      (app, register) => {
        app.param('id', (_req: any, _res: any, next: any, id: string) =>
          next(id === '7' && new Error('no seven')),
        )
        register(app, true, 'GET', '/users/:id', (_req: any, res: any) => res.send('ours'))
        app.use((error: any, req: any, res: any, _next: any) =>
          res.status(418).send(`${req.method} ${error.message}`),
        )
      },
      ['OPTIONS /users/7', 'OPTIONS /users/8', 'GET /users/7', 'GET /users/8'],
    ))

  it('leave the host its time for what they do not answer', async () => {
    const app = express().set('env', 'test')
    const logged: string[] = []
    const error = (line: string): void => void logged.push(line)
    const all = new RouteControllers([new Controller('GET', '/own', () => 'ours')], {
      profile: fromApp(app),
      answerTimeoutMs: 20,
      logger: { info() {}, warn() {}, error },
    })
    app.use(all.middleware())
    app.get('/slow', (_req: any, res: any) => void setTimeout(() => res.send('theirs'), 60))
    const { port, close } = await listenOn(app)
    closeLater(close)
    expect([(await ask(port, { target: '/slow' })).body, logged]).toEqual(['theirs', []])
  })

  it('have an error answered by onError, where there is one', async () => {
    const app = express().set('env', 'test')
    const failing = new Controller('GET', '/x', () => {
      throw new Error('of the callback')
    })
    const all = new RouteControllers([failing], {
      profile: fromApp(app),
      logger: { info() {}, warn() {}, error() {} },
      onError: (error, _req, res) => res.status(418).text((error as Error).message),
    })
    app.use(all.middleware())
    const { port, close } = await listenOn(app)
    closeLater(close)
    expect(await ask(port, { method: 'GET', target: '/x' })).toMatchObject({
      statusLine: expect.stringContaining(' 418 '),
      body: 'of the callback',
    })
  })

  it('are followed by what stands behind, also when they have answered', async () => {
    const called: string[] = []
    const note = (name: string) => (_req: any, _res: any, next: any) => {
      called.push(name)
      next()
    }
    await alike(
      (app, register) => {
        register(app, true, 'GET', '/x', (_req: any, res: any, next: any) => {
          res.send('answered')
          next()
        })
        register(app, true, '*', '/x', note('behind'))
        app.use(note('log'))
        app.use((_req: any, _res: any) => {})
      },
      ['GET /x'],
    )
    expect(called).toEqual(['behind', 'log', 'behind', 'log'])
  })
})
