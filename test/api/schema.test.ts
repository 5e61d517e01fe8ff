import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type } from 'arktype'
import { Controller, fromConnect, group, RouteControllers, type StandardSchema } from 'routecontrollers'
import * as v from 'valibot'
import { z } from 'zod'
import { unreadable } from '../../src/define/schema.js'
import { RouteControllersError } from '../../src/ground/errors.js'
import type { InputSchemas } from '../../src/ground/standard-schema.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'
import { thrownBy } from '../support/thrown-by.js'

const json = { 'content-type': 'application/json' }
const asJson = (value: unknown) => ({ method: 'POST', headers: json, body: JSON.stringify(value) })

/** The same body in three libraries: a name and an age from 18 on. */
const libraries: [string, StandardSchema<unknown, { name: string; age: number }>][] = [
  ['zod', z.object({ name: z.string(), age: z.number().min(18) })],
  ['valibot', v.object({ name: v.string(), age: v.pipe(v.number(), v.minValue(18)) })],
  ['arktype', type({ name: 'string', age: 'number >= 18' })],
]

/** A schema of nobody's making, sync or async. */
function schema(validate: (value: unknown) => unknown): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate: validate as never } }
}

describeServingsAndHttp2('A schema of the input', ({ serve, errors }) => {
  it('leaves headers and cookies as they are, which others read too', async () => {
    const { send } = await serve([
      new Controller('GET', '/', (req, res) => res.json([req.headers['x-n'], req.cookies.n, req.query.n]), {
        input: {
          headers: z.object({ 'x-n': z.coerce.number() }),
          cookies: z.object({ n: z.coerce.number() }),
          query: z.object({ n: z.coerce.number() }),
        },
      }),
    ])
    const answer = await send('/?n=1', { headers: { 'x-n': '1', cookie: 'n=1' } })
    expect(answer.json()).toEqual(['1', '1', 1])
  })

  it.each([0, '', false, null, undefined])('may make %p of a part', async (value) => {
    const { send } = await serve([
      new Controller('POST', '/', (req) => [String(req.body), typeof req.body], {
        input: { body: z.unknown().transform(() => value) },
      }),
    ])
    expect((await send('/', asJson({ a: 1 }))).json()).toEqual([String(value), typeof value])
  })

  it('has its reasons told by JSON pointers, in which ~ and / of a name are escaped', async () => {
    const body = z.object({ 'a/b': z.object({ 'c~d': z.number(), '~1': z.number() }) })
    const { send } = await serve([new Controller('POST', '/', () => 'ok', { input: { body } })])
    const { errors: reasons } = (await send('/', asJson({ 'a/b': {} }))).json()
    expect(reasons.map(({ path }: { path: string }) => path)).toEqual(['/a~1b/c~0d', '/a~1b/~01'])
  })

  it.each(libraries)(
    'of %s gives the callback what it makes of the body, or is answered with 422',
    async (_name, body) => {
      const { send, logged } = await serve([
        new Controller('POST', '/', (req, res) => res.json([req.body.name, req.body.age]), {
          input: { body },
        }),
      ])
      expect((await send('/', asJson({ name: 'Ada', age: 36 }))).json()).toEqual(['Ada', 36])
      const refused = await send('/', asJson({ name: 7, age: 3 }))
      expect([refused.status, refused.headers['content-type']]).toEqual([422, 'application/problem+json'])
      expect(refused.json()).toEqual({
        type: 'about:blank',
        title: 'Unprocessable Content',
        status: 422,
        detail: 'The input does not fit',
        errors: expect.arrayContaining([
          { in: 'body', path: '/name', message: expect.any(String) },
          { in: 'body', path: '/age', message: expect.any(String) },
        ]),
      })
      expect(logged).toEqual([])
    },
  )

  it.each(libraries)('of %s shows no value that the client has sent', async (_name, body) => {
    const { send } = await serve([new Controller('POST', '/', () => 'x', { input: { body } })])
    for (const secret of ['correct horse', 'x"y', '{"a":"hidden"}']) {
      const { text } = await send('/', asJson({ name: { nested: secret }, age: secret }))
      expect(text).not.toContain(secret)
      expect(text).not.toContain(JSON.stringify(secret).slice(1, -1))
    }
    expect((await send('/', asJson({ name: 'a', age: 11.625 }))).text).not.toContain('11.625')
  })

  it.each([
    ['application/xml', 'application/xml'],
    ['application/octet-stream', 'application/octet-stream'],
    ['multipart/form-data; boundary=b', 'multipart/form-data'],
    ['json', 'of no or a malformed Content-Type'],
  ])('of the body answers 415 to one of the type %s, which it names', async (type, named) => {
    const body = z.object({ name: z.string() })
    const { send, logged } = await serve([new Controller('POST', '/', () => 'ok', { input: { body } })])
    const answer = await send('/', { method: 'POST', headers: { 'content-type': type }, body: 'x' })
    expect([answer.status, answer.headers['content-type']]).toEqual([415, 'application/problem+json'])
    expect(answer.json()).toMatchObject({
      title: 'Unsupported Media Type',
      errors: [{ in: 'body', path: '', message: `The body has to be of another type, not ${named}` }],
    })
    expect(logged).toEqual([])
  })

  it('of the body gets nothing where there is no body, where it takes that, and where middleware sets one', async () => {
    const body = z.object({ name: z.string() })
    const xml = { method: 'POST', headers: { 'content-type': 'application/xml' }, body: '<name/>' }
    const read = fromConnect((req, _res, next) => {
      ;(req as { body?: unknown }).body = { name: 'Ada' }
      next()
    })
    const { send } = await serve([
      new Controller('POST', '/needed', () => 'ok', { input: { body } }),
      new Controller('POST', '/optional', (req) => req.text(), { input: { body: body.optional() } }),
      new Controller('POST', '/read', (req) => req.body.name, { input: { body } }).use(read),
    ])
    expect((await send('/needed', { method: 'POST' })).status).toBe(422)
    expect((await send('/optional', xml)).text).toBe('<name/>')
    expect((await send('/read', xml)).text).toBe('Ada')
  })

  it('coerces params and query as it says, and collects what is wrong with each part', async () => {
    const { send } = await serve([
      new Controller(
        'POST',
        '/users/:id',
        (req, res) => res.json([req.params.id, req.query.page, req.body.tags, req.headers['x-tenant']]),
        {
          input: {
            params: z.object({ id: z.coerce.number().int() }),
            query: z.object({ page: z.coerce.number().default(1) }),
            headers: z.object({ 'x-tenant': z.string() }),
            body: z.object({ tags: z.array(z.string()) }),
          },
        },
      ),
    ])
    const headers = { ...json, 'x-tenant': 'acme' }
    const body = JSON.stringify({ tags: ['a'] })
    expect((await send('/users/7?page=3', { method: 'POST', headers, body })).json()).toEqual([
      7,
      3,
      ['a'],
      'acme',
    ])
    expect((await send('/users/7', { method: 'POST', headers, body })).json()).toEqual([7, 1, ['a'], 'acme'])
    const refused = await send('/users/x?page=y', asJson({ tags: [1, 'a', 2] }))
    const reasons = refused.json().errors.map((one: { in: string; path: string }) => `${one.in} ${one.path}`)
    expect(reasons).toEqual([
      'params /id',
      'query /page',
      'headers /x-tenant',
      'body /tags/0',
      'body /tags/2',
    ])
  })

  it.each<[string, { method: string; headers: Record<string, string>; body: string }, number, RegExp]>([
    ['is malformed', { method: 'POST', headers: json, body: '{"a":' }, 400, /not valid JSON/],
    [
      'is too large',
      { method: 'POST', headers: json, body: JSON.stringify('x'.repeat(200)) },
      413,
      /100 bytes/,
    ],
    [
      'is coded',
      { method: 'POST', headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' },
      415,
      /gzip|coding/i,
    ],
  ])('answers a body that %s in the form of refused input', async (_what, sent, status, message) => {
    const seen: unknown[] = []
    const list = [
      new Controller('POST', '/', () => 'x', {
        bodyLimit: 100,
        input: { body: z.object({ a: z.string() }) },
      }),
      new Controller('POST', '/plain', () => 'x', { bodyLimit: 100 }),
    ]
    const { send } = await serve(list)
    const refused = await send('/', sent)
    expect([refused.status, refused.headers['content-type']]).toEqual([status, 'application/problem+json'])
    const text: unknown = expect.stringMatching(message)
    expect(refused.json()).toMatchObject({ status, errors: [{ in: 'body', path: '', message: text }] })
    // Without schemas it is as other errors of such a route are.
    const plain = await send('/plain', sent)
    expect([plain.status, plain.headers['content-type']!.includes('problem')]).toEqual([status, false])
    const told = await serve(list, {
      onError: (error, _req, res) => {
        const { code, errors } = error as { code: string; errors: unknown }
        seen.push(code)
        return res.status(409).json(errors)
      },
    })
    expect((await told.send('/', sent)).json()).toEqual([{ in: 'body', path: '', message: text }])
    expect(seen).toEqual([expect.stringMatching(/^ERR_BODY_(?:MALFORMED|TOO_LARGE|TYPE)$/)])
  })

  it('answers a malformed escape in a param in the form of refused input', async () => {
    const { send } = await serve([
      new Controller('GET', '/users/:id', () => 'x', { input: { params: z.object({ id: z.string() }) } }),
    ])
    const refused = await send('/users/%zz')
    expect([refused.status, refused.headers['content-type']]).toEqual([400, 'application/problem+json'])
    expect(refused.json()).toMatchObject({ errors: [{ in: 'params', path: '' }] })
  })

  it('is asked after all middleware, so that a guard refuses first', async () => {
    const { send } = await serve([
      group('', (req, res) => (req.get('x-user') ? { user: 1 } : res.status(401).end())).post(
        '/',
        () => 'x',
        {
          input: { body: z.object({ a: z.string() }) },
        },
      ),
    ])
    expect((await send('/', asJson({}))).status).toBe(401)
    expect((await send('/', { ...asJson({}), headers: { ...json, 'x-user': '1' } })).status).toBe(422)
  })

  it('may be async', async () => {
    const taken = schema(async (value) =>
      (value as { name: string }).name === 'ada'
        ? { issues: [{ message: 'is taken', path: ['name'] }] }
        : { value: { ok: 1 } },
    )
    const { send } = await serve([
      new Controller('POST', '/', (req) => req.body as object, {
        input: { body: taken, query: z.object({}) },
      }),
    ])
    expect((await send('/', asJson({ name: 'bob' }))).json()).toEqual({ ok: 1 })
    expect((await send('/', asJson({ name: 'ada' }))).json().errors).toEqual([
      { in: 'body', path: '/name', message: 'is taken' },
    ])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('secret of the schema')
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret of the schema'))],
  ])('that %s is a 500 that names the route in the log', async (_how, validate) => {
    const { send, logged } = await serve(
      [new Controller('POST', '/broken', () => 'x', { input: { body: schema(validate) } })],
      errors === 'host'
        ? {
            downstream: (app) =>
              void app.use(
                (error: Error, _req: unknown, res: any, _next: unknown) =>
                  void res.status(500).send(error.message),
              ),
          }
        : {},
    )
    const { status, text } = await send('/broken', asJson({}))
    expect([status, text.includes('secret')]).toEqual([500, false])
    if (errors === 'us') expect(logged.join()).toMatch(/POST:\/broken.*schema of input\.body/s)
  })

  it.each([[{ issues: [] }], [true], ['x'], [{}], [{ issues: '' }], [undefined], [null]])(
    'that gives %j, which is no success, lets nothing through',
    async (result) => {
      const { send } = await serve([
        new Controller('POST', '/', () => 'through', { input: { body: schema(() => result) } }),
      ])
      const { status, text } = await send('/', asJson({}))
      expect([status >= 400, text.includes('through')]).toEqual([true, false])
    },
  )

  it('that rejects leaves no rejection unhandled where that of another part throws', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    try {
      const params = schema(() => Promise.reject(new Error('async')))
      const query = schema(() => {
        throw new Error('sync')
      })
      const { send } = await serve([new Controller('GET', '/', () => 'x', { input: { params, query } })], {
        upstream: (app) => void app.set('env', 'test'),
      })
      expect((await send('/')).status).toBe(500)
      await setImmediate()
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })

  it('may give its reasons without a place, at a place by its key, and of a list without quotes', async () => {
    const issues = [
      { message: 'All of it' },
      { message: 'One', path: [{ key: 'list' }, 0] },
      { message: 'was [1,2]', path: ['list'], actual: '[1,2]' },
      { message: 'was 12 years', path: ['age'], actual: '12 years' },
    ]
    const { send } = await serve([
      new Controller('POST', '/', () => 'x', { input: { body: schema(() => ({ issues })) } }),
    ])
    const { errors: reasons } = (await send('/', asJson({ list: [1, 2], age: { years: 12 } }))).json()
    expect(reasons).toEqual([
      { in: 'body', path: '', message: 'All of it' },
      { in: 'body', path: '/list/0', message: 'One' },
      { in: 'body', path: '/list', message: 'was what was sent' },
      { in: 'body', path: '/age', message: 'was 12 years' },
    ])
  })

  it('keeps a message that does not write out the long text that it is about', async () => {
    const issues = [{ message: 'Is too long', path: ['name'] }]
    const { send } = await serve([
      new Controller('POST', '/', () => 'x', { input: { body: schema(() => ({ issues })) } }),
    ])
    const { errors: reasons } = (await send('/', asJson({ name: 'x'.repeat(2_000) }))).json()
    expect(reasons).toEqual([{ in: 'body', path: '/name', message: 'Is too long' }])
  })

  it('lists at most 100 of 10 000 reasons, in a bounded answer', async () => {
    const { send } = await serve([
      new Controller('POST', '/', () => 'x', { input: { body: z.array(z.string()) }, bodyLimit: 2 ** 21 }),
    ])
    const refused = await send('/', asJson(Array.from({ length: 10_000 }, (_, at) => at)))
    expect(refused.json().errors).toHaveLength(100)
    const long = schema((value) => ({
      issues: [{ message: 'm'.repeat(1e5), path: Object.keys(value as object) }],
    }))
    const bounded = await serve([new Controller('POST', '/', () => 'x', { input: { body: long } })])
    const { text, status } = await bounded.send('/', asJson({ ['k'.repeat(1e5)]: 1 }))
    expect([status, text.length < 1000]).toEqual([422, true])
  })

  it('answers a thousand reasons of one long text in few bytes, without the text', async () => {
    const text = `secret"${'x\\'.repeat(250_000)}`
    const quoted = JSON.stringify(text)
    const checks = [...Array(1_000).keys()].map((at) => ({
      // As some libraries write it out: whole, in quotes, or the beginning alone.
      message: [`${at}: ${text} is wrong`, `Invalid ${quoted}`, `Not ${text.slice(0, 90)}…`][at % 3]!,
      path: ['name'],
    }))
    const { send } = await serve([
      new Controller('POST', '/', () => 'x', { input: { body: schema(() => ({ issues: checks })) } }),
    ])
    const sent = asJson({ name: text })
    const refused = await send('/', sent)
    expect(refused.json().errors).toHaveLength(100)
    expect([refused.text.length < 50_000, refused.text.includes('secret')]).toEqual([true, false])
  })

  it('cuts a long key and a deep path where it says which', async () => {
    const key = '/'.repeat(500_000)
    const issues = [...Array(1_000).keys()].map(() => ({
      message: 'm',
      path: Array<string>(1_000).fill(key),
    }))
    const { send } = await serve([
      new Controller('POST', '/', () => 'x', { input: { body: schema(() => ({ issues })) } }),
    ])
    // Uncut it would be 500 GB, which nobody waits for.
    const { status, text } = await send('/', asJson({ [key]: 1 }))
    expect([status, text.length < 50_000]).toEqual([422, true])
  })

  it.each<[string, StandardSchema]>([
    ['zod', z.array(z.number())],
    ['valibot', v.array(v.number())],
    ['arktype', type('number[]')],
  ])(
    'of %s answers a body of nearly 1 MiB with 10 000 mistakes in few bytes, with none of it',
    async (_name, body) => {
      const { send } = await serve([new Controller('POST', '/', () => 'x', { input: { body } })])
      const sent = asJson(Array.from({ length: 10_000 }, (_, at) => `${at}secret${'x'.repeat(90)}`))
      expect(sent.body.length).toBeGreaterThan(950_000)
      const { status, text } = await send('/', sent)
      expect([status, text.length < 50_000, text.includes('secret')]).toEqual([422, true, false])
      expect((JSON.parse(text) as { errors: unknown[] }).errors).toHaveLength(100)
    },
  )

  it('has another status by refusedStatus, and is shown to onError', async () => {
    const list = [new Controller('POST', '/', () => 'x', { input: { body: z.array(z.string()) } })]
    const other = await serve(list, { refusedStatus: 400 })
    expect((await other.send('/', asJson([1]))).json()).toMatchObject({ status: 400, title: 'Bad Request' })
    const told = await serve(list, {
      onError: (error, _req, res) => res.status(409).json((error as { errors: unknown }).errors),
    })
    const answer = await told.send('/', asJson([1]))
    expect([answer.status, answer.json()]).toEqual([
      409,
      [{ in: 'body', path: '/0', message: expect.any(String) }],
    ])
  })

  it('of a group counts for its routes, unless a route has its own for that part', async () => {
    const v1 = group('/v1').with({
      input: { headers: z.object({ 'x-tenant': z.string() }), query: z.object({ a: z.string() }) },
    })
    const { send } = await serve([
      v1.get('/plain', (req) => req.query.a),
      v1.get('/own', (req) => req.query.b, { input: { query: z.object({ b: z.string() }) } }),
    ])
    const headers = { 'x-tenant': 't' }
    expect((await send('/v1/plain?a=1')).status).toBe(422)
    expect((await send('/v1/plain?a=1', { headers })).text).toBe('1')
    expect((await send('/v1/own?a=1', { headers })).status).toBe(422)
    expect((await send('/v1/own?b=2', { headers })).text).toBe('2')
  })

  it('pollutes no prototype', async () => {
    const echo = schema((value) => ({ value }))
    const { send } = await serve([
      new Controller(
        'GET',
        '/',
        (req) => [
          (req.query as { isAdmin?: unknown }).isAdmin ?? null,
          ({} as { isAdmin?: unknown }).isAdmin ?? null,
        ],
        { input: { query: echo } },
      ),
    ])
    expect((await send('/?__proto__[isAdmin]=1&__proto__=1&constructor.prototype.isAdmin=1')).json()).toEqual(
      [null, null],
    )
  })
})

describeServingsAndHttp2('A schema of the answer', ({ serve, errors, name }) => {
  // HTTP/2 has no text beside the status.
  const given = (name as string) === 'over HTTP/2' ? '' : 'Found Her'
  const User = z.object({ id: z.number(), name: z.string() })
  const userText = '{"id":1,"name":"Ada","password":"x"}'
  const list = [
    new Controller('GET', '/right', (_req, res) => res.json({ id: 1, name: 'Ada', password: 'x' } as never), {
      output: { 200: User },
    }),
    new Controller('GET', '/wrong', (_req, res) => res.json({ id: 'secret' } as never), {
      output: { 200: User },
    }),
    new Controller('GET', '/later', async () => ({ id: 1, name: 'Ada' }), {
      output: { 200: User },
    }),
    new Controller('GET', '/wrong-later', (async () => ({ id: 'secret' })) as never, {
      output: { 200: User },
    }),
    new Controller('GET', '/returned', (() => ({ id: 'secret' })) as never, { output: { 200: User } }),
    new Controller('GET', '/response', () => Response.json({ id: 'secret' }), { output: { 200: User } }),
    ...[
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/vnd.api+json',
      'application/json ;a=b',
    ].map(
      (type, at) =>
        new Controller(
          'GET',
          `/own/${at}`,
          () =>
            new Response(userText, {
              statusText: 'Found Her',
              headers: { 'Content-Type': type, 'Content-Length': String(userText.length), 'X-Kept': '1' },
            }),
          { output: { 200: User } },
        ),
    ),
    new Controller('GET', '/undeclared', (_req, res) => (res as any).status(202).json({ id: 1, name: '' }), {
      output: { 200: User },
    }),
    new Controller(
      'GET',
      '/bytes',
      (_req, res) =>
        res
          .header('Content-Type', 'application/json')
          .send(Buffer.from('{"id":1,"name":"Ada","password":"x"}')),
      { output: { 200: User } },
    ),
    new Controller(
      'GET',
      '/moved',
      (_req, res) => res.status(302).json({ id: 1, name: 'Ada', password: 'x' } as never),
      { output: { 302: User } },
    ),
    new Controller('GET', '/none', (_req, res) => res.status(204).end(), { output: { 204: z.null() } }),
    new Controller('GET', '/async', (_req, res) => res.json({ id: 'secret' } as never), {
      output: { 200: schema(async () => ({ issues: [{ message: 'no', path: ['id'] }] })) as never },
    }),
    new Controller('GET', '/text', (_req, res) => res.text('plain'), { output: { 200: z.string() } }),
    new Controller('GET', '/text-later', ((_req: any, res: any) => res.text('plain')) as never, {
      output: { 200: schema(async (value) => ({ value: `${String(value)}er` })) as never },
    }),
    new Controller(
      'GET',
      '/json-text',
      (_req, res) => res.header('Content-Type', 'application/json').send(userText as never),
      {
        output: { 200: User as never },
      },
    ),
    new Controller(
      'GET',
      '/image',
      (_req, res) => res.header('Content-Type', 'image/png').send(Buffer.from('png')),
      {
        output: { 200: User as never },
      },
    ),
    new Controller(
      'GET',
      '/no-json',
      (_req, res) => res.header('Content-Type', 'application/json').send('{' as never),
      { output: { 200: User as never } },
    ),
    new Controller('GET', '/untyped', () => new Response(Buffer.from('bytes')), {
      output: { 200: User as never },
    }),
    new Controller('GET', '/empty', (_req, res) => res.end(), { output: { 200: User as never } }),
    new Controller('GET', '/nothing', (_req, res) => res.json({ id: 1 } as never), {
      output: { 200: z.any().transform(() => undefined) as never },
    }),
    new Controller('GET', '/no-body', (_req, res) => res.status(400).end(), {
      output: { 400: User as never },
    }),
    new Controller('GET', '/choices', (_req, res) => res.status(300).end(), {
      output: { 300: User as never },
    }),
    new Controller('GET', '/date', (_req, res) => res.json({ at: new Date(0) } as never), {
      output: { 200: z.object({ at: z.date() }) as never },
    }),
    new Controller(
      'GET',
      '/parameter',
      (_req, res) => res.header('Content-Type', 'text/x; a=application/json').send(Buffer.from('{}')),
      { output: { 200: User as never } },
    ),
    ...['application/stream+json', 'application/json-seq'].map(
      (type, at) =>
        new Controller(
          'GET',
          `/pieces/${at}`,
          (_req, res) => res.header('Content-Type', type).send(Buffer.from('{}\n{}')),
          { output: { 200: User as never } },
        ),
    ),
    new Controller(
      'GET',
      '/stream',
      (_req, res) => res.header('Content-Type', 'application/json').stream(Readable.from([userText])),
      { output: { 200: User as never } },
    ),
    new Controller(
      'GET',
      '/thrown',
      () => {
        throw Object.assign(new Error('gone'), { status: 410 })
      },
      { output: { 200: User } },
    ),
  ]

  it.each([
    '/wrong',
    '/returned',
    '/response',
    '/undeclared',
    '/async',
    '/empty',
    '/no-json',
    '/no-body',
    '/wrong-later',
  ])('makes %s a 500, with the reason in the log alone', async (target) => {
    const { send, logged } = await serve(list, { checkOutput: 'check' })
    const { status, text } = await send(target)
    if (errors === 'us') {
      expect([status, text]).toEqual([500, 'Internal Server Error'])
      expect(logged).toEqual([expect.stringMatching(/does not fit output/)])
    } else expect(status).toBe(500)
  })

  it('cancels the stream of an answer that it refuses', async () => {
    const cancelled: string[] = []
    const source = (name: string): ReadableStream =>
      new ReadableStream({ cancel: () => void cancelled.push(name) })
    const { send } = await serve(
      [
        new Controller('GET', '/res', (_req, res) => (res as any).status(201).stream(source('res')), {
          output: { 200: User },
        }),
        new Controller('GET', '/response', async () => new Response(source('response'), { status: 201 }), {
          output: { 200: User },
        }),
      ],
      { checkOutput: 'check' },
    )
    expect((await send('/res')).status).toBe(500)
    expect((await send('/response')).status).toBe(500)
    expect(cancelled).toEqual(['res', 'response'])
  })

  it('lets through what fits, as it was answered', async () => {
    const { send, logged } = await serve(list, { checkOutput: 'check' })
    expect((await send('/right')).json()).toEqual({ id: 1, name: 'Ada', password: 'x' })
    expect((await send('/later')).json()).toEqual({ id: 1, name: 'Ada' })
    expect((await send('/none')).status).toBe(204)
    expect((await send('/text')).text).toBe('plain')
    expect((await send('/thrown')).status).toBe(410)
    expect((await send('/text-later')).text).toBe('plain')
    expect((await send('/json-text')).text).toBe(userText)
    // Neither bytes of another type nor streams are read.
    expect((await send('/image')).text).toBe('png')
    expect((await send('/untyped')).text).toBe('bytes')
    expect((await send('/parameter')).text).toBe('{}')
    for (const at of [0, 1]) expect((await send(`/pieces/${at}`)).text).toBe('{}\n{}')
    // A redirect needs no body, and the value is checked before it is text.
    expect((await send('/choices')).status).toBe(300)
    expect((await send('/date')).json()).toEqual({ at: '1970-01-01T00:00:00.000Z' })
    expect((await send('/stream')).text).toBe(userText)
    for (const at of [0, 1, 2, 3]) {
      expect(await send(`/own/${at}`)).toMatchObject({
        text: userText,
        headers: { 'x-kept': '1' },
        statusText: given,
      })
    }
    expect(logged).toEqual([])
  })

  it('strips what the schema does not have, by checkOutput', async () => {
    const { send } = await serve(list, { checkOutput: 'strip' })
    const answer = await send('/right')
    expect(answer.json()).toEqual({ id: 1, name: 'Ada' })
    expect(answer.headers['content-length'] ?? String(answer.body.length)).toBe(String(answer.body.length))
    expect((await send('/wrong')).status).toBe(500)
    expect((await send('/bytes')).json()).toEqual({ id: 1, name: 'Ada' })
    expect((await send('/moved')).text).not.toContain('password')
    expect((await send('/json-text')).json()).toEqual({ id: 1, name: 'Ada' })
    for (const at of [0, 1, 2, 3]) {
      const own = await send(`/own/${at}`)
      expect([own.json(), own.headers['x-kept']]).toEqual([{ id: 1, name: 'Ada' }, '1'])
      expect(own.statusText).toBe(given)
    }
    expect(await send('/nothing')).toMatchObject({ status: 200, text: '' })
  })

  it('that leaves nothing of a Response leaves nothing of its length, for HEAD either', async () => {
    const callback = (): Response =>
      new Response(userText, {
        headers: { 'Content-Type': 'application/json', 'Content-Length': String(userText.length) },
      })
    const none = new Controller('GET', '/', callback, {
      output: { 200: z.any().transform(() => undefined) as never },
    })
    const { send } = await serve([none], { checkOutput: 'strip' })
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await send('/', { method })
      expect([status, headers['content-length'] ?? '0']).toEqual([200, '0'])
    }
  })

  it('is not asked with checkOutput off', async () => {
    const { send } = await serve(list, { checkOutput: 'off' })
    expect((await send('/wrong')).json()).toEqual({ id: 'secret' })
  })
})

