// What native callback the machine would make for one route, or why it makes none: what `brief` tells.
import { resolve } from 'node:path'
import { Broken } from '../edit/changed-file.js'
import type { Told } from '../edit/look.js'
import { definitionsByRow, handlersIn, lastCall, unnamedCall, writtenCall } from '../edit/route-calls.js'
import { isOfPackage } from '../code/of-package.js'
import type { RowForm } from '../edit/row-form.js'
import type { LeftRow } from '../edit/rows.js'
import { bindingsIn, isCallOf } from '../edit/imports.js'
import { argumentsOf, readSource } from '../edit/source-file.js'
import { formOfController } from './take-up.js'
import { Twins } from './twins.js'
import { formOf, handlerOf, pathType, withOptions } from './beside.js'

/** Reads the file of a row. */
export function formOfRow(told: Told, row: number, cwd: string): RowForm {
  const { inventory, registered } = told
  const none = (reason: string | LeftRow, file?: string): RowForm => {
    const left = typeof reason === 'string' ? { reason } : reason
    return { file, path: undefined, native: undefined, type: undefined, imports: [], left }
  }
  const { own, method } = inventory.routes[row]!
  const place = registered.rows[row]
  if (!place) return ofController(told, row, cwd, none)
  const [router, layer] = place
  const found = lastCall(registered.routers[router]!.layers[layer]!.calls, method)
  if (typeof found === 'string') return none(found)
  const file = found.at?.file
  if (file === undefined) return none('where it was registered is not known')
  if (isOfPackage(own.at, cwd)) return none('a package registers it', file)
  const source = readSource(file)
  if (typeof source === 'string') return none(source, file)
  const call = writtenCall(source, found)
  if (call === undefined) return none(unnamedCall, file)
  const handlers = handlersIn(call, found.isOnRoute)
  const last = handlerOf(handlers, found.errorHandlers)
  if (last === undefined) return none('its handlers are a list that is made elsewhere', file)
  const names = bindingsIn(source)
  const native = handlers.find((one) => isCallOf(one, 'native', names))
  const [given] = native === undefined ? [] : argumentsOf(native)
  const isAsIs = given !== undefined && isCallOf(given, 'fromExpress', names)
  const written = native === undefined ? undefined : isAsIs ? 'as it is' : 'callback'
  // Where nothing stands behind it any more, it runs the handler itself.
  const alone = last === native && isAsIs ? argumentsOf(given) : []
  const handler = alone.length === 1 ? alone[0]! : last
  const isFirst = (handler === last ? handlers.find((one) => one !== native) : handlers[0]) === last
  const path = !found.isOnRoute && isFirst ? pathType(source, call) : undefined
  const twins = new Twins(cwd, [], new Broken(), registered)
  twins.begin(new Set([file]))
  const form = formOf(
    source,
    { call, method, definitions: definitionsByRow(told)(row) },
    handler,
    true,
    twins,
  )
  if ('reason' in form) return { ...none(form, form.file ?? file), path, written }
  const helpers = twins.newIn()
  if (form.kind === 'twin') {
    const { elsewhere } = form
    return {
      ...{ file: elsewhere.exported.source.file, path, type: undefined, left: undefined, written, helpers },
      ...twins.callbackOf(elsewhere),
    }
  }
  const { type, imports } = form
  return { file, path, native: withOptions(form), type, imports, left: undefined, written, helpers }
}

/** A Controller that runs a handler of Express may get a callback, as a route does. */
function ofController(
  told: Told,
  row: number,
  cwd: string,
  none: (reason: string | LeftRow, file?: string) => RowForm,
): RowForm {
  const { own } = told.inventory.routes[row]!
  const [, name] = /^(.*):\d+$/.exec(own.at ?? '') ?? []
  const file = name === undefined ? undefined : resolve(cwd, name)
  if (file === undefined || !told.registered.runsHandlers.includes(row))
    return none('a Controller answers it already', file)
  const source = readSource(file)
  if (typeof source === 'string') return none(source, file)
  const form = formOfController(source, row, told, new Twins(cwd, [], new Broken(), told.registered))
  const written = 'as it is'
  // A reason without a line is one of what stands around the handler: a callback in its place would lose a guard.
  if ('reason' in form) return { ...none(form, file), ...(form.line !== undefined && { written }) }
  const { imports } = form
  return {
    file,
    path: undefined,
    native: withOptions(form),
    type: undefined,
    imports,
    left: undefined,
    written,
  }
}
