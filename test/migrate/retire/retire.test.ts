// The command `retire`: what it deletes and what it leaves; all that is left answers as before.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteStatus } from '@routecontrollers/switch'
import { itSlow, slowRows } from '../../support/counts.js'
import { ask, serve, stopServers } from '../move/answers.js'
import { createCommittedProject, type MoveProject } from '../move/move-project.js'
import { type Command, createCommand, type Ran } from '../run-command.js'

jest.setTimeout(300_000)

const listening = 'const server = app.listen(0, () => console.log(server.address().port))\n'
const files: Readonly<Record<string, string>> = {
  'package.json': '{ "dependencies": { "routecontrollers": "*" } }\n',
  'common.cjs': `'use strict'
const express = require('express')
const { readFileSync, statSync } = require('fs')
const { native, fromExpress } = require('routecontrollers/express')
const path = require('path')
require('events')

const app = express()
const requireUser = (req, res, next) => (req.get('x-user') ? next() : res.sendStatus(401))

/** How long the file is. */
const lengthOf = (name) => readFileSync(name).length
// Not of the function below.

// What the old code answers.
function old(req, res) {
  res.json({ length: lengthOf(path.resolve(__filename)), teas })
}
const teas = ['Assam'], cups = 1
const shared = (name) => name.toUpperCase()
const made = express.Router()

app.get('/old', requireUser, native((req, res) => res.json({ by: 'new' })), old)
app.get(
  '/lines',
  requireUser,
  native((req, res) => res.json({ by: shared('new') })), // the new one
  // what it replaces
  (req, res) => {
    res.json({ by: shared('old'), size: statSync(__filename).size })
  }, // until May
)
app.route('/both')
  .get([requireUser, native(() => ({ by: 'get' })), (req, res) => res.json('old')])
  .post(native(() => ({ by: 'post' })), (req, res) => res.json('old'), (error, req, res, next) => res.json('mended'))
for (const at of ['/c', '/d']) app.get(at, native(() => ({ by: at })), (req, res) => res.json('old ' + at))
app.get('/as-is', native(fromExpress((req, res) => res.json('as it is'))), (req, res) => res.json('as it is'))
app.get('/done', native(() => 'done'))
const wrap = (handler) => (req, res) => handler(req, res)
const getMadeOnce = wrap((req, res) => res.json('old'))
app.get('/made-once', native(() => ({ by: 'once' })), getMadeOnce)
const byHand = wrap((req, res) => res.json('old'))
app.get('/by-hand', native(() => ({ by: 'hand' })), byHand)
app.get('/legacy', (req, res) => res.json('legacy'))
made.get('/x', native(() => ({ by: 'x' })), (req, res) => res.json('old'))
app.use('/made', made)
${listening}`,
  'module.mjs': `#!/usr/bin/env node
import express, { Router } from 'express'
import { stat, readFile as read } from 'node:fs/promises'
import * as rc from 'routecontrollers/express'
import os from 'node:os'

export const helper = () => os.cpus()
const unused = 1
const app = express()
const router = Router()
router.get('/:id', rc.native((req, res) => res.json({ id: req.params.id })), async (req, res) => {
  await stat('.')
  res.json({ id: await read(req.params.id), helper, unused })
})
app.use('/teas', router)
${listening}`,
  'left.cjs': `const app = require('express')()
const { native } = require('routecontrollers/express')
const ready = native(() => 'ready')
const old = [(req, res) => res.json('old')]
app.get('/named', ready, (req, res) => res.json('old'))
app.get('/two', native(() => '1'), native(() => '2'), (req, res) => res.json('old'))
app.get('/spread', native(() => '1'), ...old)
app.get('/later', native(() => '1'), (req, res) => res.json('old'))
const route = app.route('/calls')
route.get(native(() => '1'))
route.get((req, res) => res.json('old'))
app.get('/lists', [native(() => '1')], [(req, res) => res.json('old')])
app.get('/pair', native(() => '1'), [(req, res, next) => next(), ...old])
for (const method of ['get', 'put']) app[method]('/loop', native(() => '1'), (req, res) => res.json('old'))
${listening}`,
  'typed.ts': `import express, { type Request } from 'express'
import { native } from 'routecontrollers/express'

interface Tea {
  name: string
}
type Teas = Tea[]
const app = express()
const teas = (req: Request): Teas => [{ name: req.path }]
app.get('/teas', native((_req, res) => res.json([])), (req, res) => void res.json(teas(req)))
${listening.replace('server.address().port', '(server.address() as { port: number }).port')}`,
  'teas.cjs': `exports.Teas = class Teas {
  show(req, res) {
    res.json('old')
  }
}
exports.list = (req, res) => res.json('old')
`,
  'stays.cjs': `const express = require('express')
const { native } = require('routecontrollers/express')
const { Teas, list } = require('./teas.cjs')
const teas = new Teas()
const show = teas.show.bind(teas)
const app = express()
app.get('/list', native(() => 'list'), list)
app.get('/show', native(() => 'show'), teas.show)
app.get('/again', native(() => 'again'), teas.show.bind(teas))
app.get('/bound', native(() => 'bound'), show)
const later = (handler) => (req, res, next) => Promise.resolve(handler(req, res)).catch(next)
app.get('/later', native(() => 'later'), later(list))
app.get('/here', native(() => 'here'), (req, res) => res.json('old'))
${listening}`,
  'model.js': "process.emit('model')\nexports.teas = []\n",
  'old.js': "const { teas } = require('./model.js')\nexports.show = (req, res) => res.json(teas)\n",
  'loads.js': `const express = require('express')
const { native } = require('routecontrollers/express')
const { show } = require('./old.js')
const app = express()
app.get('/a', native(() => 'a'), show)
${listening}`,
  'model.mjs': "process.emit('model')\nexport const teas = []\n",
  'old.mjs': "import { teas } from './model.mjs'\nexport const show = (req, res) => res.json(teas)\n",
  'loads.mjs': `import express from 'express'
import { native } from 'routecontrollers/express'
import { show } from './old.mjs'
const app = express()
app.get('/a', native(() => 'a'), show)
${listening}`,
  'fails.cjs': `const express = require('express')
const app = express()
const { native } = require('routecontrollers/express')
app.get('/a', native(() => 'a'), (req, res) => res.json('old'))
if (!require('fs').readFileSync(__filename, 'utf8').includes("'ol" + "d'")) throw new Error('it is needed')
${listening}`,
}