it('Of an answer that does not fit, the log has ten reasons at most', async () => {
  const error = jest.fn()
  const Numbers = z.array(z.number())
  const all = new Controller('GET', '/', () => Array.from({ length: 12 }, () => 'x') as never, {
    output: { 200: Numbers },
  })
  const logger = { info() {}, warn() {}, error }
  const answer = await new RouteControllers([all], { logger }).getCallback()(new Request('http://x/'))
  expect(answer.status).toBe(500)
  const [[line]] = error.mock.calls as [[string]]
  expect(line.match(/\/\d+: /g)).toEqual(Array.from({ length: 10 }, (_one, at) => `/${at}: `))
})

describe('The error of a part that cannot be read, on a route with schemas', () => {
  const input = { body: z.string() }
  const malformed = new RouteControllersError('ERR_BODY_MALFORMED', 'No JSON', {
    status: 400,
    headers: { 'X-Position': '7' },
  })

  it('has the form of refused input, with its status and its headers', () => {
    expect(unreadable(malformed, 'body', input)).toMatchObject({
      code: 'ERR_BODY_MALFORMED',
      status: 400,
      headers: { 'X-Position': '7' },
      errors: [{ in: 'body', path: '', message: 'No JSON' }],
      cause: malformed,
    })
  })

  it.each<[string, unknown, InputSchemas | undefined]>([
    ['of a route without schemas', malformed, undefined],
    ['of a route whose schemas are undefined', malformed, { body: undefined } as never],
    ['of other code', Object.assign(new Error('own'), { status: 400, expose: true }), input],
    ['that a client must not read', new RouteControllersError('ERR_SCHEMA_FAILED', 'secret'), input],
    [
      'that has reasons already',
      new RouteControllersError('ERR_INPUT_REFUSED', 'It does not fit', { status: 422, errors: [] }),
      input,
    ],
  ])('is itself, %s', (_what, error, schemas) => {
    expect(unreadable(error, 'body', schemas)).toBe(error)
  })
})

