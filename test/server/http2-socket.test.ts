import type { ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { RouteControllers, Server } from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { sendBy } from './http2-client.js'

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
    const server = new Server()
    await server.start({
      port: 0,
      host: '127.0.0.1',
      RouteControllers: routeControllers,
      tls: { key, cert },
      http2: true,
    })
    closeLater(() => server.stop({ graceMs: 0 }))
    const port = server.getPort()
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
