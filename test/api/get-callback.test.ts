import { once } from 'node:events'
import {
  type Answer,
  type Callback,
  Controller,
  fromConnect,
  type Hook,
  RouteControllers,
  type RouteControllersOptions,
} from 'routecontrollers'

const silent = { info() {}, warn() {}, error() {} }

describe('RouteControllers.getCallback', () => {
  it('is one function, the same each time', () => {
    const routeControllers = new RouteControllers([])
    expect(routeControllers.getCallback()).toBe(routeControllers.getCallback())
    expect(routeControllers.getCallback()).toHaveLength(1)
  })

  it('answers a web Request with a promise of a web Response', async () => {
    const routeControllers = new RouteControllers([
      new Controller('POST', '/echo/:name', (req, res) =>
        res.status(201).header('X-Name', req.params.name).json(req.body),
      ),
    ])
    const request = new Request('http://test/echo/a', {
      method: 'POST',
      body: '{"b":1}',
      headers: { 'content-type': 'application/json' },
    })
    const promise = routeControllers.getCallback()(request)
    expect(promise).toBeInstanceOf(Promise)
    const response = await promise
    expect(response).toBeInstanceOf(Response)
    expect([response.status, response.headers.get('x-name'), await response.json()]).toEqual([
      201,
      'a',
      { b: 1 },
    ])
  })

  it.each([
    ['a string', '/x', 'not "/x"'],
    ['a URL', new URL('http://test/x'), 'not a URL'],
    ['nothing', undefined, 'not undefined'],
  ])('says that %s is no Request', async (_what, given, text) => {
    for (const setup of [
      () => {},
      (all: RouteControllers) => void all.addGlobal((_req, _res, next) => next()),
    ]) {
      const logged: string[] = []
      const logger = { info() {}, warn() {}, error: (line: string) => void logged.push(line) }
      const routeControllers = new RouteControllers([], { logger })
      setup(routeControllers)
      expect((await routeControllers.getCallback()(given as never)).status).toBe(500)
      expect(logged).toEqual([expect.stringContaining(`The fetch handler takes a Request, ${text}`)])
    }
  })

  it('needs no this', async () => {
    const callback = new RouteControllers([new Controller('GET', '/', () => 'x')]).getCallback()
    expect(await (await callback.call(undefined, new Request('http://test/'))).text()).toBe('x')
  })

  it('gives a web Response that a callback returned as it is', async () => {
    const response = Response.json({ a: 1 }, { status: 418, statusText: 'Short' })
    const callback = new RouteControllers([new Controller('GET', '/', () => response)]).getCallback()
    const answer = await callback(new Request('http://test/'))
    expect([answer.status, answer.statusText, await answer.json()]).toEqual([418, 'Short', { a: 1 }])
  })

  it('answers any HTTP token as a method, in the case in which it is sent', async () => {
    const callback = new RouteControllers([new Controller('brew', '/', (req) => req.method)]).getCallback()
    expect(await (await callback(new Request('http://test/', { method: 'BREW' }))).text()).toBe('BREW')
    // RFC 9110 9.1: methods are case-sensitive, and fetch upper-cases those alone that it knows.
    expect((await callback(new Request('http://test/', { method: 'brew' }))).status).toBe(404)
  })

  it('gives callbacks the signal of the request', async () => {
    const abort = new AbortController()
    const callback = new RouteControllers([
      new Controller('GET', '/', async (req) => {
        const aborted = once(req.signal, 'abort')
        abort.abort()
        await aborted
        return `aborted: ${String(req.signal.aborted)}`
      }),
    ]).getCallback()
    const response = await callback(new Request('http://test/', { signal: abort.signal }))
    expect(await response.text()).toBe('aborted: true')
  })

  it.each<[string, () => Answer]>([
    ['a text', () => 'whole'],
    [
      'a stream',
      () =>
        (async function* () {
          yield 'wh'
          yield 'ole'
        })(),
    ],
    ['nothing', () => null],
  ])(
    'gives a signal that does not abort after an answer of %s, as that of Deno.serve does',
    async (_what, answer) => {
      const abort = new AbortController()
      let signal: AbortSignal | undefined
      const callback = new RouteControllers([
        new Controller('GET', '/', (req) => {
          signal = req.signal
          return answer()
        }),
      ]).getCallback()
      const response = await callback(new Request('http://test/', { signal: abort.signal }))
      expect(await response.text()).toBe(response.status === 204 ? '' : 'whole')
      abort.abort()
      expect(signal!.aborted).toBe(false)
    },
  )

  it('gives a signal that does not abort after the answer to HEAD', async () => {
    const abort = new AbortController()
    let signal: AbortSignal | undefined
    const callback = new RouteControllers([
      new Controller('GET', '/', (req, res) => {
        signal = req.signal
        return res.stream(
          (async function* () {
            yield 'x'
          })(),
        )
      }),
    ]).getCallback()
    await callback(new Request('http://test/', { method: 'HEAD', signal: abort.signal }))
    abort.abort()
    expect(signal!.aborted).toBe(false)
  })

  it('runs the hooks of addGlobal, which change the answer', async () => {
    const callback = new RouteControllers([new Controller('GET', '/', (req) => String(req.url))])
      .addGlobal((_req, res, next) => {
        res.setHeader('X-Hook', 'ran')
        next()
      })
      .getCallback()
    const response = await callback(new Request('http://test/?a=1'))
    expect([response.headers.get('x-hook'), await response.text()]).toEqual(['ran', '/?a=1'])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('secret')
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    ['returns nothing', () => undefined],
    ['returns what JSON cannot say', () => ({ big: 1n })],
    ['returns a symbol', () => Symbol('x')],
    ['returns a function', () => () => 'x'],
    ['returns an Error', () => new Error('secret')],
  ])('answers 500 and never rejects when a callback %s', async (_what, callback) => {
    for (const hooked of [false, true]) {
      const routeControllers = new RouteControllers([new Controller('GET', '/', callback as never)], {
        logger: silent,
      })
      if (hooked) routeControllers.addGlobal((_req, _res, next) => next())
      const response = await routeControllers.getCallback()(new Request('http://test/'))
      expect([response.status, await response.text()]).toEqual([500, 'Internal Server Error'])
    }
  })

  it('answers also when the logger throws', async () => {
    const broken = (): never => {
      throw new Error('disk full')
    }
    const callback = new RouteControllers(
      [
        new Controller('GET', '/', () => {
          throw new Error('secret')
        }),
      ],
      { logger: { info: broken, warn: broken, error: broken } },
    ).getCallback()
    expect((await callback(new Request('http://test/'))).status).toBe(500)
  })

  it('answers Requests of URLs without a path', async () => {
    const callback = new RouteControllers([new Controller('GET', '/', () => 'root')]).getCallback()
    expect(await (await callback(new Request('http://test'))).text()).toBe('root')
    expect(await (await callback(new Request('http://test?a=/b#c/d'))).text()).toBe('root')
    expect((await callback(new Request('about:blank'))).status).toBe(404)
    expect((await callback(new Request('data:text/plain,x'))).status).toBe(404)
  })

  it.each([
    ['a hook of addGlobal', (made: RouteControllers) => made.addGlobal((_req, _res, next) => next())],
    [
      'middleware of fromConnect',
      (made: RouteControllers) => made.use(fromConnect((_req, _res, next) => next())),
    ],
  ])('answers 500, with a remedy in the log, for %s where there is no node:http', async (_what, add) => {
    const logged: string[] = []
    const logger = { ...silent, error: (line: string) => void logged.push(line) }
    const taken = jest.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    try {
      const made = new RouteControllers([new Controller('GET', '/', () => 'x')], { logger })
      made.addHeader('X-All', 'yes')
      const response = await add(made).getCallback()(new Request('http://test/'))
      expect([response.status, response.headers.get('x-all'), await response.text()]).toEqual([
        500,
        'yes',
        'Internal Server Error',
      ])
      expect(logged).toEqual([
        expect.stringMatching(/needs node:http, which is not here: write it as .*use\(\)/),
      ])
    } finally {
      taken.mockRestore()
    }
  })

  it('answers 500 and never rejects for what is no Request', async () => {
    for (const hooked of [false, true]) {
      const made = new RouteControllers([new Controller('GET', '/', () => 'x')], { logger: silent })
      if (hooked) made.addGlobal((_req, _res, next) => next())
      for (const wrong of [undefined, {}, { url: '/x', method: 'GET' }, 'http://test/']) {
        expect((await made.getCallback()(wrong as never)).status).toBe(500)
      }
    }
  })

  // As those of Azure Functions.
  it('serves Requests that have no signal', async () => {
    const withoutSignal = (path: string): Request => {
      const { method, url, headers, body, bodyUsed } = new Request(`http://test${path}`)
      return { method, url, headers, body, bodyUsed } as Request
    }
    for (const hooked of [false, true]) {
      const made = new RouteControllers(
        [
          new Controller('GET', '/', (req) => `aborted: ${String(req.signal.aborted)}`),
          new Controller('GET', '/events', (_req, res) =>
            res.sse(async function* (signal) {
              yield String(signal.aborted)
            }),
          ),
          new Controller('GET', '/broken', (_req, res) =>
            res.stream(
              (async function* () {
                yield 'first'
                throw new Error('broken')
              })(),
            ),
          ),
        ],
        { logger: silent },
      )
      if (hooked) made.addGlobal((_req, _res, next) => next())
      const callback = made.getCallback()
      expect(await (await callback(withoutSignal('/'))).text()).toBe('aborted: false')
      expect(await (await callback(withoutSignal('/events'))).text()).toBe('data: false\n\n')
      await expect((await callback(withoutSignal('/broken'))).text()).rejects.toThrow()
    }
  })

  it('answers 500 where a runtime throws while it is asked for the body, and leaves no rejection behind', async () => {
    const rejected = jest.fn()
    process.on('unhandledRejection', rejected)
    const callback = new RouteControllers([new Controller('POST', '/', () => 'read')], {
      decompress: true,
      logger: silent,
    }).getCallback()
    const request = new Request('http://test/', { method: 'POST', body: '{}' })
    let asked = 0
    const headers = {
      get(name: string) {
        if (name === 'content-encoding' && ++asked > 1) throw new Error('no headers')
        return name === 'content-type' ? 'application/json' : null
      },
    }
    const broken = new Proxy(request, {
      get: (target, name) =>
        name === 'headers'
          ? headers
          : name === 'body'
            ? {
                locked: false,
                getReader: () => ({
                  read: () => Promise.reject(new Error('no body')),
                  cancel: async () => {},
                }),
              }
            : (Reflect.get(target, name, target) as unknown),
    })
    expect((await callback(broken)).status).toBe(500)
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', rejected)
    expect(rejected).not.toHaveBeenCalled()
  })

  // Bun and Deno make `Content-Length: 0` of no body at all.
  it('answers HEAD with the length of GET, or with a body whose length is unknown', async () => {
    for (const hooked of [false, true]) {
      const made = new RouteControllers([
        new Controller('GET', '/text', () => 'four'),
        new Controller('GET', '/none', (_req, res) => res.end()),
        new Controller('GET', '/no-content', (_req, res) => res.status(204).end()),
        new Controller('GET', '/response', () => new Response('own')),
        new Controller('GET', '/stream', (_req, res) => res.stream(new Response('piece').body!)),
        new Controller('GET', '/known', (_req, res) =>
          res.header('Content-Length', 5).stream(new Response('piece').body!),
        ),
      ])
      if (hooked) made.addGlobal((_req, _res, next) => next())
      const head = async (path: string): Promise<unknown[]> => {
        const response = await made.getCallback()(new Request(`http://test${path}`, { method: 'HEAD' }))
        const hasBody = response.body !== null
        return [response.headers.get('content-length'), hasBody, await response.text()]
      }
      expect(await head('/text')).toEqual(['4', false, ''])
      expect(await head('/none')).toEqual(['0', false, ''])
      expect(await head('/no-content')).toEqual([null, false, ''])
      expect(await head('/response')).toEqual(['3', false, ''])
      expect(await head('/stream')).toEqual([null, true, ''])
      expect(await head('/known')).toEqual(['5', false, ''])
    }
  })
})

