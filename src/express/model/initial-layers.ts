import { type ExpressVersion, type Handle, handleOf, type Layer } from './layer.js'
import { expressVersions } from './versions.js'

/** What no minifier renames in them. */
const ownTexts: ReadonlyMap<string, RegExp> = new Map([
  ['query', /\.query\b[^]*\.query\b/],
  ['expressInit', /x-powered-by/i],
])

/** True for a layer that Express itself puts into an app. */
export function isExpressOwn(layer: Layer, version: ExpressVersion, stack: readonly Layer[]): boolean {
  const names = expressVersions[version].initialLayers
  if (layer.route !== undefined || !names.includes(layer.name)) return false
  // A package that wraps every function hides the text, but not that all of them stand first.
  const areFirst = names.every((name, at) => stack[at]?.name === name)
  const isFirst = areFirst && stack.slice(0, names.length).includes(layer)
  return isFirst || isExpressOwnHandle(layer.name, handleOf(layer))
}

/** True for a function with this name that Express itself puts into an app. */
export function isExpressOwnHandle(name: string, run: Handle): boolean {
  return ownTexts.get(name)?.test(Function.prototype.toString.call(run)) === true
}
