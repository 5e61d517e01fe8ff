import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { type NodeHandler, toConnect, toListener } from 'routecontrollers'
import { closeHosted, closeLater, host } from '../support/hosting.js'
import { openRaw } from '../support/raw-socket.js'

afterEach(closeHosted)

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
    expect(logged.mock.calls).toEqual([[expect.stringContaining('next(error) has thrown: Error: the host')]])
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
