// Finds the call in a text before it was edited, or the part that was added, by a place in the text after.
import { METHODS } from 'node:http'
import type { Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import type { ChangedFile } from './changed-file.js'
import { bindingsIn } from './imports.js'
import { argumentsOf, calledProperty, lineStarts, nameOf, readText, type SourceFile } from './source-file.js'

const verbs: ReadonlySet<string> = new Set([...METHODS.map((method) => method.toLowerCase()), 'all'])

/** Where the call begins in the text before; undefined where the calls of both do not stand for one another. */
export function alignedCall(
  { file, text, written }: ChangedFile,
  line: number,
  column: number,
): number | undefined {
  const [before, after] = [text, written].map((one) => verbCallsIn(readText(file, one)))
  if (before === undefined || after === undefined || before.length !== after.length) return undefined
  const offset = (lineStarts(written)[line - 1] ?? 0) + column - 1
  const around = after.flatMap((call, at) =>
    calledProperty(call)!.end <= offset && offset < call.end ? [at] : [],
  )
  // The innermost one begins last.
  const at = around.at(-1)
  return at === undefined ? undefined : calledProperty(before[at]!)!.start
}

/** What a part was made of in the text before, where a place in the text after is within one that was added. */
export function partAt(
  { file, written, parts }: ChangedFile,
  line: number,
  column: number,
): number | undefined {
  const source = parts && readText(file, written)
  if (parts === undefined || typeof source === 'string') return undefined
  const offset = (lineStarts(written)[line - 1] ?? 0) + column - 1
  for (const { node } of walk(source!.program)) {
    const named = (node['id'] ?? node['key']) as Node | null | undefined
    const part = named && node.start <= offset && offset < node.end ? parts.get(nameOf(named)) : undefined
    if (part !== undefined) return part
  }
  return undefined
}

/** The calls `….get(…)` that no callback of `native` has in it, in their order. */
function verbCallsIn(source: SourceFile | string): readonly Node[] | undefined {
  if (typeof source === 'string') return undefined
  const natives = new Set(
    [...bindingsIn(source)].flatMap(([name, { imported }]) => (imported === 'native' ? [name] : [])),
  )
  const isNative = (node: Node): boolean => {
    const callee = node.type === 'CallExpression' ? (node['callee'] as Node) : undefined
    return callee?.type === 'Identifier' && natives.has(nameOf(callee))
  }
  const calls = [...walk(source.program, isNative)].flatMap(({ node }) => {
    const property = calledProperty(node)
    const isVerb = property !== undefined && verbs.has(nameOf(property)) && argumentsOf(node).length > 0
    return isVerb ? [node] : []
  })
  return calls.sort((one, other) => calledProperty(one)!.start - calledProperty(other)!.start)
}
