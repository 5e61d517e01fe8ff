// The pages of docs/names have each exported name once: what every program uses, what moves an Express app, what builds tools.
// `UPDATE_TABLES=1 npx jest test/docs/names` writes the tables of the last two.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { readMarked, toTable } from '../support/doc-table.js'

const root = join(__dirname, '../..')
const pageOf = (name: string): string => join(root, `docs/names/${name}.md`)

/** The entries whose names users write, each with the page of those that not every program uses. */
const entries = {
  routecontrollers: { file: 'src/index.ts', page: 'building-tools' },
  'routecontrollers/express': { file: 'src/express/index.ts', page: 'moving-an-express-app' },
  'routecontrollers/openapi': { file: 'src/openapi/index.ts', page: 'building-tools' },
  'routecontrollers/bun': { file: 'src/runtimes/bun.ts', page: 'building-tools' },
  'routecontrollers/deno': { file: 'src/runtimes/deno.ts', page: 'building-tools' },
  'routecontrollers/lambda': { file: 'src/runtimes/lambda.ts', page: 'building-tools' },
  'routecontrollers/workers': { file: 'src/runtimes/workers.ts', page: 'building-tools' },
  '@routecontrollers/cli': { file: 'packages/cli/src/index.ts', page: 'building-tools' },
  '@routecontrollers/switch': { file: 'packages/switch/src/index.ts', page: 'moving-an-express-app' },
}
type Entry = keyof typeof entries
const all = Object.keys(entries) as Entry[]

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)).config,
  ts.sys,
  root,
)
const program = ts.createProgram(
  all.map((entry) => join(root, entries[entry].file)),
  options,
)
const checker = program.getTypeChecker()

/** What an entry exports: each name with the first sentence of its documentation. */
const exported = new Map(
  all.map((entry) => {
    const source = program.getSourceFile(join(root, entries[entry].file))!
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)
    // Functions and classes before types.
    const sorted = symbols.sort((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1))
    return [entry, new Map(sorted.map((symbol) => [symbol.name, sentenceOf(symbol)]))] as const
  }),
)

function targetOf(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

function rankOf(symbol: ts.Symbol): number {
  return targetOf(symbol).flags & ts.SymbolFlags.Value ? 0 : 1
}

function sentenceOf(symbol: ts.Symbol): string {
  const text = ts.displayPartsToString(targetOf(symbol).getDocumentationComment(checker)).replace(/\s+/g, ' ')
  return (/^.+?[.:](?= [A-Z`]|$)/.exec(text)?.[0] ?? '').replace(/:$/, '.').replaceAll('|', '\\|')
}

/** The rows of the tables of docs/names/every-program.md. */
const rows = readFileSync(pageOf('every-program'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const cells = /^\| `(\w+)` +\| (.*?) +\| (`+)(.*?)\3 +\|$/.exec(line)
    return cells === null ? [] : [{ name: cells[1]!, sentence: cells[2]!, line: cells[4]!.trim() }]
  })
/** The first entry that exports a name, which is the core for those of two entries. */
const entryOf = (name: string): Entry | undefined => all.find((entry) => exported.get(entry)!.has(name))

describe('docs/names/every-program.md', () => {
  const page = readFileSync(pageOf('every-program'), 'utf8')
  const lines = page
    .slice(page.indexOf('## The program'))
    .split('\n')
    .map((line) => line.trim())

  it('is short, and has no name twice', () => {
    const names = rows.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(10)
    expect(names.length).toBeLessThanOrEqual(16)
    expect(page.match(/^\| `/gm)).toHaveLength(names.length)
  })

  it.each(rows)('has $name, which is exported, and its line in the program', ({ name, sentence, line }) => {
    expect(['routecontrollers', 'routecontrollers/openapi']).toContain(entryOf(name))
    expect(sentence).toMatch(/\.$/)
    expect(line).toMatch(new RegExp(`\\b${name}\\b`))
    expect(lines).toContain(line)
  })

  it('says from where each name is imported', () => {
    const imported = new Map<string, string>()
    for (const [, names, from] of page.matchAll(/^import \{([^}]*)\} from '([^']*)'/gm)) {
      for (const name of names!.match(/\w+/g)!) imported.set(name, from!)
    }
    expect(rows.map(({ name }) => [name, imported.get(name)])).toEqual(
      rows.map(({ name }) => [name, entryOf(name)]),
    )
  })
})

describe.each(all)('%s', (entry) => {
  const others = [...exported.get(entry)!].filter(
    ([name]) => entryOf(name) !== entry || !rows.some((row) => row.name === name),
  )

  it('exports no name without documentation', () => {
    expect(others.filter(([, sentence]) => sentence === '').map(([name]) => name)).toEqual([])
  })

  it('has its other names on one page, each with what it is', () => {
    const listed = others.map(([name, sentence]) => [`\`${name}\``, sentence])
    const table = toTable([['name', 'what it is'], ...listed])
    expect(readMarked(pageOf(entries[entry].page), entry, table)).toBe(table)
  })
})

it('No page of names has the table of an entry that another page has', () => {
  const pages = [...new Set(all.map((entry) => entries[entry].page))]
  const marked = pages.flatMap((page) =>
    [...readFileSync(pageOf(page), 'utf8').matchAll(/^<!-- (\S+):begin -->$/gm)].map(([, entry]) => entry),
  )
  expect(marked.sort()).toEqual([...all].sort())
})
