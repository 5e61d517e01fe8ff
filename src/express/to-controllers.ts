import { type IncomingMessage, METHODS } from 'node:http'
import { Controller, withNodeCallback } from '../controller.js'
import { checkOptionNames } from '../options.js'
import { RouteControllersError } from '../errors.js'
import { createForeignPath, type ForeignPath } from '../routing/pattern.js'
import { isWhole } from './routing/mount-path.js'
import type { LivePath } from './routing/path.js'
import type { PathMatch, PathMatcher } from './routing/path-matcher.js'
import {
  type Layer,
  layersIn,
  mayBegin,
  pathOfLayer,
  prefixesOfLayer,
  readRouter,
  type RouteLayer,
} from './live/read-router.js'
import { defaultSurface } from './members/surface.js'
import { Walk } from './live/walk.js'
import { WalkPlan } from './live/walk-plan.js'

/** Options of `toControllers`. */
export interface ToControllersOptions {
  /**
   * True to add, as the last Controller, all that the app does for a request that none of its routes answers: its files, its 404 page,
   * its answers to OPTIONS. For serving without the app. Default false.
   */
  middleware?: boolean
}

/** What `toControllers` has not made a Controller of. */
export interface LeftLayer {
  /** The name of the function, or the methods of a route. */
  readonly name: string
  /** Its path, those of the routers that it stands in included. */
  readonly path: string
  readonly reason: string
}

/** An app as Controllers. */
export interface AppControllers {
  /** In the order of the app. */
  readonly controllers: readonly Controller[]
  /** Routes that stay with the app, and why. Empty for nearly all apps. */
  readonly left: readonly LeftLayer[]
}

/**
 * Makes Controllers of a live Express app or Router, version 4 or 5: one for each method of each route.
 *
 * A Controller runs what the app would run for its request, in the app's order and with its effects: all middleware and guards that
 * stand before its route, in routers and mounted apps to any depth, callbacks of `param`, and the error handlers behind it. Nothing
 * runs twice when a route calls `next()` and the next one takes over. Serve them under the profile of the app, `fromApp(app)`. What is
 * registered later is not seen.
 *
 * A route whose guards could not be read is not made a Controller: it is in `left`, with the reason. Throws ERR_OPTION_INVALID for
 * anything but an app or a Router, and for an option that does not exist.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { RouteControllers } from 'routecontrollers'
 * import { fromApp, toControllers } from 'routecontrollers/express'
 *
 * const app = express()
 * app.use('/admin', (req, res, next) => (req.get('x-token') === 'teapot' ? next() : res.sendStatus(401)))
 * app.get('/admin/report', (req, res) => res.json({ orders: 2 }))
 *
 * const { controllers } = toControllers(app, { middleware: true })
 * const fetchHandler = new RouteControllers(controllers, { profile: fromApp(app) }).getCallback()
 * console.log((await fetchHandler(new Request('http://x/admin/report'))).status) // 401
 * ```
 */
export function toControllers(routerOrApp: unknown, options: ToControllersOptions = {}): AppControllers {
  checkOptionNames('toControllers', options, ['middleware'])
  const { middleware = false } = options
  if (typeof middleware !== 'boolean') {
    throw new RouteControllersError('ERR_OPTION_INVALID', 'toControllers: middleware is true or false')
  }
  const { root, unread } = readRouter(routerOrApp, 'toControllers')
  const run = createRunner()
  const controllers: Controller[] = []
  const left: LeftLayer[] = unread.map(({ name, path, reason }) => ({ name, path, reason }))
  const [guard] = unread
  for (const layer of layersIn(root)) {
    if (layer.kind !== 'route') continue
    const methods = methodsOf(layer)
    if (guard === undefined || layer.order < guard.order) {
      const path = livePath(layer)
      const callback = run(new WalkPlan(root, layer))
      for (const method of methods) controllers.push(new Controller(method, path, callback, streamed))
    } else {
      const reason = `it stands behind ${guard.name} at ${guard.path}, which may guard it`
      left.push({ name: methods.join(', '), path: pathOfLayer(layer), reason })
    }
  }
  if (middleware && guard === undefined) {
    controllers.push(new Controller('*', everyPath, run(new WalkPlan(root)), streamed))
  }
  return { controllers, left }
}

// The app's own middleware read the body.
const streamed = { body: 'stream' } as const

const everyPath = createForeignPath('*', {
  path: '*',
  live: { matcher: () => ({ path: '', params: {}, names: [] }), prefixes: () => [[]] },
})

type Runner = (plan: WalkPlan) => Controller['callback']

/** Makes the callbacks of one app's Controllers, which hand the walk of a request to one another. */
function createRunner(): Runner {
  const key = Symbol('walk')
  return (plan) =>
    withNodeCallback({
      extendClasses: defaultSurface.extendClasses,
      run(incoming: IncomingMessage & { [key]?: Walk }, outgoing, _route, done) {
        const walk = (incoming[key] ??= new Walk(incoming, outgoing, plan))
        walk.goTo(plan, done)
      },
    })
}

/** In upper case; `*` for a route of `all`, which an app registers for each method that there is. */
function methodsOf({ route }: RouteLayer): readonly string[] {
  const { methods } = route
  const isForAll = methods['_all'] || METHODS.every((method) => methods[method.toLowerCase()])
  return isForAll ? ['*'] : Object.keys(methods).map((method) => method.toUpperCase())
}

/** The path of a route through all that it is mounted in. */
function livePath(layer: RouteLayer): ForeignPath {
  const live: LivePath = {
    matcher: matcherThrough(layer),
    prefixes: (sensitive) => prefixesOfLayer(layer, sensitive),
  }
  return createForeignPath(pathOfLayer(layer), Object.freeze({ path: pathOfLayer(layer), live }))
}

/** Whether a path reaches a layer. Its params are found again on the way, where what fails to be decoded has its order too. */
function matcherThrough(layer: Layer): PathMatcher {
  const chain: Layer[] = [layer]
  for (let { mount } = layer.stack; mount !== undefined; { mount } = mount.stack) chain.unshift(mount)
  return (sent) => {
    let path = sent
    let match: PathMatch | undefined
    for (const one of chain) {
      if (match !== undefined && match.path !== '') path = below(path, match.path)
      if (!mayBegin(one, path.toLowerCase())) return undefined
      try {
        match = one.matcher(path)
      } catch {
        return reached
      }
      if (match === undefined) return undefined
      if (one !== layer && !isWhole(one.stack.version, match.path, path)) return undefined
    }
    return match
  }
}

const reached: PathMatch = Object.freeze({ path: '', params: {}, names: [] })

function below(path: string, matched: string): string {
  const rest = path.slice(matched.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
