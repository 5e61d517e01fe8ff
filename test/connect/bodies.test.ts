import type { IncomingMessage } from 'node:http'
import bodyParser from 'body-parser'
import express5, { type Express, type RequestHandler } from 'express'
import express4 from 'express4'
import multer from 'multer'
import { Controller, RouteControllers, toListener } from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { contenders, inEach } from '../support/contenders.js'
import { closeAll, describeServings } from '../support/describe-servings.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'
import { openRaw, parseAnswers } from '../support/raw-socket.js'

afterEach(closeHosted)
afterEach(closeAll)

type Options = { verify?: (req: object, res: object, bytes: Buffer) => void }

interface Sample {
  type: string
  sent: string
  /** What comes back where only `req.body` is left. */
  rewritten: string
  /** The parser of that type, of any of the packages. */
  parser: (from: typeof express5 | typeof bodyParser, options: Options) => RequestHandler
}

const samples: Record<string, Sample> = {
  json: {
    type: 'application/json; charset=utf-8',
    sent: '{ "price": 1.0, "name": "té" }',
    rewritten: '{"price":1,"name":"té"}',
    parser: (from, options) => from.json(options),
  },
  'urlencoded, extended': {
    type: 'application/x-www-form-urlencoded',
    sent: 'a=1&b[]=x&b[]=y&c[d]=t%C3%A9+2',
    rewritten: 'a=1&b=x&b=y&c%5Bd%5D=t%C3%A9+2',
    parser: (from, options) => from.urlencoded({ ...options, extended: true }),
  },
  'urlencoded, simple': {
    type: 'application/x-www-form-urlencoded',
    sent: 'a=1&a=2&b=%20',
    rewritten: 'a=1&a=2&b=+',
    parser: (from, options) => from.urlencoded({ ...options, extended: false }),
  },
  text: {
    type: 'text/plain; charset=utf-8',
    sent: 'a cup of té',
    rewritten: 'a cup of té',
    parser: (from, options) => from.text(options),
  },
  raw: {
    type: 'application/octet-stream',
    sent: '\0\x01 bytes é',
    rewritten: '\0\x01 bytes é',
    parser: (from, options) => from.raw(options),
  },
}

describe('A body that a Controller of RouteControllers has read before it passed its request on', () => {
  const sent = '{ "price": 1.0 }'
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: sent }
  const passing = (): RouteControllers =>
    new RouteControllers([
      new Controller(
        'POST',
        '/',
        fromExpress((_req, _res, next) => next()),
      ),
    ])

  it('is there, as it was sent, for those that it is a hook of', async () => {
    const outer = new RouteControllers([new Controller('POST', '/', (req) => req.text())])
    outer.addGlobal(passing().middleware())
    const { send } = await host(toListener(outer.getCallback()))
    expect((await send('/', post)).text).toBe(sent)
  })

  it.each(expresses)('is behind those no request of ours any more, in %s', async (_name, anyExpress) => {
    const outer = new RouteControllers([new Controller('GET', '/other', () => 'other')])
    outer.addGlobal(passing().middleware(), { scope: 'every' })
    const app = createExpress(anyExpress)
    app.use(outer.middleware())
    app.use((req, res) => void res.json('realIp' in req))
    const { send } = await host(app)
    expect((await send('/', post)).json()).toBe(false)
  })

  it.each(expresses)('leaves a rawBody that a middleware has set to %s', async (_name, anyExpress) => {
    const controller = new Controller(
      'POST',
      '/',
      fromExpress((_req, _res, next) => next()),
    )
    controller.use((req) => void (req.rawBody = Buffer.from(`signed ${String(req.rawBody)}`)))
    const app = createExpress(anyExpress)
    app.use(new RouteControllers([controller]).middleware())
    app.use((req, res) => void res.send(String((req as unknown as { rawBody: Buffer }).rawBody)))
    const { send } = await host(app)
    expect((await send('/', post)).text).toBe(`signed ${sent}`)
  })

  it.each(expresses)('is the rawBody also where %s has had another one', async (_name, anyExpress) => {
    const app = createExpress(anyExpress)
    app.use((req, _res, next) => {
      Object.assign(req, { rawBody: undefined })
      next()
    })
    const controller = new Controller('POST', '/', (req) => Buffer.from(req.rawBody!).toString())
    app.use(new RouteControllers([controller]).middleware())
    const { send } = await host(app)
    expect((await send('/', post)).text).toBe(sent)
  })
})

