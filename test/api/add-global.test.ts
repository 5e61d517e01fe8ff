import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import express5 from 'express'
import {
  type AnyController,
  Controller,
  type FetchHandler,
  type Hook,
  type Next,
  RouteControllers,
  type RouteRequest,
} from 'routecontrollers'
import {
  describeServings,
  type SendOptions,
  type ServeOptions,
  type Serving,
} from '../support/describe-servings.js'

type Setup = NonNullable<ServeOptions['setup']>

const passes = (_req: IncomingMessage, _res: ServerResponse, next: Next): void => next()

/** One controller that answers `ours` at `/ours` and below, and one for the body; a legacy Express where there is one. */
async function serveHooked({ serve }: Serving, setup: Setup, options: ServeOptions = {}) {
  return serve(
    [
      new Controller('GET', '/ours', () => 'ours'),
      new Controller('GET', '/ours/*', (req) => `ours ${req.url}`),
      new Controller('POST', '/ours', (req) => ({ body: req.body })),
    ],
    {
      downstream: (app) =>
        void app.get('/legacy', (req, res) => void res.json({ url: req.url, query: req.query })),
      ...options,
      setup,
    },
  )
}

describeServings('addGlobal', (serving) => {
  it('takes a hook that announces trailers: the answer has none', async () => {
    const { send } = await serveHooked(serving, (routeControllers) =>
      routeControllers.addGlobal((_req, res, next) => {
        res.setHeader('Trailer', 'X-Sum')
        next()
      }),
    )
    const { status, text, headers } = await send('/ours')
    expect([status, text, headers['trailer']]).toEqual([200, 'ours', undefined])
  })

  it('runs hooks in the order in which they were added, before the middleware and the callback', async () => {
    const order: string[] = []
    const controller = new Controller('GET', '/', () => {
      order.push('callback')
      return 'x'
    })
    controller.use(() => void order.push('middleware'))
    const { send } = await serving.serve([controller], {
      setup: (routeControllers) => {
        for (const name of ['first', 'second', 'third']) {
          routeControllers.addGlobal((_req, _res, next) => {
            order.push(name)
            next()
          })
        }
      },
    })
    await send('/')
    expect(order).toEqual(['first', 'second', 'third', 'middleware', 'callback'])
  })

  it('gives a hook Node’s own request and response', async () => {
    const seen: unknown[] = []
    const { send } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal((req, res, next) => {
        seen.push(req.method, req.url, req.headers['x-a'], req.httpVersion, req.complete !== undefined)
        seen.push(
          res.headersSent,
          res.statusCode,
          typeof res.writeHead,
          res.req === req,
          req.socket === res.socket,
        )
        res.setHeader('X-Hook', 'seen')
        next()
      })
    })
    const { headers, text } = await send('/ours?a=1', { headers: { 'x-a': '1' } })
    expect([headers['x-hook'], text]).toEqual(['seen', 'ours'])
    expect(seen).toEqual(['GET', '/ours?a=1', '1', '1.1', true, false, 200, 'function', true, true])
  })

  it('shows the callback what a hook has put on req, and what it has replaced', async () => {
    const controller = new Controller('GET', '/', (req) => [req['user'], req.query])
    const { send } = await serving.serve([controller], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((req, _res, next) => {
          const request = req as IncomingMessage & RouteRequest
          request['user'] = `user ${request.query['id'] as string}`
          request.query = { cleaned: 'yes' }
          next()
        }),
    })
    expect((await send('/?id=7')).json()).toEqual(['user 7', { cleaned: 'yes' }])
  })

  it.each<[string, Setup]>([
    ['answers', (all) => all.addGlobal((_req, res) => void res.writeHead(418, { 'X-A': '1' }).end('hook'))],
    [
      'answers later',
      (all) => all.addGlobal((_req, res) => void setImmediate(() => res.writeHead(418).end('hook'))),
    ],
    [
      'answers and calls next() all the same',
      (all) =>
        all.addGlobal((_req, res, next) => {
          res.writeHead(418).end('hook')
          next()
        }),
    ],
    [
      'answers in an async function',
      (all) =>
        all.addGlobal(async (_req, res) => {
          await Promise.resolve()
          res.writeHead(418).end('hook')
        }),
    ],
  ])('ends there when a hook %s', async (_how, setup) => {
    let ran = false
    const { send, logged } = await serving.serve([new Controller('GET', '/', () => (ran = true) && 'x')], {
      setup,
    })
    const { status, text } = await send('/')
    expect([status, text, ran, logged]).toEqual([418, 'hook', false, []])
  })

  it.each<[string, (next: Next, req: IncomingMessage, res: ServerResponse) => void]>([
    ['next()', (next) => next()],
    ['next(undefined)', (next) => next(undefined)],
    ['next(null)', (next) => next(null)],
    ["next('route')", (next) => next('route')],
    ['next(req, res)', (next, req, res) => next(req, res)],
    ['next() later', (next) => void setImmediate(() => next())],
  ])('goes on with %s', async (_how, goOn) => {
    let second = false
    const { send } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal((req, res, next) => goOn(next, req, res))
      routeControllers.addGlobal((_req, _res, next) => {
        second = true
        next()
      })
    })
    expect([(await send('/ours')).text, second]).toEqual(['ours', true])
  })

  it("leaves RouteControllers for good with next('router')", async () => {
    let second = false
    const { send } = await serveHooked(
      serving,
      (routeControllers) => {
        routeControllers.addGlobal((_req, _res, next) => next('router'))
        routeControllers.addGlobal((_req, _res, next) => {
          second = true
          next()
        })
      },
      { downstream: (app) => void app.get('/ours', (_req, res) => void res.send('legacy')) },
    )
    const { status, text } = await send('/ours')
    expect([status, text, second]).toEqual(
      serving.misses === 'us' ? [404, 'Not Found', false] : [200, 'legacy', false],
    )
  })

  it('runs the callback inside next(), without waiting a tick', async () => {
    const order: string[] = []
    const { send } = await serving.serve([new Controller('GET', '/', () => (order.push('callback'), 'x'))], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((_req, _res, next) => {
          order.push('before')
          next()
          order.push('after')
        }),
    })
    await send('/')
    expect(order).toEqual(['before', 'callback', 'after'])
  })

  it('ignores a second next(), and names the hook in the log', async () => {
    let calls = 0
    const { send, logged } = await serving.serve([new Controller('GET', '/', () => `call ${++calls}`)], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal(function eager(_req, _res, next) {
          next()
          next()
        }),
    })
    expect((await send('/')).text).toBe('call 1')
    expect([calls, logged]).toEqual([1, [expect.stringMatching(/^warn .*\beager\b.*next\(\) twice/)]])
  })

  it('names a hook without a name by its place', async () => {
    const { send, logged } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal(passes)
      routeControllers.addGlobal((_req, _res, next) => {
        next()
        next()
      })
    })
    await send('/ours')
    expect(logged).toEqual([expect.stringContaining('<anonymous hook 2>')])
  })

  it.each([
    [undefined, 'ERR_HOOK_INVALID'],
    ['/path', 'ERR_HOOK_INVALID'],
    [{}, 'ERR_HOOK_INVALID'],
  ])('refuses %p', (hook, code) => {
    const routeControllers = new RouteControllers([])
    expect(() => routeControllers.addGlobal(hook as never)).toThrow(expect.objectContaining({ code }))
  })

  it('refuses an option that it does not have, a scope that there is not, and a path that is none', () => {
    const routeControllers = new RouteControllers([])
    const refused = (...parameters: unknown[]): unknown => {
      try {
        ;(routeControllers.addGlobal as (...all: unknown[]) => void)(...parameters)
      } catch (error) {
        return (error as { code: string }).code
      }
      return 'taken'
    }
    expect(refused(passes, { scop: 'every' })).toBe('ERR_OPTION_INVALID')
    expect(refused(passes, { scope: 'all' })).toBe('ERR_OPTION_INVALID')
    expect(refused('admin', passes)).toBe('ERR_PATTERN_INVALID')
    expect(refused('/admin/*', passes)).toBe('ERR_PATTERN_INVALID')
    expect(refused('/admin', passes, { scope: 'every' })).toBe('taken')
  })
})

