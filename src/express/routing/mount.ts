import type { Mounted, Scope } from '../../routing/scope.js'
import type { Application, ExpressVersion } from '../application.js'
import type { PathMatch } from './path-matcher.js'
import { compile } from './read-path.js'

/** What Express adds to a request that something mounted sees. */
interface MountedRequest extends Mounted {
  baseUrl?: string
  params?: Record<string, string>
}

/** The scope of a hook at a path, which takes what `app.use(path, …)` takes: all that is below a path that a route matches. */
export function createMount(application: Application, source: string): Scope {
  const { version } = application
  const matcher = compile(version, source, {
    sensitive: Boolean(application.get('case sensitive routing')),
    strict: false,
    end: false,
  })
  const find = (path: string): PathMatch | undefined => {
    const match = matcher(path)
    return match !== undefined && isWhole(version, match.path, path) ? match : undefined
  }
  return {
    source,
    segments: [],
    match: (path) => find(path)?.path.length ?? -1,
    enter(request: MountedRequest, path) {
      const { path: removed, params } = find(path)!
      const { params: outerParams } = request
      const leave = removed === '' ? undefined : strip(version, request, removed)
      request.params = params
      return () => {
        if (outerParams !== undefined) request.params = outerParams
        leave?.()
      }
    },
  }
}

/** Whether what has matched is the beginning of the path and ends where a segment does; version 4 lets one end at a dot. */
export function isWhole(version: ExpressVersion, matched: string, path: string): boolean {
  if (matched === '') return true
  const following = path[matched.length]
  const ends = following === undefined || following === '/' || (version === 4 && following === '.')
  return ends && path.startsWith(matched)
}

/** Takes what a mount has matched off the URL, and gives back what puts it on again. */
function strip(version: ExpressVersion, request: MountedRequest, removed: string): () => void {
  const url = request.url!
  const outer = request.baseUrl ?? ''
  // An absolute-form target keeps its scheme and host: only the path is cut.
  const start = url.startsWith('/') ? 0 : Math.max(url.indexOf('/', url.indexOf('://') + 3), 0)
  const origin = url.slice(0, start)
  const rest = url.slice(start + removed.length)
  const slashAdded = origin === '' && !rest.startsWith('/')
  request.url = `${origin}${slashAdded ? '/' : ''}${rest}`
  request.baseUrl = outer + removed.replace(/\/$/, '')
  return () => {
    // From what the URL is now: the hook may have rewritten it.
    let inner = request.url!
    if (slashAdded && (version === 4 || isAddedSlash(inner, removed))) inner = inner.slice(1)
    request.baseUrl = outer
    request.url = origin + removed + inner.slice(origin.length)
  }
}

/** Whether version 5 takes the slash of a URL for the one that it has put before it, and not for one of the hook's. */
export function isAddedSlash(url: string, removed: string): boolean {
  return url === '/' || url.startsWith('/?') || (removed.endsWith('/') && url.startsWith('/'))
}
