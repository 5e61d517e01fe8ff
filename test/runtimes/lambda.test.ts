import { PassThrough } from 'node:stream'
import { Controller, RouteControllers } from 'routecontrollers'
import {
  type LambdaEvent,
  type LambdaEventV1,
  type LambdaEventV2,
  type LambdaStreamHandler,
  toLambda,
  toLambdaStream,
} from 'routecontrollers/lambda'
import { thrownBy } from '../support/thrown-by.js'

const routeControllers = new RouteControllers([
  new Controller('*', '/echo/*rest', (req, res) =>
    res.header('X-Method', req.method).json({
      rest: req.params.rest,
      query: req.query,
      cookies: req.cookies,
      list: req.get('x-list') ?? null,
      body: req.body ?? null,
      ip: req.realIp ?? null,
    }),
  ),
  new Controller('GET', '/cookies', (_req, res) => res.cookie('a', '1').cookie('b', '2').text('two')),
  new Controller('GET', '/bytes', () => Uint8Array.of(0xff, 0x00, 0xfe)),
  new Controller('GET', '/bom', () => '\ufeffwith a mark: Grüße'),
  new Controller('GET', '/none', () => null),
  new Controller('POST', '/length', async (req) => String((await req.arrayBuffer()).byteLength), {
    body: 'stream',
  }),
  new Controller('GET', '/raw', (req) => Object.keys(req.platform?.raw as object).join()),
  new Controller('GET', '/host', (req) => `${req.get('host')}`),
  new Controller('GET', '/cookie-field', (req) => `${req.get('cookie')}`),
])
const handler = toLambda(routeControllers)

interface Ask {
  method?: string
  path: string
  query?: [name: string, value: string][]
  headers?: Record<string, string[]>
  body?: Uint8Array | string
  ip?: string
}

/** One request as each source of events writes it. */
const v2 = ({ method = 'GET', path, query = [], headers = {}, body, ip }: Ask): LambdaEventV2 => {
  const { cookie, ...others } = headers
  const fields = Object.entries(others).map(([name, values]) => [name, values.join(',')])
  return {
    rawPath: path,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: Object.fromEntries(fields) as Record<string, string>,
    ...(cookie && { cookies: cookie }),
    requestContext: { domainName: 'api.example', http: { method, ...(ip && { sourceIp: ip }) } },
    ...bodyOf(body),
  }
}
const v1 = ({ method = 'GET', path, query = [], headers = {}, body, ip }: Ask): LambdaEventV1 => {
  const { cookie, ...others } = headers
  const parameters: Record<string, string[]> = {}
  for (const [name, value] of query) (parameters[name] ??= []).push(value)
  return {
    httpMethod: method,
    path,
    multiValueQueryStringParameters: query.length > 0 ? parameters : null,
    multiValueHeaders: { ...others, ...(cookie && { cookie: [cookie.join('; ')] }) },
    requestContext: { domainName: 'api.example', identity: ip === undefined ? {} : { sourceIp: ip } },
    body: null,
    ...bodyOf(body),
  }
}
const bodyOf = (body: Uint8Array | string | undefined): { body?: string; isBase64Encoded: boolean } =>
  body === undefined
    ? { isBase64Encoded: false }
    : typeof body === 'string'
      ? { body, isBase64Encoded: false }
      : { body: Buffer.from(body).toString('base64'), isBase64Encoded: true }

interface Got {
  status: number
  headers: Record<string, string>
  cookies: string[]
  bytes: Buffer
  isBase64: boolean
}

async function ask(event: LambdaEvent): Promise<Got> {
  const result = await handler(event, { awsRequestId: '1' })
  const { 'set-cookie': cookies = [], ...lists } = result.multiValueHeaders ?? {}
  return {
    status: result.statusCode,
    headers:
      result.headers ??
      Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.join()])),
    cookies: result.cookies ?? cookies,
    bytes: Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8'),
    isBase64: result.isBase64Encoded,
  }
}

it('an answer without cookies has no field for them in format 1.0', async () => {
  const { multiValueHeaders } = await handler(v1({ path: '/bytes' }))
  expect(Object.keys(multiValueHeaders!)).not.toContain('set-cookie')
  const { multiValueHeaders: both } = await handler(v1({ path: '/cookies' }))
  expect(both!['set-cookie']).toHaveLength(2)
})

