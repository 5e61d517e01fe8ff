import { Controller, group, RouteControllers } from 'routecontrollers'
import { describeServings } from '../support/describe-servings.js'
import { refusal } from '../support/refusal.js'

const answers = (method: string, path: string): Controller =>
  new Controller(method, path, () => `${method} ${path}`)

describe('new RouteControllers', () => {
  it.each([
    [undefined, 'not undefined'],
    [null, 'not null'],
    ['/users', 'not string'],
    [{}, 'not an object'],
    [new Controller('GET', '/', () => 'x'), 'not an object'],
    [new Set(), 'not a Set'],
  ])('refuses %p, which is no array', (controllers, shown) => {
    expect(() => new RouteControllers(controllers as never)).toThrow(
      refusal('ERR_CONTROLLER_INVALID', 'an array of Controller', shown),
    )
  })

  it.each([
    [undefined],
    [null],
    [() => 'x'],
    [{ method: 'GET', path: '/', callback: () => 'x' }],
    [Controller],
  ])('refuses a list with %p in it, naming the place', (entry) => {
    const list = [answers('GET', '/'), entry] as never
    expect(() => new RouteControllers(list)).toThrow(
      refusal('ERR_CONTROLLER_INVALID', 'at 1', 'new Controller(method, path, callback)'),
    )
  })

  it.each<[string, () => unknown, string]>([
    ['a list', () => [answers('GET', '/')], 'an array, not a Controller'],
    ['a group', () => group('/api'), 'or group.get(path, callback)'],
  ])('says what to do with %s in the list', (_what, make, text) => {
    expect(() => new RouteControllers([make()] as never)).toThrow(
      refusal('ERR_CONTROLLER_INVALID', 'at 0', text),
    )
  })

  it('refuses a list with a hole', () => {
    const list = [answers('GET', '/'), , answers('GET', '/b')] as never
    expect(() => new RouteControllers(list)).toThrow(refusal('ERR_CONTROLLER_INVALID', 'at 1'))
  })

  it.each([
    [answers('GET', '/users/:id'), answers('GET', '/users/:id')],
    [answers('GET', '/users/:id'), answers('get', '/users/:name')],
    [answers('GET', '/files/*'), answers('GET', '/files/*path')],
    [answers('*', '*'), answers('*', '/*')],
  ])('refuses two with the same method and pattern, naming both (%#)', (one, other) => {
    expect(() => new RouteControllers([answers('GET', '/'), one, other])).toThrow(
      refusal(
        'ERR_ROUTE_CONFLICT',
        `'${one.method} ${one.getPath()}' and '${other.method} ${other.getPath()}'`,
        'keep one',
      ),
    )
  })

  it('takes an empty list', async () => {
    const response = await new RouteControllers([]).getCallback()(new Request('http://test/'))
    expect(response.status).toBe(404)
  })

  it.each<[unknown, ...string[]]>([
    [{ bodyLimit: NaN }, 'bodyLimit', 'not NaN'],
    [{ bodyLimit: '10 apples' }, '"10 apples"'],
    [{ bodyLimit: '1mb' }, '"1mb"'],
    [{ bodyLimit: -1 }, '-1'],
    [{ bodyLimit: 0.5 }, '0.5'],
    [{ bodyLimit: null }, 'null'],
    [{ bodyLimit: 10n }, 'bodyLimit'],
    [{ bodyLimt: 10 }, '"bodyLimt"'],
    [{ Logger: console }, '"Logger"'],
    [{ logger: null }, 'logger'],
    [{ logger: 'silent' }, 'logger.info'],
    [{ logger: { info() {}, warn() {} } }, 'logger.error'],
    [{ onError: true }, 'onError'],
    [{ onNotFound: 'nothing here' }, 'onNotFound'],
    [{ trustProxy: 1 }, 'trustProxy', 'number of hops'],
    [{ trustProxy: true }, 'trustProxy', 'not boolean'],
    [{ trustProxy: ['10.0.0.0/33'] }, '10.0.0.0/33'],
    [{ trustProxy: 'localhost' }, '"localhost"'],
    ['strict', 'an object of options'],
    [null, 'an object of options'],
  ])('refuses the options %p', (options, ...parts) => {
    expect(() => new RouteControllers([], options as never)).toThrow(refusal('ERR_OPTION_INVALID', ...parts))
  })

  it('takes every option, undefined ones as if they were not there', () => {
    const options = { bodyLimit: 0, logger: console, trustProxy: 'loopback, 10.0.0.0/8' }
    expect(() => new RouteControllers([], options)).not.toThrow()
    const none = { bodyLimit: undefined, logger: undefined, trustProxy: undefined, onError: undefined }
    expect(() => new RouteControllers([], none as never)).not.toThrow()
  })
})