const parsers: [string, typeof express5 | typeof bodyParser][] = [
  ['express 5', express5],
  ['express 4, with its body-parser', express4],
  ['body-parser', bodyParser],
]

/** All that can be asked of a body, as what came of it. */
const readEverything = async (asked: { text(): Promise<string> }): Promise<{ body: object }> => {
  const text = await asked.text()
  return { body: { text } }
}

describe.each(inEach(expresses))('%s', (_name, contender, anyExpress) => {
  const isForeign = contender === contenders[0]

  function serve(upstream: (app: Express) => void, answerer: Parameters<typeof contender.create>[0][string]) {
    const app = createExpress(anyExpress)
    upstream(app)
    app.use(contender.create({ 'POST /': answerer }))
    app.post('/', (_req, res) => void res.status(404).end('not reached'))
    return host(app)
  }

  describe.each(parsers)('behind a parser of %s', (_package, from) => {
    it.each(Object.keys(samples))('reads what it has read: %s', async (kind) => {
      const { type, sent, rewritten, parser } = samples[kind]!
      const { send } = await serve((app) => void app.use(parser(from, {})), readEverything)
      const answer = await send('/', { method: 'POST', headers: { 'content-type': type }, body: sent })
      expect([answer.status, answer.json()]).toEqual([200, { text: rewritten }])
    })

    it.each(Object.keys(samples))('reads byte for byte what it kept in rawBody: %s', async (kind) => {
      const { type, sent, parser } = samples[kind]!
      const verify = (req: object, _res: object, rawBody: Buffer): void =>
        void Object.assign(req, { rawBody })
      const { send } = await serve(
        (app) => void app.use(parser(from, { verify })),
        async (asked) => ({
          body: { bytes: Buffer.from(await asked.arrayBuffer()).toString('latin1') },
        }),
      )
      const answer = await send('/', { method: 'POST', headers: { 'content-type': type }, body: sent })
      expect([answer.status, answer.json()]).toEqual([200, { bytes: Buffer.from(sent).toString('latin1') }])
    })

    it('reads itself what the parser has left, because it is of another type', async () => {
      const { send } = await serve(
        (app) => void app.use(samples['json']!.parser(from, {})),
        async (asked) => ({ body: [...(await asked.formData())] }),
      )
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await send('/', { method: 'POST', headers, body: 'a=1&b=2' })
      expect([answer.status, answer.json()]).toEqual([
        200,
        [
          ['a', '1'],
          ['b', '2'],
        ],
      ])
    })
  })

  it('reads a body in chunks that a parser has read', async () => {
    const { send } = await serve((app) => void app.use(express5.json()), readEverything)
    const headers = { 'content-type': 'application/json' }
    const answer = await send('/', { method: 'POST', headers, body: '{"a":1}', chunked: true })
    expect([answer.status, answer.json()]).toEqual([200, { text: '{"a":1}' }])
  })

  it.each<[string, (req: IncomingMessage) => unknown]>([
    ['paused', (req) => req.pause()],
    ['given an encoding', (req) => req.setEncoding('utf8')],
    ['listened to', (req) => req.on('readable', () => {})],
  ])('reads a body whose stream was %s before', async (_how, treat) => {
    const { send } = await serve(
      (app) =>
        void app.use((req, _res, next) => {
          treat(req)
          setImmediate(next)
        }),
      readEverything,
    )
    const answer = await send('/', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'té' })
    expect([answer.status, answer.json()]).toEqual([200, { text: 'té' }])
  })

  it('says clearly that a multipart body was read before, instead of waiting for it', async () => {
    const { send } = await serve(
      (app) => void app.use(multer().none()),
      async (asked) => ({
        body: [...(await asked.formData())],
      }),
    )
    const form = new Response(new FormData()).headers.get('content-type')!
    const boundary = form.split('boundary=')[1]!
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--\r\n`
    const answer = await send('/', { method: 'POST', headers: { 'content-type': form }, body })
    expect(answer.status).toBe(500)
    expect(answer.text).toContain('The body was read by a middleware before this')
  })

  it('answers a multipart body that was read before and that nobody asks for', async () => {
    const { send } = await serve(
      (app) => void app.use(multer().none()),
      () => ({ body: 'fine' }),
    )
    const body = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    expect(await send('/', { method: 'POST', headers, body })).toMatchObject({ status: 200, text: 'fine' })
  })

  it('says clearly that a body was thrown away before, instead of waiting for it', async () => {
    const { send } = await serve(
      (app) =>
        void app.use((req, _res, next) => {
          req.resume().on('end', next)
        }),
      readEverything,
    )
    const answer = await send('/', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'lost',
    })
    expect(answer.status).toBe(500)
    expect(answer.text).toContain('The body was read by a middleware before this')
  })

  it('rejects a second read of a stream, instead of waiting for it, or gives the same again', async () => {
    const { send } = await serve(
      () => {},
      async (asked) => {
        const first = await asked.text()
        return { body: [first, await asked.text().catch((error: Error) => error.name)] }
      },
    )
    expect((await send('/', { method: 'POST', body: 'once' })).json()).toEqual([
      'once',
      isForeign ? 'TypeError' : 'once',
    ])
  })

  it('keeps a body that was complete before the client went away', async () => {
    let clientGone = (): void => {}
    const gone = new Promise<void>((resolve) => (clientGone = resolve))
    let told = (_text: string): void => {}
    const text = new Promise<string>((resolve) => (told = resolve))
    const { port } = await serve(
      (app) =>
        void app.use((_req, res, next) => {
          res.on('close', clientGone)
          next()
        }),
      async (asked) => {
        const reading = asked.text()
        await gone
        told(await reading)
        return {}
      },
    )
    const client = await openRaw(port)
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nwhole')
    setImmediate(() => client.reset())
    expect(await text).toBe('whole')
  })

  it('tells a reader of a body that the client has broken off', async () => {
    let told = (_error: Error): void => {}
    const error = new Promise<Error>((resolve) => (told = resolve))
    let reading = (): void => {}
    const begun = new Promise<void>((resolve) => (reading = resolve))
    const { port } = await serve(
      () => {},
      async (asked) => {
        const whole = asked.text()
        reading()
        await whole.catch(told)
        return {}
      },
    )
    const client = await openRaw(port)
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nhalf')
    await begun
    client.reset()
    expect((await error).message).toMatch('The client went away')
  })
})

describe('A controller behind express.json()', () => {
  it.each(expresses)('gets req.body as it was parsed, in %s', async (_name, anyExpress) => {
    const app = createExpress(anyExpress)
    app.use(
      anyExpress.json({
        reviver: (key, value: unknown) => (key === 'at' ? new Date(value as string) : value),
      }),
    )
    app.use(
      new RouteControllers([
        new Controller('POST', '/', (req) => ({ isDate: (req.body as { at: unknown }).at instanceof Date })),
      ]).middleware(),
    )
    const { send } = await host(app)
    const headers = { 'content-type': 'application/json' }
    const answer = await send('/', { method: 'POST', headers, body: '{"at":"2026-01-01"}' })
    expect(answer.json()).toEqual({ isDate: true })
  })

  it.each(expresses)('gets req.file of multer, in %s', async (_name, anyExpress) => {
    const app = createExpress(anyExpress)
    app.use(multer().single('file'))
    app.use(
      new RouteControllers([
        new Controller<'/', { file: { originalname: string; buffer: Buffer }; body: object }>(
          'POST',
          '/',
          (req) => ({
            name: req.file.originalname,
            text: req.file.buffer.toString(),
            fields: { ...req.body },
          }),
        ),
      ]).middleware(),
    )
    const { send } = await host(app)
    const body =
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n' +
      '--b\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\n\r\nhello\r\n--b--\r\n'
    const answer = await send('/', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body,
    })
    expect(answer.json()).toEqual({ name: 'f.txt', text: 'hello', fields: { a: '1' } })
  })
})

describeServings(
  'A body that a controller does not read',
  ({ serve }) => {
    it('is cut off when it does not end', async () => {
      const { port } = await serve([new Controller('POST', '/', () => 'early', { body: 'stream' })])
      const client = await openRaw(port!)
      client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n')
      const more = Buffer.alloc(64 * 1024)
      while (!client.closed) {
        if (!client.socket.write(more)) {
          const writable = new Promise<void>((resolve) => client.socket.once('drain', resolve))
          await Promise.race([writable, client.untilClosed()])
        }
      }
      expect(parseAnswers(client.received)).toEqual([expect.objectContaining({ status: 200, body: 'early' })])
      expect(client.socket.bytesWritten).toBeLessThan(100_000_000)
    })
  },
  ({ onNode }) => onNode,
)
