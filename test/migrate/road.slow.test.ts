// The whole road with the shop of the examples: served in one line, then each route legacy → beside → shadow → canary → native → retired → lifted, by
// the commands and the switch, with the same answers to the same requests at each step.
import { build } from 'esbuild'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteStatus } from '@routecontrollers/switch'
import { createShopProject, type MoveProject } from './move/move-project.js'
import { type Command, createCommand } from './run-command.js'

jest.setTimeout(300_000)

const root = join(__dirname, '../..')
const src = join(root, 'src')

/** The shop in front of itself, with the switch; this process calls its methods. */
const program = `import { serve } from 'routecontrollers/express'
import { fileStore, migration } from '@routecontrollers/switch'
import { createLegacyApp } from './legacy-app.js'
import { createSetup } from './setup.js'

const app = createLegacyApp(createSetup({ publicFolder: 'public', adminToken: 'teapot', log: () => {} }))
const logger = { info() {}, warn: console.error, error: console.error }
const switching = migration({
  app,
  store: fileStore({ file: 'states.json' }),
  // No user has logged in where a test asks without a cookie.
  stickyBy: (req) => req.headers.cookie ?? 'anonymous',
  rollback: { minAnswers: 5 },
  shadow: { maxUtilization: 1, maxDelayMs: 10_000, unsafe: ['DELETE /cart'] },
  logger,
})
await switching.ready
const server = await serve(app, { port: 0, logger })
process.on('message', async ({ call, given }) => {
  process.send({ value: await switching[call](...given) })
})
console.log(server.getPort())
`
const plain = `import { serve } from 'routecontrollers/express'
import { createLegacyApp } from './legacy-app.js'
import { createSetup } from './setup.js'

const app = createLegacyApp(createSetup({ publicFolder: 'public', adminToken: 'teapot', log: () => {} }))
const server = await serve(app, { port: 0 })
console.log(server.getPort())
`
/** A router that is no function's: a list can take its place. */
const leaves = `import { Router } from 'express'

export const leaves = Router()

leaves.get('/', (req, res) => {
  res.json({ leaves: ['green', 'black'], of: req.query['of'] ?? 'all' })
})

leaves.get('/:kind', (req, res) => {
  res.json({ kind: req.params.kind })
})
`

