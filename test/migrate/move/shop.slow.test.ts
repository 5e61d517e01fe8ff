// The routes of the example, moved by the command: UPDATE_PAIRS=1 writes what becomes of them. What is moved compiles.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, createCommand } from '../run-command.js'
import { createShopProject, example, type MoveProject } from './move-project.js'

jest.setTimeout(300_000)

const moved = join(__dirname, '../moved-shop')
const root = join(__dirname, '../../..')
const service = join(__dirname, '../fixtures/typescript-service')

let command: Command
let project: MoveProject
beforeAll(() => {
  command = createCommand()
  project = createShopProject(['@types'])
})
afterAll(() => {
  command.remove()
  project.remove()
})

it('The routes of the shop are moved, and nothing is lost', async () => {
  const parameters = ['--cwd', project.folder, '--entry', 'start.ts', '--settle-ms', '100']
  const { code, stdout, stderr } = await command.run(
    'move',
    '--in-place',
    ...parameters,
    '--write',
    '--force',
    '--',
    'legacy',
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('The shop listens') as string })
  expect(stdout).toContain('16 routes and 1 mount: 16 moved, 1 left\n')
  expect(stdout).toMatch(/✓ 16 routes and 1 mount checked: nothing is lost\nWritten: routes\/.*\n$/)
  for (const name of readdirSync(join(example, 'routes'))) {
    const text = readFileSync(join(project.folder, 'routes', name), 'utf8')
    if (process.env['UPDATE_PAIRS'] !== undefined) writeFileSync(join(moved, name), text)
    expect(text).toBe(readFileSync(join(moved, name), 'utf8'))
  }
})

it('What is moved compiles', () => {
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      typeRoots: [join(root, 'node_modules/@types')],
      types: ['node'],
      preserveSymlinks: true,
      // What was moved stands beside what was not.
      rootDirs: ['', 'expected', 'input'].map((one) => join(service, one)),
      paths: {
        routecontrollers: [join(root, 'src/index.ts')],
        'routecontrollers/express': [join(root, 'src/express/index.ts')],
      },
    },
    include: [
      '**/*.ts',
      ...['generics', 'own-types'].map((name) => join(__dirname, name, '*.ts')),
      join(service, 'expected/**/*.ts'),
    ],
    // These show other examples too, which stand beside the folder that was copied.
    exclude: ['node_modules', 'main.ts', 'tour.ts'],
  }
  writeFileSync(join(project.folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript7/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', project.folder], { encoding: 'utf8' })
  expect(stdout).toBe('')
})
