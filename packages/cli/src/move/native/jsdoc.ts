// The types that JavaScript gives its parameters in comments.
import type { Node } from '../../syntax/parser.js'

/** What may stand between a comment and the function that it is about. */
const untilFunction =
  /^\s*(?:export\s+)?(?:default\s+)?(?:(?:const|let|var)\s+[\w$]+\s*=\s*|[\w$.]+\s*[=:]\s*|static\s+)*\(*$/

/** The type of a parameter: `@type {Type}` right before it, or `@param {Type} req` above its function. */
export function typeInComment(source: string, handler: Node, param: Node | undefined): string | undefined {
  if (param === undefined) return undefined
  const own = commentBefore(source, param.start, /^\s*$/)
  const above = commentBefore(source, handler.start, untilFunction)
  const name = param['name'] as string | undefined
  return (
    (own && typeBehind(own, /@type\s*/)) ??
    (above && name !== undefined
      ? typeBehind(above, /@param\s*/, new RegExp(`^\\s*${escaped(name)}(?![\\w$])`))
      : undefined)
  )
}

function commentBefore(source: string, at: number, between: RegExp): string | undefined {
  const end = source.lastIndexOf('*/', at - 1)
  if (end < 0 || end + 2 > at || !between.test(source.slice(end + 2, at))) return undefined
  const start = source.lastIndexOf('/**', end)
  return start < 0 ? undefined : source.slice(start, end)
}

/** The type in braces behind a tag, where what follows it fits. */
function typeBehind(comment: string, tag: RegExp, follows?: RegExp): string | undefined {
  for (const { 0: found, index } of comment.matchAll(new RegExp(tag, 'g'))) {
    const open = index + found.length
    if (comment[open] !== '{') continue
    const close = closing(comment, open)
    if (close === undefined) continue
    if (follows === undefined || follows.test(comment.slice(close + 1)))
      return comment
        .slice(open + 1, close)
        .replaceAll(/\n\s*\*\s?/g, ' ')
        .trim()
  }
  return undefined
}

function closing(text: string, open: number): number | undefined {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++
    if (text[at] === '}' && --depth === 0) return at
  }
  return undefined
}

function escaped(name: string): string {
  return name.replaceAll('$', '\\$')
}
