import {
  Controller,
  fromConnect,
  RouteControllers,
  Server,
  type ServerOptions,
  toConnect,
  toListener,
} from 'routecontrollers'
import { openSession, sendOn } from '../server/http2-client.js'
import { serveHttp2 } from '../server/serve-http2.js'
import { closeHosted } from '../support/hosting.js'
import { refusal } from '../support/refusal.js'

/** Whatever is given in place of what is asked for. */
const wrong = (value: unknown): never => value as never

const noOptions: [string, unknown, string][] = [
  ['null', null, 'null'],
  ['an array', [], 'an array'],
  ['a Map', new Map([['bodyLimit', 1]]), 'a Map'],
  ['a Set', new Set(), 'a Set'],
  ['a promise', Promise.resolve({}), 'a Promise'],
  ['text', 'x', 'string'],
  ['a function', () => {}, 'a function'],
  ['true', true, 'boolean'],
  ['NaN', NaN, 'number'],
]

const routeControllers = new RouteControllers([])
const start = (options: object): Promise<unknown> =>
  new Server().start({ port: 0, host: '127.0.0.1', routeControllers, ...options })

describe('options', () => {
  describe.each(noOptions)('that are %s', (_what, value, shown) => {
    it.each<[string, () => unknown]>([
      ['RouteControllers takes', () => new RouteControllers([], wrong(value))],
      ['limits takes', () => new RouteControllers([], { limits: wrong(value) })],
      ['Controller(GET, /) takes', () => new Controller('GET', '/', () => 'x', wrong(value))],
    ])('are refused: %s an object', (takes, act) => {
      expect(act).toThrow(refusal('ERR_OPTION_INVALID', takes, `an object of options, not ${shown}`))
    })

    it.each<[string, () => Promise<unknown>]>([
      ['Server.start takes', () => new Server().start(wrong(value))],
      ['limits takes', () => start({ limits: value })],
      ['shutdown takes', () => start({ shutdown: value })],
      ['tls is an object', () => start({ tls: value })],
      ['Server.stop takes', () => new Server().stop(wrong(value))],
    ])('are refused: %s', async (takes, act) => {
      await expect(act()).rejects.toEqual(refusal('ERR_OPTION_INVALID', takes, `not `))
    })
  })

  it('may be of a class, of no prototype, or a module', async () => {
    class Options {
      bodyLimit = 1
    }
    const bare = Object.assign(Object.create(null) as object, { bodyLimit: 1 })
    const module = Object.defineProperty({ bodyLimit: 1 }, Symbol.toStringTag, { value: 'Module' })
    for (const options of [new Options(), bare, module]) {
      expect(new RouteControllers([], options)).toBeInstanceOf(RouteControllers)
    }
  })
})

describe('a limit of a server', () => {
  it.each(['maxHeaderBytes', 'maxHeaderFields', 'connectionsCheckingIntervalMs', 'maxConcurrentStreams'])(
    'that 0 would not lift, but make unusable, is not 0: %s',
    async (name) => {
      await expect(start({ limits: { [name]: 0 } })).rejects.toEqual(
        refusal('ERR_OPTION_INVALID', `limits.${name}`, 'from 1', 'not 0'),
      )
    },
  )

  it.each(['requestTimeoutMs', 'headersTimeoutMs', 'keepAliveTimeoutMs', 'socketTimeoutMs'])(
    'that is a time may be 0, which is none, by HTTP/2 as well: %s',
    async (name) => {
      const { port } = await serveHttp2(new RouteControllers([new Controller('GET', '/', () => 'x')]), {
        limits: { [name]: 0 },
      })
      expect((await sendOn(await openSession(port), '/')).text).toBe('x')
      await closeHosted()
    },
  )
})

it.each([[''], [' '], [null], [7], [['127.0.0.1']]])(
  'A server does not listen on the host %j',
  async (host) => {
    await expect(start({ host })).rejects.toEqual(
      refusal('ERR_OPTION_INVALID', 'host is the address to listen on (leave it out for all)'),
    )
  },
)

describe.each([
  ['toConnect', toConnect],
  ['toListener', toListener],
])('%s', (name, adapt) => {
  it.each<[string, unknown, string[]]>([
    ['RouteControllers', routeControllers, [`not an object: write ${name}(routeControllers.getCallback())`]],
    ['an app of Hono', { fetch: () => new Response() }, [`write ${name}((request) => app.fetch(request))`]],
    ['an object', {}, ['not an object']],
    ['text', 'x', ['not string']],
    ['nothing', undefined, ['not undefined']],
    ['null', null, ['not null']],
    ['a promise', Promise.resolve(() => {}), ['not a Promise']],
  ])('refuses %s, and says what to write', (_what, value, parts) => {
    expect(() => adapt(wrong(value))).toThrow(
      refusal('ERR_OPTION_INVALID', `${name} takes a fetch handler`, ...parts),
    )
  })
})

it('A server refuses what gives it no fetch handler', async () => {
  const options: Partial<ServerOptions> = { routeControllers: { getCallback: () => wrong(7) } }
  await expect(start(options)).rejects.toEqual(refusal('ERR_OPTION_INVALID', 'Server.start', 'not number'))
})

