import type { IncomingMessage } from 'node:http'
import { RouteControllersError } from '../ground/errors.js'
import { toReadableStream } from '../answer/streams.js'
import type { NodeExchange } from './exchange.js'
import { fieldLines } from './field-lines.js'
import { clientHost, clientScheme, type Trust } from '../request/forwarded.js'
import { isHost, parseTarget } from './target.js'

/**
 * The web Request of a Node request, with the whole URL (the mount path included) and every header line.
 *
 * Throws a 4xx or 501 for what a Request cannot carry: CONNECT and TRACE, and hosts that no URL can have.
 */
export function toRequest(exchange: NodeExchange): Request {
  const { incoming } = exchange
  const method = incoming.method!
  if (method === 'TRACE' || method === 'CONNECT' || method === 'TRACK') {
    throw new RouteControllersError('ERR_METHOD_INVALID', `${method} is not served here`, { status: 501 })
  }
  const url = toUrl(exchange)
  // A web Request of these two takes no body.
  const bodiless = method === 'GET' || method === 'HEAD' || !exchange.hasBody
  const init: RequestInit & { duplex?: 'half' } = {
    method,
    headers: toHeaders(incoming),
    signal: exchange.signal,
  }
  if (!bodiless) {
    init.body = toReadableStream(exchange.bodyConsumed ? replay(exchange) : exchange.chunks())
    init.duplex = 'half'
  }
  try {
    return new Request(url, init)
  } catch (cause) {
    throw new RouteControllersError('ERR_TARGET_INVALID', 'The request cannot be a web Request', { cause })
  }
}

// Written again only when it is asked for: a handler that passes a request on needs no body.
async function* replay(exchange: NodeExchange): AsyncGenerator<Uint8Array> {
  yield await exchange.readBytes(Infinity)
}

// By concatenation: URL then resolves what it must, but takes the host from nowhere else.
function toUrl({ incoming, sentUrl, trust }: NodeExchange): string {
  const { originalUrl } = incoming as { originalUrl?: string }
  const { path, search, scheme, host } = parseTarget(originalUrl ?? sentUrl)
  const authority = host ?? hostOf(incoming, trust)
  // Of `evil.com/x?` concatenation would make a path that no guard has seen.
  if (!isHost(authority)) {
    throw new RouteControllersError('ERR_HOST_INVALID', 'The Host field is malformed')
  }
  const origin = `${scheme ?? schemeOf(incoming, trust)}://${authority}`
  return `${origin}${path === '*' ? '/' : path}${search === '' ? '' : `?${search}`}`
}

interface Express {
  protocol?: string
  app?: {
    get(setting: 'trust proxy fn'): ((address: string | undefined, hop: number) => boolean) | undefined
  }
}

// Express's `protocol` follows its `trust proxy`.
function schemeOf(incoming: IncomingMessage, trust: Trust | undefined): string {
  const { protocol } = incoming as Express
  return protocol === 'http' || protocol === 'https' ? protocol : clientScheme(incoming, trust)
}

// Express 4 has no host with its port, so the setting behind `req.host` is asked, as Express itself does.
function hostOf(incoming: IncomingMessage, trust: Trust | undefined): string {
  const forwarded = incoming.headers['x-forwarded-host']
  const trusts = (incoming as Express).app?.get('trust proxy fn')
  if (typeof forwarded === 'string' && trusts?.(incoming.socket.remoteAddress, 0)) {
    return forwarded.split(',', 1)[0]!.trim()
  }
  return clientHost(incoming, trust) ?? 'localhost'
}

// From the lines, where duplicates that Node drops or joins are still apart.
function toHeaders(incoming: IncomingMessage): Headers {
  const headers = new Headers()
  const lines = fieldLines(incoming)
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at]!
    // HTTP/2 pseudo-headers are no header fields.
    if (name.charCodeAt(0) !== 0x3a) headers.append(name, lines[at + 1]!)
  }
  return headers
}
