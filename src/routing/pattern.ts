import { RouteControllersError } from '../ground/errors.js'
import { nameType } from '../ground/options.js'

/** One piece of a pattern between two slashes. */
export type Segment =
  | { readonly kind: 'static'; readonly text: string }
  | { readonly kind: 'param'; readonly name: string }
  | { readonly kind: 'wildcard'; readonly name: string }

/** A checked pattern: `/users/:userId`, `/files/*path`, or `*` alone for any path. */
export interface Pattern {
  /** As it was written. */
  readonly source: string
  readonly segments: readonly Segment[]
  /** The names of its params, in order; a wildcard without a name is called `*`. */
  readonly names: readonly string[]
  /** What it was written as, where that is another grammar than ours; then nothing is known of its segments here. */
  readonly foreign?: unknown
}

const foreignBrand = Symbol.for('routecontrollers.foreign-path')

/** A path in the grammar of another router, which only a profile can match: `expressPath('/users{/:id}')`. */
export interface ForeignPath<Source extends string = string> {
  /** As it is shown. */
  readonly source: Source
  readonly path: unknown
}

/** Marks what is to be read by a profile. */
export function createForeignPath(source: string, path: unknown): ForeignPath {
  return Object.freeze(Object.defineProperty({ source, path }, foreignBrand, { value: true }))
}

function isForeignPath(value: unknown): value is ForeignPath {
  return typeof value === 'object' && value !== null && foreignBrand in value
}

/** The longest pattern, in characters. */
export const MAX_PATTERN_LENGTH = 2048

/** The most segments of a pattern. */
export const MAX_PATTERN_SEGMENTS = 128

/** The most params of a pattern, its wildcard included. */
export const MAX_PATTERN_PARAMS = 32

/**
 * Reads a pattern, or refuses it with the position of the mistake and the spelling to use instead.
 *
 * `*` alone matches any path. Otherwise a pattern starts with `/`; a segment is static, `:name`, or, last only, `*`
 * or `*name`. Static text is written as it is sent: percent-encoded where a path must be, because nothing is decoded
 * before the match.
 *
 * @throws RouteControllersError `ERR_PATTERN_INVALID`
 */
export function parsePattern(source: string | ForeignPath): Pattern {
  if (isForeignPath(source)) {
    return freeze({ source: source.source, segments: [], names: [], foreign: source.path })
  }
  if (typeof source !== 'string') {
    throw invalid(`A pattern is a string such as '/users/:id', not ${nameType(source)}.`)
  }
  if (source.length > MAX_PATTERN_LENGTH) {
    throw invalid(
      `A pattern has at most ${MAX_PATTERN_LENGTH} characters, '${source.slice(0, 40)}…' has ${source.length}.`,
    )
  }
  // The whole target, so that it is also the asterisk-form of `OPTIONS *`; otherwise it matches what `/*` matches.
  if (source === '*') {
    return freeze({ source, segments: [{ kind: 'wildcard', name: '*' }], names: ['*'] })
  }
  if (!source.startsWith('/')) throw refusal(source, 0, `a pattern starts with '/'; write '/${source}'`)

  const segments: Segment[] = []
  const names: string[] = []
  for (let start = 1; start <= source.length;) {
    const slash = source.indexOf('/', start)
    const end = slash === -1 ? source.length : slash
    if (segments.length === MAX_PATTERN_SEGMENTS) {
      throw refusal(source, start, `a pattern has at most ${MAX_PATTERN_SEGMENTS} segments`)
    }
    const segment = parseSegment(source, start, end)
    if (segment.kind !== 'static') {
      if (names.includes(segment.name)) {
        throw refusal(
          source,
          start + 1,
          `'${segment.name}' is already the name of a param; give each its own name`,
        )
      }
      if (names.length === MAX_PATTERN_PARAMS) {
        throw refusal(source, start, `a pattern has at most ${MAX_PATTERN_PARAMS} params`)
      }
      names.push(segment.name)
    }
    segments.push(segment)
    start = end + 1
  }
  return freeze({ source, segments, names })
}

// RFC 9110, section 5.6.2.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** A method, or `'*'` for all. An editor suggests the usual ones. */
export type Method = '*' | 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | (string & {})

/**
 * Reads a method: any HTTP token, upper-cased, or `*` for every method.
 *
 * @throws RouteControllersError `ERR_METHOD_INVALID`
 */
export function parseMethod(method: string): string {
  if (typeof method === 'string' && token.test(method)) return method.toUpperCase()
  const shown =
    typeof method === 'string' ? `'${printable(method)}'` : method === null ? 'null' : typeof method
  throw new RouteControllersError(
    'ERR_METHOD_INVALID',
    `A method is an HTTP token such as 'GET', or '*' for every method, not ${shown}.`,
  )
}

function parseSegment(source: string, start: number, end: number): Segment {
  const first = source[start]
  if (first === ':') {
    const name = parseName(source, start, end)
    return { kind: 'param', name }
  }
  if (first === '*') {
    if (end < source.length) {
      throw refusal(source, start, "a wildcard stands last; write ':name' for one segment in the middle")
    }
    const name = start + 1 === end ? '*' : parseName(source, start, end)
    return { kind: 'wildcard', name }
  }
  const text = source.slice(start, end)
  checkStatic(source, text, start)
  return { kind: 'static', text }
}

