import { RouteControllersError } from '../../errors.js'
import type { Pattern } from '../../routing/pattern.js'
import type { ExpressVersion } from '../application.js'
import { type ExpressPath, isRegExp, type RoutePath } from './path.js'
import { createPathMatcher, type MatchOptions, type PathMatcher } from './path-matcher.js'
import { prefixesOf } from './path-prefix.js'
import { translationOf } from './translate-path.js'

/** A Controller's path under a profile: what matches it, and what the paths begin with that it matches. */
export interface ReadPath {
  readonly matcher: PathMatcher
  readonly prefixes: readonly (readonly string[])[]
}

/**
 * Reads the pattern of a Controller in the grammar of a version of Express.
 *
 * Throws ERR_PATTERN_INVALID for one of the other version, with what is to be written instead.
 */
export function readPath(version: ExpressVersion, pattern: Pattern, options: MatchOptions): ReadPath {
  const route = pattern.foreign as RoutePath | undefined
  if (route?.live !== undefined) {
    return { matcher: route.live.matcher, prefixes: route.live.prefixes(options.sensitive) }
  }
  const path = route === undefined ? pattern.source : route.path
  // Ours means a wildcard by it, where version 4 means text behind one.
  if (version === 4 && route === undefined && /\*./.test(pattern.source)) {
    throw refusal(version, pattern.source, 'it has no name after *')
  }
  return { matcher: compile(version, path, options), prefixes: prefixesOf(version, path) }
}

/** Makes the matcher of a path. Throws ERR_PATTERN_INVALID for one of the other version, with its translation. */
export function compile(version: ExpressVersion, path: ExpressPath, options: MatchOptions): PathMatcher {
  for (const one of stringsOf(path)) {
    const foreign = version === 4 && /\{(?!\d+(?:,\d*)?\})|[:*]"/.exec(one)
    if (foreign)
      throw refusal(version, one, `${foreign[0]} at index ${foreign.index} is of Express 5's grammar`)
    try {
      createPathMatcher(version, one, options)
    } catch (cause) {
      throw refusal(version, one, (cause as Error).message.split(/[:;] /, 1)[0]!, cause)
    }
  }
  return createPathMatcher(version, path, options)
}

function stringsOf(path: ExpressPath): readonly string[] {
  if (typeof path === 'string') return [path]
  return isRegExp(path) ? [] : path.flatMap(stringsOf)
}

function refusal(
  version: ExpressVersion,
  path: string,
  reason: string,
  cause?: unknown,
): RouteControllersError {
  const translation = translationOf(version, path)
  const remedy = translation === undefined ? '' : `; write ${translation} instead`
  return new RouteControllersError(
    'ERR_PATTERN_INVALID',
    `'${path}' is no path of Express ${version}: ${reason}${remedy}`,
    { cause },
  )
}
