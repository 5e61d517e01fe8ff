// Where the function of a handler is defined, with those that it calls: the source may name another one, which something was put around.
import type { Handle } from 'routecontrollers/express-model'
import type { Definition, DefinitionSite } from '../documents/registered.js'
import type { Sources } from '../syntax/sources.js'
import type { FunctionReader } from './functions.js'

// A function may name a hundred others of its file.
const mostNamed = 50

const ofAll: ReadonlySet<string> = new Set(['length', 'name', 'prototype', 'arguments', 'caller'])

/** The names of members that a function has itself, and others do not: a guard may look for them. */
export function membersOf(run: Handle): string[] {
  return Reflect.ownKeys(run)
    .map(String)
    .filter((name) => !ofAll.has(name))
}

/** Looks at a function, and at those that it names or is bound to. */
export function definitionOf(
  run: Handle,
  functions: FunctionReader,
  sources: Sources,
): Omit<Definition, 'isReplaced'> {
  return {
    own: sitesOf(run, functions, sources),
    named: functions
      .keptBy(run)
      .slice(0, mostNamed)
      .flatMap((one) => sitesOf(one, functions, sources)),
    members: membersOf(run),
  }
}

/** Where a function was written; empty where that is not known. */
export function sitesOf(run: Handle, functions: FunctionReader, sources: Sources): DefinitionSite[] {
  const { place } = functions.view(run)
  if (place === undefined) return []
  const { file, line, column } = sources.origin(place)
  const isMapped = file !== place.file || line !== place.line || column !== place.column
  return [{ file, line, column, isMapped }]
}
