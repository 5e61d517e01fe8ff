// Each folder here has an input and what `move` makes of it: UPDATE_PAIRS=1 writes that. Both are served too, and answer alike, byte by byte.
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openRaw } from '../../support/raw-socket.js'
import { type Command, createCommand } from '../run-command.js'
import { createMoveProject, type MoveProject } from './move-project.js'

jest.setTimeout(120_000)

const names = readdirSync(__dirname, { withFileTypes: true }).flatMap((one) =>
  one.isDirectory() ? [one.name] : [],
)
const fileOf = (name: string, stem: string): string => {
  const found = readdirSync(join(__dirname, name)).find((file) => file.startsWith(`${stem}.`))
  return found ?? readdirSync(join(__dirname, name))[0]!.replace('input.', `${stem}.`)
}

interface Planned {
  routes: { method: string; path: string; at: string; left?: string }[]
}

let command: Command
let project: MoveProject
let planned: Planned
const servers: ChildProcess[] = []

beforeAll(async () => {
  command = createCommand()
  project = createMoveProject()
  for (const folder of ['.', 'before']) {
    mkdirSync(join(project.folder, folder), { recursive: true })
    cpSync(join(__dirname, 'all.mts'), join(project.folder, folder, 'all.mts'))
    for (const name of names) {
      const input = fileOf(name, 'input')
      cpSync(join(__dirname, name, input), join(project.folder, folder, name, input), { recursive: true })
    }
  }
  writeFileSync(join(project.folder, 'package.json'), '{ "scripts": { "start": "tsx all.mts" } }\n')
  writeFileSync(join(project.folder, '.gitignore'), 'node_modules\nbefore\n')
  project.git('init', '-q')
  project.git('add', '.')
  project.git('commit', '-qm', 'before')
  const ran = await command.run('move', '--cwd', project.folder, '--write', '--json', '--settle-ms', '100')
  if (ran.code !== 0) throw new Error(ran.stdout + ran.stderr)
  planned = JSON.parse(ran.stdout) as Planned
})
afterAll(() => {
  for (const server of servers) server.kill('SIGKILL')
  command.remove()
  project.remove()
})

it.each(names)('%s', (name) => {
  const moved = readFileSync(join(project.folder, name, fileOf(name, 'input')), 'utf8')
  const expected = join(__dirname, name, fileOf(name, 'expected'))
  if (process.env['UPDATE_PAIRS'] !== undefined) writeFileSync(expected, moved)
  expect(moved).toBe(readFileSync(expected, 'utf8'))
})

it('leaves what it leaves with a reason', () => {
  const left = planned.routes.flatMap(({ method, path, at, left: reason }) =>
    reason === undefined ? [] : [`${method} ${path} ${at?.split('/')[0]}: ${reason}`],
  )
  const minified = left.filter((one) => one.includes('minified'))
  expect(new Set(minified.map((one) => one.replace(/^GET \S+ /, '')))).toEqual(
    new Set(['minified: the code is minified: move its source']),
  )
  expect(minified).toHaveLength(60)
  expect(left.filter((one) => !minified.includes(one))).toMatchInlineSnapshot(`
   [
     "* /commonjs-router commonjs-router: a function of use is no route",
     "GET /params-and-options/late/:name params-and-options: the callback of param 'name' is registered after it",
     "GET /params-and-options/twice/:id params-and-options: the callback of param 'id' also runs for what is not moved with it, and would run twice",
     "GET /params-and-options/twice/:id params-and-options: the callback of param 'id' also runs for what is not moved with it, and would run twice",
     "GET /params-and-options/leaving/leave params-and-options: a handler calls next('router'), which leaves the Controllers alone and not the router",
     "GET /params-and-options/leaving/leave params-and-options: another registration of the same route stays",
     "* /router-chain/other router-chain: a function of use is no route",
   ]
  `)
})

it('Both answer alike', async () => {
  const ports = await Promise.all([serve(join(project.folder, 'before')), serve(project.folder)])
  const urls = new Set(
    names.flatMap((name) => ['/', '/nothing', '/%', '//a', '/cache'].map((path) => `/${name}${path}`)),
  )
  for (const { path, at } of planned.routes) {
    if (at.includes('minified')) continue
    const url = path.replace(/:\w+/g, '1').replace(/\^\\\/mail.*/, 'mail/x')
    for (const variant of [url, `${url}/`, url.toUpperCase(), `${url}?no=1`, `${url}//`]) urls.add(variant)
  }
  for (const url of urls) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
      const request = `${method} ${url} HTTP/1.1\r\nHost: x\r\nX-User: me\r\nConnection: close\r\n\r\n`
      const [before, after] = await Promise.all(ports.map((port) => ask(port, request)))
      expect({ method, url, answer: after }).toEqual({ method, url, answer: before })
    }
  }
})

async function ask(port: number, request: string): Promise<string> {
  const socket = await openRaw(port)
  socket.write(request)
  const text = await socket.untilClosed()
  return text.replace(/^Date: .*\r\n/m, '')
}

async function serve(folder: string): Promise<number> {
  const server = spawn(process.execPath, ['--import', 'tsx', 'all.mts'], {
    cwd: folder,
    // The pages of errors show a stack otherwise.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  servers.push(server)
  let text = ''
  for await (const chunk of server.stdout!) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return Number(text)
}
