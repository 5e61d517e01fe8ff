// The command `move` as it is without --in-place: native callbacks before the handlers that they replace.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, createCommand, type Ran } from '../run-command.js'
import { createCommittedProject, type MoveProject } from './move-project.js'

jest.setTimeout(300_000)

const withPrettier = (folder: string): Record<string, string> => ({
  [`${folder}/package.json`]: JSON.stringify({
    dependencies: { routecontrollers: '*' },
    devDependencies: { prettier: '*' },
  }),
  [`${folder}/.prettierrc`]: '{ "semi": false, "singleQuote": true }\n',
})

const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    dependencies: { routecontrollers: '*' },
    devDependencies: { typescript: '*' },
  }),
  'server.cjs': `const express = require('express')

const app = express()
const requireUser = (req, res, next) => next()
const show = (db) => (req, res) => res.json(db)
app.get('/teas', (req, res) => res.json(['Assam']))
app.get('/teas/:id', requireUser, (req, res, next) => next())
app.post('/teas', show({ teas: 1 }))
app.get('/mistakes', (req, res) => res.json([]), (error, req, res, next) => res.json('mended'))
const both = app.route('/both')
both.all(requireUser).get((req, res) => res.json([]))
both.post((req, res) => res.json([]))
app
  .route('/after')
  .all((req, res, next) => next())
  .get((req, res) => res.json([]))
if (require.main === module) app.put('/teas/:id', requireUser, show({ one: 1 })).delete('/teas', show({}))
app.listen(3000)
`,
  '.gitignore': '/node_modules\n',
  // As Node-RED keeps its packages.
  'packages/node_modules/teas/index.cjs':
    "module.exports = (app) => {\n  app.get('/teas', (req, res) => res.json([]))\n}\n",
  'own-packages.cjs': `const app = require('express')()
require('./packages/node_modules/teas/index.cjs')(app)
app.listen(3000)
`,
  'spread.cjs': `const app = require('express')()
const handlers = [(req, res) => res.json([])]
app.get('/a', ...handlers)
app.get('/b', [(req, res, next) => next(), [(req, res) => res.json([])]])
for (const path of ['/c', '/d']) app.get(path, (req, res) => res.json({ path }))
for (const method of ['get', 'put']) app[method]('/e', (req, res) => res.json([]))
app.listen(3000)
`,
  'as-is.cjs': `const app = require('express')()
const { native, fromExpress } = require('routecontrollers/express')
const { Controller, RouteControllers } = require('routecontrollers')
const { expressPath, fromApp } = require('routecontrollers/express')
app.get('/a', native(fromExpress((req, res) => res.send('a'))), (req, res) => res.send('a'))
app.post('/b', native(fromExpress((req, res) => res.send('b'))))
app.get('/c', native(fromExpress((req, res) => res.jsonp('c'))), (req, res) => res.jsonp('c'))
app.get('/d', (req, res) => res.send('d'))
app.use(new RouteControllers([
  new Controller('GET', expressPath('/e/:id'), fromExpress((req, res) => res.json({ id: req.params.id }))),
  new Controller('GET', expressPath('/f{/:id}'), fromExpress((req, res) => res.send('f'))),
], { profile: fromApp(app) }).middleware())
app.listen(3000)
`,
  'guarded.cjs': `const app = require('express')()
const { Controller, RouteControllers } = require('routecontrollers')
const { fromApp, fromExpress } = require('routecontrollers/express')
const requireUser = (req, res, next) => next()
app.use(new RouteControllers([
  new Controller('GET', '/g', fromExpress(requireUser, (req, res) => res.json([]))),
], { profile: fromApp(app) }).middleware())
app.listen(3000)
`,
  'all-as-is.cjs': `const app = require('express')()
const { native, fromExpress } = require('routecontrollers/express')
app.get('/a', native(fromExpress((req, res) => res.send('a'))), (req, res) => res.send('a'))
app.listen(3000)
`,
  'own-types.ts': `import express, { type Request, type Response } from 'express'
import { fromExpress, native } from 'routecontrollers/express'
interface Known extends Request { user?: string }
const app = express()
const guard = (req, res, next) => next()
app.get('/a/:id', native<'/a/:id'>(fromExpress((req: Request, res: Response) => { res.json({ ip: req.ip }) })))
app.get('/b', guard, native(fromExpress((req: Known, res: Response) => { res.json({ user: req.user }) })))
app.route('/c').get(native<object>(fromExpress((req: Known, res: Response) => { res.json([]) })))
app.get('/d/:id', native<'/d/:id'>(fromExpress((req, res) => { res.json(req.params) })))
app.get('/e', native<object>(fromExpress<object>((req, res) => { res.json([]) })))
app.get('/f', native<object, Known>(fromExpress((req, res) => { res.json([]) })))
app.listen(3000)
`,
  ...Object.fromEntries(
    ['express4', 'express'].map((name) => [
      `${name}.cjs`,
      `const app = require('${name}')()
const find = async (id) => ({ id })
app.get('/a/:id', async (req, res) => res.json(await find(req.params.id)))
app.get('/b', async (req, res) => { try { res.json(await find('b')) } catch (error) { res.status(500).json({}) } })
app.get('/c', (req, res) => res.json([]))
app.get('/d', async (req, res) => res.render('d', await find('d')))
app.listen(3000)
`,
    ]),
  ),
  // A formatter is a process for each file, so few folders have one.
  ...withPrettier('formatted'),
  ...withPrettier('typed'),
  'formatted/app.cjs': `const app = require('express')()
app.get('/tea', (req, res) => {
  res.json(['Assam', 'Keemun', 'Sencha', 'Gyokuro'])
})
app.listen(3000)
`,
  'commented.cjs': `/**
 * The teas
 * @module teas
 * @returns nothing
 */
const app = require('express')();
const show = (db) => (req, res) => res.json(db);
/**
 * Adds a tea
 * @param name its name
 * @param year its year
 * @returns the tea (and its year)
 */
app.post('/teas', show({ teas: 1 }));
app.listen(3000);
`,
  'typed/tsconfig.json': JSON.stringify({
    compilerOptions: {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      skipLibCheck: true,
      types: [],
      target: 'es2022',
      noUncheckedIndexedAccess: true,
    },
    include: ['*.ts'],
  }),
  'typed/modules.d.ts': `declare module 'express' {
  interface Handler { (req: { params: any }, res: { json(value: unknown): void }): void }
  export default function express(): { get(path: string, ...handlers: Handler[]): void; listen(port: number): void }
}
declare module 'routecontrollers/express' {
  export function native<P extends string>(
    callback: (req: { params: { id: string } }, res: { json(value: unknown): object }) => object,
    options?: object,
  ): (req: any, res: any) => void
  export function fromExpress(handler: (req: any, res: any) => void): () => object
}
`,
  'typed/server.ts': `import express from 'express'

const app = express()
const wrong: string = 1
app.get('/a/:id', (req, res) => res.json({ id: req.params.id }))
app.get('/b/:id', (req, res) => {
  const { id, other } = req.params
  res.json({ id, other })
})
app.listen(3000)
`,
  'declared/tsconfig.json': JSON.stringify({
    compilerOptions: {
      noEmit: true,
      module: 'nodenext',
      types: [],
      target: 'es2022',
      lib: ['es2022'],
      paths: { 'routecontrollers/express': ['./node_modules/form/express.d.ts'] },
    },
    include: ['*.ts'],
  }),
  'declared/modules.d.ts': "declare module 'express' { export default function express(): any }\n",
  'declared/node_modules/form/express.d.ts':
    'export function native(callback: (req: any, res: any) => unknown): any\nexport const form: FormData\n',
  'declared/server.ts': `import express from 'express'

const app = express()
app.get('/a', (req, res) => res.json([]))
app.listen(3000)
`,
  'scripts/tsconfig.json': JSON.stringify({
    compilerOptions: {
      checkJs: true,
      strict: true,
      noEmit: true,
      module: 'nodenext',
      skipLibCheck: true,
      types: [],
      target: 'es2022',
    },
    include: ['*.mjs', '*.d.ts'],
  }),
  'scripts/modules.d.ts': `declare module 'express' {
  interface Settings { get(name: string): any }
  export interface Response { locals: any; app: Settings; json(value: unknown): void }
  export interface Request<Params = any, Body = any> { params: Params; body: Body; ip: string; app: Settings; res?: Response }
  interface Handler { (req: Request, res: Response, next: () => void): void }
  interface App { get(path: string, ...handlers: Handler[]): void; post(path: string, ...handlers: Handler[]): void; listen(port: number): void }
  export default function express(): App
}
declare module 'routecontrollers/express' {
  type Answer = object | Promise<object>
  export function native<Extra extends object = {}>(
    callback: (req: { params: { id: string }; body: unknown } & Extra, res: { json(value: unknown): object }) => Answer,
    options?: object,
  ): (req: any, res: any) => void
  export function fromExpress(handler: (req: any, res: any, next: any) => void): () => object
}
`,
  'scripts/server.mjs': `import express from 'express'

/** @typedef {{ tea: string }} Tea */
const app = express()
app.get('/id/:id', (req, res) => res.json(req.params.id))
app.post('/body', (req, res) => {
  const { tea } = req.body
  res.json({ tea })
})
app.get('/locals', (req, res) => res.json(res.locals.user))
app.get('/tea', (req, res) => res.json({ tea: res.app.get('tea') }))
app.get('/other/:id', (req, res) => res.json(req.params.other))
/**
 * @param {import('express').Request<{}, Tea>} req
 * @param {import('express').Response} res
 */
function add(req, res) {
  res.json({ tea: req.body.tea })
}
app.post('/add', add)
app.post('/any', (/** @type {any} */ req, /** @type {any} */ res) => res.json(req.anything))
app.listen(3000)
`,
  'scripts/unchecked.mjs': `// @ts-nocheck
import express from 'express'
const app = express()
app.post('/body', (req, res) => res.json({ tea: req.body.tea }))
app.listen(3000)
`,
}

