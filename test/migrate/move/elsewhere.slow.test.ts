// Handlers that other files of the project have: their native callbacks are written in those files, and answer as they do.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, createCommand, type Ran } from '../run-command.js'
import { AskedApps } from './asked-apps.js'
import { createCommittedProject, type MoveProject } from './move-project.js'

jest.setTimeout(300_000)

const files: Readonly<Record<string, string>> = {
  // Each member gets a guard in another file than the one that has it.
  'guarded.cjs': `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
exports.guardAll = (all, names = Object.keys(all)) => {
  for (const name of names) all[name] = guarded(all[name])
}
exports.proxied = (all, names) => {
  for (const name of names)
    all[name] = new Proxy(all[name], {
      apply: (fn, self, [req, res]) => (req.get('x-admin') ? fn(req, res) : res.sendStatus(403)),
    })
}
`,
  'secrets.cjs': `exports.show = (req, res) => res.json({ secret: 1 })
exports.late = async (req, res) => res.json({ secret: 2 })
exports.open = (req, res) => res.json({ open: true })
exports.traced = (req, res) => res.json({ secret: 5 })
exports.twice = (req, res) => res.json({ secret: 6 })
exports.marked = (req, res) => res.json({ secret: 7 })
`,
  'async.cjs': `exports.catchAsync = (fn) => (req, res, next) => fn(req, res, next).catch(next)
`,
  'vault.cjs': `exports.show = (req, res) => res.json({ secret: 3 })
exports.late = async (req, res) => res.json({ secret: 8 })
exports.made = (isOpen) => (req, res) => (isOpen ? res.json({ secret: 9 }) : res.sendStatus(403))
`,
  'started.cjs': `const { guardAll, proxied } = require('./guarded.cjs')
const { show, late } = require('./secrets.cjs')
const mine = { show, late }
guardAll(mine)
const secrets = require('./secrets.cjs')
Object.assign(secrets, mine)
const vault = require('./vault.cjs')
proxied(vault, ['show'])
const { made } = vault
vault.made = () => made(false)
// As shimmer keeps it.
const { traced } = secrets
guardAll(secrets, ['traced'])
Object.defineProperty(secrets.traced, '__original', { value: traced })
secrets.marked.roles = ['admin']
// It gives errors to next, and does more.
require('./async.cjs').catchAsync = (fn) => async (req, res, next) => {
  if (!req.get('x-admin')) return res.sendStatus(403)
  await fn(req, res, next)
}
`,
  'section.cjs': `exports.Section = class {
  constructor(app, path) {
    app.get(path, this.show)
    app.get(path + '/bound', this.show.bind(this))
  }
  show(req, res) {
    res.json({ secret: 4 })
  }
}
`,
  'closed.cjs': `const { Section } = require('./section.cjs')
exports.Closed = class extends Section {
  show(req, res) {
    res.sendStatus(403)
  }
}
`,
  'replaced.cjs': `require('./started.cjs')
const express = require('express')
const secrets = require('./secrets.cjs')
const vault = require('./vault.cjs')
const { asyncHandler } = require('./utils.cjs')
const { Closed } = require('./closed.cjs')
const { Section } = require('./section.cjs')
const { catchAsync } = require('./async.cjs')

const app = express()
app.get('/secret', secrets.show)
app.get('/late', asyncHandler(secrets.late))
app.get('/vault', vault.show)
app.get('/open', secrets.open)
new Closed(app, '/closed')
new Section(app, '/section')
app.get('/traced', secrets.traced)
app.get('/marked', secrets.marked)
app.get('/caught', catchAsync(vault.late))
app.get('/made', vault.made(true))
const mount = (path) => app.get(path, secrets.twice)
mount('/twice')
require('./guarded.cjs').guardAll(require('./secrets.cjs'), ['twice'])
mount('/twice/guarded')
app.get('/layer', secrets.open)
for (const { route } of app.router.stack)
  if (route?.path === '/layer') route.stack[0].handle = ((fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403)))(route.stack[0].handle)
if (require.main === module) app.listen(3000)
module.exports = app
`,
  'package.json': JSON.stringify({ dependencies: { routecontrollers: '*' } }),
  '.gitignore': '/node_modules\n',
  'server.cjs': `const express = require('express')
const teas = require('./teas.cjs')
const { one, made: make } = require('./exported.cjs')
const { users } = require('./users.cjs')
const utils = require('./utils.cjs')

const app = express()
app.get('/list', teas.list)
app.get('/show/:id', teas.show)
app.post('/add', teas.add)
app.get('/one', one)
app.get('/one/again', one)
app.get('/made', make('x', 1))
app.get('/users', users.all)
app.get('/users/:id', utils.asyncHandler(users.show))
app.get('/wrapped', utils.asyncHandler(teas.late))
app.get('/inline', utils.asyncHandler(async (req, res) => {
  if (req.query.q) throw new Error('q')
  res.json({ inline: true })
}))
app.get('/helped', (req, res) => { if (!utils.allowed(req, res)) return; res.send('in') })
app.use((error, req, res, next) => res.status(500).send('failed: ' + error.message))
if (require.main === module) app.listen(3000)
module.exports = app
`,
  'teas.cjs': `const { fail } = require('./utils.cjs')

function add(req, res) {
  res.status(201).send('added')
}

module.exports = {
  list: function (req, res) {
    res.send(['Assam'])
  },
  show(req, res) {
    if (req.params.id === '0') return fail(res, 404, 'none')
    res.send(\`tea \${req.params.id}\`)
  },
  late: async (req, res) => {
    await null
    if (req.query.q) throw new Error('q')
    res.json({ late: true })
  },
  add,
}
`,
  'exported.cjs': `exports.one = (req, res) => res.send('one')
exports.made = (name, number) => (req, res) => {
  res.send({ name, number })
}
`,
  'users.cjs': `class Users {
  names = ['Ada']
  all = (req, res) => res.json(this.names)

  async show(req, res) {
    res.send('user ' + req.params.id)
  }
}
exports.users = new Users()
`,
  'utils.cjs': `exports.asyncHandler = (handler) => (req, res, next) => {
  Promise.resolve(handler(req, res, next)).catch(next)
}
exports.fail = (res, status, reason) => res.status(status).json({ reason })
exports.allowed = (req, res) => {
  if (req.query.key) return true
  res.status(403).send('no key')
  return false
}
`,
  'as-is.cjs': `const express = require('express')
const { one } = require('./exported.cjs')
const teas = require('./teas.cjs')
const { fromExpress, native } = require('routecontrollers/express')
const app = express()
app.get('/list', native(fromExpress(teas.list)), teas.list)
app.get('/one', native(fromExpress(one)))
app.listen(3000)
`,
  'server.mjs': `import express from 'express'
import home, { about } from './pages.mjs'
import * as pages from './pages.mjs'
import { list as all } from './listed.mjs'
import { taken, again, spread } from './left.mjs'
import * as walked from './walked.mjs'

const app = express()
app.get('/', home)
app.get('/about', about)
app.get('/contact', pages.contact)
app.get('/all', all)
app.get('/taken', taken)
app.get('/again', again)
app.get('/spread', spread.show)
app.get('/walked', walked.show)
for (const [name, handler] of Object.entries(walked)) app.get('/walked/' + name, handler)
app.listen(3000)
`,
  'classes.mjs': `import express, { Router } from 'express'
import { CupController } from './controllers.mjs'
import * as others from './controllers.mjs'

const app = express()
const pots = new CupController()
class Routes {
  router = Router()
  cups = new CupController()
  given = cups
  made = new others.CupController()
  constructor(cups) {
    this.router.get('/cups', this.cups.list)
    this.router.get('/cups/:id', this.cups.show)
    this.router.get('/own', this.cups.own)
    this.router.get('/given', this.given.list)
    this.router.get('/made', this.made.list)
    this.router.get('/static', this.cups.shared)
  }
}
var cups = pots
app.use(new Routes(cups).router)
app.listen(3000)
`,
  'made.mjs': `import express from 'express'
import { CupController } from './controllers.mjs'

const app = express()
const cups = new CupController()
app.get('/cups', cups.list)
app.listen(3000)
`,
  'controllers.mjs': `class Base {
  own(req, res) {
    res.json([])
  }
}
export class CupController extends Base {
  cups = ['blue']
  list = (req, res) => {
    res.json(this.cups)
  }

  show(req, res) {
    res.json({ id: req.params.id })
  }

  static shared = (req, res) => res.json([])
  shared = CupController.shared
}
`,
  'doubtful.cjs': `const express = require('express')
const { counted, shadowed, both } = require('./doubted.cjs')
const { early } = require('./early.cjs')
const { show, register } = require('./mixed.cjs')
const { twice } = require('./assigned.cjs')
const { gotten } = require('./gotten.cjs')

const app = express()
let calls = 0
app.get('/early', early)
app.get('/counted', counted(++calls))
;((shadowed) => app.get('/shadowed', shadowed))((req, res) => res.send('own'))
app.get('/both', both)
app.post('/both', both)
app.get('/mixed', show)
register(app)
app.get('/twice', twice)
app.get('/gotten', gotten.show)
app.listen(3000)
`,
  'helped.cjs': `const app = require('express')()
const done = (res) => res.send()
const refuse = (req, res) => { res.status(403).send('no') }
const known = (one, other) => {
  if (one.query.key) return true
  other.status(403).send('no key')
  return false
}
app.post('/done', (req, res) => done(res))
app.get('/done', (req, res) => done(res))
app.get('/refused', (req, res) => { refuse(req, res) })
app.get('/refused/again', (req, res) => { if (!refuse(req, res)) return; res.json([]) })
app.get('/known', (req, res) => { if (!known(req, res)) return; res.json([]) })
app.get('/known/again', (req, res) => { if (!known(req, res)) return; res.json([1]) })
app.listen(3000)
`,
  'whole.cjs': `const express = require('express')
const asyncHandler = require('express-async-handler')
const catchErrors = require('./catch-errors.cjs')
const teas = require('./teas.cjs')
const { one } = require('./exported.cjs')
const cups = require('./cups.cjs')
const Pots = require('./pots.cjs')
const spoons = require('./spoons.cjs')
const rewritten = require('./rewritten.cjs')

const pots = new Pots(['red'])
const own = (handler) => (req, res, next) => Promise.resolve(handler(req, res, next)).catch(next)
const app = express()
app.get('/package', asyncHandler(teas.late))
app.get('/one', asyncHandler(one))
app.get('/own/:id', own(teas.show))
app.get('/inline', catchErrors(async (req, res) => { res.json('inline') }))
app.get('/cups', cups.list)
app.get('/cups/:id', catchErrors(cups.show))
app.get('/pots', pots.list)
app.get('/pots/:id', asyncHandler(pots.show))
app.get('/pot/first', pots.first)
app.get('/pot/last', pots.last)
app.get('/spoons', spoons.list)
app.get('/rewritten', rewritten.list)
app.get('/elsewhere', asyncHandler(rewritten.list))
app.use((error, req, res, next) => res.status(500).send('failed: ' + error.message))
if (require.main === module) app.listen(3000)
module.exports = app
`,
  'catch-errors.cjs': `const catchErrors = (handler) => (req, res, next) => {
  Promise.resolve(handler(req, res, next)).catch((error) => next(error))
}
module.exports = catchErrors
`,
  'cups.cjs': `const cups = {
  list: async (req, res) => { res.json(['cup']) },
  show(req, res) { res.json({ id: req.params.id }) },
}
module.exports = cups
`,
  'pots.cjs': `class Pots {
  constructor(colours) {
    this.colours = colours
    this.first = this.first.bind(this)
    this.last = this.first
  }
  list = (req, res) => { res.json(this.colours) }
  first(req, res) { res.json({ first: this.colours[0] }) }
  last(req, res) { res.json('never') }
  async show(req, res) { res.json({ id: req.params.id }) }
}
exports = module.exports = Pots
`,
  'spoons.cjs': `class Spoons { list(req, res) { res.json(['spoon']) } }
module.exports = new Spoons()
`,
  'rewritten.cjs': `const all = { list: (req, res) => { res.json(['old']) } }
for (const name of Object.keys(all)) all[name] = (req, res) => { res.json(['new']) }
module.exports = all
`,
  'same-names.mjs': `import express from 'express'
import { show as teas } from './teas.mjs'
import { show as cups } from './cups.mjs'
import pots from './pots.mjs'

const app = express()
app.get('/teas', teas)
app.get('/cups', cups)
app.get('/pots', pots)
app.listen(3000)
`,
  'teas.mjs': "export const show = (req, res) => res.send('teas')\n",
  'cups.mjs': "export const show = (req, res) => res.send('cups')\n",
  'pots.mjs': "const show = (req, res) => res.send('pots')\nexport { show as default }\n",
  'own-package.cjs': `const app = require('express')()
const pots = require('./packages/node_modules/pots/index.cjs')
app.get('/pots', pots.show)
app.listen(3000)
`,
  'packages/node_modules/pots/index.cjs': "exports.show = (req, res) => res.send('pots')\n",
  'gotten.cjs': `exports.gotten = {
  get show() {
    return (req, res) => res.send('gotten')
  },
}
`,
  'assigned.cjs': `exports.twice = (req, res) => res.send('first')
exports.twice = (req, res) => res.send('second')
`,
  'mixed.cjs': `exports.show = (req, res) => res.send('mixed')
exports.register = (app) => void app.get('/mixed/own', (req, res) => res.send('own'))
`,
  'doubted.cjs': `function counted(number) {
  return (req, res) => res.send({ number })
}
function shadowed(req, res) {
  res.send('other')
}
function both(req, res) {
  res.send('both')
}
module.exports = { counted, shadowed, both }
`,
  'early.cjs': `module.exports = { early }
function early(req, res) {
  res.send('early')
}
`,
  'walked.mjs': `export const show = (req, res) => res.send('walked')
`,
  'pages.mjs': `export default function home(req, res) {
  res.send('home')
}
export const about = (req, res) => res.send('about')
export function contact(req, res) {
  res.send('contact')
}
`,
  'listed.mjs': `const all = (req, res) => res.send('all')

export {
  all as list,
}
`,
  'left.mjs': `export const taken = (req, res) => res.send('taken')
export const takenNative = 1
export let again = (req, res) => res.send('first')
again = (req, res) => res.send('second')
export const spread = { show: (req, res) => res.send('first'), ...{ show: (req, res) => res.send('second') } }
`,
}

