import { RouteControllersError } from '../ground/errors.js'
import { hasMethods, nameType } from '../ground/options.js'
import type { PlatformFetchHandler } from '../ground/types.js'

/** What `toBun`, `toDeno`, `toLambda`, `toLambdaStream` and `toWorker` take: `new RouteControllers([…])`. */
export interface Served {
  /** The web-standard handler, which takes what the runtime tells beside a request. */
  getCallback(): PlatformFetchHandler
}

/** Throws ERR_OPTION_INVALID for what has no fetch handler. */
export function fetchHandlerOf(name: string, served: unknown): PlatformFetchHandler {
  if (hasMethods(served, 'getCallback')) return (served as Served).getCallback()
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    `${name} takes new RouteControllers([…]), not ${nameType(served)}`,
  )
}
