// What docs/environments.md shows of each Node, Express and module system: `WRITE_MATRIX=1` writes the table that this run has found.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../project.js'
import { run } from './environments.js'

interface Cell {
  readonly node: string
  readonly compared: number
  readonly differences: readonly unknown[]
}

const nodes = [20, 22, 24, 26]
const columns = [
  { title: 'Express 4, CommonJS', program: ['matrix.cjs', 'express-4'] },
  { title: 'Express 4, ESM', program: ['matrix.mjs', 'express-4'] },
  { title: 'Express 5, CommonJS', program: ['matrix.cjs', 'express'] },
  { title: 'Express 5, ESM', program: ['matrix.mjs', 'express'] },
]
const page = join(root, 'docs/environments.md')
const found = new Map<number, Cell[]>(nodes.map((node) => [node, []]))

describe.each(nodes)('On Node %i, the packed package', (node) => {
  it.each(columns)('answers as $title', ({ program }) => {
    const cell = JSON.parse(run(`node${node}/bin/node`, program)) as Cell
    found.get(node)!.push(cell)
    expect(cell.node).toMatch(new RegExp(`^v${node}\\.`))
    expect(cell.compared).toBeGreaterThan(0)
    expect(cell.differences).toEqual([])
  })
})

it('docs/environments.md shows the matrix', () => {
  const [start, end] = ['<!-- matrix -->\n\n', '\n\n<!-- end of the matrix -->']
  const text = readFileSync(page, 'utf8')
  const from = text.indexOf(start) + start.length
  const to = text.indexOf(end)
  const heads = ['Node', ...columns.map(({ title }) => title)]
  const rows = [...found.values()].map((cells) => [cells[0]!.node.slice(1), ...cells.map(shown)])
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]!.length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  const table = [heads, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n')
  if (process.env['WRITE_MATRIX'] === '1') writeFileSync(page, text.slice(0, from) + table + text.slice(to))
  else expect(withMajors(text.slice(from, to))).toEqual(withMajors(table))
})

const shown = ({ compared, differences }: Cell): string =>
  `${compared - differences.length} of ${compared} answers alike`

/** A new release of a Node changes no row. */
const withMajors = (table: string): string =>
  table
    .replace(/(\d+)\.\d+\.\d+/g, '$1')
    .replace(/ +/g, ' ')
    .replace(/-+/g, '-')
