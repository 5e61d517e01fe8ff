import type { Server as HttpServer } from 'node:http'
import { RouteControllersError } from '../ground/errors.js'
import { checkPort, type ServerOptions } from './options.js'

/** Resolves when `server` listens. Rejects with ERR_PORT_UNAVAILABLE, ERR_SERVER_STATE or ERR_OPTION_INVALID. */
export async function startListening(
  server: HttpServer,
  { port, host }: { port: ServerOptions['port']; host?: string },
): Promise<void> {
  checkPort(port)
  if (server.listening) {
    throw new RouteControllersError('ERR_SERVER_STATE', 'This server is listening already; stop it first')
  }
  await new Promise<void>((resolve, reject) => {
    const settle = (): void => void server.off('error', onError).off('listening', onListening)
    const onListening = (): void => {
      settle()
      resolve()
    }
    const onError = (cause: NodeJS.ErrnoException): void => {
      settle()
      reject(notListening({ port, ...(host !== undefined && { host }) }, cause, cause.code))
    }
    server.once('error', onError).once('listening', onListening)
    try {
      server.listen(typeof port === 'object' ? port : { port, ...(host !== undefined && { host }) })
    } catch (cause) {
      // For a host that none can have, or where a process may not listen.
      onError(cause as NodeJS.ErrnoException)
    }
  })
}

/** Why a server cannot listen. */
export function notListening(
  { port, host }: { port: ServerOptions['port']; host?: string | undefined },
  cause: Error,
  code: string | undefined,
): RouteControllersError {
  const reason =
    typeof port === 'object'
      ? `The server cannot listen on the descriptor ${port.fd}: ${cause.message}`
      : code === 'EADDRINUSE'
        ? `Port ${port} is in use: stop what listens there, or start with another port (0 picks a free one)`
        : code === 'EACCES'
          ? `Port ${port} is not allowed to this process: ports below 1024 need a privilege`
          : `The server cannot listen on ${host === undefined ? 'port ' : `${host}:`}${port}: ${cause.message}`
  return new RouteControllersError('ERR_PORT_UNAVAILABLE', reason, { cause })
}
