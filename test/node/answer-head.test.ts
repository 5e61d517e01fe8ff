import { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { AnswerHeadReader, writeTo } from '../../src/answer/answer-head.js'

/** A response that writes to memory: all that it has written, and the reading of it, which it waits for. */
function inMemory(): { res: ServerResponse; written: () => string; goOn: () => void } {
  let goOn = (): void => {}
  const chunks: Buffer[] = []
  const socket = new Duplex({
    highWaterMark: 1,
    read() {},
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      goOn = done
    },
  })
  const res = new ServerResponse(new IncomingMessage(socket as never))
  writeTo(res, socket)
  return { res, written: () => Buffer.concat(chunks).toString('latin1'), goOn: () => goOn() }
}

describe('writeTo', () => {
  it.each<[string, (res: ServerResponse) => void]>([
    ['has no length', () => {}],
    ['says that it comes in chunks', (res) => void res.setHeader('Transfer-Encoding', 'chunked')],
  ])('writes the body itself where an answer %s', (_what, prepare) => {
    const { res, written } = inMemory()
    prepare(res)
    res.write('body')
    res.uncork()
    expect(written()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nbody$/)
    expect(res.chunkedEncoding).toBe(false)
  })

  it('writes the body itself also behind a second head, which is refused', () => {
    const { res, written, goOn } = inMemory()
    res.write('one')
    res.uncork()
    goOn()
    expect(() => res.writeHead(500)).toThrow(expect.objectContaining({ code: 'ERR_HTTP_HEADERS_SENT' }))
    res.write('two')
    res.uncork()
    goOn()
    expect(written()).toMatch(/\r\n\r\nonetwo$/)
  })

  it('tells of the drain of what it writes to', async () => {
    const { res, goOn } = inMemory()
    let drained = 0
    res.on('drain', () => drained++)
    res.flushHeaders()
    await new Promise(setImmediate)
    expect(drained).toBe(0)
    goOn()
    await new Promise(setImmediate)
    expect(drained).toBe(1)
  })
})

describe('AnswerHeadReader', () => {
  const read = (...chunks: string[]): { heads: unknown[]; body: string } => {
    const reader = new AnswerHeadReader()
    const parts = chunks.map((chunk) => reader.read(Buffer.from(chunk, 'latin1')))
    return {
      heads: parts.flatMap(({ heads }) => heads),
      body: parts.map(({ body }) => body.toString('latin1')).join(''),
    }
  }
  const made = { status: 201, reason: 'Just Made', fields: [['X-A', '1']] }
  const head = 'HTTP/1.1 201 Just Made\r\nX-A: 1\r\n\r\n'

  it('parts a head from the body behind it', () => {
    expect(read(head)).toEqual({ heads: [made], body: '' })
    expect(read(`${head}body`)).toEqual({ heads: [made], body: 'body' })
  })

  it('waits for the whole head, however it is cut', () => {
    for (let at = 1; at < head.length; at++) {
      expect(read(head.slice(0, at), `${head.slice(at)}body`)).toEqual({ heads: [made], body: 'body' })
    }
    expect(read(...`${head}body`)).toEqual({ heads: [made], body: 'body' })
  })

  it('gives no byte of the body before the head is there', () => {
    const reader = new AnswerHeadReader()
    const { heads, body } = reader.read(Buffer.from(head.slice(0, -1)))
    expect([heads, body.length]).toEqual([[], 0])
  })

  it('takes what comes after the head for the body, whatever it looks like, and as it is', () => {
    expect(read(`${head}${head}`, head)).toEqual({ heads: [made], body: head + head })
    const reader = new AnswerHeadReader()
    reader.read(Buffer.from(head))
    const chunk = Buffer.from('body')
    expect(reader.read(chunk).body).toBe(chunk)
  })

  it('reads heads of 1xx before the last one', () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
    const hinted = { status: 103, reason: 'Early Hints', fields: [['Link', '</a>']] }
    expect(read(`${hints}${hints}${head}body`)).toEqual({ heads: [hinted, hinted, made], body: 'body' })
    expect(read(hints, head, 'body')).toEqual({ heads: [hinted, made], body: 'body' })
  })

  it.each([
    ['HTTP/1.1 200 OK', 200, 'OK'],
    ['HTTP/1.1 599 ', 599, ''],
    ['HTTP/1.1 404 Nicht da: \xfcberhaupt', 404, 'Nicht da: \xfcberhaupt'],
  ])('reads %p', (line, status, reason) => {
    expect(read(`${line}\r\n\r\nbody`)).toEqual({ heads: [{ status, reason, fields: [] }], body: 'body' })
  })

  it('keeps each line and each character, without the space around a value', () => {
    const { heads } = read('HTTP/1.1 200 OK\r\nA: 1\r\na:2\r\nB:  \xe9: \t\xe9 \r\nC:\r\n\r\n')
    expect(heads).toEqual([
      expect.objectContaining({
        fields: [
          ['A', '1'],
          ['a', '2'],
          ['B', '\xe9: \t\xe9'],
          ['C', ''],
        ],
      }),
    ])
  })

  it('leaves out what speaks of the connection, and nothing else', () => {
    const names = [
      'Connection',
      'KEEP-ALIVE',
      'transfer-encoding',
      'HTTP2-Settings',
      'Trailer',
      'X-Connection',
      'Keep-Alive-X',
      'Connection-Id',
    ]
    const { heads } = read(`HTTP/1.1 200 OK\r\n${names.map((name) => `${name}: x\r\n`).join('')}\r\n`)
    expect(heads).toEqual([expect.objectContaining({ fields: names.slice(5).map((name) => [name, 'x']) })])
  })
})