let command: Command
let project: MoveProject
beforeAll(() => {
  command = createCommand()
  project = createCommittedProject(files)
})
afterAll(() => {
  stopServers()
  command.remove()
  project.remove()
})
afterEach(() => project.git('checkout', '-q', '.'))

const retire = (entry: string, ...parameters: string[]): Promise<Ran> =>
  command.run('retire', '--entry', entry, '--cwd', project.folder, '--settle-ms', '50', ...parameters)
const textOf = (name: string): string => readFileSync(join(project.folder, name), 'utf8')

it('deletes old handlers, and what only they have used', async () => {
  const { code, stdout } = await retire('common.cjs', '/**')
  expect([code, /^retired .*/m.exec(stdout)?.[0]]).toEqual([0, 'retired   10  common.cjs'])
  const ran = await retire('common.cjs', '--routes', '/**', '--write')
  expect(ran.stdout.slice(ran.stdout.indexOf('\nretired') + 1)).toMatchInlineSnapshot(`
   "retired   10  common.cjs
   as-is      1  still runs a handler of Express: rewrite it, or move --native
                 GET /as-is  common.cjs:37
   left       1  its handler is gone already
                 GET /done  common.cjs:38
   left       1  no native callback stands before its handler
                 GET /legacy  common.cjs:44
   12 routes: 10 retired, 2 left
   At legacy nothing answers these routes any more: their state must be native wherever this runs.
   ✓ 12 routes checked: nothing is lost
   Written: common.cjs
   "
  `)
  expect(textOf('common.cjs')).toMatchInlineSnapshot(`
   "'use strict'
   const express = require('express')
   const { native, fromExpress } = require('routecontrollers/express')
   require('events')

   const app = express()
   const requireUser = (req, res, next) => (req.get('x-user') ? next() : res.sendStatus(401))

   // Not of the function below.

   const teas = ['Assam'], cups = 1
   const shared = (name) => name.toUpperCase()
   const made = express.Router()

   app.get('/old', requireUser, native((req, res) => res.json({ by: 'new' })))
   app.get(
     '/lines',
     requireUser,
     native((req, res) => res.json({ by: shared('new') })), // the new one
   )
   app.route('/both')
     .get([requireUser, native(() => ({ by: 'get' }))])
     .post(native(() => ({ by: 'post' })), (error, req, res, next) => res.json('mended'))
   for (const at of ['/c', '/d']) app.get(at, native(() => ({ by: at })))
   app.get('/as-is', native(fromExpress((req, res) => res.json('as it is'))))
   app.get('/done', native(() => 'done'))
   const wrap = (handler) => (req, res) => handler(req, res)
   app.get('/made-once', native(() => ({ by: 'once' })))
   const byHand = wrap((req, res) => res.json('old'))
   app.get('/by-hand', native(() => ({ by: 'hand' })))
   app.get('/legacy', (req, res) => res.json('legacy'))
   made.get('/x', native(() => ({ by: 'x' })))
   app.use('/made', made)
   const server = app.listen(0, () => console.log(server.address().port))
   "
  `)
  expect(ran.code).toBe(0)
})

