// The parser of JavaScript and TypeScript: @babel/parser, of the project or of this package, which it is an optional peer of.
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** A node of the tree that @babel/parser makes. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export interface Token {
  readonly start: number
  readonly end: number
  readonly type: { readonly label?: string } | string
  readonly value?: unknown
}

export interface Parser {
  parse(text: string, options: object): { program: Node; tokens: Token[]; errors?: readonly unknown[] }
}

/** What was found: a parser, or why there is none, as a part of a sentence with what helps. */
export type FoundParser =
  | { readonly parser: Parser; readonly version: string; readonly problem?: undefined }
  | { readonly parser?: undefined; readonly problem: string }

const remedy = 'npm install --save-dev @babel/parser@7'
// What `peerDependencies` allows. An older one refuses the options, and code that is newer than itself.
const oldest = [7, 24] as const

/** Looks for the parser of a project, then for that of this package. */
export function findParser(root: string): FoundParser {
  let problem: string | undefined
  for (const from of [join(root, 'package.json'), ownFolder]) {
    const require = createRequire(from)
    try {
      require.resolve('@babel/parser')
    } catch {
      // The other place may have it.
      continue
    }
    try {
      const { version } = require('@babel/parser/package.json') as { version: string }
      const [major = 0, minor = 0] = version.split('.').map(Number)
      if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) {
        return { parser: require('@babel/parser') as Parser, version }
      }
      problem ??= `@babel/parser ${version} is too old, and ${oldest.join('.')} or newer is needed: ${remedy}`
    } catch (error) {
      problem ??= `@babel/parser cannot be loaded (${(error as Error).message}): ${remedy}`
    }
  }
  return { problem: problem ?? `@babel/parser is not installed: ${remedy}` }
}

const ownFolder =
  new Error().stack?.match(/\(?((?:file:\/\/)?[^\s()]+\.[jt]s):\d+:\d+\)?$/m)?.[1] ?? join(process.cwd(), '_')

/** Reads a text by the ending of its file; what is wrong in it is recovered from where that is possible. Throws where it is not. */
export function parseText(parser: Parser, file: string, text: string): ReturnType<Parser['parse']> {
  const isTypeScript = /\.[cm]?tsx?$/.test(file)
  const plugins: unknown[] = isTypeScript ? ['typescript', 'decorators'] : ['decorators']
  if (!/\.[cm]?ts$/.test(file)) plugins.push('jsx')
  if (!isTypeScript && text.includes('@flow')) plugins.push('flow')
  return parser.parse(text, {
    sourceType: 'unambiguous',
    tokens: true,
    errorRecovery: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    // As version 8 does, so that both make the same tree.
    createImportExpressions: true,
    plugins,
  })
}

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

export function isFunction({ type }: Node): boolean {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ObjectMethod|ClassMethod|ClassPrivateMethod)$/.test(
    type,
  )
}
