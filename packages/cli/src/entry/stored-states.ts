// The states of a file store of `@routecontrollers/switch`, read as its migration reads them.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { RouteControllersError } from '../../../../src/ground/errors.js'
import { isOptions } from '../../../../src/ground/options.js'

/** States by their keys: a route, a group of paths, or all. */
export type StoredStates = Readonly<Record<string, string>>

/** Throws ERR_OPTION_INVALID for a file that cannot be read, or holds no states. */
export function readStoredStates(cwd: string, name: string, option = '--states'): StoredStates {
  const content = parse(cwd, name, option)
  const states = isOptions(content) ? (content as { states?: unknown }).states : undefined
  if (!isOptions(states))
    throw refusal(option, name, 'holds no { "states": { "GET /users/:id": "canary 5%" } }')
  const wrong = Object.entries(states).find(([, state]) => typeof state !== 'string')
  if (wrong !== undefined)
    throw refusal(option, name, `has no text as the state of ${JSON.stringify(wrong[0])}`)
  return states as StoredStates
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
    `${option}: ${name} ${wrong}; it is the file of fileStore({ file })`,
  )
}
