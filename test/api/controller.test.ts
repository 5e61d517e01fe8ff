import { Controller, type RouteRequest } from 'routecontrollers'
import { describeServings } from '../support/describe-servings.js'
import { refusal } from '../support/refusal.js'

describe('new Controller', () => {
  it.each(['GET', 'POST', 'PROPFIND', 'M-SEARCH', "X-!#$%&'+.^_`|~9"])('takes the method %s', (method) => {
    expect(new Controller(method, '/', () => 'x').getMethods()).toEqual([method])
  })

  it('takes a method in any case, and a callback that is async', () => {
    expect(new Controller('patch', '/', async () => 'x').getMethods()).toEqual(['PATCH'])
  })

  it.each([
    ['', "not ''"],
    ['GET POST', "not 'GET POST'"],
    ['GET\r\nX: 1', 'not '],
    ['GET,POST', "not 'GET,POST'"],
    ['GET:', "not 'GET:'"],
    ['ГЕТ', "not 'ГЕТ'"],
    [undefined, 'not undefined'],
    [null, 'not null'],
    [['GET'], 'not object'],
  ])('refuses the method %j and says what a method is', (method, shown) => {
    expect(() => new Controller(method as string, '/', () => 'x')).toThrow(
      refusal('ERR_METHOD_INVALID', "an HTTP token such as 'GET', or '*'", shown),
    )
  })

  it.each([
    ['users', 'position 0', "write '/users'"],
    ['', 'position 0', "write '/'"],
    ['/users/:', 'position 8', "write ':id'"],
    ['/users/:id?', 'position 10', "'/users' and '/users/:id'"],
    ['/users/:id(\\d+)', 'position 10', "write ':id'"],
    ['/files/:path+', 'position 12', "write '*path', last"],
    ['/files/:path*', 'position 12', "write '*path', last"],
    ['/files/*/x', 'position 7', "write ':name'"],
    ['/a{/b}', 'position 2', 'a Controller for each form'],
    ['/a b', 'position 2', "write '%20'"],
    ['/a?x=1', 'position 2', 'without a query'],
    ['/:a/:a', 'position 5', 'each its own name'],
    ['/:constructor', 'position 2', 'choose another name'],
    ['/:prototype', 'position 2', 'choose another name'],
    ['/:__proto__', 'position 2', 'choose another name'],
    ['/*constructor', 'position 2', 'choose another name'],
    ['/a/../b', 'position 3', "'.' and '..'"],
  ])('refuses the path %j with the position and what to write instead', (path, position, advice) => {
    expect(() => new Controller('GET', path, () => 'x')).toThrow(
      refusal('ERR_PATTERN_INVALID', position, advice),
    )
  })

  it.each([
    [undefined, 'not undefined.'],
    [null, 'not null.'],
    [/^\/x/, 'not a RegExp.'],
    [['/x', '/y'], 'not an array.'],
  ])('refuses the path %p, which is no string', (path, shown) => {
    expect(() => new Controller('GET', path as never, () => 'x')).toThrow(
      refusal('ERR_PATTERN_INVALID', 'A pattern is a string', shown),
    )
  })

  it('refuses a callback that is no function, naming the route', () => {
    expect(() => new Controller('GET', '/x', undefined as never)).toThrow(
      refusal('ERR_CONTROLLER_INVALID', 'Controller(GET, /x)', 'undefined, not a function'),
    )
  })

  it.each([
    [{ bodyLimit: NaN }, 'bodyLimit'],
    [{ bodyLimit: -1 }, 'bodyLimit'],
    [{ bodyLimit: 1.5 }, 'bodyLimit'],
    [{ bodyLimit: '10 apples' }, '10 apples'],
    [{ body: 'json' }, "'parse' or 'stream'"],
    [{ bodylimit: 1 }, '"bodylimit"'],
    [{ tags: 'users' }, 'an array of strings'],
    [{ tags: ['users', ''] }, 'tags[1]'],
    [{ security: { bearer: [] } }, 'security requirements'],
    [{ security: ['bearer'] }, 'security requirements'],
    [null, 'an object of options'],
  ])('refuses the options %j', (options, part) => {
    expect(() => new Controller('GET', '/x', () => 'x', options as never)).toThrow(
      refusal('ERR_OPTION_INVALID', 'Controller(GET, /x)', part),
    )
  })
})

describe('Controller.getMethods', () => {
  it('is the method in a list, in upper case', () => {
    expect(new Controller('get', '/', () => 'x').getMethods()).toEqual(['GET'])
    expect(new Controller('*', '/', () => 'x').getMethods()).toEqual(['*'])
  })

  it('gives a list of its own, so that changing it changes no route', () => {
    const controller = new Controller('GET', '/', () => 'x')
    controller.getMethods().push('POST')
    expect(controller.getMethods()).toEqual(['GET'])
  })
})

