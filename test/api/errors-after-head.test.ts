import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type AnyController,
  Controller,
  type ErrorHook,
  type Hook,
  type Next,
  RouteControllers,
} from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { openSession, sendOn } from '../server/http2-client.js'
import { serveHttp2 } from '../server/serve-http2.js'
import { describeServings } from '../support/describe-servings.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'

/** Begins an answer, then fails: by `next(error)`, as a handler of Express does it. */
const breaksOff = (): AnyController =>
  new Controller(
    'GET',
    '/',
    fromExpress((_req, res, next) => {
      res.write('part ')
      next(new Error('late'))
    }),
  )

const beginsAndThrows: Hook = (_req: IncomingMessage, res: ServerResponse) => {
  res.write('part ')
  throw new Error('late')
}

type Seen = { message: string; headersSent: boolean }[]

const ends =
  (seen: Seen): ErrorHook =>
  (error: Error, _req: IncomingMessage, res: ServerResponse, _next: Next) => {
    seen.push({ message: error.message, headersSent: res.headersSent })
    res.end('[failed]')
  }

const passesOn =
  (seen: Seen): ErrorHook =>
  (error: Error, _req: IncomingMessage, res: ServerResponse, next: Next) => {
    seen.push({ message: error.message, headersSent: res.headersSent })
    next(error)
  }

const forgives: ErrorHook = (_error: unknown, _req: IncomingMessage, _res: ServerResponse, next: Next) =>
  next()

const once = [{ message: 'late', headersSent: true }]

describeServings(
  'an error after the head of the answer',
  ({ serve, errors }) => {
    it.each<[string, AnyController[], Hook | undefined]>([
      ['a route', [breaksOff()], undefined],
      ['a hook', [new Controller('GET', '/', () => 'x')], beginsAndThrows],
    ])('of %s comes to the error hooks, which end the answer', async (_whose, controllers, hook) => {
      const seen: Seen = []
      const told: Seen = []
      const { send, logged } = await serve(controllers, {
        setup(all) {
          if (hook) all.addGlobal(hook)
          all.addGlobal(ends(seen))
        },
        downstream: (app) => void app.use(passesOn(told) as never),
      })
      expect(await send('/')).toMatchObject({ status: 200, text: 'part [failed]' })
      expect([seen, told, logged]).toEqual([once, [], []])
    })

    it('that no error hook ends comes to the host, or else cuts the connection and is logged', async () => {
      const seen: Seen = []
      const told: Seen = []
      const answered: unknown[] = []
      const { send, logged } = await serve([breaksOff()], {
        setup: (all) => void all.addGlobal(passesOn(seen)),
        onError: (error) => void answered.push(error),
        downstream: (app) => void app.use(ends(told) as never),
      })
      if (errors === 'host') {
        expect((await send('/')).text).toBe('part [failed]')
        expect([told, logged]).toEqual([once, []])
      } else {
        await expect(send('/')).rejects.toThrow()
        expect([told, logged]).toEqual([[], [expect.stringMatching(/^error GET \/.*late/s)]])
      }
      // It has nothing to answer any more.
      expect([seen, answered]).toEqual([once, []])
    })

    it('that nobody ends cuts the connection', async () => {
      const { send } = await serve([breaksOff()], {
        upstream: (app) => void app.set('env', 'test'),
      })
      await expect(send('/')).rejects.toThrow()
    })

    it('that an error hook forgives without ending the answer goes on behind the routes, or cuts the connection', async () => {
      const behind = jest.fn(fromBehind())
      const { send, logged } = await serve([breaksOff()], {
        setup: (all) => void all.addGlobal(forgives),
        downstream: (app) => void app.use(behind),
      })
      if (errors === 'host') expect((await send('/')).text).toBe('part [behind]')
      else await expect(send('/')).rejects.toThrow()
      // A fallback takes whole requests.
      expect([behind.mock.calls.length, logged]).toEqual([errors === 'host' ? 1 : 0, []])
    })

    it('of a hook that an error hook forgives does the same', async () => {
      const behind = jest.fn(fromBehind())
      const { send, logged } = await serve([new Controller('GET', '/', () => 'never')], {
        setup: (all) => void all.addGlobal(beginsAndThrows).addGlobal(forgives),
        downstream: (app) => void app.use(behind),
      })
      if (errors === 'host') expect((await send('/')).text).toBe('part [behind]')
      else await expect(send('/')).rejects.toThrow()
      expect([behind.mock.calls.length, logged]).toEqual([errors === 'host' ? 1 : 0, []])
    })

    it('leaves a complete answer as it is', async () => {
      const seen: Seen = []
      const { send, logged } = await serve(
        [
          new Controller(
            'GET',
            '/',
            fromExpress((_req, res, next) => {
              res.end('whole')
              next(new Error('late'))
            }),
          ),
        ],
        {
          setup: (all) => void all.addGlobal(passesOn(seen)).addGlobal(forgives),
          downstream: (app) => void app.use(fromBehind()),
        },
      )
      expect(await send('/')).toMatchObject({ status: 200, text: 'whole' })
      expect([seen, logged]).toEqual([once, []])
    })

    it('of an answer that is long complete is logged, and leaves the connection to its next request', async () => {
      const told: Seen = []
      let fail!: () => void
      const { send, logged } = await serve(
        [
          new Controller(
            'GET',
            '/',
            fromExpress((_req, res, next) => {
              fail = () => next(new Error('late'))
              res.end('whole')
            }),
          ),
        ],
        { downstream: (app) => void app.use(ends(told) as never) },
      )
      expect((await send('/')).text).toBe('whole')
      await new Promise(setImmediate)
      fail()
      expect([told, logged]).toEqual([[], [expect.stringMatching(/late/)]])
    })
  },
  ({ onNode }) => onNode,
)

