import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { content } from './cases-content.js'
import { requests, upstream } from './cases-requests.js'
import { security } from './cases-security.js'
import { state } from './cases-state.js'
import { type Case, compareWithExpress, differences, differencesSeen } from './compare.js'

// Limiters complain there when they miss something of Express.
const complaints = jest.spyOn(console, 'error')

afterEach(() => expect(complaints).not.toHaveBeenCalled())

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
})

afterAll(async () => {
  upstream.closeAllConnections()
  upstream.close()
  await once(upstream, 'close')
})

const cases = [...security, ...state, ...content, ...requests]
for (const one of cases) compareWithExpress(one)

it('differs from Express in nothing that the list does not name, and the list has nothing more', () => {
  expect(differencesSeen()).toEqual(differences.map(({ what }) => what))
})

describe('docs/middleware.md', () => {
  const text = readFileSync(join(__dirname, '../../docs/middleware.md'), 'utf8')

  /** The rows of the table with this first heading, each a list of its cells. */
  function rowsOf(heading: string): string[][] {
    const lines = text.split('\n')
    const start = lines.findIndex((line) => line.startsWith(`| ${heading} `))
    const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'))
    return lines.slice(start + 2, end).map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  }

  function rowOf(name: string, some: readonly Case[]): string[] {
    const yes = some.some(({ every }) => every) ? '✓ every' : '✓'
    const forOne = some.some(({ notForOne }) => notForOne === undefined)
    const notes = [
      ...some.map(({ inMemory }) => inMemory && `\`getCallback()\`: ${inMemory}`),
      ...some.map(({ notForOne }) => notForOne && `\`fromConnect\`: ${notForOne}`),
      ...some.map(({ options }) => options && `\`fromConnect\`: on a controller with \`${shown(options)}\``),
      ...some.map(
        ({ express }) => express && `compared with Express ${express}: in 5 it has no effect on the query`,
      ),
    ].filter(Boolean)
    return [name, '✓', yes, '✓', forOne ? '✓' : '–', [...new Set(notes)].join('; ')]
  }

  const shown = (options: object): string =>
    `{ ${Object.entries(options)
      .map(([key, value]) => `${key}: '${value}'`)
      .join(', ')} }`

  it('has a row for each package, and it says what is tested', () => {
    const names = [...new Set(cases.map(({ name }) => name.replace(/ \(.*/, '')))].sort()
    const rows = names.map((name) =>
      rowOf(
        name,
        cases.filter((one) => one.name.replace(/ \(.*/, '') === name),
      ),
    )
    expect(rowsOf('middleware')).toEqual(rows)
  })

  it('names every difference from Express, and its reason', () => {
    expect(rowsOf('Express')).toEqual(differences.map(({ what, why }) => [what, why]))
  })
})