describeServings('an error of a hook', (serving) => {
  const teapot = (): Error => Object.assign(new Error('from the hook'), { status: 418 })

  it.each<[string, (next: Next) => unknown]>([
    ['next(error)', (next) => next(teapot())],
    ['next(error) later', (next) => void setImmediate(() => next(teapot()))],
    [
      'a throw',
      () => {
        throw teapot()
      },
    ],
    ['a rejected promise', () => Promise.reject(teapot())],
    [
      'a thenable that rejects',
      () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(teapot()) }),
    ],
  ])('by %s is answered like one of a callback, and nothing after it runs', async (_how, fail) => {
    let ran = false
    const caught: unknown[] = []
    const { send } = await serving.serve([new Controller('GET', '/', () => (ran = true) && 'x')], {
      setup: (routeControllers) => {
        routeControllers.addGlobal((_req, _res, next) => fail(next))
        routeControllers.addGlobal((_req, _res, next) => {
          ran = true
          next()
        })
      },
      onError: (error) => void caught.push(error),
    })
    expect([(await send('/')).status, ran]).toEqual([418, false])
    expect(caught).toEqual([teapot()])
  })

  it.each<[unknown]>([[undefined], [null], ['route'], ['router'], [0]])(
    'that is a thrown %p never lets the request through',
    async (thrown) => {
      for (const throwIt of [
        () => {
          throw thrown
        },
        () => Promise.reject(thrown),
      ]) {
        const { send } = await serveHooked(serving, (routeControllers) => {
          routeControllers.addGlobal(throwIt)
        })
        expect((await send('/ours')).status).toBe(500)
      }
    },
  )

  it('after next() is logged with its name, and takes nothing from the answer', async () => {
    const { send, logged } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal(function late(_req, _res, next) {
        next()
        throw new Error('after all')
      })
    })
    expect((await send('/ours')).text).toBe('ours')
    expect(logged).toEqual([expect.stringMatching(/^error .*\blate\b.*after next\(\): Error: after all/)])
  })

  it('goes to the error hooks after it, in their order', async () => {
    const order: string[] = []
    const { send } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal(
        (error: unknown, _req: IncomingMessage, _res: ServerResponse, _next: Next) => {
          order.push('before', String(error))
        },
      )
      routeControllers.addGlobal((_req, _res, next) => next(teapot()))
      routeControllers.addGlobal((_req, _res, next) => {
        order.push('skipped')
        next()
      })
      routeControllers.addGlobal(
        (error: unknown, _req: IncomingMessage, _res: ServerResponse, next: Next) => {
          order.push('first')
          next(error)
        },
      )
      routeControllers.addGlobal(
        (error: unknown, _req: IncomingMessage, res: ServerResponse, _next: Next) => {
          order.push('second')
          res.writeHead(422).end((error as Error).message)
        },
      )
    })
    const { status, text } = await send('/ours')
    expect([status, text, order]).toEqual([422, 'from the hook', ['first', 'second']])
  })

  it.each([
    ['one parameter', (_req: object) => ({ user: 'Ada' })],
    ['two parameters', (_req: object, _res: object) => ({ user: 'Ada' })],
  ])('is one too where a hook of %s returns what middleware of this package does', async (_what, hook) => {
    const thrown: unknown[] = []
    const { send } = await serveHooked(serving, (routeControllers) => void routeControllers.addGlobal(hook), {
      onError: (error) => void thrown.push((error as { code: string }).code),
    })
    expect((await send('/ours')).status).toBe(500)
    expect(thrown).toEqual(['ERR_MIDDLEWARE_RETURN'])
  })

  it.each<[string, Hook, string]>([
    [
      'has thrown its own request',
      (req) => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error
        throw req
      },
      'has thrown its own request',
    ],
    ['calls next(req)', (req, _res, next) => next(req), 'has given next() its request alone'],
    ...[null, new Error('Refused'), 'route'].map((second): [string, Hook, string] => [
      `calls next(req, ${String(second)})`,
      (req, _res, next) => next(req, second as never),
      'has given next() its request and no response',
    ]),
  ])('is one too where the hook %s', async (_what, hook, message) => {
    const thrown: unknown[] = []
    const { send } = await serveHooked(serving, (routeControllers) => void routeControllers.addGlobal(hook), {
      onError: (error) => void thrown.push((error as Error).message),
    })
    const { status, text } = await send('/ours')
    expect([status, text.includes('ours')]).toEqual([500, false])
    expect(thrown).toEqual([expect.stringContaining(message)])
  })

  it('that an error hook forgives with next() goes on behind the routes, past every guard and none of them', async () => {
    const seen: string[] = []
    const { send, logged } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal((_req, _res, next) => next(teapot()))
      routeControllers.addGlobal((_error: unknown, _req: IncomingMessage, _res: ServerResponse, next: Next) =>
        next(),
      )
      routeControllers.addGlobal((_req, _res, next) => {
        seen.push('a hook behind')
        next()
      })
    })
    expect((await send('/ours')).status).toBe(404)
    expect([seen, logged]).toEqual([[], []])
  })

  it('does not run error hooks where there is none', async () => {
    let ran = false
    const { send } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal(
        (_error: unknown, _req: IncomingMessage, _res: ServerResponse, next: Next) => {
          ran = true
          next()
        },
      )
    })
    expect([(await send('/ours')).text, ran]).toEqual(['ours', false])
  })
})