describeServings('RouteControllers', ({ serve, misses, onNode }) => {
  it('answers with the most specific pattern, whatever the order of the list', async () => {
    const list = ['*', '/users/*', '/users/:id', '/users/me', '/:kind/me', '/users/:id/posts'].map((path) =>
      answers('GET', path),
    )
    for (const controllers of [
      list,
      [...list].reverse(),
      [list[3]!, list[0]!, list[5]!, list[2]!, list[4]!, list[1]!],
    ]) {
      const { send } = await serve(controllers)
      const text = async (target: string): Promise<string> => (await send(target)).text
      expect(await text('/users/me')).toBe('GET /users/me')
      expect(await text('/users/7')).toBe('GET /users/:id')
      expect(await text('/users/7/posts')).toBe('GET /users/:id/posts')
      expect(await text('/users/7/likes')).toBe('GET /users/*')
      expect(await text('/shops/me')).toBe('GET /:kind/me')
      expect(await text('/shops')).toBe('GET *')
    }
  })

  it("prefers the exact method to '*' at the same pattern", async () => {
    const { send } = await serve([answers('*', '/a'), answers('POST', '/a')])
    expect((await send('/a', { method: 'POST' })).text).toBe('POST /a')
    expect((await send('/a', { method: 'PUT' })).text).toBe('* /a')
  })

  it('is not kept from a less specific pattern by one without the method', async () => {
    const { send } = await serve([
      answers('GET', '/users/me'),
      answers('DELETE', '/users/:id'),
      answers('POST', '/users/*'),
      answers('*', '*'),
    ])
    const text = async (method: string, target: string): Promise<string> =>
      (await send(target, { method })).text
    expect(await text('GET', '/users/me')).toBe('GET /users/me')
    expect(await text('DELETE', '/users/me')).toBe('DELETE /users/:id')
    expect(await text('POST', '/users/me')).toBe('POST /users/*')
    expect(await text('PUT', '/users/me')).toBe('* *')
  })

  it.each([
    ['/users', ['/Users', '/users/', '//users', '/users//', '/%75sers', '/users;v=1', '/user', '/userss']],
    ['/users/', ['/users', '/users//']],
    ['/users/:id', ['/users/', '/users//', '/users/7/', '/users//7', '/USERS/7', '/users%2F7']],
    ['/a//b', ['/a/b', '/a///b', '/a/x/b']],
    ['/files/*', ['/files', '/Files/a', '/filesystem/a']],
  ])('matches %s with the path as it was sent', async (path, others) => {
    const { send } = await serve([answers('GET', path)], {
      downstream: (app) => void app.use((_req, res) => void res.status(404).send('behind')),
    })
    expect((await send(path)).text).toBe(`GET ${path}`)
    for (const other of others) {
      expect([other, await send(other)]).toEqual([
        other,
        expect.objectContaining({ status: 404, text: misses === 'us' ? 'Not Found' : 'behind' }),
      ])
    }
  })

  it('matches without the query, whatever stands in it', async () => {
    const { send } = await serve([answers('GET', '/a')])
    for (const target of ['/a?', '/a?x=1', '/a?/b', '/a??', '/a?x=%zz', '/a?//x/../y']) {
      expect([target, (await send(target)).text]).toEqual([target, 'GET /a'])
    }
  })

  it('keeps req.url and req.originalUrl as they were sent', async () => {
    const { send } = await serve([
      new Controller('GET', '*', (req, res) => res.json([req.url, req.originalUrl])),
    ])
    for (const target of ['//a//b?x=%20&y=a/b', '/%41?']) {
      const [url, originalUrl] = (await send(target)).json()
      // A URL object drops a `?` with nothing behind it; it is not sent where there is no socket.
      const sent = onNode ? target : target.replace(/\?$/, '')
      expect([url.replace(/\?$/, ''), originalUrl.replace(/\?$/, '')]).toEqual([
        sent.replace(/\?$/, ''),
        sent.replace(/\?$/, ''),
      ])
    }
  })
})