let command: Command
let project: MoveProject
beforeAll(() => {
  command = createCommand()
  project = createCommittedProject(files, ['prettier', 'typescript'])
})
afterAll(() => {
  command.remove()
  project.remove()
})
afterEach(() => project.git('checkout', '-q', '.'))

const move = (entry: string, ...parameters: string[]): Promise<Ran> =>
  command.run('move', '--entry', entry, '--cwd', project.folder, '--settle-ms', '50', ...parameters)
const textOf = (name: string): string => readFileSync(join(project.folder, name), 'utf8')
/** The lines that were taken away and added. */
const changes = (stdout: string): string =>
  stdout
    .split('\n')
    .filter((line) => /^[-+]/.test(line))
    .join('\n')

it('takes a file of a folder node_modules where it is named, and the repository has it', async () => {
  const file = 'packages/node_modules/teas/index.cjs'
  expect((await move('own-packages.cjs')).stdout).toMatch(
    'left       1  its file is below a folder node_modules: name the file, where it is your own',
  )
  const { code, stdout } = await move('own-packages.cjs', file)
  expect({ code, stdout: changes(stdout) }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\+.*native\(/m),
  })
  project.git('rm', '-q', '--cached', file)
  try {
    expect((await move('own-packages.cjs', file)).stdout).toMatch('left       1  a package registers it')
  } finally {
    project.git('reset', '-q')
  }
})