const hooks = (serving: Serving): void => {
  const { misses } = serving
  const watch = (seen: string[], options?: { scope: 'every' | 'answered' }): Setup => {
    return (routeControllers) =>
      void routeControllers.addGlobal((req, _res, next) => {
        seen.push(`${req.method} ${req.url}`)
        next()
      }, options)
  }
  const requests: [string, SendOptions][] = [
    ['/ours?a', {}],
    ['/ours', { method: 'HEAD' }],
    ['/ours', { method: 'DELETE' }],
    ['/legacy?b[c]=1', {}],
    ['/nowhere', {}],
  ]
  const all = ['GET /ours?a', 'HEAD /ours', 'DELETE /ours', 'GET /legacy?b[c]=1', 'GET /nowhere']

  it('see exactly the requests that are answered here', async () => {
    const seen: string[] = []
    const { send } = await serveHooked(serving, watch(seen))
    for (const [target, options] of requests) await send(target, options)
    expect(seen).toEqual(misses === 'us' ? all : all.slice(0, 2))
  })

  it("of scope 'every' see all that arrive", async () => {
    const seen: string[] = []
    const { send } = await serveHooked(serving, watch(seen, { scope: 'every' }))
    for (const [target, options] of requests) await send(target, options)
    expect(seen).toEqual(all)
  })

  it("of scope 'every' leave a request that goes on as it came", async () => {
    const { send } = await serveHooked(serving, watch([], { scope: 'every' }))
    const { send: plain } = await serveHooked(serving, () => {})
    const expected = await plain('/legacy?b[c]=1&b[d]=2')
    const answer = await send('/legacy?b[c]=1&b[d]=2')
    expect([answer.status, answer.text]).toEqual([expected.status, expected.text])
    expect(answer.status).toBe(misses === 'us' ? 404 : 200)
  })

  it("of scope 'every' and others keep their order for a request that is answered here", async () => {
    const order: string[] = []
    const { send } = await serveHooked(serving, (routeControllers) => {
      for (const [name, scope] of [
        ['a', 'answered'],
        ['b', 'every'],
        ['c', 'answered'],
      ] as const) {
        routeControllers.addGlobal(
          (_req, _res, next) => {
            order.push(name)
            next()
          },
          { scope },
        )
      }
    })
    await send('/ours')
    expect(order).toEqual(['a', 'b', 'c'])
  })

  const preflight = (method: string): SendOptions => ({
    method: 'OPTIONS',
    headers: { origin: 'http://elsewhere.example', 'access-control-request-method': method },
  })
  const cors: Setup = (routeControllers) =>
    void routeControllers.addGlobal((req, res, next) => {
      res.setHeader('Access-Control-Allow-Origin', '*')
      if (req.method === 'OPTIONS') res.writeHead(204).end()
      else next()
    })

  it('see a CORS preflight for a route that is answered here', async () => {
    const { send } = await serveHooked(serving, cors)
    const { status, headers } = await send('/ours', preflight('POST'))
    expect([status, headers['access-control-allow-origin']]).toEqual([204, '*'])
  })

  it('do not see one for a route of somebody else, nor an OPTIONS that is none', async () => {
    const { send } = await serveHooked(serving, cors)
    const allowed = async (target: string, options: SendOptions): Promise<string | undefined> =>
      (await send(target, options)).headers['access-control-allow-origin']
    const answered = misses === 'us' ? '*' : undefined
    expect(await allowed('/legacy', preflight('GET'))).toBe(answered)
    expect(await allowed('/ours', preflight('PATCH'))).toBe(answered)
    expect(await allowed('/ours', { method: 'OPTIONS' })).toBe(answered)
    const fromElsewhere = { method: 'OPTIONS', headers: { origin: 'http://elsewhere.example' } }
    expect(await allowed('/ours', fromElsewhere)).toBe(answered)
    const asking = { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }
    expect(await allowed('/ours', asking)).toBe(answered)
  })
}

