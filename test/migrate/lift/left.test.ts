// Why `lift` leaves a router what it is, and what happens where the app is not what it was.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { itSlow } from '../../support/counts.js'
import { type Command, createCommand, type Ran } from '../run-command.js'
import { createCommittedProject, type MoveProject } from '../move/move-project.js'

jest.setTimeout(300_000)

const head = `const { Router } = require('express')
const { fromExpress, native } = require('routecontrollers/express')
const { Controller, RouteControllers } = require('routecontrollers')
const answer = () => 'answer'
`
const made = `${head}const router = Router()
`
const exported = 'module.exports = router\n'
const plain = (calls: string): string => `${made}${calls}\n${exported}`

interface Case {
  readonly text: string
  /** The reason; of one that has another one at each route, that of the last. */
  readonly left: string
  /** How it is mounted, in place of `app.use('/name', require('./routes/name.cjs'))`. */
  readonly mount?: string
}

const cases: Readonly<Record<string, Case>> = {
  handler: {
    text: plain(`router.get('/', native(answer))\nrouter.get('/a', (req, res) => res.send('a'))`),
    left: 'its handler is one of Express: a native callback comes first',
  },
  beside: {
    text: plain(`router.get('/', native(answer), (req, res) => res.send('a'))`),
    left: 'the handler that its native callback replaces is still there',
  },
  sibling: {
    text: plain(`router.get('/a', (req, res) => res.send('a'))\nrouter.get('/', native(answer))`),
    left: 'another route of its router stays: GET /sibling/a',
  },
  handlers: {
    text: plain(`router.get('/', native(fromExpress((req, res, next) => next())))`),
    left: 'it runs handlers of Express, which may pass the request on: native(fromExpress(…))',
  },
  'guarded-handlers': {
    text: plain(`router.get('/', (req, res, next) => next(), native(fromExpress((req, res) => res.end())))`),
    left: 'it runs handlers of Express, which may pass the request on: native(fromExpress(…))',
  },
  guard: {
    text: plain(`router.post('/', (req, res, next) => next(), native(answer, { body: 'stream' }))`),
    left: 'lifted',
  },
  body: {
    text: plain(`router.post('/', (req, res, next) => next(), native(answer))`),
    left: "its body is read after its guards: native(…, { body: 'stream' }) leaves it to a parser before them",
  },
  signal: {
    text: plain(`router.get('/', (req, res, next) => next(req.query.a && 'route'), native(answer))`),
    left: 'a function of its call is no guard that a Controller may have',
  },
  'signalled-template': {
    text: plain(`router.get('/', (req, res, next) => next(req.query.a && \`router\`), native(answer))`),
    left: 'a function of its call is no guard that a Controller may have',
  },
  signalled: {
    text: plain(`router.get('/', (req, res, next) => next(req.query.a && 'router'), native(answer))`),
    left: 'a function of its call is no guard that a Controller may have',
  },
  errors: {
    text: plain(`router.get('/', (error, req, res, next) => next(error), native(answer))`),
    left: 'a function of its call is no guard that a Controller may have',
  },
  nested: {
    text: plain(`router.get('/', Router(), native(answer))`),
    left: 'a function of its call is no guard that a Controller may have',
  },
  listed: {
    text: plain(`router.get('/', [(req, res, next) => next()], native(answer))`),
    left: 'its guards are not written one by one in its call',
  },
  spread: {
    text: plain(`const guards = [(req, res, next) => next()]\nrouter.get('/', ...guards, native(answer))`),
    left: 'its guards are not written one by one in its call',
  },
  'named-list': {
    text: plain(
      `const guard = (req, res, next) => next()\nconst guards = [guard, guard]\nrouter.get('/', guards, native(answer))`,
    ),
    left: 'its guards are not written one by one in its call',
  },
  comment: {
    text: plain(`router.get('/', (req, res, next) => next(), /* all */ native(answer))`),
    left: 'a comment stands between its guards',
  },
  use: {
    text: plain(`router.use((req, res, next) => next())\nrouter.get('/', native(answer))`),
    left: 'lifted',
  },
  'use-behind': {
    text: plain(
      `router.get('/a', native(answer))\nrouter.use((req, res, next) => next())\nrouter.get('/', native(answer))`,
    ),
    left: 'a guard of its router stands behind a route, and a list has its guards before all of them',
  },
  'use-path': {
    text: plain(`router.use('/a', (req, res, next) => next())\nrouter.get('/', native(answer))`),
    left: 'a guard of its router has a path of its own',
  },
  'use-error': {
    text: plain(`router.use((error, req, res, next) => next(error))\nrouter.get('/', native(answer))`),
    left: 'a function of use of its router is no guard that a list may have',
  },
  'use-router': {
    text: plain(`router.use(Router())\nrouter.get('/', native(answer))`),
    left: 'a function of use of its router is no guard that a list may have',
  },
  'use-list': {
    text: plain(
      `router.use(new RouteControllers([new Controller('GET', '/a', answer)]).middleware())\nrouter.get('/', native(answer))`,
    ),
    left: 'a function of use of its router is no guard that a list may have',
  },
  'use-signal': {
    text: plain(`router.use((req, res, next) => next('router'))\nrouter.get('/', native(answer))`),
    left: 'a function of use of its router is no guard that a list may have',
  },
  'use-files': {
    text: plain(`router.get('/', native(answer))\nrouter.use('/a', require('express').static('a'))`),
    left: 'a function of use is no route',
  },
  'use-array': {
    text: plain(`router.use([(req, res, next) => next()])\nrouter.get('/', native(answer))`),
    left: 'the guards of its router are not written one by one',
  },
  'use-spread': {
    text: plain(
      `const guards = [(req, res, next) => next()]\nrouter.use(...guards)\nrouter.get('/', native(answer))`,
    ),
    left: 'the guards of its router are not written one by one',
  },
  'use-comment': {
    text: plain(`router.use((req, res, next) => next() /* all */)\nrouter.get('/', native(answer))`),
    left: 'a comment stands between the guards of its router',
  },
  'use-chain': {
    text: plain(`router.use((req, res, next) => next()).get('/', native(answer))`),
    left: 'a guard of its router stands within a function or a condition, or in a chain of calls',
  },
  'use-computed': {
    text: plain(`router['u' + 'se']((req, res, next) => next())\nrouter.get('/', native(answer))`),
    left: 'what registers a guard of its router is no call of use',
  },
  'use-between': {
    text: plain(`router.use((req, res, next) => next())\nanswer()\nrouter.get('/', native(answer))`),
    left: 'a statement between its routes may need what stands before it',
  },
  param: {
    text: plain(`router.param('id', (req, res, next) => next())\nrouter.get('/:id', native(answer))`),
    left: "its router has a callback of param 'id'",
  },
  path: {
    text: plain(`router.get(/^\\/a/, native(answer))`),
    left: 'its path may mean something else in a list: only plain segments and :names are the same',
  },
  unsafe: {
    text: plain(`router.get('/:constructor', native(answer))`),
    left: 'its path may mean something else in a list: only plain segments and :names are the same',
  },
  variable: {
    text: plain(`const path = '/'\nrouter.get(path, native(answer))`),
    left: 'its path may mean something else in a list: only plain segments and :names are the same',
  },
  route: {
    text: plain(`router.route('/').get(native(answer))`),
    left: 'it is registered on what route(path) gives',
  },
  'chain-of-methods': {
    text: plain(`router.route('/').get(native(answer)).post(native(answer))`),
    left: 'it is registered on what route(path) gives',
  },
  'chain-behind-handlers': {
    text: plain(`router.route('/').get(native(fromExpress((req, res) => res.end()))).post(native(answer))`),
    left: 'it is registered on what route(path) gives',
  },
  'chain-before-handlers': {
    text: plain(`router.route('/').get(native(answer)).post(native(fromExpress((req, res) => res.end())))`),
    left: 'it runs handlers of Express, which may pass the request on: native(fromExpress(…))',
  },
  elsewhere: {
    text: plain(`const handler = native(answer)\nrouter.get('/', handler)`),
    left: 'lifted',
  },
  'elsewhere-object': {
    text: plain(`const handlers = { show: native(answer) }\nrouter.get('/', handlers.show)`),
    left: 'where its native callback is made is not known: write native(…) in its call, or a constant, a method or a member of an object that an import names',
  },
  'elsewhere-options': {
    text: plain(`const name = 'all'\nconst handler = native(answer, { name })\nrouter.get('/', handler)`),
    left: 'the options of its native callback need names of their own file: write them in the route',
  },
  'options-spread': {
    text: plain(`const more = [{ body: 'stream' }]\nrouter.get('/', native(answer, ...more))`),
    left: 'where its native callback is made is not known: write native(…) in its call, or a constant, a method or a member of an object that an import names',
  },
  'elsewhere-this': {
    text: plain(`const handler = native(function () { return String(this) })\nrouter.get('/', handler)`),
    left: 'its native callback reads this, and has another one in a Controller',
  },
  'elsewhere-used': {
    text: plain(`const handler = native(answer)\nrouter.get('/', handler)\nvoid [handler]`),
    left: 'its native callback is used elsewhere too',
  },
  'elsewhere-left': {
    text: plain(
      `const handler = native(answer)\nrouter.get('/', handler)\nconst other = Router()\nother.get('/x', handler)\nother.get('/y', (req, res) => res.send('y'))\nrouter.other = other`,
    ),
    left: 'its router is used in another way too: export it by its own name or as the default, and mount it by a call of use that names it',
  },
  'elsewhere-method': {
    text: plain(
      `const { Teas } = require('../teas.cjs')\nconst teas = new Teas()\nrouter.get('/', teas.allNative)\nrouter.delete('/:id', teas.removeNative)`,
    ),
    left: 'lifted',
  },
  'elsewhere-both': {
    text: plain(
      `const { Cups } = require('../cups.cjs')\nconst cups = new Cups()\nrouter.get('/', cups.allNative)`,
    ),
    left: 'its native callback is used elsewhere too',
  },
  'elsewhere-text': {
    text: plain(
      `const { Pots } = require('../pots.cjs')\nconst pots = new Pots()\nrouter.get('/', pots.potsNative)`,
    ),
    left: 'its native callback is used elsewhere too',
  },
  chain: {
    text: plain(`router.get('/', native(answer)).get('/a', native(answer))`),
    left: 'it is registered within a function or a condition, or by a chain of calls',
  },
  condition: {
    text: plain(`if (true) router.get('/', native(answer))`),
    left: 'it is registered within a function or a condition, or by a chain of calls',
  },
  computed: {
    text: plain(`router['g' + 'et']('/', native(answer))`),
    left: 'it is registered by a call that names no method, as app[method](…)',
  },
  order: {
    text: plain(`router.get('/:id', native(answer))\nrouter.get('/New', native(answer))`),
    left: 'GET /:id answers before GET /New, and in a list that is not sure',
  },
  between: {
    text: plain(`router.get('/a', native(answer))\nanswer()\nrouter.get('/b', native(answer))`),
    left: 'a statement between its routes may need what stands before it',
  },
  early: {
    text: `${made}${exported}router.get('/', native(answer))\n`,
    left: 'it is exported before its last route',
  },
  used: {
    text: plain(`router.get('/', native(() => String(router.stack.length)))`),
    left: 'its router is used in another way too: export it by its own name or as the default, and mount it by a call of use that names it',
  },
  made: {
    text: `${head}const make = () => Router()\nconst router = make()\nrouter.get('/', native(answer))\n${exported}`,
    left: 'what makes its router is not Router() of express',
  },
  changing: {
    text: `${head}let router = Router()\nrouter.get('/', native(answer))\n${exported}`,
    left: 'its router is made elsewhere than by a statement const name = Router()',
  },
  factory: {
    text: `${head}module.exports = () => {\n  const router = Router()\n  router.get('/', native(answer))\n  return router\n}\n`,
    left: 'it is registered within a function or a condition, or by a chain of calls',
    mount: "app.use('/factory', require('./routes/factory.cjs')())",
  },
  twice: {
    text: plain(`router.get('/', native(answer))`),
    left: 'its router is mounted at several places',
    mount:
      "const twice = require('./routes/twice.cjs')\napp.use('/twice', twice)\napp.use('/again', (req, res, next) => next(), twice)",
  },
  shared: {
    text: plain(`router.get('/', native(answer))`),
    left: 'shared.test.cjs uses its router too',
  },
  mocked: {
    text: plain(`router.get('/', native(answer))`),
    left: 'mocked.test.cjs names ./routes/mocked.cjs in another way than by an import',
  },
  counted: {
    text: plain(`router.get('/', native(answer))`),
    left: 'server.cjs uses its router too',
    mount:
      "const counted = require('./routes/counted.cjs')\napp.use('/counted', counted)\nvoid counted.stack",
  },
  loaded: {
    text: plain(`router.get('/', native(answer))`),
    left: 'its mount does not name what its file exports',
    mount: "app.use('/loaded', require('./routes/' + 'loaded' + '.cjs'))",
  },
  own: {
    text: plain(`router.get('/', native(answer))`).replace(
      "require('express')",
      "require('./own-express.cjs')",
    ),
    left: 'what makes its router is not Router() of express',
  },
  split: {
    text: plain(`router.get('/', native(answer))\nrequire('./split-more.cjs').register(router)`),
    left: 'several files register with its router',
  },
  many: {
    text: `${head}module.exports = () => {\n  const router = Router()\n  router.get('/', native(answer))\n  return router\n}\n`,
    left: 'its file makes several routers',
    mount: "for (const at of ['/many', '/many/more']) app.use(at, require('./routes/many.cjs')())",
  },
  mixed: {
    text: `${made}router.get('/1', native(answer))
const other = Router()
router.get('/2', native(answer))
other.get('/3', native(answer))
module.exports = { router, other }
`,
    left: 'the routes of another router stand between its own',
    mount:
      "app.use('/mixed', require('./routes/mixed.cjs').router)\napp.use('/mixed/other', require('./routes/mixed.cjs').other)",
  },
  // The one in between is read first.
  'mixed-first': {
    text: `${made}router.get('/1', native(answer))
const other = Router()
router.get('/2', native(answer))
other.get('/3', native(answer))
module.exports = { router, other }
`,
    left: 'the routes of another router stand between its own',
    mount:
      "app.use('/mixed-first/other', require('./routes/mixed-first.cjs').other)\napp.use('/mixed-first', require('./routes/mixed-first.cjs').router)",
  },
  key: {
    text: `${made}router.get('/', native(answer))\nmodule.exports = { ['rou' + 'ter']: router }\n`,
    left: 'its router is used in another way too: export it by its own name or as the default, and mount it by a call of use that names it',
    mount: "app.use('/key', require('./routes/key.cjs').router)",
  },
  reexported: {
    text: plain(`router.get('/', native(answer))`),
    left: 'reexports.mjs exports it too',
  },
  named: {
    text: `${made}router.get('/', native(answer))\nmodule.exports = { router }\n`,
    left: 'lifted',
    mount: "app.use('/named', require('./routes/named.cjs').router)",
  },
  destructured: {
    text: `${made}router.get('/', native(answer))\nconst others = []\nmodule.exports = { destructured: router, others }\n`,
    left: 'lifted',
    mount:
      "const { destructured, others } = require('./routes/destructured.cjs')\napp.use('/destructured', destructured, ...others)",
  },
  guarded: {
    text: `${made}router.get('/', native(answer))\nmodule.exports = { guarded: router }\n`,
    left: 'server.cjs uses its router too',
    mount:
      "const { guarded } = require('./routes/guarded.cjs')\napp.use('/guarded', guarded)\nvoid [{ guarded }]",
  },
  apart: {
    text: `${made}router.get('/', native(answer))\nexports.router = router\n`,
    left: 'apart.test.cjs takes it apart',
    mount: "app.use('/apart', require('./routes/apart.cjs').router)",
  },
  aliased: {
    text: plain(`router.get('/', native(answer))`),
    left: 'aliased.test.cjs uses its router too',
  },
  ahead: {
    text: '',
    left: 'it is mounted before its last route is registered',
    mount:
      "const ahead = express.Router()\nahead.get('/', native(String))\napp.use('/ahead', ahead)\nahead.get('/late', native(String))",
  },
  methods: {
    text: plain(`router.all('/', native(answer))`),
    left: 'lifted',
  },
  remark: {
    text: plain(`router.get('/', native(answer // of all\n))`),
    left: 'lifted',
  },
  lines: {
    text: plain("router.get(\n  '/',\n  native(() => `one\ntwo`),\n)"),
    left: 'lifted',
  },
  inner: {
    text: `${head}const inner = require('express')()\ninner.get('/', native(answer))\nmodule.exports = inner\n`,
    left: 'it stands in an app that is mounted, which has settings, locals and X-Powered-By of its own: where nothing sets or reads these, write express.Router() in the place of express()',
  },
  all: {
    text: plain(`router.get('/', native(answer))`),
    left: 'lifted',
  },
}

