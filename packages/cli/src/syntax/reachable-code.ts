// What a piece of code reads and calls by name in the files of the project: constants, objects, lists, functions, members of classes, and
// the statements that change them. Packages are not entered.
import { chainOf, type Declaration, declarationsIn, keyName } from './declarations.js'
import { isFunction, type Node } from './parser.js'
import { hashOf, readIn, syntaxOf, unwrapped } from './syntax.js'
import { isNode, walk } from './walk.js'

/** The files of a project. */
export interface Files {
  /** The program of a file, of JSON with its value as the one statement; undefined for one that cannot be read. */
  programOf(file: string): Node | undefined
  /** The file of the project that a name of an import leads to; undefined for a package. */
  fileFrom(file: string, from: string): string | undefined
}

/** What was reached. */
export interface Reached {
  /** The same as long as the syntax of all of it is; undefined where there is nothing. */
  readonly hash: string | undefined
  /** False where there is more than is followed. */
  readonly isWhole: boolean
}

// A bound for code that calls half of its project: what is behind is not looked at.
const mostFollowed = 200
const deepest = 8
// Names that stand for names.
const mostAliases = 20

const nothing: Reached = { hash: undefined, isWhole: true }

/** A piece of code in a file. A program stands for the module. */
interface Code {
  readonly file: string
  readonly program: Node
  readonly node: Node
}

/** Follows the names of pieces of code. What each leads to is remembered, as many guards share most of it. */
export class ReachableCode {
  readonly #files: Files
  readonly #known = new Map<Node, readonly Code[]>()
  readonly #hashes = new Map<Node, string>()
  readonly #reached = new Map<Node, Reached>()
  /** What the piece of code that is followed leads to, as far as it was found. */
  #links = new Map<Node, Code>()

  constructor(files: Files) {
    this.#files = files
  }

  /** All that a piece of code leads to, and what changes the name that was written for it elsewhere, where there is one. */
  from(file: string, node: Node, name?: { readonly file: string; readonly node: Node }): Reached {
    const written = name?.node ?? node
    let reached = this.#reached.get(written)
    if (reached === undefined) {
      const [code, alias] = [this.#codeOf(file, node), name && this.#codeOf(name.file, name.node)]
      reached =
        code === undefined ? nothing : this.#reach(code, alias === undefined ? [] : this.#linksOf(alias))
      this.#reached.set(written, reached)
    }
    return reached
  }

  /** The pieces of code that one leads to, level by level, and at most so many. */
  nearest(file: string, node: Node, most: number): readonly Pick<Code, 'file' | 'node'>[] {
    const root = this.#codeOf(file, node)
    const found: Code[] = root === undefined ? [] : [root]
    const isIn = (inner: Code, outer: Code): boolean =>
      outer.file === inner.file && outer.node.start <= inner.node.start && outer.node.end >= inner.node.end
    // A list is walked with what is added to it meanwhile.
    for (const one of found) {
      for (const link of this.#linksOf(one)) {
        if (found.length > most) return found.slice(1)
        if (isBoundIn(one.node, link.node)) continue
        if (!found.some((known) => isIn(link, known))) found.push(link)
      }
    }
    return found.slice(1)
  }

  #codeOf(file: string, node: Node): Code | undefined {
    const program = this.#files.programOf(file)
    return program && { file, program, node }
  }

