import type { NextFunction, Request as ExpressRequest, Response as ExpressResponse } from 'express'
import express5 from 'express'
import express4 from 'express4'
import { type ForeignFetchHandler, toConnect } from 'routecontrollers'
import { listenOn, type Received, type SendOptions, sendTo } from '../support/describe-servings.js'

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('toConnect in %s', (_name, express) => {
  interface Hosted {
    answer: Received
    /** What came to the handlers behind: `next()` as a path, `next(error)` as the error. */
    behind: unknown[]
  }

  /** What a client gets from an app that has this fetch handler, mounted at `/` or at a path. */
  async function host(
    fetchHandler: ForeignFetchHandler,
    target = '/',
    {
      mount = '/',
      before = [],
      ...options
    }: SendOptions & { mount?: string; before?: express5.RequestHandler[] } = {},
  ): Promise<Hosted> {
    const behind: unknown[] = []
    const app = express()
    for (const middleware of before) app.use(middleware)
    app.use(mount, toConnect(fetchHandler))
    app.use((req: ExpressRequest, res: ExpressResponse) => {
      behind.push(req.url)
      res.status(404).send('behind')
    })
    app.use((error: unknown, _req: ExpressRequest, res: ExpressResponse, _next: NextFunction) => {
      behind.push(error)
      res.status(500).send('error handler')
    })
    const { port, close } = await listenOn(app)
    try {
      return { answer: await sendTo(port)(target, options), behind }
    } finally {
      await close()
    }
  }

  it('answers with the Response', async () => {
    const { answer, behind } = await host(
      async () =>
        new Response('made', {
          status: 201,
          statusText: 'Made',
          headers: [
            ['X-A', '1'],
            ['Set-Cookie', 'a=1'],
            ['Set-Cookie', 'b=2'],
          ],
        }),
    )
    expect([answer.status, answer.statusText, answer.text]).toEqual([201, 'Made', 'made'])
    expect([answer.headers['x-a'], answer.cookies]).toEqual(['1', ['a=1', 'b=2']])
    expect(behind).toEqual([])
  })

  it('takes a handler that is sync', async () => {
    expect((await host(() => Response.json({ a: 1 }))).answer.json()).toEqual({ a: 1 })
  })

  it.each([
    ['undefined', () => undefined],
    ['a promise of undefined', async () => undefined],
  ])('goes to next() for %s, with nothing touched', async (_what, fetchHandler) => {
    const { answer, behind } = await host(fetchHandler, '/a?b=1')
    expect([answer.status, answer.text]).toEqual([404, 'behind'])
    expect(behind).toEqual(['/a?b=1'])
  })

  it('leaves no listener behind where it goes to next(), also when the signal was read', async () => {
    const listeners: number[] = []
    const note = (_req: ExpressRequest, res: ExpressResponse, next: NextFunction): void => {
      listeners.push(res.listenerCount('close'))
      next()
    }
    const app = express()
    app.use(note)
    app.use(toConnect(({ signal }) => void signal.aborted))
    app.use(note)
    const { port, close } = await listenOn(app)
    expect((await sendTo(port)('/')).status).toBe(404)
    await close()
    expect(listeners[1]).toBe(listeners[0])
  })

  it.each([
    [
      'throws',
      (error: Error) => {
        throw error
      },
    ],
    ['rejects', async (error: Error) => Promise.reject(error)],
  ])('goes to next(error) with the very error that the handler %s', async (_what, fail) => {
    const error = new Error('secret')
    const { answer, behind } = await host(() => fail(error))
    expect([answer.status, answer.text]).toEqual([500, 'error handler'])
    expect(behind).toHaveLength(1)
    expect(behind[0]).toBe(error)
  })

  it('goes to next(error) also when what was thrown is falsy', async () => {
    const nothing: unknown = undefined
    const { behind } = await host(() => Promise.reject(nothing))
    expect(behind).toEqual([expect.any(Error)])
  })

  it('goes to next(error) for what is no Response', async () => {
    const { answer, behind } = await host((() => 'text') as never)
    expect(answer.status).toBe(500)
    expect(behind).toEqual([expect.any(Error)])
  })

  it('gives the whole URL, the mount path included, as it was sent', async () => {
    const echo = async (request: Request): Promise<Response> => new Response(request.url)
    const headers = { host: 'shop.example:8080' }
    expect((await host(echo, '/a//b%2Fc?d=%20&d=2', { headers })).answer.text).toBe(
      'http://shop.example:8080/a//b%2Fc?d=%20&d=2',
    )
    expect((await host(echo, '/api/users?x=1', { headers, mount: '/api' })).answer.text).toBe(
      'http://shop.example:8080/api/users?x=1',
    )
    expect((await host(echo, '//evil.example/x', { headers })).answer.text).toBe(
      'http://shop.example:8080//evil.example/x',
    )
  })

  it('gives method and headers', async () => {
    const { answer } = await host(
      (request) => Response.json([request.method, request.headers.get('x-a'), request.headers.get('cookie')]),
      '/',
      { method: 'DELETE', headers: { 'X-A': '1', Cookie: 'a=1; b=2' } },
    )
    expect(answer.json()).toEqual(['DELETE', '1', 'a=1; b=2'])
  })

  it.each([
    ['with a length', false],
    ['in chunks', true],
  ])('gives the body, sent %s', async (_how, chunked) => {
    const { answer } = await host(async (request) => new Response(await request.text()), '/', {
      method: 'POST',
      body: 'grüße',
      chunked,
    })
    expect(answer.text).toBe('grüße')
  })

  it('gives a body that a middleware has read before', async () => {
    const { answer } = await host(async (request) => Response.json(await request.json()), '/', {
      method: 'POST',
      body: '{"a":[1]}',
      headers: { 'content-type': 'application/json' },
      before: [express.json()],
    })
    expect(answer.json()).toEqual({ a: [1] })
  })

  it('leaves a body that it passes on to who stands behind', async () => {
    const app = express()
    app.use(toConnect(() => undefined))
    app.use(
      express.text(),
      (req: ExpressRequest, res: ExpressResponse) => void res.send(`behind: ${req.body}`),
    )
    const { port, close } = await listenOn(app)
    const options = { method: 'POST', body: 'text', headers: { 'content-type': 'text/plain' } }
    expect((await sendTo(port)('/', options)).text).toBe('behind: text')
    await close()
  })

  it('sends a stream as it comes', async () => {
    const encoder = new TextEncoder()
    const { answer } = await host(
      () =>
        new Response(
          new ReadableStream({
            async start(controller) {
              for (const part of ['one ', 'two ', 'three']) {
                controller.enqueue(encoder.encode(part))
                await new Promise((resolve) => setImmediate(resolve))
              }
              controller.close()
            },
          }),
        ),
    )
    expect([answer.text, answer.headers['transfer-encoding']]).toEqual(['one two three', 'chunked'])
  })

  it('sends no body to HEAD', async () => {
    const { answer } = await host(() => new Response('12345'), '/', { method: 'HEAD' })
    expect([answer.status, answer.text]).toEqual([200, ''])
  })

  it.each([204, 304])('sends %d without a body', async (status) => {
    const { answer } = await host(() => new Response(null, { status }))
    expect([answer.status, answer.text]).toEqual([status, ''])
  })
})

