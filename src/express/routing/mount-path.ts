import type { ExpressVersion } from '../application.js'

/** A URL as what is mounted at a path sees it, and the way back. */
export interface InnerUrl {
  readonly url: string
  /** What is added to `req.baseUrl`. */
  readonly baseUrl: string
  /** The outer URL, of what has become of the inner one. */
  restore(url: string): string
}

/** Takes what a mount path has matched off a URL, whose scheme and host, `origin`, stay. */
export function innerUrl(version: ExpressVersion, origin: string, url: string, matched: string): InnerUrl {
  const rest = url.slice(origin.length + matched.length)
  const slashAdded = origin === '' && !rest.startsWith('/')
  return {
    url: `${origin}${slashAdded ? '/' : ''}${rest}`,
    baseUrl: matched.endsWith('/') ? matched.slice(0, -1) : matched,
    restore(inner) {
      const own = slashAdded && (version === 4 || isAddedSlash(inner, matched)) ? inner.slice(1) : inner
      return origin + matched + own.slice(origin.length)
    },
  }
}

/** Whether version 5 takes the slash of a URL for the one that it has put before it, and not for one of the hook's. */
function isAddedSlash(url: string, matched: string): boolean {
  return url === '/' || url.startsWith('/?') || (matched.endsWith('/') && url.startsWith('/'))
}

/** Whether what has matched is the beginning of the path and ends where a segment does; version 4 lets one end at a dot. */
export function isWhole(version: ExpressVersion, matched: string, path: string): boolean {
  if (matched === '') return true
  const following = path[matched.length]
  const ends = following === undefined || following === '/' || (version === 4 && following === '.')
  return ends && path.startsWith(matched)
}

/** Scheme and host of a target in absolute form. */
export function originOf(url: string): string {
  if (url === '' || url.startsWith('/')) return ''
  const [beforeQuery] = url.split('?', 1) as [string]
  const scheme = beforeQuery.indexOf('://')
  return scheme < 0 ? '' : url.substring(0, url.indexOf('/', scheme + 3))
}
