import { EventEmitter, once } from 'node:events'
import { constants } from 'node:http2'
import { closeAnswered, StreamSocket } from '../../src/node/http2-socket.js'

/** The stream below a socket, with what has been asked of it. */
class FakeStream extends EventEmitter {
  readonly session = {}
  readonly asked: unknown[][] = []
  destroyed = false
  closed = false
  aborted = false
  headersSent = false
  writableEnded = false
  /** Says that what was written last has gone out. */
  sent = (): void => {}

  setTimeout(milliseconds: number): void {
    this.asked.push(['setTimeout', milliseconds])
  }
  pause(): void {
    this.asked.push(['pause'])
  }
  resume(): void {
    this.asked.push(['resume'])
  }
  respond(headers: object): void {
    this.headersSent = true
    this.asked.push(['respond', { ...headers }])
  }
  additionalHeaders(headers: object): void {
    this.asked.push(['additionalHeaders', { ...headers }])
  }
  write(chunk: Buffer, sent: () => void): void {
    this.sent = sent
    this.asked.push(['write', chunk.toString('latin1')])
  }
  end(...text: string[]): void {
    this.writableEnded = true
    this.asked.push(['end', ...text])
  }
  close(code: number): void {
    this.asked.push(['close', code])
  }
  destroy(error?: Error): void {
    this.destroyed = true
    this.asked.push(['destroy', error?.message])
    this.emit('close')
  }
}

function open(
  state: Partial<FakeStream> = {},
  connection: object = {},
): { stream: FakeStream; socket: StreamSocket; problems: string[] } {
  const stream = Object.assign(new FakeStream(), state)
  const problems: string[] = []
  const socket = new StreamSocket(
    stream as never,
    connection as never,
    (problem) => void problems.push(problem),
  )
  return { stream, socket, problems }
}

const head = (status: number, ...lines: string[]): string =>
  [`HTTP/1.1 ${status} Said`, ...lines, '', ''].join('\r\n')

/** Resolves when the socket has taken it. */
const write = (socket: StreamSocket, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(text, 'latin1', (error) => (error ? reject(error) : resolve()))
  })

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('What middleware ask of the socket', () => {
  it('is answered by the connection', () => {
    const connection = {
      remoteAddress: '192.0.2.1',
      remotePort: 1,
      remoteFamily: 'IPv4',
      localAddress: '192.0.2.2',
      localPort: 2,
      alpnProtocol: 'h2',
      servername: 'named.example',
      authorized: false,
      authorizationError: new Error('self-signed'),
      getPeerCertificate: (detailed?: boolean) => ({ detailed }),
      getProtocol: () => 'TLSv1.3',
      getCipher: () => ({ name: 'of the connection' }),
      address: () => ({ port: 2 }),
    }
    const { socket, stream } = open({}, connection)
    const { getPeerCertificate, getProtocol, getCipher, address, ...values } = connection
    expect(socket).toMatchObject(values)
    expect([socket.getPeerCertificate(), socket.getPeerCertificate(true)]).toEqual([
      getPeerCertificate(),
      getPeerCertificate(true),
    ])
    expect([socket.getProtocol(), socket.getCipher(), socket.address()]).toEqual([
      getProtocol(),
      getCipher(),
      address(),
    ])
    expect([socket.encrypted, socket.bytesRead, socket.timeout]).toEqual([true, 0, 0])
    expect(socket.session).toBe(stream.session)
  })

  it('changes nothing of a connection that others use too', () => {
    const { socket, stream } = open()
    for (const same of [socket.setNoDelay(), socket.setKeepAlive(), socket.ref(), socket.unref()]) {
      expect(same).toBe(socket)
    }
    expect(stream.asked).toEqual([])
  })
})

describe('The timeout of a socket', () => {
  it('is that of its stream, and told once to who has asked for it', () => {
    const { socket, stream } = open()
    const [asked, always] = [jest.fn(), jest.fn()]
    socket.on('timeout', always)
    expect(socket.setTimeout(20, asked)).toBe(socket)
    expect([socket.timeout, stream.asked]).toEqual([20, [['setTimeout', 20]]])
    stream.emit('timeout')
    stream.emit('timeout')
    expect([asked.mock.calls.length, always.mock.calls.length]).toEqual([1, 2])
  })

  it('can be set without a callback', () => {
    const { socket } = open()
    socket.setTimeout(20)
    expect([socket.timeout, socket.listenerCount('timeout')]).toEqual([20, 0])
  })

  it('is taken back with 0, and the callback with it', () => {
    const { socket, stream } = open()
    const asked = jest.fn()
    socket.setTimeout(20, asked)
    socket.setTimeout(0, asked)
    stream.emit('timeout')
    expect([asked.mock.calls.length, socket.timeout]).toEqual([0, 0])
    expect(stream.asked).toEqual([
      ['setTimeout', 20],
      ['setTimeout', 0],
    ])
  })
})

