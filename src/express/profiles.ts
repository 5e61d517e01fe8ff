import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import { RouteControllersError } from '../errors.js'
import type { Exchange } from '../exchange.js'
import { requestLayer } from '../node/request-members.js'
import { applyHeaders } from '../node/send-response.js'
import { type Profile, registerProfile } from '../profile.js'
import { isLight, type LightResponse } from '../response.js'
import type { Logger, Next } from '../types.js'
import { Application, type ApplicationOptions, type ExpressApp, type ExpressVersion } from './application.js'
import { sendErrorPage } from './error-page.js'
import { createMount } from './routing/mount.js'
import { createOrderedIndex } from './routing/ordered-index.js'
import { listParamCallbacks, type ParamCallbacks } from './routing/param-callbacks.js'
import { stringify } from './members/send-body.js'
import { createSurface, type Live, type Surface } from './members/surface.js'

/** Options of `express4()` and `express5()`: what an application is given, and how its router matches. */
export interface ProfileOptions extends ApplicationOptions {
  /** True to tell `/users/` from `/users`: the setting `strict routing`. Default false. */
  strict?: boolean
  /** True to tell `/Users` from `/users`: the setting `case sensitive routing`. Default false. */
  caseSensitive?: boolean
  /**
   * Callbacks of params, as `app.param(name, callback)` takes them: `{ id: (req, res, next, value, name) => … }`, or a list of
   * them. Each runs once for each value of a request, before the first route that has it.
   */
  params?: ParamCallbacks
}

/**
 * The manners of Express 4: `new RouteControllers(controllers, { profile: express4({ settings: { 'json spaces': 2 } }) })`.
 *
 * Throws ERR_OPTION_INVALID for an option that does not exist, or a value that a setting cannot have.
 */
export function express4(options: ProfileOptions = {}): Profile {
  return createProfile('express4', createApplication(4, options), options.params)
}

/**
 * The manners of Express 5: `new RouteControllers(controllers, { profile: express5({ strict: true }) })`.
 *
 * Throws ERR_OPTION_INVALID for an option that does not exist, or a value that a setting cannot have.
 */
export function express5(options: ProfileOptions = {}): Profile {
  return createProfile('express5', createApplication(5, options), options.params)
}

/**
 * The manners of a live app of Express 4 or 5: those of its version, with its settings, view engines and locals.
 *
 * `req.app` and `res.app` are that app. Throws ERR_OPTION_INVALID for anything else.
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
export function fromApp(app: ExpressApp): Profile {
  const application = Application.fromApp(app)
  return createProfile(`express${application.version}`, application, {}, app)
}

registerProfile('express4', express4)
registerProfile('express5', express5)

function createApplication(version: ExpressVersion, options: ProfileOptions): Application {
  const { strict, caseSensitive, params: _params, ...rest } = options
  const application = new Application(version, rest)
  const short = [
    ['strict', strict, 'strict routing'],
    ['caseSensitive', caseSensitive, 'case sensitive routing'],
  ] as const
  for (const [name, value, setting] of short) {
    if (value === undefined) continue
    if (typeof value !== 'boolean') {
      throw new RouteControllersError('ERR_OPTION_INVALID', `express${version}: ${name} is true or false`)
    }
    application.set(setting, value)
  }
  return application
}

/** Makes the profile of an application. */
function createProfile(
  name: string,
  application: Application,
  params: ParamCallbacks = {},
  live: Live = application,
): Profile {
  const callbacks = listParamCallbacks(params)
  const surface = createSurface(application, 'express', live)
  return {
    name,
    extendClasses: surface.extendClasses,
    createIndex: (controllers) => createOrderedIndex(application, controllers, callbacks),
    parseScope: (path) => createMount(application, path),
    open: (exchange) => open(surface, exchange),
    enter(exchange, next, isMounted) {
      const request = exchange.incoming as { next?: Next; params?: object }
      if (surface.isOn(exchange.outgoing!)) request.next = next
      // A host Express: its own members are in sight again, and its own query.
      else exchange.release()
      if (!isMounted) request.params = {}
    },
    reports: () => application.get('env') !== 'test',
    miss: ({ incoming, outgoing }) => sendErrorPage(application, incoming!, outgoing!),
    refuse: ({ incoming, outgoing }, error) => sendErrorPage(application, incoming!, outgoing!, error),
    send: (exchange, answer, logger) => send(surface, exchange, answer, logger),
  }
}

/** Prepares a request as the app of Express does, which one inside has done already. */
function open(surface: Surface, exchange: Exchange): void {
  const incoming = exchange.incoming!
  const outgoing = exchange.outgoing!
  exchange.stringify = (value) =>
    stringify(outgoing as ServerResponse & { app: Pick<ExpressApp, 'get'> }, value)
  if ('app' in outgoing && !surface.isOn(outgoing)) return
  // Below Express's members, some of which bear the names of ours.
  requestLayer.addTo(incoming)
  surface.add(incoming, outgoing)
  if (surface.application.enabled('x-powered-by')) outgoing.setHeader('X-Powered-By', 'Express')
}

interface ExpressResponse extends ServerResponse {
  send(body: string | Buffer): this
}

/** Sends what a callback of ours has made through `res.send`: with its charset and ETag, or as 304. */
function send(
  surface: Surface,
  exchange: Exchange,
  answer: LightResponse | Response,
  logger: Logger,
): ReturnType<Exchange['send']> {
  const isPlain = isLight(answer) && answer.touched === undefined && answer.statusMessage === ''
  const payload = isPlain ? answer.payload : null
  if (!isPlain || !(typeof payload === 'string' || payload instanceof Uint8Array)) {
    return exchange.send(answer, logger)
  }
  open(surface, exchange)
  const outgoing = exchange.outgoing as ExpressResponse
  applyHeaders(outgoing, answer.headerList)
  outgoing.statusCode = answer.statusCode
  outgoing.send(typeof payload === 'string' ? payload : Buffer.from(payload))
  return undefined
}
