import { inspectOptions, withReading } from './inventory.js'
import type { InspectOptions, Inventory } from '../documents/inventory.js'

/**
 * Lists the routes of a live app: each with all that a request passes before it, in order, and what is odd about it.
 *
 * `app` is an app or a router of Express 4 or 5, RouteControllers, the function of `middleware()` or a listener; or a list of them.
 * No handler and no guard is called. Where things were registered is known only after `recordRegistrations`. Throws ERR_OPTION_INVALID
 * for anything else.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { inspect } from '@routecontrollers/cli'
 *
 * const app = express()
 * app.use('/admin', function requireAdmin(req, res, next) {
 *   next()
 * })
 * app.get('/admin/users', (req, res) => res.json([]))
 *
 * const [route] = inspect(app).routes
 * console.log(route?.path, route?.passes.map(({ name }) => name)) // /admin/users [ 'requireAdmin' ]
 * ```
 */
export function inspect(app: unknown, options: InspectOptions = {}): Inventory {
  return withReading(app, inspectOptions('inspect', options), (reading) => reading.inventory())
}