  #reach(root: Code, more: readonly Code[]): Reached {
    const taken: Code[] = [root]
    const isTaken = ({ file, node }: Code): boolean =>
      taken.some((one) => one.file === file && one.node.start <= node.start && one.node.end >= node.end)
    let waiting: readonly Code[] = taken
    let isWhole = true
    for (let depth = 0; waiting.length > 0 && isWhole; depth++) {
      const next: Code[] = []
      const links = waiting.flatMap((one) => this.#linksOf(one))
      for (const code of depth === 0 ? [...links, ...more] : links) {
        if (isTaken(code)) continue
        isWhole = depth < deepest && taken.length <= mostFollowed
        if (!isWhole) break
        taken.push(code)
        next.push(code)
      }
      waiting = next
    }
    const [, ...behind] = taken
    const hash = behind.length === 0 ? undefined : hashOf(behind.map((one) => this.#hashOf(one)).join())
    return { hash, isWhole }
  }

  #hashOf({ node }: Code): string {
    let hash = this.#hashes.get(node)
    if (hash === undefined) this.#hashes.set(node, (hash = hashOf(syntaxOf(node))))
    return hash
  }

  /** What a piece of code names, and the statements that change it. */
  #linksOf(code: Code): readonly Code[] {
    let links = this.#known.get(code.node)
    if (links === undefined) {
      this.#links = new Map()
      // `guard.role = 'admin'` changes the guard itself.
      const own = declarationsIn(code.program).nameOf(code.node)
      if (own !== undefined) this.#mutations(code, own[0], own[1], undefined)
      for (const name of namesIn(code.node)) {
        const value = this.#valueOf({ ...code, node: name })
        // Of a module that is not the project's, the path says nothing.
        if (value.node !== name && moduleIn(value.node) === undefined) this.#add(value)
      }
      this.#known.set(code.node, (links = [...this.#links.values()]))
    }
    return links
  }

  #add(code: Code): void {
    const { node } = code
    if (this.#links.has(node)) return
    if (node.type === 'Program') this.#addModule(code)
    else if (isClass(node)) this.#addClass(code)
    else this.#links.set(node, code)
  }

