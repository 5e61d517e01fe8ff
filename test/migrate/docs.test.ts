// The outputs in docs/migrate.md are those of the commands; UPDATE_DOCS=1 writes them.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createParityProject, type ParityProject } from './parity-project.js'
import { type Command, createCommand } from './run-command.js'

jest.setTimeout(120_000)

const root = join(__dirname, '../..')
const page = join(root, 'docs/migrate.md')
const place = /<!-- output: (?<line>.+) -->\n\n```text\n(?<shown>[^]*?)```\n/g

let command: Command
let folder: string
let project: ParityProject
beforeAll(() => {
  command = createCommand()
  project = createParityProject()
  // The app that `parity` is shown on: its users have moved since the last commit.
  const serve = (app: string): void => cpSync(join(project.folder, app), join(project.folder, 'server.cjs'))
  serve('before.cjs')
  project.git('init', '-q', '-b', 'main')
  project.git('add', '.')
  project.git('commit', '-qm', 'before')
  serve('moved.cjs')
  folder = mkdtempSync(join(tmpdir(), 'docs-'))
})
afterAll(() => {
  command.remove()
  project.remove()
  rmSync(folder, { recursive: true })
})

/** What a command prints; its lock is not written into the project. */
async function outputOf(line: string): Promise<string> {
  const lock = join(folder, 'routes.lock.json')
  const words = line.split(' ').map((word) => (word === 'routes.lock.json' ? lock : word))
  if (words[0] === 'check') words.splice(2, 0, '--lock', lock)
  const cwd = words[0] === 'parity' ? project.folder : join(root, 'examples/express-app')
  // Before what stands after `--`, which is the entry's.
  words.splice(2, 0, '--cwd', cwd, '--settle-ms', '100')
  const { stdout, stderr } = await command.run(...words)
  if (stdout === '') return stderr.replaceAll(lock, 'routes.lock.json')
  // The name of a commit is another one each time.
  return stdout.replace(/main \([0-9a-f]{7}\)/, 'main (3f2a9c1)')
}

it('The outputs in docs/migrate.md are those of its commands', async () => {
  const text = readFileSync(page, 'utf8')
  const places = [...text.matchAll(place)]
  expect(places).toHaveLength(8)
  let made = text
  for (const { 0: whole, groups } of places) {
    const output = await outputOf(groups!['line']!)
    const said = output.replace(/^The shop listens.*\n/, '').trimEnd()
    made = made.replace(
      whole,
      whole.replace(/```text\n[^]*?```/, () => `\`\`\`text\n${said}\n\`\`\``),
    )
  }
  if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(page, made)
  else expect(made).toBe(text)
})
