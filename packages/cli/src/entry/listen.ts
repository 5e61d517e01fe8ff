import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'
import type { Address } from '../documents/child.js'

type Listen = (this: net.Server, ...parameters: unknown[]) => net.Server

/**
 * Answers `listen` of each HTTP server without a port: `found` gets its request listeners, and the server. `called` is for each call, before
 * it returns. Gives what undoes that.
 */
export function answerListen(
  found: (listener: unknown, server: net.Server) => void,
  called: () => void = () => {},
): () => void {
  const prototype = net.Server.prototype as unknown as { listen: Listen }
  const { listen } = prototype
  prototype.listen = function (...parameters) {
    if (!isHttp(this)) return listen.apply(this, parameters)
    called()
    pretend(this, parameters, () => {
      for (const listener of this.listeners('request')) found(listener, this)
    })
    return this
  }
  return () => {
    prototype.listen = listen
  }
}

/** Lets each HTTP server listen on a free port, for this machine alone, whatever it asks for. */
export function listenOnFreePort(found: (listener: unknown, address: Address) => void): void {
  const prototype = net.Server.prototype as unknown as { listen: Listen }
  const { listen } = prototype
  prototype.listen = function (...parameters) {
    if (!isHttp(this)) return listen.apply(this, parameters)
    this.once('listening', () => {
      const { port } = this.address() as net.AddressInfo
      for (const listener of this.listeners('request'))
        found(listener, { port, isSecure: this instanceof tls.Server })
    })
    const callback = parameters.filter((one) => typeof one === 'function')
    return listen.call(this, { port: 0, host: '127.0.0.1' }, ...callback)
  }
}

/** A server of another protocol is an effect of the entry like any other. */
function isHttp(server: net.Server): boolean {
  return (
    server.listenerCount('request') > 0 || server instanceof http.Server || server instanceof https.Server
  )
}

/** Lets a server look as one that listens. */
function pretend(server: net.Server, parameters: readonly unknown[], listening: () => void): void {
  const [first] = parameters
  const options = (typeof first === 'object' && first !== null ? first : {}) as {
    port?: unknown
    path?: unknown
    host?: unknown
  }
  const path = options.path ?? (typeof first === 'string' && !/^\d+$/.test(first) ? first : undefined)
  const port = Number(options.port ?? (typeof first === 'object' ? 0 : first)) || 3000
  const asked = typeof parameters[1] === 'string' ? parameters[1] : options.host
  const host = typeof asked === 'string' ? asked : '::'
  const address =
    typeof path === 'string' ? path : { address: host, family: host.includes(':') ? 'IPv6' : 'IPv4', port }
  let isListening = true
  Object.defineProperties(server, {
    listening: { configurable: true, get: () => isListening },
    address: { configurable: true, writable: true, value: () => (isListening ? address : null) },
    close: {
      configurable: true,
      writable: true,
      value(callback?: () => void) {
        isListening = false
        if (typeof callback === 'function') server.once('close', callback)
        process.nextTick(() => server.emit('close'))
        return server
      },
    },
  })
  const callback = parameters.at(-1)
  if (typeof callback === 'function') server.once('listening', callback as () => void)
  process.nextTick(() => {
    listening()
    server.emit('listening')
  })
}
