// What each name of one file is declared as, and what statements change of it afterwards.
import { isFunction, type Node } from './parser.js'
import { nameIn, unwrapped } from './syntax.js'
import { childrenOf } from './walk.js'

/** What a name is declared as. */
export interface Declaration {
  /** The node within which the name means this. */
  readonly scope: Node
  /** The function that it is declared in, or the program: a statement there changes it each time. */
  readonly home: Node
  /** The name in another module; undefined for what is declared here. `*` is all of it. */
  readonly imported?: { readonly from: string; readonly name: string }
  /** What it is set to; undefined for a param, and for `let role`. */
  readonly value?: Node | undefined
  /** The members of the value that a pattern takes it from: `const { a: [name] }`; undefined stands for one that is not known. */
  readonly path: readonly (string | undefined)[]
  /** What it is where the value has nothing there. */
  readonly defaults: readonly Node[]
}

/** A statement that changes what a name stands for, or a member of that. */
interface Mutation {
  readonly node: Node
  /** The name itself, where it stands. */
  readonly name: Node
  /** The member that is changed; undefined where it may be any. */
  readonly member: string | undefined
  readonly home: Node
  /** True for a method that changes a collection, and may be another thing for another object: `set`, `delete`. */
  readonly isMethod: boolean
}

/** The names of a file. */
export interface Declarations {
  /** What a name means at an offset; undefined for what is declared nowhere in the file. */
  of(name: Node): Declaration | undefined
  /** The statements that change what a declaration has set, in their order. */
  mutationsOf(name: string, declaration: Declaration): readonly Mutation[]
  /** The name that a function or another value is declared with. */
  nameOf(value: Node): readonly [name: string, declaration: Declaration] | undefined
  /** The class or the object that `this` stands for in a method. */
  selfOf(self: Node): Node | undefined
}

const known = new WeakMap<Node, Declarations>()

/** Reads the names of a file. */
export function declarationsIn(program: Node): Declarations {
  let found = known.get(program)
  if (found === undefined) known.set(program, (found = new Reader(program)))
  return found
}

interface Place {
  readonly scope: Node
  readonly home: Node
  readonly self: Node | undefined
}

class Reader implements Declarations {
  readonly #declared = new Map<string, Declaration[]>()
  readonly #mutations = new Map<string, Mutation[]>()
  readonly #names = new Map<Node, readonly [string, Declaration]>()
  readonly #selves = new Map<Node, Node>()

  constructor(program: Node) {
    this.#visit(program, { scope: program, home: program, self: undefined })
  }

  of(name: Node): Declaration | undefined {
    let found: Declaration | undefined
    for (const one of this.#declared.get(String(name['name'])) ?? []) {
      if (name.start < one.scope.start || name.end > one.scope.end) continue
      // Of two in one scope the later one.
      if (found === undefined || sizeOf(one.scope) <= sizeOf(found.scope)) found = one
    }
    return found
  }

  mutationsOf(name: string, declaration: Declaration): readonly Mutation[] {
    const all = this.#mutations.get(name) ?? []
    return all.filter((one) => one.home === declaration.home && this.of(one.name) === declaration)
  }

  nameOf(value: Node): readonly [string, Declaration] | undefined {
    return this.#names.get(value)
  }

  selfOf(self: Node): Node | undefined {
    return this.#selves.get(self)
  }

  #declare(name: string, declaration: Declaration): void {
    addTo(this.#declared, name, declaration)
    if (declaration.value && declaration.path.length === 0)
      this.#names.set(unwrapped(declaration.value), [name, declaration])
  }