it('names the handlers that stay where they are written, and deletes what only binds them', async () => {
  const { code, stdout } = await retire('stays.cjs', '/**', '--write')
  expect(code).toBe(0)
  expect(stdout).toContain(`6 routes: 6 retired, 0 left
What stays, because retire deletes no method of a class or an object, and nothing in another file:
              list  teas.cjs:6
              teas.show  teas.cjs:2
              list  of ./teas.cjs
Delete each of these by hand, once a search of your project finds no other use of it.
`)
  const written = textOf('stays.cjs')
  expect(written).toContain('const teas = new Teas()\nconst app = express()\n')
  expect(written).toContain("app.get('/again', native(() => 'again'))\n")
  expect(written).toContain("const { Teas } = require('./teas.cjs')\n")
})

itSlow('takes parts of imports away, of modules that are imported as a whole too', async () => {
  const { code } = await retire('module.mjs', 'GET /teas/:id', '--write')
  expect(textOf('module.mjs')).toMatchInlineSnapshot(`
   "#!/usr/bin/env node
   import express, { Router } from 'express'
   import * as rc from 'routecontrollers/express'
   import os from 'node:os'

   export const helper = () => os.cpus()
   const app = express()
   const router = Router()
   router.get('/:id', rc.native((req, res) => res.json({ id: req.params.id })))
   app.use('/teas', router)
   const server = app.listen(0, () => console.log(server.address().port))
   "
  `)
  expect(code).toBe(0)
})

itSlow('takes types away that only a deleted function has used', async () => {
  const { code } = await retire('typed.ts', 'GET /teas', '--write')
  expect(textOf('typed.ts')).toMatchInlineSnapshot(`
   "import express from 'express'
   import { native } from 'routecontrollers/express'

   const app = express()
   app.get('/teas', native((_req, res) => res.json([])))
   const server = app.listen(0, () => console.log((server.address() as { port: number }).port))
   "
  `)
  expect(code).toBe(0)
})

itSlow('leaves what it cannot delete for sure, with the reason', async () => {
  const { stdout } = await retire('left.cjs', '--routes', '/**')
  expect(stdout).toMatchInlineSnapshot(`
   "--- left.cjs
   +++ left.cjs
   @@ -3,8 +3,8 @@
    const ready = native(() => 'ready')
    const old = [(req, res) => res.json('old')]
   -app.get('/named', ready, (req, res) => res.json('old'))
   +app.get('/named', ready)
    app.get('/two', native(() => '1'), native(() => '2'), (req, res) => res.json('old'))
    app.get('/spread', native(() => '1'), ...old)
   -app.get('/later', native(() => '1'), (req, res) => res.json('old'))
   +app.get('/later', native(() => '1'))
    const route = app.route('/calls')
    route.get(native(() => '1'))

   retired    2  left.cjs
   left       2  handlers behind its native callback are made elsewhere
                 GET /spread  left.cjs:7
                 GET /pair  left.cjs:13
   left       2  it is registered by a call that names no method, as app[method](…)
                 GET /loop  left.cjs:14
                 PUT /loop  left.cjs:14
   left       1  it has more native callbacks than one
                 GET /two  left.cjs:6
   left       1  its native callback is made elsewhere
                 GET /calls  left.cjs:10
   left       1  its handlers stand in several lists
                 GET /lists  left.cjs:12
   9 routes: 2 retired, 7 left
   At legacy nothing answers these routes any more: their state must be native wherever this runs.
   Nothing is written: --write writes it.
   "
  `)
})

