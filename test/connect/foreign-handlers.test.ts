import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import {
  type ConnectHandler,
  Controller,
  type FetchHandler,
  type ForeignFetchHandler,
  type Logger,
  type NodeHandler,
  RouteControllers,
  Server,
  toConnect,
  toListener,
} from 'routecontrollers'
import { closeHosted, closeLater, host } from '../support/hosting.js'
import { openRaw } from '../support/raw-socket.js'
import { refusal } from '../support/refusal.js'

afterEach(closeHosted)

const boom = (): never => {
  throw new Error('boom')
}
const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: t\r\n\r\n`

describe('A fetch handler of somebody else', () => {
  let logged: jest.SpyInstance
  beforeEach(() => {
    logged = jest.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => logged.mockRestore())

  it.each([
    ['a failure is told once', new Error('too late'), [[expect.stringContaining('GET /: Error: too late')]]],
    ['a refusal is not', Object.assign(new Error('gone'), { status: 410 }), []],
  ])('that throws when its client has gone: %s', async (_what, thrown, lines) => {
    let arrived = (): void => {}
    const arrival = new Promise<void>((resolve) => (arrived = resolve))
    let left = (): void => {}
    const leaving = new Promise<void>((resolve) => (left = resolve))
    const listener = toListener(async () => {
      arrived()
      await leaving
      throw thrown
    })
    const { port } = await host((req, res) => {
      res.once('close', left)
      listener(req, res)
    })
    const client = await openRaw(port)
    client.write(get('/'))
    await arrival
    client.reset()
    await leaving
    await new Promise(setImmediate)
    expect(logged.mock.calls).toEqual(lines)
  })

  it('whose host throws from next(error) when an answer has begun: the connection is cut, the process lives', async () => {
    const handler = toConnect(async () => {
      throw new Error('refused')
    })
    const begin: NodeHandler = (req, res) =>
      handler(req, res, () => {
        res.writeHead(200, { 'Content-Length': '100' }).write('half')
        throw new Error('the host has failed')
      })
    const { port, send } = await host((req, res) => {
      if (req.url === '/') begin(req, res)
      else res.end('alive')
    })
    const client = (await openRaw(port)).write(get('/'))
    expect(await client.untilClosed()).not.toContain('500')
    expect((await send('/next')).text).toBe('alive')
    expect(logged.mock.calls).toEqual([
      [expect.stringContaining('next(error) has thrown: Error: the host')],
      [expect.stringContaining('GET /: Error: refused')],
    ])
  })

  describe('is told of to the logger of the option, and not to the console', () => {
    interface Way {
      serve: (fetchHandler: ForeignFetchHandler, logger: Logger) => NodeHandler | Promise<number>
    }
    const ways: [string, Way][] = [
      ['toListener', { serve: (fetchHandler, logger) => toListener(fetchHandler, { logger }) }],
      [
        'toConnect without next()',
        {
          serve: (fetchHandler, logger) => {
            const handler = toConnect(fetchHandler, { logger })
            return (req, res) => handler(req, res)
          },
        },
      ],
      [
        'a Server',
        {
          serve: async (fetchHandler, logger) => {
            const server = new Server()
            closeLater(() => server.stop())
            const getCallback = () => fetchHandler as FetchHandler
            await server.start({ port: 0, host: '127.0.0.1', routeControllers: { getCallback }, logger })
            return server.getPort()
          },
        },
      ],
    ]

    describe.each(ways)('by %s', (_name, { serve }) => {
      async function linesOf(fetchHandler: ForeignFetchHandler): Promise<[lines: string[], answer: string]> {
        const lines: string[] = []
        const note = (line: string): void => void lines.push(line)
        const served = await serve(fetchHandler, { info: note, warn: note, error: note })
        const port = typeof served === 'number' ? served : (await host(served)).port
        const client = (await openRaw(port)).write(
          'GET /a?secret=1 HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n',
        )
        return [lines, await client.untilClosed()]
      }

      it('when it throws', async () => {
        const [lines, answer] = await linesOf(() => Promise.reject(new Error('boom')))
        expect(lines).toEqual([expect.stringMatching(/^GET \/a: Error: boom\n/)])
        expect(answer).toMatch(/^HTTP\/1\.1 500 /)
        expect(logged.mock.calls).toEqual([])
      })

      it('when its stream fails', async () => {
        const body = () => new ReadableStream({ pull: (controller) => controller.error(new Error('midway')) })
        const [lines] = await linesOf(() => new Response(body()))
        expect(lines).toEqual([expect.stringMatching(/^GET \/a: the answer broke off: Error: midway\n/)])
        expect(logged.mock.calls).toEqual([])
      })

      it('but not when it refuses', async () => {
        const [lines, answer] = await linesOf(() => {
          throw Object.assign(new Error('gone'), { status: 410 })
        })
        expect([lines, logged.mock.calls]).toEqual([[], []])
        expect(answer).toMatch(/^HTTP\/1\.1 410 /)
      })
    })

    it.each<[string, (logger: Logger) => ConnectHandler]>([
      ['of a fetch handler', (logger) => toConnect(() => Promise.reject(new Error('boom')), { logger })],
      [
        'of RouteControllers',
        (logger) => new RouteControllers([new Controller('GET', '/a', boom)], { logger }).middleware(),
      ],
    ])('when next(error) %s throws', async (_what, make) => {
      const lines: string[] = []
      const note = (line: string): void => void lines.push(line)
      const handler = make({ info: note, warn: note, error: note })
      const { send } = await host((req, res) =>
        handler(req, res, () => {
          throw new RangeError('as polka does')
        }),
      )
      expect((await send('/a?secret=1')).status).toBe(500)
      expect(lines).toEqual([
        expect.stringMatching(/^GET \/a.*: next\(error\) has thrown: RangeError: as polka does\n/),
        expect.stringMatching(/^GET \/a.*: Error: boom\n/),
      ])
      expect(lines.join()).not.toContain('secret')
      expect(logged.mock.calls).toEqual([])
    })

    it.each([
      ['toConnect', toConnect, 'logger'],
      ['toListener', toListener, 'fallback, logger'],
    ])('%s refuses what is no logger', (name, adapt, options) => {
      const adaptAny = adapt as (fetchHandler: ForeignFetchHandler, options: unknown) => unknown
      expect(() => adaptAny(() => undefined, { logger: {} })).toThrow(
        refusal('ERR_OPTION_INVALID', 'logger.info is a function, not undefined'),
      )
      expect(() => adaptAny(() => undefined, { log: console })).toThrow(
        refusal('ERR_OPTION_INVALID', `${name} has no option "log"; it has ${options}`),
      )
    })
  })

  it('is asked for `*` by a URL, which has a path', async () => {
    const { send } = await host(toListener((request) => new Response(new URL(request.url).pathname)))
    expect((await send('*', { method: 'OPTIONS' })).text).toBe('/')
  })

  it('gets no pseudo-header of HTTP/2 from Node’s own server for that', async () => {
    const listener = toListener((request) => Response.json([...request.headers.keys()]))
    const server = createHttp2Server((req, res) => listener(req as never, res as unknown as ServerResponse))
    closeLater(() => server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    closeLater(() => session.close())
    const stream = session.request({ ':path': '/', 'x-one': '1' })
    const chunks = (await stream.toArray()) as Buffer[]
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual(['x-one'])
  })
})