describe('A schema', () => {
  it.each<[string, object, RegExp]>([
    ['that is none', { input: { body: {} } }, /input\.body is a schema of Standard Schema 1.*not an object/],
    ['of a part that is none', { input: { bdy: z.string() } }, /no part "bdy"/],
    ['in the place of a list of them', { input: z.object({}) }, /\{ body: schema \}, not a schema itself/],
    ['in the place of one for a status', { output: z.string() }, /\{ 200: schema \}, not a schema itself/],
    ['in a list', { input: [z.string()] }, /input is an object of schemas, not an array/],
    ['that is a string', { input: { query: 'string' } }, /not string/],
    ['of a status that is none', { output: { ok: z.string() } }, /by status/],
    ['of a status that cannot be sent', { output: { 100: z.string() } }, /by status/],
    ['of a body that is left unread', { body: 'stream', input: { body: z.string() } }, /body: 'stream'/],
  ])('%s is refused', (_what, options, message) => {
    expect(thrownBy(() => new Controller('POST', '/', () => '', options))).toMatchObject({
      code: 'ERR_OPTION_INVALID',
      message: expect.stringMatching(message),
    })
  })

  it.each([200, 500, 399, '422', NaN])('has no refusedStatus %p', (refusedStatus) => {
    expect(thrownBy(() => new RouteControllers([], { refusedStatus: refusedStatus as never })).code).toBe(
      'ERR_OPTION_INVALID',
    )
  })

  it('of the answer is asked unless NODE_ENV is production', async () => {
    const wrong = new Controller('GET', '/', (() => ({ a: 1 })) as never, {
      output: { 200: z.object({ b: z.string() }) },
    })
    const before = process.env['NODE_ENV']
    const logger = { info() {}, warn() {}, error() {} }
    try {
      const statuses: number[] = []
      for (const env of ['production', 'development']) {
        process.env['NODE_ENV'] = env
        const callback = new RouteControllers([wrong], { logger }).getCallback()
        statuses.push((await callback(new Request('http://x/'))).status)
      }
      expect(statuses).toEqual([200, 500])
    } finally {
      process.env['NODE_ENV'] = before
    }
  })
})

describeServingsAndHttp2('A schema of the answer', ({ serve }) => {
  it('of a redirect is one of a body that it does not have, so none is missing', async () => {
    const { send } = await serve(
      [new Controller('GET', '/', (_req, res) => res.redirect('/there'), { output: { 302: z.object({}) } })],
      { checkOutput: 'check' },
    )
    const answer = await send('/')
    expect([answer.status, answer.headers['location']]).toEqual([302, '/there'])
  })
})
