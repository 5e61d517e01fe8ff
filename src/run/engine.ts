import type { HookEntry } from '../define/hook-entry.js'
import type { RunnableController } from '../define/controller.js'
import { RouteControllersError } from '../ground/errors.js'
import type { Host } from '../node/exchange.js'
import type { Exchange } from '../request/exchange.js'
import type { LightResponse } from '../answer/light-response.js'
import type { Middleware } from '../define/middleware.js'
import type { RouteRequest } from '../request/request.js'
import type { Answer, ResponseBuilder } from '../answer/response.js'
import type { RouteIndex } from '../routing/route-index.js'
import type { Scope } from '../routing/scope.js'
import type { CheckOutput } from '../define/schema.js'
import type { ExtendClasses, Logger, MaybePromise, RouteCheckResult } from '../ground/types.js'

/** Leads requests to their Controllers, or to the host or the fallback that could answer them too. */
export interface Switch {
  /** Whether a Controller that has matched takes a request. Asked before the hooks, once for each Controller of a request. */
  choose(this: void, controller: RunnableController, exchange: Exchange): boolean
  /**
   * What is made of an answer of a Controller, a middleware or `onError` before it is sent. May throw. Express's engine has rules of its own
   * for that, and does not ask.
   */
  finish(this: void, answer: LightResponse | Response, exchange: Exchange): LightResponse | Response
}

/**
 * The settings of an engine, apart from the Controllers. RouteControllers fills them, even while requests arrive; engines only
 * read them.
 */
export interface EngineConfig {
  readonly hooks: readonly HookEntry[]
  /** Headers that every answer gets, names and values one after the other. */
  readonly headers: readonly string[]
  readonly bodyLimit: number
  /** What runs before and around each Controller. */
  readonly middleware: readonly Middleware[]
  /** The status of an answer to input that a schema refuses. */
  readonly refusedStatus: number
  readonly checkOutput: CheckOutput
  /** Milliseconds within which an answer must begin; 0 for no limit. */
  readonly answerTimeoutMs: number
  /** True to refuse a method that a path does not have, instead of passing the request on. */
  readonly strictMethods?: boolean
  readonly logger: Logger
  readonly onError?:
    ((error: unknown, req: RouteRequest, res: ResponseBuilder) => MaybePromise<Answer>) | undefined
  /** Set by `migration()` of `@routecontrollers/switch` (`setSwitch` of a description). */
  readonly switch?: Switch | undefined
  readonly onNotFound?: ((req: RouteRequest, res: ResponseBuilder) => MaybePromise<Answer>) | undefined
}

/**
 * Runs requests through Controllers. There are two engines: the package's own (dispatch.ts) and Express's (express/engine.ts).
 *
 * A request ends in one of three ways: an engine answers it, passes it on to the host or the fallback, or fails.
 */
export interface Engine {
  /**
   * Takes these Controllers in place of those before. Throws as the constructor of RouteControllers does; those before
   * then stay.
   */
  load(controllers: readonly RunnableController[]): void
  /** Takes a request to its end. Never throws. */
  handle(exchange: Exchange): void
  /** True where each request of a host is for its fallback alone, and nothing is done for it here. No exchange is made of it then. */
  leaves?(host: Host): boolean
  /** Ends a request that was left to the fallback, which has thrown. Never throws. */
  fail?(exchange: Exchange, error: unknown): void
  /** Finds what would answer a path, without running it. Without a method it finds the route of any method. */
  check(method: string | undefined, path: string): RouteCheckResult
  /** Throws where middleware of all Controllers would not run for some of them; undefined where it runs for each. */
  checkUse?(): void
  /** Reads the path of `addGlobal(path, hook)`. Throws ERR_PATTERN_INVALID. */
  parseScope(path: string): Scope
  /** Extends the classes of `Server` for this engine; undefined where that is not needed. */
  extendClasses(): ExtendClasses | undefined
  view(): EngineView
}

/** How an engine would answer, for the command `routecontrollers`, which makes no request. */
export interface EngineView {
  /** Of our own engine. */
  readonly index?: RouteIndex<RunnableController>
  /** Of Express's: a router of it with hooks, Controllers and apps, whose layers say what they stand for (express/stands-for.ts). */
  readonly router?: object
  /** The router of the host that these Controllers stand in as its routes, where they do. */
  readonly place?: object | undefined
  /** Whether a Controller takes a request. */
  readonly takes: (method: string, path: string) => boolean
}

/** Makes an engine of Express: `express4()`, `fromApp(app)` and similar functions return one. */
export interface Profile {
  /** As it is named in messages: `'express5'`. */
  readonly name: string
  createEngine(config: EngineConfig): Engine
}

/** The names of the profiles in `routecontrollers/express`. */
export type ProfileName = 'express4' | 'express5'

const profileNames: Readonly<Record<ProfileName, true>> = { express4: true, express5: true }
const makers = new Map<string, () => Profile>()

/** Registers a profile by its name. The entry that makes the profile calls it when it is imported. */
export function registerProfile(name: ProfileName, make: () => Profile): void {
  makers.set(name, make)
}

/** The profile of the option `profile`. Throws ERR_OPTION_INVALID. */
export function profileOf(option: ProfileName | Profile): Profile {
  if (typeof option === 'object' && option !== null && typeof option.createEngine === 'function') {
    return option
  }
  const make = typeof option === 'string' ? makers.get(option) : undefined
  if (make !== undefined) return make()
  const known = typeof option === 'string' && Object.hasOwn(profileNames, option)
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    known
      ? `profile: '${option}' is part of routecontrollers/express, which has not been imported: import { ${option} } from 'routecontrollers/express' and write profile: ${option}()`
      : `profile is 'express4', 'express5' or what express4(), express5(), fromApp(app) or fromRouter(router) of routecontrollers/express gives, not ${typeof option === 'string' ? JSON.stringify(option) : typeof option}`,
  )
}
