import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { itSlow } from '../../support/counts.js'
import { type Command, createCommand, type Ran } from '../run-command.js'
import { createMoveProject, type MoveProject } from './move-project.js'

// Each run starts a process or two, and waits until nothing more is registered.
jest.setTimeout(300_000)

const app = `const express = require('express')

const app = express()
const requireUser = (req, res, next) => (req.get('x-user') ? next() : res.sendStatus(401))

app.use('/account', requireUser)
app.get('/account/orders', (req, res) => res.json([]))
app.post('/account/orders', (req, res) => {
  res.sendStatus(201)
})
app.get('/teas', (req, res) => res.json(['Assam']))
app.listen(3000)
`
const partlyNative = `const express = require('express')
const app = express()
app.get('/a', (req, res) => res.json('a'))
const guard = (req, res, next) => next()
app.get('/b/guarded', guard, (req, res) => res.json('guarded'))
app.get('/b/file', (req, res) => {
  res.download('file')
})
app.get('/c', (req, res) => res.json([]))
app.listen(3000)
`
const async4 = `const app = require('express4')()
app.get('/rejects', async (req, res) => {
  await null
  res.json([])
})
app.get('/catches', async (req, res) => {
  try {
    await null
    res.json([])
  } catch {
    res.status(500).json({})
  }
})
app.listen(3000)
`
const sharing = `const express = require('express')
const app = express()
const router = express.Router()
router.route('/x').get((req, res) => res.send('read')).put((req, res) => res.send('written'))
router.get('/x/more', (req, res) => res.send('more'))
for (const kind of ['a', 'b']) app.get('/' + kind, (req, res) => res.send(kind))
app.get('/b', (req, res) => res.send('never'))
app.get(['/c', '/d'], (req, res) => res.send('c or d'))
app.use('/one', router)
app.use('/two', router)
app.listen(3000)
`
/** Routes in two files, of which one throws when it has moved. */
const partly = `const app = require('express')()
app.get('/own', (req, res) => res.send('own'))
require('./part.cjs')(app)
app.listen(3000)
`
const part = `const isMoved = require('fs').readFileSync(__filename, 'utf8').includes('add' + 'Controllers')
module.exports = (app) => {
  if (isMoved) throw new Error('moved')
  app.get('/part', (req, res) => res.send('part'))
}
`
/** A route whose handlers two files give it. */
const route = `const app = require('express')()
const route = app.route('/a').get((req, res, next) => next())
require('./route-more.cjs')(route)
app.listen(3000)
`
/** An app that is another one when its own text has changed. */
const touchy = (then: string): string => `const express = require('express')
const isMoved = require('fs').readFileSync(__filename, 'utf8').includes('new Route' + 'Controllers')
const app = express()
${then}
app.get('/a', (req, res) => res.send('a'))
app.listen(3000)
`

const byScript = 'routecontrollers: npm start runs "NODE_ENV=test node server.cjs"'
const found = `${byScript}, so the entry is server.cjs\n`
const also = `${byScript}, so the entry gets NODE_ENV from there\n`

let command: Command
let project: MoveProject
beforeAll(() => {
  command = createCommand()
  project = createMoveProject()
  const write = (name: string, text: string): void => writeFileSync(join(project.folder, name), text)
  write(
    'package.json',
    '{ "scripts": { "start": "NODE_ENV=test node server.cjs" }, "dependencies": { "routecontrollers": "*" } }\n',
  )
  write('server.cjs', app)
  write('sharing.cjs', sharing)
  write('bare.cjs', "require('express')().use((req, res) => res.end()).listen(3000)\n")
  write('plain.cjs', touchy(''))
  write('native.cjs', partlyNative)
  write('async4.cjs', async4)
  write('partly.cjs', partly)
  write('part.cjs', part)
  write('route.cjs', route)
  write('route-more.cjs', "module.exports = (route) => route.get((req, res) => res.send('a'))\n")
  write('loses.cjs', touchy(`if (!isMoved) app.use(function guard(req, res, next) { next() })`))
  write(
    'hashes.cjs',
    touchy(
      "const start = Math.random(); app.get('/js/main-' + start + '.js', (req, res) => res.send('code'))",
    ),
  )
  write('fails.cjs', touchy(`if (isMoved) throw new Error('moved')`))
  mkdirSync(join(project.folder, 'other'))
  write('other/package.json', '{ "scripts": { "start": "webpack serve | cat" } }\n')
  project.git('init', '-q')
  project.git('add', '.')
  project.git('commit', '-qm', 'before')
})
afterAll(() => {
  command.remove()
  project.remove()
})

