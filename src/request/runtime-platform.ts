import { brand, type Platform, type ServedPlatform, type Stopping } from './platform.js'

/**
 * What the entries of runtimes and `Server` tell of a request. The address is asked for when it is read, because that costs as much as a small
 * request. A class, because an object with a getter of its own costs more than that.
 */
class RuntimePlatform<Env, Raw = unknown> implements ServedPlatform<Env> {
  readonly raw: Raw
  readonly env: Env
  readonly waitUntil: Platform['waitUntil']
  readonly stopping: Stopping | undefined
  readonly [brand] = true as const

  constructor(raw: Raw, env: Env, waitUntil?: Platform['waitUntil'], stopping?: Stopping) {
    this.raw = raw
    this.env = env
    this.waitUntil = waitUntil
    this.stopping = stopping
  }

  get ip(): string | undefined {
    return undefined
  }
}

/** Where the address is known by other means. */
class PeerPlatform<Env> extends RuntimePlatform<Env> {
  readonly #peer: () => string | undefined

  constructor(raw: unknown, env: Env, peer: () => string | undefined, waitUntil?: Platform['waitUntil']) {
    super(raw, env, waitUntil)
    this.#peer = peer
  }

  override get ip(): string | undefined {
    return this.#peer()
  }
}

/** What `Bun.serve` tells. */
class BunPlatform extends RuntimePlatform<undefined, BunServer | undefined> {
  readonly #request: Request

  constructor(server: BunServer | undefined, request: Request, stopping?: Stopping) {
    super(server, undefined, undefined, stopping)
    this.#request = request
  }

  override get ip(): string | undefined {
    return this.raw?.requestIP(this.#request)?.address
  }

  beginEvents(): void {
    this.raw?.timeout?.(this.#request, 0)
  }
}

/** What `Deno.serve` tells. */
class DenoPlatform extends RuntimePlatform<undefined, DenoInfo | undefined> {
  constructor(info: DenoInfo | undefined, stopping?: Stopping) {
    super(info, undefined, undefined, stopping)
  }

  override get ip(): string | undefined {
    const address = this.raw?.remoteAddr
    return address !== undefined && 'hostname' in address ? address.hostname : undefined
  }
}

/** The part of Bun's server that this package uses. */
export interface BunServer {
  /** The address of the peer; null where the socket is closed, or a file. */
  requestIP(request: Request): { readonly address: string } | null
  /** Sets for how many seconds a connection may be silent; 0 for no limit. */
  timeout?(request: Request, seconds: number): void
}

/** What Deno tells about a request. */
export interface DenoInfo {
  /** The peer: a socket with an address, or a file, which has none. */
  readonly remoteAddr: { readonly transport: string } | { readonly hostname: string }
}

export function peerPlatform<Env>(
  raw: unknown,
  env: Env,
  peer: () => string | undefined,
  waitUntil?: Platform['waitUntil'],
): ServedPlatform<Env> {
  return new PeerPlatform(raw, env, peer, waitUntil)
}

export function bunPlatform(
  server: BunServer | undefined,
  request: Request,
  stopping?: Stopping,
): ServedPlatform<undefined> {
  return new BunPlatform(server, request, stopping)
}

export function denoPlatform(info: DenoInfo | undefined, stopping?: Stopping): ServedPlatform<undefined> {
  return new DenoPlatform(info, stopping)
}
