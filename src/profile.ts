import type { RunnableController } from './controller.js'
import { RouteControllersError } from './errors.js'
import type { Exchange } from './exchange.js'
import type { LightResponse } from './response.js'
import type { RouteIndex } from './routing/route-index.js'
import type { Scope } from './routing/scope.js'
import type { ExtendClasses, Logger, Next } from './types.js'

/**
 * Whose HTTP manners RouteControllers keeps, where they are not its own: what matches, what is sent, what an error looks like.
 *
 * `routecontrollers/express` makes them: `express4()`, `express5()`, `fromApp(app)`. Dispatch asks one only where a profile
 * was given.
 */
export interface Profile {
  /** As it is named in options and messages: `'express5'`. */
  readonly name: string
  readonly extendClasses: ExtendClasses
  /** The index of these controllers; it goes on behind a match that has passed its request on. */
  createIndex(controllers: readonly RunnableController[]): RouteIndex<RunnableController>
  /** The path of `addGlobal(path, hook)`; it takes the same paths that a route of this profile would. */
  parseScope(path: string): Scope
  /** Prepares a request that is answered here, before any hook or callback sees it. */
  open(exchange: Exchange): void
  /** Called before each hook, with its `next`: shows both as the profile's host would. */
  enter(exchange: Exchange, next: Next, isMounted: boolean): void
  /** Whether an error that nobody has handled is logged. */
  reports(error: unknown): boolean
  /** Answers a request that nothing matches. */
  miss(exchange: Exchange): void
  /** Answers an error that nobody has handled. */
  refuse(exchange: Exchange, error: unknown): void
  /** Sends what a callback of ours has answered. */
  send(exchange: Exchange, answer: LightResponse | Response, logger: Logger): ReturnType<Exchange['send']>
}

/** The names of the profiles that `routecontrollers/express` brings. */
export type ProfileName = 'express4' | 'express5'

const makers = new Map<string, () => Profile>()

/** Lets a profile be chosen by its name, from when the entry that makes it has been imported. */
export function registerProfile(name: ProfileName, make: () => Profile): void {
  makers.set(name, make)
}

/** The profile of the option `profile`. Throws ERR_OPTION_INVALID. */
export function profileOf(option: ProfileName | Profile): Profile {
  if (typeof option === 'object' && option !== null && typeof option.createIndex === 'function') return option
  const make = typeof option === 'string' ? makers.get(option) : undefined
  if (make !== undefined) return make()
  const known = option === 'express4' || option === 'express5'
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    known
      ? `profile: '${option}' is part of routecontrollers/express, which has not been imported: import { ${option} } from 'routecontrollers/express' and write profile: ${option}()`
      : `profile is 'express4', 'express5' or what express4(), express5() or fromApp(app) of routecontrollers/express gives, not ${typeof option === 'string' ? JSON.stringify(option) : typeof option}`,
  )
}
