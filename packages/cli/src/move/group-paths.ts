// What paths have in common, read off their texts: a mount and the routes below it, one route and another one.

const plainPath = /^(?:\/(?:\.?[\w~-][\w.~-]*|:[A-Za-z_]\w*))+$|^\/$/

/** True for a path of plain segments and `:name`s, which means the same to a group and to both versions of Express. */
export function isPlainPath(path: string | undefined): path is string {
  return path !== undefined && plainPath.test(path)
}

/** One path below another one; undefined where either is not known. */
export function joinPaths(prefix: string | undefined, path: string | undefined): string | undefined {
  if (prefix === undefined || path === undefined) return undefined
  return prefix + path.replace(/\/$/, '')
}

/** Whether the requests of a path pass what is mounted at another one: all of them, some of them, or none. */
export function passesMount(path: string, mount: string | undefined): 'all' | 'some' | 'none' {
  if (mount === undefined) return 'some'
  const own = segmentsOf(path)
  let result: 'all' | 'some' = 'all'
  for (const [at, segment] of segmentsOf(mount).entries()) {
    const other = own[at]
    if (!isPlain(segment)) return 'some'
    if (other === undefined) return 'none'
    if (segment.startsWith(':') || segment === other) continue
    if (!other.startsWith(':') && segment.toLowerCase() !== other.toLowerCase()) return 'none'
    result = 'some'
  }
  return result
}

/** False where no request is for both paths. */
export function mayMeet(one: string, other: string): boolean {
  const others = segmentsOf(other)
  const own = segmentsOf(one)
  for (const [at, segment] of own.entries()) {
    const beside = others[at]
    if (!isPlain(segment) || (beside !== undefined && !isPlain(beside))) return true
    if (beside === undefined) return false
    if (segment.startsWith(':') || beside.startsWith(':')) continue
    if (segment.toLowerCase() !== beside.toLowerCase()) return false
  }
  const next = others[own.length]
  return next === undefined || !isPlain(next)
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

function isPlain(segment: string): boolean {
  return isPlainPath(`/${segment}`)
}
