import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { constants, createGunzip } from 'node:zlib'
import compression from 'compression'
import express, {
  type Express,
  type NextFunction,
  type Request as ExpressRequest,
  type Response as ExpressResponse,
} from 'express'
import { openClient } from '../support/client.js'
import { type Answerers, inEach } from '../support/contenders.js'
import type { Served } from '../support/describe-servings.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'
import { openRaw, parseAnswers } from '../support/raw-socket.js'
import { Source } from '../support/source.js'

afterEach(closeHosted)

describe.each(inEach(expresses))('%s', (_name, contender, anyExpress) => {
  const isForeign = contender.name.startsWith('toConnect')

  /** An app that mounts the answerers below `/api` and at its root. */
  function serve(
    answerers: Answerers,
    { upstream, downstream }: { upstream?: (app: Express) => void; downstream?: (app: Express) => void } = {},
  ) {
    const app = createExpress(anyExpress)
    upstream?.(app)
    const handler = contender.create(answerers)
    app.use('/api', handler)
    app.use(handler)
    downstream?.(app)
    return host(app)
  }

  it('sees the whole URL below a mount path', async () => {
    const { send } = await serve({ 'GET /url': ({ target }) => ({ body: target }) })
    expect((await send('/api/url?x=1')).text).toBe('/api/url?x=1')
    expect((await send('/url?x=1')).text).toBe('/url?x=1')
  })

  it('passes on what it does not answer', async () => {
    const { send } = await serve(
      { 'GET /url': () => ({}) },
      { downstream: (app) => app.get('/host', (_req, res) => void res.send('the host')) },
    )
    expect(await send('/host')).toMatchObject({ status: 200, text: 'the host' })
    expect((await send('/nowhere')).status).toBe(404)
  })

  it.each(['throws', 'rejects'])('gives what a handler %s to the error handlers of the app', async (how) => {
    const thrown = new Error('secret')
    const caught: unknown[] = []
    const { send } = await serve(
      {
        'GET /': () => {
          if (how === 'rejects') return Promise.reject(thrown)
          throw thrown
        },
      },
      {
        downstream: (app) =>
          app.use((error: unknown, _req: ExpressRequest, res: ExpressResponse, _next: NextFunction) => {
            caught.push(error)
            res.status(503).send('the host')
          }),
      },
    )
    expect(await send('/')).toMatchObject({ status: 503, text: 'the host' })
    expect(caught.length).toBe(1)
    expect(caught[0]).toBe(thrown)
  })

  it('reads a body that express.json() has read', async () => {
    const { send } = await serve(
      { 'POST /': async ({ json }) => ({ body: (await json()) as object }) },
      { upstream: (app) => app.use(express.json()) },
    )
    const answer = await send('/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":[1,"b"]}',
    })
    expect([answer.status, answer.text]).toEqual([200, '{"a":[1,"b"]}'])
  })

  it('reads a form that express.urlencoded() has read', async () => {
    const { send } = await serve(
      { 'POST /': async ({ formData }) => ({ body: [...(await formData())] }) },
      { upstream: (app) => app.use(express.urlencoded({ extended: true })) },
    )
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await send('/', { method: 'POST', headers, body: 'a=1&b=x+y' })
    expect([answer.status, answer.json()]).toEqual([
      200,
      [
        ['a', '1'],
        ['b', 'x y'],
      ],
    ])
  })

  it('keeps a cookie that was set before, and adds its own', async () => {
    const { send } = await serve(
      { 'GET /': () => ({ headers: { 'Set-Cookie': 'ours=2' } }) },
      {
        upstream: (app) =>
          app.use((_req, res, next) => {
            res.setHeader('Set-Cookie', 'theirs=1')
            next()
          }),
      },
    )
    expect((await send('/')).cookies).toEqual(['theirs=1', 'ours=2'])
  })

  it('sends the first event through compression before there is a second', async () => {
    const source = new Source().give('data: one\n\n')
    const { port } = await serve(
      { 'GET /': () => ({ headers: { 'Content-Type': 'text/event-stream' }, body: source }) },
      { upstream: (app) => app.use(compression({ threshold: 0 })) },
    )
    const outgoing = httpRequest({ port, agent: false, headers: { 'accept-encoding': 'gzip' } }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect(incoming.headers['content-encoding']).toBe('gzip')
    const text = incoming.pipe(createGunzip({ flush: constants.Z_SYNC_FLUSH })).setEncoding('utf8')
    expect(await once(text, 'data')).toEqual(['data: one\n\n'])
    source.give('data: two\n\n')
    expect(await once(text, 'data')).toEqual(['data: two\n\n'])
    source.end()
    await once(text, 'end')
  })

  it('sends its head before there is a first chunk', async () => {
    const source = new Source()
    const { port } = await serve({ 'GET /': () => ({ status: 201, body: source }) })
    const client = openClient({ port } as Served, '/')
    expect((await client.head).status).toBe(201)
    source.give('one').end()
    expect([await client.read(), await client.read()]).toEqual(['one', undefined])
  })

  it('answers HEAD on an endless stream without reading it, and gives it up', async () => {
    const source = new Source().give('one')
    const { send } = await serve({ 'GET /': () => ({ body: source }) })
    const answer = await send('/', { method: 'HEAD' })
    expect([answer.status, answer.text]).toEqual([200, ''])
    await source.whenCancelled
    expect([source.asked, source.cancelled]).toEqual([0, 1])
  })

  it('answers HEAD with the Content-Length of GET', async () => {
    const { send } = await serve({
      'GET /': () => ({ body: 'five!' }),
      'GET /said': () => ({ headers: { 'Content-Length': '3' }, body: new Source().give('one').end() }),
    })
    for (const [target, length] of [
      ['/said', '3'],
      ['/', '5'],
    ] as const) {
      const [get, head] = [await send(target), await send(target, { method: 'HEAD' })]
      expect([get.headers['content-length'], head.headers['content-length']]).toEqual([length, length])
      expect([head.status, head.text]).toEqual([200, ''])
    }
  })

  it('does not abort its signal after a complete answer', async () => {
    const signals: AbortSignal[] = []
    let closed: Promise<unknown> | undefined
    const { send } = await serve(
      {
        'POST /': async ({ signal, text }) => {
          signals.push(signal)
          return { body: await text() }
        },
      },
      {
        upstream: (app) =>
          app.use((req, res, next) => {
            closed = Promise.all([once(res, 'close'), once(req, 'close')])
            next()
          }),
      },
    )
    expect((await send('/', { method: 'POST', body: 'x' })).text).toBe('x')
    await closed
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  })

  it('takes no path from a malformed Host', async () => {
    const reached: string[] = []
    const { port } = await serve({
      'GET /x': () => ({ body: reached.push('/x').toString() }),
      'GET /url': ({ target }) => ({ body: target }),
    })
    const client = await openRaw(port)
    const answer = await client
      .write('GET /url HTTP/1.1\r\nHost: evil.com/x?\r\nConnection: close\r\n\r\n')
      .untilClosed()
    // A Request cannot be made of it; Controllers match the path, and never look at Host.
    expect(parseAnswers(answer).map(({ status }) => status)).toEqual([isForeign ? 400 : 200])
    expect(reached).toEqual([])
  })

  it('answers a target in absolute form', async () => {
    const { port } = await serve({ 'GET /url': ({ target }) => ({ body: target }) })
    const client = await openRaw(port)
    const answer = await client
      .write('GET http://other.test/api/url?x=1 HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n')
      .untilClosed()
    expect(parseAnswers(answer)).toEqual([
      expect.objectContaining({
        status: 200,
        body: isForeign ? '/api/url?x=1' : 'http://other.test/api/url?x=1',
      }),
    ])
  })

  it('sees what is sent twice', async () => {
    const { port } = await serve({
      'GET /': ({ header }) => ({ body: [header('x-any'), header('accept'), header('authorization')] }),
    })
    const lines = [
      'Host: x',
      'Connection: close',
      'X-Any: a',
      'X-Any: b',
      'Accept: a',
      'Accept: b',
      'Authorization: a',
      'Authorization: b',
    ]
    const client = await openRaw(port)
    const answer = await client.write(`GET / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`).untilClosed()
    // Node itself keeps the first of what may stand once only, and so the req of a controller does, as Express's.
    expect(JSON.parse(parseAnswers(answer)[0]!.body)).toEqual(['a, b', 'a, b', isForeign ? 'a, b' : 'a'])
  })

  it('gives a request of which a web Request can be made', async () => {
    const { send } = await serve({
      'PUT /': async ({ itself, target }) => {
        const copy = isForeign
          ? new Request(itself as Request)
          : new Request(`http://x${target}`, {
              method: itself.method,
              headers: itself.headers,
              body: itself,
              duplex: 'half',
            })
        return { body: [copy.method, copy.headers.get('x-one'), await copy.text()] }
      },
    })
    const answer = await send('/', { method: 'PUT', headers: { 'x-one': '1' }, body: 'some bytes' })
    expect([answer.status, answer.json()]).toEqual([200, ['PUT', '1', 'some bytes']])
  })

  it('never tells TRACE what it was sent', async () => {
    const { send } = await serve({
      'GET /': () => ({ body: 'x' }),
      '* /any': ({ method }) => ({ body: method }),
    })
    const trace = { method: 'TRACE', headers: { cookie: 'secret=1' } }
    const [unmatched, matched] = [await send('/', trace), await send('/any', trace)]
    // No Request can be made of it; a Controller for all methods is asked as for any other.
    expect([unmatched.status, matched.status]).toEqual(isForeign ? [501, 501] : [404, 200])
    expect(unmatched.text + matched.text).not.toContain('secret=1')
  })

  it.each<[string, Answerers[string]]>([
    ['ignores', () => ({ body: 'one' })],
    [
      'touches',
      ({ touchBody }) => {
        touchBody()
        return { body: 'one' }
      },
    ],
    [
      'reads one chunk of',
      async ({ readOneChunk }) => {
        await readOneChunk()
        return { body: 'one' }
      },
    ],
  ])(
    'answers the next request of a connection when a handler %s a body of 300 KB',
    async (_how, answerer) => {
      const { port } = await serve({ 'POST /': answerer, 'GET /second': () => ({ body: 'two' }) })
      const client = await openRaw(port)
      client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n`)
      client.write(Buffer.alloc(300_000, 'a'))
      client.write('GET /second HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      const answers = parseAnswers(await client.untilClosed())
      expect(answers.map(({ status, body }) => [status, body])).toEqual([
        [200, 'one'],
        [200, 'two'],
      ])
    },
  )
})
