import type { ErrorHook, Hook } from '../ground/types.js'
import type { ExpressLike } from '../request/exchange.js'
import type { Scope } from '../routing/scope.js'

/** A hook as `addGlobal` has registered it. */
export interface HookEntry {
  readonly hook: Hook | ErrorHook
  readonly name: string
  readonly isErrorHook: boolean
  /** The path it is mounted at; undefined for all paths. */
  readonly scope: Scope | undefined
  /** True for `scope: 'every'`: the hook also gets requests that are not answered here. */
  readonly every: boolean
  /** The hook where it is an app of Express, which has members of its own for requests. */
  readonly app: ExpressLike | undefined
}

/** The entry of a hook without a path. */
export function createHookEntry(hook: Hook | ErrorHook, place: Partial<HookEntry> = {}): HookEntry {
  return {
    hook,
    name: hook.name || '<anonymous>',
    isErrorHook: hook.length === 4,
    scope: undefined,
    every: false,
    app: isApp(hook) ? hook : undefined,
    ...place,
  }
}

function isApp(hook: object): hook is ExpressLike {
  return 'request' in hook && 'response' in hook && 'handle' in hook
}
