import pathToRegexp from 'express4-path-to-regexp'
import { parse, type Token } from 'path-to-regexp'
import type { ExpressVersion } from '../application.js'

/** How a path of the other version is written in the grammar of `version`; undefined where it is a path of neither. */
export function translationOf(version: ExpressVersion, path: string): string | undefined {
  try {
    return version === 5 ? toVersion5(path) : toVersion4(path)
  } catch {
    return undefined
  }
}

// What of version 4's grammar has a word in version 5's; the rest is a regular expression there.
const optional = /\/:(\w+)\?(?=\/|$)/g
const wildcard = /\/\*(?=\/|$)/g

function toVersion5(path: string): string {
  let unnamed = 0
  const name = (): string => (unnamed++ === 0 ? 'splat' : `splat${unnamed}`)
  const rewritten = (path === '*' ? '/*' : path)
    .replace(optional, '{/:$1}')
    .replace(wildcard, () => `/{*${name()}}`)
    .replace(/!/g, '\\!')
  try {
    parse(rewritten)
    return `'${rewritten}'`
  } catch {
    return `expressPath(${String(toRegExp(path))})`
  }
}

/** Version 4's own regular expression, with its params by name. */
function toRegExp(path: string): RegExp {
  const keys: { name: string | number }[] = []
  const { source, flags } = pathToRegexp(path, keys, { sensitive: false, strict: false, end: true })
  let at = 0
  const named = source.replace(/\\.|\((?!\?)/g, (found) => {
    if (found !== '(') return found
    const key = keys[at++]?.name
    return typeof key === 'string' ? `(?<${key}>` : found
  })
  return new RegExp(named, flags)
}

function toVersion4(path: string): string | undefined {
  const written = write(parse(path).tokens)
  return written === undefined ? undefined : `'${written}'`
}

function write(tokens: readonly Token[]): string | undefined {
  let written = ''
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'text') written += token.value
    else if (token.type === 'param') written += `:${token.name}`
    else if (token.type === 'wildcard') written += '*'
    else {
      const inner = writeOptional(token.tokens, tokens[at + 1])
      if (inner === undefined) return undefined
      written += inner
    }
  }
  return written
}

/** `{/:id}` is `/:id?`, and `{*rest}` is `*`, which matches the empty rest too. */
function writeOptional(tokens: readonly Token[], following: Token | undefined): string | undefined {
  const [first, second] = tokens
  if (tokens.length === 1 && first?.type === 'wildcard') return '*'
  if (tokens.length !== 2 || first?.type !== 'text' || first.value !== '/' || second?.type !== 'param') {
    return undefined
  }
  return following === undefined || (following.type === 'text' && following.value.startsWith('/'))
    ? `/:${second.name}?`
    : undefined
}
