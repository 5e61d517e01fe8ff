// Takes imports out of a text that nothing in it uses any more.
import MagicString from 'magic-string'
import type { Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import { readText, type SourceFile } from './source-file.js'

/** A text without those imports of some modules that it does not use, and that it used before. */
export function withoutUnusedImports(
  source: SourceFile,
  written: string,
  modules: ReadonlySet<string>,
): string {
  const after = readText(source.file, written)
  if (typeof after === 'string') return written
  const used = usesIn(source)
  const usedNow = usesIn(after)
  const isUnused = (name: string): boolean => used.has(name) && !usedNow.has(name)
  const code = new MagicString(written)
  for (const statement of after.program['body'] as readonly Node[]) {
    const from = moduleOf(statement)
    if (from === undefined || !modules.has(from)) continue
    const parts = statement['specifiers'] ?? declaredBy(statement)
    removeFrom(code, statement, parts as readonly Node[], isUnused)
  }
  return code.toString()
}

/** What an import, or the only `require` of a statement, names. */
function moduleOf(statement: Node): string | undefined {
  if (statement.type === 'ImportDeclaration') return (statement['source'] as Node)['value'] as string
  if (statement.type !== 'VariableDeclaration') return undefined
  const [only, ...others] = statement['declarations'] as readonly { init: Node | null }[]
  const call = others.length === 0 && only?.init?.type === 'CallExpression' ? only.init : undefined
  if (call === undefined || (call['callee'] as Node)['name'] !== 'require') return undefined
  const value = (call['arguments'] as readonly Node[])[0]?.['value']
  return typeof value === 'string' ? value : undefined
}

/** The names of `const name = …` and `const { name } = …`. */
function declaredBy(statement: Node): readonly Node[] {
  const [{ id }] = statement['declarations'] as readonly [{ id: Node }]
  if (id.type === 'Identifier') return [id]
  return id.type === 'ObjectPattern' ? (id['properties'] as readonly Node[]) : []
}

/** Takes the unused parts out of a statement, or the whole statement with its line. */
function removeFrom(
  code: MagicString,
  statement: Node,
  parts: readonly Node[],
  isUnused: (name: string) => boolean,
): void {
  const nameOf = (part: Node): string => String(((part['local'] ?? part['value'] ?? part) as Node)['name'])
  const kept = parts.filter((part) => !isUnused(nameOf(part)))
  if (kept.length === parts.length) return
  const text = code.original
  if (kept.length === 0) {
    const [line] = /^[\t ]*(?:\r?\n)?/.exec(text.slice(statement.end)) as unknown as [string]
    code.remove(statement.start, statement.end + line.length)
    return
  }
  const first = parts[0]!
  const [ofDefault, ...named] =
    first.type === 'ImportDefaultSpecifier' ? [first, ...parts.slice(1)] : [undefined, ...parts]
  const keptNamed = named.filter((part) => kept.includes(part))
  const open = text.indexOf('{', statement.start)
  const close = text.indexOf('}', open) + 1
  if (ofDefault !== undefined && !kept.includes(ofDefault)) {
    code.remove(ofDefault.start, named[0]!.type === 'ImportNamespaceSpecifier' ? named[0]!.start : open)
  }
  if (keptNamed.length === named.length) return
  if (keptNamed.length === 0) {
    const end = named[0]!.type === 'ImportNamespaceSpecifier' ? named[0]!.end : close
    code.remove(ofDefault!.end, end)
    return
  }
  for (const [at, part] of named.entries()) {
    if (kept.includes(part)) continue
    const next = named[at + 1]
    // The last one goes with the comma before it, unless that has gone with another.
    if (next !== undefined) code.remove(part.start, next.start)
    else code.remove(keptNamed.at(-1)!.end, part.end)
  }
}

/** The names that stand anywhere but in an import. */
function usesIn({ program }: SourceFile): ReadonlySet<string> {
  const names = new Set<string>()
  const imports = new Set<Node>()
  for (const statement of program['body'] as readonly Node[]) {
    if (statement.type === 'ImportDeclaration') imports.add(statement)
    if (statement.type !== 'VariableDeclaration') continue
    for (const { id, init } of statement['declarations'] as readonly { id: Node; init: Node | null }[]) {
      const callee = init?.type === 'CallExpression' ? (init['callee'] as Node) : undefined
      if (callee?.['name'] === 'require') imports.add(id)
    }
  }
  for (const { node } of walk(program, (one) => imports.has(one))) {
    if (typeof node['name'] === 'string' && !imports.has(node)) names.add(node['name'])
  }
  return names
}
