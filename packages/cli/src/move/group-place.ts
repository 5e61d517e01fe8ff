// Where the routes of a group are served, as the app has registered them: below which mount, behind which guards, and what stands before all.
import type { Registered, RegisteredUse, Site } from '../documents/registered.js'
import { isPlainPath, joinPaths, passesMount } from './group-paths.js'

/** A function of `use` that a route is behind. */
export interface PassedUse extends RegisteredUse {
  /** Which layer it is, of which router. */
  readonly router: number
  readonly layer: number
}

/** What a route has in common with the others of its group. */
export interface GroupPlace {
  readonly router: number
  readonly prefix: string
  /** What its requests pass because of their path, in order. */
  readonly guards: readonly PassedUse[]
  /** What stands at `/`, before all routes of the app. */
  readonly forAll: readonly PassedUse[]
}

/** Finds the place of a route that its registration says, or the reason why it cannot have a group. */
export function groupPlaceOf(registered: Registered, number: number, app: number): GroupPlace | string {
  const { routers } = registered
  const [router, layer] = registered.rows[number]!
  const { path, mayPass, needsMount } = routers[router]!.layers[layer]!
  if (!isPlainPath(path)) return 'its path is not of plain segments and names'
  if (mayPass) return 'it may give its request on, to pass its guards again'
  const mounts = mountsOf(registered, router, app)
  if (typeof mounts === 'string') return mounts
  const chain = [...mounts, { router, layer, path: undefined }]
  let prefix = ''
  for (const mount of mounts) {
    if (mount.path !== '/' && (!isPlainPath(mount.path) || mount.path.includes(':'))) {
      return 'its router is mounted at no plain path'
    }
    prefix = joinPaths(prefix, mount.path)!
  }
  const root = routers[chain[0]!.router]!
  const own = routers[router]!
  for (const [at, { router: one }] of chain.entries()) {
    const { strict, caseSensitive, params, kind } = routers[one]!
    if (strict !== root.strict || caseSensitive !== root.caseSensitive) {
      return 'its router has other options than the app'
    }
    if (at > 0 && at < chain.length - 1 && kind === 'app') return 'its router stands in an app within the app'
    const names = params.map(({ name }) => name)
    const isMeant = (one: string): boolean => path.split('/').includes(`:${one}`)
    if ((one === router || at === 0) && names.some(isMeant)) return 'a callback of param runs before it'
  }
  if (own.kind === 'app' && mounts.length === 0 && prefix === '') return 'it stands in no router but the app'
  if (prefix !== '' && needsMount !== undefined) return needsMount
  const whole = joinPaths(prefix, path) || '/'
  const guards: PassedUse[] = []
  const forAll: PassedUse[] = []
  let mountedAt: string | undefined = ''
  const around = new Set(chain.slice(1).map((one) => one.router))
  for (const place of chain) {
    for (const use of usesBefore(registered, place.router, place.layer, mountedAt)) {
      // Given by the call that mounts the router, it is a guard of the router alone, as it was meant.
      const { at } = routers[place.router]!.layers[place.layer]!.use ?? {}
      if (use.path === '' && !around.has(use.router) && !isSameCall(use.at, at)) {
        if (!use.isError) forAll.push(use)
        continue
      }
      const passes = passesMount(whole, use.path)
      if (passes === 'none') continue
      if (passes === 'some') return `some of its requests alone pass ${use.name}`
      if (use.isError) return `the error handler ${use.name} stands before it`
      guards.push(use)
    }
    mountedAt = joinPaths(mountedAt, place.path)
  }
  for (const use of [...forAll, ...guards]) {
    const { needsMount: need, mayPass: passes } = routers[use.router]!.layers[use.layer]!
    if (!passes) return `${use.name} before it gives no request on`
    if (need !== undefined && guards.includes(use)) return `${use.name}: ${need}`
  }
  return { router, prefix, guards, forAll }
}

function isSameCall(one: Site | undefined, other: Site | undefined): boolean {
  if (one === undefined || other === undefined) return false
  return one.file === other.file && one.line === other.line && one.column === other.column
}

interface Mount {
  readonly router: number
  readonly layer: number
  readonly path: string | undefined
}

/** The mounts that lead to a router, the outermost first. */
function mountsOf({ routers, roots }: Registered, router: number, app: number): Mount[] | string {
  const mounts: Mount[] = []
  const root = roots[app]
  for (let inner = router; inner !== root;) {
    const found = routers.flatMap(({ layers }, number) =>
      layers.flatMap(({ use }, layer) =>
        use?.leadsTo === inner ? [{ router: number, layer, path: use.path }] : [],
      ),
    )
    const [only] = found
    if (only === undefined) return 'how its router is mounted is not known'
    if (found.length > 1 || mounts.length > 20) return 'its router is mounted more than once'
    mounts.unshift(only)
    inner = only.router
  }
  return mounts
}

/** The functions of `use` before a layer, also those of routers that stand there, by the whole path of each. */
function usesBefore(
  registered: Registered,
  router: number,
  layer: number,
  prefix: string | undefined,
  seen: readonly number[] = [],
): PassedUse[] {
  return registered.routers[router]!.layers.slice(0, layer).flatMap(({ use }, at) => {
    if (use === undefined) return []
    const path = joinPaths(prefix, use.path)
    if (use.leadsTo === undefined) return [{ ...use, path, router, layer: at }]
    if (seen.includes(use.leadsTo)) return []
    return usesBefore(registered, use.leadsTo, Infinity, path, [...seen, use.leadsTo])
  })
}
