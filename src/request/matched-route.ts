/** What has matched a request: the same frozen object for every request of a Controller. */
export interface MatchedRoute {
  /** The method of the Controller: `'*'` for all, and `'GET'` for a HEAD request that a GET route answers. */
  readonly method: string
  /** The path as it was written: `/users/:id`. */
  readonly path: string
  /** The option `name` of the Controller. */
  readonly name: string | undefined
}

/** A Controller, as far as its route goes. */
export interface Routed {
  readonly method: string
  readonly pattern: { readonly source: string }
  readonly options: { readonly name?: string }
}

// Not a member of the Controller: one of another copy of this package has none.
const made = new WeakMap<Routed, MatchedRoute>()

/** The route of a Controller, made when it is first asked for. */
export function matchedRouteOf(controller: Routed): MatchedRoute {
  let route = made.get(controller)
  if (route === undefined) {
    const { method, pattern, options } = controller
    route = Object.freeze({ method, path: pattern.source, name: options.name })
    made.set(controller, route)
  }
  return route
}