  /** Of a module as a whole all that it exports. */
  #addModule(code: Code): void {
    const body = (code.program['body'] ?? []) as readonly Node[]
    for (const statement of body) {
      const { type } = statement
      if (/^Export(?:Named|Default)Declaration$/.test(type)) {
        const declared = (statement['declaration'] ?? undefined) as Node | undefined
        const inner = (declared?.['declarations'] ?? (declared ? [declared] : [])) as readonly Node[]
        for (const node of inner) this.#add({ ...code, node: (node['init'] as Node | undefined) ?? node })
      } else if (type === 'ExpressionStatement' && isExport(statement['expression'] as Node)) {
        this.#add({ ...code, node: statement['expression'] as Node })
      }
    }
  }

  /** Of a class as a whole what runs when it is made: the members that matter are reached by their names. */
  #addClass(code: Code): void {
    const { superClass } = code.node
    const parent = isNode(superClass) ? this.#valueOf({ ...code, node: superClass }) : undefined
    if (parent !== undefined && parent.node !== code.node) this.#add(parent)
    for (const member of membersOf(code.node)) {
      const { type, kind, value } = member
      const runs = /Property$/.test(type) && isNode(value) && !isFunction(value)
      if (kind === 'constructor' || runs || type === 'StaticBlock') this.#add({ ...code, node: member })
    }
  }

  /** The statements that change what a name stands for, or one member of it. */
  #mutations(code: Code, name: string, declaration: Declaration, member: string | undefined): void {
    for (const one of declarationsIn(code.program).mutationsOf(name, declaration)) {
      if (member !== undefined && one.member !== undefined && one.member !== member) continue
      if (one.isMethod && one.member === undefined && !this.#isCollection(code, declaration)) continue
      this.#add({ ...code, node: one.node })
    }
  }

  /** False for what a call has made, as an app: its `set` and `delete` may be anything. */
  #isCollection(code: Code, { value, imported }: Declaration): boolean {
    const found =
      value !== undefined ? { ...code, node: value } : imported && this.#imported(code, imported, 0)
    return found !== undefined && this.#valueOf(found).node.type === 'NewExpression'
  }

  /** What a name or a member stands for, as far as that can be seen; the node itself where it cannot. */
  #valueOf(code: Code, member?: string, aliases = 0): Code {
    const node = unwrapped(code.node)
    const here = { ...code, node }
    if (aliases > mostAliases) return here
    const { type } = node
    if (type === 'Identifier') return this.#named(here, member, aliases) ?? here
    if (type === 'ThisExpression' || type === 'Super') {
      const self = declarationsIn(code.program).selfOf(node)
      const isParent = type === 'Super' && self !== undefined && isNode(self['superClass'])
      if (isParent) return this.#valueOf({ ...code, node: self['superClass'] as Node }, member, aliases + 1)
      return self === undefined ? here : { ...here, node: self }
    }
    if (type === 'AwaitExpression')
      return this.#valueOf({ ...code, node: node['argument'] as Node }, member, aliases + 1)
    if (isMember(node)) {
      const own = memberName(node)
      const object = this.#valueOf({ ...code, node: node['object'] as Node }, own, aliases + 1)
      if (object.node === unwrapped(node['object'] as Node) && !isMade(object.node)) {
        const isExports = object.node['name'] === 'module' && own === 'exports'
        return isExports ? { ...here, node: code.program } : here
      }
      // Any member of it.
      if (own === undefined) return object
      const found = this.#memberOf(object, own, aliases + 1)
      return found === undefined
        ? this.#instead(object, here, aliases + 1)
        : this.#valueOf(found, member, aliases + 1)
    }
    const from = moduleIn(node)
    return (from === undefined ? undefined : this.#moduleOf(code.file, from)) ?? here
  }

  /** What stands for a member that is not found: all of what it is a member of; nothing of a module. */
  #instead(object: Code, here: Code, aliases: number): Code {
    if (object.node.type !== 'Program') return object
    const [whole] = exportsOf(object.program, 'default')
    if (whole?.node === undefined) return here
    const value = this.#valueOf({ ...object, node: whole.node }, undefined, aliases)
    return value.node.type === 'ObjectExpression' || value.node.type === 'Program' ? here : value
  }

  #named(code: Code, member: string | undefined, aliases: number): Code | undefined {
    const { node, program } = code
    const name = String(node['name'])
    const declaration = declarationsIn(program).of(node)
    if (declaration === undefined) return name === 'exports' ? { ...code, node: program } : undefined
    if (declaration.imported !== undefined) {
      const found = this.#imported(code, declaration.imported, aliases)
      // A package's is not the project's to follow, and what is set on it here is.
      this.#mutations(code, name, declaration, member)
      return found && this.#valueOf(found, member, aliases + 1)
    }
    this.#mutations(code, name, declaration, member)
    for (const one of declaration.defaults) this.#add({ ...code, node: one })
    const { value, path } = declaration
    if (value === undefined) return undefined
    let found = this.#valueOf({ ...code, node: value }, path[0] ?? member, aliases + 1)
    for (const [at, part] of path.entries()) {
      const inner = part === undefined ? undefined : this.#memberOf(found, part, aliases + 1)
      if (inner === undefined) break
      found = this.#valueOf(inner, path[at + 1], aliases + 1)
    }
    return found
  }

  #imported(code: Code, { from, name }: { from: string; name: string }, aliases: number): Code | undefined {
    const module = this.#moduleOf(code.file, from)
    if (module === undefined || name === '*') return module
    return this.#exported(module, name, aliases)
  }

  #moduleOf(file: string, from: string): Code | undefined {
    const other = this.#files.fileFrom(file, from)
    const program = other === undefined ? undefined : this.#files.programOf(other)
    if (program === undefined) return undefined
    const [value] = program['body'] as readonly Node[]
    const node = other!.endsWith('.json') ? unwrapped(value!['expression'] as Node) : program
    return { file: other!, program, node }
  }

  /** What a module exports by a name. */
  #exported(module: Code, name: string, aliases: number): Code | undefined {
    const { program } = module
    if (aliases > mostAliases) return undefined
    // A file of JSON.
    if (module.node !== program)
      return name === 'default' ? module : this.#memberOf(module, name, aliases + 1)
    for (const { node, from, own, isAll } of exportsOf(program, name)) {
      const other = from === undefined ? undefined : this.#moduleOf(module.file, from)
      if (from !== undefined) {
        const found = other && (own === '*' ? other : this.#exported(other, own ?? name, aliases + 1))
        if (found !== undefined) return found
        continue
      }
      const code = { ...module, node: node! }
      if (isAll !== true) return code
      const found = this.#memberOf(this.#valueOf(code, name, aliases + 1), name, aliases + 1)
      if (found !== undefined) return found
    }
    // A module of CommonJS is its own default.
    return name === 'default' && !hasDefault(program) ? module : undefined
  }

  /** What an object, a class, an instance, a list or a module has by a name. */
  #memberOf(code: Code, name: string, aliases: number): Code | undefined {
    const { node } = code
    const { type } = node
    if (aliases > mostAliases) return undefined
    if (type === 'Program') return this.#exported(code, name, aliases)
    if (type === 'ArrayExpression') return elementOf(code, name)
    if (type === 'ObjectExpression') return this.#property(code, name, aliases)
    if (isClass(node)) return this.#classMember(code, name, aliases)
    if (type === 'NewExpression') {
      const made = this.#valueOf({ ...code, node: node['callee'] as Node }, name, aliases + 1)
      const found = isClass(made.node) ? this.#classMember(made, name, aliases) : undefined
      // What it was made with is in its members.
      if (found !== undefined) this.#add(code)
      return found
    }
    if (type !== 'CallExpression') return undefined
    const { bottom, members } = chainOf(node['callee'] as Node)
    if (bottom['name'] !== 'Object' || !/^(?:assign|freeze|seal)$/.test(members[0] ?? '')) return undefined
    return this.#memberOfAny(code, node['arguments'] as readonly Node[], name, aliases)
  }

  /** What the last of several objects that has a name has by it. */
  #memberOfAny(code: Code, objects: readonly Node[], name: string, aliases: number): Code | undefined {
    for (const one of [...objects].reverse()) {
      const value = this.#valueOf({ ...code, node: one }, name, aliases + 1)
      const found = this.#memberOf(value, name, aliases + 1)
      if (found !== undefined) return found
    }
    return undefined
  }

  #property(code: Code, name: string, aliases: number): Code | undefined {
    for (const one of [...(code.node['properties'] as readonly Node[])].reverse()) {
      if (one.type === 'SpreadElement') {
        const found = this.#memberOfAny(code, [one['argument'] as Node], name, aliases)
        if (found !== undefined) return found
      } else if (keyName(one['key'], one['computed'] === true) === name) {
        return { ...code, node: one.type === 'ObjectMethod' ? one : (one['value'] as Node) }
      }
    }
    return undefined
  }

  #classMember(code: Code, name: string, aliases: number): Code | undefined {
    const found = membersOf(code.node).filter(
      (one) => one['key'] && keyName(one['key'], one['computed'] === true) === name,
    )
    const set = assignedIn(code.node, name)
    for (const node of set) this.#add({ ...code, node })
    const [first, ...others] = found
    // A getter and its setter.
    for (const node of others) this.#add({ ...code, node })
    if (first !== undefined) {
      const value = /Property$/.test(first.type) ? (first['value'] as Node | null) : first
      return { ...code, node: value ?? first }
    }
    if (set.length > 0) return { ...code, node: set.at(-1)! }
    const { superClass } = code.node
    if (!isNode(superClass)) return undefined
    const parent = this.#valueOf({ ...code, node: superClass }, name, aliases + 1)
    return isClass(parent.node) ? this.#classMember(parent, name, aliases + 1) : undefined
  }
}

