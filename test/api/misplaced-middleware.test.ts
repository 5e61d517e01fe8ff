// What is made for one place and given to another works there, or is refused with what to write instead. No request waits for ever.
import type { IncomingMessage, ServerResponse } from 'node:http'
import compression from 'compression'
import express5 from 'express'
import express4 from 'express4'
import {
  type AnyController,
  around,
  conditional,
  Controller,
  etag,
  fromConnect,
  group,
  type Hook,
  type Next,
  RouteControllers,
  type RouteControllersOptions,
} from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import supertest from 'supertest'
import { describeServings } from '../support/describe-servings.js'
import { refusal } from '../support/refusal.js'

const marks: Hook = (_req: IncomingMessage, res: ServerResponse, next: Next) => {
  res.setHeader('X-Mark', 'marked')
  next()
}
const refuses: Hook = (_req: IncomingMessage, res: ServerResponse) => {
  res.statusCode = 401
  res.end('who?')
}
const tea = (): Controller<'/tea'> => new Controller('GET', '/tea', () => 'tea')

const profiles: [string, RouteControllersOptions][] = [
  ['', {}],
  [' under a profile', { profile: 'express5' }],
]

describeServings('What fromConnect has made', ({ serve }) => {
  describe.each(profiles)('given to%s', (_name, options) => {
    const ask = async (
      controllers: readonly AnyController[],
      setup?: (routeControllers: RouteControllers) => void,
    ): Promise<[number, string | undefined, string]> => {
      const { send } = await serve(controllers, { ...options, ...(setup && { setup }) })
      const { status, headers, text } = await send('/tea')
      return [status, headers['x-mark'], text]
    }

    it.each<[string, (routeControllers: RouteControllers, one: Hook) => void]>([
      ['addGlobal', (routeControllers, one) => routeControllers.addGlobal(fromConnect(one))],
      ['addGlobal twice wrapped', (to, one) => to.addGlobal(fromConnect(fromConnect(one)))],
      ['addGlobal at a path', (to, one) => to.addGlobal('/tea', fromConnect(one))],
      ['addGlobal for every request', (to, one) => to.addGlobal(fromConnect(one), { scope: 'every' })],
    ])('%s is the hook that was given', async (_where, add) => {
      expect(await ask([tea()], (to) => add(to, marks))).toEqual([200, 'marked', 'tea'])
      expect(await ask([tea()], (to) => add(to, refuses))).toEqual([401, undefined, 'who?'])
    })

    it.each<[string, (one: Hook) => AnyController]>([
      ['use, twice wrapped', (one) => tea().use(fromConnect(fromConnect(one)))],
      ['a group', (one) => group('', fromConnect(fromConnect(one))).get('/tea', () => 'tea')],
      [
        'fromExpress',
        (one) =>
          new Controller(
            'GET',
            '/tea',
            fromExpress(fromConnect(one) as never, (_req, res) => void res.end('tea')),
          ),
      ],
    ])('%s is the middleware that was given', async (_where, make) => {
      expect(await ask([make(marks)])).toEqual([200, 'marked', 'tea'])
      expect(await ask([make(refuses)])).toEqual([401, undefined, 'who?'])
    })
  })
})

it.each([
  [4, express4],
  [5, express5],
])(
  'What fromConnect has made is the middleware that was given to it in an app of Express %i, too',
  async (_version, express) => {
    const app = express()
    app.use('/open', fromConnect(marks) as never, (_req, res) => void res.send('open'))
    app.use('/closed', fromConnect(fromConnect(refuses)) as never, (_req, res) => void res.send('never'))
    await supertest(app).get('/open').expect(200, 'open').expect('x-mark', 'marked')
    await supertest(app).get('/closed').expect(401)
  },
)

describe('addGlobal refuses', () => {
  const native = around(function requireUser() {})
  it.each<[string, unknown, string[]]>([
    ['middleware that runs around', native, ['middleware of this package (requireUser)', 'use(']],
    ['etag()', etag(), ['middleware of this package', 'use(']],
    ['conditional()', conditional(), ['middleware of this package', 'use(']],
    ['the callback of fromExpress', fromExpress(marks as never), ['give it the handlers themselves']],
  ])('%s', (_name, one, parts) => {
    const routeControllers = new RouteControllers([tea()])
    for (const add of [
      () => routeControllers.addGlobal(one as Hook),
      () => routeControllers.addGlobal('/tea', one as Hook),
    ])
      expect(add).toThrow(refusal('ERR_HOOK_INVALID', 'addGlobal takes Connect middleware', ...parts))
    expect(() => fromConnect(one as Hook)).toThrow(
      refusal('ERR_HOOK_INVALID', 'fromConnect takes Connect middleware', ...parts),
    )
  })
})

