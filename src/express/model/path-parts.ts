import type { PathPart } from '../../define/app-routes.js'
import type { ExpressVersion } from './layer.js'

/** More ways to write a path than a reader takes in. */
const mostWays = 16

/**
 * The pieces of a path of Express, once for each way in which it is written with or without what is optional: `/teas{/:id}` is two
 * paths. Undefined for a regular expression, and for what only one could say.
 */
export function pathParts(
  version: ExpressVersion,
  path: string,
): readonly (readonly PathPart[])[] | undefined {
  const ways = readers[version](path)
  return ways === undefined || ways.length > mostWays ? undefined : ways.map(joined)
}

type Ways = readonly (readonly PathPart[])[]

const readers: Readonly<Record<ExpressVersion, (path: string) => Ways | undefined>> = { 4: parts4, 5: parts5 }

/** Text that is text in a regular expression too, so that none is taken for it. */
const plain = /^[\w\-.~%!&',;=@/ ]*$/

function parts4(path: string): Ways | undefined {
  const token = /(\/?):(\w+)(?:\((?:\\.|[^()\\])*\))?([?*+]?)|\*|(?:(?!\/?:\w)[^*])+/g
  let ways: Ways = [[]]
  for (const [text, slash = '', name, quantifier] of path.matchAll(token)) {
    const isRest = quantifier === '*' || quantifier === '+'
    if (name !== undefined) {
      const own = [slash, { name, isRest }]
      ways = combine(ways, quantifier === '?' ? [[], own] : [own])
    } else if (text === '*') ways = combine(ways, [[{ name: '*', isRest: true }]])
    else if (plain.test(text)) ways = combine(ways, [[text]])
    else return undefined
  }
  return ways
}

function parts5(path: string): Ways | undefined {
  let at = 0
  let isText = true
  const sequence = (): Ways => {
    let ways: Ways = [[]]
    while (at < path.length && path[at] !== '}' && isText) ways = combine(ways, item())
    return ways
  }
  const item = (): Ways => {
    const character = path[at++]!
    if (character === '{') {
      const inner = sequence()
      isText &&= path[at++] === '}'
      return [[], ...inner]
    }
    if (character === '\\') return [[path.charAt(at++)]]
    if (character !== ':' && character !== '*') {
      isText &&= plain.test(character)
      return [[character]]
    }
    const [written, quoted] = /^(?:"((?:[^"\\]|\\.)*)"|[\p{ID_Start}$_][\p{ID_Continue}$]*)?/u.exec(
      path.slice(at),
    )!
    at += written.length
    isText &&= written !== ''
    return [[{ name: quoted?.replace(/\\(.)/gs, '$1') ?? written, isRest: character === '*' }]]
  }
  const ways = sequence()
  return isText && at === path.length ? ways : undefined
}

function combine(ways: Ways, more: Ways): Ways {
  // Enough to say that they are too many.
  return ways.flatMap((one) => more.map((other) => [...one, ...other])).slice(0, mostWays + 1)
}

/** With each text as one piece. */
function joined(parts: readonly PathPart[]): readonly PathPart[] {
  const made: PathPart[] = []
  for (const part of parts) {
    const last = made.at(-1)
    if (typeof part === 'string' && typeof last === 'string') made[made.length - 1] = last + part
    else if (part !== '') made.push(part)
  }
  return made
}
