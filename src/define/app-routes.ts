// The routes of an app of Express, for code that loads nothing of Express: what has made the first native callback of a program reads them.
import type { RouteDescription } from './describe-routes.js'

/** A piece of a path: text as it is, or a param. One that is the rest of the path, or any part of it, may have slashes. */
export type PathPart = string | { readonly name: string; readonly isRest: boolean }

/** A native callback in a route of Express, as a route. */
export interface AppRoute extends RouteDescription {
  /** Its whole path, once for each way in which it is written without what is optional; undefined where it cannot be read as text. */
  readonly paths: readonly (readonly PathPart[])[] | undefined
}

interface AppReader {
  readonly version: number
  /** Undefined for what is no app. */
  readonly routesOf: (app: unknown) => readonly AppRoute[] | undefined
}

// By name: ESM and CommonJS each have a copy of this package.
const key = Symbol.for('routecontrollers.app-reader')
const version = 1
const host = globalThis as { [key]?: AppReader }

/** Has the routes of apps be read by a function from now on, unless another copy of this package does. */
export function setAppReader(routesOf: AppReader['routesOf']): void {
  if (host[key]?.version !== version) host[key] = { version, routesOf }
}

/** The routes of an app of Express that have native callbacks; undefined for what is none, or where nothing has made such a callback. */
export function routesOfApp(app: unknown): readonly AppRoute[] | undefined {
  const reader = host[key]
  return reader?.version === version ? reader.routesOf(app) : undefined
}
