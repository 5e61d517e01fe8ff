import { createHookEntry, type HookEntry } from './hook-entry.js'
import { RouteControllersError } from '../ground/errors.js'
import { checkOptions, nameType, oneOf } from '../ground/options.js'
import { connectOf } from './middleware.js'
import type { Scope } from '../routing/scope.js'
import type { ErrorHook, Hook } from '../ground/types.js'

/** Options of a hook. */
export interface HookOptions {
  /** `'every'`: the hook also runs for the requests that go on to the host or the fallback. Default: `'answered'`. */
  scope?: 'answered' | 'every'
}

/**
 * The hook that `addGlobal` was given with its path and its options; `position` is its place among the others. Throws
 * ERR_HOOK_INVALID, ERR_OPTION_INVALID and what `parseScope` throws.
 */
export function createGlobalHook(
  given: readonly unknown[],
  position: number,
  parseScope: (path: string) => Scope,
): HookEntry {
  const path = typeof given[0] === 'string' ? given[0] : undefined
  const rest = path === undefined ? given : given.slice(1)
  const [wanted, options = {}] = rest as [Hook | ErrorHook, HookOptions?]
  if (typeof wanted !== 'function') {
    throw new RouteControllersError(
      'ERR_HOOK_INVALID',
      `addGlobal takes a function (req, res, next), after its path if it has one, not ${nameType(wanted)}`,
    )
  }
  if (rest.length > 2 || typeof options === 'function') {
    throw new RouteControllersError(
      'ERR_HOOK_INVALID',
      'addGlobal takes one hook, and after it its options: call it once for each hook',
    )
  }
  checkOptions('addGlobal', options, { scope: oneOf('answered', 'every') }, 'addGlobal: ')
  const hook = connectOf('addGlobal', wanted)
  return createHookEntry(hook, {
    name: hook.name || `<anonymous hook ${position + 1}>`,
    scope: path === undefined ? undefined : parseScope(path),
    every: options.scope === 'every',
  })
}
