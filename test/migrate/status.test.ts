// Where each route stands on its road, and what comes next.
import express from 'express'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Controller, RouteControllers } from 'routecontrollers'
import { native } from 'routecontrollers/express'
import { fileStore, migration } from '@routecontrollers/switch'
import { inspect } from '@routecontrollers/cli'
import { itSlow } from '../support/counts.js'
import { createListener } from '../../src/run/listener.js'
import { asIsIn, liftedFrom, statusOf } from '../../packages/cli/src/status/road.js'
import { tellStatus } from '../../packages/cli/src/status/status.js'
import type { Report } from '../../packages/cli/src/documents/child.js'
import type { RouteRow } from '../../packages/cli/src/documents/inventory.js'
import type { LookContext } from '../../packages/cli/src/entry/command-context.js'
import { type CommandOptions, readCommandLine } from '../../packages/cli/src/entry/options.js'
import type { RunOutcome } from '../../packages/cli/src/entry/run-entry.js'
import type { Registered, RegisteredRouter } from '../../packages/cli/src/documents/registered.js'
import type { StatusReport } from '../../packages/cli/src/documents/status.js'
import type { ProveReport } from '../../packages/cli/src/documents/prove.js'
import { readStoredStates } from '../../packages/cli/src/entry/stored-states.js'
import { narrowest } from '../../packages/compare/src/route-keys.js'
import { createCommittedProject, type MoveProject } from './move/move-project.js'
import { ProjectFolder } from './project-folder.js'
import { apps, type Command, createCommand } from './run-command.js'
import { errorHandler, inventory, pass, row } from './written-rows.js'

// Each run starts a process, and waits until nothing more is registered.
jest.setTimeout(300_000)

let command: Command
let folder: string
beforeAll(() => {
  command = createCommand()
  folder = mkdtempSync(join(tmpdir(), 'status-'))
  writeFileSync(join(folder, 'server.js'), '')
})
afterAll(() => {
  command.remove()
  rmSync(folder, { recursive: true })
})

const statesFile = (content: unknown): string => {
  const file = join(folder, 'states.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const reported = (ended: Report['ended']): Report => ({
  ...{ pid: 1, ended, hasListened: true, opaqueListeners: 0, addresses: [] },
  ...{ routeControllers: 0, standIns: 0, inventory: inventory([row('GET /x')]) },
})

