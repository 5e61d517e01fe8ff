import {
  checkFunction,
  checkOptions,
  checkText,
  hasMethods,
  nameType,
  wrongOption,
} from '../../../../src/ground/options.js'
import type { MigrationStore } from '../states/schema.js'
import { readMap } from '../states/stored-states.js'

/** What is used of a client of `@openfeature/server-sdk`. */
export interface OpenFeatureClient {
  getObjectDetails(flag: string, usual: Record<string, string>): Promise<FlagDetails<unknown>>
  getStringDetails(flag: string, usual: string): Promise<FlagDetails<string>>
  // Written out by its name, as the enum of the package is no text to a compiler.
  addHandler(event: never, handler: () => void): void
  removeHandler(event: never, handler: () => void): void
}

interface FlagDetails<T> {
  readonly value: T
  readonly errorCode?: string
  readonly errorMessage?: string
}

const events = ['PROVIDER_CONFIGURATION_CHANGED', 'PROVIDER_READY'] as never[]
const notFound = 'FLAG_NOT_FOUND'

/**
 * States by feature flags, so that flagd, LaunchDarkly, Unleash and the like decide. It is not written: what is set in the process counts
 * until the flags say something else.
 *
 * `flag` names one flag, by default `route-migration`. Its value is an object of states, `{ "GET /users/:id": "canary 5%" }`. Or
 * `flagOf` names, for each route, a flag whose value is a state, or undefined for none.
 *
 * @example
 * ```ts
 * import { OpenFeature } from '@openfeature/server-sdk'
 * import { openFeatureStore } from '@routecontrollers/switch'
 *
 * const store = openFeatureStore({ client: OpenFeature.getClient() })
 * ```
 */
export function openFeatureStore(options: {
  client: OpenFeatureClient
  flag?: string
  flagOf?: (route: string) => string | undefined
}): MigrationStore {
  const checkClient = (option: string, value: unknown): void => {
    if (hasMethods(value, 'getObjectDetails', 'getStringDetails', 'addHandler')) return
    throw wrongOption(option, 'a client of @openfeature/server-sdk', nameType(value))
  }
  const { flag = 'route-migration', flagOf } = checkOptions('openFeatureStore', options, {
    client: checkClient,
    flag: checkText,
    flagOf: checkFunction,
  })
  const { client } = options
  checkClient('client', client)
  return {
    name: 'OpenFeature',
    async read(routes) {
      if (flagOf === undefined) return { states: readMap(valueOf(await client.getObjectDetails(flag, {}))) }
      const found = await Promise.all(
        routes.map(async (route) => {
          const name = flagOf(route)
          const text = name === undefined ? '' : valueOf(await client.getStringDetails(name, ''))
          return [route, text] as const
        }),
      )
      return { states: Object.fromEntries(found.filter(([, text]) => text !== '')) }
    },
    watch(changed) {
      for (const event of events) client.addHandler(event, changed)
      return () => {
        for (const event of events) client.removeHandler(event, changed)
      }
    },
  }
}

/** Throws where the provider had no answer: then a default is no state that was set. */
function valueOf<T>({ value, errorCode, errorMessage }: FlagDetails<T>): T {
  if (errorCode === undefined || errorCode === notFound) return value
  throw new Error(errorMessage === undefined || errorMessage === '' ? errorCode : errorMessage)
}
