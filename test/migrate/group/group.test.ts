// Each folder here has an input and what `move --shape group` makes of it: UPDATE_PAIRS=1 writes that. The app answers alike as it was,
// with the groups inside, and with the groups in front of it.
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expectPair, type Planned } from '../group-pairs.js'
import { expectAlike, requestsOf, serve, stopServers } from '../move/answers.js'
import { createMoveProject, type MoveProject } from '../move/move-project.js'
import { type Command, createCommand } from '../run-command.js'

jest.setTimeout(120_000)

const names = readdirSync(__dirname, { withFileTypes: true }).flatMap((one) =>
  one.isDirectory() ? [one.name] : [],
)

let command: Command
beforeAll(() => {
  command = createCommand()
})
afterAll(() => {
  stopServers()
  command.remove()
})

describe.each(names)('%s', (name) => {
  const folder = join(__dirname, name)
  const find = (where: string, stem: string): string =>
    readdirSync(where).find((file) => file.startsWith(`${stem}.`))!
  const entry = find(join(folder, 'input'), 'start')
  const front = find(folder, 'front')
  let project: MoveProject
  let planned: Planned
  const run = async (what: string, where: string, ...parameters: string[]): Promise<string> => {
    const cwd = join(project.folder, where)
    const { code, stdout, stderr } = await command.run(what, '--cwd', cwd, '--settle-ms', '50', ...parameters)
    if (code !== 0) throw new Error(stdout + stderr)
    return stdout
  }
  beforeAll(async () => {
    project = createMoveProject()
    for (const one of ['now', 'before']) {
      cpSync(join(folder, 'input'), join(project.folder, one), { recursive: true })
    }
    await run('inspect', 'before', entry, '--lock', '../routes.lock.json')
    const parameters = ['--entry', entry, '--shape', 'group', '--write', '--force', '--json']
    planned = JSON.parse(await run('move', 'now', ...parameters)) as Planned
    cpSync(join(folder, front), join(project.folder, 'now', front))
  })
  afterAll(() => project.remove())

  it('becomes what is expected, and tells what is left', () => {
    expectPair(folder, join(project.folder, 'now'), planned)
  })

  it('loses no guard, inside Express or in front of it', async () => {
    expect(planned.check.ok).toBe(true)
    expect(await run('check', 'now', front, '--lock', '../routes.lock.json')).toMatch(/nothing is lost\n$/)
  })

  it('moves nothing a second time', async () => {
    const again = JSON.parse(
      await run('move', 'now', '--entry', entry, '--shape', 'group', '--json'),
    ) as Planned
    expect(again.files).toEqual([])
  })

  it('answers alike, as it was, with the groups inside, and with the groups in front', async () => {
    const now = join(project.folder, 'now')
    const [before, inside, ahead] = await Promise.all([
      serve(join(project.folder, 'before'), entry),
      serve(now, entry),
      serve(now, front),
    ])
    const requests = requestsOf(planned.routes, ['1', 'admin', 'assam'], { name: 'Keemun' })
    let inFront = 0
    for (const user of ['', 'X-User: ada\r\n', 'X-User: admin\r\n']) {
      inFront += await expectAlike([before, inside], ahead, requests, () => user)
    }
    const moved = planned.routes.filter(({ left }) => left === undefined)
    expect(inFront).toBeGreaterThan(moved.length * 3)
  })
})
