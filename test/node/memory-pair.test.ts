import type { IncomingMessage, ServerResponse } from 'node:http'
import { serveInMemory } from '../../src/node/memory-pair.js'

type Handler = (req: IncomingMessage, res: ServerResponse) => void

const serve = (handler: Handler, target: string | Request = 'http://named.example/', init?: RequestInit) =>
  serveInMemory((req, res) => handler(req, res), new Request(target, init))

describe('serveInMemory', () => {
  it('makes Node’s own classes of a Request', async () => {
    const { IncomingMessage, ServerResponse } = await import('node:http')
    const seen: unknown[] = []
    await serve(
      (req, res) => {
        seen.push(req instanceof IncomingMessage, res instanceof ServerResponse, res.req === req)
        seen.push(req.method, req.url, req.headers, req.httpVersion)
        res.end()
      },
      'https://named.example:8443/a%20b?c=d#e',
      { method: 'DELETE', headers: { 'X-A': '1' } },
    )
    expect(seen.slice(0, 3)).toEqual([true, true, true])
    expect(seen.slice(3)).toEqual([
      'DELETE',
      '/a%20b?c=d',
      expect.objectContaining({ host: 'named.example:8443', 'x-a': '1' }),
      '1.1',
    ])
  })

  it('makes a Response of what is written, at the moment of its head', async () => {
    let finish: () => void
    const response = await serve((_req, res) => {
      res.writeHead(201, 'Made', { 'X-A': ['1', '2'], 'Set-Cookie': ['a=1', 'b=2'], Connection: 'close' })
      res.write('first')
      finish = () => void res.end('last')
    })
    expect([response.status, response.statusText, response.headers.get('x-a')]).toEqual([201, 'Made', '1, 2'])
    expect([response.headers.getSetCookie(), response.headers.get('connection')]).toEqual([
      ['a=1', 'b=2'],
      null,
    ])
    finish!()
    expect(await response.text()).toBe('firstlast')
  })

  it('serves readers that ask for several pieces at once', async () => {
    let write = (): void => {}
    const response = await serve((_req, res) => {
      res.flushHeaders()
      write = () => {
        res.write('one')
        res.write('two')
        res.end('three')
      }
    })
    const reader = response.body!.getReader()
    const reading = Promise.all([reader.read(), reader.read(), reader.read(), reader.read()])
    await new Promise(setImmediate)
    write()
    const pieces = await reading
    expect(pieces.map(({ done, value }) => (done ? undefined : Buffer.from(value).toString()))).toEqual([
      'one',
      'two',
      'three',
      undefined,
    ])
  })

  it('keeps bytes as they are', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
    const response = await serve((_req, res) => {
      res.write(bytes)
      res.end('\r\n\r\nHTTP/1.1 200 OK\r\n\r\n')
    })
    const received = Buffer.from(await response.arrayBuffer())
    expect(received.subarray(0, 256)).toEqual(bytes)
    expect(received.subarray(256).toString()).toBe('\r\n\r\nHTTP/1.1 200 OK\r\n\r\n')
  })

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 205],
    ['GET', 304],
  ])('answers %s with %d without a body', async (method, status) => {
    const response = await serve((_req, res) => void res.writeHead(status).end(), undefined, { method })
    expect([response.status, response.body]).toEqual([status, null])
  })

  it('reads the body as somebody asks for it', async () => {
    let pulls = 0
    const body = new ReadableStream<Uint8Array>(
      { pull: (controller) => (++pulls > 3 ? controller.close() : controller.enqueue(new Uint8Array(3))) },
      { highWaterMark: 0 },
    )
    const init = { method: 'POST', body, duplex: 'half' as const }
    const unread = await serve((_req, res) => void res.end(String(pulls)), undefined, init)
    expect(await unread.text()).toBe('0')
    const echo = await serve((req, res) => void req.pipe(res), undefined, {
      method: 'POST',
      body: 'é'.repeat(50_000),
    })
    expect(await echo.text()).toBe('é'.repeat(50_000))
  })

  it('tells a body that breaks off to whoever reads it, and lets it answer all the same', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
    const response = await serve(
      (req, res) => void req.on('error', (error) => res.end(error.message)).resume(),
      undefined,
      { method: 'POST', body, duplex: 'half' },
    )
    expect(await response.text()).toBe('The client went away before the end of the body')
  })

  it('lets a body that breaks off pass where nobody listens for it', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
    const response = await serve(
      (req, res) => void req.resume().on('close', () => res.end('closed')),
      undefined,
      {
        method: 'POST',
        body,
        duplex: 'half',
      },
    )
    expect(await response.text()).toBe('closed')
  })

  it('waits for a slow reader, and goes on when it reads', async () => {
    let written = 0
    const response = await serve((_req, res) => {
      const go = (): void => {
        while (written < 50) {
          written++
          if (!res.write(Buffer.alloc(32 * 1024))) return void res.once('drain', go)
        }
        res.end()
      }
      go()
    })
    expect(written).toBeLessThan(5)
    expect((await response.arrayBuffer()).byteLength).toBe(50 * 32 * 1024)
  })

  it.each<[string, (response: Response, abort: AbortController) => unknown]>([
    ['cancels the Response', (response) => response.body!.cancel()],
    ['aborts the Request', (_response, abort) => abort.abort()],
  ])('closes the response of Node, unfinished, when somebody %s', async (_how, leave) => {
    const abort = new AbortController()
    let closed: (finished: boolean) => void
    const close = new Promise<boolean>((resolve) => (closed = resolve))
    const response = await serve(
      (_req, res) => {
        res.on('close', () => closed(res.writableFinished))
        res.write('begun')
      },
      undefined,
      { signal: abort.signal },
    )
    await leave(response, abort)
    expect(await close).toBe(false)
  })

  it('emits close after a whole answer as well, once', async () => {
    const closes: boolean[] = []
    const abort = new AbortController()
    const response = await serve(
      (_req, res) => {
        res.on('close', () => closes.push(res.writableFinished))
        res.end('whole')
      },
      undefined,
      { signal: abort.signal },
    )
    expect(await response.text()).toBe('whole')
    abort.abort()
    await new Promise((resolve) => setImmediate(resolve))
    expect(closes).toEqual([true])
  })

  it('answers a Request that was aborted before', async () => {
    const response = await serve((_req, res) => void res.end('x'), undefined, { signal: AbortSignal.abort() })
    expect(response.status).toBe(500)
  })
})
