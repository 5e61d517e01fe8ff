import { createReadStream } from 'node:fs'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { setTimeout as waits } from 'node:timers/promises'
import { around, Controller } from 'routecontrollers'
import { describeServings } from './support/describe-servings.js'
import { discard, open } from '../src/answer/streams.js'

async function readAll(body: Readable): Promise<unknown[]> {
  const source = open(body)
  const pieces: unknown[] = []
  for (;;) {
    const { done, value } = await source.next()
    if (done) return pieces
    pieces.push(value)
  }
}

it('a stream that somebody else reads is not given up', async () => {
  let cancelled = 0
  const stream = new ReadableStream<Uint8Array>({ cancel: () => void cancelled++ })
  const reader = stream.getReader()
  discard(stream)
  await new Promise(setImmediate)
  expect(cancelled).toBe(0)
  reader.releaseLock()
  discard(stream)
  await new Promise(setImmediate)
  expect(cancelled).toBe(1)
})

describe('A Node stream as a source', () => {
  it('gives its chunks as they are, and does not join those that are there already', async () => {
    const chunks = ['one', 'two', 'three'].map((text) => Buffer.from(text))
    const stream = new PassThrough()
    for (const chunk of chunks) stream.write(chunk)
    stream.end()
    const pieces = await readAll(stream)
    expect(pieces).toHaveLength(3)
    for (const [at, piece] of pieces.entries()) expect(piece).toBe(chunks[at])
  })

  it('gives texts where it has an encoding, and nothing where it has ended', async () => {
    const stream = Readable.from([Buffer.from('ä')], { objectMode: false }).setEncoding('utf8')
    expect(await readAll(stream)).toEqual(['ä'])
    expect(await readAll(stream)).toEqual([])
  })

  it('is read though somebody has paused it', async () => {
    expect(await readAll(Readable.from(['a']).pause())).toEqual(['a'])
  })

  it('is asked for no more than is read of it', async () => {
    let made = 0
    const stream = new Readable({ highWaterMark: 1, read: () => void stream.push(`${made++}`) })
    const source = open(stream)
    await new Promise((resolve) => setImmediate(resolve))
    expect(made).toBe(0)
    expect(await source.next()).toEqual({ value: Buffer.from('0') })
    await new Promise((resolve) => setImmediate(resolve))
    expect(made).toBeLessThan(4)
  })

  it('loses nothing of one that does not heed pause()', async () => {
    const stream = new PassThrough()
    stream.pause = () => stream
    const source = open(stream)
    const first = source.next()
    for (const text of ['a', 'b', 'c']) stream.write(text)
    stream.end()
    const pieces = [await first]
    await new Promise((resolve) => stream.once('end', resolve))
    while (!pieces.at(-1)!.done) pieces.push(await source.next())
    expect(Buffer.concat(pieces.slice(0, -1).map(({ value }) => value as Buffer)).toString()).toBe('abc')
  })

  it('rejects with its error, also with one that came before it was read, or before it was opened', async () => {
    const missing = createReadStream('/there is no such file')
    await expect(open(missing).next()).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(open(missing).next()).rejects.toMatchObject({ code: 'ENOENT' })

    const stream = new PassThrough()
    const source = open(stream)
    stream.destroy(new Error('early'))
    await new Promise((resolve) => stream.once('close', resolve))
    await expect(source.next()).rejects.toThrow('early')
  })

  it('gives what came before its error first', async () => {
    const stream = new PassThrough()
    const source = open(stream)
    stream.write('a')
    expect((await source.next()).value).toEqual(Buffer.from('a'))
    const next = source.next()
    stream.destroy(new Error('late'))
    await expect(next).rejects.toThrow('late')
  })

  it('rejects when it is closed before its end', async () => {
    const stream = new PassThrough()
    const next = open(stream).next()
    stream.destroy()
    await expect(next).rejects.toThrow('closed before its end')
    await expect(open(stream).next()).rejects.toThrow('closed before its end')
  })

  it('is destroyed when it is given up, also before it was read, and what it says after that is nobody’s error', async () => {
    const file = createReadStream('/there is no such file')
    discard(file)
    expect(file.destroyed).toBe(true)
    await new Promise<void>((resolve) => file.once('close', () => resolve()))
  })

  it('has an iterator of its own: it is read by that', async () => {
    const stream = Object.assign(Readable.from(['a']), {
      async *[Symbol.asyncIterator]() {
        yield 'counted'
        await Promise.resolve()
      },
    })
    expect(await readAll(stream as unknown as Readable)).toEqual(['counted'])
  })

  it('may be the answer of another server', async () => {
    const server = createServer((_req, res) => void res.end('from afar')).listen(0)
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const answer = await new Promise<IncomingMessage>((resolve) => void get({ port, agent: false }, resolve))
    expect(Buffer.concat((await readAll(answer)) as Buffer[]).toString()).toBe('from afar')
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
})

describeServings('A stream that gives more than its Content-Length', ({ serve }) => {
  it('is cut there, and its source is told to stop', async () => {
    let letGo: () => void = () => {}
    const isCancelled = new Promise<void>((resolve) => (letGo = resolve))
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array([97, 97])),
      cancel: () => letGo(),
    })
    const { send } = await serve([
      new Controller('GET', '/', (_req, res) => res.header('Content-Length', '3').stream(endless)),
    ])
    expect((await send('/')).text).toBe('aaa')
    await isCancelled
  })
})

describeServings('An answer that is a Node stream', ({ serve }) => {
  it('arrives whole, and is destroyed, unread, for HEAD', async () => {
    const streams: Readable[] = []
    const controller = new Controller('GET', '/', (_req, res) => {
      const stream = Readable.from(['a', 'b', 'c'])
      streams.push(stream)
      return res.stream(stream)
    })
    const { send } = await serve([controller])
    expect((await send('/')).text).toBe('abc')
    await send('/', { method: 'HEAD' })
    expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, true])
    expect(streams[1]!.readableDidRead).toBe(false)
  })

  it.each<[string, () => Readable, RegExp]>([
    ['a file that is not there', () => createReadStream('/there is no such file'), /ENOENT/],
    [
      'one that fails without its end',
      () => {
        const stream = new Readable({ autoDestroy: false, read() {} })
        setImmediate(() => stream.emit('error', new Error('early')))
        return stream
      },
      /early/,
    ],
  ])('breaks off where it fails while a middleware waits: %s', async (_what, make, told) => {
    const waiting = around(async (_req, _res, next) => {
      const answer = await next()
      await waits(20)
      return answer
    })
    const { send, logged } = await serve([
      new Controller('GET', '/built', (_req, res) => res.stream(make())).use(waiting),
      new Controller('GET', '/returned', () => make()).use(waiting),
    ])
    await expect(send('/built')).rejects.toThrow()
    await expect(send('/returned')).rejects.toThrow()
    expect(logged).toEqual([expect.stringMatching(told), expect.stringMatching(told)])
  })
})
