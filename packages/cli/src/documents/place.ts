import { isAbsolute, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A place in a file as it was loaded: lines and columns count from 0. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** The file of a script's name, which for a module is an address, and with some loaders one with a query. */
export function fileOf(name: string): string {
  return name.startsWith('file:') ? fileURLToPath(name.split('?', 1)[0]!) : name
}

/** True for a folder itself and for what stands in it, by their names alone: a link is not followed. */
export function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return !isAbsolute(way) && way.split(sep)[0] !== '..'
}
