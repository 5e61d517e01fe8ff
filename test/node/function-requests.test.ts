import { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import express from 'express'
import { Controller, RouteControllers, toConnect, toListener, type NodeHandler } from 'routecontrollers'

// Adapters for cloud functions make a request and a response of an event. No parser of Node has read it.

interface Event {
  method?: string
  url?: string
  body?: string
  headers?: Record<string, unknown>
}

/** Makes the pair of an event: the version is a text, the headers stand in `headers` alone, and the body is all there. */
function functionPair(
  { method = 'GET', url = '/', body, headers = {} }: Event,
  socket: object,
  version: object,
): { incoming: IncomingMessage; outgoing: ServerResponse; sent: () => string } {
  const incoming = new IncomingMessage(socket as never)
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  Object.assign(incoming, {
    complete: true,
    method,
    url,
    headers: { host: 'functions.example', ...length, ...headers },
    body: body === undefined ? undefined : Buffer.from(body),
    _read(this: Readable) {
      if (body !== undefined) this.push(Buffer.from(body))
      this.push(null)
    },
    ...version,
  })
  const outgoing = new ServerResponse({ method } as never)
  let text = ''
  const nothing = (): void => {}
  outgoing.assignSocket({
    _writableState: {},
    writable: true,
    on: nothing,
    removeListener: nothing,
    destroy: nothing,
    cork: nothing,
    uncork: nothing,
    // It returns nothing, and is never full.
    write(data: string | Uint8Array, encoding?: unknown, written?: unknown) {
      text += Buffer.from(data as Uint8Array).toString('latin1')
      for (const one of [encoding, written]) if (typeof one === 'function') (one as () => void)()
    },
  } as never)
  return { incoming, outgoing, sent: () => text }
}

const sockets = {
  'a stream': () => new PassThrough(),
  'an object': () => ({ encrypted: true, readable: true, end() {}, destroy() {}, address: () => ({}) }),
}
const versions = {
  'the version as a text': { httpVersion: '1.1', httpVersionMajor: '1', httpVersionMinor: '1' },
  'no version': { httpVersion: undefined, httpVersionMajor: undefined, httpVersionMinor: undefined },
  'the version null': { httpVersion: null, httpVersionMajor: null, httpVersionMinor: null },
}

const routeControllers = (hooked: boolean): RouteControllers => {
  const made = new RouteControllers(
    [
      new Controller('GET', '/users/:id', (req, res) => res.json({ id: req.params.id })),
      new Controller('POST', '/read', (req, res) => res.json(req.body)),
      new Controller('POST', '/unread', (_req, res) => res.json({ unread: true }), { body: 'stream' }),
      new Controller(
        'POST',
        '/half',
        async (req, res) => {
          for await (const _chunk of req) break
          return res.json({ half: true })
        },
        { body: 'stream' },
      ),
      new Controller('POST', '/streamed', (_req, res) => {
        const pieces = async function* (): AsyncGenerator<string> {
          yield 'first '
          yield 'second'
        }
        return res.stream(pieces())
      }),
      new Controller('GET', '/events', (_req, res) =>
        res.sse(
          (async function* () {
            yield 'one'
          })(),
        ),
      ),
    ],
    { logger: { info() {}, warn() {}, error() {} } },
  )
  return hooked ? made.addGlobal((_req, _res, next) => next()) : made
}

const ways: Record<string, () => NodeHandler> = {
  'of toListener': () => toListener(routeControllers(false).getCallback()),
  'of toListener with a hook': () => toListener(routeControllers(true).getCallback()),
  'of toListener in front of Express': () =>
    toListener(routeControllers(false).getCallback(), { fallback: express() }),
  'of Express around middleware()': () => express().use(routeControllers(false).middleware()),
}

/** Express's own page of an error needs a stream for a socket. */
const hasPage = (way: string, socket: string): boolean => !way.includes('Express') || socket === 'a stream'

const table = Object.entries(ways).flatMap(([way, make]) =>
  Object.entries(sockets).flatMap(([socket, open]) =>
    Object.entries(versions).map(([version, fields]) => ({ way, make, socket, open, version, fields })),
  ),
)

describe.each(table)(
  'A request of a cloud function: the handler $way, $socket for a socket, $version',
  ({ way, make, socket, open, fields }) => {
    async function ask(event: Event): Promise<string> {
      const { incoming, outgoing, sent } = functionPair(event, open(), fields)
      const finished = new Promise((resolve) => outgoing.once('finish', resolve))
      make()(incoming, outgoing)
      await finished
      // What drains a body does so after the answer.
      await new Promise((resolve) => setImmediate(resolve))
      return sent()
    }
    const json = { 'content-type': 'application/json' }

    it('is answered', async () => {
      expect(await ask({ url: '/users/7' })).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n\{"id":"7"\}$/)
      expect(await ask({ method: 'HEAD', url: '/users/7' })).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\n$/)
      if (hasPage(way, socket)) expect(await ask({ url: '/none' })).toMatch(/^HTTP\/1\.1 404 /)
    })

    it('has its body, which may stay unread', async () => {
      const body = '{"tea":"oolong"}'
      expect(await ask({ method: 'POST', url: '/read', headers: json, body })).toMatch(/\{"tea":"oolong"\}$/)
      expect(await ask({ method: 'POST', url: '/unread', headers: json, body })).toMatch(/\{"unread":true\}$/)
      expect(await ask({ method: 'POST', url: '/half', headers: json, body })).toMatch(/\{"half":true\}$/)
    })

    it('may have a body of megabytes that is refused or not read, and the process goes on', async () => {
      const body = JSON.stringify('x'.repeat(5_000_000))
      expect(await ask({ method: 'POST', url: '/unread', headers: json, body })).toMatch(/\{"unread":true\}$/)
      if (!hasPage(way, socket)) return
      expect(await ask({ method: 'POST', url: '/read', headers: json, body })).toMatch(/^HTTP\/1\.1 413 /)
      expect(await ask({ method: 'POST', url: '/none', headers: json, body })).toMatch(/^HTTP\/1\.1 404 /)
    })

    it('gets a stream to its end', async () => {
      expect(await ask({ method: 'POST', url: '/streamed' })).toMatch(/first [^]*second/)
      expect(await ask({ url: '/events' })).toMatch(/data: one\n\n/)
    })
  },
)