describe('The commands that come next', () => {
  const say = (command_: string, entry: string, ...more: string[]): Promise<Ran> =>
    command.run(command_, ...more, entry, '--cwd', project.folder, '--settle-ms', '50')

  it('do not move what a package registers', async () => {
    project.git('rm', '-q', '--cached', 'packages/node_modules/teas/index.cjs')
    try {
      const told = (await say('status', 'own-packages.cjs')).stdout
      expect(told).toMatch(/GET \/teas +legacy .* a package registers it: it stays a route of Express\n/)
      const brief = JSON.parse((await say('brief', 'own-packages.cjs', 'GET /teas', '--json')).stdout)
      expect(brief).toMatchObject({ left: { reason: 'a package registers it' } })
      expect(brief.commands).toEqual([expect.stringMatching(/^routecontrollers prove /)])
      const { code, stdout } = await say('prove', 'own-packages.cjs', 'GET /teas', '--json')
      const { missing } = JSON.parse(stdout) as { missing: { code: string; remedy: string }[] }
      expect([code, missing.map((one) => one.code)]).toEqual([3, ['no-lock', 'of-package']])
      expect(missing[1]!.remedy).toBe('name the routes of your own files')
    } finally {
      project.git('reset', '-q')
    }
  })

  it('tell of Controllers that run handlers of Express', async () => {
    const told = (await say('status', 'as-is.cjs')).stdout
    expect(told).toMatch(/GET \/e\/:id +as-is .* routecontrollers brief 'GET \/e\/:id'\n/)
    expect(told).toContain(', 2 as-is')
    const { left, template, commands } = JSON.parse(
      (await say('brief', 'as-is.cjs', 'GET /e/:id', '--json')).stdout,
    )
    expect(left).toBeUndefined()
    expect(template).toBe(`// In the Controller that answers already, in the place of fromExpress(…):

(req, res) => res.json({ id: req.params.id }),`)
    expect(commands[0]).toContain("move --native 'GET /e/:id' --write")
    // A callback in the place of both would lose the guard.
    const guarded = JSON.parse((await say('brief', 'guarded.cjs', 'GET /g', '--json')).stdout)
    expect(guarded).toMatchObject({
      template: '// A Controller answers already.',
      left: {
        reason: 'it has more handlers than one',
        remedy: 'leave it to Express, where its guards stand in the same call',
      },
    })
    const lifted = (await command.run('lift', '--entry', 'as-is.cjs', '--cwd', project.folder)).stdout
    expect(lifted).toMatch(/as-is\.cjs: .*2 Controllers with a handler of Express\n/)
  })
})

