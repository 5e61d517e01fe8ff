// Native callbacks that a route only names: they stand behind handlers, in the files of these, as `move` writes them.
import { existsSync, readFileSync } from 'node:fs'
import type MagicString from 'magic-string'
import { checkedScript } from '../edit/checked-scripts.js'
import { bindingsIn, isCallOf, keyOf as keyOfImport } from '../edit/imports.js'
import { argumentsOf, type SourceFile, typesOf } from '../edit/source-file.js'
import { exportedAt } from '../edit/named.js'
import { constantOf, type Exported } from '../edit/exported.js'
import { Modules } from '../edit/modules.js'
import { classAround } from '../syntax/tree.js'
import { isLabel, isMember, keyOf, memberName, statementsOf, untyped } from '../syntax/tree.js'
import { isFunction, type Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import { lineAt } from './references.js'
import type { UsingFiles } from './users.js'
import type { Why } from './why.js'

/** A native callback that a route names. */
export interface Twin {
  readonly exported: Exported
  /** The call of `native`, in the file of `exported`. */
  readonly native: Node
  /** The text of its options. */
  readonly options: string | undefined
  /** What stands for its name in the route. */
  readonly reference: Node
}

/** Finds the native callback that an argument of a route names; undefined where that is not sure. */
export function twinOf(
  source: SourceFile,
  argument: Node,
  read: (file: string) => SourceFile | string,
): Twin | Why | undefined {
  const node = untyped(argument)
  const isMade = node.type === 'CallExpression'
  const reference = isMade ? (node['callee'] as Node) : node
  const exported = resolved(source, reference, read)
  if (exported === undefined) return undefined
  const native = isMade ? returnedBy(exported.value) : exported.value
  if (native === undefined || !isCallOf(native, 'native', bindingsIn(exported.source))) return undefined
  const [callback, options] = argumentsOf(native)
  if (callback === undefined || [callback, options].some((one) => one?.type === 'SpreadElement'))
    return undefined
  const whyAt = (reason: string): Why => ({
    reason,
    at: { file: exported.source.file, line: lineAt(exported.source, native.start) },
  })
  const { text } = exported.source
  if (options !== undefined && !isPlain(options))
    return whyAt('the options of its native callback need names of their own file: write them in the route')
  if ((typesOf(native)?.['params'] as readonly Node[] | undefined)?.some(isOfPath))
    return whyAt('the type parameters of its native callback name a path')
  const inline = untyped(callback)
  if (isFunction(inline) && inline.type !== 'ArrowFunctionExpression' && mentionsThis(inline))
    return whyAt('its native callback reads this, and has another one in a Controller')
  return { exported, native, options: options && text.slice(options.start, options.end), reference }
}

type Read = (file: string) => SourceFile | string

/** What a name or a member stands for, in this file or in one that it imports. */
function resolved(source: SourceFile, node: Node, read: Read): Exported | undefined {
  const own = node.type === 'Identifier' ? constantOf(source, node['name'] as string) : undefined
  return own ?? exportedAt(source, node, new Modules(existsSync, read))
}

/** What a function returns, and does nothing besides. */
function returnedBy(factory: Node): Node | undefined {
  if (!isFunction(factory) || factory['async'] === true || factory['generator'] === true) return undefined
  const body = factory['body'] as Node
  const [only, ...others] = statementsOf(body)
  if (body.type !== 'BlockStatement') return untyped(body)
  const value =
    only?.type === 'ReturnStatement' && others.length === 0 ? (only['argument'] as Node | null) : null
  return value === null ? undefined : untyped(value)
}

/** True for a value that means the same in each file. */
function isPlain(node: Node): boolean {
  if (node.type === 'ObjectExpression')
    return (node['properties'] as readonly Node[]).every(
      (one) => one.type === 'ObjectProperty' && one['computed'] !== true && isPlain(one['value'] as Node),
    )
  if (node.type === 'ArrayExpression')
    return (node['elements'] as readonly (Node | null)[]).every((one) => one !== null && isPlain(one))
  return /^(?:String|Numeric|Boolean)Literal$/.test(node.type)
}

function isOfPath(type: Node): boolean {
  return type.type === 'TSLiteralType'
}

function mentionsThis(node: Node): boolean {
  return [...walk(node)].some(({ node: { type } }) => type === 'ThisExpression')
}

/** Why something besides some routes needs what `native` has made. */
export function usedBesides(
  { exported }: Twin,
  references: ReadonlySet<Node>,
  { files, read }: UsingFiles,
): Why | undefined {
  const { name } = exported
  for (const file of files) {
    if (!readFileSync(file, 'utf8').includes(name)) continue
    const source = read(file)
    if (typeof source === 'string') continue
    for (const placed of walk(source.program)) {
      const { node, parent } = placed
      const isText = node.type === 'StringLiteral' && node['value'] === name
      if (!isText && !(node.type === 'Identifier' && node['name'] === name)) continue
      const member = isMember(parent) && parent['property'] === node ? parent : undefined
      if (references.has(member ?? node) || isAtHome(source, node, parent, exported)) continue
      if (!isText && member === undefined && (isLabel(placed) || /^Import/.test(parent?.type ?? ''))) continue
      const other = isText
        ? undefined
        : (ownMember(source, member) ?? resolved(source, member ?? node, read)?.value)
      if (other !== undefined && other !== exported.value) continue
      return {
        reason: 'its native callback is used elsewhere too',
        at: { file, line: lineAt(source, node.start) },
      }
    }
  }
  return undefined
}

/** What `this.name` is in a class that has a member of that name. */
function ownMember({ program }: SourceFile, member: Node | undefined): Node | undefined {
  if (member === undefined || (member['object'] as Node).type !== 'ThisExpression') return undefined
  const body = classAround(member, program)?.['body'] as Node | undefined
  const own = ((body?.['body'] ?? []) as readonly Node[]).find((one) => keyOf(one) === memberName(member))
  const value = own?.['value'] as Node | null | undefined
  return value ? untyped(value) : own
}

/** True where the file of a twin declares or exports it. */
function isAtHome(
  source: SourceFile,
  node: Node,
  parent: Node | undefined,
  { source: home, value, site }: Exported,
): boolean {
  if (source !== home || parent === undefined) return false
  const isIn = ({ start, end }: Node): boolean => start <= node.start && node.end <= end
  if (parent['id'] === node)
    return isIn(site.kind === 'statement' || site.kind === 'listed' ? site.statement : value)
  if (site.kind === 'listed') return isIn(site.entry)
  return site.kind === 'statement' && isMember(parent) && isIn(site.statement) && !isIn(value)
}

/** What the file of a twin needs for the types of its parameters. */
export function typesOfTwin({ exported: { source }, native }: Twin): readonly string[] {
  if (!/\.[cm]?tsx?$/.test(source.file)) return []
  const params = paramsOf(native)
  return types
    .slice(0, params.length)
    .filter((_type, at) => !params[at]!['typeAnnotation'])
    .map((one) => `type ${one}`)
}

const types = ['RouteRequest', 'ResponseBuilder'] as const

function paramsOf(native: Node): readonly Node[] {
  const callback = untyped(argumentsOf(native)[0]!)
  return isFunction(callback) ? (callback['params'] as readonly Node[]) : []
}

/** Writes the callback in the place of the call of `native`, with the types that this gave its parameters. */
export function unwrap(
  code: MagicString,
  { exported: { source }, native }: Twin,
  names: Readonly<Record<string, string>>,
): void {
  const [callback] = argumentsOf(native) as [Node]
  const { text, file } = source
  code.remove(native.start, callback.start)
  code.remove(callback.end, native.end)
  const isTyped = /\.[cm]?tsx?$/.test(file)
  const script = checkedScript(file, text)
  const extra = (typesOf(native)?.['params'] as readonly Node[] | undefined)?.[1]
  const generics = extra === undefined ? '' : `<string, ${text.slice(extra.start, extra.end)}>`
  const inner = untyped(callback)
  paramsOf(native).forEach((param, at) => {
    const name = types[at]
    if (name === undefined || param['typeAnnotation']) return
    const type = at === 0 ? generics : ''
    // `req => …` has no parentheses.
    const isBare =
      inner.type === 'ArrowFunctionExpression' &&
      !/^\s*(?:async\s*)?\(/.test(text.slice(inner.start, param.end))
    if (isTyped) {
      if (isBare) code.appendRight(param.start, '(')
      code.appendLeft(param.end, `: ${names[keyOfImport('routecontrollers', `type ${name}`)]!}${type}`)
      if (isBare) code.appendLeft(param.end, ')')
    } else if (
      script !== undefined &&
      !isBare &&
      !/\/\*\*[^]*\*\/\s*$/.test(text.slice(native.start, param.start))
    )
      code.appendRight(param.start, `/** @type {import('routecontrollers').${name}${type}} */ `)
  })
}
