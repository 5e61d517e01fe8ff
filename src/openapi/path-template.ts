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

/** Reads a pattern. With `names` the params get these names, which are those of an earlier route of this shape. */
export function toTemplate(pattern: string, names?: readonly string[]): PathTemplate {
  const { segments, names: own } = parsePattern(pattern)
  const params: PathParam[] = []
  let path = ''
  let shape = ''
  for (const segment of segments) {
    if (segment.kind === 'static') {
      path += `/${segment.text}`
      shape += `/${segment.text}`
      continue
    }
    const { name } = segment
    let shown = names?.[params.length] ?? (name === '*' ? 'rest' : name)
    while (name === '*' && names === undefined && own.includes(shown)) shown += '_'
    params.push({ name, shown, isRest: segment.kind === 'wildcard' })
    path += `/{${shown}}`
    shape += '/{}'
  }
  return { path, shape, params }
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
