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

const floors = JSON.parse(readFileSync(join(root, 'scripts/floors.json'), 'utf8')) as Record<
  string,
  string[][]
>
const houses = Object.keys(floors)

describe('docs/architecture.md', () => {
  it.each(houses)('has rooms of %s that are there, and no others', (house) => {
    const folders = readdirSync(join(root, house), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    expect(
      floors[house]!.flat()
        .filter((room) => room !== '.')
        .sort(),
    ).toEqual(folders.sort())
  })

  it('has at most six floors in each house', () => {
    expect(houses.filter((house) => floors[house]!.length > 6)).toEqual([])
  })

  it('draws them as the lint rule holds them', () => {
    const [, drawn = ''] = /## Rooms and floors\n[^]*?```text\n([^]*?)```/.exec(page)!
    for (const house of ['src', 'packages/cli/src', 'packages/switch/src']) {
      for (const [at, rooms] of floors[house]!.entries()) {
        const line = drawn.split('\n').filter((one) => new RegExp(`(?:^| )${at + 1}  `).test(one))
        for (const room of rooms.filter((one) => one !== '.'))
          expect([room, line.some((one) => one.includes(room))]).toEqual([room, true])
      }
    }
  })

  it('says what each room of src decides', () => {
    const said = new Set(
      table('room').flatMap(([, name = '']) => name.replaceAll('`', '').replace(/\/$/, '')),
    )
    const rooms = ['src', 'src/express'].flatMap((house) =>
      floors[house]!.flat().map((room) => (house === 'src' ? room : `express/${room}`)),
    )
    const missing = rooms.filter((room) => !/\.$/.test(room) && room !== 'express' && !said.has(room))
    expect(missing).toEqual([])
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
      (file) =>
        ![...houses, '.', 'packages/switch/src/page'].some((one) => existsSync(join(root, one, file))),
    )
    expect(missing).toEqual([])
  })
})
