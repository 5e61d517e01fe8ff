// The functions that handlers hand their response to: which ones they are, and what they are called by natively.
import { isFunction, type Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import { bindingsIn } from '../edit/imports.js'
import type { SourceFile } from '../edit/source-file.js'
import { type Behind, type Elsewhere, twinName, withTwin, writeBehind } from './elsewhere.js'
import { exportedNames, referenced } from '../edit/named.js'
import { type Exported, isOnlyMethod, isOnlyOnce } from '../edit/exported.js'
import type { Modules } from '../edit/modules.js'
import type { LiveExports } from './live-exports.js'
import { helperForm } from './native/form.js'
import type { FindHelper, HelperCall, HelperForm, KnownHelper } from './native/helper.js'
import { Left } from './native/reasons.js'
import type { Roles } from './native/scope.js'
import {
  calleeName,
  classAround,
  isMember,
  keyOf,
  memberName,
  mentions,
  namesIn,
  untyped,
} from '../syntax/tree.js'

/** A native form of a helper that is to be written. */
export interface WrittenHelper {
  readonly exported: Exported
  /** Undefined for one that its file has already. */
  readonly behind: Behind | undefined
  /** True where its response has a type that its file imports. */
  readonly isTyped: boolean
  /** What its own file imports of `routecontrollers/express`. */
  readonly imports: readonly string[]
  /** What the file of the call imports besides. */
  readonly imported: Elsewhere['imported']
  /** The file of the call. */
  readonly caller: SourceFile
}

/** Finds helpers by their calls. */
export class Helpers {
  readonly #modules: Modules
  /** False for a function that no native form may be written beside. */
  readonly #mayWrite: (exported: Exported, caller: SourceFile) => boolean
  readonly #write: (helper: WrittenHelper) => void
  readonly #live: LiveExports
  readonly #known = new Map<Node, Map<string, KnownHelper | undefined>>()
  /** The native form of each helper that has one: there is no second. */
  readonly #forms = new Map<Node, string>()

  constructor(
    modules: Modules,
    mayWrite: (exported: Exported, caller: SourceFile) => boolean,
    write: (helper: WrittenHelper) => void,
    live: LiveExports,
  ) {
    this.#live = live
    this.#modules = modules
    this.#mayWrite = mayWrite
    this.#write = write
  }

  /** For the handlers of one file, in routes of a method. */
  in(source: SourceFile, method: string): FindHelper {
    return (call, isAnswer) => this.#find(source, call, isAnswer, method)
  }

  #find(source: SourceFile, call: HelperCall, isAnswer: boolean, method: string): KnownHelper | undefined {
    const callee = untyped(call.callee)
    const local = localHelper(source, callee)
    const other = local ? undefined : referenced(source, callee, this.#modules)
    const found = local ?? (other && withTwin(other))
    if (found === undefined || !isFunction(found.exported.value)) return undefined
    const { value } = found.exported
    const known = this.#known.get(value) ?? new Map<string, KnownHelper | undefined>()
    this.#known.set(value, known)
    const key = JSON.stringify([isAnswer, call.roles, source.file, method])
    // One that calls itself has none.
    if (!known.has(key)) {
      known.set(key, undefined)
      known.set(key, this.#make(source, found, call, isAnswer, method))
    }
    const helper = known.get(key)
    if (helper === undefined) return undefined
    const name = calleeName(call.call)
    if (local?.isReplaceable) throw new Left('res-method', callee, name)
    const isSame = local
      ? !isMember(callee) || !this.#live.isMemberReplaced(found.exported)
      : this.#live.isSame(found.exported, exportedNames(source, callee))
    if (!isSame) throw new Left('res-replaced', callee, name)
    return helper
  }

  #make(
    caller: SourceFile,
    { exported, imported }: Pick<Elsewhere, 'exported' | 'imported'>,
    { roles }: HelperCall,
    isAnswer: boolean,
    method: string,
  ): KnownHelper | undefined {
    const { source, value } = exported
    const isTyped = /\.[cm]?tsx?$/.test(source.file)
    const keepsThis = exported.site.kind === 'member'
    const findHelper = this.in(source, method)
    const place = { program: source.program, isTyped, method, findHelper, takesImports: true }
    const params = value['params'] as readonly Node[]
    const used = [roles.res, roles.req].flatMap((at) => (at === undefined ? [] : [params[at]]))
    if (used.some((param) => param?.type !== 'Identifier')) return undefined
    let form: HelperForm
    try {
      form = helperForm(source.text, value, { ...roles, keepsThis }, isAnswer, place)
    } catch (error) {
      if (error instanceof Left) return undefined
      throw error
    }
    const { kind, mayHaveType, code, helpers } = form
    const shared = { kind, mayHaveType, isAsync: value['async'] === true }
    const written = code.slice(value.start, value.end)
    const writeInner = (): void => helpers.forEach((one) => one.write())
    if (!isTyped && isAlike(textOf(source, value), written, value, roles))
      return { ...shared, name: undefined, write: writeInner }
    const behind = behindOf(exported, form)
    if (behind === undefined || !this.#mayWrite(exported, caller)) return undefined
    const isThere = isWritten(exported, behind)
    if (!isThere && writeBehind(exported, behind) === undefined) return undefined
    const text = JSON.stringify(behind)
    if ((this.#forms.get(value) ?? text) !== text) return undefined
    this.#forms.set(value, text)
    // Its name is a new one in the file of the call too.
    const isTaken = imported !== undefined && caller.names.has(imported.name)
    if (isTaken && !(isThere && isImported(caller, imported))) return undefined
    const write = (): void => {
      writeInner()
      this.#write({
        exported,
        behind: isThere ? undefined : behind,
        isTyped,
        imports: form.imports,
        imported,
        caller,
      })
    }
    return { ...shared, name: imported?.name ?? twinName(exported.name), write }
  }
}

/** True for a helper that does the same with both responses. Where it does not return its answer, the answer is made before it returns. */
function isAlike(text: string, written: string, { body, params }: Node, { res }: Roles): boolean {
  if (text === written) return true
  const [response] = namesIn((params as readonly Node[])[res!]!)
  const answersLater = [...walk(body as Node)].some(
    ({ node }) => isFunction(node) && mentions(node, response),
  )
  const withoutReturn = (one: string): string => one.replaceAll(/\breturn /g, '')
  return !answersLater && withoutReturn(text) === withoutReturn(written)
}

function textOf({ text }: SourceFile, { start, end }: Node): string {
  return text.slice(start, end)
}

/** The declaration, the method or the value of a native form. */
function behindOf({ name, value, site }: Exported, { code }: HelperForm): Behind | undefined {
  const named = (value['id'] ?? value['key']) as Node | null | undefined
  if (value.type === 'FunctionDeclaration' || /Method$/.test(value.type)) {
    if (!named || named['name'] !== name) return undefined
    code.update(named.start, named.end, twinName(name))
    const whole = site.kind === 'member' ? site.member : value
    return { declaration: code.slice(whole.start, whole.end) }
  }
  return { value: code.slice(value.start, value.end) }
}

/** True where a file has the native form of a helper by its name already, whatever a formatter has made of it. */
function isWritten({ source, name }: Exported, { declaration, value }: Behind): boolean {
  const own = twinName(name)
  const bare = (text: string): string => text.replaceAll(/[\s;,()]/g, '').replaceAll('"', "'")
  return [...walk(source.program)].some(({ node, parent }) => {
    const named = (node['id'] ?? node['key'] ?? parent?.['id'] ?? parent?.['key'] ?? parent?.['left']) as
      Node | undefined
    if (!isFunction(node) || !named) return false
    const isOwn = (isMember(named) ? memberName(named) : keyName(named)) === own
    return isOwn && bare(textOf(source, node)) === bare((declaration ?? value)!)
  })
}

function keyName({ type, ...node }: Node): string | undefined {
  return type === 'Identifier' ? (node['name'] as string) : undefined
}

function isImported(caller: SourceFile, { from, name }: NonNullable<Elsewhere['imported']>): boolean {
  const known = bindingsIn(caller).get(name)
  return known?.from === from && known.imported === name
}

interface LocalHelper extends Pick<Elsewhere, 'exported' | 'imported'> {
  /** True for a method that another one may stand for when it is called. */
  readonly isReplaceable?: boolean
}

/** A function that stands in the same file, or a method of the class around the call. */
function localHelper(source: SourceFile, callee: Node): LocalHelper | undefined {
  if (isMember(callee)) {
    const name = memberName(callee)
    if ((callee['object'] as Node).type !== 'ThisExpression' || name === undefined) return undefined
    const owner = classAround(callee, source.program)
    if (owner === undefined || isOfObject(source, callee, owner)) return undefined
    const members = ((owner['body'] as Node)['body'] ?? []) as readonly Node[]
    const [member, ...others] = members.filter((one) => keyOf(one) === name)
    if (member?.type !== 'ClassMethod' || member['kind'] !== 'method' || others.length > 0) return undefined
    return {
      exported: { source, name, value: member, site: { kind: 'member', member } },
      imported: undefined,
      isReplaceable: !isOnlyMethod(source, owner, member),
    }
  }
  if (callee.type !== 'Identifier') return undefined
  const name = callee['name'] as string
  if (!isOnlyOnce(source, name)) return undefined
  for (const { node } of walk(source.program)) {
    const found = declaredIn(source, node, name)
    if (found !== undefined) return { exported: found, imported: undefined }
  }
  return undefined
}

/** True within a method of an object, whose `this` is that. */
function isOfObject(source: SourceFile, node: Node, owner: Node): boolean {
  for (let one = source.parentOf(node); one !== undefined && one !== owner; one = source.parentOf(one)) {
    if (one.type === 'ObjectMethod') return true
    if (one.type === 'FunctionExpression' && source.parentOf(one)?.type === 'ObjectProperty') return true
  }
  return false
}

function declaredIn(source: SourceFile, node: Node, name: string): Exported | undefined {
  const statementOf = (declaration: Node): Node => {
    const parent = source.parentOf(declaration)
    return parent?.type === 'ExportNamedDeclaration' ? parent : declaration
  }
  if (node.type === 'FunctionDeclaration' && (node['id'] as Node | null)?.['name'] === name) {
    const parent = source.parentOf(node)
    if (parent?.type === 'ExportDefaultDeclaration')
      return { source, name, value: node, site: { kind: 'statement', statement: parent } }
    return { source, name, value: node, site: { kind: 'statement', statement: statementOf(node) } }
  }
  if (node.type !== 'VariableDeclaration' || node['kind'] !== 'const') return undefined
  const [only, ...others] = node['declarations'] as readonly { id: Node; init: Node | null }[]
  if (only === undefined || others.length > 0 || only.id['name'] !== name || !only.init) return undefined
  return {
    source,
    name,
    value: untyped(only.init),
    site: { kind: 'statement', statement: statementOf(node) },
  }
}