it('writes a native callback where it surely answers alike, and tells why not elsewhere', async () => {
  const { code, stdout } = await move('server.cjs')
  expect(code).toBe(0)
  expect(stdout).toMatchInlineSnapshot(`
   "--- server.cjs
   +++ server.cjs
   @@ -1,18 +1,19 @@
    const express = require('express')
   +const { native } = require('routecontrollers/express')

    const app = express()
    const requireUser = (req, res, next) => next()
    const show = (db) => (req, res) => res.json(db)
   -app.get('/teas', (req, res) => res.json(['Assam']))
   +app.get('/teas', native((req, res) => res.json(['Assam'])), (req, res) => res.json(['Assam']))
    app.get('/teas/:id', requireUser, (req, res, next) => next())
    app.post('/teas', show({ teas: 1 }))
   -app.get('/mistakes', (req, res) => res.json([]), (error, req, res, next) => res.json('mended'))
   +app.get('/mistakes', native((req, res) => res.json([])), (req, res) => res.json([]), (error, req, res, next) => res.json('mended'))
    const both = app.route('/both')
   -both.all(requireUser).get((req, res) => res.json([]))
   -both.post((req, res) => res.json([]))
   +both.all(requireUser).get(native((req, res) => res.json([])), (req, res) => res.json([]))
   +both.post(native((req, res) => res.json([]), { body: 'stream' }), (req, res) => res.json([]))
    app
      .route('/after')
      .all((req, res, next) => next())
   -  .get((req, res) => res.json([]))
   +  .get(native((req, res) => res.json([])), (req, res) => res.json([]))
    if (require.main === module) app.put('/teas/:id', requireUser, show({ one: 1 })).delete('/teas', show({}))
    app.listen(3000)

   beside     5  server.cjs
                 { body: 'stream' } leaves the body to the app's own parser, or unread
   left       3  it is made by a call of show, which does more than to give errors to next: write what it makes into the route, as a function
                 POST /teas  server.cjs:8
                 PUT /teas/:id  server.cjs:17
                 DELETE /teas  server.cjs:17
   left       2  other handlers of its route follow it
                 * /both  server.cjs:11
                 * /after  server.cjs:15
   left       1  there is a path on which it does not answer: answer on each path, or throw
                 GET /teas/:id  server.cjs:7
   11 routes: 5 beside, 6 left
   By hand: routecontrollers brief 'GET /teas/:id' has what you need to write it.
   Nothing is written: --write writes it.
   "
  `)
  expect(textOf('server.cjs')).toBe(files['server.cjs'])
})

