import { EventEmitter } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import express, {
  type NextFunction,
  type Request as ExpressRequest,
  type Response as ExpressResponse,
} from 'express'
import { Controller, RouteControllers } from 'routecontrollers'
import { closeAll, describeServings, listenOn, sendTo } from '../support/describe-servings.js'

const insideExpress = ({ name }: { name: string }): boolean => name.startsWith('inside')

/** All that another middleware could see of a request or a response. */
function look(message: IncomingMessage | ServerResponse): unknown {
  const emitter: EventEmitter = message
  return {
    keys: Reflect.ownKeys(message),
    values: Object.entries(message).filter(([, value]) => typeof value !== 'object'),
    prototype: Object.getPrototypeOf(message),
    listeners: emitter.eventNames().map((name) => [name, emitter.listenerCount(name)]),
    socket: message.socket?.eventNames().map((name) => [name, message.socket?.listenerCount(name)]),
    headers: 'getHeaders' in message ? { ...message.getHeaders() } : { ...message.headers },
    ...('readableFlowing' in message && { flowing: message.readableFlowing, read: message.readableDidRead }),
  }
}

describeServings(
  'RouteControllers.middleware',
  ({ serve }) => {
    it.each([
      ['GET', '/nowhere'],
      ['POST', '/test'],
      ['GET', '/test/'],
      ['OPTIONS', '/test'],
      ['GET', '/nowhere/%zz'],
      ['GET', '//'],
    ])('passes %s %s on with nothing touched', async (method, target) => {
      const looks: unknown[] = []
      const note = (req: ExpressRequest, res: ExpressResponse, next: NextFunction): void => {
        looks.push([look(req), look(res)])
        next()
      }
      const { send, logged } = await serve([new Controller('GET', '/test', () => 'x')], {
        setup: (routeControllers) =>
          void routeControllers
            .addHeader('X-Ours', '1')
            .setHeaders()
            .addGlobal((_req, res, next) => {
              res.setHeader('X-Hook', '1')
              next()
            }),
        upstream: (app) => void app.use(note),
        downstream: (app) =>
          void app.use(note, (req: ExpressRequest, res: ExpressResponse) => {
            req.setEncoding('utf8')
            let body = ''
            req.on('data', (chunk: string) => (body += chunk))
            req.on('end', () => void res.status(404).send(`behind: ${body}`))
          }),
      })
      const body = method === 'POST' ? { body: 'a=1', headers: { 'content-type': 'text/plain' } } : {}
      const answer = await send(target, { method, ...body })
      expect([answer.status, answer.text]).toEqual([404, `behind: ${method === 'POST' ? 'a=1' : ''}`])
      expect(answer.headers).not.toHaveProperty('x-ours')
      expect(answer.headers).not.toHaveProperty('x-hook')
      expect(looks).toHaveLength(2)
      expect(looks[1]).toEqual(looks[0])
      expect(logged).toEqual([])
    })

    it('does not call next() for a request that it answers', async () => {
      const passed: string[] = []
      const { send } = await serve([new Controller('GET', '/test', () => 'x')], {
        downstream: (app) =>
          void app.use((req, _res, next) => {
            passed.push(req.url)
            next()
          }),
      })
      expect((await send('/test')).text).toBe('x')
      expect(passed).toEqual([])
    })

    it.each(['sync', 'async'])(
      'gives what a callback throws (%s) to next(), the very error',
      async (kind) => {
        const thrown = new Error('secret')
        const caught: unknown[] = []
        const { send, logged } = await serve(
          [
            new Controller('GET', '/', () => {
              if (kind === 'async') return Promise.reject(thrown)
              throw thrown
            }),
          ],
          {
            downstream: (app) =>
              void app.use(
                (error: unknown, _req: ExpressRequest, res: ExpressResponse, _next: NextFunction) => {
                  caught.push(error)
                  res.status(503).send('host')
                },
              ),
          },
        )
        expect(await send('/')).toMatchObject({ status: 503, text: 'host' })
        expect(caught).toHaveLength(1)
        expect(caught[0]).toBe(thrown)
        expect(logged).toEqual([])
      },
    )

    it('gives something to next() also when what was thrown is falsy', async () => {
      const caught: unknown[] = []
      const { send } = await serve(
        [
          new Controller('GET', '/', () => {
            // eslint-disable-next-line @typescript-eslint/only-throw-error
            throw undefined
          }),
        ],
        {
          downstream: (app) => {
            app.use((_req, res) => void res.send('as if nothing had happened'))
            app.use((error: unknown, _req: ExpressRequest, res: ExpressResponse, _next: NextFunction) => {
              caught.push(error)
              res.status(500).send('host')
            })
          },
        },
      )
      expect((await send('/')).text).toBe('host')
      expect(caught).toEqual([expect.any(Error)])
    })

    it('keeps what was set on the response before', async () => {
      const { send } = await serve(
        [new Controller('GET', '/', (_req, res) => res.header('X-Ours', '1').text('x'))],
        {
          upstream: (app) =>
            void app.use((_req, res, next) => {
              res.setHeader('X-Upstream', '1')
              res.cookie('a', '1')
              next()
            }),
        },
      )
      const answer = await send('/')
      expect(answer.headers).toMatchObject({ 'x-upstream': '1', 'x-ours': '1' })
      expect(answer.cookies).toEqual(['a=1; Path=/'])
    })

    it('shows callbacks what was set on the request before', async () => {
      const { send } = await serve([new Controller('GET', '/', (req, res) => res.json(req.user))], {
        upstream: (app) =>
          void app.use((req, _res, next) => {
            Object.assign(req, { user: { name: 'Ada' } })
            next()
          }),
      })
      expect((await send('/')).json()).toEqual({ name: 'Ada' })
    })

    it('leaves alone what somebody upstream has answered and passed on all the same', async () => {
      const reached: string[] = []
      const { send, logged } = await serve(
        [
          new Controller('GET', '/', () => {
            reached.push('callback')
            return 'second'
          }),
        ],
        {
          upstream: (app) =>
            void app.use((_req, res, next) => {
              res.send('first')
              next()
            }),
        },
      )
      expect((await send('/')).text).toBe('first')
      expect([reached, logged]).toEqual([[], []])
    })

    it('matches below the path that it is mounted at', async () => {
      const routeControllers = new RouteControllers([
        new Controller('GET', '/users/:id', (req, res) =>
          res.json([req.params.id, req.url, req.originalUrl]),
        ),
      ])
      const { send } = await serve([], {
        downstream: (app) => void app.use('/api', routeControllers.middleware()),
      })
      expect((await send('/api/users/7?x=1')).json()).toEqual(['7', '/users/7?x=1', '/api/users/7?x=1'])
      expect((await send('/users/7')).status).toBe(404)
    })
  },
  insideExpress,
)