itSlow(
  'takes routes that are native in the file of a store alone, and leaves the whole call where one of its routes is not',
  async () => {
    const states = { 'GET /both': ' native ', 'GET /c': 'native', 'GET /old': 'canary 50%' }
    writeFileSync(join(project.folder, 'states.json'), JSON.stringify({ states }))
    const { stdout } = await retire('common.cjs', '--native-in', 'states.json', '--json')
    const { routes } = JSON.parse(stdout) as {
      routes: { method: string; path: string; left?: string }[]
    }
    expect(routes.map(({ method, path, left }) => [`${method} ${path}`, left])).toMatchInlineSnapshot(`
   [
     [
       "GET /old",
       "its state in states.json is canary 50%",
     ],
     [
       "GET /lines",
       "its state in states.json is legacy",
     ],
     [
       "GET /both",
       undefined,
     ],
     [
       "POST /both",
       "its state in states.json is legacy",
     ],
     [
       "GET /c",
       "another route of the same call stays",
     ],
     [
       "GET /d",
       "its state in states.json is legacy",
     ],
     [
       "GET /as-is",
       "its state in states.json is legacy",
     ],
     [
       "GET /done",
       "its handler is gone already",
     ],
     [
       "GET /made-once",
       "its state in states.json is legacy",
     ],
     [
       "GET /by-hand",
       "its state in states.json is legacy",
     ],
     [
       "GET /legacy",
       "no native callback stands before its handler",
     ],
     [
       "GET /made/x",
       "its state in states.json is legacy",
     ],
   ]
  `)
    const shown = await retire('common.cjs', '--native-in', 'states.json')
    expect(shown.stdout.match(/^-(?!--).*/gm)).toEqual([expect.stringContaining('.get([requireUser')])
    const both = await retire('common.cjs', 'GET /old', 'GET /both', '--native-in', 'states.json', '--json')
    const named = (JSON.parse(both.stdout) as { routes: { path: string; left?: string }[] }).routes
    expect(named.filter(({ left }) => left === undefined).map(({ path }) => path)).toEqual(['/both'])

    // By hand: set() takes no state for this key.
    for (const state of ['legacy', 'native']) {
      writeFileSync(
        join(project.folder, 'states.json'),
        JSON.stringify({ states: { ...states, '!*': state } }),
      )
      const off = await retire('common.cjs', 'GET /both', '--native-in', 'states.json', '--json')
      const found = (JSON.parse(off.stdout) as { routes: typeof named }).routes.find(
        ({ path }) => path === '/both',
      )
      expect(found!.left).toBe('the off switch is on in states.json')
    }
    rmSync(join(project.folder, 'states.json'))
  },
)

it('leaves a route whose call registers one that was not named', async () => {
  const { stdout } = await retire('common.cjs', 'GET /c', '--json')
  const { routes, files: written } = JSON.parse(stdout) as {
    routes: { path: string; left?: string }[]
    files: string[]
  }
  const leftOf = (path: string): string | undefined => routes.find((one) => one.path === path)!.left
  expect([leftOf('/c'), leftOf('/d'), written]).toEqual([
    'the same call registers a route that was not chosen',
    'it was not chosen',
    [],
  ])
})

