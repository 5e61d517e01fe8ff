import pathToRegexp from 'express4-path-to-regexp'
import { match as createMatcher } from 'path-to-regexp'
import type { ExpressVersion } from '../application.js'
import { type ExpressPath, isRegExp } from './path.js'

/** What a path has matched, and the params of it. */
export interface PathMatch {
  /** The part of the path that has matched. */
  readonly path: string
  readonly params: Record<string, string>
  /** The names of the params, in order. */
  readonly names: readonly string[]
}

/** Matches the raw path of a request; undefined when it does not fit. Throws a URIError of status 400 for a malformed escape. */
export type PathMatcher = (path: string) => PathMatch | undefined

/** How a router of Express was told to match. */
export interface MatchOptions {
  readonly sensitive: boolean
  readonly strict: boolean
  /** False for what `use` mounts: it takes all that is below its path. */
  readonly end: boolean
}

/** Makes the matcher that the router of this version would make of a path. Throws what its library throws. */
export function createPathMatcher(
  version: ExpressVersion,
  path: ExpressPath,
  options: MatchOptions,
): PathMatcher {
  if (path === '/' && !options.end) return () => ({ path: '', params: {}, names: [] })
  return version === 4 ? createMatcher4(path, options) : createMatcher5(path, options)
}

function createMatcher4(path: ExpressPath, options: MatchOptions): PathMatcher {
  const keys: { name: string | number }[] = []
  const regexp = pathToRegexp(path, keys, options)
  return matchExpression4(
    regexp,
    keys.map((key) => String(key.name)),
    path === '*',
  )
}

/** Matches by an expression of version 4 and the names of its groups; `star` is the path `*`, which takes all. */
export function matchExpression4(regexp: RegExp, names: readonly string[], star: boolean): PathMatcher {
  if (star) return (sent) => ({ path: sent, params: { 0: decodeParam(sent) }, names })
  return (sent) => {
    const match = execute(regexp, sent)
    if (match === null) return undefined
    const params: Record<string, string | undefined> = {}
    for (let at = 1; at < match.length; at++) {
      const name = names[at - 1]!
      const value = match[at] === undefined ? undefined : decodeParam(match[at]!)
      // A group that took no part still makes its param, unless an earlier group has filled it.
      if (value !== undefined || !Object.hasOwn(params, name)) params[name] = value
    }
    return { path: match[0], params: params as Record<string, string>, names }
  }
}

function createMatcher5(path: ExpressPath, options: MatchOptions): PathMatcher {
  const alternatives = (Array.isArray(path) ? path.flat(Infinity) : [path]) as (string | RegExp)[]
  const matchers = alternatives.map((one) => (isRegExp(one) ? matchRegExp(one) : matchString(one, options)))
  if (matchers.length === 1) return matchers[0]!
  return (sent) => {
    for (const matcher of matchers) {
      const match = matcher(sent)
      if (match !== undefined) return match
    }
    return undefined
  }
}

function matchString(path: string, { sensitive, strict, end }: MatchOptions): PathMatcher {
  const loose = strict || path === '/' ? path : path.replace(/\/+$/, '')
  const matcher = createMatcher<Record<string, string>>(loose, {
    sensitive,
    end,
    trailing: !strict,
    decode: decodeParam,
  })
  return (sent) => {
    const match = matcher(sent)
    return match === false
      ? undefined
      : { path: match.path, params: match.params, names: Object.keys(match.params) }
  }
}

/** Groups are named by their name or, without one, counted from 0. */
function matchRegExp(regexp: RegExp): PathMatcher {
  let unnamed = 0
  const opening = /\((?:\?<(.*?)>)?(?!\?)/g
  const names = Array.from(regexp.source.matchAll(opening), ([, name]) => name || String(unnamed++))
  return (sent) => {
    const match = execute(regexp, sent)
    if (match === null) return undefined
    const params: Record<string, string> = {}
    for (let at = 1; at < match.length; at++) {
      if (match[at] !== undefined) params[names[at - 1]!] = decodeParam(match[at]!)
    }
    return { path: match[0], params, names: Object.keys(params) }
  }
}

// With the flag `g` or `y` a RegExp goes on where its last match has ended, which may have been another request's.
function execute(regexp: RegExp, sent: string): RegExpExecArray | null {
  regexp.lastIndex = 0
  return regexp.exec(sent)
}

function decodeParam(value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch (error) {
    throw Object.assign(error as URIError, {
      message: `Failed to decode param '${value}'`,
      status: 400,
      statusCode: 400,
    })
  }
}
