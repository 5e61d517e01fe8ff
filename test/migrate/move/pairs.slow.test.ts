// Each folder here has an input, what `move --in-place` makes of it, and what `move --as-is` does: UPDATE_PAIRS=1 writes both. All three are
// served too, and answer alike, byte by byte.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWhole } from '../../support/counts.js'
import { openRaw } from '../../support/raw-socket.js'
import { type Command, createCommand } from '../run-command.js'
import { serve, stopServers } from './answers.js'
import { createMoveProject, type MoveProject } from './move-project.js'

jest.setTimeout(300_000)

const names = readdirSync(__dirname, { withFileTypes: true }).flatMap((one) =>
  one.isDirectory() ? [one.name] : [],
)
const fileOf = (name: string, stem: string): string => {
  const input = readdirSync(join(__dirname, name)).find((file) => file.startsWith('input.'))!
  return input.replace('input.', `${stem}.`)
}

interface Planned {
  routes: {
    method: string
    path: string
    at: string
    left?: string
    native?: boolean
    notNative?: { reason: string; at: string }
  }[]
}

let command: Command
let project: MoveProject
let native: Planned
let planned: Planned
let beside: Planned

beforeAll(async () => {
  command = createCommand()
  project = createMoveProject()
  for (const folder of ['.', 'before', 'beside']) {
    mkdirSync(join(project.folder, folder), { recursive: true })
    cpSync(join(__dirname, 'all.mts'), join(project.folder, folder, 'all.mts'))
    for (const name of names) {
      const input = fileOf(name, 'input')
      cpSync(join(__dirname, name, input), join(project.folder, folder, name, input), { recursive: true })
    }
  }
  writeFileSync(join(project.folder, 'package.json'), '{ "scripts": { "start": "tsx all.mts" } }\n')
  writeFileSync(join(project.folder, '.gitignore'), 'node_modules\nbefore\nbeside\n')
  project.git('init', '-q')
  project.git('add', '.')
  project.git('commit', '-qm', 'before')
  const move = async (folder: string, ...parameters: string[]): Promise<Planned> => {
    const cwd = join(project.folder, folder)
    const all = ['--cwd', cwd, '--entry', 'all.mts', '--write', '--json', '--settle-ms', '100']
    const ran = await command.run('move', ...all, ...parameters)
    if (ran.code !== 0) throw new Error(ran.stdout + ran.stderr)
    return JSON.parse(ran.stdout) as Planned
  }
  native = await move('.', '--in-place', '--native', '--routes', '/native/**')
  planned = await move('.', '--in-place', '--force')
  beside = await move('beside', '--as-is', '--force')
})
afterAll(() => {
  stopServers()
  command.remove()
  project.remove()
})

describe.each([
  ['in place', '.', 'expected'],
  ['beside', 'beside', 'beside'],
])('%s', (_how, folder, stem) => {
  it.each(names)('%s', (name) => expectPair(name, folder, stem))
})

function expectPair(name: string, folder: string, stem: string): void {
  const moved = readFileSync(join(project.folder, folder, name, fileOf(name, 'input')), 'utf8')
  const expected = join(__dirname, name, fileOf(name, stem))
  if (process.env['UPDATE_PAIRS'] !== undefined) writeFileSync(expected, moved)
  expect(moved).toBe(readFileSync(expected, 'utf8'))
}

/** Why routes stay, each with its folder. */
function leftOf({ routes }: Planned): string[] {
  const left = routes.flatMap(({ method, path, at, left: reason }) =>
    reason === undefined || reason === 'a Controller answers it already'
      ? []
      : [`${method} ${path} ${at?.split('/')[0]}: ${reason}`],
  )
  const minified = left.filter((one) => one.includes('minified'))
  expect(new Set(minified.map((one) => one.replace(/^GET \S+ /, '')))).toEqual(
    new Set(['minified: the code is minified: move its source']),
  )
  expect(minified).toHaveLength(60)
  return left.filter((one) => !minified.includes(one))
}

it('leaves in place what it leaves with a reason', () => {
  expect(leftOf(planned)).toMatchInlineSnapshot(`
   [
     "* /commonjs-router commonjs-router: a function of use is no route",
     "GET /params-and-options/late/:name params-and-options: the callback of param 'name' is registered after it",
     "GET /params-and-options/twice/:id params-and-options: the callback of param 'id' also runs for what is not moved with it, and would run twice",
     "GET /params-and-options/twice/:id params-and-options: the callback of param 'id' also runs for what is not moved with it, and would run twice",
     "GET /params-and-options/leaving/leave params-and-options: a handler calls next('router'), which leaves the Controllers alone and not the router",
     "* /router-chain/other router-chain: a function of use is no route",
   ]
  `)
})

