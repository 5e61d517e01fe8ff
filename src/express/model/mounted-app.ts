import type { App } from './router.js'

/**
 * Finds the app behind a layer of `app.use(path, otherApp)`: null where that has no layers yet, undefined for any other function.
 *
 * Express keeps such an app only in a closure of the function in the layer. So this calls that function with an object in place
 * of a request. First of all an app sets the prototype of a request, which leads to the app. There this stops it, before it calls
 * any function of the app.
 */
export function mountedApp(handle: unknown): App | null | undefined {
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
