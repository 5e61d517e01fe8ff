import { RouteControllersError } from '../errors.js'
import { type App, type ExpressVersion, invalid, isApp, versionOfApp } from './router.js'

/** What `express4({ express })` takes: the function that the package `express` exports. */
export type ExpressModule = () => unknown

/**
 * The Express that was given, or that of the package in the working directory.
 *
 * This package does not import Express: a program that serves an app has it, and a bundle passes it. Throws ERR_EXPRESS_MISSING,
 * ERR_EXPRESS_VERSION for another major version than `version`, and ERR_OPTION_INVALID for anything but Express.
 */
export function createApp(owner: string, version?: ExpressVersion, given?: ExpressModule): App {
  const make = given ?? requireExpress(owner)
  const app = typeof make === 'function' ? make() : undefined
  if (!isApp(app)) {
    throw invalid(
      `${owner}: express is what the package express exports, as in ${owner}({ express }), not ${typeof make}`,
    )
  }
  if (version !== undefined && versionOfApp(app) !== version) {
    const found = given === undefined ? versionInstalled() : `${versionOfApp(app)}`
    throw new RouteControllersError(
      'ERR_EXPRESS_VERSION',
      `${owner}() needs Express ${version}, found ${found}: install express@${version}, or pass it as ${owner}({ express })`,
    )
  }
  return app
}

type Require = (id: string) => unknown

function requireFromPackage(): Require {
  const { createRequire } = process.getBuiltinModule('node:module')
  return createRequire(process.getBuiltinModule('node:path').resolve('package.json'))
}

function requireExpress(owner: string): ExpressModule {
  try {
    return requireFromPackage()('express') as ExpressModule
  } catch (cause) {
    throw new RouteControllersError(
      'ERR_EXPRESS_MISSING',
      `${owner} needs the package express, which is not installed in ${process.cwd()}: npm install express, or pass it as ${owner === 'fromExpress' ? 'express5' : owner}({ express })`,
      { cause },
    )
  }
}

function versionInstalled(): string {
  return (requireFromPackage()('express/package.json') as { version: string }).version
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