const isAlone = ({ misses }: Serving): boolean => misses === 'us'
const isBefore = ({ misses }: Serving): boolean => misses === 'host'
describeServings('hooks', hooks, isAlone)
describeServings('hooks, where others stand behind', hooks, isBefore)

describeServings(
  'a hook inside a host',
  (serving) => {
    it('leaves the host its own req.next: what res.format cannot send there is no error of ours', async () => {
      const { send } = await serveHooked(
        serving,
        (routeControllers) => void routeControllers.addGlobal(passes, { scope: 'every' }),
        {
          onError: () => 'ours',
          downstream: (app) => {
            app.get('/formats', (_req, res) => void res.format({ 'text/plain': () => res.send('plain') }))
            app.use((error: any, _req: any, res: any, _next: unknown) => void res.status(error.status).end())
          },
        },
      )
      expect((await send('/formats', { headers: { accept: 'text/plain' } })).text).toBe('plain')
      expect((await send('/formats', { headers: { accept: 'image/png' } })).status).toBe(406)
    })
  },
  ({ errors }) => errors === 'host',
)

describeServings('a hook at a path', (serving) => {
  const at = (path: string, seen: string[]): Setup => {
    return (routeControllers) =>
      void routeControllers.addGlobal(path, (req, _res, next) => {
        const { url, originalUrl } = req as IncomingMessage & { originalUrl: string }
        seen.push(`${url} of ${originalUrl}`)
        next()
      })
  }

  it.each([
    ['/ours', '/ours', '/ of /ours'],
    ['/ours', '/ours?a=1', '/?a=1 of /ours?a=1'],
    ['/ours', '/ours/', '/ of /ours/'],
    ['/ours', '/ours/a/b?c', '/a/b?c of /ours/a/b?c'],
    ['/ours/', '/ours/a', '/a of /ours/a'],
    ['/ours/a', '/ours/a/b', '/b of /ours/a/b'],
    ['/ours/:id', '/ours/7/b', '/b of /ours/7/b'],
    ['/', '/ours/a', '/ours/a of /ours/a'],
  ])('%s sees %s as %s, and the callback sees the whole', async (path, target, expected) => {
    const seen: string[] = []
    const { send } = await serveHooked(serving, at(path, seen))
    const { text } = await send(target)
    expect(seen).toEqual([expected])
    expect(text).toBe(/^\/ours(\?|$)/.test(target) ? 'ours' : `ours ${target}`)
  })

  it.each([
    ['/ours/a', '/ours/ab'],
    ['/ours/a', '/ours/A'],
    ['/ours/a', '/ours//a'],
    ['/ours/a', '/ours/%61'],
    ['/ours/a', '/ours/b/a'],
    ['/ours/:id', '/ours'],
    ['/our', '/ours'],
  ])('%s does not see %s', async (path, target) => {
    const seen: string[] = []
    const { send } = await serveHooked(serving, at(path, seen))
    expect((await send(target)).status).toBe(200)
    expect(seen).toEqual([])
  })

  it('has the whole url put together again also when it has rewritten its part', async () => {
    const { send } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal('/ours', (req, _res, next) => {
        req.url = `/new${req.url}`
        next()
      })
    })
    expect((await send('/ours/a?b')).text).toBe('ours /ours/new/a?b')
  })

  it('has it put together again before an error goes on', async () => {
    const urls: unknown[] = []
    const { send } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal('/ours', (_req, _res, next) => next(new Error('x')))
      routeControllers.addGlobal(
        '/ours/a',
        (_e: unknown, req: IncomingMessage, res: ServerResponse, next: Next) => {
          urls.push(req.url)
          next(new Error('y'))
        },
      )
      routeControllers.addGlobal((_e: unknown, req: IncomingMessage, res: ServerResponse, _next: Next) => {
        urls.push(req.url)
        res.end('handled')
      })
    })
    expect((await send('/ours/a/b')).text).toBe('handled')
    expect(urls).toEqual(['/b', '/ours/a/b'])
  })
})

