import { Readable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import {
  type Answer,
  around,
  type Callback,
  Controller,
  type RouteRequest,
  type ResponseBuilder,
  type ServerSentEvent,
  type CookieOptions,
} from 'routecontrollers'
import express from 'express'
import request from 'supertest'
import { express5 } from 'routecontrollers/express'
import { openClient, sendRaw } from '../support/client.js'
import {
  describeServings,
  type Received,
  type SendOptions,
  type Served,
  type ServeOptions,
  type Serving,
} from '../support/describe-servings.js'
import { Source } from '../support/source.js'

type Respond = (res: ResponseBuilder, req: RouteRequest) => unknown

/** Serves one callback at `/`, for all methods. */
function serveOne({ serve }: Serving, respond: Respond, options?: ServeOptions): Promise<Served> {
  return serve([new Controller('*', '/', ((req, res) => respond(res, req)) as Callback)], options)
}

const hooked: ServeOptions['setup'] = (routeControllers) =>
  void routeControllers.addGlobal((_req, _res, next) => next())

/** The answer of one callback, and what was logged over it. */
async function answerOf(
  serving: Serving,
  respond: Respond,
  { options, ...send }: SendOptions & { options?: ServeOptions } = {},
): Promise<Received & { logged: string[] }> {
  const served = await serveOne(serving, respond, options)
  return { ...(await served.send('/', send)), logged: served.logged }
}

/** How an answer that fails is seen: 500 without detail, and one line in the log. Inside Express both are Express's. */
async function expectFailure(serving: Serving, respond: Respond, message: string | RegExp): Promise<void> {
  const seen: unknown[] = []
  const { status, text, logged } = await answerOf(serving, respond, {
    options: { onError: (error) => void seen.push(error) },
  })
  expect(status).toBe(500)
  expect(seen).toHaveLength(1)
  expect((seen[0] as Error).message).toMatch(message)
  if (serving.errors === 'host') return
  expect(text).toBe('Internal Server Error')
  expect(logged).toHaveLength(1)
  expect(logged[0]).toMatch(message)
}

/** Rejections that no code has handled. Each ends a process that does not listen. */
const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

const chunks = async function* (...values: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  for (const value of values) {
    await Promise.resolve()
    yield value
  }
}

describeServings('res.status', (serving) => {
  it.each([200, 201, 202, 299, 300, 400, 404, 418, 500, 503, 599])('answers with %d', async (status) => {
    expect((await answerOf(serving, (res) => res.status(status).text('x'))).status).toBe(status)
  })

  it.each([199, 100, 600, 0, -1, 200.5, NaN, '200', undefined])(
    'refuses %p, and shows it',
    async (status) => {
      const message = `res.status takes a number from 200 to 599, not ${typeof status === 'string' ? '"200"' : status}`
      await expectFailure(serving, (res) => res.status(status as number).end(), message)
    },
  )
})

describeServings('res.header', (serving) => {
  it('sets a header, in place of its earlier value in any case', async () => {
    const { headers } = await answerOf(serving, (res) =>
      res.header('X-A', 'first').header('x-a', 'second').header('X-Number', 7).end(),
    )
    expect(headers).toMatchObject({ 'x-a': 'second', 'x-number': '7' })
  })

  it('sets one value, or a list, in place of all values of an earlier list', async () => {
    const { headers, cookies } = await answerOf(serving, (res) =>
      res
        .header('X-A', ['1', '2', '3'])
        .header('x-a', '4')
        .header('X-B', ['1', '2'])
        .header('X-b', ['3', '4'])
        .header('Set-Cookie', ['a=1', 'b=2'])
        .header('set-cookie', 'c=3')
        .end(),
    )
    expect([headers['x-a'], headers['x-b'], cookies]).toEqual(['4', '3, 4', ['c=3']])
  })

  it('sends a list as several values', async () => {
    expect((await answerOf(serving, (res) => res.header('X-A', ['1', '2']).end())).headers['x-a']).toBe(
      '1, 2',
    )
  })

  it('replaces the Content-Type of json, text and html', async () => {
    const type = 'application/vnd.api+json'
    const { headers } = await answerOf(serving, (res) => res.header('content-type', type).json({}))
    expect(headers['content-type']).toBe(type)
  })

  it('sends Latin-1 as it is', async () => {
    expect((await answerOf(serving, (res) => res.header('X-Name', 'é').end())).headers['x-name']).toBe('é')
  })

  it.each([false, true])('sends Latin-1 as it is beside a text (with a hook: %p)', async (withHook) => {
    const { headers, text } = await answerOf(serving, (res) => res.header('X-Name', 'é').text('ü'), {
      options: withHook ? { setup: hooked } : {},
    })
    expect([headers['x-name'], text]).toEqual(['é', 'ü'])
  })

  it.each([
    ['X-A', 'a\r\nSet-Cookie: b=1'],
    ['X-A', 'a\rb'],
    ['X-A', 'a\nb'],
    ['X-A', 'a\0b'],
    ['X-A', '\x7f'],
    ['X-A', '€'],
    ['X-A', undefined],
    ['X-A', ['fine', 'not\nfine']],
    ['X A', 'a'],
    ['X-A:', 'a'],
    ['X\r\nB', 'a'],
    ['', 'a'],
    ['Connection', 'a\nb'],
  ])('refuses %p: %p', async (name, value) => {
    await expectFailure(serving, (res) => res.header(name, value as string).end(), /header/)
  })

  it.each([
    ['Connection', 'X-Kept'],
    ['Transfer-Encoding', 'gzip'],
    ['Upgrade', 'h2c'],
    ['HTTP2-Settings', 'AAMAAABk'],
    ['Keep-Alive', ['timeout=1', 'max=1']],
    ['TE', []],
  ])('does not send %s, which is the connection’s', async (name, value) => {
    const { headers, text } = await answerOf(serving, (res) =>
      res.header('X-Kept', 'kept').header(name, value).text('whole'),
    )
    expect(headers[name.toLowerCase()] ?? 'not sent').not.toContain([value].flat()[0] ?? 'nothing at all')
    expect([headers['x-kept'], text]).toEqual(['kept', 'whole'])
  })
})

describeServings('res.cookie', (serving) => {
  it('adds a Set-Cookie for each call', async () => {
    const { cookies } = await answerOf(serving, (res) =>
      res
        .cookie('a', '1')
        .cookie('b', 'é; x', { path: '/b', httpOnly: true, secure: true, sameSite: 'lax', maxAgeSeconds: 60 })
        .end(),
    )
    expect(cookies).toEqual([
      'a=1; Path=/',
      'b=%C3%A9%3B%20x; Max-Age=60; Path=/b; HttpOnly; Secure; SameSite=Lax',
    ])
  })

  it.each([
    ['httponly', 'httpOnly'],
    ['samesite', 'sameSite'],
    ['max_age_seconds', 'maxAgeSeconds'],
    ['signed', undefined],
  ])('refuses the option %p, which it does not have', async (name, meant) => {
    const ending = meant === undefined ? 'secure(?!\\.)' : `Did you mean ${meant}\\?`
    await expectFailure(
      serving,
      (res) => res.cookie('a', '1', { [name]: true }).end(),
      new RegExp(`res.cookie has no option "${name}"; it has .*${ending}`),
    )
  })

  it.each([{ id: 1 }, ['a'], null])('refuses %p for its value', async (value) => {
    await expectFailure(
      serving,
      (res) => res.cookie('a', value as never).end(),
      /its value is a string, not (?:an object|an array|null): write JSON\.stringify\(value\)/,
    )
  })

  it.each([
    ['a\r\nb', '1', {}],
    ['a b', '1', {}],
    ['a=b', '1', {}],
    ['', '1', {}],
    ['a', '1', { path: '/\r\nX: 1' }],
    ['a', '1', { path: '/; Domain=evil' }],
    ['a', '1', { domain: 'x\ny' }],
    ['a', '1', { domain: 'x; Path=/' }],
    ['a', '1', { maxAgeSeconds: 1.5 }],
    ['a', '1', { maxAgeSeconds: '60' as never }],
    ['a', '1', { maxAgeSeconds: Infinity }],
    ['a', '1', { expires: new Date(NaN) }],
    ['a', '1', { sameSite: 'sometimes' as 'lax' }],
  ])('refuses %p=%p with %p', async (name, value, options) => {
    await expectFailure(serving, (res) => res.cookie(name, value, options).end(), /cookie cannot be sent/)
  })

  it.each([[3_600_000], [0], [1.5]])(
    'refuses maxAge: %p, which is milliseconds in Express, and names what to write',
    async (maxAge) => {
      await expectFailure(
        serving,
        (res) => res.cookie('a', '1', { maxAge } as never).end(),
        /cookie cannot be sent: it has a maxAge, which is milliseconds in Express: write maxAgeSeconds/,
      )
    },
  )

  it.each<[string, string, CookieOptions, RegExp]>([
    [
      'SameSite=None without Secure',
      'a',
      { sameSite: 'none' },
      /SameSite=None only where it is Secure: write secure: true/,
    ],
    ['SameSite=None in capitals', 'a', { sameSite: 'None' as never, secure: false }, /write secure: true/],
    [
      'Partitioned without Secure',
      'a',
      { partitioned: true },
      /Partitioned only where it is Secure: write secure: true/,
    ],
    ['__Secure- without Secure', '__Secure-a', {}, /begins with __Secure- only where it is Secure/],
    ['__Host- without Secure', '__Host-a', {}, /begins with __Host- only where it is Secure/],
    ['__host- without Secure', '__host-a', {}, /only where it is Secure/],
    ['__Host- with a domain', '__Host-a', { secure: true, domain: 'tea.example' }, /leave domain out/],
    ['__Host- with a path', '__Host-a', { secure: true, path: '/a' }, /leave path out, which was "\/a"/],
    ['__Host- without a path', '__Host-a', { secure: true, path: undefined as never }, /leave path out/],
  ])('refuses %s, which browsers would not keep', async (_what, name, options, message) => {
    await expectFailure(serving, (res) => res.cookie(name, '1', options).end(), message)
  })

  it('takes names with a prefix, and SameSite=None, where browsers keep the cookie', async () => {
    const { cookies } = await answerOf(serving, (res) =>
      res
        .cookie('__Host-a', '1', { secure: true })
        .cookie('__Secure-b', '1', { secure: true, domain: 'tea.example', path: '/b' })
        .cookie('c', '1', { secure: true, sameSite: 'none', partitioned: true })
        .cookie('d', '1', { sameSite: 'lax' })
        .end(),
    )
    expect(cookies).toHaveLength(4)
  })

  it('takes maxAgeSeconds: 0 and less, by which a client drops the cookie', async () => {
    const { cookies } = await answerOf(serving, (res) =>
      res.cookie('a', '', { maxAgeSeconds: 0 }).cookie('b', '', { maxAgeSeconds: -1 }).end(),
    )
    expect(cookies).toEqual(['a=; Max-Age=0; Path=/', 'b=; Max-Age=-1; Path=/'])
  })

  it.each(['\r\nSet-Cookie: b=1', 'a\0b'])('escapes the value %p', async (value) => {
    expect((await answerOf(serving, (res) => res.cookie('a', value).end())).cookies).toEqual([
      `a=${encodeURIComponent(value)}; Path=/`,
    ])
  })
})

describeServings('res.json', (serving) => {
  it.each([[{ a: ['é'] }], [[]], [null], ['text'], [0], [false]])('answers with %p', async (value) => {
    const answer = await answerOf(serving, (res) => res.json(value))
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(answer.json()).toEqual(value)
    expect(answer.headers['content-length'] ?? String(answer.body.length)).toBe(String(answer.body.length))
  })

  const cycle: { self?: object } = {}
  cycle.self = cycle
  it.each([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a BigInt', { id: 1n }],
    ['a cycle', cycle],
  ])('refuses %s', async (_what, value) => {
    await expectFailure(serving, (res) => res.json(value), /has no JSON form/)
  })

  it.each([
    ['a BigInt', { id: 1n }],
    ['a cycle', cycle],
  ])('says of an object with %s that is returned that it has no JSON form', async (_what, value) => {
    await expectFailure(serving, () => value, /^(?!.*res\.json)/)
  })
})

describeServings('res.text and res.html', (serving) => {
  it.each(['text', 'html'] as const)('res.%s answers with a string', async (method) => {
    const { status, headers, text } = await answerOf(serving, (res) => res[method]('<é>'))
    const type = method === 'html' ? 'text/html' : 'text/plain'
    expect([status, headers['content-type'], text]).toEqual([200, `${type}; charset=utf-8`, '<é>'])
  })

  it.each(['text', 'html'] as const)('res.%s refuses what is no string', async (method) => {
    await expectFailure(serving, (res) => res[method](7 as never), /takes a string/)
  })

  it('may be empty', async () => {
    const { status, text, headers } = await answerOf(serving, (res) => res.text(''))
    expect([status, text, headers['content-length'] ?? '0']).toEqual([200, '', '0'])
  })
})

describeServings('a promise that is refused', (serving) => {
  it.each<[string, (res: any, promise: Promise<never>) => unknown, RegExp]>([
    ['res.json', (res, promise) => res.json(promise), /res\.json was given a Promise: await it first/],
    ['res.send', (res, promise) => res.send(promise), /res\.json was given /],
    ['res.text', (res, promise) => res.text(promise), /res\.text takes a string, not a Promise/],
    ['res.html', (res, promise) => res.html(promise), /res\.html takes a string, not a Promise/],
    ['res.status', (res, promise) => res.status(promise).end(), /from 200 to 599, not a Promise/],
    [
      'res.location',
      (res, promise) => res.location(promise).end(),
      /res\.location takes a string, not a Promise/,
    ],
    ['res.redirect', (res, promise) => res.redirect(promise), /res\.redirect takes a string, not a Promise/],
    ['res.stream', (res, promise) => res.stream(promise), /res\.stream takes .*, not a Promise/],
    ['res.sse', (res, promise) => res.sse(promise), /res\.sse takes .*, not a Promise/],
    ['res.header', (res, promise) => res.header('X-Given', promise).end(), /is not a value for the header/],
  ])('by %s does not end the process when it rejects', async (_method, respond, message) => {
    const rejects = () => new Promise<never>((_resolve, reject) => setImmediate(reject, new Error('late')))
    await expectFailure(serving, (res) => respond(res, rejects()), message)
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    expect(unhandled).toEqual([])
  })

  it('is not begun, where it begins only once it is awaited', async () => {
    let isBegun = false
    const query = { then: () => (isBegun = true) }
    await expectFailure(serving, (res) => res.json(query), /res\.json was given /)
    expect(isBegun).toBe(false)
  })
})

describeServings('res.send', (serving) => {
  it.each([
    ['a string', 'é', 'text/plain; charset=utf-8', 'é'],
    ['an object', { a: 1 }, 'application/json; charset=utf-8', '{"a":1}'],
    ['bytes', Buffer.from('é'), 'application/octet-stream', 'é'],
    ['a Blob', new Blob(['<p>'], { type: 'text/html' }), 'text/html', '<p>'],
  ])('answers with %s, as if it had been returned', async (_what, value, type, expected) => {
    const { status, headers, text } = await answerOf(serving, (res) => res.status(201).send(value))
    expect([status, headers['content-type'], text]).toEqual([201, type, expected])
  })

  it('answers null with 204, or with the status that was set', async () => {
    expect((await answerOf(serving, (res) => res.send(null))).status).toBe(204)
    expect((await answerOf(serving, (res) => res.status(404).send(null))).status).toBe(404)
  })
})

const locations: readonly (readonly [given: string, sent: string])[] = [
  ['/a?b=c&d=%2F,[e]!$()*;:@|^~#f', '/a?b=c&d=%2F,[e]!$()*;:@|^~#f'],
  ["/it's", "/it's"],
  ['/a b', '/a%20b'],
  ['/100%', '/100%25'],
  ['/%zz%41', '/%25zz%41'],
  ['https://example.com/é/😀', 'https://example.com/%C3%A9/%F0%9F%98%80'],
  ['/<i a="b">`{c}`', '/%3Ci%20a=%22b%22%3E%60%7Bc%7D%60'],
  ['/\r\nSet-Cookie: a=1', '/%0D%0ASet-Cookie:%20a=1'],
  ['/\t/example.com', '/%09/example.com'],
  ['/\0\x7f', '/%00%7F'],
  ['/\ud800', '/%EF%BF%BD'],
  ['', ''],
]

describeServings('res.location', (serving) => {
  it.each(locations)('of %j sends %j', async (given, sent) => {
    const { status, headers, text } = await answerOf(serving, (res) =>
      res.status(201).location(given).text('tea'),
    )
    expect([status, headers['location'], text]).toEqual([201, sent, 'tea'])
  })

  it('replaces one that was set before', async () => {
    const { headers } = await answerOf(serving, (res) => res.location('/a').location('/b').json({}))
    expect(headers['location']).toBe('/b')
  })

  it('refuses what is no text', async () => {
    await expectFailure(serving, (res) => res.location(7 as never).json({}), /res\.location takes a string/)
  })
})

it.each(locations)('res.location of Express makes the same of %j', async (given, sent) => {
  const app = express()
  app.get('/', (_req, res) => void res.location(given).end())
  expect((await request(app).get('/')).headers['location']).toBe(sent)
})

describeServings('res.redirect', (serving) => {
  it('answers 302 without a body', async () => {
    const { status, headers, text } = await answerOf(serving, (res) => res.redirect('/a?b=c#d'))
    expect([status, headers['location'], text]).toEqual([302, '/a?b=c#d', ''])
  })

  it.each(locations)('to %j sends %j', async (given, sent) => {
    const { headers } = await answerOf(serving, (res) => res.redirect(given, 308))
    expect(headers['location']).toBe(sent)
  })

  it.each([301, 302, 303, 307, 308])('answers %d when asked to', async (status) => {
    expect((await answerOf(serving, (res) => res.redirect('/', status))).status).toBe(status)
  })

  it.each([200, 300, 304, 305, 400, NaN])('refuses the status %d', async (status) => {
    await expectFailure(serving, (res) => res.redirect('/', status), /not the status of a redirect/)
  })

  it('refuses what is no text', async () => {
    await expectFailure(serving, (res) => res.redirect(undefined as never), /takes a string/)
  })
})

describeServings('res.redirect in the order of Express', (serving) => {
  it('says what to write', async () => {
    await expectFailure(
      serving,
      (res) => (res.redirect as (...given: unknown[]) => unknown)(301, '/x'),
      'res.redirect: "/x" is not the status of a redirect: write res.redirect(url, 302)',
    )
  })
})

describeServings('res.redirect under a profile', (serving) => {
  const old = (): Controller => new Controller('GET', '/old', (_req, res) => res.redirect('/new'))
  const later = around(async (_req, res, next) => {
    const answer = await next()
    res.header('X-Tea', 'Assam')
    return answer
  })

  it.each<[string, () => ServeOptions, () => Controller]>([
    ['alone', () => ({}), old],
    ['with a header of all answers', () => ({ setup: (all) => void all.addHeader('X-Tea', 'Assam') }), old],
    ['with a header that a middleware adds to it', () => ({}), () => old().use(later)],
  ])('has the page of Express: %s', async (how, options, controller) => {
    const { send } = await serving.serve([controller()], { profile: express5(), ...options() })
    const { status, headers, text } = await send('/old')
    expect([status, headers['location'], headers['vary'], text]).toEqual([
      302,
      '/new',
      'Accept',
      'Found. Redirecting to /new',
    ])
    expect(headers['x-tea']).toBe(how === 'alone' ? undefined : 'Assam')
  })

  it('leads where a middleware has it lead', async () => {
    const elsewhere = old().use(async (_req, _res, next) => {
      const answer = await next()
      answer.headers.set('Location', '/elsewhere')
      return answer
    })
    const { send } = await serving.serve([elsewhere], { profile: express5() })
    const { status, headers } = await send('/old')
    expect([status, headers['location']]).toEqual([302, '/elsewhere'])
  })
})

describeServings('res.end', (serving) => {
  it('answers with status and headers and no body', async () => {
    const { status, headers, text } = await answerOf(serving, (res) =>
      res.status(401).header('X-A', '1').end(),
    )
    expect([status, headers['x-a'], text, headers['content-type']]).toEqual([401, '1', '', undefined])
  })
})

describeServings('res', (serving) => {
  it('chains status, header and cookie in any order', async () => {
    const { status, headers, cookies, text } = await answerOf(serving, (res) =>
      res.cookie('a', '1').status(201).header('X-A', '1').json({ id: 7 }),
    )
    expect([status, headers['x-a'], cookies, text]).toEqual([201, '1', ['a=1; Path=/'], '{"id":7}'])
  })

  it('gives what middleware have set to the answer of the callback, a foreign Response included', async () => {
    const own = new Controller('GET', '/own', (_req, res) => res.json([]))
    const foreign = new Controller('GET', '/foreign', () => Response.redirect('http://x/', 307))
    for (const controller of [own, foreign]) {
      controller.use((_req, res) => {
        res.header('X-Set', 'before').cookie('a', '1')
      })
    }
    const { send } = await serving.serve([own, foreign])
    for (const path of ['/own', '/foreign']) {
      const { headers, cookies } = await send(path)
      expect([headers['x-set'], cookies]).toEqual(['before', ['a=1; Path=/']])
    }
  })

  const secret = 'the secret'
  it.each<[string, (res: ResponseBuilder) => unknown]>([
    ['a text', () => secret],
    ['another answer of res', (res) => res.json({ secret })],
    ['another answer of res, which is not returned', (res) => void res.json({ secret })],
    ['an answer that was made before', (res) => [res.json({ secret }), res.status(403).end()][0]],
    ['a Response', () => new Response(secret)],
    ['null', () => null],
  ])('sends nothing where it has built an answer without return, and then gets %s', async (_what, answer) => {
    for (const isLate of [false, true]) {
      await expectFailure(
        serving,
        isLate
          ? async (res) => {
              res.status(401).end()
              await Promise.resolve()
              return answer(res)
            }
          : (res) => {
              res.status(401).end()
              return answer(res)
            },
        /made an answer of status 401, and then another one: write `return` before each, as in `return res\.status\(401\)\.end\(\)`/,
      )
    }
  })

  it.each([300, 301, 404, 599])('refuses another answer behind one of the status %i', async (status) => {
    await expectFailure(
      serving,
      (res) => {
        res.status(status).end()
        return res.status(200).text('more')
      },
      new RegExp(`of status ${status}, and then another one`),
    )
  })

  it('gives up the stream of an answer behind a refusal, whichever way it was given', async () => {
    const given: ((res: ResponseBuilder, source: Source) => unknown)[] = [
      (res, source) => res.status(200).stream(source.asStream()),
      (_res, source) => new Response(source.asStream()),
      (_res, source) => source.asIterable(),
    ]
    for (const answer of given) {
      const source = new Source()
      await expectFailure(
        serving,
        (res) => {
          res.status(401).end()
          return answer(res, source)
        },
        /of status 401/,
      )
      await source.whenCancelled
      expect([source.asked, source.cancelled]).toEqual([0, 1])
    }
  })

  it('sends nothing where it has read the status of the first answer, or has built a third', async () => {
    const reads = (res: ResponseBuilder): unknown => {
      const refused = res.status(403).json({ no: true })
      return [
        refused.status,
        refused.ok,
        refused.headers.get('x'),
        refused.body,
        `${JSON.stringify(refused)}`,
      ]
    }
    for (const before of [
      reads,
      (res: ResponseBuilder) => [res.text('a'), reads(res), res.status(200).text('b')],
    ])
      await expectFailure(
        serving,
        (res) => [before(res), res.status(200).json({ secret })][1],
        /of status 403/,
      )
  })

  it('may build an answer that it does not send, and refuse then', async () => {
    const { status, text } = await answerOf(serving, async (res) => {
      try {
        const answer = res.json({ saved: true })
        await Promise.reject(new Error('not saved'))
        return answer
      } catch {
        return res.status(503).text('try again')
      }
    })
    expect([status, text]).toEqual([503, 'try again'])
  })

  it('discards a stream that it does not send, and one that it has built before it fails', async () => {
    for (const then of [(res: ResponseBuilder) => res.text('other'), () => Promise.reject(new Error('no'))]) {
      let isOpen = true
      const source = new ReadableStream<Uint8Array>({ cancel: () => void (isOpen = false) })
      await answerOf(serving, (res) => [res.stream(source), then(res)][1], {
        options: { onError: () => 'no' },
      })
      expect(isOpen).toBe(false)
    }
  })

  it('may send another answer that is made of the one that it has built', async () => {
    const { status, text } = await answerOf(serving, (res) => {
      const { body, headers } = res.text('first')
      return new Response(body, { status: 201, headers })
    })
    expect([status, text]).toEqual([201, 'first'])
  })
})

describeServings('a returned value', (serving) => {
  const octets = 'application/octet-stream'
  const json = 'application/json; charset=utf-8'
  const plain = 'text/plain; charset=utf-8'
  const webStream = (): ReadableStream => new Blob(['web']).stream()

  it.each<[string, () => unknown, string | undefined, string]>([
    ['an object', () => ({ a: 1 }), json, '{"a":1}'],
    ['an array', () => [1, 'é'], json, '[1,"é"]'],
    ['an object of toJSON', () => ({ toJSON: () => ['x'] }), json, '["x"]'],
    ['an object without a prototype', () => Object.assign(Object.create(null), { a: 1 }), json, '{"a":1}'],
    ['a Date', () => new Date(0), json, '"1970-01-01T00:00:00.000Z"'],
    ['a string', () => 'é', plain, 'é'],
    ['an empty string', () => '', plain, ''],
    ['a Buffer', () => Buffer.from('bytes'), octets, 'bytes'],
    ['a part of a Buffer', () => Buffer.from('bytes').subarray(1, 3), octets, 'yt'],
    ['an Uint16Array', () => new Uint16Array([0x4241, 0x4443]).subarray(1), octets, 'CD'],
    ['a DataView', () => new DataView(new TextEncoder().encode('bytes').buffer, 2, 2), octets, 'te'],
    ['an ArrayBuffer', () => new TextEncoder().encode('bytes').buffer, octets, 'bytes'],
    [
      'an ArrayBuffer of another realm',
      () => runInNewContext('new Uint8Array([104, 105]).buffer'),
      octets,
      'hi',
    ],
    ['a Blob', () => new Blob(['<p>'], { type: 'text/html' }), 'text/html', '<p>'],
    ['a Blob of no type', () => new Blob(['?']), octets, '?'],
    ['a web stream', webStream, octets, 'web'],
    ['a Node stream', () => Readable.from(['no', Buffer.from('de')]), octets, 'node'],
    ['an async generator', () => chunks('gen', Buffer.from('erated')), octets, 'generated'],
    ['an async generator of nothing', () => chunks(), octets, ''],
    ['a Response', () => new Response('r', { headers: { 'content-type': 'x/y' } }), 'x/y', 'r'],
    ['a Response without a body', () => new Response(null, { status: 200 }), undefined, ''],
    ['a promise of any of them', () => Promise.resolve(['p']), json, '["p"]'],
    [
      'a thenable of any of them',
      () => ({ then: (resolve: (value: string) => void) => resolve('t') }),
      plain,
      't',
    ],
  ])('that is %s is the answer', async (_what, make, type, expected) => {
    const { status, headers, text } = await answerOf(serving, make)
    expect([status, headers['content-type'], text]).toEqual([200, type, expected])
  })

  it('that is null is 204', async () => {
    const { status, text, headers } = await answerOf(serving, () => null)
    expect([status, text, headers['content-type'], headers['content-length']]).toEqual([
      204,
      '',
      undefined,
      undefined,
    ])
  })

  it('has the status and headers that were set before', async () => {
    const { status, headers } = await answerOf(serving, (res) => {
      res.status(202).header('X-A', '1')
      return { accepted: true }
    })
    expect([status, headers['x-a']]).toEqual([202, '1'])
  })

  it('that is nothing leaves the answer to what was built', async () => {
    expect((await answerOf(serving, (res) => void res.text('built'))).text).toBe('built')
  })

  it('that is nothing, with nothing built, is a 500 and a log line that teaches', async () => {
    await expectFailure(
      serving,
      () => undefined,
      /returned nothing: did you forget `return res\.json\(…\)`\?/,
    )
    await expectFailure(serving, async (res) => void res.status(201), /returned nothing/)
  })

  it.each<[string, (req: any, res: any, next: any) => unknown]>([
    ['res.sendStatus', (_req, res) => void res.sendStatus(204)],
    ['res.status().sendStatus', (_req, res) => res.status(204).sendStatus(204)],
    ['res.render', (_req, res) => void res.render('page', { title: 'x' })],
    ['res.set', (_req, res) => res.set('X-A', '1').json({})],
    ['res.type', (_req, res) => res.type('html').send('x')],
    ['res.sendFile', (_req, res) => void res.sendFile('/x')],
    ['res.end(text)', (_req, res) => res.end('x')],
    ['res.write', (_req, res) => void res.write('x')],
    ['next()', (_req, _res, next) => void next()],
    ['next(error)', (_req, _res, next) => next(new Error('no'))],
    ['next() of an async handler', async (_req, _res, next) => void next()],
    ['an answer that comes later', (_req, res) => void setTimeout(() => void res.sendStatus(204))],
  ])('of a handler of Express without fromExpress is a 500 that names it: %s', async (_what, handler) => {
    const seen: Error[] = []
    const { send } = await serving.serve([new Controller('GET', '/', handler as never)], {
      onError: (error) => void seen.push(error as Error),
    })
    const { status } = await send('/')
    expect([status, seen.map(({ message }) => message)]).toEqual([
      500,
      [expect.stringMatching(/write .*fromExpress\(handler\)/)],
    ])
  })

  it.each(['sendFile', 'download'])('of a call of res.%s names the function that does it', async (name) => {
    const seen: string[] = []
    const callback = (_req: unknown, res: Record<string, (path: string) => void>): void => res[name]!('/x')
    const { send } = await serving.serve([new Controller('GET', '/', callback as never)], {
      onError: (error) => void seen.push((error as Error).message),
    })
    expect((await send('/')).status).toBe(500)
    expect(seen).toEqual([expect.stringContaining(`return ${name}(path`)])
  })

  it.each<[string, (req: any, res: any) => unknown, RegExp]>([
    [
      'sendStatus',
      (_req, res) => res.sendStatus(401),
      /write return res\.status\(401\)\.end\(\), or fromConnect\(/,
    ],
    [
      'sendStatus without a status',
      (_req, res) => res.sendStatus('no'),
      /write return res\.status\(code\)\.end\(\), or fromConnect\(/,
    ],
    [
      'setHeader',
      (_req, res) => res.setHeader('X-A', '1'),
      /write res\.header\(name, value\), or fromConnect\(/,
    ],
    [
      'end(text)',
      (_req, res) => void res.end('no'),
      /write res\.text\(…\) or res\.send\(…\), or fromConnect\(/,
    ],
  ])('of a guard names what a guard may write in place of res.%s', async (_what, guard, message) => {
    const seen: string[] = []
    const { send } = await serving.serve([new Controller('GET', '/', () => 'SECRET').use(guard as never)], {
      onError: (error) => void seen.push((error as Error).message),
    })
    expect((await send('/')).status).toBe(500)
    expect(seen).toEqual([expect.stringMatching(message)])
    expect(seen[0]).not.toContain('fromExpress')
  })

  it('of res.write is a 500 that says how to stream', async () => {
    await expectFailure(
      serving,
      (res: any) => void res.write('x'),
      /write res\.stream\(source\), or return a stream/,
    )
  })

  it('of a handler of Express that only uses what res has, and does not call next, is sent', async () => {
    const handler = (_req: unknown, res: ResponseBuilder, _next: unknown): unknown =>
      res.status(201).json({ a: 1 })
    const { send } = await serving.serve([new Controller('GET', '/', handler as never)])
    expect((await send('/')).json()).toEqual({ a: 1 })
  })

  it.each([
    ['a number', 7, /type number is not an answer/],
    ['true', true, /type boolean is not an answer/],
    ['a BigInt', 1n, /type bigint is not an answer/],
    ['a symbol', Symbol('s'), /type symbol is not an answer/],
    ['a function', () => 'x', /type function is not an answer/],
    ['an Error', new Error('secret'), /An Error is not an answer/],
    ['an Error of another realm', runInNewContext('new TypeError("secret")'), /An Error is not an answer/],
    ['a DOMException', new DOMException('secret', 'AbortError'), /An Error is not an answer/],
    [
      'an Error with a tag of its own',
      Object.assign(new Error('secret'), { [Symbol.toStringTag]: 'Own' }),
      /An Error is not an answer/,
    ],
    ['Response.error()', Response.error(), /cannot be sent/],
  ])('that is %s is refused', async (_what, value, message) => {
    await expectFailure(serving, () => value, message)
  })

  it.each([
    [
      'a getter for then',
      {
        get then(): never {
          throw new Error('then failed')
        },
      },
    ],
    [
      'a then',
      {
        then: () => {
          throw new Error('then failed')
        },
      },
    ],
  ])('with %s that throws is refused', async (_what, value) => {
    await expectFailure(serving, () => value, /then failed/)
  })

  it('that is a Response keeps its status text, its headers and its cookies', async () => {
    const headers = new Headers([
      ['x-a', '1'],
      ['x-a', '2'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ])
    const answer = await answerOf(
      serving,
      () => new Response('r', { status: 418, statusText: 'Short', headers }),
    )
    expect([answer.status, answer.statusText, answer.headers['x-a'], answer.cookies]).toEqual([
      418,
      'Short',
      '1, 2',
      ['a=1', 'b=2'],
    ])
  })

  it.each<[string, () => Answer | Promise<Answer>]>([
    [
      'was read',
      async () => {
        const response = new Response('x')
        await response.text()
        return response
      },
    ],
    [
      'is being read',
      () => {
        const response = new Response('x')
        response.body!.getReader()
        return response
      },
    ],
  ])('that is a Response that %s already is refused before anything is sent', async (_what, make) => {
    await expectFailure(serving, make, /has been read already/)
  })

  it('that is a stream with another reader is refused before anything is sent', async () => {
    const stream = webStream()
    stream.getReader()
    await expectFailure(serving, () => stream, /has been read already/)
  })

  it('that is a stream which cannot be opened is refused before anything is sent', async () => {
    const broken = {
      [Symbol.asyncIterator]: () => {
        throw new Error('cannot be opened')
      },
    }
    await expectFailure(serving, () => broken, /cannot be opened/)
  })
})

describeServings('the Response that res gives', (serving) => {
  it('is a Response in every way', async () => {
    const seen: unknown[] = []
    await answerOf(serving, async (res) => {
      const response = res.status(201).header('X-A', '1').json({ a: 1 })
      seen.push(
        response instanceof Response,
        Object.prototype.toString.call(response),
        [response.status, response.ok, response.headers.get('x-a'), response.bodyUsed, response.redirected],
        await response.clone().json(),
        new Response(response.clone().body).status,
      )
      return response
    })
    expect(seen).toEqual([true, '[object Response]', [201, true, '1', false, false], { a: 1 }, 200])
  })

  it.each<[string, (response: Response) => unknown]>([
    ['status', (response) => response.status],
    ['headers', (response) => response.headers.get('content-type')],
    ['clone()', (response) => response.clone()],
    ['clone().text()', (response) => response.clone().text()],
    ['body', (response) => response.body],
  ])('is sent whole after somebody has touched its %s', async (_what, touch) => {
    const { status, text, headers } = await answerOf(serving, async (res) => {
      const response = res.status(201).header('X-A', '1').text('whole')
      await touch(response)
      return response
    })
    expect([status, text, headers['x-a'], headers['content-type']]).toEqual([
      201,
      'whole',
      '1',
      'text/plain; charset=utf-8',
    ])
  })

  it('is sent with what somebody has changed in its headers', async () => {
    const { headers, cookies } = await answerOf(serving, (res) => {
      const response = res.header('X-A', '1').header('X-B', '1').text('x')
      response.headers.set('X-A', '2')
      response.headers.delete('X-B')
      response.headers.append('Set-Cookie', 'a=1')
      return response
    })
    expect([headers['x-a'], headers['x-b'], cookies]).toEqual(['2', undefined, ['a=1']])
  })

  it('is refused after somebody has read its body, as any Response is', async () => {
    await expectFailure(
      serving,
      async (res) => {
        const response = res.text('x')
        await response.text()
        return response
      },
      /has been read already/,
    )
  })

  it('is empty, where it passes on the body of a Response that has none', async () => {
    const answer = await answerOf(serving, (res) => res.stream(new Response(null).body as never))
    expect([answer.status, answer.text]).toEqual([200, ''])
  })

  it('can be a stream that was cloned', async () => {
    let copy: Promise<string>
    const { text } = await answerOf(serving, (res) => {
      const response = res.stream(chunks('a', 'b'))
      copy = response.clone().text()
      return response
    })
    expect([text, await copy!]).toEqual(['ab', 'ab'])
  })
})

describeServings('a status without a body', (serving) => {
  it.each([204, 205, 304])('%d is sent without body and Content-Type, whatever was given', async (status) => {
    for (const respond of [
      (res) => res.status(status).json({ a: 1 }),
      (res) => res.status(status).html('x'),
      (res) => res.status(status).end(),
      () => new Response(null, { status }),
    ] as Respond[]) {
      const answer = await answerOf(serving, respond)
      expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([status, '', undefined])
      expect(answer.headers['content-length'] ?? '0').toBe('0')
    }
  })

  it.each([204, 205, 304])('%d gives up a stream that it was given', async (status) => {
    const { source, cancelled } = endless()
    await answerOf(serving, (res) => res.status(status).stream(source))
    await cancelled
  })
})

describeServings('HEAD', (serving) => {
  const head = { method: 'HEAD' }

  it.each<[string, Respond, string | undefined]>([
    ['text', (res) => res.text('é'), '2'],
    ['JSON', (res) => res.json([1, 2]), '5'],
    ['bytes', () => Buffer.alloc(7), '7'],
    ['nothing', (res) => res.end(), '0'],
    ['a length that was set', (res) => res.header('Content-Length', '1234').end(), '1234'],
    ['a stream', () => chunks('x'), undefined],
    ['204', () => null, undefined],
  ])('has the head of GET, and no body: %s', async (_what, respond, length) => {
    const { text, headers, status } = await answerOf(serving, respond, head)
    expect([text, headers['content-length'], status < 300]).toEqual(['', length, true])
  })

  it.each<[string, (source: ReadableStream<Uint8Array>) => Respond]>([
    ['res.stream()', (source) => (res) => res.stream(source)],
    ['a Response', (source) => () => new Response(source)],
  ])('on the endless stream of %s answers, and cancels it unread', async (_what, make) => {
    const { source, cancelled, pulls } = endless()
    expect((await answerOf(serving, make(source), head)).status).toBe(200)
    await cancelled
    expect(pulls()).toBe(0)
  })

  it('on an async generator never starts it', async () => {
    let started = false
    const source = (async function* () {
      started = true
      yield 'x'
    })()
    await answerOf(serving, (res) => res.stream(source), head)
    expect([started, await source.next()]).toEqual([false, { done: true, value: undefined }])
  })

  const texts = async function* (): AsyncGenerator<string> {
    yield 'x'
  }

  it('on an event stream does not call the function that would give the events', async () => {
    let calls = 0
    const { status, headers, text } = await answerOf(
      serving,
      (res) =>
        res.sse(() => {
          calls++
          return texts()
        }),
      head,
    )
    expect([status, headers['content-type'], text, calls]).toEqual([200, 'text/event-stream', '', 0])
  })

  it('on a stream that a middleware has looked at begins nothing, and cancels it', async () => {
    const events = jest.fn(() => texts())
    const file = Readable.from(['x'])
    const cancelled = jest.fn()
    const looking = around(async (_req, _res, next) => {
      const answer = await next()
      expect([answer.body === null, answer.bodyUsed]).toEqual([false, false])
      answer.headers.set('X-Frame-Options', 'DENY')
      return answer
    })
    const { send } = await serving.serve([
      new Controller('GET', '/events', (_req, res) => res.sse(events)).use(looking),
      new Controller('GET', '/file', (_req, res) => res.stream(file)).use(looking),
      new Controller('GET', '/web', (_req, res) => res.stream(new ReadableStream({ cancel: cancelled }))).use(
        looking,
      ),
    ])
    for (const path of ['/events', '/file', '/web'])
      expect((await send(path, head)).headers['x-frame-options']).toBe('DENY')
    expect([events.mock.calls.length, file.destroyed, file.readableDidRead]).toEqual([0, true, false])
    expect(cancelled).toHaveBeenCalledTimes(1)
    expect((await send('/events')).text).toBe('data: x\n\n')
  })

  it('on an event stream ends the events that are there', async () => {
    const events = texts()
    const ended = jest.spyOn(events, 'return')
    await answerOf(serving, (res) => res.sse(events), head)
    expect([ended.mock.calls.length, await events.next()]).toEqual([1, { done: true, value: undefined }])
  })
})

describeServings(
  'headers that were set upstream',
  (serving) => {
    const upstream: ServeOptions['upstream'] = (app) =>
      void app.use((_req, res, next) => {
        res.setHeader('Set-Cookie', ['session=1', 'a=1; Path=/'])
        res.setHeader('Vary', 'Origin, accept')
        res.setHeader('X-A', 'upstream')
        res.setHeader('X-B', 'upstream')
        next()
      })

    it('keep their cookies, to which ours are added, each once', async () => {
      const { cookies } = await answerOf(serving, (res) => res.cookie('a', '1').cookie('b', '2').end(), {
        options: { upstream },
      })
      expect(cookies).toEqual(['session=1', 'a=1; Path=/', 'b=2; Path=/'])
    })

    it.each<[string, Respond]>([
      ['res', (res) => res.header('Vary', 'Accept, Cookie').end()],
      ['a Response', () => new Response(null, { headers: { vary: 'Accept, Cookie' } })],
    ])('have their Vary merged with that of %s', async (_what, respond) => {
      expect((await answerOf(serving, respond, { options: { upstream } })).headers['vary']).toBe(
        'Origin, accept, Cookie',
      )
    })

    it('give way to ours of the same name, and stay otherwise', async () => {
      const { headers } = await answerOf(serving, (res) => res.header('x-a', 'ours').end(), {
        options: { upstream },
      })
      expect([headers['x-a'], headers['x-b']]).toEqual(['ours', 'upstream'])
    })
  },
  ({ errors }) => errors === 'host',
)

describeServings(
  'headers of the connection in a Response',
  (serving) => {
    it('are not sent', async () => {
      const { port } = await serveOne(
        serving,
        () =>
          new Response('whole', {
            headers: {
              'transfer-encoding': 'gzip',
              connection: 'x-kept',
              'keep-alive': 'timeout=9',
              'x-kept': '1',
            },
          }),
      )
      const text = await sendRaw(port!, 'GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n')
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(text).toMatch(/\r\nx-kept: 1\r\n/i)
      expect(text).not.toMatch(/gzip|connection: x-kept|timeout=9/i)
    })
  },
  ({ onNode }) => onNode,
)

/** A source that never ends: what it was asked for, and whether it was given up. */
function endless(chunk?: Uint8Array): {
  source: ReadableStream<Uint8Array>
  cancelled: Promise<void>
  cancels: () => number
  pulls: () => number
} {
  let cancels = 0
  let pulls = 0
  let report: () => void
  const cancelled = new Promise<void>((resolve) => (report = resolve))
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulls++
        if (chunk !== undefined) return controller.enqueue(chunk)
        return new Promise<void>(() => {})
      },
      cancel() {
        cancels++
        report()
      },
    },
    { highWaterMark: 0 },
  )
  return { source, cancelled, cancels: () => cancels, pulls: () => pulls }
}

/** The same as an async iterable that is no generator, and so can be given up while it waits. */
function endlessIterable(chunk?: string): {
  source: AsyncIterable<string>
  cancelled: Promise<void>
  cancels: () => number
} {
  let cancels = 0
  let report: () => void
  const cancelled = new Promise<void>((resolve) => (report = resolve))
  const source: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        chunk === undefined ? new Promise<never>(() => {}) : Promise.resolve({ done: false, value: chunk }),
      async return() {
        cancels++
        report()
        return { done: true, value: undefined }
      },
    }),
  }
  return { source, cancelled, cancels: () => cancels }
}

