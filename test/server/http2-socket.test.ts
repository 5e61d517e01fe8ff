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
