import pathToRegexp from 'express4-path-to-regexp'
import type { ExpressPath } from '../routing/path.js'
import { matchExpression4, type PathMatch, type PathMatcher } from '../routing/path-matcher.js'

/** A function that Express calls; error handlers are told from others by their length alone. */
export type Handle = (...parameters: unknown[]) => unknown

/** A route of a live router: handlers by method, in their order. */
export interface LiveRoute {
  readonly path: ExpressPath
  readonly methods: Readonly<Record<string, boolean>>
  readonly stack: readonly { readonly method: string | undefined; readonly handle: Handle }[]
}

/** A layer of a live router, of whichever version. */
export interface LiveLayer {
  readonly handle: Handle
  readonly name: string
  readonly route?: LiveRoute
  /** Version 4. */
  readonly regexp?: RegExp & { readonly fast_star?: boolean; readonly fast_slash?: boolean }
  readonly keys?: readonly { readonly name: string | number }[]
  /** Version 5. */
  readonly matchers?: readonly ((
    path: string,
  ) => { readonly path: string; readonly params: Record<string, string> } | false)[]
  readonly slash?: boolean
  /** Version 5, from router 2.3 on. */
  readonly rawPath?: ExpressPath
}

/** What a layer matches by, which is its own: a regular expression in version 4, functions in version 5. */
export function matcherOf(layer: LiveLayer): PathMatcher | undefined {
  // Somebody has replaced how it matches, and only it knows with what.
  if (Object.hasOwn(layer, 'match')) return undefined
  const { regexp, keys, matchers, slash } = layer
  if (regexp !== undefined && Array.isArray(keys)) {
    if (regexp.fast_slash) return matchAll
    const names = keys.map((key: { name: string | number }) => String(key.name))
    return matchExpression4(regexp, names, regexp.fast_star === true)
  }
  if (!Array.isArray(matchers)) return undefined
  return slash ? matchAll : (path) => firstMatch(matchers, path)
}

function matchAll(): PathMatch {
  return { path: '', params: {}, names: noNames }
}

const noNames: readonly string[] = Object.freeze([])

function firstMatch(matchers: NonNullable<LiveLayer['matchers']>, sent: string): PathMatch | undefined {
  for (const matcher of matchers) {
    const match = matcher(sent)
    if (match) return { path: match.path, params: match.params, names: Object.keys(match.params) }
  }
  return undefined
}

/** The path as it was written, where that can be known. */
export function pathOf(layer: LiveLayer): ExpressPath | undefined {
  if (layer.rawPath !== undefined) return layer.rawPath
  if (layer.route !== undefined) return layer.route.path
  if (layer.slash || layer.regexp?.fast_slash) return '/'
  return layer.regexp && readBack(layer.regexp, layer.keys!)
}

/** The text that version 4 has made this expression of; the expression itself where that was another. */
function readBack(regexp: RegExp, keys: NonNullable<LiveLayer['keys']>): ExpressPath {
  let param = 0
  const path = regexp.source
    .replace(/^\^/, '')
    .replace('\\/?(?=\\/|$)', '')
    .replace(/\(\?:\\\/\(\[\^\\?\/\]\+\?\)\)|\(\.\*\)/g, (group) => {
      const name = keys[param++]?.name
      return group === '(.*)' ? '*' : `/:${name}`
    })
    .replace(/\\(.)/g, '$1')
  try {
    // A guess, until the same expression comes out of it.
    const again = pathToRegexp(path, [], { end: false, strict: false, sensitive: !regexp.ignoreCase })
    return again.source === regexp.source ? path : regexp
  } catch {
    return regexp
  }
}
