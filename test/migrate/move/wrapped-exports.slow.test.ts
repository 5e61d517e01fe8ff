// Handlers that a file exports with a wrapper of async handlers around them: `exports.show = catchAsync(async (req, res) => …)`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, createCommand } from '../run-command.js'
import { AskedApps } from './asked-apps.js'
import { createCommittedProject, type MoveProject } from './move-project.js'

jest.setTimeout(300_000)

const files = {
  'node_modules/express-async-handler/index.js': `module.exports = function asyncHandler(fn) {
  return function asyncUtilWrap(...args) {
    return Promise.resolve(fn(...args)).catch(args[args.length - 1])
  }
}
`,
  'catch-async.cjs': `module.exports = (fn) => (req, res, next) => fn(req, res, next).catch(next)
`,
  'told.cjs': `exports.told = (fn) => (req, res, next) => {
  if (!req.get('authorization')) return res.sendStatus(401)
  return fn(req, res, next).catch(next)
}
`,
  'teas.cjs': `const catchAsync = require('./catch-async.cjs')
const asyncHandler = require('express-async-handler')
const { told } = require('./told.cjs')
const teas = { 1: 'Assam' }
exports.list = catchAsync(async (req, res) => {
  res.json(Object.values(teas))
})
exports.show = catchAsync(async (req, res) => {
  if (!teas[req.params.id]) throw Object.assign(new Error('none'), { status: 404 })
  res.json({ tea: teas[req.params.id] })
})
const add = async (req, res) => { res.status(201).json({ added: true }) }
exports.add = catchAsync(add)
exports.added = catchAsync(add)
const pour = (req, res) => { res.send('tea') }
exports.pour = pour
exports.poured = pour
exports.bought = asyncHandler(async (req, res) => { res.send('bought') })
exports.guarded = told(async (req, res) => { res.json('secret') })
exports.replaced = catchAsync(async (req, res) => { res.json('secret') })
exports.twice = catchAsync(catchAsync(async (req, res) => { res.json('twice') }))
exports.itself = catchAsync(async function (req, res) { res.json(this) })
let later = async (req, res) => { res.json('open') }
exports.later = catchAsync(later)
later = async (req, res) => { res.json('later') }
`,
  'replace.cjs': `const all = require('./all.cjs')
const allowed = (req, res) => {
  if (!req.get('authorization')) res.sendStatus(401)
  return !res.headersSent
}
all.checks = { ...all.checks, allowed }
const teas = require('./teas.cjs')
const { replaced } = teas
teas.replaced = (req, res, next) => (req.get('authorization') ? replaced(req, res, next) : res.sendStatus(401))
`,
  'cups.cjs': `const catchAsync = require('./catch-async.cjs')
class Cups {
  constructor(all) { this.all = all }
  list = catchAsync(async (req, res) => { res.json(this.all) })
  show(req, res) { res.json([this.all, req.params.id]) }
  async late(req, res) { res.json(this.all.map((one) => 'late ' + one)) }
}
module.exports = { Cups }
`,
  'mugs.cjs': `const catchAsync = require('./catch-async.cjs')
const list = catchAsync(async (req, res) => { res.json(['mug']) })
module.exports = { list }
`,
  'bowls.cjs': `exports.list = (req, res) => { res.json(['bowl']) }
`,
  'checks.cjs': `exports.allowed = () => true
exports.made = (tea) => (req, res) => { res.json(tea) }
`,
  'all.cjs': `const mugs = require('./mugs.cjs')
const guarded = (all) => ({ list: (req, res) => (req.get('authorization') ? all.list(req, res) : res.sendStatus(401)) })
module.exports = { mugs, bowls: require('./bowls.cjs'), checks: require('./checks.cjs'), guarded: guarded(require('./bowls.cjs')) }
`,
  'jars.mjs': `export const list = (req, res) => { res.json(['jar']) }
export const allowed = (req, res) => {
  if (req.get('authorization')) return true
  res.sendStatus(401)
  return false
}
`,
  'all.mjs': `export * as jars from './jars.mjs'
export { list as jarList } from './jars.mjs'
`,
  'server.mjs': `import express from 'express'
import { jars } from './all.mjs'
const app = express()
app.get('/list', jars.list)
app.get('/shown', (req, res) => { if (jars.allowed(req, res)) res.json('jar') })
export default app
if (!process.env.ASKED) app.listen(0)
`,
  'server.cjs': `const express = require('express')
require('./replace.cjs')
const catchAsync = require('./catch-async.cjs')
const teas = require('./teas.cjs')
const { Cups } = require('./cups.cjs')
const { mugs, bowls, guarded, checks } = require('./all.cjs')
const cups = new Cups(['blue'])
const other = { all: ['red'] }
class Shelf {
  cups = new Cups(['green'])
  constructor(app) { app.get('/shelf/:id', this.cups.show.bind(this.cups)) }
}
class Pots {
  static made = 1
  list(req, res) { res.json(['pot']) }
  own(req, res) { res.json([this]) }
  set(req, res) { res.json('open') }
  late = catchAsync(async (req, res) => { res.json('late') })
  here = catchAsync(async (req, res) => { res.json(this.list.name) })
}
Pots.prototype.set = (req, res) => { res.sendStatus(401) }
const pots = new Pots()
const app = express()
app.set('env', 'production')
app.get('/list', teas.list)
app.get('/show/:id', teas.show)
app.post('/add', teas.add)
app.put('/add', teas.added)
app.get('/bought', teas.bought)
app.get('/pour', teas.pour)
app.get('/poured', teas.poured)
app.get('/guarded', teas.guarded)
app.get('/replaced', teas.replaced)
app.get('/twice', teas.twice)
app.get('/itself', teas.itself)
app.get('/later', teas.later)
app.get('/cups', cups.list)
app.get('/cups/late', catchAsync(cups.late.bind(cups)))
app.get('/cups/:id', cups.show.bind(cups))
app.get('/red/:id', cups.show.bind(other))
new Shelf(app)
app.get('/mugs', mugs.list)
app.get('/bowls', bowls.list)
app.get('/guarded/bowls', guarded.list)
app.get('/checked', (req, res) => { if (checks.allowed(req, res)) res.json('secret') })
app.get('/made', checks.made('Assam'))
app.get('/pots', pots.list)
app.get('/pots/own', pots.own)
app.get('/pots/set', pots.set)
app.get('/pots/late', pots.late)
app.get('/pots/here', pots.here)
module.exports = app
if (!process.env.ASKED) app.listen(0)
`,
}
const asked = [
  ...[
    '/list',
    '/show/1',
    '/show/2',
    '/bought',
    '/pour',
    '/poured',
    '/guarded',
    '/replaced',
    '/twice',
    '/itself',
    '/later',
  ],
  ...[
    '/cups',
    '/mugs',
    '/bowls',
    '/guarded/bowls',
    '/pots',
    '/pots/own',
    '/pots/set',
    '/pots/late',
    '/pots/here',
  ],
].flatMap((path) => [{ path }, { path, headers: { authorization: 'me' } }])

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

