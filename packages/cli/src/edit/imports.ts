// What a file has to import for its Controllers, in the way in which it imports all else.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type MagicString from 'magic-string'
import type { Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import { replace } from './code.js'
import { endOfLine, newlineOf, type SourceFile, usesSemicolons } from './source-file.js'

/** Of each name that is imported, the one by which the file knows it. */
export type ImportedNames = Readonly<Record<string, string>>

/**
 * Imports names from modules, and gives what the names are in the file. `before` is where they are first needed. `type Name` is a type.
 */
export function writeImports(
  code: MagicString,
  source: SourceFile,
  wanted: Readonly<Record<string, readonly string[]>>,
  before: number,
): ImportedNames {
  const isModule = isESM(source)
  const names: Record<string, string> = {}
  const lines: string[] = []
  const { last, isLeading } = placeIn(source, before)
  const quote = quoteOf(source)
  const end = usesSemicolons(source) ? ';' : ''
  const bindings = [...bindingsIn(source)]
  const taken = variablesIn(source)
  for (const [from, list] of Object.entries(wanted)) {
    const parts: string[] = []
    for (const name of list) {
      const key = keyOf(from, name)
      const known = bindings.find(([, one]) => one.from === from && one.imported === name)
      if (known !== undefined) {
        names[key] = known[0]
        continue
      }
      const local = freeName(taken, name.replace(/^type /, ''))
      names[key] = local
      taken.add(local)
      if (name.replace(/^type /, '') === local) parts.push(name)
      else parts.push(isModule ? `${name} as ${local}` : `${name}: ${local}`)
    }
    const known = lastNamed(source, from, before)
    if (parts.length > 0 && known !== undefined) replace(code, known, known, `, ${parts.join(', ')}`)
    else if (parts.length > 0) {
      const text = `{ ${parts.join(', ')} }`
      const line = isModule ? `import ${text} from ` : `const ${text} = require(`
      lines.push(`${line}${quote}${from}${quote}${isModule ? '' : ')'}${end}`)
    }
  }
  if (lines.length === 0) return names
  const newline = newlineOf(source)
  const text = lines.join(newline)
  if (isLeading) replace(code, last, last, `${text}${newline}${newline}`)
  else writeBehind(code, last, `${newline}${text}`, newline)
  return names
}

/** The names of a file but for those that stand for members alone. */
function variablesIn({ program }: SourceFile): Set<string> {
  const names = new Set<string>()
  for (const { node, parent } of walk(program)) {
    const isMember =
      parent !== undefined &&
      parent['computed'] !== true &&
      ((/Member/.test(parent.type) && parent['property'] === node) ||
        (/Property|Method/.test(parent.type) && parent['key'] === node && parent['shorthand'] !== true))
    if (typeof node['name'] === 'string' && !isMember) names.add(node['name'])
  }
  return names
}

/** Where the last name ends that a file has from a module before an offset: in `import { … }` or `const { … } = require(…)`. */
function lastNamed({ program }: SourceFile, from: string, before: number): number | undefined {
  for (const statement of program['body'] as readonly Node[]) {
    if (statement.end > before) return undefined
    if (statement.type === 'ImportDeclaration' && statement['importKind'] !== 'type') {
      const last = (statement['specifiers'] as readonly Node[]).at(-1)
      if ((statement['source'] as Node)['value'] === from && last?.type === 'ImportSpecifier') return last.end
    }
    const [declaration] = (statement['declarations'] ?? []) as readonly { id: Node; init: Node | null }[]
    if (declaration === undefined || requiredBy(declaration.init) !== from) continue
    const last = ((declaration.id['properties'] ?? []) as readonly Node[]).at(-1)
    if (last?.type === 'ObjectProperty') return last.end
  }
  return undefined
}

/** What a name is known by among those of `writeImports`. */
export function keyOf(from: string, name: string): string {
  return /^routecontrollers(?:\/express)?$/.test(from) ? name : `${name} of ${from}`
}

function freeName(names: ReadonlySet<string>, name: string): string {
  if (!names.has(name)) return name
  const stem = /^[A-Z]/.test(name) ? `Rc${name}` : `rc${name[0]!.toUpperCase()}${name.slice(1)}`
  let free = stem
  for (let number = 2; names.has(free); number++) free = `${stem}${number}`
  return free
}

/** True for a file that imports, and false for one that requires. */
function isESM({ file, text, program }: SourceFile): boolean {
  const body = program['body'] as readonly Node[]
  if (/\.m[jt]s$/.test(file)) return true
  if (/\.cjs$/.test(file)) return false
  if (body.some(({ type }) => /^(?:Import|Export\w+)Declaration$/.test(type))) return true
  if (/\brequire\s*\(|\bmodule\.exports\b|\bexports\./.test(text)) return false
  if (/\.[cm]?tsx?$/.test(file)) return true
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const found = join(folder, 'package.json')
    if (existsSync(found)) {
      return (JSON.parse(readFileSync(found, 'utf8')) as { type?: string }).type === 'module'
    }
    if (folder === dirname(folder)) return false
  }
}

/** Behind the last import, or the last `require` of those that the file begins with; where there are none, before its first statement. */
function placeIn(
  { program, text, tokens }: SourceFile,
  before: number,
): { readonly last: number; readonly isLeading: boolean } {
  const body = program['body'] as readonly Node[]
  let last: Node | undefined
  for (const statement of body) {
    if (statement.type === 'ImportDeclaration' || statement.type === 'TSImportEqualsDeclaration')
      last = statement
  }
  if (last === undefined) {
    for (const statement of body) {
      // One that needs the names itself, as `require('express')().get(…)`, comes behind them.
      if (statement.end > before || !isHarmless(statement)) break
      if (isRequire(statement)) last = statement
    }
  }
  if (last !== undefined) return { last: endOfLine(text, last.end), isLeading: false }
  const directives = (program['directives'] as readonly Node[] | undefined) ?? []
  const directive = directives.at(-1)
  if (directive !== undefined) return { last: endOfLine(text, directive.end), isLeading: false }
  const { interpreter } = program as { interpreter?: Node | null }
  if (interpreter) return { last: endOfLine(text, interpreter.end), isLeading: false }
  const [first] = tokens.filter(({ type }) => type !== 'CommentBlock' && type !== 'CommentLine')
  // Comments at the top stay at the top, but for those that are of the first statement.
  const start = first?.start ?? 0
  return { last: start, isLeading: true }
}

/** Lines behind a place. What stands there on the same line, in a file that has no other, begins one of its own. */
function writeBehind(code: MagicString, at: number, lines: string, newline: string): void {
  const blanks = /^[\t ]*(?=[^\s/]|\/[^/])/.exec(code.original.slice(at))
  if (blanks === null) replace(code, at, at, lines)
  else replace(code, at, at + blanks[0].length, lines + newline)
}

/** True for what calls nothing of the file, which may need the names already. */
function isHarmless(statement: Node): boolean {
  return statement.type !== 'ExpressionStatement' || isRequire(statement)
    ? !/^(?:If|For|While|Block|Try|Switch)/.test(statement.type)
    : isAssignmentOfExports(statement)
}

function isAssignmentOfExports(statement: Node): boolean {
  const expression = statement['expression'] as Node
  return expression.type === 'AssignmentExpression'
}

/** `const x = require('x')`, also with a member or a call behind it. */
function isRequire(statement: Node): boolean {
  const values =
    statement.type === 'VariableDeclaration'
      ? (statement['declarations'] as readonly Node[]).map((one) => one['init'] as Node | null)
      : [statement['expression'] as Node | null | undefined]
  return values.some((value) => {
    let node = value
    while (node) {
      if (node.type === 'CallExpression') {
        const callee = node['callee'] as Node
        if (callee['name'] === 'require') return true
        node = callee
      } else if (node.type === 'MemberExpression') node = node['object'] as Node
      else return false
    }
    return false
  })
}

/** What a name of a file was imported as: `*` is the module itself. */
export interface Binding {
  readonly from: string
  readonly imported: string
}

/** What a file has imported at its top level, by the names that it has there. */
export function bindingsIn({ program }: SourceFile): ReadonlyMap<string, Binding> {
  const known = new Map<string, Binding>()
  for (const statement of program['body'] as readonly Node[]) {
    if (statement.type === 'ImportDeclaration' && statement['importKind'] !== 'type') {
      const from = (statement['source'] as Node)['value'] as string
      for (const one of statement['specifiers'] as readonly Node[]) {
        if (one['importKind'] === 'type') continue
        const { name, value } = (one['imported'] ?? {}) as { name?: string; value?: string }
        const other = one.type === 'ImportDefaultSpecifier' ? 'default' : '*'
        known.set((one['local'] as Node)['name'] as string, { from, imported: name ?? value ?? other })
      }
    }
    if (statement.type !== 'VariableDeclaration') continue
    for (const { id, init } of statement['declarations'] as readonly { id: Node; init: Node | null }[]) {
      const from = requiredBy(init)
      if (from === undefined) continue
      if (id.type === 'Identifier') known.set(id['name'] as string, { from, imported: '*' })
      if (id.type !== 'ObjectPattern') continue
      for (const property of id['properties'] as readonly Node[]) {
        const { key, value } = property as unknown as { key?: Node; value?: Node }
        if (typeof key?.['name'] === 'string' && typeof value?.['name'] === 'string') {
          known.set(value['name'], { from, imported: key['name'] })
        }
      }
    }
  }
  return known
}

/** What the names of a file were imported as. */
export type Names = ReadonlyMap<string, Binding>

/** True for a call of what was imported by a name from this package, as a name or as a member of the module. */
export function isCallOf(node: Node, name: string, names: Names): boolean {
  return node.type === 'CallExpression' && isNamed(node, name, names)
}

export function isNamed(node: Node, name: string, names: Names): boolean {
  const callee = node['callee'] as Node
  const object = callee['object'] as Node | undefined
  const own = object === undefined ? callee : object
  const binding = names.get(String(own['name']))
  if (binding === undefined || !/^routecontrollers(?:\/express)?$/.test(binding.from)) return false
  return object === undefined
    ? binding.imported === name
    : binding.imported === '*' && (callee['property'] as Node)['name'] === name
}

/** The module of `require('module')`. */
function requiredBy(node: Node | null): string | undefined {
  if (node?.type !== 'CallExpression' || (node['callee'] as Node)['name'] !== 'require') return undefined
  const value = (node['arguments'] as readonly Node[])[0]?.['value']
  return typeof value === 'string' ? value : undefined
}

/** The quotes of most of a file's texts. */
export function quoteOf({ text, program }: SourceFile): string {
  const sources = (program['body'] as readonly Node[]).flatMap((one) => {
    const from = one['source'] as Node | null | undefined
    return from ? [text[from.start]!] : []
  })
  const first = sources[0] ?? /\brequire\(\s*(['"])/.exec(text)?.[1]
  if (first !== undefined) return first
  return (text.match(/"/g)?.length ?? 0) > (text.match(/'/g)?.length ?? 0) ? '"' : "'"
}