  #visit(node: Node, place: Place): void {
    const { type } = node
    if (type === 'ThisExpression' || type === 'Super') {
      if (place.self !== undefined) this.#selves.set(node, place.self)
      return
    }
    this.#declarations(node, place)
    this.#mutation(node, place)
    const isVar = type === 'VariableDeclaration' && node['kind'] === 'var'
    const inner = isVar ? { ...place, scope: place.home } : placeIn(node, place)
    for (const child of childrenOf(node)) {
      // A function that is the value of a property is a method of its object.
      const isMethod =
        type === 'ObjectProperty' || type === 'ClassProperty' || type === 'ClassPrivateProperty'
      const isOwn = isMethod && child === node['value'] && child.type === 'FunctionExpression'
      if (isOwn) this.#function(child, { ...inner, self: inner.self })
      else this.#visit(child, inner)
    }
  }

  /** A function that keeps the `this` of what is around it, as a method does. */
  #function(node: Node, { self }: Place): void {
    const inner: Place = { scope: node, home: node, self }
    this.#params(node)
    for (const child of childrenOf(node)) this.#visit(child, inner)
  }

  #params(node: Node): void {
    for (const param of node['params'] as readonly Node[]) {
      for (const { name } of partsOf(param))
        this.#declare(name, { scope: node, home: node, path: [], defaults: [] })
    }
  }

  #declarations(node: Node, { scope, home }: Place): void {
    const { type } = node
    const id = node['id'] as Node | null | undefined
    const plain = { scope, home, path: [], defaults: [] }
    if (isFunction(node)) this.#params(node)
    if (/^(?:Function|Class|TSEnum)Declaration$/.test(type) && id) {
      this.#declare(String(id['name']), { ...plain, value: node })
    } else if (type === 'CatchClause' && node['param']) {
      for (const { name } of partsOf(node['param'] as Node)) this.#declare(name, { ...plain, scope: node })
    } else if (/^For(?:Of|In)Statement$/.test(type)) {
      const [declared] = ((node['left'] as Node)['declarations'] ?? []) as readonly Node[]
      // Which of the list it is changes nothing of what the list holds.
      for (const { name, defaults } of declared === undefined ? [] : partsOf(declared['id'] as Node))
        this.#declare(name, {
          ...plain,
          scope: node,
          value: node['right'] as Node,
          path: [undefined],
          defaults,
        })
    } else if (type === 'VariableDeclarator' && id) {
      const value = (node['init'] ?? undefined) as Node | undefined
      for (const { name, path, defaults } of partsOf(id))
        this.#declare(name, { scope, home, value, path, defaults })
    } else if (type === 'ImportDeclaration') {
      const from = String((node['source'] as Node)['value'])
      for (const one of node['specifiers'] as readonly Node[]) {
        const isWhole = one.type === 'ImportNamespaceSpecifier'
        const name = isWhole ? '*' : (nameIn(one['imported']) ?? 'default')
        this.#declare(nameIn(one['local'])!, { ...plain, imported: { from, name } })
      }
    } else if (type === 'TSImportEqualsDeclaration' && id) {
      const from = ((node['moduleReference'] as Node)['expression'] as Node | undefined)?.['value']
      if (typeof from === 'string')
        this.#declare(String(id['name']), { ...plain, imported: { from, name: 'default' } })
    }
  }

  #mutation(node: Node, { home }: Place): void {
    const add = (target: Node, isMethod = false): void => {
      const chain = chainOf(target)
      if (chain.bottom.type !== 'Identifier') return
      const [member] = chain.members
      addTo(this.#mutations, String(chain.bottom['name']), {
        node,
        name: chain.bottom,
        member,
        home,
        isMethod,
      })
    }
    if (node.type === 'AssignmentExpression') {
      const left = unwrapped(node['left'] as Node)
      if (/Pattern$/.test(left.type)) for (const { target } of partsOf(left)) add(target)
      else add(left)
    } else if (node.type === 'UpdateExpression') add(node['argument'] as Node)
    else if (node.type === 'UnaryExpression' && node['operator'] === 'delete') add(node['argument'] as Node)
    else if (/^(?:Optional)?CallExpression$/.test(node.type)) {
      const callee = chainOf(node['callee'] as Node)
      if (callee.members.length === 0) return
      const { bottom, members } = callee
      const [first] = node['arguments'] as readonly Node[]
      const method = members.at(-1) ?? ''
      if (/^(?:Object|Reflect)$/.test(String(bottom['name'])) && changing.test(method) && first) add(first)
      else if (changingList.test(method) || changingMap.test(method))
        add(unwrapped(node['callee'] as Node)['object'] as Node, changingMap.test(method))
    }
  }
}