it.each([
  ['express4', 2],
  ['express', 0],
])('counts the async handlers that never answer where they reject: of %s %d', async (name, count) => {
  const { stdout } = await move(`${name}.cjs`, '--as-is')
  const told = /^async.*$/m.exec(stdout)?.[0]
  const line = 'of these answer an error, as 500, where they reject: Express 4 never answers then'
  expect(told).toBe(count === 0 ? undefined : `async      2  ${line}`)
  const { routes } = JSON.parse((await move(`${name}.cjs`, '--as-is', '--json')).stdout) as {
    routes: { path: string; answersRejections?: number }[]
  }
  const paths = routes.filter((one) => one.answersRejections === 4).map(({ path }) => path)
  expect(paths).toEqual(count === 0 ? [] : ['/a/:id', '/d'])
})

it('takes a path for the routes of all methods, where no such file is there', async () => {
  const { code, stdout } = await move('server.cjs', '/both')
  expect(code).toBe(0)
  expect(stdout).toMatch(/beside +2 {2}server\.cjs\n/)
  // As an option has it.
  expect((await move('server.cjs', '--routes', '/both')).stdout).toBe(stdout)
})

it('writes the others as they are with --as-is, and calls nothing twice', async () => {
  const { code, stdout } = await move('server.cjs', '--as-is', '--write', '--force')
  expect(changes(stdout)).toMatchInlineSnapshot(`
   "--- server.cjs
   +++ server.cjs
   +const { fromExpress, native } = require('routecontrollers/express')
   -app.get('/teas', (req, res) => res.json(['Assam']))
   -app.get('/teas/:id', requireUser, (req, res, next) => next())
   -app.post('/teas', show({ teas: 1 }))
   -app.get('/mistakes', (req, res) => res.json([]), (error, req, res, next) => res.json('mended'))
   +app.get('/teas', native((req, res) => res.json(['Assam'])), (req, res) => res.json(['Assam']))
   +app.get('/teas/:id', requireUser,
   +  native(fromExpress((req, res, next) => next())),
   +  (req, res, next) => next())
   +const postTeas = show({ teas: 1 })
   +app.post('/teas', native(fromExpress(postTeas)), postTeas)
   +app.get('/mistakes', native((req, res) => res.json([])), (req, res) => res.json([]), (error, req, res, next) => res.json('mended'))
   -both.all(requireUser).get((req, res) => res.json([]))
   -both.post((req, res) => res.json([]))
   +both.all(requireUser).get(native((req, res) => res.json([])), (req, res) => res.json([]))
   +both.post(native((req, res) => res.json([]), { body: 'stream' }), (req, res) => res.json([]))
   -  .get((req, res) => res.json([]))
   +  .get(native((req, res) => res.json([])), (req, res) => res.json([]))"
  `)
  expect(stdout).toMatch(/nothing is lost\nWritten: server.cjs\n$/)
  expect(code).toBe(0)
  const again = await move('server.cjs', '--as-is', '--json')
  const { files } = JSON.parse(again.stdout) as { files: string[] }
  expect(files).toEqual([])
})