const rewriting = (serving: Serving): void => {
  const { misses } = serving

  it('has it matched again by its new url', async () => {
    const { send } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal((req, _res, next) => {
        if (req.url === '/ours') req.url = '/ours/new?q=1'
        next()
      })
    })
    expect((await send('/ours')).text).toBe('ours /ours/new?q=1')
  })

  it('has it matched again by its new method', async () => {
    const { send } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal((req, _res, next) => {
        req.method = 'GET'
        next()
      })
    })
    expect((await send('/ours', { method: 'POST' })).text).toBe('ours')
  })

  it('shows the callback the new query, also when the old one was read', async () => {
    const { send } = await serving.serve([new Controller('GET', '/', (req) => ({ ...req.query }))], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((req, _res, next) => {
          void (req as IncomingMessage & RouteRequest).query
          req.url = '/?new=1'
          next()
        }),
    })
    expect((await send('/?old=1')).json()).toEqual({ new: '1' })
  })

  it('leaves the query that a hook has set where the new path has the same one', async () => {
    const controller = new Controller('GET', '/:name', (req) => ({ ...req.query }))
    const { send } = await serving.serve([controller], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((req, _res, next) => {
          const request = req as IncomingMessage & RouteRequest
          request.query = { cleaned: 'yes' }
          req.url = '/new?id=1'
          next()
        }),
    })
    expect((await send('/old?id=1')).json()).toEqual({ cleaned: 'yes' })
  })

  it('gives it to whoever stands behind when nothing matches any more', async () => {
    const { send } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal((req, _res, next) => {
        req.url = '/legacy?from=us'
        next()
      })
    })
    const answer = await send('/ours')
    if (misses === 'us') expect(answer.status).toBe(404)
    else expect(answer.json()).toMatchObject({ url: '/legacy?from=us' })
  })

  it('leads hooks at a path by the new path', async () => {
    const seen: string[] = []
    const { send } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal((req, _res, next) => {
        req.url = '/ours/b'
        next()
      })
      for (const path of ['/ours/a', '/ours/b']) {
        routeControllers.addGlobal(path, (_req, _res, next) => {
          seen.push(path)
          next()
        })
      }
    })
    await send('/ours/a')
    expect(seen).toEqual(['/ours/b'])
  })

  it('has the guards run that it has brought it to', async () => {
    const { send } = await serveHooked(serving, (routeControllers) => {
      routeControllers.addGlobal(
        (req, _res, next) => {
          if (req.url === '/alias') req.url = '/ours'
          next()
        },
        { scope: 'every' },
      )
      routeControllers.addGlobal('/ours', (_req, res) => void res.writeHead(401).end())
    })
    expect((await send('/alias')).status).toBe(401)
  })
}

