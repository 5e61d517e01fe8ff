// Deletes what nothing in a file uses any more, of what deleted code has used.
import MagicString from 'magic-string'
import type { Node } from '../syntax/parser.js'
import { childrenOf, isNode, walk } from '../syntax/walk.js'
import { readText, type SourceFile } from './source-file.js'

/**
 * A text without the declarations and imports of some names that nothing in it uses, and of the names that only these have used.
 *
 * A name is in use wherever it stands, also where it means something else: what stays by mistake does no harm. What a statement exports stays, and
 * so does what may do something when it is made, as a call; `require` is none. What calls give to the names in `made` goes too.
 */
export function withoutUnused(
  file: string,
  text: string,
  names: Iterable<string>,
  made: ReadonlySet<string> = new Set(),
): string {
  const candidates = new Set(names)
  let written = text
  // Each turn deletes a declaration, of which a file has a finite number.
  for (;;) {
    const source = readText(file, written)
    if (typeof source === 'string') return written
    const found = unusedIn(source, candidates, made)
    if (found === undefined) return written
    for (const name of found.uses) candidates.add(name)
    const code = new MagicString(written)
    const { start, end } = found.isStatement ? linesOf(source, found) : found
    code.remove(start, end)
    written = code.toString()
  }
}

/** The names that stand for a variable or a type in a piece of code. */
export function namesIn(node: Node): ReadonlySet<string> {
  const names = new Set<string>()
  for (const placed of walk(node)) {
    const { name } = placed.node as { name?: unknown }
    if (typeof name === 'string' && !isLabel(placed)) names.add(name)
  }
  return names
}

/** What is deleted: a statement, or a part of one. */
interface Unused {
  readonly start: number
  readonly end: number
  readonly isStatement: boolean
  readonly isImport?: boolean
  readonly uses: ReadonlySet<string>
}

function unusedIn(
  source: SourceFile,
  candidates: ReadonlySet<string>,
  made: ReadonlySet<string>,
): Unused | undefined {
  const counts = new Map<string, number>()
  for (const placed of walk(source.program)) {
    const { name } = placed.node as { name?: unknown }
    if (typeof name === 'string' && !isLabel(placed)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const { node, parent } of walk(source.program)) {
    // A statement of a list: one in a loop or a branch of its own may be all that is there.
    const list = parent?.['body']
    if (!Array.isArray(list) || !list.includes(node)) continue
    const declared = declaredBy(node, made)
    if (declared === undefined) continue
    const own = new Map<string, number>()
    for (const placed of walk(node)) {
      const { name } = placed.node as { name?: unknown }
      if (typeof name === 'string' && !isLabel(placed)) own.set(name, (own.get(name) ?? 0) + 1)
    }
    const isUnused = (name: string): boolean => candidates.has(name) && counts.get(name) === own.get(name)
    const unused = declared.filter(({ name }) => isUnused(name))
    if (unused.length === 0) continue
    if (unused.length === declared.length) {
      const isImport = node.type === 'ImportDeclaration' || isRequire(node)
      return { ...node, isStatement: true, isImport, uses: namesIn(node) }
    }
    const [{ part }] = unused as [(typeof declared)[number]]
    return { ...partOf(source, declared, part), isStatement: false, uses: new Set() }
  }
  return undefined
}

/** `const express = require('express')` */
function isRequire(statement: Node): boolean {
  const [declaration] = (statement['declarations'] ?? []) as readonly { init: Node | null }[]
  const callee = declaration?.init?.['callee'] as Node | undefined
  return callee?.['name'] === 'require'
}

/** A name that a statement declares, and the part of it that does so. */
interface Declared {
  readonly name: string
  readonly part: Node
}

/** What a statement declares and nothing else; undefined where it does more, or may. */
function declaredBy(statement: Node, made: ReadonlySet<string>): readonly Declared[] | undefined {
  const { type } = statement
  if (/^(?:FunctionDeclaration|TSInterfaceDeclaration|TSTypeAliasDeclaration)$/.test(type))
    return namesOf(statement['id'] as Node)
  if (type === 'ImportDeclaration') {
    const specifiers = statement['specifiers'] as readonly Node[]
    return specifiers.map((part) => ({ name: (part['local'] as Node)['name'] as string, part }))
  }
  if (type !== 'VariableDeclaration') return undefined
  const [declaration, ...others] = statement['declarations'] as readonly { id: Node; init: Node | null }[]
  if (declaration === undefined || others.length > 0) return undefined
  const { id, init } = declaration
  const isMade = id.type === 'Identifier' && made.has(id['name'] as string)
  if (init !== null && !isMade && !isQuiet(init)) return undefined
  if (id.type === 'Identifier') return namesOf(id)
  if (id.type !== 'ObjectPattern') return undefined
  const parts = id['properties'] as readonly Node[]
  const simple = parts.every(
    ({ type: kind, value }) => kind === 'ObjectProperty' && (value as Node).type === 'Identifier',
  )
  return simple ? parts.map((part) => ({ name: (part['value'] as Node)['name'] as string, part })) : undefined
}

function namesOf(id: Node): readonly Declared[] {
  return [{ name: id['name'] as string, part: id }]
}

/** True for what does nothing when it is evaluated, but for a module that it may load. */
function isQuiet(node: Node): boolean {
  if (/Function|^Class/.test(node.type)) return !node.type.startsWith('Class')
  if (node.type === 'CallExpression') return (node['callee'] as Node)['name'] === 'require' || isBound(node)
  if (/^(?:New|Await|Yield|Assignment|Update|TaggedTemplate|OptionalCall|Import)/.test(node.type))
    return false
  return [...childrenOf(node)].every(isQuiet)
}

/** `teas.show.bind(teas)`, `show.bind(null)`: of another `bind`, as that of a socket, the first argument is no such thing. */
function isBound(call: Node): boolean {
  const { object, property, computed } = call['callee'] as Node
  const [own, ...others] = call['arguments'] as readonly Node[]
  if (computed === true || (property as Node | undefined)?.['name'] !== 'bind' || own === undefined)
    return false
  const bound = object as Node
  const isOf = bound.type === 'MemberExpression' && isSameName(bound['object'] as Node, own)
  const isNone = own.type === 'NullLiteral' || own['name'] === 'undefined' || own.type === 'ThisExpression'
  return (isOf || (isNone && bound.type === 'Identifier')) && [bound, ...others].every(isQuiet)
}

function isSameName(one: Node, other: Node): boolean {
  if (one.type !== other.type || one['computed'] === true) return false
  if (one.type === 'ThisExpression') return true
  if (one.type === 'Identifier') return one['name'] === other['name']
  return (
    one.type === 'MemberExpression' &&
    isSameName(one['object'] as Node, other['object'] as Node) &&
    isSameName(one['property'] as Node, other['property'] as Node)
  )
}

/** A part of a list with the comma that goes with it. */
function partOf(
  { text }: SourceFile,
  declared: readonly Declared[],
  part: Node,
): { readonly start: number; readonly end: number } {
  const at = declared.findIndex((one) => one.part === part)
  const next = declared[at + 1]
  // `import express, { Router } from 'express'`
  const isDefault = part.type === 'ImportDefaultSpecifier'
  if (isDefault)
    return { start: part.start, end: part.end + (/^\s*,\s*/.exec(text.slice(part.end))?.[0].length ?? 0) }
  if (next !== undefined) return { start: part.start, end: next.part.start }
  const before = declared[at - 1]!.part
  if (before.type !== 'ImportDefaultSpecifier') return { start: before.end, end: part.end }
  const brace = /^\s*\}/.exec(text.slice(part.end))
  return { start: before.end, end: part.end + (brace?.[0].length ?? 0) }
}