it('takes lists apart, and leaves what is spread or computed', async () => {
  const { stdout } = await move('spread.cjs')
  expect(stdout).toMatchInlineSnapshot(`
   "--- spread.cjs
   +++ spread.cjs
   @@ -1,7 +1,12 @@
    const app = require('express')()
   +const { native } = require('routecontrollers/express')
    const handlers = [(req, res) => res.json([])]
    app.get('/a', ...handlers)
   -app.get('/b', [(req, res, next) => next(), [(req, res) => res.json([])]])
   -for (const path of ['/c', '/d']) app.get(path, (req, res) => res.json({ path }))
   +app.get('/b', [(req, res, next) => next(), [
   +  native((req, res) => res.json([])),
   +  (req, res) => res.json([])]])
   +for (const path of ['/c', '/d']) app.get(path,
   +  native((req, res) => res.json({ path })),
   +  (req, res) => res.json({ path }))
    for (const method of ['get', 'put']) app[method]('/e', (req, res) => res.json([]))
    app.listen(3000)

   beside     3  spread.cjs
   left       2  it is registered by a call that names no method, as app[method](…)
                 GET /e  spread.cjs:6
                 PUT /e  spread.cjs:6
   left       1  its handlers are a list that is made elsewhere
                 GET /a  spread.cjs:3
   6 routes: 3 beside, 3 left
   Nothing is written: --write writes it.
   "
  `)
})

it('takes routes by their names, and says which others their calls make', async () => {
  const { stdout } = await move('spread.cjs', 'GET /c', '--json')
  const { routes } = JSON.parse(stdout) as { routes: { path: string; left?: string; chosen?: boolean }[] }
  expect(routes.filter(({ left }) => left === undefined).map(({ path, chosen }) => [path, chosen])).toEqual([
    ['/c', undefined],
    ['/d', false],
  ])
})

it('makes native callbacks of what was written as it was, and drops imports that nothing uses then', async () => {
  const { code, stdout } = await move('as-is.cjs', '--native', '--write')
  expect(stdout).toMatchInlineSnapshot(`
   "--- as-is.cjs
   +++ as-is.cjs
   @@ -3,11 +3,11 @@
    const { Controller, RouteControllers } = require('routecontrollers')
    const { expressPath, fromApp } = require('routecontrollers/express')
   -app.get('/a', native(fromExpress((req, res) => res.send('a'))), (req, res) => res.send('a'))
   -app.post('/b', native(fromExpress((req, res) => res.send('b'))))
   +app.get('/a', native((req, res) => res.html('a')), (req, res) => res.send('a'))
   +app.post('/b', native((req, res) => res.html('b'), { body: 'stream' }))
    app.get('/c', native(fromExpress((req, res) => res.jsonp('c'))), (req, res) => res.jsonp('c'))
    app.get('/d', (req, res) => res.send('d'))
    app.use(new RouteControllers([
   -  new Controller('GET', expressPath('/e/:id'), fromExpress((req, res) => res.json({ id: req.params.id }))),
   -  new Controller('GET', expressPath('/f{/:id}'), fromExpress((req, res) => res.send('f'))),
   +  new Controller('GET', '/e/:id', (req, res) => res.json({ id: req.params.id })),
   +  new Controller('GET', expressPath('/f{/:id}'), (req, res) => res.html('f')),
    ], { profile: fromApp(app) }).middleware())
    app.listen(3000)

   native     4  as-is.cjs
                 { body: 'stream' } leaves the body to the app's own parser, or unread
   left       1  res.jsonp means something else natively, or is not there: write by hand what brief lists for that member
                 GET /c  as-is.cjs:7
   left       1  nothing was written for it: move without --native
                 GET /d  as-is.cjs:8
   6 routes: 4 native, 2 left
   By hand: routecontrollers brief 'GET /c' has what you need to write it.
   To prove it: routecontrollers prove '/**'
   ✓ 6 routes checked: nothing is lost
   Written: as-is.cjs
   "
  `)
  expect(code).toBe(0)
  project.git('checkout', '-q', '.')
  const all = await move('all-as-is.cjs', '--native')
  expect(changes(all.stdout)).toContain("+const { native } = require('routecontrollers/express')\n")
})

