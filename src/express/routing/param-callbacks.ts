import { RouteControllersError } from '../../errors.js'
import { checkFunction } from '../../options.js'
import { callHandler } from '../call-handler.js'
import type { ExpressRequest, ExpressResponse, NextFunction } from '../handler.js'

/** What `app.param(name, callback)` takes. */
export type ParamCallback = (
  req: ExpressRequest,
  res: ExpressResponse,
  next: NextFunction,
  value: string,
  name: string,
) => unknown

/** The option `params` of a profile: callbacks by the name of the param that they look at. */
export type ParamCallbacks = Readonly<Record<string, ParamCallback | readonly ParamCallback[]>>

/** What a param's callbacks have made of its value, for the routes that come after. */
interface Called {
  readonly sent: string
  value: string
  signal: unknown
}

/** What has been called in one request. */
export type CalledParams = Map<string, Called>

type Done = (signal?: unknown) => void

/** The callbacks of each param as a list. Throws ERR_OPTION_INVALID for what is no function. */
export function listParamCallbacks(params: ParamCallbacks): ReadonlyMap<string, readonly ParamCallback[]> {
  if (typeof params !== 'object' || params === null) {
    throw new RouteControllersError('ERR_OPTION_INVALID', 'params is an object of functions by param')
  }
  const lists = Object.entries(params).map(([name, callbacks]): [string, readonly ParamCallback[]] => {
    const list = [callbacks].flat()
    for (const callback of list) checkFunction(`params.${name}`, callback)
    return [name, list]
  })
  return new Map(lists)
}

/** Runs the callbacks of a route's params, in the order of the params, then `done`. */
export function runParamCallbacks(
  callbacks: ReadonlyMap<string, readonly ParamCallback[]>,
  names: readonly string[],
  called: CalledParams,
  req: ExpressRequest,
  res: ExpressResponse,
  done: Done,
): void {
  const from = (at: number): void => {
    const name = names[at]
    if (name === undefined) return done()
    const list = callbacks.get(name)
    const sent = req.params[name]
    if (list === undefined || sent === undefined) return from(at + 1)
    const go = (signal: unknown): void => {
      if (signal) done(signal)
      else from(at + 1)
    }
    const earlier = called.get(name)
    if (earlier !== undefined && (earlier.sent === sent || isError(earlier.signal))) {
      req.params[name] = earlier.value
      return go(earlier.signal)
    }
    const state: Called = { sent, value: sent, signal: undefined }
    called.set(name, state)
    callEach(list, name, state, req, res, go)
  }
  from(0)
}

function isError(signal: unknown): boolean {
  return Boolean(signal) && signal !== 'route'
}

function callEach(
  list: readonly ParamCallback[],
  name: string,
  state: Called,
  req: ExpressRequest,
  res: ExpressResponse,
  go: Done,
): void {
  let at = 0
  const next: Done = (signal) => {
    // A callback may have put another value in place of the param.
    state.value = req.params[name]!
    if (signal) state.signal = signal
    const callback = list[at++]
    if (signal || callback === undefined) return go(signal)
    callHandler(callback, next, req, res, next, state.sent, name)
  }
  next()
}