describeServings('res.stream', (serving) => {
  it.each([
    ['a web stream', () => new Blob(['a', 'é']).stream()],
    ['a Node stream', () => Readable.from([Buffer.from('a'), 'é'])],
    ['an async generator', () => chunks('a', Buffer.from('é'))],
  ])('answers with %s', async (_what, make) => {
    const { status, headers, text } = await answerOf(serving, (res) => res.status(206).stream(make()))
    expect([status, headers['content-type'], text]).toEqual([206, 'application/octet-stream', 'aé'])
  })

  it('sends the head, and then each chunk, as it comes', async () => {
    let go: () => void
    const waiting = new Promise<void>((resolve) => (go = resolve))
    const served = await serveOne(serving, (res) =>
      res.header('Content-Type', 'text/plain').stream(
        (async function* () {
          await waiting
          yield 'first'
          yield 'second'
        })(),
      ),
    )
    const client = openClient(served, '/')
    expect((await client.head).headers['content-type']).toBe('text/plain')
    go!()
    let text = ''
    for (let piece = await client.read(); piece !== undefined; piece = await client.read()) text += piece
    expect(text).toBe('firstsecond')
  })

  it('sends a megabyte in the order it came', async () => {
    const piece = (at: number): string => String(at).padStart(1024, '.')
    const { text } = await answerOf(serving, () =>
      chunks(...Array.from({ length: 1024 }, (_, at) => piece(at))),
    )
    expect(text).toBe(Array.from({ length: 1024 }, (_, at) => piece(at)).join(''))
  })

  describe.each([
    ['alone', undefined],
    ['behind a hook', hooked],
  ])('%s', (_where, setup) => {
    const options = setup === undefined ? {} : { setup }

    it('that fails midway looks cut off, and is told once', async () => {
      const served = await serveOne(
        serving,
        (res) =>
          res.stream(
            (async function* () {
              yield 'first'
              throw new Error('midway')
            })(),
          ),
        options,
      )
      const client = openClient(served, '/')
      await expect(
        (async () => {
          while ((await client.read()) !== undefined);
        })(),
      ).rejects.toThrow()
      expect(served.logged).toEqual([
        expect.stringMatching(/^error GET \/: the answer broke off: Error: midway/),
      ])
    })

    it.each([
      ['with an error', new Error('before'), 'Error: before'],
      ['without one', undefined, 'Error: The stream was closed before its end'],
    ])(
      'of Node that was destroyed before, %s, looks cut off, and is told once',
      async (_how, error, told) => {
        const served = await serveOne(
          serving,
          async (res) => {
            const source = new Readable({ read() {} }).on('error', () => {})
            source.destroy(error)
            await new Promise((resolve) => source.once('close', resolve))
            return res.stream(source)
          },
          options,
        )
        const client = openClient(served, '/')
        await expect(
          (async () => {
            while ((await client.read()) !== undefined);
          })(),
        ).rejects.toThrow()
        expect(served.logged).toEqual([expect.stringContaining(`error GET /: the answer broke off: ${told}`)])
      },
    )

    it.each([
      ['before the first chunk', undefined],
      ['in the middle', 'chunk'],
      ['while it waits for a slow client', 'x'.repeat(1024 * 1024)],
    ])('is cancelled exactly once when the client goes %s', async (_when, chunk) => {
      for (const { source, cancelled, cancels } of [
        endless(chunk === undefined ? undefined : Buffer.from(chunk)),
        endlessIterable(chunk),
      ]) {
        const served = await serving.serve(
          [
            new Controller('GET', '/', (_req, res) => res.stream(source)),
            new Controller('GET', '/other', () => 'other'),
          ],
          options,
        )
        const client = openClient(served, '/')
        await client.head
        if (chunk !== undefined) expect((await client.read())!.slice(0, 5)).toBe(chunk.slice(0, 5))
        client.leave()
        await cancelled
        // Another whole exchange: whatever would have come twice has come by then.
        expect((await served.send('/other')).text).toBe('other')
        expect([cancels(), served.logged]).toEqual([1, []])
      }
    })
  })
})