const identifier = /[A-Za-z_][A-Za-z0-9_]*/y

// What merging and copying code trips over when it meets them as keys that a client fills.
const unsafeNames = ['__proto__', 'constructor', 'prototype']

/** Reads the name that follows the `:` or `*` at `sigil` and takes up the rest of the segment. */
function parseName(source: string, sigil: number, end: number): string {
  const start = sigil + 1
  identifier.lastIndex = start
  const name = identifier.exec(source)?.[0]
  if (name === undefined) {
    throw refusal(source, start, nameAdvice(source, sigil, start, end))
  }
  const stop = start + name.length
  if (stop < end) throw refusal(source, stop, afterNameAdvice(source, sigil, stop, end))
  if (unsafeNames.includes(name)) {
    throw refusal(source, start, `'${name}' is not safe as a key of an object; choose another name`)
  }
  return name
}

function nameAdvice(source: string, sigil: number, start: number, end: number): string {
  if (start === end) return "a param has a name; write ':id'"
  if (source[sigil] === '*') return "a wildcard is '*' or '*name'"
  return 'the name of a param is letters, digits and _, and does not start with a digit'
}

function afterNameAdvice(source: string, sigil: number, stop: number, end: number): string {
  const character = source[stop] as string
  const param = source.slice(sigil, stop)
  const name = param.slice(1)
  if (source[sigil] === ':' && stop + 1 === end) {
    if (character === '?') {
      const before = source.slice(0, sigil - 1)
      const after = source.slice(end)
      return `there are no optional params; write two Controllers, '${before + after || '/'}' and '${before}/${param}${after}'`
    }
    if (character === '+' || character === '*') {
      return `a param is one segment; for the rest of the path write '*${name}', last`
    }
  }
  if (character === '(') {
    return `there are no regular expressions in patterns; write '${param}' and check its value in the callback`
  }
  return (
    reservedAdvice(character) ??
    `a param is a whole segment; write '${param}' and take its value apart in the callback`
  )
}

// The characters that a path carries as they are (RFC 3986, section 3.3), less those that mean something in the
// patterns of other routers.
const literal = /[A-Za-z0-9\-._~!$&',;=@]/

function checkStatic(source: string, text: string, start: number): void {
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string
    if (literal.test(character)) continue
    if (character !== '%') throw refusal(source, start + i, staticAdvice(text, i))
    if (!/^[0-9A-Fa-f]{2}$/.test(text.slice(i + 1, i + 3))) {
      throw refusal(
        source,
        start + i,
        "'%' starts an escape of two hex digits; write '%25' for the character itself",
      )
    }
    i += 2
  }
  // Clients resolve these before they send, also when they are escaped (the URL Standard, "double-dot URL path segment").
  if (/^(?:\.|%2e){1,2}$/i.test(text)) {
    throw refusal(
      source,
      start,
      "clients resolve the segments '.' and '..', so no path would ever match; leave it out",
    )
  }
}

function staticAdvice(text: string, i: number): string {
  const character = text[i] as string
  if (character === ':')
    return "a param is a whole segment; write '/:name' and take its value apart in the callback"
  if (character === '*') return "a wildcard is a whole segment, the last one; write '/*' or '/*name'"
  if (character === '(' || character === ')') {
    return "there are no regular expressions in patterns; write ':name' and check its value in the callback"
  }
  return reservedAdvice(character) ?? encodedAdvice(text, i)
}

/** What to write instead of a character that means something elsewhere. */
function reservedAdvice(character: string): string | undefined {
  switch (character) {
    case '?':
      return 'a pattern is a path without a query, and has no optional parts; leave the query out, write two Controllers'
    case '#':
      return "a pattern is a path without a fragment; leave out what follows '#'"
    case '{':
    case '}':
      return 'there are no groups in patterns; write a Controller for each form of the path'
    case '[':
    case ']':
      return "a param is written ':name', the rest of the path '*name'"
    case '+':
      return "nothing repeats in patterns; write '*name', last, for several segments, ':name' for one with a plus sign"
    case '\\':
      return "there are no escapes with '\\' in patterns; segments are separated by '/'"
    default:
      return undefined
  }
}

function encodedAdvice(text: string, i: number): string {
  const character = String.fromCodePoint(text.codePointAt(i) as number)
  // A lone surrogate has no encoding; clients send the replacement character for it.
  const encoded = encodeURIComponent(/\p{Surrogate}/u.test(character) ? '\uFFFD' : character)
  return `this character is not sent as it is in a path, and a path is matched as it is sent; write '${encoded}'`
}

function refusal(source: string, position: number, advice: string): RouteControllersError {
  const shown = printable(source)
  return invalid(
    `Invalid pattern '${shown}' at position ${position}: ${printable(advice)}.\n  ${shown}\n  ${' '.repeat(position)}^`,
  )
}

function invalid(message: string): RouteControllersError {
  return new RouteControllersError('ERR_PATTERN_INVALID', message)
}

// One for one, so that the caret stands where it should and a message stays on its lines.
function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, '\uFFFD')
}

function freeze(pattern: Pattern): Pattern {
  Object.freeze(pattern.segments)
  Object.freeze(pattern.names)
  return Object.freeze(pattern)
}
