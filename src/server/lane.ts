// The servers of Bun and of Deno, which give web Requests: they serve there where nothing needs node:http.
import type { AddressInfo } from 'node:net'
import type { Answering, Resolve, Stopping } from '../request/platform.js'
import { bunPlatform, type DenoInfo, denoPlatform } from '../request/runtime-platform.js'
import { isThenable } from '../ground/thenable.js'
import { notListening } from './listen.js'
import type { ServerOptions, StopOptions } from './options.js'
import { isBytes } from '../ground/bytes.js'

/** What listens for a `Server`. */
export type Lane = 'node:http' | 'Bun.serve' | 'Deno.serve'
type FetchLane = Exclude<Lane, 'node:http'>

/** What the servers of both have in common. */
interface FetchServer {
  readonly address: AddressInfo
  /** Takes no new connections, and resolves when all requests are answered. */
  end(): Promise<unknown>
  /** Ends what is still open. */
  cut(): unknown
}

interface Listening {
  readonly port: number
  readonly hostname: string
  readonly tls: { readonly key: string; readonly cert: string } | undefined
  readonly answer: Answering
  readonly stopping: Stopping
}

interface BunServer {
  readonly port: number
  readonly hostname: string
  requestIP(request: Request): { readonly address: string } | null
  timeout(request: Request, seconds: number): void
  stop(isAbrupt: boolean): Promise<void>
}
interface DenoServer {
  readonly addr: { readonly port: number; readonly hostname: string }
  shutdown(): Promise<void>
}

/** Of the runtimes alone what is used here. */
interface Runtimes {
  readonly Bun?: { serve(options: object): BunServer }
  readonly Deno?: {
    serve(options: object, handler: (request: Request, info: DenoInfo) => Promise<Response>): DenoServer
  }
}

const runtimes = globalThis as Runtimes

/** The server that the runtime has besides node:http; undefined on Node. */
export function ownLane(): FetchLane | undefined {
  if (typeof runtimes.Bun?.serve === 'function') return 'Bun.serve'
  return typeof runtimes.Deno?.serve === 'function' ? 'Deno.serve' : undefined
}

/** Which option only node:http has; undefined where there is none. */
export function optionForNode(options: ServerOptions): string | undefined {
  const { port, fallback, http2, workers, limits = {}, trustProxy, lane, tls } = options
  const needed = {
    lane: lane !== undefined,
    'port: { fd }': typeof port === 'object',
    fallback: fallback !== undefined,
    http2: http2 === true,
    workers: workers !== undefined,
    limits: Object.keys(limits).length > 0,
    trustProxy: trustProxy !== undefined,
    'an option of tls besides key and cert': tls !== undefined && pairOf(tls) === undefined,
  }
  return Object.entries(needed).find(([, isNeeded]) => isNeeded)?.[0]
}

/** Key and certificate, where `tls` has nothing else; undefined otherwise. */
function pairOf({ key, cert, ...others }: NonNullable<ServerOptions['tls']>): Listening['tls'] {
  const isText = (one: unknown): one is string | Uint8Array => typeof one === 'string' || isBytes(one)
  if (!isText(key) || !isText(cert) || Object.keys(others).length > 0) return undefined
  const text = (one: string | Uint8Array): string =>
    typeof one === 'string' ? one : new TextDecoder().decode(one)
  return { key: text(key), cert: text(cert) }
}

/** A server of Bun or Deno that listens. */
export class LaneServer {
  readonly nodeServer: undefined
  readonly isReady = true
  readonly closed: Promise<void>
  readonly #server: FetchServer
  readonly #events: AbortController
  readonly #all: AbortController
  #close!: () => void
  #isClosed = false