describeServings('res.sse', (serving) => {
  const frames = async (respond: Respond): Promise<Received> => answerOf(serving, respond)

  it('sends events as the standard writes them', async () => {
    const { status, headers, text } = await frames((res) =>
      res.sse(
        (async function* () {
          yield 'plain'
          yield { data: { a: 1 }, event: 'update', id: '7', retry: 1000 }
          yield { data: 'two\nlines\r\nthree\rfour' }
          yield { data: undefined }
        })(),
      ),
    )
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/event-stream',
      'no-cache',
    ])
    expect(text).toBe(
      'data: plain\n\n' +
        'event: update\nid: 7\nretry: 1000\ndata: {"a":1}\n\n' +
        'data: two\ndata: lines\ndata: three\ndata: four\n\n' +
        'data: \n\n',
    )
  })

  it.each([
    { data: 'x', event: 'a\nb' },
    { data: 'x', event: 'a\rb' },
    { data: 'x', id: '1\ndata: forged' },
    { data: 'x', id: '1\0' },
    { data: 'x', retry: 1.5 },
    { data: 'x', retry: -1 },
  ])('breaks off rather than send %p', async (event) => {
    const served = await serveOne(serving, (res) =>
      res.sse(chunksOf<ServerSentEvent | string>('fine', event)),
    )
    const client = openClient(served, '/')
    let text = ''
    await expect(
      (async () => {
        for (let piece = await client.read(); piece !== undefined; piece = await client.read()) text += piece
      })(),
    ).rejects.toThrow()
    expect('data: fine\n\n').toContain(text)
  })

  it.each<[string, () => unknown, RegExp]>([
    ['a promise', async () => 'x', /has given a Promise, not events/],
    ['a text', () => 'x', /has given string, not events/],
    ['nothing', () => undefined, /has given undefined, not events/],
  ])('refuses a function that gives %s', async (_what, source, message) => {
    const { logged } = await answerOf(serving, (res) => res.sse(source as never)).catch(() => ({
      logged: [],
    }))
    if (serving.errors === 'us') expect(logged.join()).toMatch(message)
  })

  it.each<[unknown, RegExp]>([
    [5, /has given number, not a text or \{ data, event, id, retry \}/],
    [null, /has given null, not/],
    [['a'], /has given an array, not/],
    [{ hello: 1, at: 2 }, /has given an object, not/],
    [{ event: 'ping' }, /has given an object, not/],
  ])('breaks off at %j, which is no event, and says so', async (event, message) => {
    const served = await serveOne(serving, (res) => res.sse(chunksOf('fine', event) as never))
    const client = openClient(served, '/')
    const read = async (): Promise<void> => {
      while ((await client.read()) !== undefined);
    }
    await expect(read()).rejects.toThrow()
    expect(served.logged).toEqual([expect.stringMatching(message)])
  })

  it('gives a function the signal, which aborts when the client goes', async () => {
    let report: (aborted: boolean) => void
    const stopped = new Promise<boolean>((resolve) => (report = resolve))
    const served = await serveOne(serving, (res) =>
      res.sse(async function* (signal) {
        try {
          yield 'first'
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        } finally {
          report(signal.aborted)
        }
      }),
    )
    const client = openClient(served, '/')
    expect(await client.read()).toBe('data: first\n\n')
    client.leave()
    expect(await stopped).toBe(true)
  })

  it('keeps a Cache-Control that was set', async () => {
    const { headers } = await frames((res) => res.header('Cache-Control', 'no-store').sse(chunksOf('x')))
    expect(headers['cache-control']).toBe('no-store')
  })

  const chunksOf = async function* <T>(...values: T[]): AsyncGenerator<T> {
    for (const value of values) yield value
  }
})
