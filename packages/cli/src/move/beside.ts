// Plans and writes native callbacks in routes of one file, each before the handler that it replaces.
import MagicString from 'magic-string'
import type { Definition, Registered, RegisteredCall } from '../documents/registered.js'
import { checkedScript } from '../edit/checked-scripts.js'
import { replace } from '../edit/code.js'
import { type ImportedNames, keyOf, quoteOf, writeImports } from '../edit/imports.js'
import {
  argumentsOf,
  atIndent,
  calledProperty,
  indentOf,
  lineStarts,
  newlineOf,
  rangeOf,
  type SourceFile,
  typesOf,
  usesSemicolons,
} from '../edit/source-file.js'
import { isFunction, type Node } from '../syntax/parser.js'
import { handlerName, handlersIn, lastCall, unnamedCall, writtenCall } from '../edit/route-calls.js'
import type { LeftRow } from '../edit/rows.js'
import { isReference, type WantedRoute } from './calls.js'
import { type Elsewhere, twinReference } from './elsewhere.js'
import { nativeForm } from './native/form.js'
import { whyOther } from './registered-function.js'
import type { Twin, Twins } from './twins.js'
import { schemaOutput, typeByValidators } from './validators.js'

/** A route whose call says the types of its handlers, which a callback would not have. */
export const typedCall: LeftRow = {
  reason: 'its call has type parameters',
  remedy: 'give them to the handler: (req: Request<{ id: string }>, res: Response)',
}

/** A call that gets a native callback. */
interface BesideCall {
  readonly call: Node
  readonly method: string
  readonly rows: Set<number>
  /** The path, where the call has one of its own and the handler is its first. */
  readonly firstBehind: Node | undefined
  /** What it stands before. */
  readonly handler: Node
  /** What `native` is given; undefined for the handler as it is. */
  readonly form: CallbackForm | TwinForm | undefined
}

export interface CallbackForm {
  readonly kind: 'callback'
  readonly text: string
  readonly options: string | undefined
  /** The type that its handler has given the request, where the callback needs it. */
  readonly type: string | undefined
  /** What it needs of `routecontrollers/express`. */
  readonly imports: readonly string[]
}

/** A native callback that is written in the file of its handler. */
interface TwinForm extends Twin {
  readonly kind: 'twin'
}

export interface BesidePlan {
  readonly calls: readonly BesideCall[]
  readonly left: ReadonlyMap<number, LeftRow>
}

interface BesideOptions {
  /** True where handlers are taken that no native callback is made of. */
  readonly asIs: boolean
  readonly methodOf: (row: number) => string
  /** Those of all rows that the call of a row has registered. */
  readonly definitionsOf: (row: number) => readonly (Definition | null)[]
  /** With what attempts to write a call have failed; it is known by where its name begins. */
  readonly reasonsOf: (call: number) => readonly string[]
  /** Native callbacks in the files of handlers. */
  readonly twins?: Twins
}

/** Plans the native callbacks of routes that are written in one file. */
export function planBeside(
  source: SourceFile,
  wanted: readonly WantedRoute[],
  registered: Registered,
  options: BesideOptions,
): BesidePlan {
  const calls = new Map<Node, BesideCall>()
  const left = new Map<number, LeftRow>()
  for (const { row, router, layer } of wanted) {
    const { calls: registering } = registered.routers[router]!.layers[layer]!
    const found = lastCall(registering, options.methodOf(row))
    const definitions = options.definitionsOf(row)
    const planned =
      typeof found === 'string' ? { reason: found } : planCall(source, found, definitions, options)
    if ('reason' in planned) left.set(row, planned)
    else {
      const known = calls.get(planned.call)
      if (known === undefined) calls.set(planned.call, { ...planned, rows: new Set([row]) })
      else known.rows.add(row)
    }
  }
  return { calls: [...calls.values()].sort((a, b) => a.handler.start - b.handler.start), left }
}

function planCall(
  source: SourceFile,
  registered: RegisteredCall,
  definitions: readonly (Definition | null)[],
  { asIs, reasonsOf, twins }: BesideOptions,
): Omit<BesideCall, 'rows'> | LeftRow {
  const { verb, isOnRoute, errorHandlers } = registered
  const call = writtenCall(source, registered)
  if (call === undefined) return unnamedCall
  const handlers = handlersIn(call, isOnRoute)
  const [broken, brokenAsIs] = reasonsOf(calledProperty(call)!.start)
  const handler = handlerOf(handlers, errorHandlers)
  if (handler === undefined) return { reason: 'its handlers are a list that is made elsewhere' }
  const method = verb === 'all' ? '*' : verb.toUpperCase()
  const firstBehind = !isOnRoute && handlers[0] === handler ? argumentsOf(call)[0] : undefined
  const planned = { call, method, handler, firstBehind }
  const form =
    broken === undefined
      ? formOf(source, { ...planned, definitions }, handler, true, twins)
      : { reason: broken }
  if (!('reason' in form)) return { ...planned, form }
  if (!asIs) return form
  // It would run in front of what was put into the layer, or of a guard that looks for members of the handler.
  if (definitions.some((one) => one?.isReplaced === true || (one?.members.length ?? 0) > 0)) return form
  if (brokenAsIs !== undefined) return { reason: brokenAsIs }
  if (isRepeatable(handler) || nameable(source, call) !== undefined) return { ...planned, form: undefined }
  return { reason: 'its handler is made by a call, in the midst of an expression' }
}