describe.each<[string, readonly Hook[]]>([
  ['no hook', []],
  ['a hook', [(_req, _res, next) => next()]],
])('A Request whose body was read before, behind %s,', (_what, hooks) => {
  const answerOf = async (callback: Callback, read: (request: Request) => unknown) => {
    const errors: unknown[] = []
    const onError: RouteControllersOptions['onError'] = (error) =>
      void errors.push((error as { code: string }).code)
    const controller = new Controller('POST', '/', callback, { body: 'stream' })
    const routeControllers = new RouteControllers([controller], { logger: silent, onError })
    for (const hook of hooks) routeControllers.addGlobal(hook)
    const request = new Request('http://x/', { method: 'POST', body: 'tea' })
    await read(request)
    return { status: (await routeControllers.getCallback()(request)).status, errors }
  }
  const reads: [string, (request: Request) => unknown][] = [
    ['read', (request) => request.text()],
    ['locked', (request) => request.body!.getReader()],
  ]

  it.each(reads)('has no bytes for a loop, and no end either: %s', async (_how, read) => {
    const loop: Callback = async (req) => {
      for await (const _chunk of req);
      return 'all of it'
    }
    expect(await answerOf(loop, read)).toEqual({ status: 500, errors: ['ERR_BODY_CONSUMED'] })
  })

  it.each(reads)('has none for req.text() either: %s', async (_how, read) => {
    expect(await answerOf((req) => req.text(), read)).toEqual({ status: 500, errors: ['ERR_BODY_CONSUMED'] })
  })

  it.each(reads)('is answered where nobody asks for it: %s', async (_how, read) => {
    expect(await answerOf(() => 'x', read)).toEqual({ status: 200, errors: [] })
  })
})

