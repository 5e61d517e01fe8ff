// Whether a function of the source is the one that runs: its class, or code of another file, may have put a guard around it.
import { realpathSync } from 'node:fs'
import type { Definition } from '../documents/registered.js'
import { lineStarts, readSource, type SourceFile } from '../edit/source-file.js'
import { isFunction, type Node } from '../syntax/parser.js'
import { isWithin } from '../syntax/tree.js'
import { walk } from '../syntax/walk.js'
import type { Wrapper } from './native/handler.js'
import type { NativeReasonId } from './native/reasons.js'

type Sites = Definition['own']

/** Why a function of a file, with these wrappers of async handlers around it, is no native callback's source for all rows of a call. */
export function whyOther(
  definitions: readonly (Definition | null)[],
  source: SourceFile,
  found: Node,
  wrappers: readonly Wrapper[],
  caller = source,
): { readonly id: NativeReasonId; readonly name?: string } | undefined {
  for (const definition of definitions) {
    if (
      definition === null ||
      definition.isReplaced ||
      !isRegisteredAs(definition, source, found, wrappers, caller)
    )
      return { id: 'replaced' }
    const [name] = definition.members
    if (name !== undefined) return { id: 'marked', name }
  }
  return undefined
}

/** True for the function that a definition is of. */
function isRegisteredAs(
  { own, named }: Definition,
  source: SourceFile,
  found: Node,
  [wrapper, ...others]: readonly Wrapper[],
  caller: SourceFile,
): boolean {
  if (wrapper === undefined) return isHead(own, source, found)
  return others.length === 0 && isOfWrapper(own, wrapper, caller) && isHead(named, source, found)
}

/** True where one of the sites is the head of a function. */
export function isHead(sites: Sites, { file, text, program }: SourceFile, found: Node): boolean {
  const starts = lineStarts(text)
  const lineStart = starts.findLast((start) => start <= found.start)!
  const { start: end } = found['body'] as Node
  return sites.some(({ line, column, isMapped, file: place }) => {
    const offset = (starts[line] ?? Infinity) + column
    if (offset > end || pathOf(place) !== pathOf(file)) return false
    if (offset >= found.start) return innermost(program, offset) === found
    // A source map may lead to the name before a function, and another function may stand there.
    const around = innermost(program, offset)
    return isMapped && offset >= lineStart && (around === undefined || isWithin(found, around))
  })
}

function innermost(program: Node, offset: number): Node | undefined {
  return [...walk(program)].findLast(
    ({ node }) => isFunction(node) && node.start <= offset && offset < node.end,
  )?.node
}

/** True where what runs is what a wrapper of async handlers makes. */
function isOfWrapper(sites: Sites, { file, node, package: name }: Wrapper, caller: SourceFile): boolean {
  return sites.some(({ line, column, file: place }) => {
    if (name !== undefined) return place.replaceAll('\\', '/').includes(`/node_modules/${name}/`)
    const source = file === undefined ? caller : readSource(file)
    if (typeof source === 'string' || pathOf(place) !== pathOf(source.file)) return false
    const offset = (lineStarts(source.text)[line] ?? Infinity) + column
    return node!.start <= offset && offset <= node!.end
  })
}

/** A package of a workspace is loaded by the path that its link leads to. */
export function pathOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
