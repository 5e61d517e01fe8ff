// The outputs in docs/migrate.md are those of the commands; UPDATE_DOCS=1 writes them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, createCommand } from './run-command.js'

jest.setTimeout(120_000)

const root = join(__dirname, '../..')
const page = join(root, 'docs/migrate.md')
const place =
  /<!-- output: (?<line>.+) -->\n(?<first><!-- the first block -->\n)?\n```text\n(?<shown>[^`]*)```\n/g

let command: Command
let folder: string
beforeAll(() => {
  command = createCommand()
  folder = mkdtempSync(join(tmpdir(), 'docs-'))
})
afterAll(() => {
  command.remove()
  rmSync(folder, { recursive: true })
})

/** What a command prints; its lock is not written into the project. */
async function outputOf(line: string): Promise<string> {
  const lock = join(folder, 'routes.lock.json')
  const words = line.split(' ').map((word) => (word === 'routes.lock.json' ? lock : word))
  if (words[0] === 'check') words.splice(2, 0, '--lock', lock)
  // Before what stands after `--`, which is the entry's.
  words.splice(2, 0, '--cwd', join(root, 'examples/express-app'))
  const { stdout, stderr } = await command.run(...words)
  return stdout === '' ? stderr.replaceAll(lock, 'routes.lock.json') : stdout
}

it('The outputs in docs/migrate.md are those of its commands', async () => {
  const text = readFileSync(page, 'utf8')
  const places = [...text.matchAll(place)]
  expect(places).toHaveLength(4)
  let made = text
  for (const { 0: whole, groups } of places) {
    const output = await outputOf(groups!['line']!.replace(' -- ', ' --settle-ms 100 -- '))
    const said = output.replace(/^The shop listens.*\n/, '').trimEnd()
    const shown = groups!['first'] === undefined ? said : said.split('\n\n', 1)[0]
    made = made.replace(
      whole,
      whole.replace(/```text\n[^`]*```/, () => `\`\`\`text\n${shown}\n\`\`\``),
    )
  }
  if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(page, made)
  else expect(made).toBe(text)
})