/** The names that a piece of code reads, and the members of them: `config.roles.admin` at once. */
function* namesIn(given: Node): Iterable<Node> {
  const node = unwrapped(given)
  const { type } = node
  if (type === 'Identifier' || type === 'Super' || moduleIn(node) !== undefined) return void (yield node)
  // Alone it is handed to something else, which sees all of it: no more than a guess could be made of what that reads.
  if (type === 'ThisExpression') return
  if (isMember(node)) {
    yield node
    for (let one = node; isMember(one); one = unwrapped(one['object'] as Node)) {
      if (one['computed'] === true) yield* namesIn(one['property'] as Node)
      const object = unwrapped(one['object'] as Node)
      const isName =
        /^(?:Identifier|ThisExpression|Super)$/.test(object.type) || moduleIn(object) !== undefined
      if (!isMember(object) && !isName) yield* namesIn(object)
    }
    return
  }
  const init = type === 'VariableDeclarator' && isReadByName(node) ? node['init'] : undefined
  for (const one of readIn(node)) if (one !== init) yield* namesIn(one)
}

/** True for `const { role } = config` and `const config = require('./config')`, which read nothing that their names do not. */
function isReadByName(node: Node): boolean {
  const { id, init } = node as unknown as { id: Node; init: Node | null }
  if (init === null) return false
  const isModule = moduleIn(unwrapped(init)) !== undefined
  if (id.type !== 'ObjectPattern') return isModule
  const isEach = (id['properties'] as readonly Node[]).every(({ type }) => type === 'ObjectProperty')
  return isEach && (isModule || chainOf(init).bottom.type === 'Identifier')
}

