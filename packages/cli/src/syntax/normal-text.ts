// The text of a node, without what a formatter may change.
import { firstAt, type Parsed } from './parsed.js'
import type { Node } from './parser.js'

/** A string as it is written, whatever quotes it has there. */
function quoted(value: string): string {
  return /^[^'\\\n]*$/.test(value) ? `'${value}'` : JSON.stringify(value)
}

/** The tokens of a text, without what a formatter may change. */
export function normalText({ text, tokens }: Parsed, { start, end }: Node): string {
  const parts: string[] = []
  for (
    let at = firstAt(tokens, start, (token) => token.start);
    at < tokens.length && tokens[at]!.end <= end;
    at++
  ) {
    const token = tokens[at]!
    const written = text.slice(token.start, token.end)
    if (written === ';') continue
    const next = tokens[at + 1]
    if (written === ',' && next !== undefined && /^[)\]}]$/.test(text.slice(next.start, next.end))) continue
    const label = typeof token.type === 'object' ? token.type.label : undefined
    parts.push(label === 'string' ? quoted(String(token.value)) : written)
  }
  return joined(parts)
}

/** Parts of a text, one behind the other as a formatter would set them. */
function joined(parts: readonly string[]): string {
  let result = ''
  let before = ''
  for (const part of parts) {
    const isCall = /^[([]$/.test(part) && !/^(?:[,:?]|[=+*/%<>&|-]+)$/.test(before)
    const isTight =
      isCall ||
      /^[([.!~]$|^\.\.\.$/.test(before) ||
      /^[)\].,:]$|^\?\.$/.test(part) ||
      (before === '{' && part === '}')
    const areWords = /[\w$'"`]$/.test(before) && /^[\w$'"`]/.test(part)
    const isSpaced = /^(?:[{},:?]|[=+*/%<>&|-]+)$/
    const needsSpace = areWords || (!isTight && (isSpaced.test(before) || isSpaced.test(part)))
    result += (needsSpace && result !== '' ? ' ' : '') + part
    before = part
  }
  return result
}
