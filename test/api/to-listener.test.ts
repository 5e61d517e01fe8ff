import { once } from 'node:events'
import { type ClientRequest, createServer, type IncomingMessage, request as httpRequest } from 'node:http'
import { createServer as createHttpsServer, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import express from 'express'
import express4 from 'express4'
import { Controller, type ForeignFetchHandler, RouteControllers, toListener } from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { listenOn, type Received, type SendOptions, sendTo } from '../support/describe-servings.js'
import { refusal } from '../support/refusal.js'

describe('toListener', () => {
  let logged: string[]
  let spy: jest.SpyInstance

  beforeEach(() => {
    logged = []
    spy = jest.spyOn(console, 'error').mockImplementation((line: string) => void logged.push(line))
  })

  afterEach(() => spy.mockRestore())

  async function answerOf(
    fetchHandler: ForeignFetchHandler,
    target = '/',
    options: SendOptions = {},
  ): Promise<Received> {
    const { port, close } = await listenOn(toListener(fetchHandler))
    try {
      return await sendTo(port)(target, options)
    } finally {
      await close()
    }
  }

  it('answers with the Response', async () => {
    const answer = await answerOf(async () =>
      Response.json({ a: 1 }, { status: 201, headers: { 'x-a': '1' } }),
    )
    expect([answer.status, answer.json(), answer.headers['x-a']]).toEqual([201, { a: 1 }, '1'])
    expect(answer.headers['content-type']).toBe('application/json')
  })

  it('answers 404 for undefined', async () => {
    expect(await answerOf(() => undefined)).toMatchObject({ status: 404, text: 'Not Found' })
    expect(logged).toEqual([])
  })

  it('answers 500 without detail for what is thrown, and logs one line', async () => {
    const throws = (): never => {
      throw new Error('secret')
    }
    expect(await answerOf(throws, '/x?y=1')).toMatchObject({ status: 500, text: 'Internal Server Error' })
    expect(logged).toEqual([expect.stringMatching(/^GET \/x: Error: secret/)])
  })

  it('answers 500 for what is no Response', async () => {
    expect((await answerOf((() => ({ status: 200 })) as never)).status).toBe(500)
    expect(logged).toHaveLength(1)
  })

  it.each(['/a/../b', '/a%2Fb', '//a//b', '/?a=%20&a=%zz'])(
    'gives %s in the URL as URL reads it',
    async (target) => {
      const answer = await answerOf((request) => new Response(request.url), target, {
        headers: { host: 'x.example' },
      })
      expect(answer.text).toBe(new URL(`http://x.example${target}`).href)
    },
  )

  it('refuses with 400 a Host that no URL can have, without asking the handler', async () => {
    const asked: string[] = []
    const handler = (request: Request): Response => {
      asked.push(request.url)
      return new Response('x')
    }
    for (const host of ['evil:x@t', 't/admin?', 'a b']) {
      expect([host, (await answerOf(handler, '/', { headers: { host } })).status]).toEqual([host, 400])
    }
    expect(asked).toEqual([])
  })

  it('gives an https URL on a node:https server', async () => {
    const server = createHttpsServer(
      { key, cert },
      toListener((request) => new Response(request.url)),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const outgoing = httpsRequest({ port, host: '127.0.0.1', path: '/x', ca: cert, agent: false }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect((await incoming.toArray()).join('')).toBe(`https://127.0.0.1:${port}/x`)
    await new Promise((resolve) => server.close(resolve))
  })

  it('gives the body as a stream, of any size', async () => {
    const body = Buffer.alloc(3 * 1024 * 1024, 'x')
    const answer = await answerOf(
      async (request) => {
        let length = 0
        for await (const chunk of request.body!) length += chunk.byteLength
        return new Response(String(length))
      },
      '/',
      { method: 'PUT', body },
    )
    expect(answer.text).toBe(String(body.length))
  })

  /** A request whose answer a test reads piece by piece. */
  async function open(fetchHandler: ForeignFetchHandler): Promise<{
    outgoing: ClientRequest
    incoming: IncomingMessage
    close: () => void
  }> {
    const server = createServer(toListener(fetchHandler))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const outgoing = httpRequest({ port: (server.address() as AddressInfo).port, agent: false }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { outgoing, incoming, close: () => void server.close() }
  }

  it('sends each chunk when it comes, and not at the end', async () => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    const stream = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) })
    const { incoming, close } = await open(() => new Response(stream))
    for (const part of ['one', 'two']) {
      controller!.enqueue(new TextEncoder().encode(part))
      const [chunk] = (await once(incoming, 'data')) as [Buffer]
      expect(chunk.toString()).toBe(part)
    }
    controller!.close()
    await once(incoming, 'end')
    close()
  })

  it('cancels the stream and aborts request.signal when the client goes', async () => {
    let cancelled = (): void => {}
    const cancel = new Promise<void>((resolve) => (cancelled = resolve))
    let aborted: Promise<unknown> | undefined
    const { outgoing, incoming, close } = await open((request) => {
      aborted = once(request.signal, 'abort')
      const start = (controller: ReadableStreamDefaultController<Uint8Array>): void =>
        controller.enqueue(new Uint8Array(1))
      return new Response(new ReadableStream({ start, cancel: () => cancelled() }))
    })
    incoming.on('error', () => {})
    outgoing.destroy()
    await cancel
    await aborted
    close()
  })

  it('cuts the connection when the stream fails midway, and logs one line', async () => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    const stream = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) })
    const { incoming, close } = await open(() => new Response(stream))
    controller!.enqueue(new Uint8Array(1))
    await once(incoming, 'data')
    controller!.error(new Error('disk'))
    const [error] = (await once(incoming, 'error')) as [Error & { code: string }]
    expect(error.code).toBe('ECONNRESET')
    expect(logged).toEqual([expect.stringContaining('Error: disk')])
    close()
  })

  it('serves the callback of RouteControllers as a Server does', async () => {
    const routeControllers = new RouteControllers([new Controller('GET', '/hello', () => 'hello')])
    const callback = routeControllers.getCallback()
    expect((await answerOf(callback, '/hello')).text).toBe('hello')
    expect((await answerOf(callback, '/nowhere')).status).toBe(404)
    expect((await answerOf(callback, '/hello', { headers: { host: 'evil:x@t' } })).status).toBe(400)
  })

  it('gives what nobody answers to the fallback, on a server of your own, and refuses other options', async () => {
    const { port, close } = await listenOn(
      toListener(new RouteControllers([new Controller('GET', '/hello', () => 'hello')]).getCallback(), {
        fallback: express().get('/legacy', (req, res) => void res.send(`legacy ${req.originalUrl}`)),
      }),
    )
    const send = sendTo(port)
    expect((await send('/hello')).text).toBe('hello')
    expect((await send('/legacy?a=1')).text).toBe('legacy /legacy?a=1')
    await close()
    const wrong = { falback: express() } as object
    expect(() => toListener(async () => undefined, wrong)).toThrow(
      refusal('ERR_OPTION_INVALID', 'toListener has no option "falback"; it has fallback, logger'),
    )
    expect(() => toListener(async () => undefined, { fallback: {} as never })).toThrow(
      refusal('ERR_OPTION_INVALID', 'fallback is a function'),
    )
    for (const router of [express.Router(), express4.Router()])
      expect(() => toListener(async () => undefined, { fallback: router as never })).toThrow(
        refusal('ERR_OPTION_INVALID', 'fallback is an app, express().use(router), not a Router'),
      )
  })
})