let command: Command
let project: MoveProject
let apps: AskedApps
beforeAll(() => {
  command = createCommand()
  project = createCommittedProject(files)
  apps = new AskedApps(project.folder)
})
afterAll(() => {
  command.remove()
  apps.stop()
  project.remove()
})
afterEach(() => project.git('checkout', '-q', '.'))

const run = (name: string, entry: string, ...parameters: string[]): Promise<Ran> =>
  command.run(name, '--entry', entry, '--cwd', project.folder, '--settle-ms', '50', ...parameters)
const textOf = (name: string): string => readFileSync(join(project.folder, name), 'utf8')

const targets = [
  ...['/list', '/show/7', '/show/0', '/one', '/one/again', '/made', '/users', '/users/1', '/wrapped'],
  ...['/wrapped?q=1', '/inline', '/inline?q=1', '/helped', '/helped?key=1'],
].map((path) => `GET ${path}`)

/** What an app answers to each request. */
function answers(
  entry = 'server.cjs',
  asked: readonly string[] = [...targets, 'POST /add'],
): Promise<unknown> {
  const requests = asked.map((one) => one.split(' ') as [method: string, path: string])
  return apps.answers(
    entry,
    requests.map(([method, path]) => ({ method, path })),
  )
}

it('stand beside their handlers, and answer as those do', async () => {
  const before = await answers()
  const { code, stdout } = await run('move', 'server.cjs', '--write')
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Written: ') })
  expect(textOf('server.cjs')).toContain(`
app.get('/list', teas.listNative, teas.list)
app.get('/show/:id', teas.showNative, teas.show)
app.post('/add', teas.addNative, teas.add)
app.get('/one', oneNative, one)
app.get('/one/again', oneNative, one)
app.get('/made', madeNative('x', 1), make('x', 1))
app.get('/users', users.allNative, users.all)
app.get('/users/:id', users.showNative, utils.asyncHandler(users.show))
app.get('/wrapped', teas.lateNative, utils.asyncHandler(teas.late))
app.get('/inline', native(async (req, res) => {
  if (req.query.q) throw new Error('q')
  return res.json({ inline: true })
}), utils.asyncHandler(async (req, res) => {
`)
  expect(textOf('server.cjs')).toContain(
    "const { one, made: make, oneNative, madeNative } = require('./exported.cjs')",
  )
  expect(textOf('server.cjs')).toContain('if (!utils.allowedNative(req, res)) return; return res.html(')
  expect(textOf('teas.cjs')).toBe(`const { fail } = require('./utils.cjs')
const { native } = require('routecontrollers/express')

function add(req, res) {
  res.status(201).send('added')
}

const addNative = native(function add(req, res) {
  return res.status(201).html('added')
}, { body: 'stream' })

module.exports = {
  list: function (req, res) {
    res.send(['Assam'])
  },
  listNative: native(function (req, res) {
    return res.json(['Assam'])
  }),
  show(req, res) {
    if (req.params.id === '0') return fail(res, 404, 'none')
    res.send(\`tea \${req.params.id}\`)
  },
  showNative: native((req, res) => {
    if (req.params.id === '0') return fail(res, 404, 'none')
    return res.html(\`tea \${req.params.id}\`)
  }),
  late: async (req, res) => {
    await null
    if (req.query.q) throw new Error('q')
    res.json({ late: true })
  },
  lateNative: native(async (req, res) => {
    await null
    if (req.query.q) throw new Error('q')
    return res.json({ late: true })
  }),
  add,
  addNative,
}
`)
  expect(textOf('users.cjs')).toContain('  allNative = native((req, res) => res.json(this.names))\n')
  expect(await answers()).toEqual(before)
  const again = await run('move', 'server.cjs')
  expect(again.stdout).toContain('a native callback stands before its handler already')
  const retired = await run('retire', 'server.cjs', '--routes', '/**', '--write', '--force')
  expect(retired).toMatchObject({ code: 0 })
  expect(textOf('server.cjs')).toContain(`
app.get('/list', teas.listNative)
app.get('/show/:id', teas.showNative)
`)
  expect(await answers()).toEqual(before)
})

