import type { RunnableController } from '../controller.js'
import type { Route } from '../routing/route-index.js'
import type { RoutePath } from './routing/path.js'

/** What `req.route` shows of a route. */
export interface RouteView {
  readonly path: unknown
  readonly stack: readonly object[]
  readonly methods: Readonly<Record<string, boolean>>
}

/** Makes what `req.route` shows of a route and its handlers. */
export function createRouteView(
  { method, pattern }: Route<RunnableController>,
  handlers: readonly { readonly name: string }[] = [],
): RouteView {
  const { foreign, source } = pattern
  const name = method === '*' ? undefined : method.toLowerCase()
  return {
    path: foreign === undefined ? source : (foreign as RoutePath).path,
    stack: handlers.map((handle) => ({ handle, name: handle.name || '<anonymous>', method: name })),
    methods: { [name ?? '_all']: true },
  }
}
