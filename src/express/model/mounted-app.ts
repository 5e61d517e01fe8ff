// The apps and routers that functions of `use` lead to.
import { type App, isApp, isRouter, type Router, routerOf } from './router.js'

/**
 * Finds the app behind a layer of `app.use(path, otherApp)`: null where that has no layers yet, undefined for any other function.
 *
 * Express keeps such an app only in a closure of the function in the layer. So this calls that function with an object in place
 * of a request. First of all an app sets the prototype of a request, which leads to the app. There this stops it, before it calls
 * any function of the app.
 */
function mountedApp(handle: unknown): App | null | undefined {
  if (typeof handle !== 'function') return undefined
  if (handle.name !== 'mounted_app' || handle.length !== 3) return undefined
  let found: App | undefined
  // What the app gives back to the request when it has passed it on.
  const own = {}
  const fields = { url: '/', method: 'GET', query: {}, app: { request: own, response: own } }
  const request = new Proxy(fields, {
    setPrototypeOf(target, prototype: { app?: App } | null) {
      if (found !== undefined || prototype === own) return true
      found = prototype?.app
      // No layer matches a request without a URL. So the router of version 4, which catches this, ends at once.
      Reflect.deleteProperty(target, 'url')
      throw new Error('The app is found')
    },
  })
  const response = { setHeader: () => response, locals: {} }
  let passed = false
  try {
    ;(handle as (...some: unknown[]) => unknown)(request, response, () => (passed = true))
  } catch {
    // It is the one that stops the app. Any other error says nothing here.
  }
  return found ?? (passed ? null : undefined)
}

const mounted = new WeakMap<object, App>()

/** The app that a value is, or that stands behind it as the function of `app.use(path, otherApp)`; undefined for anything else. */
export function appOf(value: unknown): App | undefined {
  if (isApp(value)) return value
  if (typeof value !== 'function') return undefined
  const known = mounted.get(value)
  if (known !== undefined) return known
  const found: unknown = mountedApp(value)
  if (!isApp(found)) return undefined
  mounted.set(value, found)
  return found
}

/** The router that a value is, or that of the app behind it. Null for an app that has none yet, undefined where none can be seen. */
export function routerBehind(value: unknown): Router | null | undefined {
  const app = appOf(value)
  const router: unknown = app === undefined ? value : routerOf(app)
  if (isRouter(router)) return router
  return app !== undefined || mountedApp(value) === null ? null : undefined
}