it('stand beside the methods of an object that the file of the routes makes', async () => {
  const { code, stdout } = await run('move', 'classes.mjs', '--write')
  expect(code).toBe(0)
  expect(textOf('classes.mjs')).toContain(`
    this.router.get('/cups', this.cups.listNative, this.cups.list)
    this.router.get('/cups/:id', this.cups.showNative, this.cups.show)
    this.router.get('/own', this.cups.own)
    this.router.get('/given', this.given.list)
    this.router.get('/made', this.made.list)
    this.router.get('/static', this.cups.shared)
`)
  expect(textOf('controllers.mjs')).toContain(`  listNative = native((req, res) => {
    return res.json(this.cups)
  })

  show(req, res) {
    res.json({ id: req.params.id })
  }

  showNative = native((req, res) => {
    return res.json({ id: req.params.id })
  })
`)
  for (const name of ['given', 'made'])
    expect(stdout).toContain(`no file of the project says of which class this.${name} is: name the object`)
  project.git('checkout', '-q', '.')
  expect((await run('move', 'made.mjs')).stdout).toContain("+app.get('/cups', cups.listNative, cups.list)")
})

it('stand beside those of a file that is one object or class, and of a wrapper of a package or of the file of the routes', async () => {
  const wrapper = join(project.folder, 'node_modules/express-async-handler')
  mkdirSync(wrapper, { recursive: true })
  const text =
    'module.exports = (fn) => (...args) => Promise.resolve(fn(...args)).catch(args[args.length - 1])\n'
  writeFileSync(join(wrapper, 'index.js'), text)
  const asked = [
    '/package',
    '/package?q=1',
    '/one',
    '/own/1',
    '/inline',
    '/cups',
    '/cups/1',
    '/pots',
    '/pots/1',
  ]
  const all = [...asked, '/pot/first', '/pot/last', '/spoons', '/rewritten'].map((path) => `GET ${path}`)
  const before = await answers('whole.cjs', all)
  const { code, stdout } = await run('move', 'whole.cjs', '--write')
  expect(code).toBe(0)
  expect(textOf('whole.cjs')).toContain(`
app.get('/package', teas.lateNative, asyncHandler(teas.late))
app.get('/one', oneNative, asyncHandler(one))
app.get('/own/:id', teas.showNative, own(teas.show))
app.get('/inline',
  native(async (req, res) => { return res.json('inline') }),
  catchErrors(async (req, res) => { res.json('inline') }))
app.get('/cups', cups.listNative, cups.list)
app.get('/cups/:id', cups.showNative, catchErrors(cups.show))
app.get('/pots', pots.listNative, pots.list)
app.get('/pots/:id', pots.showNative, asyncHandler(pots.show))
app.get('/pot/first', pots.firstNative, pots.first)
app.get('/pot/last', pots.last)
app.get('/spoons', spoons.listNative, spoons.list)
app.get('/rewritten', rewritten.list)
app.get('/elsewhere', asyncHandler(rewritten.list))
`)
  expect(textOf('rewritten.cjs')).toBe(files['rewritten.cjs'])
  // What the wrapper is given decides, and not the wrapper.
  expect(stdout).toMatch(
    /no file of the project says which function it is: .*\n +GET \/rewritten.*\n +GET \/elsewhere/,
  )
  expect(await answers('whole.cjs', all)).toEqual(before)
})

