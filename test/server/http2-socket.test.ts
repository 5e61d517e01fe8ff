import type { ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { RouteControllers } from 'routecontrollers'
import { closeHosted } from '../support/hosting.js'
import { sendBy } from './http2-client.js'
import { serveHttp2 } from './serve-http2.js'

afterEach(closeHosted)

it.each(['h2', 'http/1.1'] as const)(
  'req.socket tells middleware of the connection (%s)',
  async (protocol) => {
    const routeControllers = new RouteControllers([])
    routeControllers.addGlobal((req, res: ServerResponse) => {
      const socket = req.socket as TLSSocket
      const chained = [socket.setNoDelay(), socket.setKeepAlive(), socket.ref(), socket.unref()]
      res.end(
        JSON.stringify({
          chains: chained.every((one) => one === socket),
          remote: [socket.remoteAddress, socket.remoteFamily, typeof socket.remotePort],
          local: [socket.localAddress, socket.localPort, socket.address()],
          alpn: socket.alpnProtocol,
          servername: (socket as { servername?: unknown }).servername,
          authorized: [socket.authorized, socket.authorizationError ?? null],
          certificate: socket.getPeerCertificate(),
          protocol: socket.getProtocol(),
          cipher: typeof socket.getCipher().name,
        }),
      )
    })
    const { port } = await serveHttp2(routeControllers)
    expect((await sendBy(protocol, port)('/')).json()).toEqual({
      chains: true,
      remote: ['127.0.0.1', 'IPv4', 'number'],
      local: ['127.0.0.1', port, { address: '127.0.0.1', family: 'IPv4', port }],
      alpn: protocol,
      servername: 'localhost',
      authorized: [false, null],
      certificate: {},
      protocol: 'TLSv1.3',
      cipher: 'string',
    })
  },
)

it.each(['h2', 'http/1.1'] as const)(
  'req.headersDistinct has each line of a field (%s)',
  async (protocol) => {
    const routeControllers = new RouteControllers([])
    routeControllers.addGlobal((req, res: ServerResponse) => {
      const { host, 'x-a': values } = req.headersDistinct
      res.end(JSON.stringify({ host: host?.length, values }))
    })
    const { port } = await serveHttp2(routeControllers)
    const answer = await sendBy(protocol, port)('/', { headers: { 'x-a': ['1', '2'] as never } })
    expect(answer.json()).toEqual({ host: 1, values: ['1', '2'] })
  },
)

it.each(['h2', 'http/1.1'] as const)(
  'req.socket.end() before an answer ends the request (%s)',
  async (protocol) => {
    const routeControllers = new RouteControllers([])
    routeControllers.addGlobal((req) => void req.socket.end())
    const { port } = await serveHttp2(routeControllers)
    await expect(sendBy(protocol, port)('/')).rejects.toThrow()
  },
)