function isMember({ type }: Node): boolean {
  return /^(?:Optional)?MemberExpression$/.test(type)
}

function memberName(node: Node): string | undefined {
  return keyName(node['property'], node['computed'] === true)
}

/** True for what has members that are written there. */
function isMade({ type }: Node): boolean {
  return /^(?:New|Object|Array|Class)Expression$/.test(type)
}

function isClass({ type }: Node): boolean {
  return type === 'ClassDeclaration' || type === 'ClassExpression'
}

function membersOf(node: Node): readonly Node[] {
  return (node['body'] as Node)['body'] as readonly Node[]
}

/** True for a method that the constructor of its class binds, and does not call: `this.show = this.show.bind(this)`. */
function isBoundIn(made: Node, method: Node): boolean {
  if (made['kind'] !== 'constructor' || method.type !== 'ClassMethod') return false
  const name = keyName(method['key'], method['computed'] === true)
  const named = [...walk(made)].filter(
    ({ node }) =>
      isMember(node) && (node['object'] as Node).type === 'ThisExpression' && memberName(node) === name,
  )
  return (
    named.length > 0 &&
    named.every(({ node, parent }) =>
      isMember(parent!) ? memberName(parent!) === 'bind' : parent!['left'] === node,
    )
  )
}

/** The assignments to `this.name` in the constructor of a class, and a param of it that is a member. */
function assignedIn(node: Node, name: string): readonly Node[] {
  const made = membersOf(node).find(({ kind }) => kind === 'constructor')
  if (made === undefined) return []
  const found: Node[] = []
  for (const { node: one } of walk(made)) {
    if (one.type === 'AssignmentExpression') {
      const left = unwrapped(one['left'] as Node)
      const isOwn = isMember(left) && (left['object'] as Node).type === 'ThisExpression'
      if (isOwn && memberName(left) === name) found.push(one)
    }
    if (one.type === 'TSParameterProperty') {
      const param = one['parameter'] as Node
      if (((param['left'] ?? param) as Node)['name'] === name) found.push(param)
    }
  }
  return found
}

function elementOf(code: Code, name: string): Code | undefined {
  const at = Number(name)
  const elements = code.node['elements'] as readonly (Node | null)[]
  const isWritten = elements.slice(0, at + 1).every((one) => one?.type !== 'SpreadElement')
  const node = Number.isInteger(at) && isWritten ? elements[at] : undefined
  return node ? { ...code, node } : undefined
}

/** The module that `require('./x')` or `import('./x')` gives. */
function moduleIn({ type, ...node }: Node): string | undefined {
  const isRequire = type === 'CallExpression' && (node['callee'] as Node)['name'] === 'require'
  const from = isRequire
    ? (node['arguments'] as readonly Node[])[0]
    : type === 'ImportExpression'
      ? (node['source'] as Node)
      : undefined
  return typeof from?.['value'] === 'string' ? from['value'] : undefined
}

/** What a file may export by a name: a node of it, or what another file exports. */
interface Export {
  readonly node?: Node
  /** True where the node has it as a member. */
  readonly isAll?: true
  readonly from?: string
  /** Its name in the other file; `*` is all of that. */
  readonly own?: string
}

/** What a file may export by a name, the last one first. */
function exportsOf(program: Node, name: string): readonly Export[] {
  const found: Export[] = []
  const stars: Export[] = []
  for (const statement of (program['body'] ?? []) as readonly Node[]) {
    const { type } = statement
    const from = (statement['source'] as Node | null | undefined)?.['value'] as string | undefined
    if (type === 'ExportAllDeclaration') stars.push({ from: from! })
    else if (type === 'ExportDefaultDeclaration' && name === 'default')
      found.push({ node: statement['declaration'] as Node })
    else if (type === 'ExportNamedDeclaration') found.push(...namedExports(statement, name, from))
    else if (type === 'TSExportAssignment') found.push(...wholeExport(statement['expression'] as Node, name))
    else if (type === 'ExpressionStatement')
      found.push(...assignedExports(unwrapped(statement['expression'] as Node), name))
  }
  return [...found.reverse(), ...(name === 'default' ? [] : stars)]
}