it('takes up the types that handlers have given their requests', async () => {
  const { stdout } = await move('own-types.ts', '--native')
  expect(changes(stdout)).toMatchInlineSnapshot(`
   "--- own-types.ts
   +++ own-types.ts
   -app.get('/a/:id', native<'/a/:id'>(fromExpress((req: Request, res: Response) => { res.json({ ip: req.ip }) })))
   -app.get('/b', guard, native(fromExpress((req: Known, res: Response) => { res.json({ user: req.user }) })))
   -app.route('/c').get(native<object>(fromExpress((req: Known, res: Response) => { res.json([]) })))
   -app.get('/d/:id', native<'/d/:id'>(fromExpress((req, res) => { res.json(req.params) })))
   +app.get('/a/:id', native<'/a/:id', Request>((req, res) => { return res.json({ ip: req.ip }) }))
   +app.get('/b', guard, native<'/b', Known>((req, res) => { return res.json({ user: req.user }) }))
   +app.route('/c').get(native<object, Known>((req, res) => { return res.json([]) }))
   +app.get('/d/:id', native<'/d/:id'>((req, res) => { return res.json(req.params) }))"
  `)
  expect(stdout.slice(stdout.indexOf('\nnative '))).toMatchInlineSnapshot(`
   "
   native     4  own-types.ts
   left       2  its call has type parameters: give them to the handler: (req: Request<{ id: string }>, res: Response)
                 GET /e  own-types.ts:10
                 GET /f  own-types.ts:11
   6 routes: 4 native, 2 left
   By hand: routecontrollers brief 'GET /e' has what you need to write it.
   Nothing is written: --write writes it.
   "
  `)
})

it('formats what it writes as the project does, in files that were formatted before', async () => {
  const { stdout, stderr } = await move('formatted/app.cjs')
  expect(changes(stdout)).toMatchInlineSnapshot(`
   "--- formatted/app.cjs
   +++ formatted/app.cjs
   -app.get('/tea', (req, res) => {
   -  res.json(['Assam', 'Keemun', 'Sencha', 'Gyokuro'])
   -})
   +const { native } = require('routecontrollers/express')
   +app.get(
   +  '/tea',
   +  native((req, res) => {
   +    return res.json(['Assam', 'Keemun', 'Sencha', 'Gyokuro'])
   +  }),
   +  (req, res) => {
   +    res.json(['Assam', 'Keemun', 'Sencha', 'Gyokuro'])
   +  },
   +)"
  `)
  expect(stderr).toContain('routecontrollers: What is written is formatted by prettier.\n')
  writeFileSync(
    join(project.folder, 'formatted/app.cjs'),
    files['formatted/app.cjs']!.replace("'/tea', ", "'/tea',"),
  )
  const other = await move('formatted/app.cjs')
  expect(other.stdout).toContain("+app.get('/tea',native((req, res) => {\n")
  expect(other.stderr).not.toContain('is formatted by')
  expect(other.stderr).toContain(
    'routecontrollers: Not formatted by prettier, because its other lines would change too: formatted/app.cjs\n',
  )
})

it('ends what it writes as the statements of a file end, whatever its comments are', async () => {
  const { stdout } = await move('commented.cjs', '--as-is')
  expect(stdout).toContain("+const { fromExpress, native } = require('routecontrollers/express');\n")
  expect(stdout).toContain('+const postTeas = show({ teas: 1 });\n')
})

it('leaves the call that does not compile, and writes the others; what was wrong before does not count', async () => {
  const { stdout, stderr, code } = await move('typed/server.ts', '--write')
  expect(stderr).toContain('routecontrollers: Compiling typed/tsconfig.json\n')
  expect(stdout).toMatchInlineSnapshot(`
   "--- typed/server.ts
   +++ typed/server.ts
   @@ -1,7 +1,12 @@
    import express from 'express'
   +import { native } from 'routecontrollers/express'

    const app = express()
    const wrong: string = 1
   -app.get('/a/:id', (req, res) => res.json({ id: req.params.id }))
   +app.get(
   +  '/a/:id',
   +  native<'/a/:id'>((req, res) => res.json({ id: req.params.id })),
   +  (req, res) => res.json({ id: req.params.id }),
   +)
    app.get('/b/:id', (req, res) => {
      const { id, other } = req.params

   beside     1  typed/server.ts
   left       1  its types do not fit: TS2339: Property 'other' does not exist on type '{ id: string; }'.
                 GET /b/:id  typed/server.ts:6
   2 routes: 1 beside, 1 left
   The callbacks answer now. Under migration({ app }) the handlers do, until you switch a route.
   To prove it: routecontrollers prove 'GET /a/:id'
   ✓ 2 routes checked: nothing is lost
   Written: typed/server.ts
   "
  `)
  expect(code).toBe(0)
  project.git('checkout', '-q', '.')
  const asIs = await move('typed/server.ts', '--as-is', '--write')
  expect(changes(asIs.stdout)).toContain("+  native<'/b/:id'>(\n+    fromExpress((req, res) => {")
})

