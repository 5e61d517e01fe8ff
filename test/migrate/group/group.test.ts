// Each folder here has an input and what `move --shape group` makes of it: UPDATE_PAIRS=1 writes that. The app answers alike as it was,
// with the groups inside, and with the groups in front of it.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectAlike, requestsOf, serve, stopServers } from '../move/answers.js'
import { createMoveProject, type MoveProject } from '../move/move-project.js'
import { type Command, createCommand } from '../run-command.js'

jest.setTimeout(120_000)

interface Planned {
  readonly routes: readonly {
    readonly kind: string
    readonly method: string
    readonly path: string
    readonly at: string
    readonly left?: string
  }[]
  readonly groups: readonly object[]
  readonly files: readonly string[]
  readonly check: { readonly ok: boolean }
}

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
  let project: MoveProject
  let planned: Planned
  beforeAll(async () => {
    project = createMoveProject()
    for (const one of ['now', 'before']) {
      cpSync(join(folder, 'input'), join(project.folder, one), { recursive: true })
    }
    const entry = startOf(join(folder, 'input'))
    const parameters = ['--cwd', join(project.folder, 'now'), '--entry', entry, '--settle-ms', '50']
    const ran = await command.run('move', ...parameters, '--shape', 'group', '--write', '--force', '--json')
    if (ran.code !== 0) throw new Error(ran.stdout + ran.stderr)
    planned = JSON.parse(ran.stdout) as Planned
  })
  afterAll(() => project.remove())

  it('becomes what is expected, and loses no guard', () => {
    const expected = join(folder, 'expected')
    if (process.env['UPDATE_PAIRS'] !== undefined) {
      rmSync(expected, { recursive: true, force: true })
      for (const file of planned.files) {
        mkdirSync(join(expected, file, '..'), { recursive: true })
        cpSync(join(project.folder, 'now', file), join(expected, file))
      }
    }
    const files = (where: string): Record<string, string> =>
      Object.fromEntries(planned.files.map((file) => [file, readFileSync(join(where, file), 'utf8')]))
    expect(files(join(project.folder, 'now'))).toEqual(files(expected))
    expect(planned.check.ok).toBe(true)
  })

  it('tells what the groups carry, what they need besides, and what is left', () => {
    const left = planned.routes.flatMap(({ method, path, left: reason }) =>
      reason === undefined ? [] : [`${method} ${path}: ${reason}`],
    )
    const told = `${JSON.stringify({ groups: planned.groups, left }, undefined, 2)}\n`
    const file = join(folder, 'told.json')
    if (process.env['UPDATE_PAIRS'] !== undefined) writeFileSync(file, told)
    expect(told).toBe(readFileSync(file, 'utf8'))
  })

  it('answers alike, as it was, with the groups inside, and with the groups in front', async () => {
    const now = join(project.folder, 'now')
    const front = readdirSync(folder).find((file) => file.startsWith('front.'))!
    cpSync(join(folder, front), join(now, front))
    const entry = startOf(join(folder, 'input'))
    const ports = await Promise.all([
      serve(join(project.folder, 'before'), entry),
      serve(now, entry),
      serve(now, front),
    ])
    const requests = requestsOf(planned.routes, ['1', 'admin'], { name: 'Keemun' })
    let inFront = 0
    for (const user of ['', 'X-User: ada\r\n', 'X-User: admin\r\n']) {
      inFront += await expectAlike(ports.slice(0, 2), ports[2]!, requests, () => user)
    }
    const moved = planned.routes.filter(({ left }) => left === undefined)
    expect(inFront).toBeGreaterThan(moved.length * 9)
  })
})

function startOf(folder: string): string {
  return readdirSync(folder).find((file) => file.startsWith('start.'))!
}
