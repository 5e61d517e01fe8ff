// By what a canary has its share without `stickyBy`, and which requests say nothing of a route.
import type { IncomingMessage } from 'node:http'
import type { Exchange } from 'routecontrollers/introspection'

const longest = 200

/**
 * By what a canary has its share of clients. Where a proxy stands in front and `trustProxy` does not name it, all clients would have one
 * address: then what the proxy tells of them tells them apart too. A client may forge that, and choose its side so.
 */
export function addressOf({ realIp, incoming }: Exchange): string | undefined {
  const forwarded = incoming?.headers['x-forwarded-for']
  // A proxy that is trusted has told the address already.
  if (forwarded === undefined || realIp !== ipOf(incoming?.socket.remoteAddress)) return realIp
  const [first = ''] = String(forwarded).slice(0, longest).split(',', 1)
  return `${realIp} ${first.trim()}`
}

/** An address of IPv4 as a socket of IPv6 has it, too. */
function ipOf(address = ''): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}

/** True for a path with an escape that is none: both sides refuse it, each in its own words. */
export function isMalformed({ url = '' }: IncomingMessage): boolean {
  if (!url.includes('%')) return false
  try {
    decodeURIComponent(url.split('?', 1)[0]!)
    return false
  } catch {
    return true
  }
}
