import { type RouteControllers, Server, type ServerOptions } from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { closeLater } from '../support/hosting.js'

/** Serves HTTP/2, and HTTP/1.1 on the same port, until `closeHosted` is called. */
export async function serveHttp2(
  routeControllers: RouteControllers,
  options: Partial<ServerOptions> = {},
): Promise<{ server: Server; port: number }> {
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers,
    tls: { key, cert },
    http2: true,
    ...options,
  })
  closeLater(() => server.stop({ graceMs: 0 }))
  return { server, port: server.getPort() }
}
