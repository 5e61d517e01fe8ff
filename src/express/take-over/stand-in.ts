// What is handed around in the place of an app: a Proxy or a copy of it, and the stub of a unit test.
import { type App, isApp, isRouter } from '../model/router.js'

const registering = ['use', 'route', 'all', 'get', 'post', 'put', 'patch', 'delete']

/**
 * The app itself, of a Proxy, a copy or a heir of it: each has the request of its app, which leads back to it. Undefined for what
 * has none.
 */
export function appBehind(value: unknown): App | undefined {
  if (isApp(value)) return value
  try {
    const request = membersOf(value)?.['request'] as { readonly app?: unknown } | undefined
    const app = request?.app
    return isApp(app) && app.request === request ? app : undefined
  } catch {
    // A stub may throw for members that it was not given.
    return undefined
  }
}

/** True for what takes routes, and is neither an app nor a router: what a facade or a unit test hands to a function that registers. */
export function isStandIn(value: unknown): boolean {
  if (isRouter(value)) return false
  try {
    const members = membersOf(value)
    return members !== undefined && registering.some((name) => typeof members[name] === 'function')
  } catch {
    return false
  }
}

function membersOf(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'function' || (typeof value === 'object' && value !== null)
  return isObject ? (value as Record<string, unknown>) : undefined
}
