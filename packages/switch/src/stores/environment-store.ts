import { checkOptions, checkText } from '../../../../src/ground/options.js'
import type { MigrationStore } from '../states/schema.js'
import { parseState, sharedForm } from '../states/states.js'

/**
 * States in a variable of the environment, `MIGRATION="* legacy; GET /users/:id canary 5%; /api shadow"`. It is not written: what is set
 * while the process runs counts for this process alone.
 *
 * @example
 * ```ts
 * import { environmentStore } from '@routecontrollers/switch'
 *
 * process.env['MIGRATION'] = '/api shadow; GET /users/:id canary 5%'
 * console.log(environmentStore().read([]))
 * // { states: { '/api': 'shadow', 'GET /users/:id': 'canary 5%' } }
 * ```
 */
export function environmentStore(options: { variable?: string } = {}): MigrationStore {
  const { variable = 'MIGRATION' } = checkOptions('environmentStore', options, { variable: checkText })
  let text: string | undefined
  let states: Record<string, string> = {}
  return {
    name: 'environment',
    read() {
      const now = process.env[variable] ?? ''
      if (now !== text) states = readVariable(now)
      text = now
      return { states }
    },
  }
}

function readVariable(text: string): Record<string, string> {
  const settings = text
    .split(/[;\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return Object.fromEntries(settings.map(readSetting))
}

const stateAtEnd = new RegExp(`^(.+?)[ =]+(${sharedForm}|\\S+)$`)

/** A key and its state, which is kept as it is where it is none. */
function readSetting(setting: string): [key: string, state: string] {
  // The state stands last: a route has a space of its own.
  const [, key, state] = stateAtEnd.exec(setting) ?? []
  if (key !== undefined && parseState(state) !== undefined) return [key, state!]
  const [, route, rest] = /^(\*|\/[^\s=]*|[^\s=/]+ +\/[^\s=]*)[\s=]*(.*)$/.exec(setting) ?? []
  return route === undefined ? [key ?? setting, state ?? ''] : [route, rest!]
}
