import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isWhole } from '../support/counts.js'

const root = join(__dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'words-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The lines of each file that the lint refuses, each with what it says. One run reads them all: its start takes the most time. */
let refusals: Map<string, [line: number, problem: string][]>
beforeAll(() => {
  const files = Object.keys(texts).map((name) => join(folder, name))
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
  const { stdout } = spawnSync(process.execPath, [join(root, 'scripts/lint-words.js'), ...files], {
    encoding: 'utf8',
  })
  refusals = new Map(Object.keys(texts).map((name) => [name, []]))
  for (const [, name, line, problem] of stdout.matchAll(/^(?:.*[\\/])?([^\\/:]+):(\d+): (.*)$/gm))
    refusals.get(name!)!.push([Number(line), problem!])
})

const long = Array.from({ length: 13 }, () => 'long words').join(' ')
const texts = {
  'comments.ts': [
    '// It is nobody here.',
    '/** It is somebody here. */',
    'export function one(name: string) {',
    '  // It begins in this line,',
    '  // and whoever reads it goes on.',
    '  const two = 1 // It is anyone behind code.',
    '  return [two, /* It is just within. */ name]',
    '}',
    '/**',
    ' * The first sentence.',
    ' *',
    ' * @param name - It is utilize here.',
    ' */',
    'export const three = 3',
    `// ${long}`,
  ].join('\n'),
  'messages.ts': [
    "throw new Error('it is nobody here')",
    'throw new Error(`it is ${name} or somebody`)',
    `throw new Error('${long.slice(0, 40)}' + '${long.slice(40)}')`,
  ].join('\n'),
  'code.ts': [
    '// eslint-disable-next-line no-nobody -- nobody',
    "const nobody = 'nobody'",
    'const address = `https://nobody.example/${nobody} // nobody`',
    "const names = ('just a list of names ' + 'for nobody').split(' ')",
    '/**',
    ' * The first sentence, with `nobody` as code.',
    ' *',
    ' * @example',
    ' * ```ts',
    ' * nobody()',
    ' * ```',
    ' */',
    'export const two = 2',
  ].join('\n'),
  'page.md': [
    '# For nobody',
    '',
    'It is somebody.',
    '',
    '| nobody |',
    '',
    '```js',
    'nobody()',
    '```',
    '',
    long,
  ].join('\n'),
}

const refused = (word: string) => expect.stringMatching(new RegExp(`^"${word}"`)) as unknown

describe('The lint of words', () => {
  it('reads comments of all kinds', () => {
    expect(refusals.get('comments.ts')).toEqual([
      [1, refused('nobody')],
      [2, refused('somebody')],
      [4, refused('whoever')],
      [6, refused('anyone')],
      [7, refused('just')],
      [12, refused('utilize')],
      [15, expect.stringMatching(/^26 words: /)],
    ])
  })

  it('reads texts that are sentences, also in parts', () => {
    expect(refusals.get('messages.ts')).toEqual([
      [1, refused('nobody')],
      [2, refused('somebody')],
      [3, expect.stringMatching(/^26 words: /)],
    ])
  })

  it('reads no code, no examples and nothing for tools', () => {
    expect(refusals.get('code.ts')).toEqual([])
  })

  it('reads paragraphs, tables and headings of pages, but no code', () => {
    expect(refusals.get('page.md')).toEqual([
      [3, refused('somebody')],
      [11, expect.stringMatching(/^26 words: /)],
      [1, refused('nobody')],
      [5, refused('nobody')],
    ])
  })

  // `.ci/run` runs the lint itself.
  if (isWhole) {
    it('finds nothing in this repository', () => {
      const { status, stdout } = spawnSync(process.execPath, [join(root, 'scripts/lint-words.js')], {
        encoding: 'utf8',
      })
      expect([stdout, status]).toEqual(['', 0])
    })
  }
})