const server = `const express = require('express')
const { native } = require('routecontrollers/express')
const app = express()
${Object.entries(cases)
  .map(([name, { mount }]) => mount ?? `app.use('/${name}', require('./routes/${name}.cjs'))`)
  .join('\n')}
app.get('/', (req, res) => res.send('root'))
app.listen(3000)
`
/** An app that is another one when its own text has changed. */
const touchy = (then: string): string => `const express = require('express')
const { native } = require('routecontrollers/express')
const isLifted = require('fs').readFileSync(__filename, 'utf8').includes('new Control' + 'ler')
const app = express()
const teas = express.Router()
teas.get('/', native(() => 'teas'))
${then}
app.use('/teas', teas)
app.listen(3000)
`
const touched = {
  'loses.cjs': touchy('if (!isLifted) app.use(function guard(req, res, next) { next() })'),
  'alone.cjs': touchy('app.use(function guard(req, res, next) { next() })'),
  'fails.cjs': touchy("if (isLifted) throw new Error('lifted')"),
}

let command: Command
let project: MoveProject
beforeAll(() => {
  command = createCommand()
  const routes = Object.entries(cases).map(([name, { text }]) => [`routes/${name}.cjs`, text])
  project = createCommittedProject({
    ...(Object.fromEntries(routes) as Record<string, string>),
    'routes/own-express.cjs': "module.exports = require('express')\n",
    'shared.test.cjs': "const shared = require('./routes/shared')\nvoid shared.stack\n",
    'routes/split-more.cjs': `${head}exports.register = (router) => void router.get('/more', native(answer))\n`,
    // Two classes with members of one name.
    'teas.cjs': `${head}exports.Teas = class Teas {
  allNative = native(answer)
  removeNative = native((req) => req.params.id, { body: 'stream' })
}
`,
    'cups.cjs': `${head}exports.Cups = class Cups {
  allNative = native(answer)
  again() { return this.allNative }
}
`,
    'pots.cjs': `${head}exports.Pots = class Pots {
  potsNative = native(answer)
  again() { return this['potsNative'] }
}
`,
    'reexports.mjs': "export { default as teas } from './routes/reexported.cjs'\n",
    'apart.test.cjs': "const { ['rou' + 'ter']: apart } = require('./routes/apart.cjs')\nvoid apart.stack\n",
    'aliased.test.cjs': "const aliased = require('#app/routes/aliased')\nvoid aliased.stack\n",
    'mocked.test.cjs': "jest.mock('./routes/mocked.cjs')\n",
    'server.cjs': server,
    'package.json': '{ "scripts": { "start": "node server.cjs" } }\n',
    ...touched,
  })
})
afterAll(() => {
  command.remove()
  project.remove()
})