describe('routecontrollers status', () => {
  const status = (...more: string[]) =>
    command.run('status', 'beside/server.ts', '--cwd', apps, '--settle-ms', '200', ...more)

  it('says of each route where it stands, how many functions its requests pass and what comes next', async () => {
    const file = statesFile({
      states: {
        'GET /teas': 'shadow',
        '/teas': 'canary 5%',
        'GET /cups': 'native',
        'GET /gone': 'native',
        '//': 'a comment',
      },
    })
    const { code, stdout } = await status('--states', file)
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
     "route            stands          passes       next
     GET /old         legacy          0 functions  routecontrollers move 'GET /old' --write
     GET /teas        shadow          0 functions  set('GET /teas', 'canary 5%')
     GET /teas/:id    canary 5%       0 functions  set('GET /teas/:id', 'native')
     GET /cups        native          0 functions  routecontrollers retire 'GET /cups' --write
     POST /cups       beside, legacy  0 functions  routecontrollers prove 'POST /cups' --unsafe, then set('POST /cups', 'canary 5%')
     GET /done        retired         0 functions
     GET /orders      retired         1 function
     GET /orders/:id  retired         1 function
     GET /lifted      lifted          0 functions

     9 routes, 1 legacy, 1 beside, 1 shadow, 1 canary, 1 native, 3 retired, 1 lifted
     the states have GET /gone, which is for no route that can be switched
     "
    `)
  })

  it('reads states of a file with a byte order mark', () => {
    const file = statesFile('\uFEFF{ "states": { "GET /teas": "native" } }')
    expect(readStoredStates('/', file).states).toEqual({ 'GET /teas': 'native' })
  })

  it('reads which routes nobody asks for in the status of a migration, and not in its states', () => {
    const route = (name: string, more: object): object => ({ route: `GET ${name}`, state: 'native', ...more })
    const lastAskedAt = '2030-01-01T00:00:00.000Z'
    const routes = [
      route('/asked', { lastAskedAt, isDead: false }),
      route('/dead', { lastAskedAt, isDead: true }),
      route('/never', { isDead: false }),
    ]
    const { states, unasked } = readStoredStates('/', statesFile(JSON.stringify({ routes })))
    expect(Object.keys(states)).toEqual(['GET /asked', 'GET /dead', 'GET /never'])
    expect([...unasked]).toEqual(['GET /dead', 'GET /never'])
    expect(readStoredStates('/', statesFile(JSON.stringify({ states }))).unasked.size).toBe(0)
  })

  itSlow('knows no states without the file of them', async () => {
    const { code, stdout } = await status('--json')
    expect(code).toBe(0)
    const { counts, routes, unused } = JSON.parse(stdout)
    expect(counts).toEqual({
      legacy: 1,
      beside: 4,
      shadow: 0,
      canary: 0,
      native: 0,
      retired: 3,
      'as-is': 0,
      lifted: 1,
    })
    expect(unused).toEqual([])
    expect(routes[1]).toEqual({
      app: 0,
      method: 'GET',
      path: '/teas',
      stands: 'beside',
      passes: 0,
      at: 'beside/server.ts:11',
      next: { by: 'set', route: 'GET /teas', state: 'shadow', isProvedFirst: true },
    })
  })

  it.each<[RunOutcome, code: number, isTold: boolean, said: string]>([
    [{ report: reported({ by: 'settled' }), code: undefined, signal: undefined }, 0, true, ''],
    [{ report: reported({ by: 'exit', code: 0 }), code: 0, signal: undefined }, 0, true, ''],
    [
      { report: reported({ by: 'exit', code: 1 }), code: 1, signal: undefined },
      3,
      true,
      'with the exit code 1',
    ],
    [{ report: undefined, code: 1, signal: undefined }, 3, false, 'with the exit code 1'],
    [{ report: undefined, code: undefined, signal: undefined }, 3, false, 'was busy with its own code'],
  ])(
    'ends with 3 where the entry has failed, also where it has something to tell: %#',
    async (outcome, code, isTold, said) => {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()]
      const options = readCommandLine(['status', 'server.js', '--cwd', folder]) as CommandOptions
      const context = { stdout, stderr, look: () => Promise.resolve(outcome) } as unknown as LookContext
      const editors = { rowsToLift: () => new Set<RouteRow>(), routesTogether: () => new Map() }
      expect(await tellStatus(options, context, editors)).toBe(code)
      const texts = [stdout, stderr].map((one) => String(one.read() ?? ''))
      expect([texts[0]!.includes('GET /x'), texts[1]]).toEqual([isTold, expect.stringContaining(said)])
    },
  )

  it.each([
    ['a file that is not there', undefined, 'cannot be read'],
    ['what is no JSON', '{', 'cannot be read'],
    ['what has no states', '{"GET /teas":"native"}', 'holds no { "states"'],
    ['a state that is no text', '{"states":{"GET /teas":1}}', 'has no text as the state of "GET /teas"'],
  ])('refuses %s', async (_what, content, message) => {
    const file = content === undefined ? join(folder, 'none.json') : statesFile(content)
    const { code, stderr } = await status('--states', file)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('routecontrollers status of a project', () => {
  let project: MoveProject
  beforeAll(() => {
    project = createCommittedProject({
      'package.json': '{ "dependencies": { "routecontrollers": "*" } }',
      'teas.cjs': `const { Router } = require('express')
const { native } = require('routecontrollers/express')
const teas = Router()
teas.get('/', native(() => ['Assam']))
module.exports = teas
`,
      'cups.cjs': `const { Router } = require('express')
const { native } = require('routecontrollers/express')
const list = native(() => ['Mug'])
const cups = Router()
cups.route('/').get(list)
module.exports = cups
`,
      'depots.cjs': `const { Router } = require('express')
const { native } = require('routecontrollers/express')
const depots = Router()
depots.get('/', native(() => ['north']), (req, res) => res.json(['north']))
module.exports = depots
`,
      'server.cjs': `const app = require('express')()
app.use('/teas', require('./teas.cjs'))
app.use('/cups', require('./cups.cjs'))
app.use('/depots', require('./depots.cjs'))
app.use('/v1/depots', require('./depots.cjs'))
app.listen(0)
`,
    })
  })
  afterAll(() => project.remove())

  const linesOf = async (states: object): Promise<string[]> => {
    const file = statesFile({ states })
    const where = ['--cwd', project.folder, '--settle-ms', '50']
    const { stdout } = await command.run('status', 'server.cjs', '--states', file, ...where)
    return stdout.split('\n').flatMap((line) => /^GET .*$/.exec(line)?.[0].replace(/ +/g, ' ') ?? [])
  }

  itSlow('names lift for the routers that lift takes', async () => {
    expect((await linesOf({})).slice(0, 2)).toEqual([
      'GET /teas retired 0 functions routecontrollers lift teas.cjs --write',
      'GET /cups retired 0 functions',
    ])
  })

  it('names retire for all routes that have the same handler, once all of them are native', async () => {
    expect((await linesOf({ 'GET /v1/depots': 'shadow', 'GET /depots': 'native' })).slice(2)).toEqual([
      'GET /depots native 0 functions',
      "GET /v1/depots shadow 0 functions set('GET /v1/depots', 'canary 5%')",
    ])
    expect((await linesOf({ 'GET /v1/depots': 'native', 'GET /depots': 'native' })).slice(2)).toEqual([
      "GET /depots native 0 functions routecontrollers retire 'GET /depots' 'GET /v1/depots' --write",
      "GET /v1/depots native 0 functions routecontrollers retire 'GET /v1/depots' 'GET /depots' --write",
    ])
    const named = ['retire', 'GET /depots', 'GET /v1/depots', '--entry', 'server.cjs']
    const { stdout } = await command.run(...named, '--cwd', project.folder, '--settle-ms', '50')
    expect(stdout).toContain('retired    2')
  })
})

describe('The road of a route', () => {
  const silent = { info() {}, warn() {}, error() {} }
  const show = native(() => 'native')
  const legacy = (_req: any, res: any): void => void res.send('legacy')

  it('goes on by the states that the switch has written', async () => {
    const app = express()
    app.get('/x', show, legacy)
    const file = join(folder, 'migration.json')
    const switching = migration({ app, store: fileStore({ file }), logger: silent })
    const stands: unknown[] = []
    try {
      for (const state of ['shadow', 'canary 5%', 'native', 'legacy'] as const) {
        await switching.set('GET /x', state, { by: 'Ada', reason: 'a test' })
        const { routes } = statusOf(inspect(app), readStoredStates('/', file).states)
        stands.push([routes[0]!.stands, routes[0]!.next])
      }
    } finally {
      await switching.close()
    }
    const route = 'GET /x'
    expect(stands).toEqual([
      ['shadow', { by: 'set', route, state: 'canary 5%' }],
      ['canary', { by: 'set', route, state: 'native' }],
      ['native', { by: 'retire', route }],
      ['beside', { by: 'set', route, state: 'shadow', isProvedFirst: true }],
    ])
  })

  it('is that of a Controller, too, in front of an app that has the route still', () => {
    const app = express()
    app.get('/x', legacy)
    const routeControllers = new RouteControllers(
      ['/x', '/own'].map((path) => new Controller('GET', path, () => 'native')),
    )
    const served = createListener(routeControllers.getCallback(), { fallback: app })
    const told = (states: Record<string, string>) =>
      statusOf(inspect(served), states).routes.map(({ path, stands, next }) => [path, stands, next?.by])
    expect(told({ '*': 'native' })).toEqual([
      ['/x', 'native', 'delete'],
      ['/own', 'lifted', undefined],
    ])
    expect(told({})[0]).toEqual(['/x', 'beside', 'set'])
  })

  it('is that of its own app', () => {
    const [app, other] = [express(), express()]
    app.use(new RouteControllers([new Controller('GET', '/x', () => 'native')]).middleware())
    other.get('/x', legacy)
    const inventory = inspect(app)
    const ofOther = inspect(other).routes.map((row) => ({ ...row, app: 1 }))
    const { routes } = statusOf({ ...inventory, routes: [...inventory.routes, ...ofOther] }, {})
    expect(routes.map((row) => [row.app, row.path, row.stands])).toEqual([
      [0, '/x', 'lifted'],
      [1, '/x', 'legacy'],
    ])
  })

  it.each([
    ['GET', 'shadow'],
    ['HEAD', 'shadow'],
    ['*', 'shadow'],
    ['OPTIONS', 'canary 5%'],
    ['DELETE', 'canary 5%'],
  ])('goes on by a shadow where nothing is written: %s', (method, state) => {
    const beside = row(`${method} /x`, [], { own: { stage: 'beside' } })
    expect(statusOf(inventory([beside]), {}).routes[0]!.next).toMatchObject({ by: 'set', state })
  })

  it('counts the functions before it, and no error handlers', () => {
    const guarded = row('GET /x', [pass('a'), errorHandler('e', 1), pass('b')], { own: { stage: 'legacy' } })
    expect(statusOf(inventory([guarded]), undefined).routes[0]!.passes).toBe(2)
  })

  it('is read from states as somebody may have written them by hand', () => {
    const stands = (state: string): string =>
      statusOf(inventory([row('GET /x', [], { own: { stage: 'beside' } })]), { 'GET /x': state }).routes[0]!
        .stands
    expect([' native ', 'canary 5% of clients', 'nativelike', 'none'].map(stands)).toEqual([
      'native',
      'canary',
      'beside',
      'beside',
    ])
    // A key that is for no route is told, and a comment is none.
    const states = { 'GET /x': 'native', '// since May': 'of the shop', 'GET /gone': 'native' }
    const { unused } = statusOf(inventory([row('GET /x', [], { own: { stage: 'beside' } })]), states)
    expect(unused).toEqual(['GET /gone'])
  })

  it('ends together for the routes of one call, each of which is named once', () => {
    const own = { stage: 'beside' } as const
    const rows = [row('GET /x', [], { own }), row('GET /y', [], { own }), row('GET /y', [], { own, app: 1 })]
    const together = new Map(rows.map((one) => [one, rows]))
    const nextOf = (states: Record<string, string>) =>
      statusOf(inventory(rows, 2), states, { together }).routes.map(({ next }) => next)
    expect(nextOf({ '*': 'native' })).toEqual([
      { by: 'retire', route: 'GET /x', also: ['GET /y'] },
      ...[0, 1].map(() => ({ by: 'retire', route: 'GET /y', also: ['GET /x'] })),
    ])
    expect(nextOf({ 'GET /x': 'native', 'GET /y': 'shadow' })[0]).toBeUndefined()
  })

  it('leads through a rewrite where its native callback runs the handler of Express', () => {
    const rows = [
      row('GET /x', [], { own: { stage: 'beside' } }),
      row('GET /y', [], { own: { stage: 'beside' } }),
      row('GET /z', [], { own: { stage: 'native' } }),
    ]
    const registered = { nativesAsIs: [1, 2], runsHandlers: [] } as unknown as Registered
    const asIs = asIsIn(inventory(rows), registered)
    const { routes } = statusOf(inventory(rows), undefined, { asIs })
    expect(routes.map(({ next }) => next!.by)).toEqual(['set', 'brief', 'brief'])
    expect([...asIsIn(inventory(rows), undefined)]).toEqual([])
  })

  it('leads through a rewrite where a Controller runs the handler of Express, and is that of such a Controller', () => {
    const rows = ['GET /x', 'GET /y'].map((route) =>
      row(route, [], { own: { by: 'Controller' }, answer: { by: 'Controller' } }),
    )
    const registered = { nativesAsIs: [], runsHandlers: [1] } as unknown as Registered
    const asIs = asIsIn(inventory(rows), registered)
    const { routes, counts } = statusOf(inventory(rows), undefined, { asIs })
    expect(routes.map(({ stands, next }) => [stands, next?.by])).toEqual([
      ['lifted', undefined],
      ['as-is', 'brief'],
    ])
    expect(counts).toMatchObject({ 'as-is': 1, lifted: 1 })
  })

  it('leads through a rewrite the one method of a chain whose native callback runs the handler of Express', async () => {
    const project = createCommittedProject({
      'server.cjs': `const { fromExpress, native } = require('routecontrollers/express')
const app = require('express')()
app.route('/teas').get(native(() => 'teas')).post(native(fromExpress((req, res) => res.end()))).put(native(() => 'put'))
app.listen(0)
`,
    })
    try {
      const { stdout } = await command.run('status', 'server.cjs', '--json', '--cwd', project.folder)
      const { routes } = JSON.parse(stdout) as StatusReport
      expect(routes.map(({ method, next }) => [method, next?.by])).toEqual([
        ['GET', undefined],
        ['POST', 'brief'],
        ['PUT', undefined],
      ])
    } finally {
      project.remove()
    }
  })

  itSlow('ends at a handler that other handlers of its route follow, as move leaves it', async () => {
    const project = new ProjectFolder(command)
    project.write(
      'server.cjs',
      `const express = require('express')
const app = express()
const login = (req, res, next) => next()
const show = (req, res) => res.send('x')
app.route('/items').all(login).get(show)
app.route('/teas').get(login, show).all(login).put(show)
app.all('/all', show)
app.listen(0)
`,
    )
    try {
      const { stdout } = await project.run('status', 'server.cjs', '--json')
      const { routes } = JSON.parse(stdout) as StatusReport
      const left = ['* /items', '* /teas', 'GET /teas']
      const nextOf = (by: string): string[] =>
        routes.flatMap(({ next }) => (next?.by === by ? next.route : [])).sort()
      expect(nextOf('split')).toEqual(left)
      expect(nextOf('move')).toEqual(['* /all', 'GET /items', 'PUT /teas'])
      const text = await project.run('status', 'server.cjs')
      expect(text.stdout).toMatch(/^GET \/teas +legacy +1 function +other handlers of its route follow it: /m)
      const moved = await project.run('move', '/**', '--as-is', '--entry', 'server.cjs', '--json')
      const told = JSON.parse(moved.stdout) as { routes: { method: string; path: string; left?: string }[] }
      const names = told.routes.flatMap((one) => (one.left ? `${one.method} ${one.path}` : []))
      expect(names.sort()).toEqual(left)
      const proof = await project.run('prove', 'server.cjs', 'GET /teas', '--json')
      const { missing } = JSON.parse(proof.stdout) as ProveReport
      expect(missing.map(({ code, route }) => [code, route])).toContainEqual(['followed', 'GET /teas'])
    } finally {
      project.remove()
    }
  })

  it('ends at the handler of a route that a package registers', () => {
    const rows = [
      ...['GET /x', 'GET /y'].map((route) => row(route, [], { own: { stage: 'legacy' } })),
      row('GET /z', [], { own: { stage: 'beside' } }),
    ]
    const { routes } = statusOf(inventory(rows), undefined, { kept: new Set([rows[0]!, rows[2]!]) })
    expect(routes.map(({ stands, next }) => [stands, next!.by])).toEqual([
      ['legacy', 'keep'],
      ['legacy', 'move'],
      // A package that has a native callback says by itself how it goes on.
      ['beside', 'set'],
    ])
  })

  it.each<[string, string[], Partial<RegisteredRouter>, string | undefined]>([
    [
      'ends in a list of Controllers, where its router is of one file',
      ['/app/x.js', '/app/x.js'],
      {},
      '/app/x.js',
    ],
    ['ends native, where two files register with its router', ['/app/x.js', '/app/y.js'], {}, undefined],
    ['ends native in the app itself', ['/app/x.js'], { kind: 'app' }, undefined],
    ['ends native in a package', ['/app/node_modules/a/x.js'], {}, undefined],
    ['ends native where its file is not known', [undefined as unknown as string], {}, undefined],
  ])('%s', (_name, files, more, lifted) => {
    const rows = files.map((_file, at) => row(`GET /${at}`, [], { own: { stage: 'native' } }))
    const layers = files.map((file) => ({
      isRoute: true,
      guards: 0,
      calls: [{ at: file && { file, line: 1, column: 1, isCompiled: false } }],
    }))
    const registered = {
      routers: [{ kind: 'router', layers, ...more }],
      rows: rows.map((_row, at) => [0, at]),
    } as unknown as Registered
    const lifts = liftedFrom(inventory(rows), registered)
    const { routes } = statusOf(inventory(rows), undefined, { lifts })
    for (const { path, next } of routes)
      expect(next).toEqual(lifted && { by: 'lift', route: `GET ${path}`, file: lifted })
  })

  it('ends native where another route of its router still has a handler', () => {
    const rows = [
      row('GET /x', [], { own: { stage: 'native' } }),
      row('GET /y', [], { own: { stage: 'legacy' } }),
    ]
    const calls = [{ at: { file: '/app/x.js' } }]
    const layers = [
      { isRoute: true, guards: 0, calls },
      { isRoute: true, guards: undefined, calls },
    ]
    const registered = {
      routers: [{ kind: 'router', layers }],
      rows: [
        [0, 0],
        [0, 1],
      ],
    } as unknown as Registered
    expect([...liftedFrom(inventory(rows), registered)]).toEqual([])
  })

  it.each<[string, number, string[]]>([
    ['ends in a list where a guard of its router stands before all routes', 0, ['GET /x', 'GET /y']],
    ['ends native where a guard of its router stands between routes', 1, []],
    ['ends native where a guard of its router stands behind routes', 2, []],
  ])('%s', (_name, place, lifted) => {
    const rows = ['GET /x', 'GET /y'].map((route) => row(route, [], { own: { stage: 'native' } }))
    const layers: object[] = rows.map(() => ({
      isRoute: true,
      guards: 0,
      calls: [{ at: { file: '/app/x.js' } }],
    }))
    const places = layers.map((_layer, at) => [0, at < place ? at : at + 1])
    layers.splice(place, 0, { isRoute: false, calls: [], use: { isGuard: true } })
    const registered = { routers: [{ kind: 'router', layers }], rows: places } as unknown as Registered
    const files = liftedFrom(inventory(rows), registered)
    expect([...files.keys()].map(({ method, path }) => `${method} ${path}`)).toEqual(lifted)
  })

  it('counts the narrowest key, as the switch does', () => {
    const routes = ['GET /a', 'GET /a/b', 'GET /a/b/c', 'POST /a/bc/d', 'GET /ab', 'GET /']
    const keys = ['*', 'GET /a/b', '/a', '/a/b/', '//a', '/a/bc', 'POST /a/b', 'GET /a']
    expect(Object.fromEntries(routes.map((route) => [route, narrowest(keys, route)]))).toEqual({
      'GET /a': 'GET /a',
      'GET /a/b': 'GET /a/b',
      'GET /a/b/c': '/a/b/',
      'POST /a/bc/d': '/a/bc',
      'GET /ab': '*',
      'GET /': '*',
    })
  })
})