describeServings(
  'RouteControllers over a socket',
  ({ serve }) => {
    it.each(['/a/../users', '/./users', '/users/.', '/users/..', '/%2e/users', '/a/%2E%2E/users'])(
      'does not resolve the dots of %s',
      async (target) => {
        const { send } = await serve([
          answers('GET', '/users'),
          answers('GET', '/'),
          new Controller('GET', '/users/:id', (req) => `user ${req.params.id}`),
        ])
        const answer = await send(target)
        const id = /^\/users\/(.*)$/.exec(target)?.[1]
        expect([answer.status, answer.text]).toEqual(
          id === undefined ? [404, expect.any(String)] : [200, `user ${id}`],
        )
      },
    )

    it('takes no host out of a path that begins with two slashes', async () => {
      const { send } = await serve([
        answers('GET', '/users'),
        new Controller('GET', '//evil.example/*', (req) => req.url),
      ])
      expect((await send('//evil.example/users')).text).toBe('//evil.example/users')
    })

    it('reads the path of an absolute-form target', async () => {
      const { send } = await serve([answers('GET', '/users')])
      const answer = await send('http://test/users?x=1', { headers: { host: 'test' } })
      expect(answer.text).toBe('GET /users')
    })
  },
  ({ onNode }) => onNode,
)

describeServings('RouteControllers onNotFound and onError', ({ serve, misses }) => {
  it('answer in place of 404 and 500', async () => {
    const { send, logged } = await serve(
      [
        new Controller('GET', '/throws', () => {
          throw new Error('secret')
        }),
      ],
      {
        onNotFound: (req, res) => res.status(404).json({ nothingAt: req.url }),
        onError: async (error, req, res) =>
          res.status(503).json({ message: (error as Error).message, at: req.url }),
      },
    )
    expect(await send('/throws')).toMatchObject({ status: 503, text: '{"message":"secret","at":"/throws"}' })
    const missed = await send('/x?y')
    expect(missed.status).toBe(404)
    if (misses === 'us') expect(missed.json()).toEqual({ nothingAt: '/x?y' })
    expect(logged).toEqual([])
  })

  it('leave the answer to the default when they give none', async () => {
    const seen: unknown[] = []
    const { send } = await serve(
      [
        new Controller('GET', '/throws', () => {
          throw new Error('secret')
        }),
      ],
      { onNotFound: () => undefined, onError: (error) => void seen.push(error) },
    )
    expect((await send('/throws')).status).toBe(500)
    expect((await send('/x')).status).toBe(404)
    expect(seen).toEqual([new Error('secret')])
  })

  it('do not take the default answer with them when they throw', async () => {
    const { send, logged } = await serve(
      [
        new Controller('GET', '/throws', () => {
          throw new Error('first')
        }),
      ],
      {
        onNotFound: async () => {
          throw new Error('second')
        },
        onError: () => {
          throw new Error('third')
        },
      },
    )
    expect((await send('/throws')).status).toBe(500)
    expect(logged.filter((line) => line.includes('Error: third'))).toHaveLength(1)
    expect((await send('/x')).status).toBe(404)
    expect(logged.filter((line) => line.includes('Error: second'))).toHaveLength(misses === 'us' ? 1 : 0)
  })
})