it('take the place of those that run their handlers as they are', async () => {
  const { code } = await run('move', 'as-is.cjs', '--native', '--write')
  expect(code).toBe(0)
  expect(textOf('as-is.cjs')).toBe(`const express = require('express')
const { one, oneNative } = require('./exported.cjs')
const teas = require('./teas.cjs')
const app = express()
app.get('/list', teas.listNative, teas.list)
app.get('/one', oneNative)
app.listen(3000)
`)
})

it('are imported and exported as their handlers are, where it is sure which those are', async () => {
  const { code, stdout } = await run('move', 'server.mjs', '--write')
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /takenNative stands beside its handler already: name that.*\n +GET \/taken {2}left\.mjs:1\n/,
  )
  expect(textOf('server.mjs')).toBe(`import express from 'express'
import home, { about, homeNative, aboutNative } from './pages.mjs'
import * as pages from './pages.mjs'
import { list as all, listNative } from './listed.mjs'
import { taken, again, spread } from './left.mjs'
import * as walked from './walked.mjs'

const app = express()
app.get('/', homeNative, home)
app.get('/about', aboutNative, about)
app.get('/contact', pages.contactNative, pages.contact)
app.get('/all', listNative, all)
app.get('/taken', taken)
app.get('/again', again)
app.get('/spread', spread.show)
app.get('/walked', walked.show)
for (const [name, handler] of Object.entries(walked)) app.get('/walked/' + name, handler)
app.listen(3000)
`)
  expect(textOf('pages.mjs')).toBe(`import { native } from 'routecontrollers/express'

export default function home(req, res) {
  res.send('home')
}

export const homeNative = native(function home(req, res) {
  return res.html('home')
})
export const about = (req, res) => res.send('about')

export const aboutNative = native((req, res) => res.html('about'))
export function contact(req, res) {
  res.send('contact')
}

export const contactNative = native(function contact(req, res) {
  return res.html('contact')
})
`)
  expect(textOf('listed.mjs')).toBe(`import { native } from 'routecontrollers/express'

const all = (req, res) => res.send('all')

const listNative = native((req, res) => res.html('all'))

export {
  all as list,
  listNative,
}
`)
  expect(textOf('left.mjs')).toBe(files['left.mjs'])
})