it('writes what the types of a checked file in JavaScript lack in a comment, and leaves the call that does not compile', async () => {
  const { stdout, stderr, code } = await move('scripts/server.mjs', '--write')
  expect(stderr).toContain('routecontrollers: Compiling scripts/tsconfig.json\n')
  expect(changes(stdout)).toMatchInlineSnapshot(`
   "--- scripts/server.mjs
   +++ scripts/server.mjs
   +import { native } from 'routecontrollers/express'
   -app.get('/id/:id', (req, res) => res.json(req.params.id))
   -app.post('/body', (req, res) => {
   +app.get('/id/:id',
   +  native((req, res) => res.json(req.params.id)),
   +  (req, res) => res.json(req.params.id))
   +app.post('/body', native((/** @type {import('express').Request} */ req, res) => {
   +  return res.json({ tea })
   +}, { body: 'stream' }), (req, res) => {
   +  const { tea } = req.body
   -app.get('/locals', (req, res) => res.json(res.locals.user))
   -app.get('/tea', (req, res) => res.json({ tea: res.app.get('tea') }))
   +app.get('/locals',
   +  native((/** @type {import('express').Request & { res: import('express').Response }} */ req, res) => res.json(req.res.locals.user)),
   +  (req, res) => res.json(res.locals.user))
   +app.get('/tea',
   +  native((/** @type {import('express').Request} */ req, res) => res.json({ tea: req.app.get('tea') })),
   +  (req, res) => res.json({ tea: res.app.get('tea') }))
   -app.post('/add', add)
   -app.post('/any', (/** @type {any} */ req, /** @type {any} */ res) => res.json(req.anything))
   +app.post('/add', native(function add(/** @type {import('express').Request<{}, Tea>} */ req, res) {
   +  return res.json({ tea: req.body.tea })
   +}, { body: 'stream' }), add)
   +app.post('/any',
   +  native((/** @type {any} */ req, res) => res.json(req.anything), { body: 'stream' }),
   +  (/** @type {any} */ req, /** @type {any} */ res) => res.json(req.anything))"
  `)
  expect(stdout.slice(stdout.indexOf('\nbeside '))).toMatchInlineSnapshot(`
   "
   beside     6  scripts/server.mjs
                 { body: 'stream' } leaves the body to the app's own parser, or unread
   left       1  its types do not fit: TS2339: Property 'other' does not exist on type '{ id: string; }'.
                 GET /other/:id  scripts/server.mjs:12
   7 routes: 6 beside, 1 left
   The callbacks answer now. Under migration({ app }) the handlers do, until you switch a route.
   To prove it: routecontrollers prove '/**'
   ✓ 7 routes checked: nothing is lost
   Written: scripts/server.mjs
   "
  `)
  expect(code).toBe(0)
  project.git('checkout', '-q', '.')
  const unchecked = await move('scripts/unchecked.mjs', '--write')
  expect(changes(unchecked.stdout)).toContain('native((req, res) => res.json({ tea: req.body.tea })')
  expect(unchecked.stderr).not.toContain('Compiling')
})

it('says what helps where the declarations of a package do not compile', async () => {
  const { stderr, code } = await move('declared/server.ts', '--write')
  expect(stderr).toContain(
    "What was written does not compile: declared/node_modules/form/express.d.ts: TS2304: Cannot find name 'FormData'. Declarations of packages need skipLibCheck in tsconfig.json, or npm install --save-dev typescript@5 @types/node@20",
  )
  expect(code).toBe(1)
})
