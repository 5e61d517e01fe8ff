import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(__dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'words-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The lines of a file that the lint refuses, each with what it says. */
function lint(name: string, text: string): [line: number, problem: string][] {
  const file = join(folder, name)
  writeFileSync(file, text)
  const { stdout } = spawnSync(process.execPath, [join(root, 'scripts/lint-words.js'), file], {
    encoding: 'utf8',
  })
  return [...stdout.matchAll(/:(\d+): (.*)$/gm)].map(([, line, problem]) => [Number(line), problem!])
}

const long = Array.from({ length: 13 }, () => 'long words').join(' ')
const refused = (word: string) => expect.stringMatching(new RegExp(`^"${word}"`)) as unknown

describe('The lint of words', () => {
  it('reads comments of all kinds', () => {
    const text = [
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
    ].join('\n')
    expect(lint('comments.ts', text)).toEqual([
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
    const text = [
      "throw new Error('it is nobody here')",
      'throw new Error(`it is ${name} or somebody`)',
      `throw new Error('${long.slice(0, 40)}' + '${long.slice(40)}')`,
    ].join('\n')
    expect(lint('messages.ts', text)).toEqual([
      [1, refused('nobody')],
      [2, refused('somebody')],
      [3, expect.stringMatching(/^26 words: /)],
    ])
  })

  it('reads no code, no examples and nothing for tools', () => {
    const text = [
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
    ].join('\n')
    expect(lint('code.ts', text)).toEqual([])
  })

  it('reads paragraphs, tables and headings of pages, but no code', () => {
    const text = [
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
    ].join('\n')
    expect(lint('page.md', text)).toEqual([
      [3, refused('somebody')],
      [11, expect.stringMatching(/^26 words: /)],
      [1, refused('nobody')],
      [5, refused('nobody')],
    ])
  })

  it('finds nothing in this repository', () => {
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'scripts/lint-words.js')], {
      encoding: 'utf8',
    })
    expect([stdout, status]).toEqual(['', 0])
  })
})