describe('A guard that fromExpress was given', () => {
  const guard = fromExpress(refuses as never)

  it('is no middleware, which would let every request through', () => {
    const says = refusal('ERR_CONTROLLER_INVALID', 'write fromConnect(handler)')
    expect(() => tea().use(guard as never)).toThrow(says)
    expect(() => group('/x', guard as never)).toThrow(says)
    expect(() => group('/x').use(guard as never)).toThrow(says)
    expect(() => new RouteControllers([tea()]).use(guard as never)).toThrow(says)
    expect(() => around(guard as never)).toThrow(says)
  })

  it('is an error in an app of Express, and not a request that waits for ever', async () => {
    const app = express5().set('env', 'test')
    app.use(guard as never, (_req, res) => void res.send('never'))
    await supertest(app)
      .get('/')
      .expect(500, /give the handlers themselves/)
  })
})

describeServings('A function that makes middleware as a hook', ({ serve, errors }) => {
  it.each(profiles)('is an error at once, with what to write%s', async (_name, options) => {
    const makes = (_options?: object) => (_req: unknown, _res: unknown, next: () => void) => next()
    for (const one of [makes, compression]) {
      const { send, logged } = await serve([tea()], {
        ...options,
        setup: (routeControllers) => routeControllers.addGlobal(one as unknown as Hook),
      })
      expect((await send('/tea')).status).toBe(500)
      if (errors === 'us' && options.profile === undefined)
        expect(logged.at(-1)).toContain(`write addGlobal(${one.name}())`)
    }
  })
})

describeServings('Middleware of this package as a hook', ({ serve, errors }) => {
  it.each(profiles)('is an error where it returns what a hook cannot return%s', async (_name, options) => {
    // With the same parameters as a hook that answers all requests.
    const findUser = (_req: unknown, _res: unknown): object => ({ user: 'Ada' })
    const later = async (_req: unknown, _res: unknown): Promise<unknown> =>
      new Response('no', { status: 401 })
    for (const one of [findUser, later]) {
      const { send, logged } = await serve([tea()], {
        ...options,
        setup: (routeControllers) => routeControllers.addGlobal(one as Hook),
      })
      const { status } = await send('/tea')
      expect(status).toBe(500)
      // In the environment `test` Express's own page says nothing to the log.
      if (errors === 'us' && options.profile === undefined)
        expect(logged.at(-1)).toContain(`use(${one.name})`)
    }
  })

  it.each(profiles)('that goes on by returning nothing is told of, once%s', async (_name, options) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    const guard = (_req: unknown, _res: unknown): void => {}
    const { send, logged } = await serve([tea()], {
      ...options,
      setup: (routeControllers) => routeControllers.addGlobal(guard),
    })
    const waiting = [send('/tea'), send('/tea')].map((one) => one.catch(() => undefined))
    while (jest.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    jest.advanceTimersByTime(60_000)
    expect(logged).toEqual([expect.stringMatching(/^warn The hook guard has not answered, .* use\(guard\)/)])
    jest.useRealTimers()
    void waiting
  })

  it.each(profiles)('that has answered is told of where it does not later%s', async (_name, options) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    let answers = true
    const guard = (_req: unknown, res: ServerResponse): void => {
      // Once it has returned, and before its time is over.
      if (answers) setImmediate(() => res.end('guard'))
    }
    const { send, logged } = await serve([tea()], {
      ...options,
      setup: (routeControllers) => routeControllers.addGlobal(guard as Hook),
    })
    await send('/tea')
    jest.advanceTimersByTime(60_000)
    expect(logged).toEqual([])
    answers = false
    void send('/tea').catch(() => undefined)
    while (logged.length === 0) {
      await new Promise((resolve) => setImmediate(resolve))
      jest.advanceTimersByTime(60_000)
    }
    expect(logged).toEqual([expect.stringMatching(/^warn The hook guard has not answered/)])
    jest.useRealTimers()
  })

  it.each(profiles)('is not told of where it has closed the connection instead%s', async (_name, options) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    let isClosed = false
    const guard = (_req: unknown, res: ServerResponse): void => {
      res.once('close', () => (isClosed = true))
      setImmediate(() => res.destroy())
    }
    const { send, logged } = await serve([tea()], {
      ...options,
      setup: (routeControllers) => routeControllers.addGlobal(guard as Hook),
    })
    void send('/tea').catch(() => undefined)
    while (!isClosed) await new Promise((resolve) => setImmediate(resolve))
    jest.advanceTimersByTime(60_000)
    expect(logged).toEqual([])
    jest.useRealTimers()
  })

  it.each(profiles)('that answers itself is a hook like any other%s', async (_name, options) => {
    const { send, logged } = await serve([tea()], {
      ...options,
      setup: (routeControllers) =>
        routeControllers.addGlobal('/tea', (_req, res) => {
          res.end('hook')
          return { done: true }
        }),
    })
    expect((await send('/tea')).text).toBe('hook')
    expect(logged).toEqual([])
  })
})
