// The routes of an app of Express, for code that loads nothing of Express: what has made the first native callback of a program reads them.
import { findBuiltin } from '../ground/builtin.js'
import type { RouteDescription } from './describe-routes.js'

/** A piece of a path: text as it is, or a param. One that is the rest of the path, or any part of it, may have slashes. */
export type PathPart = string | { readonly name: string; readonly isRest: boolean }

/** A native callback in a route of Express, as a route. */
export interface AppRoute extends RouteDescription {
  /** Its whole path, once for each way in which it is written without what is optional; undefined where it cannot be read as text. */
  readonly paths: readonly (readonly PathPart[])[] | undefined
}

/** What an app of Express says of its routes. */
export interface AppRoutes {
  /** The native callbacks in its routes, read anew each time: of thousands this is slow. */
  readonly routes: readonly AppRoute[]
  /** How many layers lead to them, which is quick to tell: another number where a route was added since. */
  readonly size: number
}

/** A question for the routes of an app, and its answer. */
interface Asked {
  readonly version: number
  readonly app: unknown
  /** Undefined for what is no app. */
  found: AppRoutes | undefined
  error: Error | undefined
}

// By name: ESM and CommonJS each have a copy of this package.
const channel = findBuiltin('node:diagnostics_channel')?.channel('routecontrollers.app-routes')
const version = 1

/** Has the routes of apps be read by a function from now on, unless another copy of this package does. */
export function setAppReader(read: (app: unknown) => AppRoutes | undefined): void {
  if (channel === undefined || channel.hasSubscribers) return
  channel.subscribe((message) => {
    const asked = message as Asked
    if (asked.version !== version) return
    try {
      asked.found = read(asked.app)
    } catch (error) {
      // A channel would end the process.
      // What reads an app throws errors of this package.
      asked.error = error as Error
    }
  })
}

/** The routes of an app of Express that have native callbacks; undefined for what is none, or where nothing has made such a callback. */
export function routesOfApp(app: unknown): AppRoutes | undefined {
  const asked: Asked = { version, app, found: undefined, error: undefined }
  channel?.publish(asked)
  if (asked.error !== undefined) throw asked.error
  return asked.found
}
