import { RouteControllersError } from '../ground/errors.js'
import { parsePattern, type Segment } from './pattern.js'

/** A path that a hook is mounted at: its segments, as a route's pattern has them. */
export interface Scope {
  readonly source: string
  readonly segments: readonly Segment[]
}

/** Reads the path of `addGlobal(path, hook)`: static and `:name` segments. Throws ERR_PATTERN_INVALID. */
export function parseScope(source: string): Scope {
  const pattern = parsePattern(source)
  const segments = [...pattern.segments]
  const last = segments.at(-1) as Segment
  if (last.kind === 'wildcard') {
    throw new RouteControllersError(
      'ERR_PATTERN_INVALID',
      `A hook's path covers all that is below it: write ${JSON.stringify(source.slice(0, source.lastIndexOf('/')) || '/')} instead of ${JSON.stringify(source)}`,
    )
  }
  // A trailing slash is an empty last segment; `/admin/` mounts where `/admin` does.
  if (last.kind === 'static' && last.text === '') segments.pop()
  return { source, segments }
}

/**
 * How much of `path` the scope takes, or -1 when the path is not under it.
 *
 * It compares what the route index compares: whole segments of the raw path (CVE-2026-33490: `/admin-public` is not
 * under `/admin`).
 */
export function matchScope(scope: Scope, path: string): number {
  let at = 0
  for (const segment of scope.segments) {
    if (path.charCodeAt(at) !== slash) return -1
    const start = at + 1
    let end = path.indexOf('/', start)
    if (end < 0) end = path.length
    if (segment.kind === 'static' ? segment.text !== path.slice(start, end) : end === start) return -1
    at = end
  }
  return at
}

const slash = 0x2f