describe('toConnect without next', () => {
  async function answerOf(fetchHandler: ForeignFetchHandler): Promise<[Received, string[]]> {
    const logged: string[] = []
    const spy = jest.spyOn(console, 'error').mockImplementation((line: string) => void logged.push(line))
    const connect = toConnect(fetchHandler)
    const { port, close } = await listenOn((req, res) => connect(req, res))
    try {
      return [await sendTo(port)('/x?secret=1'), logged]
    } finally {
      await close()
      spy.mockRestore()
    }
  }

  it('answers 404 for undefined', async () => {
    const [answer, logged] = await answerOf(() => undefined)
    expect([answer.status, answer.text, logged]).toEqual([404, 'Not Found', []])
  })

  it('answers 500 without detail for what is thrown, and logs one line', async () => {
    const [answer, logged] = await answerOf(() => Promise.reject(new Error('secret')))
    expect([answer.status, answer.text]).toEqual([500, 'Internal Server Error'])
    expect(logged).toEqual([expect.stringMatching(/^GET \/x: Error: secret/)])
  })

  it('answers a 4xx that is thrown with its message, and logs nothing', async () => {
    const [answer, logged] = await answerOf(() => {
      throw Object.assign(new Error('No tea'), { status: 418 })
    })
    expect([answer.status, answer.text, logged]).toEqual([418, 'No tea', []])
  })
})

it('toConnect gives the lines about failures to its logger', async () => {
  const logged: string[] = []
  const logger = { info() {}, warn() {}, error: (line: string) => void logged.push(line) }
  const fails: ForeignFetchHandler = () => {
    throw new Error('boom')
  }
  const serve = toConnect(fails, { logger })
  const { port, close } = await listenOn((req, res) => void serve(req, res))
  const { status } = await sendTo(port)('/x')
  await close()
  expect(status).toBe(500)
  expect(logged).toEqual([expect.stringContaining('GET /x: Error: boom')])
})
