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

  it('names no file that is not there', () => {
    const missing = filesIn(page).filter(
      (file) =>
        ![...houses, '.', 'packages/switch/src/page'].some((one) => existsSync(join(root, one, file))),
    )
    expect(missing).toEqual([])
  })
})

// A comparison compiles whatever versions there are. `expressVersions` does not where one is missing.
it('No file outside of src/express/model asks for the number of a version of Express', () => {
  const number = /\bversion\w*(?:\(.*?\))? [!=]== [4-9]\b/i
  const files = ['src/express', 'packages/cli/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const asking = files.filter(
    (file) => file.endsWith('.ts') && number.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(asking.filter((file) => !file.startsWith(join('src/express/model/')))).toEqual([])
  expect(files.length).toBeGreaterThan(100)
})

// No tarball has the pages, and no package.json an address of them before a release.
it('No message of a package names a page of docs', () => {
  const naming = ['src', 'packages/cli/src', 'packages/cli/skills', 'packages/switch/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|md)$/.test(name) && !name.endsWith('page-assets.ts'))
      .flatMap((name) =>
        readFileSync(join(root, folder, name), 'utf8')
          .split('\n')
          .filter((line) => /\bdocs\/[\w/-]+\.md\b/.test(line) && !/^\s*(?:\/\/|\*|\/\*)/.test(line))
          .map((line) => `${folder}/${name}: ${line.trim()}`),
      ),
  )
  expect(naming).toEqual([])
})

// Packed without an address of the repository, a link is its text.
it('No link of a README that is packed has the name of a file as its text', () => {
  const texts = ['.', 'packages/cli', 'packages/switch'].flatMap((folder) =>
    [...readFileSync(join(root, folder, 'README.md'), 'utf8').matchAll(/\[([^[\]]*)\]\([^)]*\)/g)].map(
      ([, text]) => text!,
    ),
  )
  expect(texts.filter((text) => /^[\w/.-]+\.md$/.test(text))).toEqual([])
})