it.each(['abc', '5, 5'])(
  'A Content-Length of %j leaves the body of a Request there, with a hook too',
  async (length) => {
    for (const hooks of [[], [(_req, _res, next) => next()]] satisfies Hook[][]) {
      const routeControllers = new RouteControllers([
        new Controller('POST', '/', (req) => req.body as object),
      ])
      for (const hook of hooks) routeControllers.addGlobal(hook)
      const headers = { 'content-type': 'application/json', 'content-length': length }
      const request = new Request('http://x/', { method: 'POST', body: '{"tea":1}', headers })
      expect(await (await routeControllers.getCallback()(request)).json()).toEqual({ tea: 1 })
    }
  },
)

describe('The fetch handler, of a request', () => {
  it('whose URL has a fragment, takes neither that nor a question mark in it for the path', async () => {
    const callback = new RouteControllers([
      new Controller('GET', '/a', (req) => [req.url, req.query]),
    ]).getCallback()
    const ask = async (url: string): Promise<unknown> => (await callback(new Request(url))).json()
    expect(await ask('http://test/a#b?c=1')).toEqual(['/a', {}])
    expect(await ask('http://test/a?c=1#b?d=1')).toEqual(['/a?c=1', { c: '1' }])
  })

  it('that is aborted, logs no stream that ends because of that', async () => {
    const logged: string[] = []
    const logger = { ...silent, error: (line: string) => void logged.push(line) }
    const endless = async function* (signal: AbortSignal): AsyncGenerator<string> {
      yield 'first'
      if (!signal.aborted) await once(signal, 'abort')
      throw new Error('ended by its signal')
    }
    const callback = new RouteControllers(
      [new Controller('GET', '/', (req, res) => res.stream(endless(req.signal)))],
      { logger },
    ).getCallback()
    const abort = new AbortController()
    const answer = await callback(new Request('http://test/', { signal: abort.signal }))
    const reader = answer.body!.getReader()
    await reader.read()
    const rest = reader.read()
    abort.abort()
    await expect(rest).rejects.toThrow('ended by its signal')
    expect(logged).toEqual([])
  })
})
