import type { IncomingMessage } from 'node:http'
import { builtin } from '../ground/builtin.js'
import { RouteControllersError } from '../ground/errors.js'

/** True for the address of a trusted proxy. */
export type Trust = (address: string) => boolean

/** Proxies to trust: addresses, `10.0.0.0/8` ranges and the names `loopback`, `linklocal`, `uniquelocal`. */
export type TrustProxy = string | readonly string[]

const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Compiles the option `trustProxy`. Throws ERR_OPTION_INVALID for what is no address.
 *
 * A number of hops is refused, because it trusts every client that connects directly. Such a client can claim any address.
 */
export function compileTrust(trustProxy: TrustProxy): Trust {
  const ranges = typeof trustProxy === 'string' ? trustProxy.split(',') : trustProxy
  if (!Array.isArray(ranges) || ranges.some((range) => typeof range !== 'string')) {
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      `trustProxy takes addresses of proxies, as in ['10.0.0.0/8', 'loopback'], not ${typeof trustProxy}: a number of hops cannot tell a proxy from a client`,
    )
  }
  const net = builtin('node:net', 'trustProxy')
  const list = new net.BlockList()
  for (const range of (ranges as string[]).flatMap((name) => named[name.trim()] ?? [name.trim()])) {
    const [address, bits, ...rest] = range.split('/') as [string, string?, ...string[]]
    const family = net.isIP(address)
    const prefix = bits === undefined ? (family === 6 ? 128 : 32) : Number(bits)
    if (
      family === 0 ||
      rest.length > 0 ||
      !/^\d{1,3}$/.test(bits ?? '0') ||
      prefix > (family === 6 ? 128 : 32)
    ) {
      throw new RouteControllersError(
        'ERR_OPTION_INVALID',
        `trustProxy: ${JSON.stringify(range)} is not an address`,
      )
    }
    list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4')
  }
  return (address) => {
    const family = net.isIP(address)
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}

/** The canonical spelling of an address: IPv4 that comes mapped into IPv6 is IPv4. */
export function canonicalAddress(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice(7) : address
}

const maxHops = 50

/**
 * The client's address. It is that of the socket or, where that is a trusted proxy, the nearest untrusted one in X-Forwarded-For.
 * The list is read from right to left, because the client may have written everything left of that address.
 */
export function clientAddress(
  req: IncomingMessage,
  trust: Trust | undefined,
  ipIsOurs = false,
): string | undefined {
  // Express has computed it by its own `trust proxy`. An `ip` of this package would call this function again.
  if (trust === undefined && !ipIsOurs && 'ip' in req && typeof req.ip === 'string') {
    return canonicalAddress(req.ip)
  }
  const header = req.headers['x-forwarded-for']
  return addressBehind(req.socket?.remoteAddress, Array.isArray(header) ? header.join(',') : header, trust)
}

/** The client's address, of that of the peer and X-Forwarded-For; see `clientAddress`. */
export function addressBehind(
  peer: string | undefined,
  list: string | undefined,
  trust: Trust | undefined,
): string | undefined {
  if (peer === undefined) return undefined
  let address = canonicalAddress(peer)
  if (list === undefined || trust === undefined || !trust(address)) return address
  // By its commas from the end: a limit on split() would count from the client's end, and leave out what the proxy has written.
  let end = list.length
  for (let hop = 0; hop < maxHops && end >= 0; hop++) {
    const comma = list.lastIndexOf(',', end - 1)
    const next = readAddress(list.slice(comma + 1, end).trim())
    if (next === undefined) return address
    address = next
    if (!trust(address)) return address
    end = comma
  }
  return address
}

// A socket's address is written canonically; in a header one address may have many spellings, and then many rate limits.
function readAddress(text: string): string | undefined {
  const family = builtin('node:net', 'An address').isIP(text)
  if (family !== 6) return family === 0 ? undefined : text
  // Not SocketAddress: that of Bun keeps the spelling, that of Deno throws at a zone, and that of Node writes `::102:304` as `::1.2.3.4`.
  return spelledByUrl(text.replace(/%.*/, ''))
}

function spelledByUrl(address: string): string {
  const spelled = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(spelled)
  if (mapped === null) return spelled
  const words = [parseInt(mapped[1]!, 16), parseInt(mapped[2]!, 16)]
  return words.flatMap((word) => [word >> 8, word & 255]).join('.')
}

/** The scheme by which the client has come: what X-Forwarded-Proto says where the peer is trusted, else the socket's. */
export function clientScheme(req: IncomingMessage, trust: Trust | undefined): 'http' | 'https' {
  const said = saidByPeer(req, 'x-forwarded-proto', trust)?.toLowerCase()
  if (said === 'http' || said === 'https') return said
  return (req.socket as { encrypted?: boolean } | undefined)?.encrypted === true ? 'https' : 'http'
}

/** The host that the client has asked for: what X-Forwarded-Host says where the peer is trusted, else the Host field. */
export function clientHost(req: IncomingMessage, trust: Trust | undefined): string | undefined {
  return saidByPeer(req, 'x-forwarded-host', trust) ?? req.headers.host
}

// Of a list the last entry counts: the peer has written it, and the client may have written those before it.
function saidByPeer(
  req: IncomingMessage,
  name: 'x-forwarded-proto' | 'x-forwarded-host',
  trust: Trust | undefined,
): string | undefined {
  if (trust === undefined) return undefined
  const header = req.headers[name]
  if (typeof header !== 'string') return undefined
  const peer = req.socket?.remoteAddress
  if (peer === undefined || !trust(canonicalAddress(peer))) return undefined
  return header.slice(header.lastIndexOf(',') + 1).trim()
}
