import { Controller } from 'routecontrollers'
import { type ExpressPath, expressPath, fromExpress } from 'routecontrollers/express'
import { type AnyHandler, type CompareOptions, describeAlike, type WireRequest } from './compare.js'

/** A route as `app[method](path, …handlers)` registers it; the method `all` is `*` of a Controller. */
export type RouteRow = readonly [method: string, path: ExpressPath, ...handlers: AnyHandler[]]

/** Tells what a route has seen of its request; by Node's own `end`, so that routing alone is compared. */
export function tell(name: string): AnyHandler {
  return (req, res) =>
    res.end(
      JSON.stringify({
        name,
        params: req.params,
        names: Object.keys(req.params),
        prototype: Object.getPrototypeOf(req.params) === null ? 'none' : 'ordinary',
        url: req.url,
        baseUrl: req.baseUrl,
        originalUrl: req.originalUrl,
        path: req.path,
        route: String(req.route.path),
      }),
    )
}

/** Compares routes in the installed Express with the same ones as Controllers, for each of the targets (`GET` unless it has a method). */
export function describeRoutes(
  topic: string,
  routes: readonly RouteRow[],
  targets: readonly string[],
  options: CompareOptions = {},
): void {
  const requests = targets.map((target): [string, WireRequest] => {
    const [method, path] = target.includes(' ') ? (target.split(' ') as [string, string]) : ['GET', target]
    return [target, { method, target: path }]
  })
  describeAlike(topic, Object.fromEntries(requests), [], {
    withoutProfile: false,
    legacy(app) {
      for (const [method, path, ...handlers] of routes) {
        ;(app as any)[method.toLowerCase()](path, ...handlers)
      }
    },
    controllers: () =>
      routes.map(
        ([method, path, ...handlers]) =>
          new Controller(
            method === 'all' ? '*' : method,
            expressPath(path),
            fromExpress(...(handlers as any[])),
          ),
      ),
    ...options,
  })
}