describe('addGlobal', () => {
  const hook = (): void => {}
  it.each<[string, unknown[], string]>([
    ['two hooks', [hook, hook], 'call it once for each hook'],
    ['two hooks at a path', ['/x', hook, hook], 'call it once for each hook'],
    ['a third after its options', ['/x', hook, {}, hook], 'call it once for each hook'],
    ['a list', [[hook]], 'not an array'],
    ['paths', [['/a', '/b'], hook], 'not an array'],
    ['RouteControllers', [routeControllers], 'not an object'],
    ['nothing at a path', ['/x'], 'not undefined'],
    ['null', [null], 'not null'],
  ])('refuses %s', (_what, parameters, part) => {
    const add = routeControllers.addGlobal.bind(routeControllers) as (...all: unknown[]) => unknown
    expect(() => add(...parameters)).toThrow(refusal('ERR_HOOK_INVALID', part))
  })

  it.each(noOptions.filter(([, value]) => typeof value !== 'function'))(
    'refuses %s for options',
    (_what, value) => {
      expect(() => routeControllers.addGlobal(hook, wrong(value))).toThrow(
        refusal('ERR_OPTION_INVALID', 'addGlobal takes an object of options'),
      )
    },
  )
})

it.each([[null], [undefined], [[() => {}]], [{}]])('fromConnect refuses %p', (value) => {
  expect(() => fromConnect(wrong(value))).toThrow(refusal('ERR_HOOK_INVALID', 'fromConnect takes middleware'))
})

it('fromConnect refuses two, of which it would drop one', () => {
  const two = fromConnect as (...all: unknown[]) => unknown
  expect(() =>
    two(
      () => {},
      () => {},
    ),
  ).toThrow(refusal('ERR_HOOK_INVALID', 'use(fromConnect(a), fromConnect(b))'))
})

describe('A method of RouteControllers', () => {
  const values: [unknown, string][] = [
    [undefined, 'not undefined'],
    [null, 'not null'],
    [7, 'not number'],
    [[], 'not an array'],
    [{}, 'not an object'],
    [new URL('http://x/'), 'not a URL'],
  ]
  it.each(values)('that takes text refuses %p', (value, part) => {
    for (const name of ['getQueryParams', 'checkRoute'] as const) {
      expect(() => routeControllers[name](wrong(value))).toThrow(
        refusal('ERR_OPTION_INVALID', `${name} takes`, part),
      )
    }
  })

  it.each([...values, ['x', 'not string'] as const])(
    "that takes Node's response refuses %p",
    (value, part) => {
      for (const name of ['getResponseObject', 'setResponseHeaders', 'notFound', 'serverError'] as const) {
        expect(() => routeControllers[name](wrong(value))).toThrow(
          refusal('ERR_OPTION_INVALID', `${name} takes the response`, part),
        )
      }
    },
  )

  it.each([...values, ['x', 'not string'] as const])(
    "that takes Node's request refuses %p",
    async (value, part) => {
      await expect(routeControllers.getRequestObject(wrong(value))).rejects.toEqual(
        refusal('ERR_OPTION_INVALID', 'getRequestObject takes the request', part),
      )
    },
  )

  it.each<[string, object]>([
    ['headers', { url: '/' }],
    ['a url', { headers: {} }],
    ['events', { url: '/', headers: {}, on: undefined }],
  ])('that takes a request refuses an object without %s', async (_what, members) => {
    await expect(routeControllers.getRequestObject(wrong({ on() {}, ...members }))).rejects.toEqual(
      refusal('ERR_OPTION_INVALID', 'getRequestObject takes the request', 'an object'),
    )
  })

  it.each([[null], [7], [{}], ['/x']])('setServer refuses %p', (value) => {
    expect(() => routeControllers.setServer(wrong(value))).toThrow(
      refusal('ERR_OPTION_INVALID', 'setServer takes'),
    )
  })

  it.each([[undefined], [null], [NaN], ['3000'], [-1], [[3000]]])('listen refuses %p', async (value) => {
    await expect(new RouteControllers([]).listen(wrong(value))).rejects.toEqual(
      expect.objectContaining({ code: 'ERR_OPTION_INVALID' }),
    )
  })

  it('that takes a message refuses anything but text', () => {
    const res = { setHeader() {}, end() {}, on() {} }
    for (const name of ['notFound', 'serverError'] as const) {
      expect(() => routeControllers[name](wrong(res), wrong(7))).toThrow(
        refusal('ERR_OPTION_INVALID', 'a message'),
      )
    }
  })
})

describe('trustProxy', () => {
  it.each([[null], [''], [NaN], [1], [true], [new Map()], [[7]], [['']], [{}]])(
    'refuses %p',
    async (value) => {
      const fails = expect.objectContaining({ code: 'ERR_OPTION_INVALID' })
      expect(() => new RouteControllers([], { trustProxy: wrong(value) })).toThrow(fails)
      await expect(start({ trustProxy: value })).rejects.toEqual(fails)
    },
  )
})
