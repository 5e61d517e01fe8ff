// The states of a migration of `@routecontrollers/switch`, as a file tells them.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { RouteControllersError } from '../../../../src/ground/errors.js'
import { isOptions } from '../../../../src/ground/options.js'

/** What a file tells of the states of a migration. */
export interface StoredStates {
  /** By their keys: a route, a group of paths, or all. */
  readonly states: Readonly<Record<string, string>>
  /** Routes that no client has asked for lately, as far as the file tells: that of a store does not. */
  readonly unasked: ReadonlySet<string>
}

/**
 * Reads the file of `fileStore({ file })`, or what the page gives as `status.json`. Throws ERR_OPTION_INVALID for a file that cannot be
 * read, or holds no states.
 */
export function readStoredStates(cwd: string, name: string, option = '--states'): StoredStates {
  const content = parse(cwd, name, option)
  const { states, routes } = (isOptions(content) ? content : {}) as { states?: unknown; routes?: unknown }
  if (Array.isArray(routes)) return statesOfStatus(routes, option, name)
  if (!isOptions(states))
    throw refusal(option, name, 'holds no { "states": { "GET /users/:id": "canary 5%" } }')
  const wrong = Object.entries(states).find(([, state]) => typeof state !== 'string')
  if (wrong !== undefined)
    throw refusal(option, name, `has no text as the state of ${JSON.stringify(wrong[0])}`)
  return { states: states as StoredStates['states'], unasked: new Set() }
}

function statesOfStatus(routes: readonly unknown[], option: string, name: string): StoredStates {
  const states = new Map<string, string>()
  const unasked = new Set<string>()
  for (const one of routes) {
    const { route, state, lastAskedAt, isDead } = (isOptions(one) ? one : {}) as Partial<
      Record<string, unknown>
    >
    if (typeof route !== 'string' || typeof state !== 'string')
      throw refusal(option, name, 'has a route without the texts "route" and "state"')
    states.set(route, state)
    if (isDead === true || lastAskedAt === undefined) unasked.add(route)
  }
  return { states: Object.fromEntries(states), unasked }
}

function parse(cwd: string, name: string, option: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(cwd, name), 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    throw refusal(option, name, `cannot be read (${(error as Error).message})`)
  }
}

function refusal(option: string, name: string, wrong: string): RouteControllersError {
  return new RouteControllersError(
    'ERR_OPTION_INVALID',
    `${option}: ${name} ${wrong}; it is the file of fileStore({ file }), or status.json of the page`,
  )
}
