// The paths that mean the same in both versions of Express and in the grammar of this package.
import type { Node } from '../syntax/parser.js'

/** A text of plain segments and of `:name`s, each one once: Express's versions and this package read it alike. */
export function isPlainPath(path: Node): boolean {
  const text = path.type === 'StringLiteral' ? (path['value'] as string) : ''
  // A dot is one, as in `/robots.txt`. Beside a param the versions differ, and a segment of dots alone is no path.
  if (
    !/^(?:\/|(?:\/(?::(?!constructor\b|prototype\b|__proto__\b)[A-Za-z_]\w*|(?!\.+(?:\/|$))[\w.-]+))+)$/.test(
      text,
    )
  )
    return false
  const names = text.match(/:\w+/g) ?? []
  return new Set(names).size === names.length
}
