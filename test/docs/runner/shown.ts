/**
 * Whether a text is what the documentation shows. `…` stands for anything within a line; a line that is only `…`
 * stands for any lines.
 */
export function isAsShown(actual: string, shown: string): boolean {
  const pattern = trimLines(shown)
    .split(/(^…$|…)/m)
    .map((part, at, parts) => {
      if (part !== '…') return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      const alone = /(^|\n)$/.test(parts[at - 1] ?? '') && /^(\n|$)/.test(parts[at + 1] ?? '')
      return alone ? '[^]*?' : '.*?'
    })
    .join('')
  return new RegExp(`^${pattern}$`).test(trimLines(actual))
}

function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
}
