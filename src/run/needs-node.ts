import type { RunnableController } from '../define/controller.js'
import { connectHookOf, type Middleware } from '../define/middleware.js'
import { nodeCallbackOf } from '../define/node-callback.js'
import type { Description } from './description.js'

/** True for a Controller with code of Connect or Express, which takes the request and the response of Node. */
export function needsNode({ callback, middleware }: RunnableController): boolean {
  return nodeCallbackOf(callback) !== undefined || middleware.some(isOnNode)
}

export function isOnNode(middleware: Middleware): boolean {
  return connectHookOf(middleware) !== undefined
}

/** Why RouteControllers are better served by node:http, where a runtime has a server of its own; undefined where nothing says so. */
export function reasonForNode({ hooks, engine, controllers, middleware }: Description): string | undefined {
  if (engine.router !== undefined) return 'Express runs the Controllers'
  if (hooks.length > 0) return 'hooks take the request of Node'
  if (middleware.some(isOnNode) || controllers.some(needsNode)) {
    return 'code of Connect or Express takes the request of Node'
  }
  // The limits of those servers count for a body that is streamed, too.
  if (controllers.some(({ options }) => options.body === 'stream')) return 'a Controller streams its body'
  return undefined
}
