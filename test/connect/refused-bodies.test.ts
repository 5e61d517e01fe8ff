import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type AnyController, Controller, RouteControllers, Server } from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { closeAll, describeServings } from '../support/describe-servings.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { openRaw, parseAnswers, RawClient } from '../support/raw-socket.js'
import { Source } from '../support/source.js'

// A connection that nobody closes fails here by the time limit of 5 s, which is not more than the server itself waits.

afterEach(closeHosted)
afterEach(closeAll)

const head = (path: string, ...fields: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: t', 'Content-Type: text/plain', ...fields, '', ''].join('\r\n')
const chunked = 'Transfer-Encoding: chunked'
const get = 'GET /next HTTP/1.1\r\nHost: t\r\n\r\n'
const megabyte = Buffer.alloc(1024 * 1024, 'x')
const says = (received: string): string[] =>
  parseAnswers(received).map((answer) => {
    const connection = /^connection: (.*)$/im.exec(answer.head)?.[1]
    return `${answer.status} ${connection}`
  })

let served: string[]
let told: (error: Error) => void
let read: (result: unknown) => void
let goOn: () => void
beforeEach(() => {
  served = []
})
const controllers = (): AnyController[] => [
  new Controller('POST', '/unread', () => 'early', { body: 'stream' }),
  new Controller(
    'POST',
    '/reading',
    (req, res) => {
      req.text().catch(told)
      return res.status(422).text('early')
    },
    { body: 'stream' },
  ),
  new Controller(
    'POST',
    '/begun',
    async (req, res) => {
      const chunks = req[Symbol.asyncIterator]()
      await chunks.next()
      // By now the end has come too, but nobody has taken it.
      await new Promise(setImmediate)
      void new Promise<void>((resolve) => (goOn = resolve)).then(() => chunks.next()).then(read, read)
      return res.status(422).text('early')
    },
    { body: 'stream' },
  ),
  new Controller('POST', '/refused', (_req, res) => res.status(422).text('early'), { body: 'stream' }),
  new Controller(
    'POST',
    '/streamed',
    (_req, res) => res.stream(new Source().give('early').end().asIterable()),
    {
      body: 'stream',
    },
  ),
  new Controller('POST', '/echo', (req, res) => res.stream(req), { body: 'stream' }),
  new Controller('POST', '/ten', (req) => req.body as string, { bodyLimit: 10 }),
  new Controller('GET', '/next', () => {
    served.push('next')
    return 'next'
  }),
]

describeServings(
  'An answer that does not wait for the end of its request',
  ({ serve }) => {
    const open = async (): Promise<RawClient> => openRaw((await serve(controllers())).port!)

    it.each([
      ['of more bytes than are read for nothing', '/unread', 'Content-Length: 4194305', '200 close'],
      ['of more bytes than are read for nothing', '/refused', 'Content-Length: 4194305', '422 close'],
      ['that is refused and has no declared length', '/refused', chunked, '422 close'],
    ])('closes the connection of a body %s, and says so (%s)', async (_what, path, framing, told) => {
      const client = await open()
      await client.write(head(path, framing)).until('early')
      client.end()
      expect(says(await client.untilClosed())).toEqual([told])
    })

    it.each([
      [
        'has a length that is read',
        '/refused',
        'Content-Length: 4194304',
        [megabyte, megabyte, megabyte, megabyte],
      ],
      ['is not refused, and has no declared length', '/unread', chunked, ['1\r\nx\r\n0\r\n\r\n']],
    ])('keeps the connection of a body that %s', async (_what, path, framing, rest) => {
      const client = await open()
      await client.write(head(path, framing)).until('early')
      for (const piece of rest) client.write(piece)
      await client.write(get).until(/next$/)
      expect(says(client.received)).toEqual([expect.stringMatching(/keep-alive$/), '200 keep-alive'])
    })

    it('keeps the connection of a body that its answer is made of', async () => {
      const client = await open()
      await client.write(head('/echo', chunked)).until('\r\n\r\n')
      await client.write('4\r\necho\r\n0\r\n\r\n').until(/echo\r\n0\r\n\r\n$/)
      await client.write(get).until(/next$/)
      expect(says(client.received)).toEqual(['200 keep-alive', '200 keep-alive'])
    })

    it.each([
      ['that the server closes', head('/unread', 'Content-Length: 100000000')],
      ['that the client has asked to close', head('/unread', 'Content-Length: 3145729', 'Connection: close')],
    ])('is not lost on a client that sends on, on a connection %s', async (_which, request) => {
      const { port } = await serve(controllers())
      const socket = connect({ port: port!, host: '127.0.0.1', allowHalfOpen: true })
      closeLater(() => socket.destroy())
      const broken: Error[] = []
      socket.on('error', (error) => broken.push(error))
      const client = new RawClient(socket)
      client.write(request)
      // The server has ended its half, not the connection, which would be reset by what is sent yet.
      await once(socket, 'end')
      for (let count = 0; count < 3; count++) {
        await new Promise((resolve) => socket.write(megabyte, resolve))
      }
      socket.end()
      expect(says(await client.untilClosed())).toEqual(['200 close'])
      expect(broken).toEqual([])
    })

    it.each([
      ['has ended', (client: RawClient) => client.end()],
      ['has gone', (client: RawClient) => client.reset()],
    ])('leaves nobody waiting who still reads the body, when the client %s', async (_what, leave) => {
      const reading = new Promise<Error>((resolve) => (told = resolve))
      const client = await open()
      await client.write(head('/reading', chunked)).until('early')
      leave(client)
      expect(await reading).toMatchObject({ code: 'ERR_BODY_ABORTED' })
    })

    it('leaves the rest of a body that has come to whoever still reads it', async () => {
      const rest = new Promise<unknown>((resolve) => (read = resolve))
      const client = await open()
      await client.write(`${head('/begun', chunked)}1\r\nx\r\n0\r\n\r\n`).until('early')
      await client.write(get).until(/next$/)
      goOn()
      expect(await rest).toEqual({ done: true, value: undefined })
      expect(says(client.received)).toEqual(['422 keep-alive', '200 keep-alive'])
    })

    it('is the last: what comes behind the body is no request any more', async () => {
      const client = await open()
      await client.write(head('/refused', chunked)).until('early')
      client.write(`1\r\nx\r\n0\r\n\r\n${get}`).end()
      expect(says(await client.untilClosed())).toEqual(['422 close'])
      expect(served).toEqual([])
    })

    it.each(['/unread', '/streamed'])('is no reason to read on for ever (%s)', async (path) => {
      const client = await open()
      client.write(head(path, 'Content-Length: 1000000000'))
      while (!client.closed) {
        if (!client.socket.write(megabyte)) {
          const writable = new Promise((resolve) => client.socket.once('drain', resolve))
          await Promise.race([writable, client.untilClosed()])
        }
      }
      expect(client.received).toContain('early')
      expect(client.socket.bytesWritten).toBeLessThan(100_000_000)
    })
  },
  ({ onNode }) => onNode,
)

describeServings(
  'A body over its limit',
  ({ serve }) => {
    it.each([
      ['one declared', 'close', head('/ten', 'Content-Length: 100000000')],
      ['one without a length', 'close', `${head('/ten', chunked)}b\r\n12345678901\r\n`],
      ['a short one', 'keep-alive', `${head('/ten', 'Content-Length: 11')}1234567890`],
    ])(
      'is refused, and its connection fares as the client is told: %s (%s)',
      async (_what, told, request) => {
        const client = await openRaw((await serve(controllers())).port!)
        await client.write(request).until(/than 10 bytes/)
        expect(says(client.received)).toEqual([`413 ${told}`])
      },
    )
  },
  ({ onNode, errors }) => onNode && errors === 'us',
)

it.each([false, true])('Over TLS it is the same (http2: %p)', async (http2) => {
  const server = new Server()
  const routeControllers = new RouteControllers(controllers())
  await server.start({ port: 0, routeControllers, tls: { key, cert }, http2 })
  closeLater(() => server.stop({ graceMs: 0 }))
  const open = async (): Promise<RawClient> => {
    const socket = connectTls({ port: server.getPort(), servername: 'localhost', ca: cert })
    closeLater(() => socket.destroy())
    await once(socket, 'secureConnect')
    return new RawClient(socket)
  }
  const refused = (await open()).write(head('/ten', 'Content-Length: 100000000'))
  for (let count = 0; count < 3; count++) {
    await new Promise((resolve) => refused.socket.write(megabyte, resolve))
  }
  await refused.until('than 10 bytes')
  refused.end()
  expect(says(await refused.untilClosed())).toEqual(['413 close'])
  const kept = (await open()).write(`${head('/ten', 'Content-Length: 11')}12345678901`)
  await kept.until('than 10 bytes')
  await kept.write(get).until(/next$/)
  expect(says(kept.received)).toEqual(['413 keep-alive', '200 keep-alive'])
})