it.each([
  [[], 'undefined'],
  [['a=1'], 'a=1'],
])('an event of format 2.0 with the cookies %j has the header %s', async (cookies, field) => {
  const event = { ...v2({ path: '/cookie-field' }), cookies }
  expect((await ask(event)).bytes.toString()).toBe(field)
})

it.each([v2, v1])('a Host field is no part of the URL', async (event) => {
  const { status } = await ask(event({ path: '/raw', headers: { host: ['evil.example/none?'] } }))
  expect(status).toBe(200)
})

describe.each<[string, (ask: Ask) => LambdaEvent]>([
  ['format 2.0', v2],
  ['format 1.0', v1],
])('toLambda answers an event of %s', (_name, event) => {
  const json = async (request: Ask): Promise<unknown> =>
    JSON.parse((await ask(event(request))).bytes.toString())

  it('with its method, path, query, cookies, headers and address', async () => {
    const answer = await ask(
      event({
        method: 'PUT',
        path: '/echo/a%2Fb/c%20d',
        query: [
          ['one', 'ü&=+ %'],
          ['two', '1'],
          ['two', '2'],
        ],
        headers: { cookie: ['a=1', 'b=2'], 'X-List': ['x', 'y'], 'Content-Type': ['application/json'] },
        body: '{"tea":"grün"}',
        ip: '203.0.113.7',
      }),
    )
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'x-method': 'PUT',
      'content-type': 'application/json; charset=utf-8',
    })
    expect(JSON.parse(answer.bytes.toString())).toEqual({
      rest: 'a/b/c d',
      query: { one: 'ü&=+ %', two: ['1', '2'] },
      cookies: { a: '1', b: '2' },
      list: expect.stringMatching(/^x, ?y$/) as string,
      body: { tea: 'grün' },
      ip: '203.0.113.7',
    })
  })

  it('with names of its query that a URL has to encode', async () => {
    const query: [string, string][] = [
      ['a&b=c', '1'],
      ['d%20+ ', '2'],
      ['#', '3'],
    ]
    expect(await json({ path: '/echo/a', query })).toMatchObject({ query: Object.fromEntries(query) })
  })

  it.each([
    ['decoded', '/echo/a b/ü', 'a b/ü'],
    ['with a mark of a query', '/echo/a?b#c', 'a?b#c'],
    ['with a backslash', '/echo/a\\..\\b', 'a\\..\\b'],
    ['with two slashes', '/echo//x', '/x'],
    ['with dots that are no segment', '/echo/.../.a/a..', '.../.a/a..'],
    ['with blanks that a URL leaves out', '/echo/a\tb\r\nc/ ', 'a\tb\r\nc/ '],
  ])('with a path that is %s', async (_what, path, rest) => {
    expect(await json({ path })).toMatchObject({ rest, query: {} })
  })

  it('with two slashes at its begin as a path, not as a host', async () => {
    expect((await ask(event({ path: '//evil.example/echo/x' }))).status).toBe(404)
  })

  it('with the Host that was sent, though not as the origin of its URL', async () => {
    const answer = await ask(event({ path: '/host', headers: { Host: ['a b/evil'] } }))
    expect([answer.status, answer.bytes.toString()]).toEqual([200, 'a b/evil'])
  })

  it('with each cookie of the answer', async () => {
    const { cookies, headers } = await ask(event({ path: '/cookies' }))
    expect(cookies.map((cookie) => cookie.split(';')[0])).toEqual(['a=1', 'b=2'])
    expect(headers).not.toHaveProperty('set-cookie')
  })

  it.each([
    ['/bytes', 'ff00fe', true],
    ['/bom', Buffer.from('\ufeffwith a mark: Grüße').toString('hex'), false],
    ['/none', '', false],
  ])('with the bytes of %s', async (path, hex, isBase64) => {
    const answer = await ask(event({ path }))
    expect(answer.bytes.toString('hex')).toBe(hex)
    expect(answer.isBase64).toBe(isBase64)
  })

  it('without a body as to HEAD', async () => {
    const answer = await ask(event({ method: 'HEAD', path: '/cookies' }))
    expect([answer.status, answer.bytes.length, answer.headers['content-length']]).toEqual([200, 0, '3'])
  })

  it.each([
    ['text', 'grün', '5'],
    ['base64', Uint8Array.of(255, 0, 254), '3'],
  ])('with a body as %s', async (_what, body, length) => {
    expect((await ask(event({ method: 'POST', path: '/length', body }))).bytes.toString()).toBe(length)
  })

  it('with 413 for a body over the limit, whatever its Content-Length says', async () => {
    const request = { method: 'POST', path: '/echo/x', body: 'x'.repeat(1_048_577) }
    const headers = { 'content-type': ['text/plain'], 'content-length': ['3'] }
    expect((await ask(event({ ...request, headers }))).status).toBe(413)
  })

  it('with a GET that has a body, which is dropped', async () => {
    expect(await json({ path: '/echo/x', body: 'text' })).toMatchObject({ body: null })
  })

  it('with a HEAD that has a body, which is dropped', async () => {
    const answer = await ask(event({ method: 'HEAD', path: '/echo/x', body: 'text' }))
    expect([answer.status, answer.headers['x-method'], answer.bytes.length]).toEqual([200, 'HEAD', 0])
  })

  it('with an empty body, and without one', async () => {
    for (const body of ['', undefined]) {
      const request = { method: 'POST', path: '/length', ...(body !== undefined && { body }) }
      expect((await ask(event(request))).bytes.toString()).toBe('0')
    }
  })

  it.each([{ domainName: '' }, { domainName: undefined }])(
    'without the name of a domain: %p',
    async (domain) => {
      const { requestContext, ...rest } = event({ path: '/echo/x' })
      const answer = await ask({ ...rest, requestContext: { ...requestContext, ...domain } } as LambdaEvent)
      expect(answer.status).toBe(200)
    },
  )

  it.each<[string, Ask]>([
    ['a method', { method: 'TRACE', path: '/echo/x' }],
    ['a header', { path: '/echo/x', headers: { 'x-list': ['a\nb'] } }],
    ['a path with dots', { path: '/open/../echo/x' }],
    ['a path with dots at its end', { path: '/echo/x/..' }],
    ['a path with escaped dots', { path: '/open/%2E./echo/x' }],
    ['a path that would be a host', { path: '.evil.example/echo/x' }],
    ['a path that would be a user', { path: '@evil.example/echo/x' }],
    ['no path', { path: '' }],
  ])('with 400 for %s that a Request cannot have', async (_what, request) => {
    expect((await ask(event(request))).status).toBe(400)
  })

  it('with the event and the context as req.platform.raw', async () => {
    expect((await ask(event({ path: '/raw' }))).bytes.toString()).toBe('event,context')
  })

  it('without an address where the event has none', async () => {
    expect(await json({ path: '/echo/x' })).toMatchObject({ ip: null })
  })
})

