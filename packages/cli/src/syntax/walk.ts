// The one way through a tree that the parser has made.
import type { Node } from './parser.js'

export function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Node).type === 'string' &&
    'start' in value
  )
}

const skippedKeys: ReadonlySet<string> = new Set([
  'loc',
  'leadingComments',
  'trailingComments',
  'innerComments',
  'extra',
  'errors',
  'tokens',
])

/** The nodes right below a node. */
export function* childrenOf(node: Node): Iterable<Node> {
  for (const key of Object.keys(node)) {
    if (skippedKeys.has(key)) continue
    const value = node[key]
    if (Array.isArray(value)) {
      for (const one of value) if (isNode(one)) yield one
    } else if (isNode(value)) yield value
  }
}

/** A node with the two around it. */
export interface Placed {
  readonly node: Node
  readonly parent: Node | undefined
  readonly above: Node | undefined
}

/** A node and all within it, each before what is within that; nothing of a node below the first that is left out. */
export function* walk(node: Node, isLeftOut: (node: Node) => boolean = () => false): Generator<Placed> {
  // No recursion: each node would pass through as many generators as there are nodes around it.
  const waiting: Placed[] = [{ node, parent: undefined, above: undefined }]
  for (let placed = waiting.pop(); placed !== undefined; placed = waiting.pop()) {
    yield placed
    const { node: parent, parent: above } = placed
    const inner = [...childrenOf(parent)].filter((one) => !isLeftOut(one))
    for (const child of inner.reverse()) waiting.push({ node: child, parent, above })
  }
}
