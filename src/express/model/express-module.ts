import { RouteControllersError } from '../../ground/errors.js'
import { findInstalled, type Installed, namePlaces } from '../../ground/installed.js'
import type { ExpressVersion } from './layer.js'
import { type App, invalid, isApp, readVersion, unknownVersion } from './router.js'

/** What `express4({ express })` takes: the function that the package `express` exports. */
export type ExpressModule = () => unknown

/**
 * The Express that was given, or that of the program: the first one of this version, where several are installed.
 *
 * This package does not import Express: a program that serves an app has it, and a bundle passes it. Throws ERR_EXPRESS_MISSING,
 * ERR_EXPRESS_VERSION for another major version than `version`, and ERR_OPTION_INVALID for anything but Express.
 */
export function createApp(owner: string, version?: ExpressVersion, given?: ExpressModule): App {
  const found = given === undefined ? findExpress(owner, version) : undefined
  const make = given ?? loadExpress(owner, found!)
  const app = typeof make === 'function' ? make() : undefined
  if (!isApp(app)) {
    throw invalid(
      `${owner}: express is what the package express exports, as in ${owner}({ express }), not ${typeof make}`,
    )
  }
  const actual = readVersion(app)
  if (version !== undefined && actual !== version) {
    const shown = found === undefined ? (actual ?? 'another one') : versionOf(found)
    throw new RouteControllersError(
      'ERR_EXPRESS_VERSION',
      `${owner}() needs Express ${version}, found ${shown}: install express@${version}, or pass it as ${owner}({ express })`,
    )
  }
  if (actual === undefined) throw unknownVersion(app)
  return app
}

function findExpress(owner: string, version: ExpressVersion | undefined): Installed {
  const all = findInstalled('express', owner)
  const found = all.find((one) => version === undefined || versionOf(one).startsWith(`${version}.`)) ?? all[0]
  if (found === undefined) throw missing(owner, `is not installed at ${namePlaces(owner)}`)
  return found
}

function loadExpress(owner: string, { load, resolve }: Installed): ExpressModule {
  try {
    return load('express') as ExpressModule
  } catch (cause) {
    throw missing(owner, `cannot be loaded from ${resolve('express/package.json')}`, cause)
  }
}

function missing(owner: string, why: string, cause?: unknown): RouteControllersError {
  const profile = owner === 'fromExpress' ? 'the profile express5' : owner
  const user = owner === 'fromExpress' ? 'fromExpress, which sendFile and download use,' : owner
  return new RouteControllersError(
    'ERR_EXPRESS_MISSING',
    `${user} needs the package express, which ${why}: npm install express, or pass it as ${profile}({ express })`,
    { cause },
  )
}

function versionOf({ load }: Installed): string {
  return (load('express/package.json') as { version: string }).version
}

let shared: App | undefined

/** The app for handlers without a profile and outside of Express. It has only Express's defaults. */
export function defaultApp(): App {
  if (shared === undefined) {
    shared = createApp('fromExpress')
    shared.set('x-powered-by', false)
  }
  return shared
}

/** True for that app, without making it. */
export function isDefaultApp(app: unknown): boolean {
  return app === shared
}
