import { type Profile, registerProfile } from '../../run/engine.js'
import { checkFunction, checkOptionNames, isOptions, nameType } from '../../ground/options.js'
import { createDeferredProfile } from '../engine/deferred.js'
import { createProfile, type ExpressHost } from '../engine/engine.js'
import { createApp, type ExpressModule } from '../model/express-module.js'
import type { ExpressRequest, ExpressResponse, NextFunction, ViewEngine } from '../model/express-types.js'
import type { ExpressVersion, Handle } from '../model/layer.js'
import { checkRouter, routerLike, routerOfApp, routerPrototype } from '../model/own-router.js'
import { type App, invalid, isRouter, type Router, routerOf, versionOf } from '../model/router.js'
import { applySetting, type ExpressSettings } from '../members/settings.js'
import { appBehind, isStandIn } from './stand-in.js'

/** A callback of a param, as `app.param(name, callback)` takes it. */
export type ParamCallback = (
  req: ExpressRequest,
  res: ExpressResponse,
  next: NextFunction,
  value: string,
  name: string,
) => unknown

/** Callbacks of params by their names: one, or several in their order. */
export type ParamCallbacks = Readonly<Record<string, ParamCallback | readonly ParamCallback[]>>

/** Options of `fromApp(app)`. */
export interface AppProfileOptions {
  /**
   * Callbacks of params, as `app.param(name, callback)` takes them: `{ id: (req, res, next, value, name) => … }`, or a list of
   * them. Each runs once for each value of a request, before the first route that has it, behind those of the app.
   */
  params?: ParamCallbacks
}

/** Options of `express4()` and `express5()`: what an app is given, and how its router matches. */
export interface ProfileOptions extends AppProfileOptions {
  /** What the package `express` exports. Default: the package beside the entry, in the working directory or beside this package: the first of this version. */
  express?: ExpressModule
  /** Each is set as by `app.set(name, value)`. */
  settings?: ExpressSettings
  /** The folder of views, or several folders in their order. Default `views`, in the working directory. */
  views?: string | readonly string[]
  /** The extension of views that are named without one: `'ejs'`. */
  viewEngine?: string
  /** Each is set as by `app.engine(extension, engine)`. An engine that is not given is `require(extension).__express`. */
  engines?: Readonly<Record<string, ViewEngine>>
  /** Variables for all views. */
  locals?: Readonly<Record<string, unknown>>
  /** True to distinguish `/users/` from `/users`: the setting `strict routing`. Default false. */
  strict?: boolean
  /** True to distinguish `/Users` from `/users`: the setting `case sensitive routing`. Default false. */
  caseSensitive?: boolean
}

/**
 * The behaviour of Express 4: `new RouteControllers(controllers, { profile: express4({ settings: { 'json spaces': 2 } }) })`.
 *
 * Express itself runs every request. Throws ERR_EXPRESS_MISSING where `express` is neither given nor installed, and
 * ERR_EXPRESS_VERSION for another version. An option that does not exist is ERR_OPTION_INVALID, and so is a value that a setting
 * cannot have.
 */
export function express4(options: ProfileOptions = {}): Profile {
  return configured(4, options)
}

/**
 * The behaviour of Express 5: `new RouteControllers(controllers, { profile: express5({ strict: true }) })`.
 *
 * Express itself runs every request. Throws as `express4` does.
 */
export function express5(options: ProfileOptions = {}): Profile {
  return configured(5, options)
}

const makers: { readonly [Version in ExpressVersion as `express${Version}`]: () => Profile } = {
  express4,
  express5,
}
for (const [name, make] of Object.entries(makers)) registerProfile(name as keyof typeof makers, make)

function configured(version: ExpressVersion, options: ProfileOptions): Profile {
  const name = `express${version}`
  checkOptionNames(name, options, [
    'express',
    'settings',
    'views',
    'viewEngine',
    'engines',
    'locals',
    'strict',
    'caseSensitive',
    'params',
  ])
  const { settings = {}, views, viewEngine, engines = {}, locals = {}, strict, caseSensitive } = options
  for (const [option, value] of Object.entries({ settings, engines, locals })) {
    if (isOptions(value)) continue
    throw invalid(`${name}: ${option} is an object, not ${Array.isArray(value) ? 'a list' : nameType(value)}`)
  }
  for (const [option, value] of Object.entries({ strict, caseSensitive })) {
    if (![undefined, true, false].includes(value)) throw invalid(`${name}: ${option} is true or false`)
  }
  const params = listParamCallbacks(name, options.params)
  const app = createApp(name, version, options.express)
  const named = {
    views,
    'view engine': viewEngine,
    'strict routing': strict,
    'case sensitive routing': caseSensitive,
  }
  for (const [setting, value] of [...Object.entries(settings), ...Object.entries(named)]) {
    if (value !== undefined) applySetting(app, name, setting, value)
  }
  for (const [extension, engine] of Object.entries(engines)) {
    checkFunction(`${name}: engines[${JSON.stringify(extension)}]`, engine)
    app.engine(extension, engine)
  }
  Object.assign(app.locals, locals)
  return createProfile(hostOfApp(name, app, params))
}

