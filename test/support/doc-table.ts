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

/** The rows of the table in a document whose first column has this head: the texts of their cells. */
export function readTable(file: string, head: string): readonly (readonly string[])[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const from = lines.findIndex((line) => new RegExp(`^\\| ${head} +\\|`).test(line))
  if (from < 0) throw new Error(`${file} has no table of ${head}`)
  const rows = lines.slice(from + 2)
  const length = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(0, length).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
