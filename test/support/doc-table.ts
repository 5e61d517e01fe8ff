import { readFileSync, writeFileSync } from 'node:fs'

/** A table as Markdown, its columns aligned as Prettier aligns them. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const [head, ...body] = rows.map(line)
  return [head!, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n')
}

/**
 * The text between `<!-- name:begin -->` and `<!-- name:end -->` in a document. With `UPDATE_TABLES=1` in the
 * environment it becomes `measured` before it is read.
 */
export function readMarked(file: string, name: string, measured: string): string {
  const text = readFileSync(file, 'utf8')
  const begin = `<!-- ${name}:begin -->\n`
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(`<!-- ${name}:end -->`)
  if (from < begin.length || to < from) throw new Error(`${file} has no region ${name}`)
  if (process.env['UPDATE_TABLES'] === '1') {
    writeFileSync(file, `${text.slice(0, from)}\n${measured}\n\n${text.slice(to)}`)
    return measured
  }
  return text.slice(from, to).trim()
}