describe('A request of a cloud function', () => {
  it('has only the headers that were set, though its response takes a list of them for an object', async () => {
    const { incoming, outgoing, sent } = functionPair({ url: '/users/7' }, new PassThrough(), {})
    const own = outgoing.writeHead.bind(outgoing) as (...all: unknown[]) => ServerResponse
    // As that of serverless-http.
    outgoing.writeHead = (status: number, fields: unknown) => {
      const [first] = Object.entries(fields ?? {}) as [string, string][]
      if (first !== undefined) outgoing.setHeader(...first)
      return own(status, fields)
    }
    toListener(routeControllers(false).getCallback())(incoming, outgoing)
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent()).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: application\/json/)
    expect(sent()).not.toMatch(/^0: /m)
  })

  it('is refused where its Host is malformed, or it has too many headers', async () => {
    const handler = toListener(routeControllers(false).getCallback())
    const ask = async (headers: object): Promise<string> => {
      const { incoming, outgoing, sent } = functionPair(
        { url: '/users/7', headers: { ...headers } },
        new PassThrough(),
        versions['no version'],
      )
      handler(incoming, outgoing)
      return sent()
    }
    expect(await ask({ host: 'evil:x@t' })).toMatch(/^HTTP\/1\.1 400 /)
    expect(await ask({ host: ['a', 'b'] })).toMatch(/^HTTP\/1\.1 400 /)
    expect(await ask({ host: undefined })).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('of another version of HTTP is 505', async () => {
    const handler = toListener(routeControllers(false).getCallback())
    const { incoming, outgoing, sent } = functionPair({ url: '/users/7' }, new PassThrough(), {
      httpVersion: '2.0',
      httpVersionMajor: '2',
    })
    handler(incoming, outgoing)
    expect(sent()).toMatch(/^HTTP\/1\.1 505 /)
  })

  it.each([
    ['toListener', (handler: (request: Request) => Promise<Response>) => toListener(handler)],
    ['toConnect', (handler: (request: Request) => Promise<Response>) => toConnect(handler)],
  ])('reaches any fetch handler of %s with its headers and its body', async (_name, adapt) => {
    const { incoming, outgoing, sent } = functionPair(
      { method: 'POST', url: '/a?b=c', headers: { 'x-tea': 'oolong', 'x-many': ['1', '2'] }, body: 'leaf' },
      new PassThrough(),
      versions['the version as a text'],
    )
    const finished = new Promise((resolve) => outgoing.once('finish', resolve))
    adapt(async (request) =>
      Response.json({
        url: request.url,
        tea: request.headers.get('x-tea'),
        many: request.headers.get('x-many'),
        body: await request.text(),
      }),
    )(incoming, outgoing)
    await finished
    expect(JSON.parse(sent().split('\r\n\r\n')[1]!)).toEqual({
      url: 'http://functions.example/a?b=c',
      tea: 'oolong',
      many: '1, 2',
      body: 'leaf',
    })
  })
})
