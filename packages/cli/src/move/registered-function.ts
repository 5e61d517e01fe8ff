// Whether a function of the source is the one that runs: its class, or code of another file, may have put a guard around it.
import { realpathSync } from 'node:fs'
import type { Definition } from '../documents/registered.js'
import { lineStarts, type SourceFile } from '../edit/source-file.js'
import type { Node } from '../syntax/parser.js'

/** True for the function that a definition is of, with so many wrappers of async handlers around it. */
export function isRegisteredAs(
  definition: Definition | null,
  { file, text }: SourceFile,
  found: Node,
  wrappers: number,
): boolean {
  const starts = lineStarts(text)
  const lineStart = starts.findLast((start) => start <= found.start)!
  const { start: end } = found['body'] as Node
  const places = definition?.[wrappers] ?? []
  return places.some(({ line, column, isMapped, file: place }) => {
    const offset = (starts[line] ?? Infinity) + column
    return (isMapped ? lineStart : found.start) <= offset && offset <= end && pathOf(place) === pathOf(file)
  })
}

/** A package of a workspace is loaded by the path that its link leads to. */
function pathOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