it('toLambda takes the cookies of format 2.0 once, though they are among its headers too', async () => {
  const event = v2({ path: '/cookie-field', headers: { cookie: ['a=1', 'b=2'] } })
  const answer = await ask({ ...event, headers: { Cookie: 'a=1; b=2' } })
  expect(answer.bytes.toString()).toBe('a=1; b=2')
})

it('toLambda refuses events of other sources', async () => {
  const event = { httpMethod: 'GET', path: '/', headers: {}, requestContext: { elb: {} } } as never
  await expect(handler(event)).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNSUPPORTED' })
  const contexts = [null, 'http', { http: null }, { identity: null }].map((requestContext) => ({
    requestContext,
  }))
  for (const other of [{ Records: [] }, null, undefined, ...contexts])
    await expect(handler(other as never)).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNSUPPORTED' })
})
it('toLambda refuses anything but a RouteControllers', () => {
  expect(thrownBy(() => toLambda(routeControllers.getCallback() as never))).toMatchObject({
    code: 'ERR_OPTION_INVALID',
    message: 'toLambda takes new RouteControllers([…]), not a function',
  })
})

/** As Lambda's runtime for Node: the head, in JSON, and eight zeros go before the first piece. */
class HttpResponseStream {
  static from(stream: NodeJS.WritableStream, head: object): NodeJS.WritableStream {
    const write = stream.write.bind(stream) as (piece: unknown, ...rest: unknown[]) => boolean
    let isBegun = false
    return Object.assign(stream, {
      write: (piece: unknown, ...rest: unknown[]) => {
        if (!isBegun) write(`${JSON.stringify(head)}${'\0'.repeat(8)}`)
        isBegun = true
        return write(piece, ...rest)
      },
    })
  }
}

