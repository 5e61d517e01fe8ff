import { createServer, type IncomingMessage } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { drainAfter } from '../../src/node/drain.js'
import { readBody } from '../../src/body/read-body.js'
import { LightResponse } from '../../src/answer/light-response.js'

type Answer = LightResponse | Response

/** Everything that happens without a timer has happened. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate)
}

/** A client on a connection in memory, each of whose requests is answered at once, or after `before`. */
class Client {
  received = ''
  /** True when the server has ended its side. */
  ended = false
  readonly requests: IncomingMessage[] = []
  /** The server's side. */
  readonly socket: Duplex
  readonly malformed: unknown[] = []
  readonly #side: Duplex

  constructor(answer: Answer, before: (req: IncomingMessage) => unknown = () => {}) {
    const server = createServer((req, res) => {
      this.requests.push(req)
      void (async () => {
        await before(req)
        drainAfter(res, req, answer)
        res.end('early')
      })()
    })
    server.on('clientError', (error) => this.malformed.push(error))
    ;[this.#side, this.socket] = duplexPair()
    // As net.Socket has it.
    Object.assign(this.socket, { destroySoon: () => this.socket.end(() => this.socket.destroy()) })
    this.#side.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')))
    this.#side.on('end', () => (this.ended = true))
    server.emit('connection', this.socket)
  }

  async send(...pieces: readonly (string | Buffer)[]): Promise<this> {
    for (const piece of pieces) {
      this.#side.write(piece)
      await settle()
    }
    return this
  }

  async end(): Promise<void> {
    this.#side.end()
    await settle()
  }

  /** What the answers say about the connection. */
  get told(): readonly string[] {
    return [...this.received.matchAll(/^Connection: (.*)\r$/gm)].map(([, value]) => value!)
  }
}

const head = (...fields: string[]): string => ['POST / HTTP/1.1', 'Host: t', ...fields, '', ''].join('\r\n')
const chunked = head('Transfer-Encoding: chunked')
const ofLength = (length: number): string => head(`Content-Length: ${length}`)
const next = 'GET /next HTTP/1.1\r\nHost: t\r\n\r\n'
const limit = 4 * 1024 * 1024
const quarter = Buffer.alloc(limit / 4, 'x')
const upToLimit = [quarter, quarter, quarter, quarter]

const light = (status: number, payload: LightResponse['payload'] = 'early'): LightResponse =>
  new LightResponse(status, [], payload)
const stream = (): AsyncIterable<string> => (async function* () {})()

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }))
afterEach(() => void jest.useRealTimers())

describe('What the client of an unfinished body is told', () => {
  it.each<[string, Answer, string, string]>([
    ['an answer', light(399), chunked, 'keep-alive'],
    ['an answer', light(200), ofLength(limit), 'keep-alive'],
    ['an answer', light(200), ofLength(limit + 1), 'close'],
    ['an answer that is streamed', light(200, stream()), ofLength(limit + 1), 'keep-alive'],
    ['an answer of the web', new Response('early'), chunked, 'keep-alive'],
    ['an answer of the web', new Response('early'), ofLength(limit + 1), 'keep-alive'],
    ['a refusal', light(400), chunked, 'close'],
    ['a refusal', light(400), ofLength(limit), 'keep-alive'],
    ['a refusal', light(400), ofLength(limit + 1), 'close'],
    ['a refusal that is streamed', light(400, stream()), ofLength(limit + 1), 'close'],
    ['a refusal of the web', new Response('early', { status: 400 }), chunked, 'close'],
    ['a refusal of the web', new Response('early', { status: 400 }), ofLength(limit + 1), 'close'],
  ])('by %s', async (_what, answer, request, told) => {
    const client = await new Client(answer).send(request)
    expect(client.told).toEqual([told])
  })

  it('is nothing where it is complete', async () => {
    const client = await new Client(light(400)).send(`${chunked}1\r\nx\r\n0\r\n\r\n`, next)
    expect(client.told).toEqual(['keep-alive', 'keep-alive'])
  })
})

