import {
  Controller,
  type ControllerOptions,
  group,
  type Middleware,
  RouteControllers,
} from 'routecontrollers'
import { z } from 'zod'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'
import { thrownBy } from '../support/thrown-by.js'

describe('group', () => {
  it('makes Controllers of its methods, with its prefix', () => {
    const users = group('/users')
    const made = [
      users.get('/', () => ''),
      users.get('', () => ''),
      users.post('/:id', () => ''),
      users.put('/:id', () => ''),
      users.patch('/:id', () => ''),
      users.delete('/:id', () => ''),
      users.all('*', () => ''),
      users.route('propfind', '/*rest', () => ''),
      users
        .group('/:id')
        .group('')
        .get('/posts', () => ''),
      group('').get('/', () => ''),
      group('/').get('/a', () => ''),
    ]
    expect(made.map((one) => `${one.method} ${one.getPath()}`)).toEqual([
      'GET /users',
      'GET /users',
      'POST /users/:id',
      'PUT /users/:id',
      'PATCH /users/:id',
      'DELETE /users/:id',
      '* /users/*',
      'PROPFIND /users/*rest',
      'GET /users/:id/posts',
      'GET /',
      'GET /a',
    ])
    expect(made.every((one) => one instanceof Controller)).toBe(true)
  })

  it('is not changed by with and group: what they make of it has its own middleware and options', () => {
    const [a, b]: Middleware[] = [() => {}, () => {}]
    const plain = group('/x')
    const guarded = plain.with(a!)
    const both = guarded.with({ bodyLimit: 5 }).group('/y', b)
    expect([plain, guarded, both].map((one) => one.get('/', () => '').middleware)).toEqual([[], [a], [a, b]])
    expect([plain, guarded, both].map((one) => one.get('/', () => '').options.bodyLimit)).toEqual([
      undefined,
      undefined,
      5,
    ])
    expect(both.get('/', () => '', { bodyLimit: 7 }).options.bodyLimit).toBe(7)
    expect(() => Object.assign(plain, { get: 1 })).toThrow(TypeError)
  })

  it('is changed by use, for the routes that are made later', () => {
    const [a, b, c]: Middleware[] = [() => {}, () => {}, () => {}]
    const api = group('/x', a)
    const before = api.get('/before', () => '')
    const { get } = api
    expect(api.use(b!)).toBe(api)
    const after = [api.get('/after', () => ''), get('/taken', () => ''), api.use(c!).get('/third', () => '')]
    expect(before.middleware).toEqual([a])
    expect(after.map(({ middleware }) => middleware)).toEqual([
      [a, b],
      [a, b],
      [a, b, c],
    ])
  })

  it('has in groups that were made of it what use adds later, before their own', () => {
    const [outer, guard, inner, own, late]: Middleware[] = [1, 2, 3, 4, 5].map(() => () => {})
    const api = group('/x', outer)
    const users = api.group('/users', inner)
    const tagged = api.with({ tags: ['x'] })
    const keyed = api.with(own!)
    const deep = users.with({ bodyLimit: 5 }).group('/:id')
    const before = deep.get('/before', () => '')
    api.use(guard!)
    users.use(late!)
    const of = (one: { get: typeof api.get }): unknown => one.get('/', () => '').middleware
    expect(before.middleware).toEqual([outer, inner])
    expect(of(users as never)).toEqual([outer, guard, inner, late])
    expect(of(tagged as never)).toEqual([outer, guard])
    expect(of(keyed as never)).toEqual([outer, guard, own])
    expect(of(deep as never)).toEqual([outer, guard, inner, late])
    expect(of(api.group('/new') as never)).toEqual([outer, guard])
    // Not the other way round: another group is not changed.
    keyed.use(late!)
    expect(of(api)).toEqual([outer, guard])
    expect(of(group('/x', outer))).toEqual([outer])
  })

  it.each<[string, () => unknown, string, RegExp]>([
    ['a prefix that is no text', () => group(7 as never), 'ERR_PATTERN_INVALID', /not number/],
    ['a prefix without a slash', () => group('users'), 'ERR_PATTERN_INVALID', /write '\/users'/],
    ['a prefix with a wildcard', () => group('/a/*'), 'ERR_PATTERN_INVALID', /write '\/a'/],
    ['a prefix with a slash at its end', () => group('/a/'), 'ERR_PATTERN_INVALID', /write '\/a'/],
    ['a param twice', () => group('/:id').get('/:id', () => ''), 'ERR_PATTERN_INVALID', /already the name/],
    ['a path without a slash', () => group('/a').get('b', () => ''), 'ERR_PATTERN_INVALID', /write '\/b'/],
    [
      'a path that is no text',
      () => group('/a').get(undefined as never, () => ''),
      'ERR_PATTERN_INVALID',
      /not undefined/,
    ],
    [
      'middleware that is none',
      () => group('/a', 'guard' as never),
      'ERR_CONTROLLER_INVALID',
      /group\('\/a'\) takes a function/,
    ],
    ['a list of middleware', () => group('/a', [() => {}] as never), 'ERR_CONTROLLER_INVALID', /use\(a, b\)/],
    [
      'no middleware',
      () => (group('/a').use as unknown as () => void)(),
      'ERR_CONTROLLER_INVALID',
      /use takes a function, not undefined/,
    ],
    [
      'options beside middleware',
      () => group('/a').with((() => {}) as never, { tags: ['x'] } as never),
      'ERR_CONTROLLER_INVALID',
      /group\('\/a'\)\.with takes a function, not an object: give options alone/,
    ],
    [
      'options in the place of middleware',
      () => group('/a', { tags: [] } as never),
      'ERR_CONTROLLER_INVALID',
      /group\('\/a'\) takes a function, not an object: write group\('\/a'\)\.with\(\{ … \}\) for options/,
    ],
    [
      'options for use',
      () => group('/a').use({ tags: [] } as never),
      'ERR_CONTROLLER_INVALID',
      /use takes a function, not an object: write with\(\{ … \}\) for options/,
    ],
    [
      'with of nothing',
      () => (group('/a').with as unknown as () => void)(),
      'ERR_CONTROLLER_INVALID',
      /with takes a function, not undefined/,
    ],
    [
      'an error hook',
      () => group('/a').use(((_a: 1, _b: 2, _c: 3, _d: 4) => {}) as never),
      'ERR_CONTROLLER_INVALID',
      /addGlobal/,
    ],
    [
      'an option that is none',
      () => group('/a').with({ bodyLimits: 1 } as never),
      'ERR_OPTION_INVALID',
      /bodyLimits/,
    ],
    [
      'a name for all',
      () => group('/a').with({ name: 'x' } as never),
      'ERR_OPTION_INVALID',
      /name is of one route/,
    ],
    [
      'an operationId for all',
      () => group('/a').with({ operationId: 'x' } as never),
      'ERR_OPTION_INVALID',
      /operationId is of one route/,
    ],
    [
      'options that are none',
      () => group('/a').get('/', () => '', 7 as never),
      'ERR_OPTION_INVALID',
      /not number/,
    ],
    [
      'no callback',
      () => (group('/a').get as unknown as (path: string) => void)('/'),
      'ERR_CONTROLLER_INVALID',
      /callback/,
    ],
  ])('refuses %s', (_what, make, code, message) => {
    expect(thrownBy(make)).toMatchObject({ code, message: expect.stringMatching(message) })
  })

  it('shows its middleware in routes', () => {
    const requireUser = (): void => {}
    const timing = (): void => {}
    const list = [group('/a', requireUser).get('/b', () => '', { name: 'b' })]
    const { routes } = new RouteControllers(list).use(timing)
    expect(routes).toMatchObject([
      { method: 'GET', path: '/a/b', name: 'b', middleware: ['timing', 'requireUser'] },
    ])
  })
})