describe('Pausing a socket', () => {
  it('pauses its stream until it is resumed', () => {
    const { socket, stream } = open()
    expect(socket.isPaused()).toBe(false)
    expect(socket.pause()).toBe(socket)
    expect([socket.isPaused(), stream.asked]).toEqual([true, [['pause']]])
    expect(socket.resume()).toBe(socket)
    expect([socket.isPaused(), stream.asked]).toEqual([false, [['pause'], ['resume']]])
  })

  it('is over when the stream is gone, which is not resumed', () => {
    const { socket, stream } = open()
    socket.pause()
    stream.destroyed = true
    socket.resume()
    expect([socket.isPaused(), stream.asked]).toEqual([false, [['pause']]])
  })
})

describe('A head that is written to the socket', () => {
  it('leaves as the head of the stream, names in small letters, and what comes after it as the body', async () => {
    const { socket, stream } = open()
    const taken = write(socket, `${head(200, 'Content-Type: text/plain', 'X-A: b: c')}body`)
    stream.sent()
    await taken
    expect(stream.asked).toEqual([
      ['respond', { ':status': 200, 'content-type': 'text/plain', 'x-a': 'b: c' }],
      ['write', 'body'],
    ])
  })

  it('loses what speaks of the connection', async () => {
    const { socket, stream } = open()
    await write(socket, head(404, 'Upgrade: x', 'Proxy-Connection: x', 'Connection: close', 'X-Kept: 1'))
    expect(stream.asked).toEqual([['respond', { ':status': 404, 'x-kept': '1' }]])
  })

  it('has one line for each name, and a list of cookies', async () => {
    const { socket, stream } = open()
    await write(
      socket,
      head(200, 'Vary: Accept', 'Set-Cookie: a=1', 'vary: Cookie', 'set-cookie: b=2', 'VARY: X'),
    )
    const fields = { ':status': 200, vary: 'Accept, Cookie, X', 'set-cookie': ['a=1', 'b=2'] }
    expect(stream.asked).toEqual([['respond', fields]])
  })

  it('may come after others of 1xx, but for 101, which is for HTTP/1 alone', async () => {
    const { socket, stream } = open()
    await write(socket, head(100) + head(101) + head(103, 'Link: </a>') + head(200))
    expect(stream.asked).toEqual([
      ['additionalHeaders', { ':status': 100 }],
      ['additionalHeaders', { ':status': 103, link: '</a>' }],
      ['respond', { ':status': 200 }],
    ])
  })

  it.each(['destroyed', 'closed', 'headersSent'] as const)(
    'is not sent on a stream that is %s',
    async (state) => {
      const { socket, stream } = open({ [state]: true })
      await write(socket, head(200))
      expect(stream.asked).toEqual([])
    },
  )

  const refuseFirst = (name: 'respond' | 'additionalHeaders'): Partial<FakeStream> => ({
    [name](this: FakeStream) {
      delete (this as Partial<FakeStream>)[name]
      throw new Error('not a header of HTTP/2')
    },
  })
  const failed = [
    ['respond', { ':status': 500, 'content-type': 'text/plain; charset=utf-8', 'content-length': 21 }],
    ['end', 'Internal Server Error'],
  ]

  it('that HTTP/2 cannot have is 500 instead, and what comes after it goes nowhere', async () => {
    const { socket, stream, problems } = open(refuseFirst('respond'))
    await write(socket, `${head(200)}body`)
    await write(socket, 'more')
    expect([stream.asked, problems]).toEqual([failed, ['not a header of HTTP/2']])
  })

  it('that HTTP/2 cannot have is 500 without a body where the request is a HEAD', async () => {
    const { socket, stream } = open({ ...refuseFirst('respond'), writableEnded: true })
    await write(socket, head(200))
    expect(stream.asked).toEqual(failed.slice(0, 1))
  })

  it('of 1xx that HTTP/2 cannot have is left out', async () => {
    const { socket, stream, problems } = open(refuseFirst('additionalHeaders'))
    await write(socket, head(103) + head(200))
    expect([stream.asked, problems]).toEqual([[['respond', { ':status': 200 }]], ['not a header of HTTP/2']])
  })

  it('is 500 instead where it has more than nghttp2 sends, and not before', async () => {
    const line = (length: number): string => `X-A: ${'x'.repeat(length)}`
    // 100 for the status and a date; 12 for each field.
    const most = 65_536 - 100 - 12 - 'x-a'.length
    const large = open()
    await write(large.socket, head(200, line(most)))
    expect(large.stream.asked).toEqual([['respond', { ':status': 200, 'x-a': 'x'.repeat(most) }]])
    const larger = open()
    await write(larger.socket, head(200, line(most + 1)))
    expect([larger.stream.asked, larger.problems]).toEqual([failed, ['its head has more than 65536 bytes']])
    const many = open()
    const cookies = Array.from({ length: 3 }, () => `Set-Cookie: ${'x'.repeat(21_800)}`)
    await write(many.socket, head(200, ...cookies))
    expect(many.stream.asked).toEqual(failed)
  })
})