const changing = /^(?:assign|defineProperty|defineProperties|setPrototypeOf|set|deleteProperty)$/
const changingList = /^(?:push|unshift|splice|pop|shift|sort|reverse|fill|copyWithin)$/
// An app of Express has methods of these names, too.
const changingMap = /^(?:set|add|delete|clear|append)$/

function placeIn(node: Node, { scope, home, self }: Place): Place {
  const { type } = node
  if (/^Class(?:Declaration|Expression)$/.test(type)) return { scope, home, self: node }
  if (type === 'ObjectExpression') return { scope, home, self: node }
  if (type === 'StaticBlock') return { scope: node, home: node, self }
  if (!isFunction(node)) {
    const isScope = type === 'BlockStatement' || /^(?:For(?:Of|In)?|Switch)Statement$/.test(type)
    return isScope ? { scope: node, home, self } : { scope, home, self }
  }
  const keeps = type === 'ArrowFunctionExpression' || /Method$/.test(type)
  return { scope: node, home: node, self: keeps ? self : undefined }
}

interface Part {
  readonly name: string
  readonly target: Node
  readonly path: readonly (string | undefined)[]
  readonly defaults: readonly Node[]
}

/** The names that a pattern sets, with where each comes from. */
function partsOf(
  given: Node,
  path: readonly (string | undefined)[] = [],
  defaults: readonly Node[] = [],
): readonly Part[] {
  const node = unwrapped(given)
  const { type } = node
  if (type === 'Identifier') return [{ name: String(node['name']), target: node, path, defaults }]
  if (type === 'TSParameterProperty') return partsOf(node['parameter'] as Node, path, defaults)
  if (type === 'AssignmentPattern')
    return partsOf(node['left'] as Node, path, [...defaults, node['right'] as Node])
  // Which members a rest has is not looked at: all of them.
  if (type === 'RestElement')
    return partsOf(node['argument'] as Node, [...path.slice(0, -1), undefined], defaults)
  if (type === 'ObjectPattern') {
    return (node['properties'] as readonly Node[]).flatMap((one) => {
      if (one.type === 'RestElement') return partsOf(one, [...path, undefined], defaults)
      const key = keyName(one['key'], one['computed'] === true)
      return partsOf(one['value'] as Node, [...path, key], defaults)
    })
  }
  if (type === 'ArrayPattern') {
    return (node['elements'] as readonly (Node | null)[]).flatMap((one, at) =>
      one === null
        ? []
        : partsOf(one, [...path, one.type === 'RestElement' ? undefined : String(at)], defaults),
    )
  }
  // An assignment may set a member: `[config.role] = roles`.
  return /MemberExpression$/.test(type) ? [{ name: '', target: node, path, defaults }] : []
}

/** The names in what a variable is declared by, where they stand: `a`, or `{ a, b: [c] = [] }`. */
export function namesDeclaredBy(id: Node): readonly Node[] {
  return partsOf(id).map(({ target }) => target)
}

/** The name of a member: `name`, `'name'`, `0`, `#name`; undefined for one that is computed. */
export function keyName(given: unknown, isComputed: boolean): string | undefined {
  const { type, name, value, id } = (given ?? {}) as Partial<Node>
  if (type === 'PrivateName') return `#${String((id as Node)['name'])}`
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  return isComputed || typeof name !== 'string' ? undefined : name
}

/** `a.b['c']`: what it begins with, and its members; undefined stands for one that is computed. */
export function chainOf(given: Node): {
  readonly bottom: Node
  readonly members: readonly (string | undefined)[]
} {
  const members: (string | undefined)[] = []
  let node = unwrapped(given)
  while (/^(?:Optional)?MemberExpression$/.test(node.type)) {
    members.unshift(keyName(node['property'], node['computed'] === true))
    node = unwrapped(node['object'] as Node)
  }
  return { bottom: node, members }
}

function sizeOf({ start, end }: Node): number {
  return end - start
}

function addTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}
