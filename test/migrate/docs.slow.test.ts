// The outputs in docs/migrate are those of the commands; UPDATE_DOCS=1 writes them.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isWhole } from '../support/counts.js'
import { createShopProject, type MoveProject } from './move/move-project.js'
import { createParityProject, type ParityProject } from './parity-project.js'
import { type Command, createCommand } from './run-command.js'

jest.setTimeout(300_000)

const root = join(__dirname, '../..')
/** In the order of the road: `check` compares with the lock that `inspect` has written. */
const pages = ['doctor', 'inspect', 'move', 'check', 'parity'].map((name) =>
  join(root, `docs/migrate/${name}.md`),
)
/** Each starts the example once more. The loop runs each command once, the check by the lock that an inspect has written. */
const ofWholeAlone = [
  'inspect start.ts -- legacy',
  'move routes/cart.ts --in-place --entry start.ts -- legacy',
  'check start.ts -- in-front',
]
const place = /<!-- output: (?<line>.+) -->\n\n```text\n(?<shown>[^]*?)```\n/g

let command: Command
let folder: string
let project: ParityProject
let shop: MoveProject
beforeAll(() => {
  command = createCommand()
  project = createParityProject()
  shop = createShopProject()
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
  shop.remove()
  rmSync(folder, { recursive: true })
})

/** What a command prints; its lock is not written into the project. */
async function outputOf(line: string): Promise<string> {
  const lock = join(folder, 'routes.lock.json')
  const words = line.split(' ').map((word) => (word === 'routes.lock.json' ? lock : word))
  if (words[0] === 'check') words.splice(2, 0, '--lock', lock)
  const cwd = words[0] === 'parity' ? project.folder : shop.folder
  // Before what stands after `--`, which is the entry's.
  words.splice(2, 0, '--cwd', cwd, '--settle-ms', '100')
  const { stdout, stderr } = await command.run(...words)
  if (stdout === '') return stderr.replaceAll(lock, 'routes.lock.json')
  // The name of a commit is another one each time. Two answers of legacy may come in two seconds.
  return stdout.replace(/main \([0-9a-f]{7}\)/, 'main (3f2a9c1)').replace(/^(Noise, .*), date \(\d+\)/m, '$1')
}

it('The outputs in docs/migrate are those of its commands', async () => {
  const texts = pages.map((page) => readFileSync(page, 'utf8'))
  const places = texts.flatMap((text, page) =>
    [...text.matchAll(place)].map(([whole, line]) => ({ whole, line: line!, page })),
  )
  expect(places).toHaveLength(8)
  const lines = places.map(({ line }) => line)
  expect(lines).toEqual(expect.arrayContaining(ofWholeAlone))
  const isWritten = process.env['UPDATE_DOCS'] !== undefined
  const made = [...texts]
  for (const { whole, line, page } of places) {
    if (!isWhole && !isWritten && ofWholeAlone.includes(line)) continue
    const output = await outputOf(line)
    const said = output.replace(/^app \| .*\n/gm, '').trimEnd()
    made[page] = made[page]!.replace(
      whole,
      whole.replace(/```text\n[^]*?```/, () => `\`\`\`text\n${said}\n\`\`\``),
    )
  }
  if (isWritten) pages.forEach((page, at) => writeFileSync(page, made[at]!))
  else expect(made).toEqual(texts)
})
