import type { PathPart } from '../define/app-routes.js'
import { parsePattern } from '../routing/pattern.js'

/** A path as OpenAPI writes it. */
export interface PathTemplate {
  /** `/users/{id}`. */
  readonly path: string
  /** The path without the names of its params: OpenAPI takes two of one shape for the same path. */
  readonly shape: string
  /** Its params, in order. */
  readonly params: readonly PathParam[]
}

interface PathParam {
  /** The name in the route. */
  readonly name: string
  /** The name in the template: a wildcard without a name gets one. */
  readonly shown: string
  /** True for the rest of the path, which OpenAPI has no form for. */
  readonly isRest: boolean
}

/** The pieces of a pattern of our own. */
export function partsOf(pattern: string): readonly PathPart[] {
  return parsePattern(pattern).segments.flatMap((segment): PathPart[] =>
    segment.kind === 'static'
      ? [`/${segment.text}`]
      : ['/', { name: segment.name, isRest: segment.kind === 'wildcard' }],
  )
}

/** The template of a path. With `names` the params get these names, which are those of an earlier route of this shape. */
export function toTemplate(parts: readonly PathPart[], names?: readonly string[]): PathTemplate {
  const own = parts.flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
  const params: PathParam[] = []
  let path = ''
  let shape = ''
  for (const part of parts) {
    if (typeof part === 'string') {
      path += part
      shape += part
      continue
    }
    const { name, isRest } = part
    let shown = names?.[params.length] ?? (name === '*' ? 'rest' : name)
    // Two params of one name are two all the same: a mount may have one, too.
    const isTaken = (): boolean =>
      params.some((one) => one.shown === shown) || (name === '*' && own.includes(shown))
    while (names === undefined && isTaken()) shown += '_'
    params.push({ name, shown, isRest })
    path += `{${shown}}`
    shape += '{}'
  }
  return { path: path || '/', shape: shape || '/', params }
}

/** A name for an operation that has none: `getUsersById`. */
export function operationIdOf(method: string, { path }: PathTemplate): string {
  const words = path
    .replace(/\{/g, 'By/')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
  return method.toLowerCase() + (words.join('') || 'Root')
}