itSlow(
  'takes routes that are native in the status of a migration, but for those that nobody asks for and nobody names',
  async () => {
    type Told = Pick<RouteStatus, 'route' | 'state' | 'isDead' | 'lastAskedAt'>
    const route = (name: string, more: Partial<Told>): Told => ({
      ...{ route: name, state: 'native', isDead: false, lastAskedAt: undefined },
      ...more,
    })
    const lastAskedAt = '2030-01-01T00:00:00.000Z'
    const routes = [
      route('GET /old', { lastAskedAt }),
      route('GET /lines', {}),
      route('GET /both', { lastAskedAt, isDead: true }),
      route('GET /c', { lastAskedAt, state: 'canary 50%' }),
    ]
    writeFileSync(join(project.folder, 'status.json'), JSON.stringify({ version: 1, routes }))
    const leftOf = async (...named: string[]): Promise<Record<string, string>> => {
      const { stdout } = await retire('common.cjs', ...named, '--native-in', 'status.json', '--json')
      const told = (JSON.parse(stdout) as { routes: { method: string; path: string; left?: string }[] })
        .routes
      return Object.fromEntries(
        told.map(({ method, path, left }) => [`${method} ${path}`, left ?? 'retired']),
      )
    }
    const unasked = 'status.json tells of no request for it lately: name it, if it may go all the same'
    expect(await leftOf()).toMatchObject({
      'GET /old': 'retired',
      'GET /lines': unasked,
      'GET /both': unasked,
      'GET /c': 'its state in status.json is canary 50%',
      'GET /d': 'its state in status.json is legacy',
    })
    expect(await leftOf('GET /lines', 'GET /both', 'GET /c')).toMatchObject({
      'GET /lines': 'retired',
      'GET /both': 'retired',
      'GET /c': 'its state in status.json is canary 50%',
    })
    writeFileSync(join(project.folder, 'status.json'), JSON.stringify({ routes: [{ route: 'GET /old' }] }))
    const { code, stderr } = await retire('common.cjs', '--native-in', 'status.json')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('status.json has a route without the texts "route" and "state"'),
    ])
    rmSync(join(project.folder, 'status.json'))
  },
)

it.each(slowRows(1, ['js', 'mjs']))('names the files that the app loads no more: .%s', async (kind) => {
  const entry = `loads.${kind}`
  const { code, stdout } = await retire(entry, 'GET /a', '--write')
  expect([code, stdout.slice(stdout.indexOf('Written'))]).toEqual([
    0,
    `Written: ${entry}
The app does not load these any more:
              model.${kind}
              old.${kind}
Import again, by its name alone, what does more than export, as a file that registers a model. Delete each of the others by hand, once a search of your project finds no other use of it.
`,
  ])
  project.git('checkout', '-q', '.')
  const ran = await retire(entry, 'GET /a', '--write', '--json')
  expect(JSON.parse(ran.stdout)).toMatchObject({
    written: [entry],
    unloaded: [`model.${kind}`, `old.${kind}`],
  })
  const { stdout: unwritten } = await retire('common.cjs', 'GET /old', '--write')
  expect(unwritten).not.toContain('any more:')
})

itSlow('puts all back where the app does not start without the handler', async () => {
  const { code, stderr } = await retire('fails.cjs', 'GET /a', '--write')
  expect(stderr).toContain('it is needed')
  expect([code, textOf('fails.cjs')]).toEqual([3, files['fails.cjs']])
})

it.each(slowRows(1, ['common.cjs', 'module.mjs']))('%s answers as before', async (name) => {
  const { routes } = JSON.parse(
    (await command.run('inspect', name, '--cwd', project.folder, '--json')).stdout,
  ) as {
    routes: { method: string; path: string }[]
  }
  const requests = routes
    .map(({ method, path }) => ({ method, url: path.replace(':id', 'x') }))
    .concat({ method: 'OPTIONS', url: '/both' }, { method: 'GET', url: '/none' })
  const answersOf = async (): Promise<string[]> => {
    const port = await serve(project.folder, name)
    const headers = 'X-User: ada\r\n'
    return Promise.all(requests.flatMap((one) => [ask(port, one), ask(port, { ...one, headers })]))
  }
  const before = await answersOf()
  const { code } = await retire(name, '--routes', '/**', '--write', '--force')
  expect([code, await answersOf()]).toEqual([0, before])
})

it.each([
  [[], /^retire needs routes, 'GET \/orders\/\*\*', or --native-in FILE/],
  [['--native-in', 'none.json'], /^--native-in: none.json cannot be read/],
  [['GET /nothing'], /--routes has "GET \/nothing"/],
])('refuses %j', async (parameters, sentence) => {
  const { code, stderr } = await retire('common.cjs', ...parameters)
  expect([code, stderr.trim().replace('routecontrollers: ', '')]).toEqual([
    2,
    expect.stringMatching(sentence),
  ])
})
