// The names of a handler: its parameters, its constants, and what holds data that a client has sent.
import type { Node } from '../../syntax/parser.js'
import { type Placed, walk } from '../../syntax/walk.js'
import { Left } from './reasons.js'
import {
  calleeName,
  isInlineFunction,
  isMember,
  isName,
  keyOf,
  memberName,
  namesIn,
} from '../../syntax/tree.js'

/** Members of a request that a client fills with any JSON, or leaves out. */
const sentMembers: ReadonlySet<string> = new Set([
  'body',
  'query',
  'cookies',
  'signedCookies',
  'file',
  'files',
])

/** Which of its parameters a function gets the request, the response and `next` in. */
export interface Roles {
  readonly req: number | undefined
  readonly res: number | undefined
  readonly next: number | undefined
  /** Parameters that hold what a client has sent. */
  readonly sent?: readonly number[]
  /** True for a method whose native form stands where `this` is the same. */
  readonly keepsThis?: boolean
}

export const handlerRoles: Roles = { req: 0, res: 1, next: 2 }

export class Scope {
  /** Undefined where the parameter is taken apart, or not there. */
  readonly req: string | undefined
  readonly res: string
  readonly next: string | undefined
  /** What `const` names stand for, those of the handler and those of its file. */
  readonly #constants = new Map<string, Node>()
  readonly #root: Node
  /** Names whose values a client may have sent. */
  readonly #sent = new Set<string>()

  constructor(handler: Node, program: Node | undefined, roles = handlerRoles) {
    const params = handler['params'] as readonly Node[]
    const [req, res, next] = [roles.req, roles.res, roles.next].map((at) =>
      at === undefined ? undefined : params[at],
    )
    if (res === undefined) throw new Left('no-response', handler)
    if (res.type !== 'Identifier') throw new Left('taken-apart', res)
    if (next !== undefined && next.type !== 'Identifier') throw new Left('next', next)
    this.req = req?.type === 'Identifier' ? (req['name'] as string) : undefined
    this.res = res['name'] as string
    this.next = next?.['name'] as string | undefined
    if (req?.type === 'ObjectPattern') this.#learnPattern(req)
    else if (req !== undefined && this.req === undefined) throw new Left('taken-apart', req)
    for (const at of roles.sent ?? []) for (const name of namesIn(params[at]!)) this.#sent.add(name)
    this.#root = program ?? handler
    if (program !== undefined) this.#learnFile(program)
    this.#learn(handler, roles.keepsThis === true)
  }

  /** What a `const` name stands for; undefined where that is not known. */
  constant(node: Node): Node | undefined {
    return node.type === 'Identifier' ? this.#constants.get(node['name'] as string) : undefined
  }

  /** The same, for an object whose members nothing in the file writes to. */
  unchanged(node: Node): Node | undefined {
    const isWritten = ({ node: one }: Placed): boolean => {
      const left = (one['left'] ?? one['argument']) as Node | undefined
      const [target] = calleeName(one) === 'assign' ? (one['arguments'] as readonly Node[]) : [undefined]
      const object =
        /^(?:Assignment|Update|Unary)Expression$/.test(one.type) && isMember(left) ? left['object'] : target
      return isName(object as Node | undefined, node['name'] as string)
    }
    return [...walk(this.#root)].some(isWritten) ? undefined : this.constant(node)
  }

  /** True for a member of the request itself: `req.body`. */
  isOfRequest(node: Node, names?: ReadonlySet<string>): boolean {
    return (
      isMember(node) &&
      isName(node['object'] as Node, this.req) &&
      (names === undefined || names.has(memberName(node) ?? ''))
    )
  }

  /** True for an expression whose value, or a part of it, is what a client has sent. What a call gives of it is the program's. */
  isSent(node: Node): boolean {
    if (node.type === 'Identifier') return this.#sent.has(node['name'] as string)
    if (this.isOfRequest(node, sentMembers)) return true
    if (isMember(node)) return this.isSent(node['object'] as Node)
    if (/^(?:Optional)?CallExpression$/.test(node.type)) {
      const callee = node['callee'] as Node
      return isMember(callee) && !this.isOfRequest(callee) && this.isSent(callee['object'] as Node)
    }
    if (node.type === 'ConditionalExpression')
      return this.isSent(node['consequent'] as Node) || this.isSent(node['alternate'] as Node)
    // Of these comes a text, a number, true or false.
    if (/^(?:Unary|Binary|Update)Expression$|^TemplateLiteral$/.test(node.type)) return false
    if (isInlineFunction(node) || node.type === 'NewExpression') return false
    return Object.values(node)
      .flat()
      .some((one) => typeof (one as Node | null)?.type === 'string' && this.isSent(one as Node))
  }

  #learnPattern(pattern: Node): void {
    for (const property of pattern['properties'] as readonly Node[]) {
      const key = keyOf(property)
      if (key === undefined || sentMembers.has(key))
        for (const name of namesIn(property)) this.#sent.add(name)
    }
  }

  /** The constants of the file, but for names that are declared more than once in it. */
  #learnFile(program: Node): void {
    const counts = new Map<string, number>()
    for (const { node } of walk(program)) {
      const params = (node['params'] as readonly Node[] | undefined) ?? []
      const id = /^(?:VariableDeclarator|\w+Declaration)$/.test(node.type) ? [node['id']] : []
      for (const declared of [...params, ...id, node['param'], node['local']]) {
        const names = declared ? namesIn(declared as Node) : []
        for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
      }
    }
    for (const statement of program['body'] as readonly Node[]) {
      const declaration = (statement['declaration'] as Node | null | undefined) ?? statement
      if (declaration.type === 'VariableDeclaration') this.#learnConstants(declaration)
    }
    for (const [name, count] of counts) if (count > 1) this.#constants.delete(name)
  }