it('are not written too early, twice, for another function or method, nor in a file whose own routes are edited', async () => {
  const { stdout } = await run('move', 'doubtful.cjs', '--json')
  const { routes, files: written } = JSON.parse(stdout) as {
    routes: { method: string; path: string; left?: string }[]
    files: string[]
  }
  expect(routes.map(({ method, path, left }) => [`${method} ${path}`, left])).toMatchInlineSnapshot(`
   [
     [
       "GET /early",
       "no file of the project says which function it is",
     ],
     [
       "GET /counted",
       "it is made by a call of counted, which does more than to give errors to next",
     ],
     [
       "GET /shadowed",
       "no file of the project says which function it is",
     ],
     [
       "GET /both",
       undefined,
     ],
     [
       "POST /both",
       "another route has another native callback of its handler",
     ],
     [
       "GET /mixed",
       "no file of the project says which function it is",
     ],
     [
       "GET /mixed/own",
       undefined,
     ],
     [
       "GET /twice",
       "no file of the project says which function it is",
     ],
     [
       "GET /gotten",
       "no file of the project says which function it is",
     ],
   ]
  `)
  expect(written).toEqual(['doubtful.cjs', 'mixed.cjs', 'doubted.cjs'])
})

it('are not written for a function that another file has put a guard around, or that a subclass there replaces', async () => {
  const why = 'another function than this one is registered'
  const paths: Readonly<Record<string, string | undefined>> = {
    '/secret': why,
    '/late': why,
    '/vault': why,
    '/open': undefined,
    // One call of the class has registered both.
    '/closed': why,
    '/closed/bound': why,
    '/section': why,
    '/section/bound': why,
    '/traced': why,
    '/marked': 'it has members of its own, as roles, which other code may look for',
    '/caught': why,
    '/made': why,
    '/twice': why,
    '/twice/guarded': why,
    '/layer': why,
  }
  const asked = Object.keys(paths).map((path) => `GET ${path}`)
  const before = await answers('replaced.cjs', asked)
  for (const [reasons, ...more] of [[paths], [{}, '--as-is']] as [typeof paths, ...string[]][]) {
    const { stdout } = await run('move', 'replaced.cjs', '--json', '--write', '--force', ...more)
    const { routes } = JSON.parse(stdout) as { routes: { path: string; left?: string }[] }
    if (more.length === 0)
      expect(Object.fromEntries(routes.map(({ path, left }) => [path, left]))).toEqual(reasons)
    expect(await answers('replaced.cjs', asked)).toEqual(before)
  }
  await run('move', 'replaced.cjs', '--native', '--write', '--force')
  expect(await answers('replaced.cjs', asked)).toEqual(before)
})