/** The last argument that handles no errors; undefined where the arguments do not say which one that is. */
export function handlerOf(handlers: readonly Node[], errorHandlers: number): Node | undefined {
  const flat = (node: Node): Node[] =>
    node.type === 'ArrayExpression' ? (node['elements'] as readonly Node[]).flatMap(flat) : [node]
  const all = handlers.flatMap(flat)
  const at = all.length - 1 - errorHandlers
  const isKnown = at >= 0 && !all.slice(at).some((one) => one === null || one.type === 'SpreadElement')
  return isKnown ? all[at] : undefined
}

/** A route that gets a native callback. */
interface FormPlace extends Pick<BesideCall, 'call' | 'method'> {
  /** Those of the handlers that run, of each row that the call has registered. */
  readonly definitions: readonly (Definition | null)[]
}

/**
 * What `native` is given in place of a handler; the reason where no native callback answers alike for sure. With `twins` also what other
 * files get, and helpers are written.
 */
export function formOf(
  source: SourceFile,
  at: FormPlace,
  handler: Node,
  takesType: boolean,
): CallbackForm | LeftRow
export function formOf(
  source: SourceFile,
  at: FormPlace,
  handler: Node,
  takesType: boolean,
  twins: Twins | undefined,
): CallbackForm | TwinForm | LeftRow
export function formOf(
  source: SourceFile,
  { call, method, definitions }: FormPlace,
  handler: Node,
  takesType: boolean,
  twins?: Twins,
): CallbackForm | TwinForm | LeftRow {
  const { file, text, program } = source
  const isTyped = /\.[cm]?tsx?$/.test(file)
  if (isTyped && typesOf(call) !== undefined) return typedCall
  const findHelper = twins?.helpersIn(source, method)
  const form = nativeForm(text, handler, {
    program,
    method,
    isTyped,
    script: checkedScript(file, text),
    validatedType: isTyped ? typeByValidators(source, call, handler) : undefined,
    takesType,
    takesImports: true,
    ...(findHelper && { findHelper }),
    whyOther: (found, wrappers) => whyOther(definitions, source, found, wrappers),
    findWrapper: (callee) => twins?.wrapperOf(source, callee),
  })
  if (form.kind === 'native') {
    for (const helper of form.helpers) helper.write()
    const { text: written, options, type, imports } = form
    return { kind: 'callback', text: written, options, type, imports }
  }
  const isUnknown = ['elsewhere', 'made', 'method'].includes(form.id)
  const twin = isUnknown ? twins?.twinOf(source, handler, method, definitions) : undefined
  if (twin !== undefined) return 'reason' in twin ? twin : { kind: 'twin', ...twin }
  const { reason, remedy, offset } = form
  return { reason, remedy, line: lineStarts(text).filter((start) => start <= offset).length }
}

/** True for what can be written twice: a name, or a function. */
function isRepeatable(handler: Node): boolean {
  if (isReference(handler) || isFunction(handler)) return true
  const callee = handler.type === 'CallExpression' ? (handler['callee'] as Node) : undefined
  return callee?.type === 'MemberExpression' && (callee['property'] as Node)['name'] === 'bind'
}

/** The statement before which a handler can get a name. */
function nameable(source: SourceFile, call: Node): Node | undefined {
  let node = call
  for (let above = source.parentOf(node); above !== undefined; above = source.parentOf(node)) {
    if (above.type === 'ExpressionStatement') {
      const list = source.parentOf(above)?.['body']
      return Array.isArray(list) && list.includes(above) ? above : undefined
    }
    if (!/^(?:Call|Member)Expression$/.test(above.type)) return undefined
    node = above
  }
  return undefined
}

/** Behind which a callback gets a line of its own. */
const lineLength = 100