const fromBehind = () => (_req: IncomingMessage, res: ServerResponse) => void res.end('[behind]')

describe('an error, by HTTP/2', () => {
  afterEach(closeHosted)

  it('after the head of the answer comes to the error hooks, which end the answer', async () => {
    const seen: Seen = []
    const { port } = await serveHttp2(new RouteControllers([breaksOff()]).addGlobal(ends(seen)))
    expect(await sendOn(await openSession(port), '/')).toMatchObject({ status: 200, text: 'part [failed]' })
    expect(seen).toEqual(once)
  })

  it('that a hook gives to next() and an error hook forgives reaches no route', async () => {
    const refuses: Hook = (_req: IncomingMessage, _res: ServerResponse, next: Next) => next(new Error('no'))
    const routeControllers = new RouteControllers([new Controller('GET', '/', () => 'secret')])
    const { port } = await serveHttp2(routeControllers.addGlobal(refuses).addGlobal(forgives))
    expect(await sendOn(await openSession(port), '/')).toMatchObject({ status: 404, text: 'Not Found' })
  })

  it('after the head of the answer resets the stream where nobody ends it', async () => {
    const logger = { info() {}, warn() {}, error() {} }
    const { port } = await serveHttp2(new RouteControllers([breaksOff()], { logger }))
    await expect(sendOn(await openSession(port), '/')).rejects.toThrow()
  })
})

describe.each(expresses)('req.next inside %s', (_name, express) => {
  afterEach(closeHosted)

  it('is that of the chain for a hook, and that of the host behind it', async () => {
    const seen: unknown[] = []
    const app = createExpress(express)
    let ofHost: unknown
    app.use((req, _res, next) => {
      ofHost = req.next
      next()
    })
    app.use(
      new RouteControllers([])
        .addGlobal(
          (req, _res, next) => {
            seen.push((req as never as { next: unknown }).next === next)
            next()
          },
          { scope: 'every' },
        )
        .middleware(),
    )
    app.use((req, res) => {
      seen.push(req.next === ofHost)
      res.end()
    })
    const { send } = await host(app)
    await send('/')
    expect(seen).toEqual([true, true])
  })

  it('takes an error of res.format to the error hooks', async () => {
    const app = createExpress(express)
    const formats = ((_req: unknown, res: { format(by: object): void }) =>
      res.format({ 'text/html': () => {} })) as never as Hook
    const tells: ErrorHook = (
      error: { status: number; types: string[] },
      _req: IncomingMessage,
      res: ServerResponse,
      _next: Next,
    ) => void res.writeHead(error.status).end(`ours ${error.types.join()}`)
    app.use(
      new RouteControllers([])
        .addGlobal(formats, { scope: 'every' })
        .addGlobal(tells, { scope: 'every' })
        .middleware(),
    )
    const { send } = await host(app)
    expect(await send('/', { headers: { accept: 'image/png' } })).toMatchObject({
      status: 406,
      text: 'ours text/html',
    })
  })
})