function namedExports(statement: Node, name: string, from: string | undefined): readonly Export[] {
  const declared = (statement['declaration'] ?? undefined) as Node | undefined
  const own = declared && declaredName(declared, name)
  if (own !== undefined) return [{ node: own }]
  return ((statement['specifiers'] ?? []) as readonly Node[]).flatMap((one): readonly Export[] => {
    if (exportedName(one['exported']) !== name) return []
    if (one.type === 'ExportNamespaceSpecifier') return [{ from: from!, own: '*' }]
    const local = one['local'] as Node
    return [from === undefined ? { node: local } : { from, own: exportedName(local)! }]
  })
}

function exportedName(node: unknown): string | undefined {
  return keyName(node, false)
}

/** The name within what is declared, which stands for it. */
function declaredName(declared: Node, name: string): Node | undefined {
  const find = (node: Node): Node | undefined => {
    if (node.type === 'Identifier') return node['name'] === name ? node : undefined
    for (const key of ['declarations', 'id', 'properties', 'elements', 'value', 'left', 'argument']) {
      for (const one of [node[key]].flat()) {
        const found = isNode(one) ? find(one) : undefined
        if (found !== undefined) return found
      }
    }
    return undefined
  }
  return find(declared)
}

function assignedExports(node: Node, name: string): readonly Export[] {
  if (node.type === 'AssignmentExpression') {
    const { bottom, members } = chainOf(node['left'] as Node)
    const value = unwrapped(node['right'] as Node)
    const path = bottom['name'] === 'module' && members[0] === 'exports' ? members.slice(1) : members
    const inner = value.type === 'AssignmentExpression' ? assignedExports(value, name) : []
    if (!isExports(bottom, members)) return inner
    const last = value.type === 'AssignmentExpression' ? rightmost(value) : value
    if (path.length === 0) return [...inner, ...wholeExport(last, name)]
    return path.length === 1 && path[0] === name ? [...inner, { node: last }] : inner
  }
  if (node.type !== 'CallExpression') return []
  const [first, second, third] = node['arguments'] as readonly Node[]
  const { bottom, members } = chainOf(node['callee'] as Node)
  const isObject = bottom['name'] === 'Object'
  if (isObject && members[0] === 'assign' && first && isExportsNode(first))
    return (node['arguments'] as readonly Node[]).slice(1).map((one) => ({ node: one, isAll: true as const }))
  if (isObject && members[0] === 'defineProperty' && first && isExportsNode(first))
    return second?.['value'] === name && third ? [{ node: third }] : []
  // As TypeScript compiles `export * from`.
  const isStar = /exportStar$/.test(members.at(-1) ?? String(bottom['name']))
  return isStar && first ? [{ node: first, isAll: true }] : []
}

function rightmost(node: Node): Node {
  const value = unwrapped(node['right'] as Node)
  return value.type === 'AssignmentExpression' ? rightmost(value) : value
}

function wholeExport(node: Node, name: string): readonly Export[] {
  return [name === 'default' ? { node } : { node, isAll: true }]
}

/** True for `exports` and `module.exports`, and for a member of them. */
function isExports(bottom: Node, members: readonly (string | undefined)[]): boolean {
  return bottom['name'] === 'exports' || (bottom['name'] === 'module' && members[0] === 'exports')
}

function isExportsNode(node: Node): boolean {
  const { bottom, members } = chainOf(node)
  return isExports(bottom, members)
}

function isExport(node: Node): boolean {
  if (node.type === 'AssignmentExpression') return isExportsNode(node['left'] as Node)
  const [first] = (node['arguments'] ?? []) as readonly Node[]
  return first !== undefined && isExportsNode(first)
}

function hasDefault(program: Node): boolean {
  return exportsOf(program, 'default').length > 0
}
