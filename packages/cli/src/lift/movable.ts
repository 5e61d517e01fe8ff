// Which statements between the calls of a router may stand before all of them.
import type { Names } from '../edit/imports.js'
import { argumentsOf, type SourceFile } from '../edit/source-file.js'
import { isFunction, type Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import { lineAt } from './references.js'
import type { Why } from './why.js'

/** A call that registers something with a router, and the statement that it is. */
interface Registering {
  readonly statement: Node
  readonly call: Node
  /** What of its arguments is made when it is called. */
  readonly guards: readonly Node[]
}

const declaring =
  /^(?:(?:Function|Class|Variable|Import)Declaration|TS(?:TypeAlias|Interface|Enum)Declaration|EmptyStatement)$/

/**
 * What stands between the calls of a router, where it may stand before all of them: it declares names, and changes nothing that makes a guard
 * before it.
 */
export function othersBetween(
  source: SourceFile,
  names: Names,
  calls: readonly Registering[],
): readonly Node[] | Why {
  const own = new Set<Node>(calls.map(({ statement }) => statement))
  const [first, last] = [calls[0]!.statement, calls.at(-1)!.statement]
  const others = (source.program['body'] as readonly Node[]).filter(
    (one) => one.start > first.start && one.start < last.start && !own.has(one),
  )
  const fixed = others.find((one) => {
    const inner = one.type === 'ExportNamedDeclaration' ? (one['declaration'] as Node | null) : one
    if (inner === null || !declaring.test(inner.type)) return true
    return !mayStandBefore(
      source,
      inner,
      calls.filter(({ statement }) => statement.start < one.start),
      names,
    )
  })
  if (fixed === undefined) return others
  const at = { file: source.file, line: lineAt(source, fixed.start) }
  return { reason: 'a statement between its routes may need what stands before it', at }
}

function mayStandBefore(
  source: SourceFile,
  declaration: Node,
  calls: readonly Registering[],
  names: Names,
): boolean {
  // A second `var` of a name is an assignment.
  if (declaration['kind'] === 'var') {
    const declared = namesIn(declaration['declarations'] as readonly Node[], () => false)
    const used = namesIn(
      calls.map(({ call }) => call),
      () => false,
    )
    if (declared.some((name) => used.includes(name))) return false
  }
  const run = runIn(declaration)
  if (run.some(writes)) return false
  const made = run.filter(isCall)
  const guards = calls.flatMap(({ guards: some }) => some)
  if (made.length === 0 || !guards.some((guard) => runIn(guard).some(isCall))) return true
  // What a package makes of values, as a schema, knows nothing of the file but what it is given: a function may do anything there.
  if (!made.every((call) => isOfPackage(call, names))) return false
  const isGlobal = (name: string): boolean => isFromPackage(names.get(name)?.from)
  const given = namesIn([declaration], isGlobal)
  const read = namesIn(guards, isGlobal)
  const own = functionsOf(source)
  return !given.some((name) => read.includes(name) || own.has(name) || names.has(name))
}

/** The names of the functions at the top of a file. */
function functionsOf({ program }: SourceFile): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { node } of walk(program, isFunctionBody)) {
    const value = (node.type === 'VariableDeclarator' ? node['init'] : node) as Node | null
    const id = node['id'] as Node | null | undefined
    if (value && isFunction(value) && id?.type === 'Identifier') found.add(id['name'] as string)
  }
  return found
}

const isFunctionBody = ({ type }: Node): boolean => type === 'BlockStatement'

function isFromPackage(from: unknown): boolean {
  return typeof from === 'string' && !/^[./#]/.test(from)
}

function writes({ type, operator }: Node): boolean {
  return writing.test(type) || operator === 'delete'
}

const writing = /^(?:AssignmentExpression|UpdateExpression|AwaitExpression|YieldExpression|ImportExpression)$/

function isCall({ type }: Node): boolean {
  return /^(?:(?:Optional)?CallExpression|NewExpression|TaggedTemplateExpression|Decorator)$/.test(type)
}

/** What of a node runs where it stands. */
function runIn(node: Node): readonly Node[] {
  return isLater(node) ? [] : [...walk(node, isLater)].map(({ node: one }) => one)
}

/** True for what runs later, if at all: the body of a function, and the value of a field. */
function isLater(node: Node): boolean {
  if (isFunction(node)) return true
  return /^Class(?:Private)?Property$/.test(node.type) && node['static'] !== true && node['computed'] !== true
}

function isOfPackage(call: Node, names: Names): boolean {
  let root = (call['callee'] ?? call['tag'] ?? call['expression']) as Node
  // `z.object({}).strict()` is one of `z`.
  for (;;) {
    const inner = (root['object'] ?? (isCall(root) ? root['callee'] : undefined)) as Node | undefined
    if (inner === undefined) break
    root = inner
  }
  const name = root.type === 'Identifier' ? (root['name'] as string) : ''
  const from = name === 'require' ? argumentsOf(call)[0]?.['value'] : names.get(name)?.from
  if (from === undefined) return builtin.has(name)
  return isFromPackage(from)
}

const builtin: ReadonlySet<string> = new Set(
  'Boolean Date Map Number RegExp Set String Symbol URL'.split(' '),
)

/** The names in some nodes, but for those of members and of what is left out. */
function namesIn(nodes: readonly Node[], isLeftOut: (name: string) => boolean): string[] {
  return nodes.flatMap((node) =>
    [...walk(node)].flatMap(({ node: one, parent }) => {
      if (one.type !== 'Identifier') return []
      const isKey =
        parent !== undefined &&
        parent['computed'] !== true &&
        (parent['property'] === one || (parent['key'] === one && parent['value'] !== one))
      const name = one['name'] as string
      return isKey || isLeftOut(name) ? [] : [name]
    }),
  )
}