/** The text of a file with its native callbacks. */
export function writeBeside(
  source: SourceFile,
  calls: readonly BesideCall[],
  pathOf: (row: number) => string,
  twins?: Twins,
): string {
  const { text } = source
  const code = new MagicString(text)
  const before = Math.min(...calls.map(({ call }) => call.start))
  const hasAsIs = calls.some(({ form }) => form === undefined)
  const hasOwn = calls.some(({ form }) => form?.kind !== 'twin')
  const twinned = calls.flatMap(({ form }) => (form?.kind === 'twin' ? [form.elsewhere] : []))
  const called = calls.flatMap(({ form }) => (form?.kind === 'callback' ? form.imports : []))
  const own = [...(hasAsIs ? ['fromExpress'] : []), ...(hasOwn ? ['native'] : []), ...new Set(called)]
  const isValidated = calls.some(({ form }) => form?.kind === 'callback' && form.type?.includes(schemaOutput))
  const wanted = {
    'routecontrollers/express': own,
    ...(isValidated && { routecontrollers: [`type ${schemaOutput}`] }),
    ...importsOf(twinned),
  }
  const names =
    twins?.writeHelpers(code, source, before, wanted) ?? writeImports(code, source, wanted, before)
  const used = new Set([...source.names, ...Object.values(names)])
  const newline = newlineOf(source)
  for (const { call, method, firstBehind, rows, handler, form } of calls) {
    const { start, end } = rangeOf(source, handler)
    let own = text.slice(start, end)
    if (form === undefined && !isRepeatable(handler)) {
      const statement = nameable(source, call)!
      const [row] = rows
      const name = freeName(used, handlerName(method, pathOf(row!)))
      const semicolon = usesSemicolons(source) ? ';' : ''
      const line = `const ${name} = ${own}${semicolon}${newline}${indentOf(source, statement)}`
      code.appendLeft(statement.start, line)
      replace(code, start, end, name)
      own = name
    }
    const generics = typesOf(call)
    const ownTypes = generics === undefined ? '' : text.slice(generics.start, generics.end)
    const given = form?.kind === 'callback' ? withOptions(form) : `${names['fromExpress']}${ownTypes}(${own})`
    // With type arguments the handlers behind it have the types of the call, and not those that it would infer.
    const isTyped = generics === undefined || form !== undefined || /^<\s*['"]/.test(ownTypes)
    const types =
      form?.kind === 'callback' && form.type !== undefined
        ? `<${pathType(source, call) ?? 'object'}, ${form.type}>`
        : firstBehind === undefined
          ? ''
          : isTyped
            ? typesFor(source, firstBehind)
            : '<object>'
    const [blank] = /[\t ]*$/.exec(text.slice(0, start))!
    const lineStart = text.lastIndexOf('\n', start - 1) + 1
    const isOwnLine = lineStart === start - blank.length
    // What stands in the call itself has its indent.
    const placed = text.slice(start, end).includes('\n') ? given : atIndent(given, indentOf(source, handler))
    const written =
      form?.kind === 'twin'
        ? referenceOf(source, form.elsewhere, names)
        : `${names['native']}${types}(${placed})`
    const length = start - lineStart + written.length + own.length
    const isLong = !isOwnLine && length > lineLength && !(written + own).includes('\n')
    if (!isLong) {
      code.appendRight(start, `${written},${isOwnLine ? newline + blank : ' '}`)
      continue
    }
    const indent = `${newline}${indentOf(source, handler)}${/^\t/m.test(text) ? '\t' : '  '}`
    // Behind the parenthesis or the comma before it.
    replace(code, start - blank.length, start, '')
    code.appendRight(start, `${indent}${written},${indent}`)
  }
  return code.toString()
}

/** The names of twins that are not members of what the file has, by what they are imported from. */
export function importsOf(all: readonly Elsewhere[]): Readonly<Record<string, readonly string[]>> {
  const wanted: Record<string, string[]> = {}
  for (const { imported } of all) {
    if (imported === undefined) continue
    const known = (wanted[imported.from] ??= [])
    if (!known.includes(imported.name)) known.push(imported.name)
  }
  return wanted
}

export function referenceOf(source: SourceFile, elsewhere: Elsewhere, names: ImportedNames): string {
  const { imported } = elsewhere
  return twinReference(source, elsewhere, imported && names[keyOf(imported.from, imported.name)])
}

export function withOptions({ text, options }: CallbackForm): string {
  return options === undefined ? text : `${text}, ${options}`
}

/** Behind no other handler, TypeScript takes the params of a native callback from its own path. */
function typesFor(source: SourceFile, path: Node): string {
  const type = /\.[cm]?tsx?$/.test(source.file) ? literalOf(source, path) : undefined
  return type?.includes(':') ? `<${type}>` : ''
}

/** The path of a call as a type: `'/orders/:id'`; undefined where it does not stand there. */
export function pathType(source: SourceFile, call: Node): string | undefined {
  const [path] = argumentsOf(call)
  return path && literalOf(source, path)
}

function literalOf(source: SourceFile, path: Node): string | undefined {
  if (path.type !== 'StringLiteral') return undefined
  const text = path['value'] as string
  const quote = quoteOf(source)
  return /['"\\\n]/.test(text) ? undefined : `${quote}${text}${quote}`
}

function freeName(used: Set<string>, stem: string): string {
  let name = stem
  for (let number = 2; used.has(name); number++) name = `${stem}${number}`
  used.add(name)
  return name
}