it('stand in the place of Controllers for none of those either', async () => {
  const asked = ['/secret', '/open', '/closed', '/section', '/caught', '/twice', '/twice/guarded'].map(
    (path) => `GET ${path}`,
  )
  const before = await answers('replaced.cjs', asked)
  for (const more of ['--in-place', '--native']) {
    await run('move', 'replaced.cjs', more, '--write', '--force')
    expect(await answers('replaced.cjs', asked)).toEqual(before)
  }
})

it('use the native form of a function once it is written, in the routes of the methods that it is for', async () => {
  expect((await run('move', 'helped.cjs', '--write')).code).toBe(0)
  expect(textOf('helped.cjs')).toMatchInlineSnapshot(`
   "const app = require('express')()
   const { native } = require('routecontrollers/express')
   const done = (res) => res.send()

   const doneNative = (res) => res.end()
   const refuse = (req, res) => { res.status(403).send('no') }

   const refuseNative = (req, res) => { return res.status(403).html('no') }
   const known = (one, other) => {
     if (one.query.key) return true
     other.status(403).send('no key')
     return false
   }

   const knownNative = (one, other) => {
     if (one.query.key) return true
     other.status(403).html('no key')
     return false
   }
   app.post('/done', native((req, res) => doneNative(res), { body: 'stream' }), (req, res) => done(res))
   app.get('/done', (req, res) => done(res))
   app.get('/refused',
     native((req, res) => { return refuseNative(req, res) }, { body: 'stream' }),
     (req, res) => { refuse(req, res) })
   app.get('/refused/again', (req, res) => { if (!refuse(req, res)) return; res.json([]) })
   app.get('/known',
     native((req, res) => { if (!knownNative(req, res)) return; return res.json([]) }, { body: 'stream' }),
     (req, res) => { if (!known(req, res)) return; res.json([]) })
   app.get('/known/again',
     native((req, res) => { if (!knownNative(req, res)) return; return res.json([1]) }, { body: 'stream' }),
     (req, res) => { if (!known(req, res)) return; res.json([1]) })
   app.listen(3000)
   "
  `)
})

it('have other names in the file of the routes where two are called alike, and none of their own by the name default', async () => {
  expect((await run('move', 'same-names.mjs', '--write')).code).toBe(0)
  expect(textOf('same-names.mjs')).toContain(`
import { show as teas, showNative } from './teas.mjs'
import { show as cups, showNative as rcShowNative } from './cups.mjs'
import pots from './pots.mjs'

const app = express()
app.get('/teas', showNative, teas)
app.get('/cups', rcShowNative, cups)
app.get('/pots', pots)
`)
})

it('stand in a folder node_modules of the repository where both files are named', async () => {
  const own = 'packages/node_modules/pots/index.cjs'
  const { code, stdout } = await run('move', 'own-package.cjs', 'own-package.cjs', own)
  expect([code, stdout]).toEqual([0, expect.stringContaining('+exports.showNative = native(')])
})