describeServings('a hook that rewrites the request', rewriting, isAlone)
describeServings('a hook that rewrites the request, where others stand behind', rewriting, isBefore)

describeServings('AsyncLocalStorage', (serving) => {
  it.each<[string, (next: () => void) => void]>([
    ['at once', (next) => next()],
    ['later', (next) => void setImmediate(next)],
  ])(
    'of a hook that calls next() %s reaches the other hooks, the middleware and the callback',
    async (_when, call) => {
      const storage = new AsyncLocalStorage<string>()
      const seen: unknown[] = []
      const look = (): void => void seen.push(storage.getStore())
      const controller = new Controller('POST', '/', async () => {
        look()
        await Promise.resolve()
        look()
        return 'x'
      })
      controller.use(look)
      const { send } = await serving.serve([controller], {
        setup: (routeControllers) => {
          routeControllers.addGlobal((_req, _res, next) => storage.run('kept', () => call(() => next())))
          routeControllers.addGlobal((_req, _res, next) => {
            look()
            next()
          })
        },
      })
      await send('/', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'body' })
      expect(seen).toEqual(['kept', 'kept', 'kept', 'kept'])
    },
  )
})

describe('hooks inside getCallback()', () => {
  /** As compression and its like do it: by putting functions of their own in place of the response's. */
  function shouting(_req: IncomingMessage, res: ServerResponse, next: Next): void {
    const write = res.write.bind(res) as (...all: unknown[]) => boolean
    const end = res.end.bind(res) as (...all: unknown[]) => ServerResponse
    const setHeader = res.setHeader.bind(res)
    const shout = (chunk: unknown): unknown =>
      typeof chunk === 'string' || Buffer.isBuffer(chunk) || chunk instanceof Uint8Array
        ? Buffer.from(
            Buffer.from(chunk as Uint8Array)
              .toString()
              .toUpperCase(),
          )
        : chunk
    Object.assign(res, {
      write: (chunk: unknown, ...rest: unknown[]) => write(shout(chunk), ...rest),
      end: (chunk?: unknown, ...rest: unknown[]) => end(shout(chunk), ...rest),
      setHeader: (name: string, value: string) => setHeader(`X-Patched-${name}`, value),
    })
    next()
  }

  const hooked = (hook: Hook, ...controllers: AnyController[]): FetchHandler => {
    const routeControllers = new RouteControllers([
      ...controllers,
      new Controller('GET', '/', (_req, res) => res.cookie('own', '1').json({ own: true })),
      new Controller('POST', '/', (req) => ({ read: req.body })),
    ])
    routeControllers.addGlobal(hook)
    return routeControllers.getCallback()
  }

  it('have no socket to speak of, and may ask for it all the same', async () => {
    const seen: unknown[] = []
    const fetchHandler = hooked((req, _res, next) => {
      req.socket.setTimeout(5).setNoDelay().setKeepAlive()
      seen.push(req.headers.host, (req.socket as { encrypted?: boolean }).encrypted, req.socket.remoteAddress)
      seen.push(req.rawHeaders)
      next()
    })
    await fetchHandler(new Request('https://shop.example:8443/', { headers: { 'X-A': '1' } }))
    expect(seen).toEqual(['shop.example:8443', true, undefined, ['host', 'shop.example:8443', 'x-a', '1']])
  })

  it('read the body with the parsers of Express', async () => {
    const fetchHandler = hooked(express5.json())
    const body = JSON.stringify({ long: 'é'.repeat(50_000) })
    const response = await fetchHandler(
      new Request('http://x/', { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    )
    expect(await response.json()).toEqual({ read: JSON.parse(body) })
  })

  it('let the body through untouched', async () => {
    const response = await hooked(passes)(new Request('http://x/', { method: 'POST', body: 'é' }))
    expect(await response.json()).toEqual({ read: 'é' })
  })

  it('set cookies, to which ours are added', async () => {
    const fetchHandler = hooked((_req, res, next) => {
      res.setHeader('Set-Cookie', ['session=1', 'other=2'])
      next()
    })
    const response = await fetchHandler(new Request('http://x/'))
    expect(response.headers.getSetCookie()).toEqual(['session=1', 'other=2', 'own=1; Path=/'])
  })

  it('may patch write, end and setHeader', async () => {
    const fetchHandler = hooked(shouting, new Controller('GET', '/stream', () => Readable.from(['a', 'b'])))
    const whole = await fetchHandler(new Request('http://x/'))
    expect([whole.headers.get('x-patched-content-type'), await whole.text()]).toEqual([
      'application/json; charset=utf-8',
      '{"OWN":TRUE}',
    ])
    expect(await (await fetchHandler(new Request('http://x/stream'))).text()).toBe('AB')
  })

  it('answer with anything that ServerResponse can', async () => {
    const answerOf = (respond: (res: ServerResponse) => void): Promise<Response> =>
      hooked((_req, res) => respond(res))(new Request('http://x/'))
    const early = await answerOf((res) => {
      res.writeProcessing()
      res.writeEarlyHints({ link: '</a.css>; rel=preload' })
      res.writeHead(
        202,
        'Early',
        [
          ['X-A', '1'],
          ['X-A', '2'],
        ].flat(),
      )
      res.write('a')
      res.end('b')
    })
    expect([early.status, early.statusText, early.headers.get('x-a'), await early.text()]).toEqual([
      202,
      'Early',
      '1, 2',
      'ab',
    ])
    const empty = await answerOf((res) => void res.writeHead(304).end())
    expect([empty.status, empty.body]).toEqual([304, null])
    const impossible = await answerOf((res) => void res.writeHead(999).end('x'))
    expect(impossible.status).toBe(500)
    const destroyed = await answerOf((res) => void res.destroy())
    expect(destroyed.status).toBe(500)
    const cut = await answerOf((res) => {
      res.write('begun')
      setImmediate(() => res.destroy())
    })
    await expect(cut.text()).rejects.toThrow()
  })

  it('stream as it is read, and no faster', async () => {
    let pulls = 0
    const source = new ReadableStream<Uint8Array>(
      { pull: (controller) => (pulls++, controller.enqueue(new Uint8Array(64 * 1024))) },
      { highWaterMark: 0 },
    )
    const response = await hooked(
      passes,
      new Controller('GET', '/endless', () => source),
    )(new Request('http://x/endless'))
    const reader = response.body!.getReader()
    for (let read = 0; read < 3; read++) expect((await reader.read()).done).toBe(false)
    await new Promise((resolve) => setImmediate(resolve))
    expect(pulls).toBeLessThan(10)
    await reader.cancel()
  })

  it('answer HEAD without a body, and what nobody matches with 404', async () => {
    const fetchHandler = hooked(passes)
    const head = await fetchHandler(new Request('http://x/', { method: 'HEAD' }))
    expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, '12', null])
    const missing = await fetchHandler(new Request('http://x/nowhere'))
    expect([missing.status, await missing.text()]).toEqual([404, 'Not Found'])
  })
})