describe('An answer that ends', () => {
  it('without a final head is 500', () => {
    const { socket, stream, problems } = open()
    socket.endAnswer()
    expect([stream.asked[0], problems]).toEqual([
      ['respond', { ':status': 500, 'content-type': 'text/plain; charset=utf-8', 'content-length': 21 }],
      ['its status is not one of a final answer'],
    ])
  })

  it.each(['headersSent', 'destroyed', 'closed'] as const)(
    'on a stream that is %s ends it, and that is all',
    (state) => {
      const { socket, stream, problems } = open({ [state]: true })
      socket.endAnswer()
      expect([stream.asked, problems]).toEqual([[['end']], []])
    },
  )
})

describe('A body that is written to the socket', () => {
  it('is taken when the stream has sent it', async () => {
    const { socket, stream } = open()
    const taken = jest.fn()
    await write(socket, head(200))
    socket.write('one', taken)
    socket.write('two')
    await turn()
    expect([taken.mock.calls.length, stream.asked.slice(1)]).toEqual([0, [['write', 'one']]])
    stream.sent()
    await turn()
    expect([taken.mock.calls.length, stream.asked.slice(1)]).toEqual([
      1,
      [
        ['write', 'one'],
        ['write', 'two'],
      ],
    ])
  })

  it.each(['destroyed', 'writableEnded'] as const)(
    'is given up where the stream takes none: %s',
    async (state) => {
      const { socket, stream } = open()
      await write(socket, head(204))
      stream[state] = true
      await write(socket, 'nobody reads this')
      expect(stream.asked).toEqual([['respond', { ':status': 204 }]])
    },
  )

  it('ends the stream with its end', async () => {
    const { socket, stream } = open()
    await write(socket, head(200))
    socket.end()
    await once(socket, 'finish')
    expect(stream.asked).toEqual([['respond', { ':status': 200 }], ['end']])
  })

  it('breaks the stream off where the socket ends before a head', async () => {
    const { socket, stream } = open()
    socket.end()
    await once(socket, 'finish')
    expect([stream.asked, socket.isCut]).toEqual([[['destroy', 'The answer broke off']], true])
  })
})

describe('A socket that is destroyed', () => {
  it('after its answer says that the rest of the request need not come', async () => {
    const { socket, stream } = open({ headersSent: true })
    socket.end()
    await once(socket, 'finish')
    socket.destroy()
    await turn()
    expect([stream.asked, socket.isCut]).toEqual([
      [['end'], ['close', constants.NGHTTP2_NO_ERROR], ['resume']],
      true,
    ])
  })

  it.each<[string, Partial<FakeStream>]>([
    ['before its answer', {}],
    ['after the client has gone', { writableEnded: true, aborted: true }],
  ])('%s breaks it off', async (_when, state) => {
    const { socket, stream } = open(state)
    socket.destroy()
    await turn()
    expect(stream.asked).toEqual([['destroy', 'The answer broke off']])
  })

  it.each<[string, Partial<FakeStream>]>([
    ['has not answered', {}],
    ['was left by the client', { writableEnded: true, aborted: true }],
  ])('with a stream that is gone and %s leaves it alone', async (_what, state) => {
    const { socket, stream } = open({ destroyed: true, ...state })
    socket.destroy()
    await turn()
    expect(stream.asked).toEqual([])
  })

  it('for an error is closed, and nobody has to listen for that', async () => {
    const { socket } = open()
    socket.destroy(new Error('of the answer'))
    await once(socket, 'close')
    expect(socket.destroyed).toBe(true)
  })

  it('soon has sent before what was written', async () => {
    const { socket, stream } = open()
    socket.write(`${head(200)}body`)
    socket.destroySoon()
    await turn()
    expect([socket.destroyed, stream.asked.slice(1)]).toEqual([false, [['write', 'body']]])
    stream.sent()
    await once(socket, 'close')
    await turn()
    expect(stream.asked.slice(1)).toEqual([
      ['write', 'body'],
      ['end'],
      ['close', constants.NGHTTP2_NO_ERROR],
      ['resume'],
    ])
  })

  it('soon is so at once where all has been sent', async () => {
    const { socket } = open()
    socket.end()
    await once(socket, 'finish')
    socket.destroySoon()
    expect(socket.destroyed).toBe(true)
  })
})

it('A stream that is answered is closed without an error, after what is being read, and what is left goes nowhere', async () => {
  const stream = new FakeStream()
  stream.on('data', () => {})
  closeAnswered(stream as never)
  expect([stream.asked, stream.listenerCount('data')]).toEqual([[], 1])
  await turn()
  expect([stream.asked, stream.listenerCount('data')]).toEqual([
    [['close', constants.NGHTTP2_NO_ERROR], ['resume']],
    0,
  ])
})
