import type { App, Handle } from './router.js'

/**
 * Finds the app behind a layer of `app.use(path, otherApp)`: null where that has no layers yet, undefined for any other function.
 *
 * Express keeps such an app only in a closure, and what is put in the app's place calls it. So it is called with a request that is
 * none: the first thing that an app does to a request is to give it the prototype that knows the app, and there this stops it,
 * before any function of the app has seen the request.
 */
export function mountedApp(handle: Handle): App | null | undefined {
  if (handle.name !== 'mounted_app' || handle.length !== 3) return undefined
  let found: App | undefined
  // What the app gives back to the request when it has passed it on.
  const own = {}
  const fields = { url: '/', method: 'GET', query: {}, app: { request: own, response: own } }
  const request = new Proxy(fields, {
    setPrototypeOf(target, prototype: { app?: App } | null) {
      if (found !== undefined || prototype === own) return true
      found = prototype?.app
      // No layer matches a request without a URL, so that the router of version 4, which catches this, lets go of it.
      Reflect.deleteProperty(target, 'url')
      throw new Error('The app is found')
    },
  })
  const response = { setHeader: () => response, locals: {} }
  let passed = false
  try {
    ;(handle as (...some: unknown[]) => unknown)(request, response, () => (passed = true))
  } catch {
    // It is ours; from anybody else there is nothing to be learnt here.
  }
  return found ?? (passed ? null : undefined)
}
