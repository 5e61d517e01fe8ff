// The parser of JavaScript and TypeScript.
import { parse, type ParserPlugin } from '@babel/parser'

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

/** A text as the parser has read it. */
export interface ParsedText {
  readonly program: Node
  readonly tokens: readonly Token[]
  /** What is wrong in it, and was recovered from. */
  readonly errors: readonly Error[]
}

/** Reads a text by the ending of its file; what is wrong in it is recovered from where that is possible. Throws where it is not. */
export function parseText(file: string, text: string): ParsedText {
  const isTypeScript = /\.[cm]?tsx?$/.test(file)
  const plugins: ParserPlugin[] = isTypeScript ? ['typescript', 'decorators'] : ['decorators']
  if (!/\.[cm]?ts$/.test(file)) plugins.push('jsx')
  if (!isTypeScript && text.includes('@flow')) plugins.push('flow')
  const { program, tokens, errors } = parse(text, {
    sourceType: 'unambiguous',
    tokens: true,
    errorRecovery: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    // As version 8 does, so that both make the same tree.
    createImportExpressions: true,
    plugins,
  })
  return { program, tokens, errors } as unknown as ParsedText
}

export function isFunction({ type }: Node): boolean {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ObjectMethod|ClassMethod|ClassPrivateMethod)$/.test(
    type,
  )
}