describe('Controller.getPath', () => {
  it.each(['/', '/users/:userId', '/files/*path', '/files/*', '*', '/a//b/'])(
    'is %s as it was given',
    (path) => {
      expect(new Controller('GET', path, () => 'x').getPath()).toBe(path)
    },
  )
})

describeServings('Controller', ({ serve, misses, errors }) => {
  it('answers with what its callback returns', async () => {
    const { send } = await serve([
      new Controller('GET', '/users/:userId', (req, res) => res.json({ userId: req.params.userId })),
    ])
    const answer = await send('/users/7')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.json()).toEqual({ userId: '7' })
  })

  it('leaves a path that it does not match to whoever stands behind', async () => {
    const { send } = await serve([new Controller('GET', '/test', () => 'x')], {
      downstream: (app) => void app.get('/legacy', (_req, res) => void res.send('legacy')),
    })
    const answer = await send('/legacy')
    expect([answer.status, answer.text]).toEqual(misses === 'us' ? [404, 'Not Found'] : [200, 'legacy'])
  })

  it('leaves a method that it does not have to whoever stands behind', async () => {
    const { send } = await serve([new Controller('GET', '/test', () => 'x')], {
      downstream: (app) => void app.post('/test', (_req, res) => void res.send('legacy')),
    })
    const answer = await send('/test', { method: 'POST' })
    expect([answer.status, answer.text]).toEqual(misses === 'us' ? [404, 'Not Found'] : [200, 'legacy'])
  })

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE', 'M-SEARCH'])(
    'answers %s',
    async (method) => {
      const { send } = await serve([new Controller(method, '/', (req) => req.method)])
      expect(await send('/', { method })).toMatchObject({ status: 200, text: method })
    },
  )

  it("answers every method with '*'", async () => {
    const { send } = await serve([new Controller('*', '/', (req) => req.method)])
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'REPORT']) {
      expect(await send('/', { method })).toMatchObject({ status: 200, text: method })
    }
  })

  it('answers HEAD as GET, with its Content-Length and without its body', async () => {
    const { send } = await serve([
      new Controller('GET', '/text', (_req, res) => res.header('X-Kind', 'text').text('grüße')),
      new Controller('GET', '/bytes', () => new Uint8Array(5)),
      new Controller('GET', '/nothing', (_req, res) => res.end()),
    ])
    for (const [path, length] of [
      ['/text', '7'],
      ['/bytes', '5'],
      ['/nothing', '0'],
    ] as const) {
      const get = await send(path)
      const head = await send(path, { method: 'HEAD' })
      expect(head).toMatchObject({ status: 200, text: '' })
      expect(head.headers).toMatchObject({ 'content-length': length })
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
      expect(head.headers['x-kind']).toBe(get.headers['x-kind'])
    }
  })

  it('answers HEAD without a body when that is a stream, and lets go of the stream', async () => {
    let released = 0
    const source = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(10)),
        cancel: () => void released++,
      })
    const { send } = await serve([new Controller('GET', '/', (_req, res) => res.stream(source()))])
    expect(await send('/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    expect(released).toBe(1)
  })

  it('answers HEAD with its own Controller before one for GET', async () => {
    const { send } = await serve([
      new Controller('GET', '/', () => 'from GET'),
      new Controller('HEAD', '/', (_req, res) => res.header('X-By', 'HEAD').end()),
    ])
    const head = await send('/', { method: 'HEAD' })
    expect([head.status, head.text, head.headers['x-by']]).toEqual([200, '', 'HEAD'])
    expect((await send('/')).text).toBe('from GET')
  })

  it("answers HEAD with GET before '*' at the same path", async () => {
    const { send } = await serve([
      new Controller('*', '/', (_req, res) => res.header('X-By', '*').end()),
      new Controller('GET', '/', (_req, res) => res.header('X-By', 'GET').text('x')),
    ])
    expect((await send('/', { method: 'HEAD' })).headers['x-by']).toBe('GET')
  })

  it('sends no body to HEAD for an error either', async () => {
    const { send } = await serve([
      new Controller('GET', '/', () => {
        throw new Error('secret')
      }),
    ])
    expect(await send('/', { method: 'HEAD' })).toMatchObject({ status: 500, text: '' })
  })

  it('answers 500 without detail and logs one line when a callback throws', async () => {
    const { send, logged } = await serve(
      [
        new Controller('GET', '/sync', () => {
          throw new Error('secret')
        }),
        new Controller('GET', '/async', async () => {
          throw new Error('secret')
        }),
      ],
      {
        downstream: (app) =>
          void app.use(
            (error: Error, _req: unknown, res: any, _next: unknown) =>
              void res.status(500).send(error.message === 'secret' ? 'told by the host' : 'another error'),
          ),
      },
    )
    for (const path of ['/sync', '/async']) {
      const answer = await send(path)
      expect([answer.status, answer.text]).toEqual([
        500,
        errors === 'us' ? 'Internal Server Error' : 'told by the host',
      ])
      expect(logged.splice(0)).toEqual(
        errors === 'us'
          ? [expect.stringMatching(`^error GET ${path} \\(Controller GET:${path}\\): Error: secret`)]
          : [],
      )
    }
  })

  it('answers with the 4xx status of what a callback throws', async () => {
    const { send, logged } = await serve([
      new Controller('GET', '/', () => {
        throw Object.assign(new Error('not for you'), { status: 403, expose: true })
      }),
    ])
    const answer = await send('/')
    expect(answer.status).toBe(403)
    if (errors === 'us') expect(answer.text).toBe('not for you')
    expect(logged).toEqual([])
  })

  it.each([[undefined], [null], [0], ['']])(
    'answers 500 when a callback throws %p',
    async (thrown: unknown) => {
      const { send } = await serve([
        new Controller('GET', '/sync', () => {
          throw thrown
        }),
        new Controller('GET', '/async', () => Promise.reject(thrown)),
      ])
      expect((await send('/sync')).status).toBe(500)
      expect((await send('/async')).status).toBe(500)
    },
  )

  it('answers 500, and says in the log what is missing, when a callback returns res without an answer', async () => {
    const { send, logged } = await serve([
      new Controller('GET', '/', (_req, res) => res.status(204)),
      new Controller('GET', '/answered', (_req, res) => {
        res.status(202).text('x')
        return res
      }),
    ])
    expect((await send('/')).status).toBe(500)
    if (errors === 'us') expect(logged).toEqual([expect.stringContaining('did you forget `.end()`')])
    expect(await send('/answered')).toMatchObject({ status: 202, text: 'x' })
  })

  it('serves the routes of the specification', async () => {
    const { send } = await serve([
      new Controller('GET', '/test', async (_req, res) => res.json({ message: 'Test route works' })),
      new Controller('GET', '/users/:userId', async (req, res) => res.json({ userId: req.params.userId })),
      new Controller('*', '*', async (_req, res) => res.text('anything else')),
    ])
    expect((await send('/test')).json()).toEqual({ message: 'Test route works' })
    expect((await send('/users/42')).json()).toEqual({ userId: '42' })
    for (const [target, method] of [
      ['/', 'GET'],
      ['/nowhere/at/all?x=1', 'GET'],
      ['/test', 'POST'],
      ['/users/42', 'DELETE'],
      ['/test/', 'OPTIONS'],
    ] as const) {
      const answer = await send(target, { method })
      expect(answer).toMatchObject({ status: 200, text: 'anything else' })
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    }
  })

  it('answers 404 where the specification has no route', async () => {
    const { send, logged } = await serve([new Controller('GET', '/test', () => 'x')])
    expect((await send('/nowhere')).status).toBe(404)
    expect((await send('/test', { method: 'POST' })).status).toBe(404)
    expect(logged).toEqual([])
  })
})