const move = (...parameters: string[]): Promise<Ran> =>
  command.run('move', '--in-place', '--cwd', project.folder, '--settle-ms', '50', ...parameters)
const textOf = (name: string): string => readFileSync(join(project.folder, name), 'utf8')

describe('routecontrollers move', () => {
  itSlow('writes to no file that a symbolic link leads out of the repository to', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'outside-'))
    const text = "module.exports = (app) => app.get('/outside', (req, res) => res.json([]))\n"
    writeFileSync(join(outside, 'linked.cjs'), text)
    symlinkSync(join(outside, 'linked.cjs'), join(project.folder, 'linked.cjs'))
    const own =
      "const app = require('express')()\nrequire('./linked.cjs')(app)\napp.get('/own', (req, res) => res.json([]))\napp.listen(3000)\n"
    writeFileSync(join(project.folder, 'linking.cjs'), own)
    const { code, stdout } = await move('--entry', 'linking.cjs', '--write', '--force', '--json')
    const { routes, written } = JSON.parse(stdout) as {
      routes: { path: string; left?: string }[]
      written: string[]
    }
    expect({ code, written }).toEqual({ code: 0, written: ['linking.cjs'] })
    expect(routes.map(({ path, left }) => [path, left])).toEqual([
      ['/outside', 'its file is outside of this project'],
      ['/own', undefined],
    ])
    expect(readFileSync(join(outside, 'linked.cjs'), 'utf8')).toBe(text)
    for (const file of ['linked.cjs', 'linking.cjs']) rmSync(join(project.folder, file))
    rmSync(outside, { recursive: true })
  })

  itSlow('says what is to be installed where only development dependencies have what it writes', async () => {
    const manifest = readFileSync(join(project.folder, 'package.json'), 'utf8')
    writeFileSync(
      join(project.folder, 'package.json'),
      manifest.replace('"dependencies"', '"devDependencies"'),
    )
    const { stderr } = await move()
    expect(stderr).toBe(
      `${found}routecontrollers: routecontrollers is not in the dependencies of package.json, and the new code imports it: npm install routecontrollers\n`,
    )
    const again = await move('--entry', 'partly.cjs', '--write', '--force')
    expect([again.code, again.stderr.match(/: npm install/g)]).toEqual([0, [': npm install']])
    expect(again.stdout).toContain('Written: partly.cjs\n')
    project.git('checkout', '-q', '.')
    writeFileSync(
      join(project.folder, 'package.json'),
      manifest.replace('"dependencies"', '"peerDependencies"'),
    )
    expect((await move()).stderr).toBe(found)
    writeFileSync(join(project.folder, 'package.json'), manifest)
  })

  it('leaves a route whose handlers stand in two files', async () => {
    const { stdout } = await move('--entry', 'route.cjs', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      routes: [{ path: '/a', left: 'where it was registered is not known' }],
      files: [],
    })
  })

  it('shows what it would write, of the entry that npm start runs, and writes nothing', async () => {
    const { code, stdout, stderr } = await move()
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: found,
    })
    expect(stdout).toMatchInlineSnapshot(`
     "--- server.cjs
     +++ server.cjs
     @@ -1,3 +1,5 @@
      const express = require('express')
     +const { Controller, RouteControllers } = require('routecontrollers')
     +const { expressPath, fromApp, fromExpress } = require('routecontrollers/express')

      const app = express()
     @@ -5,8 +7,10 @@

      app.use('/account', requireUser)
     -app.get('/account/orders', (req, res) => res.json([]))
     -app.post('/account/orders', (req, res) => {
     +app.use(new RouteControllers([
     +new Controller('GET', expressPath('/account/orders'), fromExpress((req, res) => res.json([]))),
     +new Controller('POST', expressPath('/account/orders'), fromExpress((req, res) => {
        res.sendStatus(201)
     -})
     -app.get('/teas', (req, res) => res.json(['Assam']))
     +})),
     +new Controller('GET', expressPath('/teas'), fromExpress((req, res) => res.json(['Assam']))),
     +], { profile: fromApp(app) }).middleware())
      app.listen(3000)

     moved      3  server.cjs
     3 routes: 3 moved, 0 left
     Nothing is written: --write writes it.
     "
    `)
    expect(textOf('server.cjs')).toBe(app)
  })

  it('writes the routes that were chosen, compares, and moves nothing a second time', async () => {
    const first = await move('--write', '--routes', 'GET /account/**', '--entry', 'server.cjs')
    expect(first).toEqual({ code: 0, stderr: also, stdout: expect.any(String) as string })
    expect(first.stdout).toMatch(/^moved {6}1 {2}server.cjs$/m)
    expect(first.stdout).toMatch(/^left {7}2 {2}it was not chosen$/m)
    expect(first.stdout).toMatch(/✓ 3 routes checked: nothing is lost\nWritten: server.cjs\n$/)
    const written = textOf('server.cjs')
    expect(written).toContain("new Controller('GET', expressPath('/account/orders'), fromExpress(")
    expect(written).toContain("app.post('/account/orders', (req, res) => {")

    const dirty = await move('--write')
    expect([dirty.code, dirty.stderr]).toEqual([
      2,
      `${found}routecontrollers: --write needs a tree without changes, and git tells of some (M server.cjs): commit them, or --force\n`,
    ])

    const second = await move('--write', '--force', '--json', '--routes', 'GET /account/**')
    const { routes, files } = JSON.parse(second.stdout) as { routes: { left?: string }[]; files: string[] }
    expect(files).toEqual([])
    expect(routes.map(({ left }) => left)).toEqual([
      'a Controller answers it already',
      'it was not chosen',
      'it was not chosen',
    ])
    expect(textOf('server.cjs')).toBe(written)
    // What was asked for is told, and not what else is there.
    const other = await move('--force', '--routes', 'POST /account/**')
    expect(other.stdout).not.toContain('a Controller answers it already')
    expect(other.stdout).toMatch(/^left {7}2 {2}it was not chosen\n3 routes: 1 moved, 2 left$/m)
    project.git('checkout', '-q', '.')
  })

  itSlow('needs a tree without changes, also where git tells of more than one megabyte of them', async () => {
    const names = Array.from({ length: 5000 }, (_, at) => join(project.folder, `${'n'.repeat(220)}${at}`))
    for (const name of names) writeFileSync(name, '')
    const { code, stderr } = await move('--write')
    for (const name of names) rmSync(name)
    expect([code, stderr]).toEqual([2, expect.stringContaining('git tells of some (?? nnn')])
  })

  itSlow(
    'names the files that it has written, with --json too, and none in a dry run or after they are put back',
    async () => {
      const writtenBy = async (...parameters: string[]): Promise<unknown> => {
        const { stdout } = await move('--json', ...parameters)
        const { files, written } = JSON.parse(stdout) as { files: string[]; written: string[] }
        expect(files).toHaveLength(1)
        return written
      }
      expect(await writtenBy('--entry', 'plain.cjs')).toEqual([])
      expect(await writtenBy('--entry', 'loses.cjs', '--write')).toEqual([])
      expect(await writtenBy('--entry', 'plain.cjs', '--write')).toEqual(['plain.cjs'])
      project.git('checkout', '-q', '.')
      const { stdout } = await move('--entry', 'loses.cjs', '--write')
      expect(stdout).not.toContain('Written')
    },
  )

  it.each([
    ['PUT /one/x', ['GET /one/x', 'PUT /one/x', 'GET /two/x', 'PUT /two/x'], /route\('\/x'\)/],
    ['/c', ['GET /c', 'GET /d'], /\['\/c', '\/d'\]/],
    ['/a', ['GET /a', 'GET /b'], /'\/' \+ kind/],
  ])('--routes %j reports each route that its calls move', async (routes, expected, moves) => {
    const ran = await move('--entry', 'sharing.cjs', '--json', '--routes', routes)
    const result = JSON.parse(ran.stdout) as {
      routes: { method: string; path: string; left?: string; chosen?: boolean }[]
    }
    const moved = result.routes.filter(({ left }) => left === undefined)
    expect(moved.map(({ method, path }) => `${method} ${path}`)).toEqual(expected)
    for (const { method, path, chosen } of moved) {
      expect(chosen).toBe([path, `${method} ${path}`].includes(routes) ? undefined : false)
    }
    const { stdout } = await move('--entry', 'sharing.cjs', '--routes', routes)
    const taken = stdout.split('\n').filter((line) => /^-(?!-)/.test(line))
    expect(taken.join('\n')).toMatch(moves)
    expect(taken).toHaveLength(1)
    const told = `along ${String(expected.length - 1).padStart(6)}  the call of a chosen route registers it too\n`
    expect(stdout).toContain(told)
    expect(stdout).toContain(`: ${expected.length} moved, ${result.routes.length - expected.length} left\n`)
  })

  itSlow('gives routes that are named a native callback, and tells why others have none', async () => {
    const { code, stdout } = await move('GET /b/**', '--routes', '/c', '--entry', 'native.cjs', '--native')
    expect(code).toBe(0)
    expect(stdout).toContain(
      "+new Controller('GET', '/c', (req, res) => res.json([]), { body: 'stream' }),\n",
    )
    expect(/^moved {6}3 .*$[^]*/m.exec(stdout)![0]).toMatchInlineSnapshot(`
     "moved      3  native.cjs
     native     1  of these
     kept       1  not native: it has more handlers than one
                   GET /b/guarded  native.cjs:5
     kept       1  not native: res.download means something else natively, or is not there: write by hand what brief lists for that member
                   GET /b/file  native.cjs:7
     left       1  it was not chosen
     4 routes: 3 moved, 1 left
     Nothing is written: --write writes it.
     "
    `)
    const json = await move('--entry', 'native.cjs', '--json', '--native', 'GET /b/file', 'GET /c')
    const { routes } = JSON.parse(json.stdout) as { routes: object[] }
    const at = expect.any(String) as string
    expect(routes).toEqual([
      { kind: 'route', method: 'GET', path: '/a', at, left: 'it was not chosen' },
      { kind: 'route', method: 'GET', path: '/b/guarded', at, left: 'it was not chosen' },
      {
        kind: 'route',
        method: 'GET',
        path: '/b/file',
        at,
        native: false,
        notNative: {
          reason: 'res.download means something else natively, or is not there',
          remedy: 'write by hand what brief lists for that member',
          at: 'native.cjs:7',
        },
      },
      { kind: 'route', method: 'GET', path: '/c', at, native: true },
    ])
  })

  it('leaves what may reject in Express 4, which never answers it', async () => {
    const { stdout } = await move('--entry', 'async4.cjs', '--native', '--json')
    const { routes } = JSON.parse(stdout) as { routes: { path: string; notNative?: { reason: string } }[] }
    expect(routes.map(({ path, notNative }) => [path, notNative?.reason])).toEqual([
      ['/rejects', 'Express 4 never answers when it rejects'],
      ['/catches', undefined],
    ])
  })

  it('imports fromExpress and expressPath only where they are used', async () => {
    const { stdout } = await move('--entry', 'plain.cjs', '--native', 'GET /a')
    expect(stdout).toContain("+const { fromApp } = require('routecontrollers/express')\n")
  })

  it.each([
    [
      'app and routes',
      "'use strict'; const express = require('express'); const app = express(); app.route('/a').get((q, s) => s.json(1)).put((q, s) => s.json(2)); app.get('/b', (q, s) => s.json(3)); app.listen(3000)",
    ],
    [
      'a chain',
      "require('express')().get('/a', (q, s) => s.json(1)).put('/a', (q, s) => s.json(2)).get('/b', (q, s) => s.json(3)).listen(3000)",
    ],
    [
      'a comment behind',
      "/* all */ const app = require('express')(); app.get('/a', (q, s) => s.json(1)), app.put('/a', (q, s) => s.json(2)); { app.get('/b', (q, s) => s.json(3)) } app.listen(3000) // end",
    ],
  ])('writes a file of one line: %s', async (_name, text) => {
    writeFileSync(join(project.folder, 'one.cjs'), text)
    const { code, stdout } = await move('--entry', 'one.cjs', '--write', '--force')
    expect(stdout).toMatch(
      /3 moved, 0 left\nTo prove it: .*\n✓ 3 routes checked: nothing is lost\nWritten: one.cjs\n$/,
    )
    expect(code).toBe(0)
    rmSync(join(project.folder, 'one.cjs'))
  })

  it('leaves a minified file, and moves all others', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `a.get("/m${at}",(q,s)=>s.send("answer ${at}"));`)
    writeFileSync(join(project.folder, 'min.cjs'), `module.exports=a=>{${many.join('')}}`)
    const own =
      "const app = require('express')()\nrequire('./min.cjs')(app)\napp.get('/own', (q, s) => s.send(''))\n"
    writeFileSync(join(project.folder, 'main.cjs'), `${own}app.listen(3000)\n`)
    const { code, stdout } = await move('--entry', 'main.cjs', '--write', '--force')
    expect(stdout).toContain('left      60  the code is minified: move its source\n')
    expect([code, stdout.endsWith('Written: main.cjs\n')]).toEqual([0, true])
    for (const file of ['min.cjs', 'main.cjs']) rmSync(join(project.folder, file))
  })

  it('puts all files back when a guard is lost, and says which', async () => {
    const { code, stdout, stderr } = await move('--write', '--entry', 'loses.cjs')
    expect([code, stderr]).toEqual([1, 'routecontrollers: All files are as they were: loses.cjs\n'])
    expect(stdout).toMatch(/✗ GET \/a .*\n {2}lost +guard +loses.cjs:4\n/)
    expect(textOf('loses.cjs')).toContain("app.get('/a', (req, res) => res.send('a'))")
    expect(project.git('status', '--porcelain')).toBe('')
  })

  itSlow('moves an app whose paths differ with each start, where a lock knows them', async () => {
    const alone = await move('--write', '--entry', 'hashes.cjs', '--routes', 'GET /a')
    expect(alone.code).toBe(1)
    expect(alone.stderr).toContain('inspect hashes.cjs --lock routes.lock.json')
    const lock = ['--cwd', project.folder, '--settle-ms', '50', '--lock', 'routes.lock.json']
    await command.run('inspect', 'hashes.cjs', ...lock)
    project.git('add', '.')
    project.git('commit', '-qm', 'lock')
    try {
      const { code, stdout } = await move('--write', '--entry', 'hashes.cjs')
      expect([code, stdout]).toEqual([0, expect.stringContaining('nothing is lost')])
      expect(textOf('hashes.cjs').match(/new Controller\(/g)).toHaveLength(2)
      const checked = await command.run('check', 'hashes.cjs', ...lock)
      expect(checked.stdout).toContain('nothing is lost')
    } finally {
      project.git('reset', '-q', '--hard', 'HEAD~1')
    }
  })

  it('compares the guards of a route that the lock leaves out', async () => {
    const settled = ['--cwd', project.folder, '--settle-ms', '50', '--lock', 'routes.lock.json']
    await command.run('inspect', 'loses.cjs', '--once', '--except', 'GET /a', ...settled)
    try {
      const { code, stdout } = await move('--write', '--force', '--entry', 'loses.cjs')
      expect([code, stdout]).toEqual([1, expect.stringMatching(/lost +guard/)])
    } finally {
      rmSync(join(project.folder, 'routes.lock.json'))
    }
  })

  it('names the lock that was given, where that does not know the paths that differ with each start', async () => {
    const lock = ['--lock', 'once.lock.json']
    const settled = ['--cwd', project.folder, '--settle-ms', '50']
    await command.run('inspect', 'hashes.cjs', '--once', ...settled, ...lock)
    project.git('add', '.')
    project.git('commit', '-qm', 'lock')
    try {
      const { code, stderr } = await move('--write', '--entry', 'hashes.cjs', '--routes', 'GET /a', ...lock)
      expect(code).toBe(1)
      expect(stderr).toContain('inspect hashes.cjs --lock once.lock.json\n')
    } finally {
      project.git('reset', '-q', '--hard', 'HEAD~1')
    }
  })

  it('puts all files back when the app does not start any more', async () => {
    const { code, stderr } = await move('--write', '--entry', 'fails.cjs')
    expect(code).toBe(3)
    expect(stderr).toMatch(/Error: moved/)
    expect(stderr).toMatch(/fails.cjs has failed, with the exit code 1.*\n.*as they were: fails.cjs\n$/)
    expect(project.git('status', '--porcelain')).toBe('')
  })

  it.each([
    [['none.cjs'], /^There is no file none.cjs in /],
    [['--routes', 'account'], /^--routes takes 'GET \/path', or '\/path' for all methods, not "account"$/],
    [
      ['--entry', 'server.cjs', '--routes', '/tea'],
      /^--routes has "\/tea", which is no route of the app: the closest route is "\/teas"$/,
    ],
    [
      ['--entry', 'server.cjs', '--routes', 'POST /account/order'],
      /^--routes has "POST \/account\/order", which is no .*: the closest route is "POST \/account\/orders"$/,
    ],
    [['--entry', 'bare.cjs', '--routes', '/a'], /^--routes has "\/a", which is .*: the app has no routes$/],
    [
      ['--entry', 'server.cjs', 'bare.cjs'],
      /^bare.cjs registers no route of the app\. A file chooses the routes that it registers, as .*\.cjs does\. The .* is --entry bare.cjs$/,
    ],
    [
      ['--entry', 'bare.cjs', 'server.cjs', 'fails.cjs'],
      /^The files that are named register no route of the app\. A file chooses .* registers\. The .* is --entry server.cjs$/,
    ],
    [['--routes', 'teas'], /^--routes takes 'GET \/path', or '\/path' for all methods, not "teas"$/],
    [['--as-is'], /^--in-place writes all handlers as they are: leave --as-is out$/],
    [
      ['--cwd', 'other'],
      /^move needs the entry of the app, and npm start runs "webpack serve \| cat", and webpack serves no Express: routecontrollers move --entry server.js$/,
    ],
    [
      ['--cwd', 'other', 'GET /teas/**', 'main.mjs'],
      /serves no Express: routecontrollers move 'GET \/teas\/\*\*' --entry main.mjs$/,
    ],
    [
      ['--cwd', 'other', 'routes.js', '--write'],
      /serves no Express: routecontrollers move routes.js --entry server.js$/,
    ],
    [
      ['--cwd', '/', '--write', '--entry', __filename],
      /^--write needs git, .* is in no repository; --force /,
    ],
  ])('refuses %j', async (parameters, sentence) => {
    const [first, second] = parameters
    const rest =
      first === '--cwd' ? [first, join(project.folder, second!), ...parameters.slice(2)] : parameters
    const { code, stderr } = await move(...(second === '/' ? ['--cwd', '/', ...parameters.slice(2)] : rest))
    expect(code).toBe(2)
    expect(stderr.replace(also, '').trim().replace('routecontrollers: ', '')).toMatch(sentence)
  })
})
