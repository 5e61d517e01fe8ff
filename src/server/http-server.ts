import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { ServerOptions as HttpsOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { builtin } from '../ground/builtin.js'
import { RouteControllersError } from '../ground/errors.js'
import { isEventStream } from '../node/event-stream.js'
import { ownClasses } from '../node/request-members.js'
import { Connections } from '../node/shutdown.js'
import type { ExtendClasses, NodeClasses, NodeHandler } from '../ground/types.js'
import { startListening } from './listen.js'
import type { ServerLimits, ServerOptions, StopOptions } from './options.js'

/** Makes what answers the requests of a server. Throws ERR_OPTION_INVALID. */
export type Serve = (
  options: ServerOptions,
  limits: Required<ServerLimits>,
) => { listener: NodeHandler; extendClasses: ExtendClasses | undefined }

/** A server of node:http(s) that listens, with the limits of the options. */
export class ListeningServer {
  readonly nodeServer: HttpServer
  readonly closed: Promise<void>
  readonly #connections: Connections

  private constructor(nodeServer: HttpServer, connections: Connections) {
    this.nodeServer = nodeServer
    this.#connections = connections
    this.closed = new Promise((resolve) => nodeServer.once('close', resolve))
  }

  /** Rejects with ERR_PORT_UNAVAILABLE, and with ERR_OPTION_INVALID for an invalid `tls` or `trustProxy`. */
  static async start(
    options: ServerOptions,
    limits: Required<ServerLimits>,
    serve: Serve,
  ): Promise<ListeningServer> {
    const { listener, extendClasses } = serve(options, limits)
    const classes = ownClasses(builtin('node:http', 'Server'), extendClasses, options.fallback)
    const server = createNodeServer(options, limits, classes, listener)
    const connections = new Connections(server)
    if (options.http2) {
      const { serveHttp2 } = await import('../node/http2.js')
      serveHttp2(server, { connections, classes, logger: options.logger ?? console, limits })
    }
    await startListening(server, options)
    return new ListeningServer(server, connections)
  }

  get address(): AddressInfo | undefined {
    const address = this.nodeServer.address()
    return typeof address === 'object' && address !== null ? address : undefined
  }

  get isReady(): boolean {
    return this.nodeServer.listening
  }

  async close({ lameDuckMs, graceMs }: Required<StopOptions>): Promise<void> {
    this.#connections.announceClose()
    if (lameDuckMs > 0) await new Promise((resolve) => setTimeout(resolve, lameDuckMs))
    await new Promise<void>((resolve) => this.#connections.close(graceMs, resolve))
  }
}

function createNodeServer(
  { tls, http2 }: ServerOptions,
  limits: Required<ServerLimits>,
  classes: NodeClasses,
  listener: NodeHandler,
): HttpServer {
  const settings: HttpsOptions = {
    ...classes,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // Whatever flag the process was started with.
    insecureHTTPParser: false,
    noDelay: true,
    // Finds peers that have gone without closing the connection.
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  }
  const server =
    tls === undefined
      ? builtin('node:http', 'Server').createServer(settings, listener)
      : createTlsServer(
          {
            ...settings,
            ...(limits.headersTimeoutMs > 0 && { handshakeTimeout: limits.headersTimeoutMs }),
            ...(http2 && { ALPNProtocols: ['h2', 'http/1.1'] }),
            ...tls,
          },
          listener,
        )
  server.timeout = limits.socketTimeoutMs
  server.on('timeout', (socket: Socket) => closeIdle(server, socket))
  // Node would silently drop the fields over its count, while its parser obeys them (CVE-2026-58044). This package counts them
  // where the request is answered.
  server.maxHeadersCount = 0
  return server
}

function createTlsServer(settings: HttpsOptions, listener: NodeHandler): HttpServer {
  try {
    return builtin('node:https', 'Server').createServer(settings, listener)
  } catch (cause) {
    throw new RouteControllersError('ERR_OPTION_INVALID', `tls cannot be used: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** Closes a connection without traffic for its timeout. Node leaves this to the listeners of `timeout`. */
function closeIdle(server: HttpServer, socket: Socket & { _httpMessage?: ServerResponse | null }): void {
  const { _httpMessage: res } = socket
  const hears = (some: NodeJS.EventEmitter | undefined, own = 0): boolean =>
    some !== undefined && some.listenerCount('timeout') > own
  if (hears(server, 1) || hears(res ?? undefined) || (res?.req.complete === false && hears(res.req))) return
  // Events may be rare, so the stream stays open. A client that does not read the events is cut.
  if (res && isEventStream(res) && socket.writableLength === 0) socket.setTimeout(server.timeout)
  else socket.destroy()
}