  private constructor(server: FetchServer, events: AbortController, all: AbortController) {
    this.#server = server
    this.#events = events
    this.#all = all
    this.closed = new Promise((resolve) => (this.#close = resolve))
  }

  /** Rejects with ERR_PORT_UNAVAILABLE. */
  static start(lane: FetchLane, options: ServerOptions, answer: Answering): LaneServer {
    const { host, tls } = options
    const port = options.port as number
    const [events, all] = [new AbortController(), new AbortController()]
    const stopping = { events: events.signal, all: all.signal }
    const tlsPair = tls && pairOf(tls)
    const listen = (hostname: string): FetchServer =>
      open[lane]({ port, hostname, tls: tlsPair, answer, stopping })
    try {
      return new LaneServer(host === undefined ? everywhere(listen) : listen(host), events, all)
    } catch (cause) {
      throw notListening({ port, host }, cause as Error, codeOf(cause))
    }
  }

  /** Undefined once it does not listen any more. */
  get address(): AddressInfo | undefined {
    return this.#isClosed ? undefined : this.#server.address
  }

  async close({ lameDuckMs, graceMs }: Required<StopOptions>): Promise<void> {
    if (lameDuckMs > 0) await new Promise((resolve) => setTimeout(resolve, lameDuckMs))
    const ended = this.#server.end().then(() => true)
    this.#events.abort()
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), graceMs)))
    const isEnded = await Promise.race([ended, late])
    clearTimeout(timer)
    if (!isEnded) {
      this.#all.abort(new Error('The server has stopped, and waits for this answer no longer'))
      await this.#server.cut()
    }
    this.#isClosed = true
    this.#close()
  }
}

/** As Node listens without a host: at all addresses of both families, where the machine has both. */
function everywhere(listen: (hostname: string) => FetchServer): FetchServer {
  try {
    return listen('::')
  } catch (error) {
    if (codeOf(error) !== 'EAFNOSUPPORT' && codeOf(error) !== 'EADDRNOTAVAIL') throw error
    return listen('0.0.0.0')
  }
}

/** Deno names its errors by classes. */
function codeOf(error: unknown): string | undefined {
  const { code, name } = (error ?? {}) as { code?: string; name?: string }
  return (
    code ??
    { AddrInUse: 'EADDRINUSE', PermissionDenied: 'EACCES', AddrNotAvailable: 'EADDRNOTAVAIL' }[name ?? '']
  )
}

const familyOf = (address: string): string => (address.includes(':') ? 'IPv6' : 'IPv4')

/** Seconds without traffic within a request or an answer, as the default of a server of node:http; most that Bun takes is 255. */
const idleSeconds = 120

const open: Readonly<Record<FetchLane, (listening: Listening) => FetchServer>> = {
  'Bun.serve': ({ port, hostname, tls, answer, stopping }) => {
    const fetch = (request: Request, server: BunServer): Promise<Response> =>
      new Promise((resolve) => answer(request, bunPlatform(server, request, stopping), resolve))
    const server = runtimes.Bun!.serve({
      port,
      hostname,
      ...(tls && { tls }),
      fetch,
      idleTimeout: idleSeconds,
      development: false,
      // Without `development` Bun shares a port unless it is told not to.
      reusePort: false,
    })
    const address = server.hostname
    return {
      address: { address, port: server.port, family: familyOf(address) },
      end: () => server.stop(false),
      cut: () => server.stop(true),
    }
  },
  'Deno.serve': ({ port, hostname, tls, answer, stopping }) => {
    const pending = new Set<Resolve>()
    const serve = (request: Request, info: DenoInfo): Promise<Response> =>
      new Promise((resolve) => {
        const end: Resolve = (response) => {
          // It may not come before the server waits no longer.
          if (isThenable(response)) return void response.then(end)
          pending.delete(end)
          resolve(response)
        }
        pending.add(end)
        answer(request, denoPlatform(info, stopping), end)
      })
    const server = runtimes.Deno!.serve({ port, hostname, ...tls, onListen() {} }, serve)
    const { addr } = server
    const ended = (): Promise<void> => (isEnding ??= server.shutdown())
    let isEnding: Promise<void> | undefined
    return {
      address: { address: addr.hostname, port: addr.port, family: familyOf(addr.hostname) },
      end: ended,
      // Deno has no way to end connections of a server that shuts down: it is given answers.
      cut: () => {
        for (const end of pending) end(new Response(null, { status: 503, headers: { Connection: 'close' } }))
        return ended()
      },
    }
  },
}