const lift = (...parameters: string[]): Promise<Ran> =>
  command.run('lift', '--cwd', project.folder, '--settle-ms', '50', ...parameters)
const textOf = (name: string): string => readFileSync(join(project.folder, name), 'utf8')

interface Result {
  routes: { path: string; at: string; left?: string }[]
  files: string[]
  written: string[]
  isRestored?: boolean
}

describe('routecontrollers lift', () => {
  let rows: Result['routes']
  beforeAll(async () => {
    const { stdout } = await lift('--json')
    ;({ routes: rows } = JSON.parse(stdout) as Result)
  })

  it.each(Object.entries(cases))('%s', (name, { left }) => {
    const row = rows.findLast(({ path }) => path.split('/')[1] === name)
    expect(row!.left ?? 'lifted').toBe(left)
  })

  it('says at which line the reason stands', () => {
    const placeOf = (name: string) => rows.findLast(({ path }) => path.startsWith(`/${name}`))!.at
    expect(placeOf('order')).toBe('routes/order.cjs:7')
    expect(placeOf('between')).toBe('routes/between.cjs:7')
    expect(placeOf('use-path')).toBe('routes/use-path.cjs:6')
    expect(placeOf('shared')).toBe('shared.test.cjs:2')
  })

  itSlow('is what status names next, where a router is all native', async () => {
    const { stdout } = await command.run(
      ...(['status', 'server.cjs', '--json', '--cwd', project.folder, '--settle-ms', '50'] as const),
    )
    const told = JSON.parse(stdout) as { routes: { path: string; next?: { by: string; file?: string } }[] }
    const nextOf = (path: string) => told.routes.find((one) => one.path === path)!.next
    expect(nextOf('/all')).toEqual({ by: 'lift', route: 'GET /all', file: 'routes/all.cjs' })
    expect(nextOf('/use')).toMatchObject({ by: 'lift', file: 'routes/use.cjs' })
    expect(nextOf('/guard')).toMatchObject({ by: 'lift', file: 'routes/guard.cjs' })
    expect(nextOf('/use-behind')).toBeUndefined()
    // Another route of its router has its handler yet.
    expect(nextOf('/sibling')).toBeUndefined()
    const { stdout: text } = await command.run(
      ...(['status', 'server.cjs', '--cwd', project.folder, '--settle-ms', '50'] as const),
    )
    expect(text).toMatch(/GET \/all +retired +0 functions +routecontrollers lift routes\/all\.cjs --write\n/)
  })

  it('says where else a native callback is used', () => {
    expect(rows.findLast(({ path }) => path.startsWith('/elsewhere-both'))!.at).toBe('cups.cjs:7')
  })

  it('takes the routers of the files that are named', async () => {
    const { stdout } = await lift('routes/order.cjs', '--json')
    const { routes, files } = JSON.parse(stdout) as Result
    expect(files).toEqual([])
    expect(routes.find(({ path }) => path === '/all')!.left).toBe('it was not chosen')
  })

  itSlow('shows what it would write, and writes nothing without --write', async () => {
    const { code, stdout } = await lift()
    expect(code).toBe(0)
    expect(stdout).toContain("+app.use('/all', new RouteControllers(require('./routes/all.cjs')")
    expect(stdout).toContain("+  new Controller('*', '/', answer),\n")
    expect(stdout).toMatch(/\(\) => `one\n[+ ]two`,\n/)
    expect(stdout).toMatch(/^lifted +14 .*routes\/all\.cjs/m)
    expect(stdout).toContain("+  new Controller('DELETE', '/:id', teas.removeNative, { body: 'stream' }),\n")
    expect(stdout).toContain('+  removeNative = (req) => req.params.id\n')
    expect(stdout).toContain(
      'What changes: a target with a fragment, as /path#part, goes on behind the list.\n',
    )
    expect(stdout).toContain('What still needs express:')
    expect(stdout).toContain('Nothing is written: --write writes it.')
    expect(project.git('status', '--porcelain')).toBe('')
  })

  itSlow('leaves routers whose routes an OpenAPI document of the app tells of', async () => {
    const file = join(project.folder, 'document.cjs')
    writeFileSync(
      file,
      "const { openApi } = require('routecontrollers/openapi')\nexports.of = (app) => openApi(app)\n",
    )
    const { stdout } = await lift('--json')
    rmSync(file)
    const { routes, files } = JSON.parse(stdout) as Result
    expect(files).toEqual([])
    expect(routes.find(({ path }) => path === '/all')!.left).toBe(
      'document.cjs makes an OpenAPI document, and openApi(app) tells of no list',
    )
  })

  itSlow('says why the app itself stays, where no route of Express is left', async () => {
    const { stdout } = await lift('--entry', 'alone.cjs')
    expect(stdout).toContain('alone.cjs: 1 function of use, 1 mount of a list\n')
    expect(stdout).toContain(
      'No route of Express is left. The app itself stays: without Express, case, slashes at the end, OPTIONS and 404 are others, and a profile that keeps them needs the package too.\n',
    )
    const { stdout: other } = await lift()
    expect(other).not.toContain('The app itself stays')
  })

  it('says how to name the entry, where npm start tells of none', async () => {
    const { code, stderr } = await command.run('lift', '--cwd', join(project.folder, 'routes'))
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^routecontrollers: lift needs the entry of the app, and .*: routecontrollers lift --entry server\.js$/m,
    )
  })

  it('puts all back where a guard is lost', async () => {
    const { code, stdout, stderr } = await lift('--entry', 'loses.cjs', '--write', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ isRestored: true, written: [], check: { ok: false } })
    expect(stderr).toContain('All files are as they were: loses.cjs')
    expect(textOf('loses.cjs')).toBe(touched['loses.cjs'])
  })

  it('puts all back where the app does not start any more', async () => {
    const { code, stderr } = await lift('--entry', 'fails.cjs', '--write')
    expect(code).toBe(3)
    expect(stderr).toContain('Error: lifted')
    expect(textOf('fails.cjs')).toBe(touched['fails.cjs'])
  })
})