const run = (name: string, ...parameters: string[]) =>
  command.run(name, '--entry', 'server.cjs', '--cwd', project.folder, '--settle-ms', '50', ...parameters)
const textOf = (name: string): string => readFileSync(join(project.folder, name), 'utf8')
const answers = () =>
  apps.answers('server.cjs', [...asked, { path: '/add', method: 'POST' }, { path: '/add', method: 'PUT' }])

it('have their native form beside them, and answer as before', async () => {
  const before = await answers()
  const { code, stdout } = await run('move', '--write')
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Written: ') })
  expect(textOf('server.cjs')).toContain(`
app.get('/list', teas.listNative, teas.list)
app.get('/show/:id', teas.showNative, teas.show)
app.post('/add', teas.addNative, teas.add)
app.put('/add', teas.addedNative, teas.added)
app.get('/bought', teas.boughtNative, teas.bought)
app.get('/pour', teas.pourNative, teas.pour)
app.get('/poured', teas.pouredNative, teas.poured)
app.get('/guarded', teas.guarded)
app.get('/replaced', teas.replaced)
app.get('/twice', teas.twice)
app.get('/itself', teas.itself)
app.get('/later', teas.later)
app.get('/cups', cups.listNative, cups.list)
app.get('/cups/late', cups.lateNative, catchAsync(cups.late.bind(cups)))
app.get('/cups/:id', cups.showNative, cups.show.bind(cups))
app.get('/red/:id', cups.show.bind(other))
new Shelf(app)
app.get('/mugs', mugs.listNative, mugs.list)
app.get('/bowls', bowls.listNative, bowls.list)
app.get('/guarded/bowls', guarded.list)
app.get('/checked', (req, res) => { if (checks.allowed(req, res)) res.json('secret') })
app.get('/made', checks.made('Assam'))
app.get('/pots', native((req, res) => { return res.json(['pot']) }), pots.list)
app.get('/pots/own', pots.own)
app.get('/pots/set', pots.set)
app.get('/pots/late', native(async (req, res) => { return res.json('late') }), pots.late)
app.get('/pots/here', pots.here)
`)
  expect(textOf('teas.cjs')).toContain(`
exports.add = catchAsync(add)

exports.addNative = native(async (req, res) => { return res.status(201).json({ added: true }) }, { body: 'stream' })
exports.added = catchAsync(add)

exports.addedNative = native(async (req, res) => { return res.status(201).json({ added: true }) }, { body: 'stream' })
const pour = `)
  expect(textOf('cups.cjs')).toContain(`
  list = catchAsync(async (req, res) => { res.json(this.all) })

  listNative = native(async (req, res) => { return res.json(this.all) })
  show(req, res) { res.json([this.all, req.params.id]) }

  showNative = native((req, res) => { return res.json([this.all, req.params.id]) })
  async`)
  expect(textOf('server.cjs')).toContain(
    "app.get('/shelf/:id', this.cups.showNative, this.cups.show.bind(this.cups))",
  )
  expect(stdout).toMatch(/it uses this: .*\n +GET \/itself .*\n +GET \/pots\/own .*\n +GET \/pots\/here /)
  expect(await answers()).toEqual(before)
})

it('have it too where a file exports a whole module by a name, in ES modules as well', async () => {
  const before = await apps.answers('server.mjs', [{ path: '/list' }])
  const { stdout } = await command.run('move', '--entry', 'server.mjs', '--cwd', project.folder, '--write')
  expect(stdout).toContain('Written: ')
  expect(textOf('server.mjs')).toContain("app.get('/list', jars.listNative, jars.list)\n")
  expect(textOf('jars.mjs')).toContain('export const listNative = native(')
  expect(await apps.answers('server.mjs', [{ path: '/list' }])).toEqual(before)
})

it('are deleted from their routes, and retire names the file that has them still', async () => {
  await run('move', '--write')
  const { stdout } = await run('retire', '/**')
  expect(stdout).toContain('teas.list  of ./teas.cjs')
  expect(stdout).toContain('cups.list  ')
})