let command: Command
let project: MoveProject
let baseline: string[]
beforeAll(async () => {
  command = createCommand()
  project = createShopProject(['@types'])
  const modules = join(project.folder, 'node_modules')
  const own = join(modules, 'routecontrollers')
  rmSync(own, { recursive: true })
  await build({
    entryPoints: {
      index: join(src, 'index.ts'),
      express: join(src, 'express/index.ts'),
      switch: join(root, 'packages/switch/src/index.ts'),
    },
    alias: {
      'routecontrollers/introspection': join(src, 'introspection.ts'),
      'routecontrollers/express-model': join(src, 'express/express-model.ts'),
    },
    // One of each file, for all entries.
    splitting: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    outdir: own,
    external: ['express'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
    logLevel: 'error',
  })
  const exports = { '.': './index.js', './express': './express.js' }
  writeFileSync(
    join(own, 'package.json'),
    JSON.stringify({ name: 'routecontrollers', type: 'module', exports }),
  )
  const switching = join(modules, '@routecontrollers/switch')
  mkdirSync(switching, { recursive: true })
  writeFileSync(join(switching, 'index.mjs'), "export * from '../../routecontrollers/switch.js'\n")
  writeFileSync(
    join(switching, 'package.json'),
    JSON.stringify({ name: '@routecontrollers/switch', exports: './index.mjs' }),
  )
  writeFileSync(
    join(project.folder, 'package.json'),
    '{ "type": "module", "dependencies": { "routecontrollers": "*" } }\n',
  )
  writeFileSync(join(project.folder, 'road.ts'), program)
  writeFileSync(join(project.folder, 'plain.ts'), plain)
  writeFileSync(join(project.folder, 'routes/leaves.ts'), leaves)
  const app = readFileSync(join(project.folder, 'legacy-app.ts'), 'utf8')
  const mounted = app
    .replace('import { orders }', "import { leaves } from './routes/leaves.js'\n$&")
    .replace('app.use(orders(shop))', "app.use('/leaves', leaves)\n  $&")
  writeFileSync(join(project.folder, 'legacy-app.ts'), mounted)
  project.git('init', '-q')
  commit('the shop')
})
afterEach(stopAll)
afterAll(() => {
  command.remove()
  project.remove()
})

const commit = (what: string): void => {
  project.git('add', '.')
  project.git('commit', '-qm', what)
}
const run = async (what: string, ...parameters: string[]): Promise<string> => {
  const all = ['--cwd', project.folder, '--settle-ms', '100', ...parameters]
  const { code, stdout, stderr } = await command.run(what, ...all)
  expect({ code, told: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, told: '' })
  return stdout
}
const check = async (): Promise<void> => {
  const { stdout } = await command.run('check', 'plain.ts', '--cwd', project.folder, '--settle-ms', '100')
  expect(stdout).toMatch(/nothing is lost\n$/)
}

interface Serving {
  readonly url: string
  readonly call: (name: string, ...given: readonly unknown[]) => Promise<any>
}

const children: ChildProcess[] = []
function stopAll(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL')
}

async function start(file: string): Promise<Serving> {
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: project.folder,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  children.push(child)
  let errors = ''
  child.stderr!.on('data', (chunk) => (errors += String(chunk)))
  let text = ''
  for await (const chunk of child.stdout!) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  if (text === '') throw new Error(`${file} has printed no port: ${errors}`)
  return {
    url: `http://127.0.0.1:${Number(text)}`,
    call: (call, ...given) =>
      new Promise((resolve) => {
        child.once('message', ({ value }: { value?: unknown }) => resolve(value))
        child.send({ call, given })
      }),
  }
}

type Request = readonly [
  method: string,
  path: string,
  body?: object | undefined,
  headers?: Record<string, string>,
]
const asked: readonly Request[] = [
  ['GET', '/'],
  ['GET', '/login'],
  ['GET', '/products'],
  ['GET', '/products?q=green'],
  ['GET', '/products/sencha'],
  ['GET', '/products/none'],
  ['GET', '/products.csv'],
  ['GET', '/teas'],
  ['GET', '/leaves?of=China'],
  ['GET', '/Leaves/oolong/'],
  ['GET', '/leaves/%zz'],
  ['POST', '/leaves'],
  ['OPTIONS', '/leaves/green'],
  ['GET', '/cart'],
  ['POST', '/cart', { productId: 'sencha', quantity: 2 }],
  ['GET', '/cart'],
  ['DELETE', '/cart'],
  ['GET', '/cart'],
  ['POST', '/cart', { productId: 'genmaicha' }],
  ['GET', '/orders'],
  ['POST', '/orders'],
  ['POST', '/login', { name: 'Ada' }],
  ['POST', '/orders'],
  ['GET', '/orders'],
  ['GET', '/orders/1001'],
  ['GET', '/orders/7'],
  ['GET', '/health'],
  ['GET', '/admin/report'],
  ['GET', '/admin/report', undefined, { 'x-admin-token': 'teapot' }],
  ['GET', '/admin/orders.csv', undefined, { 'x-admin-token': 'teapot' }],
  ['HEAD', '/health'],
  ['OPTIONS', '/health'],
  ['GET', '/none'],
]

/** What a server answers to all requests of one user. */
async function answersOf(url: string): Promise<string[]> {
  const cookies = new Map<string, string>()
  const answers: string[] = []
  for (const [method, path, body, more] of asked) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const headers = {
      ...(cookie === '' ? {} : { cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    }
    const answer = await fetch(url + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const set = answer.headers.getSetCookie()
    for (const line of set) {
      const [, name, value] = /^([^=]*)=([^;]*)/.exec(line)!
      cookies.set(name!, value!)
    }
    const text = await answer.text()
    const timeless = text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a date')
    const varying = timeless === text ? /^(?:date|set-cookie)$/ : /^(?:date|set-cookie|etag)$/
    const told = [...answer.headers].filter(([name]) => !varying.test(name))
    const names = set.map((line) => line.replace(/^([^=]*)=[^;]*/, '$1').replace(/; Expires=[^;]*/, ''))
    answers.push(`${method} ${path} ${answer.status} ${JSON.stringify([told.sort(), names])} ${timeless}`)
  }
  return answers
}

/** The routes that have a native callback beside. */
const besides = async (): Promise<string[]> => {
  const { routes } = JSON.parse(await run('status', 'plain.ts', '--json')) as {
    routes: { method: string; path: string; stands: string }[]
  }
  return routes.filter(({ stands }) => stands === 'beside').map(({ method, path }) => `${method} ${path}`)
}

// A copy of it would order a second time.
const isCopied = ({ route }: { readonly route: string }): boolean => route !== 'POST /orders'

it('goes the road', async () => {
  // Served in front of itself, in one line.
  const first = await start('plain.ts')
  baseline = await answersOf(first.url)
  const statuses = new Set(baseline.map((line) => line.split(' ')[2]))
  for (const status of ['200', '201', '204', '302', '401', '404']) expect(statuses).toContain(status)
  await run('inspect', 'plain.ts', '--lock', 'routes.lock.json')
  commit('the lock')
  stopAll()

  // Each route that the machine understands gets a native callback beside its handler.
  await run('move', '--entry', 'plain.ts', '--write')
  commit('beside')
  await check()
  const moved = await besides()
  expect(moved.length).toBeGreaterThanOrEqual(9)
  expect(await answersOf((await start('plain.ts')).url)).toEqual(baseline)
  stopAll()

  // With a migration the handlers answer, and the callbacks get copies. Nothing differs.
  const shadowed = await start('road.ts')
  const before = (await shadowed.call('status')).routes as { route: string; state: string }[]
  expect(before.map(({ route, state }) => [route, state])).toEqual(moved.map((route) => [route, 'legacy']))
  await shadowed.call('set', '*', 'shadow', why)
  expect(await answersOf(shadowed.url)).toEqual(baseline)
  const askedFor = (await routesOf(shadowed)).filter(({ lastAskedAt }) => lastAskedAt !== undefined)
  expect(askedFor).toHaveLength(moved.length)
  await until(async () => {
    const routes = await routesOf(shadowed)
    return routes.filter(isCopied).every(({ shadow }) => shadow.compared + shadow.dropped > 0)
  })
  const compared = await routesOf(shadowed)
  expect(compared.flatMap(({ route, shadow }) => (shadow.different > 0 ? route : []))).toEqual([])
  expect(compared.flatMap(({ route, shadow }) => (shadow.compared === 0 ? route : []))).toEqual(
    compared.flatMap((one) => (isCopied(one) ? [] : one.route)),
  )
  stopAll()

  // In front of half of the clients a callback with a fault goes back to its handler by itself. The others stay where they are.
  const file = join(project.folder, 'routes/operations.ts')
  const text = readFileSync(file, 'utf8')
  const planted = text.replace(/(native\(\(_req, res\) => \{\n)/, "$1      throw new Error('a fault')\n")
  expect(planted).not.toBe(text)
  writeFileSync(file, planted)
  const faulty = await start('road.ts')
  await faulty.call('set', '*', 'canary 50%', why)
  const seen = new Set<number>()
  let client = 0
  await until(async () => {
    const clients = Array.from({ length: 20 }, () => ({ cookie: `client=${client++}` }))
    const answers = await Promise.all(clients.map((headers) => fetch(`${faulty.url}/health`, { headers })))
    for (const { status } of answers) seen.add(status)
    return (await stateOf(faulty, 'GET /health')) === 'legacy'
  })
  expect([...seen].sort()).toEqual([200, 500])
  const states = (await routesOf(faulty)).map(({ route, state }) => [route, state])
  const others = moved.filter((route) => route !== 'GET /health')
  expect(states).toEqual(moved.map((route) => [route, others.includes(route) ? 'canary 50%' : 'legacy']))
  expect(await answersOf(faulty.url)).toEqual(baseline)
  // Its store is written to the end.
  await faulty.call('close')
  stopAll()
  writeFileSync(file, text)

  // Without the fault all callbacks answer, as the handlers did.
  const native = await start('road.ts')
  expect(await native.call('set', '*', 'native', why)).toEqual({ isStored: true })
  expect(await answersOf(native.url)).toEqual(baseline)
  expect((await routesOf(native)).map(({ state }) => state)).toEqual(moved.map(() => 'native'))
  await native.call('close')
  stopAll()

  // The handlers go, of the routes that are native in the store.
  await run('retire', '--entry', 'plain.ts', '--native-in', 'states.json', '--write', '--force')
  await check()
  expect(await besides()).toEqual([])
  expect(await answersOf((await start('plain.ts')).url)).toEqual(baseline)
  const left = readFileSync(file, 'utf8')
  expect(left.match(/native\(/g)).toHaveLength(2)
  expect(left.match(/res\.json/g)).toHaveLength(2)
  commit('retired')
  stopAll()

  // The router of a file becomes a list. Those that functions make stay, and say so.
  const lifted = JSON.parse(await run('lift', '--entry', 'plain.ts', '--write', '--json')) as {
    lists: { name: string; routes: number; mount: string }[]
    routes: { path: string; left?: string }[]
  }
  expect(lifted.lists).toMatchObject([{ name: 'leaves', routes: 2 }])
  expect(lifted.routes.find(({ path }) => path === '/health')!.left).toMatch(/within a function/)
  await check()
  expect(readFileSync(join(project.folder, 'routes/leaves.ts'), 'utf8')).not.toContain('express')
  expect(await answersOf((await start('plain.ts')).url)).toEqual(baseline)
})

const why = { reason: 'the road', by: 'a test' }

const routesOf = async (serving: Serving): Promise<RouteStatus[]> =>
  ((await serving.call('status')) as { routes: RouteStatus[] }).routes

const stateOf = async (serving: Serving, route: string): Promise<string> =>
  (await routesOf(serving)).find((one) => one.route === route)!.state

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let left = 600; left > 0; left--) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('It has not come to that in 30 seconds')
}
