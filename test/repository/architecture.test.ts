import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../..')
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')

/** The rows of the table whose first cell of the head is `title`, cell by cell. */
function table(title: string): string[][] {
  const lines = page.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${title} `))
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'))
  return lines.slice(start + 2, end).map((line) => line.split('|').map((cell) => cell.trim()))
}

const filesIn = (text = ''): string[] =>
  [...text.matchAll(/`([\w/.-]+\.(?:ts|js))`/g)].map(([, file]) => file!)

describe('docs/architecture.md', () => {
  const described = new Set(
    table('module').flatMap(([, name = '']) =>
      [...name.matchAll(/`([\w-]+)(?:\.ts|\/)`/g)].map(([, one]) => one!),
    ),
  )

  it('has each file and folder of src in its table', () => {
    const there = readdirSync(join(root, 'src')).map((name) => name.replace(/\.ts$/, ''))
    expect([...described].sort()).toEqual([...new Set(there)].sort())
  })

  it('has them in the order that the lint rule holds', () => {
    const config = readFileSync(join(root, 'eslint.config.js'), 'utf8')
    const [, list = ''] = /const modules = \[([^\]]*)\]/.exec(config)!
    expect([...described]).toEqual([...list.matchAll(/'([\w-]+)'/g)].map(([, name]) => name))
  })

  it('names at most three files of src for each change but an adapter', () => {
    const rows = table('change')
    expect(rows.length).toBeGreaterThan(4)
    for (const [, change = '', files] of rows) {
      if (change.includes('adapter')) continue
      const names = filesIn(files)
      expect([change, names.length > 0 && names.length <= 3]).toEqual([change, true])
      expect(names.filter((name) => !existsSync(join(root, 'src', name)))).toEqual([])
    }
  })

  it('names no file that is not there', () => {
    const missing = filesIn(page).filter(
      (file) => !existsSync(join(root, 'src', file)) && !existsSync(join(root, file)),
    )
    expect(missing).toEqual([])
  })
})