describe('A connection that is kept', () => {
  it.each([
    ['comes in chunks', chunked, ['400000\r\n', ...upToLimit, '\r\n0\r\n\r\n']],
    ['has a length', ofLength(limit), upToLimit],
  ])('goes on behind a body that %s, up to what is read for nothing', async (_how, request, rest) => {
    const client = await new Client(light(200)).send(request)
    expect([client.told, jest.getTimerCount()]).toEqual([['keep-alive'], 1])
    await client.send(...rest, next)
    expect([client.told, client.socket.destroyed]).toEqual([['keep-alive', 'keep-alive'], false])
    expect(jest.getTimerCount()).toBe(0)
  })

  it('is cut off by one byte more', async () => {
    const client = await new Client(light(200)).send(chunked, '400001\r\n', ...upToLimit)
    expect(client.socket.destroyed).toBe(false)
    await client.send('x')
    expect([client.socket.destroyed, jest.getTimerCount()]).toEqual([true, 0])
  })

  it('is cut off after five seconds', async () => {
    const client = await new Client(light(200)).send(chunked)
    jest.advanceTimersByTime(4_999)
    expect(client.socket.destroyed).toBe(false)
    jest.advanceTimersByTime(1)
    expect(client.socket.destroyed).toBe(true)
  })

  it('needs nothing where the body was read', async () => {
    const client = await new Client(light(200), (req) => readBody(req, 10)).send(`${ofLength(4)}body`)
    expect([client.told, jest.getTimerCount()]).toEqual([['keep-alive'], 0])
    await client.send(next)
    expect(client.told).toEqual(['keep-alive', 'keep-alive'])
  })

  it('goes on behind a body whose reader has paused it half-way, and takes it to its end', async () => {
    const pause = async (req: IncomingMessage): Promise<void> => {
      req.once('data', () => req.pause())
      while (!req.complete) await new Promise(setImmediate)
    }
    const client = await new Client(light(200), pause).send(
      chunked,
      '1\r\nx\r\n',
      '1\r\ny\r\n0\r\n\r\n',
      next,
    )
    expect(client.told).toEqual(['keep-alive', 'keep-alive'])
    expect(client.requests[0]!.readableEnded).toBe(true)
  })

  it('leaves a body to whoever listens to what is still to come', async () => {
    let body: unknown
    const read = (req: IncomingMessage): void => void readBody(req, 10).then((bytes) => (body = bytes))
    const client = await new Client(light(200), read).send(chunked)
    expect(client.told).toEqual(['keep-alive'])
    await client.send('4\r\nbody\r\n0\r\n\r\n')
    expect(String(body)).toBe('body')
  })

  it('leaves what has come of a body to whoever reads it', async () => {
    let chunks: AsyncIterator<Buffer>
    const begin = async (req: IncomingMessage): Promise<void> => {
      chunks = req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
      await chunks.next()
      await settle()
    }
    const client = await new Client(light(200), begin).send(chunked, '1\r\nx\r\n', '4\r\nrest\r\n0\r\n\r\n')
    expect(client.told).toEqual(['keep-alive'])
    const rest = await chunks!.next()
    expect([String(rest.value), await chunks!.next()]).toEqual(['rest', { done: true, value: undefined }])
  })

  it('goes on where a reader waits for more, who is told', async () => {
    let told: unknown
    const begin = async (req: IncomingMessage): Promise<void> => {
      const chunks = req.iterator({ destroyOnReturn: false })
      await chunks.next()
      chunks.next().catch((error: unknown) => (told = error))
    }
    const client = await new Client(light(200), begin).send(chunked, '1\r\nx\r\n')
    expect(told).toMatchObject({ code: 'ERR_BODY_ABORTED', status: 400 })
    await client.send('4\r\nrest\r\n0\r\n\r\n', next)
    expect(client.told).toEqual(['keep-alive', 'keep-alive'])
  })

  it('goes on where somebody waits for more who hears of no error', async () => {
    const wait = (req: IncomingMessage): void => void req.on('readable', () => {})
    const client = await new Client(light(200), wait).send(chunked)
    await client.send('100000\r\n', quarter, '\r\n0\r\n\r\n', next)
    expect(client.told).toEqual(['keep-alive', 'keep-alive'])
  })
})

describe('A connection whose answer was the last', () => {
  const refused = (before?: (req: IncomingMessage) => unknown): Promise<Client> =>
    new Client(light(400), before).send(chunked)

  it('is ended on our side, and read on until the client has ended the other', async () => {
    const client = await refused()
    await client.send('100000\r\n', quarter)
    expect([client.told, client.ended, client.socket.destroyed]).toEqual([['close'], true, false])
    expect(client.requests[0]!.destroyed).toBe(false)
    await client.end()
    expect([client.socket.destroyed, client.requests[0]!.destroyed, jest.getTimerCount()]).toEqual([
      true,
      true,
      0,
    ])
    expect(client.malformed).toEqual([])
  })

  it('takes no request any more', async () => {
    const client = await refused()
    await client.send(`1\r\nx\r\n0\r\n\r\n${next}`, next)
    expect([client.requests.length, client.told]).toEqual([1, ['close']])
  })

  it('is cut off by one byte more than is read for nothing', async () => {
    const client = await refused()
    await client.send(...upToLimit)
    expect(client.socket.destroyed).toBe(false)
    await client.send('x')
    expect([client.socket.destroyed, jest.getTimerCount()]).toEqual([true, 0])
  })

  it('is cut off after five seconds', async () => {
    const client = await refused()
    jest.advanceTimersByTime(4_999)
    expect(client.socket.destroyed).toBe(false)
    jest.advanceTimersByTime(1)
    expect(client.socket.destroyed).toBe(true)
  })

  it('leaves nobody waiting for the body', async () => {
    let told: unknown
    const client = await refused((req) => {
      readBody(req, 10).catch((error: unknown) => (told = error))
    })
    await client.end()
    expect(told).toMatchObject({ code: 'ERR_BODY_ABORTED' })
  })

  it('is closed at once where the body is complete', async () => {
    const client = await new Client(light(400)).send(`${head('Connection: close', 'Content-Length: 4')}body`)
    expect([client.told, client.ended, client.socket.destroyed]).toEqual([['close'], true, true])
    expect(jest.getTimerCount()).toBe(0)
  })
})
