// The text of a file while it is edited: all that no edit names stays as it was, byte by byte.
import type MagicString from 'magic-string'

/** Puts a text in the place of a part. Where the part has no extent, the text stands behind what was put there before. */
export function replace(code: MagicString, start: number, end: number, text: string): void {
  if (start < end) code.update(start, end, text)
  else if (text !== '') code.appendLeft(start, text)
}
