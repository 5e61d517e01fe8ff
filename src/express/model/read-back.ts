import { type Layer, namesOfKeys } from './layer.js'

/** The path that a layer of version 4 was made of, by its regular expression. Undefined where that is not of the usual form. */
export function readBack(layer: Layer): string | undefined {
  const { regexp } = layer
  if (regexp === undefined) return undefined
  const names = namesOfKeys(layer)
  let at = 0
  const path = regexp.source
    .replace(/^\^/, '')
    .replace(/(?:\\\/\?)?\(\?=\\\/\|\$\)$/, '')
    .replace(
      /\(\?:(\\\/)?\(\[\^\\?\/\]\+\?\)\)|\(\[\^\\?\/\]\+\?\)/g,
      (_all, slash?: string) => `${slash ? '/' : ''}:${names[at++]}`,
    )
    .replace(/\\([/.-])/g, '$1')
  return /[\\()[\]^$|?*+]/.test(path) ? undefined : path
}