describeServings('Controller params', ({ serve }) => {
  it('are percent-decoded once, a slash included', async () => {
    const { send } = await serve([
      new Controller('GET', '/users/:name', (req, res) => res.json(req.params)),
      new Controller('GET', '/files/*path', (req, res) => res.json(req.params)),
    ])
    expect((await send('/users/a%2Fb')).json()).toEqual({ name: 'a/b' })
    expect((await send('/users/%2525')).json()).toEqual({ name: '%25' })
    expect((await send('/users/caf%C3%A9+x')).json()).toEqual({ name: 'café+x' })
    expect((await send('/files/a//b%20c/?x=1')).json()).toEqual({ path: 'a//b c/' })
    expect((await send('/files/')).json()).toEqual({ path: '' })
  })

  it.each(['toString', 'hasOwnProperty', 'valueOf'])(
    'may be called %s, as a member of Object is',
    async (name) => {
      const { send } = await serve([
        new Controller('GET', `/users/:${name}`, (req, res) =>
          res.json([req.params[name], { ...req.params }]),
        ),
      ])
      expect((await send('/users/7')).json()).toEqual(['7', { [name]: '7' }])
    },
  )

  it("has the whole path under '*' where the pattern is '*'", async () => {
    const { send } = await serve([new Controller('GET', '*', (req, res) => res.json(req.params))])
    expect((await send('/a/b%20c?d')).json()).toEqual({ '*': '/a/b c' })
  })

  it.each(['/users/%', '/users/%zz', '/users/%E0%A4', '/users/%ff'])('answers 400 to %s', async (target) => {
    const seen: RouteRequest[] = []
    const { send, logged } = await serve([
      new Controller('GET', '/users/:name', (req) => {
        seen.push(req)
        return 'x'
      }),
    ])
    expect((await send(target)).status).toBe(400)
    expect(seen).toEqual([])
    expect(logged).toEqual([])
  })
})
