import { checkOptionNames } from '../options.js'
import { type Profile, registerProfile } from '../profile.js'
import { Application, type ExpressVersion } from './application.js'
import { createOrderedIndex } from './ordered-index.js'
import { createSurface, type Surface } from './surface.js'

/** Options of `express4()` and `express5()`. */
export interface ProfileOptions {
  /** Express's settings by their own names, as `app.set(name, value)` takes them: `{ 'json spaces': 2 }`. */
  settings?: Readonly<Record<string, unknown>>
  /** True to tell `/users/` from `/users`: the setting `strict routing`. Default false. */
  strict?: boolean
  /** True to tell `/Users` from `/users`: the setting `case sensitive routing`. Default false. */
  caseSensitive?: boolean
}

/**
 * The manners of Express 4: `new RouteControllers(controllers, { profile: express4({ settings: { 'json spaces': 2 } }) })`.
 *
 * Throws ERR_OPTION_INVALID for an option that does not exist.
 */
export function express4(options: ProfileOptions = {}): Profile {
  return createProfile('express4', createApplication(4, options))
}

/**
 * The manners of Express 5: `new RouteControllers(controllers, { profile: express5({ strict: true }) })`.
 *
 * Throws ERR_OPTION_INVALID for an option that does not exist.
 */
export function express5(options: ProfileOptions = {}): Profile {
  return createProfile('express5', createApplication(5, options))
}

registerProfile('express4', express4)
registerProfile('express5', express5)

function createApplication(version: ExpressVersion, options: ProfileOptions): Application {
  checkOptionNames(`express${version}`, options, ['settings', 'strict', 'caseSensitive'])
  const application = new Application(version)
  const { settings = {}, strict, caseSensitive } = options
  for (const [name, value] of Object.entries(settings)) application.set(name, value)
  if (strict !== undefined) application.set('strict routing', strict)
  if (caseSensitive !== undefined) application.set('case sensitive routing', caseSensitive)
  return application
}

/** Makes the profile of an application. */
export function createProfile(name: string, application: Application): Profile {
  const surface: Surface = createSurface(application)
  return {
    name,
    extendClasses: surface.extendClasses,
    createIndex: (controllers) => createOrderedIndex(application, controllers),
    parseScope: () => {
      throw new Error('later')
    },
    open(exchange) {
      surface.add(exchange.incoming!, exchange.outgoing!)
    },
    miss() {},
    refuse() {},
    send(exchange, answer, logger) {
      exchange.send(answer, logger)
    },
  }
}