describeServingsAndHttp2('A group', ({ serve }) => {
  it('guards each of its routes, and no other', async () => {
    const admin = group('/admin/:area', (req, res) =>
      req.get('x-token') === 'yes' ? { area: req.params.area } : res.status(401).end(),
    )
    const { send } = await serve([
      admin.get('/', (req) => `all of ${req.area}`),
      admin.group('/users').get('/:id', (req) => `${req.area} ${req.params.id}`),
      new Controller('GET', '/admin', () => 'open'),
    ])
    for (const target of ['/admin/eu', '/admin/eu/users/7']) expect((await send(target)).status).toBe(401)
    const headers = { 'x-token': 'yes' }
    expect((await send('/admin/eu', { headers })).text).toBe('all of eu')
    expect((await send('/admin/eu/users/7', { headers })).text).toBe('eu 7')
    expect((await send('/admin')).text).toBe('open')
  })

  it('guards the routes that are made after use, also where its result is discarded', async () => {
    const guard: Middleware = (_req, res) => res.status(401).end()
    const api = group('/api')
    const inner = api.group('/inner')
    const open = api.get('/open', () => 'open')
    api.use(guard)
    const { send } = await serve([
      open,
      api.get('/secret', () => 'secret'),
      inner.get('/secret', () => 'secret'),
      api.with({ tags: ['x'] }).get('/tagged', () => 'secret'),
    ])
    expect((await send('/api/open')).text).toBe('open')
    for (const target of ['/api/secret', '/api/inner/secret', '/api/tagged']) {
      expect((await send(target)).status).toBe(401)
    }
  })
})

describeServingsAndHttp2('The answers that a group declares', ({ serve }) => {
  it('are those of its routes too, beside their own', async () => {
    const api = group('/x').with({ output: { 404: z.object({ missing: z.string() }) } })
    const { send } = await serve(
      [
        api.get(
          '/:id',
          (req, res) => (req.params.id === '1' ? 'one' : res.status(404).json({ missing: req.params.id })),
          {
            output: { 200: z.string() },
          },
        ),
      ],
      { checkOutput: 'check' },
    )
    expect((await send('/x/1')).status).toBe(200)
    const missing = await send('/x/2')
    expect([missing.status, missing.json()]).toEqual([404, { missing: '2' }])
  })
})

describeServingsAndHttp2('What a group says of its routes', ({ serve }) => {
  it('counts where the options of a route have only undefined for it', async () => {
    const api = group('/x').with({ bodyLimit: 4, input: { query: z.object({ a: z.string() }) } })
    // A program without exactOptionalPropertyTypes may write these.
    const optionsOf = (options: object): ControllerOptions => options
    const { send } = await serve([
      api.post('/1', () => 'let through', optionsOf({ input: undefined, bodyLimit: undefined })),
      api.post('/2', () => 'let through', optionsOf({ input: { query: undefined } })),
    ])
    const post = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'long text' }
    expect((await send('/x/1?a=1', post)).status).toBe(413)
    for (const target of ['/x/1', '/x/2']) expect((await send(target, { method: 'POST' })).status).toBe(422)
    expect((await send('/x/2?a=1', { method: 'POST' })).text).toBe('let through')
  })

  it('does not hide an unknown option of a route', () => {
    const api = group('/x').with({ bodyLimit: 4 })
    expect(() => api.get('/1', () => '', { bodylimit: undefined } as object)).toThrow(
      /has no option "bodylimit"/,
    )
  })
})
