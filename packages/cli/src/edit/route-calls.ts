// The calls that have made a route, and the handlers that each has given.
import type { RouteRow } from '../documents/inventory.js'
import type { Definition, RegisteredCall } from '../documents/registered.js'
import type { Node } from '../syntax/parser.js'
import type { Told } from './look.js'
import { type LeftRow, type RowEditor, sharedCalls } from './rows.js'
import { argumentsOf, type SourceFile } from './source-file.js'

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

/** The same for what edits that call alone. */
export const lastCallOf: RowEditor['callsOf'] = ({ calls }, method) => {
  const call = lastCall(calls, method)
  return typeof call === 'string' ? [] : [call]
}

/** The routes that share the call with their handler with others, as those of a router that is mounted twice. */
export function routesTogether({
  inventory: { routes },
  registered,
}: Pick<Told, 'inventory' | 'registered'>): ReadonlyMap<RouteRow, readonly RouteRow[]> {
  const withTheirCalls = sharedCalls(registered, (row, layer) => lastCallOf(layer, routes[row]!.method))
  return new Map(
    routes.map((row, number) => [row, [...withTheirCalls([number])].map((one) => routes[one]!)] as const),
  )
}

/**
 * Of each row, the definitions of all rows that the same place has registered: there a handler may have a guard around it for one of them,
 * and none for another.
 */
export function definitionsByRow({
  inventory: { routes },
  registered,
}: Pick<Told, 'inventory' | 'registered'>): (row: number) => readonly (Definition | null)[] {
  const places = routes.map(({ own, method }, row) => {
    const place = registered.rows[row]
    const call = place && lastCall(registered.routers[place[0]]!.layers[place[1]]!.calls, method)
    const at = call && typeof call !== 'string' ? call.at : undefined
    return at === undefined ? `${own.at} ${method}` : `${at.file}:${at.line}:${at.column}`
  })
  const known = new Map<string, (Definition | null)[]>()
  places.forEach((place, row) => {
    known.set(place, [...(known.get(place) ?? []), registered.definitions[row]!])
  })
  return (row) => known.get(places[row]!)!
}

/** A call as it is written in a file; undefined where none is there by its name. */
export function writtenCall(source: SourceFile, { at, verb }: RegisteredCall): Node | undefined {
  return at && source.callAt(at.line, at.column, verb)
}

/** Why a route stays whose call cannot be found. */
export const unnamedCall: LeftRow = {
  reason: 'it is registered by a call that names no method, as app[method](…)',
}

/** The handlers among the arguments of a call that registers a route. */
export function handlersIn(call: Node, isOnRoute: boolean): readonly Node[] {
  return isOnRoute ? argumentsOf(call) : argumentsOf(call).slice(1)
}

/** The name that `move` gives a handler which a call makes: `GET '/orders/:id'` as `getOrdersId`. */
export function handlerName(method: string, path: string): string {
  const words = [...path.matchAll(/[A-Za-z]\w*/g)].map(([word]) => word[0]!.toUpperCase() + word.slice(1))
  return `${method === '*' ? 'all' : method.toLowerCase().replace(/\W/g, '')}${words.join('') || 'Root'}`
}
