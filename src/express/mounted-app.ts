import type { Handle } from './live-layer.js'
import type { LiveApp } from './live-router.js'

/**
 * The app behind a layer of `app.use(path, otherApp)`; undefined for any other function.
 *
 * Express keeps such an app only in a closure, and what is put in the app's place calls it. So it is called with a request that is
 * none: the first thing that an app does to a request is to give it the prototype that knows the app, and there this stops it,
 * before any function of the app has seen the request.
 */
export function mountedApp(handle: Handle): LiveApp | undefined {
  if (handle.name !== 'mounted_app' || handle.length !== 3) return undefined
  let found: LiveApp | undefined
  const request: object = new Proxy(
    { url: '/', method: 'GET', query: {}, app: { request: {}, response: {} } },
    {
      setPrototypeOf(target, prototype: { app?: LiveApp } | null) {
        if (found !== undefined) return true
        found = prototype?.app
        // No layer matches a request without a URL, so that the router of version 4, which catches this, lets go of it.
        Reflect.deleteProperty(target, 'url')
        throw new Error('The app is found')
      },
      get: (target, name) => Reflect.get(target, name) as unknown,
    },
  )
  const response = { setHeader: () => response, locals: {} }
  try {
    handle(request, response, () => {})
  } catch {
    // It is ours; from anybody else there is nothing to be learnt here.
  }
  return found
}