  #learnConstants(declaration: Node): void {
    if (declaration['kind'] !== 'const') return
    for (const { id, init } of declaration['declarations'] as Record<'id' | 'init', Node>[]) {
      if (id.type === 'Identifier' && init) this.#constants.set(id['name'] as string, init)
    }
  }

  /** Refuses what makes names mean something else, and learns the values of constants. */
  #learn(handler: Node, keepsThis: boolean): void {
    const own = [this.req, this.res, this.next].filter((name) => name !== undefined)
    const body = handler['body'] as Node
    const seen = new Set<string>()
    // In a block of its own a name may hide another one, of the file.
    const outermost = body['body'] as readonly Node[] | Node | undefined
    const atTop = Array.isArray(outermost) ? (outermost as readonly Node[]) : []
    const declare = (names: readonly string[], at: Node): void => {
      for (const name of names) {
        if (own.includes(name)) throw new Left('shadowed', at, name)
        this.#constants.delete(name)
      }
    }
    for (const { node } of walk(body)) {
      if (node.type === 'ThisExpression' && handler.type !== 'ArrowFunctionExpression' && !keepsThis)
        throw new Left('this', node)
      if (node.type === 'Super') throw new Left('this', node)
      if (isName(node, 'arguments')) throw new Left('arguments', node)
      if (isName(node, 'eval')) throw new Left('eval', node)
      if (node.type === 'VariableDeclaration') {
        for (const { id, init } of node['declarations'] as Record<'id' | 'init', Node>[]) {
          const names = namesIn(id)
          declare(names, id)
          if (init && this.isSent(init)) for (const name of names) this.#sent.add(name)
          const [name] = names
          // A name that stands for several values stands for none.
          if (
            id.type === 'Identifier' &&
            init &&
            node['kind'] === 'const' &&
            !seen.has(name!) &&
            isIn(atTop, node)
          )
            this.#constants.set(name!, init)
          for (const one of names) seen.add(one)
        }
      }
      if (/Declaration$/.test(node.type) && node['id']) declare(namesIn(node['id'] as Node), node)
      if (/^(?:AssignmentExpression|ForOfStatement)$/.test(node.type) && this.isSent(node['right'] as Node))
        for (const name of boundBy(node['left'] as Node)) this.#sent.add(name)
      const scoped = [...((node['params'] as readonly Node[] | undefined) ?? []), node['param']]
      for (const param of scoped) {
        if (!param) continue
        declare(namesIn(param as Node), node)
        for (const name of namesIn(param as Node)) seen.add(name)
      }
    }
  }
}

/** The names that an assignment, or a loop, gives values to. */
function boundBy(left: Node): readonly string[] {
  if (left.type !== 'VariableDeclaration') return namesIn(left)
  return (left['declarations'] as readonly { readonly id: Node }[]).flatMap(({ id }) => namesIn(id))
}

/** True for a statement of a list, or of a try in it. */
function isIn(statements: readonly Node[], node: Node): boolean {
  return statements.some(
    (one) =>
      one === node ||
      (one.type === 'TryStatement' && ((one['block'] as Node)['body'] as readonly Node[]).includes(node)),
  )
}
