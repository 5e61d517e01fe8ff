import type { Mounted, Scope } from '../../routing/scope.js'
import type { Application, ExpressVersion } from '../application.js'
import { innerUrl, isWhole, originOf } from './mount-path.js'
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
  // What has matched is entered at once: no other request comes in between.
  let found: PathMatch | undefined
  return {
    source,
    segments: [],
    match(path) {
      const match = matcher(path)
      found = match !== undefined && isWhole(version, match.path, path) ? match : undefined
      return found?.path.length ?? -1
    },
    enter(request: MountedRequest) {
      const { path: matched, params } = found!
      const { params: outerParams } = request
      const leave = matched === '' ? undefined : strip(version, request, matched)
      request.params = params
      return () => {
        request.params = outerParams!
        leave?.()
      }
    },
  }
}

/** Takes what a mount has matched off the URL, and gives back what puts it on again. */
function strip(version: ExpressVersion, request: MountedRequest, matched: string): () => void {
  const url = request.url!
  const outer = request.baseUrl!
  const inner = innerUrl(version, originOf(url), url, matched)
  request.url = inner.url
  request.baseUrl = outer + inner.baseUrl
  return () => {
    // From what the URL is now: the hook may have rewritten it.
    request.url = inner.restore(request.url!)
    request.baseUrl = outer
  }
}
