// How the lines of a handler are laid out: indentation, comments, what stands behind an end.
import { replace } from '../../edit/code.js'
import type { Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import type { Draft } from './draft.js'

export function hasComment(text: string): boolean {
  return /\/[*/]/.test(text)
}

export function indentAt(source: string, at: number): string {
  return /^[\t ]*/.exec(source.slice(source.lastIndexOf('\n', at - 1) + 1, at))![0]
}

/** Moves lines to the left. */
export function outdent(draft: Draft, start: number, end: number, outer: string, inner: string): void {
  if (!inner.startsWith(outer) || inner === outer) return
  reindent(draft, start, end, (line) => {
    if (draft.source.startsWith(inner, line)) draft.code.remove(line + outer.length, line + inner.length)
  })
}

/** Gives each line that begins in a range, but for those within a text. */
export function reindent(draft: Draft, start: number, end: number, move: (line: number) => void): void {
  const texts = [...walk(draft.handler)]
    .filter(({ node }) => node.type === 'TemplateElement')
    .map(({ node }) => node)
  for (
    let at = draft.source.indexOf('\n', start);
    at >= 0 && at < end;
    at = draft.source.indexOf('\n', at + 1)
  ) {
    const line = at + 1
    if (texts.some((text) => text.start < line && line <= text.end)) continue
    if (draft.source[line] !== '\n' && draft.source[line] !== '\r') move(line)
  }
}

/** Takes away what follows an end: the answer itself is returned now. */
export function dropBehind(draft: Draft, end: Node, after: Node): void {
  // A comment in between stays.
  const start = /^\s*$/.test(draft.source.slice(end.end, after.start)) ? end.end : after.start
  replace(draft.code, start, after.end, '')
}