describe('toLambdaStream', () => {
  const lambda = globalThis as { awslambda?: unknown }
  beforeEach(() => {
    lambda.awslambda = { HttpResponseStream, streamifyResponse: (one: LambdaStreamHandler) => one }
  })
  afterEach(() => delete lambda.awslambda)

  let release = (): void => {}
  let stopped = false
  const streaming = (): LambdaStreamHandler =>
    toLambdaStream(
      new RouteControllers([
        new Controller('GET', '/pieces', (_req, res) =>
          res.cookie('a', '1').stream(
            (async function* () {
              try {
                yield 'one'
                await new Promise<void>((resolve) => (release = resolve))
                yield 'two'
              } finally {
                stopped = true
              }
            })(),
          ),
        ),
        new Controller('GET', '/none', () => null),
      ]),
    )

  it('sends the head, and each piece when it is written', async () => {
    const stream = new PassThrough({ encoding: 'utf8' })
    const ended = streaming()(v2({ path: '/pieces' }), stream)
    let text = ''
    for await (const piece of stream) {
      text += String(piece)
      // The rest waits for this.
      if (text.endsWith('one')) release()
    }
    await ended
    const [head, body] = text.split('\0'.repeat(8))
    expect(JSON.parse(head!)).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'application/octet-stream' },
      cookies: [expect.stringContaining('a=1')],
    })
    expect(body).toBe('onetwo')
  })

  it('sends the head of an answer without a body', async () => {
    const stream = new PassThrough({ encoding: 'utf8' })
    await streaming()(v2({ path: '/none' }), stream)
    const texts: string[] = []
    for await (const piece of stream) texts.push(String(piece))
    const [head, body] = texts.join('').split('\0'.repeat(8))
    expect([JSON.parse(head!), body]).toEqual([{ statusCode: 204, headers: {}, cookies: [] }, ''])
  })

  it('ends the answer of a client that has left', async () => {
    stopped = false
    const stream = new PassThrough()
    const ended = streaming()(v2({ path: '/pieces' }), stream)
    stream.once('data', () => stream.destroy())
    await expect(ended).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' })
    release()
    await new Promise((resolve) => setImmediate(resolve))
    expect(stopped).toBe(true)
  })

  it('needs the runtime of Lambda', () => {
    delete lambda.awslambda
    expect(thrownBy(streaming)).toMatchObject({ code: 'ERR_RUNTIME_UNSUPPORTED' })
  })
})

it('takes an event that has names without values, or no headers at all', async () => {
  const event = v1({ path: '/echo/a', query: [['q', '1']] })
  const query = { ...event.multiValueQueryStringParameters, none: undefined }
  const headers = { 'x-list': ['a', 'b'], 'x-none': undefined }
  const asked = async (more: object): Promise<Record<string, unknown>> =>
    JSON.parse((await handler({ ...event, ...more })).body) as Record<string, unknown>
  expect(await asked({ multiValueQueryStringParameters: query, multiValueHeaders: headers })).toMatchObject({
    query: { q: '1' },
    list: 'a, b',
  })
  expect(await asked({ multiValueHeaders: null })).toMatchObject({ query: { q: '1' }, list: null })
})

it('takes an event of format 1.0 that has one value for each name', async () => {
  const { multiValueHeaders: _h, multiValueQueryStringParameters: _q, ...event } = v1({ path: '/echo/a' })
  const single = { headers: { 'x-list': 'a' }, queryStringParameters: { q: '1&2', none: undefined } }
  const told = async (more: object): Promise<unknown> =>
    JSON.parse((await handler({ ...event, ...more })).body)
  expect(await told(single)).toMatchObject({ query: { q: '1&2' }, list: 'a' })
  // With all values beside, one is not read twice.
  const lists = {
    multiValueHeaders: { 'x-list': ['a', 'b'] },
    multiValueQueryStringParameters: { q: ['1', '2'] },
  }
  expect(await told({ ...single, ...lists })).toMatchObject({ query: { q: ['1', '2'] }, list: 'a, b' })
  expect(await told({})).toMatchObject({ query: {}, list: null })
})
