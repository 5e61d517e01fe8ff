// The calls that have made a route, and the handlers that each has given.
import type { RegisteredCall } from '../documents/registered.js'
import type { Node } from '../syntax/parser.js'
import { argumentsOf } from './source-file.js'

/** The call with the last handler of a method in its route; the reason where another handler follows it for another method. */
export function lastCall(calls: readonly RegisteredCall[], method: string): RegisteredCall | string {
  const verb = method === '*' ? 'all' : method.toLowerCase()
  const at = calls.findLastIndex((call) => call.verb === verb || call.verb === 'all')
  const call = calls[at]
  if (call === undefined) return 'where it was registered is not known'
  // What native() passes on leaves the route, so it would skip them.
  const isFollowed = call.verb === 'all' && at < calls.length - 1
  return isFollowed ? 'other handlers of its route follow it' : call
}

/** The handlers among the arguments of a call that registers a route. */
export function handlersIn(call: Node, isOnRoute: boolean): readonly Node[] {
  return isOnRoute ? argumentsOf(call) : argumentsOf(call).slice(1)
}