it('leaves beside what it leaves with a reason', () => {
  expect(leftOf(beside)).toMatchInlineSnapshot(`
   [
     "* /commonjs-router commonjs-router: a function of use is no route",
     "* /router-chain/other/:id router-chain: other handlers of its route follow it",
     "* /router-chain/other router-chain: a function of use is no route",
   ]
  `)
  const asIs = beside.routes.filter(({ left, native }) => left === undefined && native !== true)
  expect([beside.routes.filter((one) => one.native).length, asIs.length]).toMatchInlineSnapshot(`
   [
     69,
     23,
   ]
  `)
})

it('gives native callbacks with --native, or tells why not', () => {
  const named = native.routes.filter(({ native }) => native !== undefined)
  expect(new Set(named.map(({ at }) => at.split('/')[0]))).toEqual(new Set(['native']))
  const notNative = named.flatMap(({ method, path, notNative: why }) =>
    why === undefined ? [] : [`${method} ${path} ${why.at}: ${why.reason}`],
  )
  expect(notNative).toMatchInlineSnapshot(`
   [
     "DELETE /native/teas/:id native/input.mjs:28: it has more handlers than one",
     "GET /native/file native/input.mjs:31: res.sendFile means something else natively, or is not there",
     "GET /native/two native/input.mjs:35: its route(path) has more handlers than one",
     "POST /native/two native/input.mjs:36: its route(path) has more handlers than one",
     "GET /native/orders/:order native/input.mjs:51: the callback of param 'order' runs before it",
   ]
  `)
  expect(named.length - notNative.length).toBe(12)
})

it('All answer alike', async () => {
  const ports = await Promise.all([
    serve(join(project.folder, 'before'), 'all.mts'),
    serve(project.folder, 'all.mts'),
    serve(join(project.folder, 'beside'), 'all.mts'),
  ])
  const methods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']
  /** Each with the methods that it is asked by. */
  const urls = new Map<string, readonly string[]>()
  const add = (url: string, some: readonly string[]): void =>
    void urls.set(url, [...new Set([...(urls.get(url) ?? []), ...some])])
  // In the loop what is no route is asked for by fewer methods, and a route by its own and those that come with it.
  const others = isWhole ? methods : ['GET', 'POST', 'OPTIONS']
  for (const name of names)
    for (const path of ['/', '/nothing', '/%', '//a', '/cache']) add(`/${name}${path}`, others)
  for (const { method, path, at } of planned.routes) {
    if (at.includes('minified')) continue
    const url = path.replace(/:\w+/g, '1').replace(/\^\\\/mail.*/, 'mail/x')
    const own = method === '*' ? 'PUT' : method
    add(url, isWhole ? methods : [own, 'GET', 'HEAD', 'OPTIONS'])
    const forms = [`${url}/`, url.toUpperCase(), `${url}?no=1`, `${url}//`]
    for (const form of forms) add(form, isWhole ? methods : [own])
  }
  for (const [url, some] of urls) {
    for (const method of some) {
      const head = `${method} ${url} HTTP/1.1\r\nHost: x\r\nX-User: me\r\nConnection: close\r\n`
      const requests = [`${head}\r\n`]
      if (/^\/+(?:native|own-types)/i.test(url) && /^P/.test(method)) {
        requests.push(`${head}Content-Type: application/json\r\nContent-Length: 17\r\n\r\n{"name":"Keemun"}`)
      }
      for (const request of requests) {
        const [before, moved, beside] = await Promise.all(ports.map((port) => ask(port, request)))
        const formOf = /^\/+native/i.test(url) ? sorted : (text: string) => text
        expect({ method, url, answer: formOf(moved!) }).toEqual({ method, url, answer: formOf(before!) })
        expect({ method, url, answer: sorted(beside!) }).toEqual({ method, url, answer: sorted(before!) })
      }
    }
  }
})

/** A native callback sets the same headers, in another order. */
function sorted(answer: string): string {
  const [head, ...body] = answer.split('\r\n\r\n')
  const [status, ...headers] = head!.split('\r\n')
  return [[status, ...headers.sort()].join('\r\n'), ...body].join('\r\n\r\n')
}

async function ask(port: number, request: string): Promise<string> {
  const socket = await openRaw(port)
  socket.write(request)
  const text = await socket.untilClosed()
  // A native cookie with a Max-Age has no Expires.
  return text.replace(/^Date: .*\r\n/m, '').replace(/(; Max-Age=\d+.*?); Expires=[^;\r]*/g, '$1')
}
