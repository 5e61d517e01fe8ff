// What a handler reads of its request, and does with it besides.
import type MagicString from 'magic-string'
import type { Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import type { CheckedScript } from '../../edit/checked-scripts.js'
import { replace } from '../../edit/code.js'
import { isKnownCall } from './res-calls.js'
import { Left, type NativeReasonId } from './reasons.js'
import type { Scope } from './scope.js'
import { calleeName, isLabel, isMember, isName, isWrite, keyOf, memberName } from '../../syntax/tree.js'

// Those that a native callback finds and a handler of Express does not, or finds otherwise.
const otherMembers: ReadonlySet<string> = new Set([
  'rawBody',
  'realIp',
  'isShadow',
  'signal',
  'text',
  'json',
  'formData',
  'arrayBuffer',
  'route',
  'next',
  'cookies',
])
// Those of Express and Node that the types of a native request do not have.
const untypedMembers =
  /^(?:ips?|path|host(?:name)?|protocol|secure|xhr|subdomains|fresh|stale|baseUrl|app|res|accepts\w*|is|range|param|header|signedCookies|socket|connection|on|once|off|pipe|resume|pause|destroy|aborted|complete|httpVersion|rawHeaders|trailers|emit|unpipe|read|setTimeout|readable\w*)$/
const writtenByExpress =
  /^(?:method|url|originalUrl|headers|params|query|body|cookies|baseUrl|app|res|path|ip)$/

/** Refuses what of `res` no native callback has, wherever it stands. */
export function checkResponse(body: Node, { res }: Scope, isHelper: (call: Node) => boolean): void {
  for (const placed of walk(body)) {
    const { node, parent, above } = placed
    if (!isName(node, res) || isLabel(placed)) continue
    if (isMember(parent) && parent['object'] === node) {
      const name = memberName(parent)
      const isCall = above?.type === 'CallExpression' && above['callee'] === parent
      if (isCall ? isKnownCall(name ?? '') || isTranslation(name) : name === 'locals' || name === 'app')
        continue
      if (!isCall && name === 'statusCode' && isWrite(above!, parent)) continue
      throw new Left('res-member', parent, name ?? '[…]')
    }
    const isGiven = /CallExpression$|^NewExpression$/.test(parent?.type ?? '') && parent!['callee'] !== node
    if (isGiven && isHelper(parent!)) continue
    if (isGiven) throw new Left('res-passed', node, calleeName(parent!) ?? 'a function')
    throw new Left(parent?.type === 'ObjectProperty' ? 'res-passed' : 'res-named', node, 'an object')
  }
}

/** True for a member of the response that a native callback finds on that of Express: what middleware shares. */
export function isSharedMember(name: string | undefined): boolean {
  return name === 'locals' || name === 'app' || isTranslation(name)
}

/** True for what the package i18n adds, which gives a text. */
function isTranslation(name: string | undefined): boolean {
  return /^__(?:n|mf)?$/.test(name ?? '')
}

/** Whether the types of a native request count, and whether the annotation of the handler is written, which adds those that lack. */
export interface RequestTypes {
  readonly areChecked: boolean
  readonly canAdd: boolean
  /** True where a validator says what the body and the query are. */
  readonly isValidated?: boolean
  /** In JavaScript, where types are comments. */
  readonly script?: CheckedScript
}

/** How a handler uses its request, where that is the same natively. */
export class RequestReads {
  readonly #code: MagicString
  readonly #scope: Scope
  readonly #types: RequestTypes
  /** True where it reads the body, or may. */
  readsBody = false
  /** True where it reads what the types of a native request do not have. */
  lacksTypes = false
  /** True where it reads what a validator may have given a type. */
  readsSent = false
  /** True where it reads what middleware shares on the response. */
  readsShared = false

  constructor(code: MagicString, scope: Scope, types: RequestTypes) {
    this.#code = code
    this.#scope = scope
    this.#types = types
  }

  /** Checks the parameter, where it is taken apart: `({ params }, res)`. */
  checkParameter(parameter: Node): void {
    if (parameter.type === 'ObjectPattern') this.#checkPattern(parameter)
  }

  /** Checks each use of the request within the handler. */
  check(body: Node): void {
    const { req } = this.#scope
    for (const placed of walk(body)) {
      const { node, parent, above } = placed
      if (isLabel(placed) || !isName(node, req)) continue
      if (isMember(parent) && parent['object'] === node) {
        this.#checkRead(parent, above)
        continue
      }
      const pattern =
        parent?.type === 'VariableDeclarator' && parent['init'] === node ? (parent['id'] as Node) : undefined
      if (pattern?.type === 'ObjectPattern') {
        this.#checkPattern(pattern)
        continue
      }
      this.#lack('req-passed', node)
      this.readsBody = true
    }
  }

  /** `res.locals`, `res.app` and `res.__`, which a native callback finds by its request. */
  rewriteLocals(body: Node, isUnderstood: (node: Node) => boolean): void {
    const { req, res } = this.#scope
    for (const placed of walk(body)) {
      const { node, parent } = placed
      if (!isName(node, res) || isLabel(placed) || isUnderstood(node)) continue
      const name = isMember(parent) ? memberName(parent) : undefined
      if (!isSharedMember(name)) continue
      const { areChecked, canAdd, script } = this.#types
      if ((areChecked && !canAdd) || req === undefined) throw new Left('res-member', node, name)
      // The type of a request of Express says that it may have none.
      if (areChecked) this.lacksTypes = true
      if (name !== 'app') this.readsShared = true
      const response = areChecked && script === undefined ? `${req}.res!` : `${req}.res`
      replace(this.#code, node.start, node.end, name === 'app' ? req : response)
    }
  }

  #checkPattern(pattern: Node): void {
    for (const property of pattern['properties'] as readonly Node[]) {
      const name = keyOf(property)
      if (name === undefined) throw new Left('req-member', property, '[…]')
      this.#checkName(name, property)
      if (name === 'body') {
        this.readsBody = true
        this.#lack('body-type', property)
      }
    }
  }

  #checkName(name: string, at: Node): void {
    if (name === 'query' || name === 'body') this.readsSent = true
    if (otherMembers.has(name)) throw new Left('req-member', at, name)
    if (untypedMembers.test(name)) this.#lack('req-types', at, name)
  }

  #checkRead(member: Node, above: Node | undefined): void {
    const name = memberName(member)
    if (name === undefined) {
      this.#lack('req-types', member, '[…]')
      this.readsBody = true
      return
    }
    const isCalled = above?.type === 'CallExpression' && above['callee'] === member
    if (above !== undefined && isWrite(above, member) && writtenByExpress.test(name))
      throw new Left('req-written', above, name)
    if (name === 'header' && isCalled) {
      const property = member['property'] as Node
      if (property.type === 'Identifier') replace(this.#code, property.start, property.end, 'get')
      return
    }
    // Without a parser of cookies Express has none, and a native request has. What reads one of them at once fails in Express.
    if (name !== 'cookies' || !isTakenApart(member, above)) this.#checkName(name, member)
    if (name !== 'body') return
    this.readsBody = true
    if (!isTakenAnyway(member, above)) this.#lack('body-type', member)
  }

  /** Notes what its types lack, or refuses the handler where no annotation has it. */
  #lack(id: NativeReasonId, at: Node, name?: string): void {
    const { areChecked, canAdd, isValidated = false } = this.#types
    if (!areChecked || (id === 'body-type' && isValidated)) return
    if (!canAdd) throw new Left(id, at, name)
    this.lacksTypes = true
  }
}

/** True for `req.cookies.a` and `const { a } = req.cookies`. */
function isTakenApart(member: Node, above: Node | undefined): boolean {
  if (above?.type === 'VariableDeclarator') return (above['id'] as Node).type === 'ObjectPattern'
  return above?.type === 'MemberExpression' && above['object'] === member
}

/** True for a read of a body of unknown type that compiles: `req.body as Order`, `schema.parse(req.body)`. */
function isTakenAnyway(member: Node, above: Node | undefined): boolean {
  if (above === undefined) return false
  if (/^TS(?:AsExpression|TypeAssertion)$/.test(above.type)) return true
  if (above.type === 'CallExpression' && above['callee'] !== member)
    return /^(?:safeP|p)arse(?:Async)?$|^json$|^stringify$/.test(calleeName(above) ?? '')
  return false
}