/** A comment about the file, and not about the statement below it. */
const ofFile = /^#!|eslint|@ts-|license/i
/** A comment about the line below it alone. Without that line it would be about the next one. */
const ofNextLine = /eslint-disable-next-line|@ts-(?:expect-error|ignore)/

/** A statement with the comment right above it, its line end, and one of the empty lines around it. */
function linesOf(
  { text, tokens }: SourceFile,
  { start, end, isImport }: Unused,
): { start: number; end: number } {
  let from = text.lastIndexOf('\n', start - 1) + 1
  if (text.slice(from, start).trim() !== '') from = start
  for (;;) {
    const comment = tokens.findLast(
      (token) =>
        /^Comment/.test(token.type as string) &&
        token.end <= from &&
        /^\s*$/.test(text.slice(token.end, from)),
    )
    const isAbove = comment !== undefined && !/\n[\t ]*\r?\n/.test(text.slice(comment.end, from))
    const line = comment === undefined ? 0 : text.lastIndexOf('\n', comment.start - 1) + 1
    if (!isAbove || text.slice(line, comment.start).trim() !== '') break
    const said = text.slice(comment.start, comment.end)
    // What stands above an import is most often about the file.
    if (!ofNextLine.test(said) && (isImport || ofFile.test(said))) break
    from = line
  }
  const rest = /^[\t ]*(?:\/\/[^\r\n]*)?\r?\n/.exec(text.slice(end))
  let to = end + (rest?.[0].length ?? 0)
  const isBlankBefore = from === 0 || /\n[\t ]*\r?\n$/.test(text.slice(0, from))
  const blank = /^[\t ]*\r?\n/.exec(text.slice(to))
  if (isBlankBefore && blank !== null) to += blank[0].length
  return { start: from, end: to }
}

/** True for a name that stands for no variable: of a member, or of a property. */
function isLabel({ node, parent }: { readonly node: Node; readonly parent: Node | undefined }): boolean {
  if (parent === undefined || parent['computed'] === true) return false
  if (/^(?:Optional)?MemberExpression$/.test(parent.type)) return parent['property'] === node
  if (/Property|Method/.test(parent.type))
    return parent['key'] === node && parent['value'] !== node && !isShorthand(parent)
  // The name in the other module.
  return parent.type === 'ImportSpecifier' && parent['imported'] === node && parent['local'] !== node
}

function isShorthand({ shorthand, value }: Node): boolean {
  return shorthand === true && isNode(value)
}