/**
 * The behaviour of one app of Express 4 or 5: its settings, view engines, locals, members, and the callbacks
 * of its params.
 *
 * `req.app` and `res.app` are that app. A Proxy, a copy or a heir of an app stands for it. For another object that routes can be
 * registered with, as the stub of a unit test, the app is found when a request comes: it is the app in which the request is
 * handled, and without one the request fails. Throws ERR_OPTION_INVALID for anything else.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { Controller, RouteControllers } from 'routecontrollers'
 * import { fromApp, fromExpress } from 'routecontrollers/express'
 *
 * const app = express().set('json spaces', 2)
 * const user = new Controller('GET', '/users/:id', fromExpress((req, res) => res.json(req.params)))
 * const fetchHandler = new RouteControllers([user], { profile: fromApp(app) }).getCallback()
 * console.log(await (await fetchHandler(new Request('http://x/users/7'))).text()) // { "id": "7" }
 * ```
 */
export function fromApp(app: unknown, options: AppProfileOptions = {}): Profile {
  const known = appBehind(app)
  const refusal = (): Error => {
    const other = isRouter(app) ? 'a Router: use fromRouter(router)' : nameType(app)
    return invalid(`fromApp takes an Express app, as express() makes it, not ${other}`)
  }
  if (known === undefined && !isStandIn(app)) throw refusal()
  checkOptionNames('fromApp', options, ['params'])
  const params = listParamCallbacks('fromApp', options.params)
  const hostOf = (one: App): ExpressHost => hostOfApp(`express${versionOf(one)}`, one, params)
  if (known !== undefined) return createProfile(hostOf(known))
  const appOf = (host: App | undefined): App => {
    const found = appBehind(app) ?? host
    if (found === undefined) throw refusal()
    return found
  }
  return createDeferredProfile('fromApp', { appOf, hostOf })
}

/** As a router has them. */
type NamedCallbacks = Router['params']

const noCallbacks: NamedCallbacks = Object.freeze({})

function hostOfApp(name: string, app: App, params: NamedCallbacks): ExpressHost {
  return {
    name,
    app,
    followsHost: false,
    place: () => routerOf(app),
    prototype: routerPrototype(routerLike(app, name))!,
    settings: () => {
      const router = routerOfApp(app, name)
      // Once it has layers, they and all later ones match by the settings that the app had before.
      if (router !== undefined && router.stack.length > 0) return router
      return {
        strict: app.enabled('strict routing'),
        caseSensitive: app.enabled('case sensitive routing'),
        mergeParams: undefined,
      }
    },
    params: () => joined(routerOf(app)?.params ?? noCallbacks, params),
  }
}

/** Options of `fromRouter(router)`. */
export interface RouterProfileOptions {
  /**
   * The app to which the router belongs. Its settings and members are used. Default: the app of the host, where there is one, else a
   * new app of the same Express.
   */
  app?: unknown
}

/**
 * The behaviour of a Router of Express 4 or 5: its `strict`, `caseSensitive` and `mergeParams`, and the callbacks of its
 * `param`. For Controllers that take the place of its routes.
 *
 * Put into that router itself, `router.use(routeControllers.middleware())`, they are as its routes are: OPTIONS names their methods with those
 * of all its routes, and what answers and calls `next()` all the same is followed by what stands behind.
 * Without `app`, outside of a host, it needs the Express of the same version that is installed, as `express4()` and `express5()` do. Throws
 * ERR_OPTION_INVALID for anything but a Router. Another object that routes can be registered with, as the stub of a unit test, is
 * refused when a request comes.
 */
export function fromRouter(router: unknown, options: RouterProfileOptions = {}): Profile {
  checkOptionNames('fromRouter', options, ['app'])
  if (isStandIn(router) && appBehind(router) === undefined) {
    // The callbacks of its params may be guards, and nothing but the Router itself has them.
    const appOf = (): never => {
      checkRouter(router, 'fromRouter')
      throw invalid('fromRouter was given a Router that was none when it was given')
    }
    return createDeferredProfile('fromRouter', { appOf, hostOf: appOf })
  }
  const given = checkRouter(router, 'fromRouter')
  const prototype = routerPrototype(given)!
  const version = versionOf(given)
  let { app } = options as { app?: App }
  if (app !== undefined && (app = appBehind(app)) === undefined)
    throw invalid(`fromRouter: app is an Express app, not ${nameType(options.app)}`)
  return createProfile({
    name: `express${version}`,
    get app() {
      return (app ??= createApp(`express${version}`, version))
    },
    followsHost: app === undefined,
    place: () => given,
    prototype,
    settings: () => given,
    params: () => given.params,
  })
}

/** The callbacks of an app, and behind them others of the same names. */
function joined(ofApp: NamedCallbacks, others: NamedCallbacks): NamedCallbacks {
  if (others === noCallbacks) return ofApp
  const all: Record<string, readonly Handle[] | undefined> = { ...ofApp }
  for (const [name, callbacks = []] of Object.entries(others)) {
    all[name] = [...(ofApp[name] ?? []), ...callbacks]
  }
  return all
}

function listParamCallbacks(owner: string, params: ParamCallbacks = {}): NamedCallbacks {
  if (!isOptions(params)) {
    throw invalid(
      `${owner}: params is an object of callbacks (req, res, next, value, name) by the names of the params`,
    )
  }
  const named = Object.entries(params).map(([name, callbacks]) => {
    const list = [callbacks].flat() as readonly Handle[]
    for (const callback of list) checkFunction(`${owner}: params[${JSON.stringify(name)}]`, callback)
    return [name, list] as const
  })
  return named.length === 0 ? noCallbacks : Object.fromEntries(named)
}