describe('RouteControllers.middleware', () => {
  afterEach(closeAll)

  it('is a function of three parameters', () => {
    expect(new RouteControllers([]).middleware()).toHaveLength(3)
  })

  it('answers 404 and 500 itself where there is no next', async () => {
    const logged: string[] = []
    const logger = { info() {}, warn() {}, error: (message: string) => void logged.push(message) }
    const middleware = new RouteControllers(
      [
        new Controller('GET', '/', () => 'x'),
        new Controller('GET', '/throws', () => {
          throw new Error('secret')
        }),
      ],
      { logger },
    ).middleware()
    const { port, close } = await listenOn((req, res) => middleware(req, res))
    const send = sendTo(port)
    try {
      expect(await send('/')).toMatchObject({ status: 200, text: 'x' })
      expect(await send('/nowhere')).toMatchObject({ status: 404, text: 'Not Found' })
      expect(await send('/throws')).toMatchObject({ status: 500, text: 'Internal Server Error' })
      expect(logged).toEqual([expect.stringContaining('Error: secret')])
    } finally {
      await close()
    }
  })

  it('can be mounted twice, in two apps at once', async () => {
    const middleware = new RouteControllers([new Controller('GET', '/', () => 'x')]).middleware()
    const one = await listenOn(express().use(middleware))
    const other = await listenOn(express().use('/deep', middleware))
    try {
      expect((await sendTo(one.port)('/')).text).toBe('x')
      expect((await sendTo(other.port)('/deep/')).text).toBe('x')
    } finally {
      await one.close()
      await other.close()
    }
  })

  it('listens on a bare node:http server as well', async () => {
    const middleware = new RouteControllers([new Controller('GET', '/', () => 'x')]).middleware()
    const passed: string[] = []
    const server = createServer((req, res) =>
      middleware(req, res, (error) => {
        passed.push(`${req.url} ${String(error)}`)
        res.end('behind')
      }),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    try {
      expect((await sendTo(port)('/')).text).toBe('x')
      expect((await sendTo(port)('/other')).text).toBe('behind')
      expect(passed).toEqual(['/other undefined'])
    } finally {
      server.close()
    }
  })
})
