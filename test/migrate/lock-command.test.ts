// How `inspect --lock` writes a lock, and which locks `check` reads.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, unlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Inventory } from '@routecontrollers/cli'
import { isWhole, itSlow, slowRows } from '../support/counts.js'
import { type Command, createCommand } from './run-command.js'
import { lockVersion } from '../../packages/cli/src/check/lock.js'
import { ProjectFolder } from './project-folder.js'

jest.setTimeout(300_000)

let command: Command
let folder: ProjectFolder
beforeAll(() => {
  command = createCommand()
})
afterAll(() => command.remove())
beforeEach(() => {
  folder = new ProjectFolder(command)
})
afterEach(() => folder.remove())

describe('A path that differs with each start', () => {
  const auth = `function auth(req, res, next) { if (req.headers.authorization) next(); else res.status(401).end() }`
  const write = (guards: string, ...more: string[]): void =>
    folder.write(
      'app.cjs',
      `const app = require('express')()
const start = require('node:crypto').randomBytes(8).toString('hex')
${auth}
for (const name of ['pad', 'time-slider'])
  app.get('/js/' + name + '-' + start + '.min.js', ${guards} (req, res) => res.end('code'))
app.get('/users', auth, (req, res) => res.end('users'))
${more.join('\n')}
app.listen(0)`,
    )

  it('is found by a second start, and is no finding', async () => {
    write('auth,')
    const { stderr } = await folder.writeLock('app.cjs', [])
    expect(stderr).toContain('app.cjs starts a second time')
    expect(stderr).toContain('routes.lock.json: 3 routes, 2 with a path that varies')
    const paths = folder.lock.routes.map(({ path, varies = false }) => [path, varies])
    expect(paths).toEqual([
      ['/js/pad-*.min.js', true],
      ['/js/time-slider-*.min.js', true],
      ['/users', false],
    ])
    expect(await folder.findings('app.cjs')).toEqual([])
    const written = folder.read('routes.lock.json')
    for (const again of [[], ['--once']]) {
      await folder.writeLock('app.cjs', again)
      expect(folder.read('routes.lock.json')).toBe(written)
    }
  })

  it('is told apart from that of a route that is always there', async () => {
    write('auth,', "app.get('/js/pad-always.min.js', auth, (req, res) => res.end('code'))")
    await folder.writeLock('app.cjs', [])
    expect(folder.lock.routes.map(({ path }) => path)).toContain('/js/pad-always.min.js')
    expect(await folder.findings('app.cjs')).toEqual([])
  })

  it('keeps its guards, and no other route stands for it', async () => {
    write('auth,')
    await folder.writeLock('app.cjs', [])
    write('')
    expect(await folder.findings('app.cjs')).toEqual([
      'GET /js/pad-*.min.js lost auth',
      'GET /js/time-slider-*.min.js lost auth',
    ])
    const other = "app.get('/js/pad-debug.min.js', (req, res) => res.end('secret'))"
    write('auth,', other)
    expect(await folder.findings('app.cjs')).toEqual(['GET /js/pad-debug.min.js new is not in the lock'])
    folder.write('app.cjs', folder.read('app.cjs').replace("'pad', ", ''))
    expect(await folder.findings('app.cjs')).toEqual([
      'GET /js/pad-*.min.js gone is not there any more',
      'GET /js/pad-debug.min.js new is not in the lock',
    ])
    // Of the same handler, and behind no guard.
    const twin =
      "const code = (req, res) => res.end('code')\napp.get('/js/pad-1.min.js', (req, res) => res.end('code'))"
    write('auth,', twin)
    expect(await folder.findings('app.cjs')).not.toEqual([])
  })

  it('is a finding after one start, and can be left out', async () => {
    write('auth,')
    const { stderr } = await folder.writeLock('app.cjs')
    expect(stderr).not.toContain('second time')
    expect(await folder.findings('app.cjs')).toHaveLength(4)
    const told = await folder.writeLock('app.cjs', ['--once', '--except', 'GET /js/*'])
    expect(told.stderr).toContain('routes.lock.json: 1 route, 2 left out by --except')
    expect(await folder.findings('app.cjs')).toEqual([])
    expect((await folder.run('check', 'app.cjs')).stdout).toContain(
      '1 route checked, 2 left out by the lock: nothing is lost',
    )
    await folder.writeLock('app.cjs')
    expect(folder.lock.except).toEqual(['GET /js/*'])
    const none = await folder.run('inspect', 'app.cjs', '--lock', 'l.json', '--once', '--except', 'GET /user')
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('the closest route is "GET /users"'),
    ])
    const alone = await folder.run('inspect', 'app.cjs', '--except', 'GET /users')
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('go with --lock')])
  })

  itSlow('tells of a second start that fails, and of a route that one start alone has', async () => {
    write(
      'auth,',
      "const fs = require('node:fs'); if (fs.existsSync('started')) process.exit(1)\nfs.writeFileSync('started', '')",
    )
    const failed = await folder.writeLock('app.cjs', [])
    expect(failed.stderr).toContain('The second start has failed')
    unlinkSync(join(folder.path, 'started'))
    write(
      'auth,',
      "const fs = require('node:fs'); if (!fs.existsSync('started')) app.get('/first', (req, res) => res.end())\nfs.writeFileSync('started', '')",
    )
    const { stderr } = await folder.writeLock('app.cjs', [])
    expect(stderr).toContain('Only one of both starts has GET /first')
  })
})

describe('A lock of version 1', () => {
  const app = (guards: string): void =>
    folder.write(
      'app.cjs',
      `const app = require('express')()
const role = (name) => function guard(req, res, next) { req.get('role') === name ? next() : res.end() }
function auth(req, res, next) { if (req.headers.authorization) next(); else res.status(401).end() }
app.get('/a', ${guards} (req, res) => res.end())
app.use('/files', auth, require('express').static('files'))
app.listen(0)`,
    )
  /** As the command of version 1 has written it for `auth, role('admin')`. */
  const former = {
    version: 1,
    routes: [
      {
        method: 'GET',
        path: '/a',
        witness: 'GET /a',
        settings: {
          strict: false,
          caseSensitive: false,
          mergeParams: false,
          trustProxy: false,
        },
        params: [],
        answer: 'GET /a',
        by: 'Express',
        at: 'app.cjs:4',
        passes: [
          {
            kind: 'handler',
            name: 'auth',
            at: 'app.cjs:4',
            definition: 'app.cjs:3',
            source: 'JaH7ClnRAqXiE6lCmfu1',
          },
          {
            kind: 'handler',
            name: 'guard',
            at: 'app.cjs:4',
            definition: 'app.cjs:2',
            source: 'VMWcQT4K-yjwSti1ojw5',
            argument: "role('admin')",
          },
        ],
      },
      {
        kind: 'mount',
        method: '*',
        path: '/files',
        witness: 'GET /files',
        settings: {
          strict: false,
          caseSensitive: false,
          mergeParams: false,
          trustProxy: false,
        },
        params: [],
        answer: '* /files',
        by: 'Express',
        at: 'app.cjs:5',
        passes: [
          {
            kind: 'middleware',
            name: 'auth',
            at: 'app.cjs:5',
            definition: 'app.cjs:3',
            source: 'JaH7ClnRAqXiE6lCmfu1',
            mount: '/files',
          },
          {
            kind: 'middleware',
            name: 'serveStatic',
            at: 'app.cjs:5',
            definition: 'node_modules/serve-static/index.js:71',
            argument: "require('express').static('files')",
            mount: '/files',
          },
        ],
      },
    ],
  }
  type Row = { accepted?: object[]; app?: number }
  const writeFormer = (first: Row = {}): void =>
    folder.write(
      'routes.lock.json',
      JSON.stringify({
        ...former,
        routes: former.routes.map((row, at) => (at === 0 ? { ...row, ...first } : row)),
      }),
    )
  const old = (finding: string): Row => ({ accepted: [{ finding, because: 'x', date: '2026-01-01' }] })

  it('is read, and told to be renewed', async () => {
    writeFormer()
    app("auth, role('admin'),")
    const { code, stdout, stderr } = await folder.run('check', 'app.cjs')
    expect([code, stdout]).toEqual([0, '✓ 1 route and 1 mount checked: nothing is lost\n'])
    expect(stderr).toContain('routecontrollers inspect app.cjs --lock routes.lock.json')
    app("auth, role('user'),")
    expect(await folder.findings('app.cjs')).toEqual([
      "GET /a changed guard (role('admin')) to guard (role('user'))",
    ])
    app("role('admin'),")
    expect(await folder.findings('app.cjs')).toEqual(['GET /a lost auth'])
    const renewed = await folder.writeLock('app.cjs')
    expect(renewed.stderr).toContain(`had version 1, and has version ${lockVersion} now`)
    expect(folder.lock.version).toBe(lockVersion)
    expect((await folder.writeLock('app.cjs')).stderr).not.toContain('had version')
  })

  it('is compared with nothing where the app fails', async () => {
    writeFormer()
    app("auth, role('admin'),")
    folder.write('fails.cjs', "require('./app.cjs')\nprocess.exit(1)\n")
    const { code, stdout } = await folder.run('check', 'fails.cjs')
    expect([code, stdout]).toEqual([3, ''])
  })

  it.each(['lost auth', "lost guard (role('admin'))", "changed role('admin') to role('user')", 'gone'])(
    'accepts nothing by the text %j alone',
    async (finding) => {
      writeFormer(old(finding))
      app("role('user'),")
      expect(await folder.findings('app.cjs')).toHaveLength(2)
      const { stderr } = await folder.run('check', 'app.cjs')
      expect(stderr).toContain('1 acceptance there has a text alone')
    },
  )

  it('takes an acceptance with a key, as one of version 2 does', async () => {
    writeFormer(old('lost auth'))
    app("role('admin'),")
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    expect(folder.lock.version).toBe(1)
    expect(await folder.findings('app.cjs')).toEqual([])
    app('')
    expect(await folder.findings('app.cjs')).toEqual(["GET /a lost guard (role('admin'))"])
    app("role('admin'),")
    folder.write(
      'app.cjs',
      folder
        .read('app.cjs')
        .replace('app.listen', "app.get('/new', auth, (req, res) => res.end()); app.listen"),
    )
    expect(await folder.accept('app.cjs', 'GET /new')).toEqual([])
    folder.write('app.cjs', folder.read('app.cjs').replace("'/new', auth,", "'/new',"))
    expect(await folder.findings('app.cjs')).toEqual(['GET /new lost auth'])
  })
})

describe('A lock that is not as it was written', () => {
  let lock: string | undefined
  beforeEach(async () => {
    folder.write(
      'app.cjs',
      `const app = require('express')()
function auth(req, res, next) { if (req.headers.authorization) next(); else res.status(401).end() }
app.get('/a', auth, (req, res) => res.end())
app.listen(0)`,
    )
    lock ??= await lockOf('app.cjs')
    folder.write('routes.lock.json', lock)
  })

  it('is read with a mark before it, and with other line ends', async () => {
    folder.write('routes.lock.json', `\ufeff${folder.read('routes.lock.json').replaceAll('\n', '\r\n')}`)
    expect(await folder.findings('app.cjs')).toEqual([])
    await folder.writeLock('app.cjs')
    expect(await folder.findings('app.cjs')).toEqual([])
  })

  it.each<[string, (text: string) => string, string]>([
    ['a key twice', (text) => text.replace('"passes": [', '"passes": [], "passes": ['), '"passes" twice'],
    [
      'a key twice, of which one is escaped',
      (text) => text.replace('"passes": [', '"p\\u0061sses": [], "passes": ['),
      '"passes" twice',
    ],
    [
      'a deep sample',
      (text) =>
        text.replace('"passes"', `"samples": [{ "body": ${'['.repeat(5000)}${']'.repeat(5000)} }], "passes"`),
      'deeper than 200',
    ],
    [
      'an app of another type',
      (text) => text.replace('"path"', '"app": "1", "path"'),
      'routes[0].app is not',
    ],
    ['an app below 0', (text) => text.replace('"path"', '"app": -1, "path"'), 'routes[0].app is not'],
    ['very many apps', (text) => text.replace('"path"', '"app": 1e9, "path"'), 'routes[0].app is not'],
    [
      'a request to another server',
      (text) => text.replace('"GET /a"', '"GET http://elsewhere/"'),
      'routes[0].witness is not',
    ],
    [
      'a key of an acceptance',
      (text) =>
        text.replace('"passes"', '"accepted": [{ "finding": "x", "because": "x", "key": ["x"] }], "passes"'),
      'accepted[0].key is not',
    ],
    [
      'something left out that is no pattern',
      (text) => text.replace('"routes"', '"except": ["users"], "routes"'),
      'except[0] is not',
    ],
    ['only a prototype', () => '{ "__proto__": { "version": 2, "routes": [] } }', 'is no lock'],
    [
      'fields of a prototype',
      (text) => text.replace('"answer"', '"__proto__": { "answer": "GET /a" }, "was"'),
      'routes[0].answer is not',
    ],
  ])('is refused with %s', async (_what, spoil, sentence) => {
    folder.write('routes.lock.json', spoil(folder.read('routes.lock.json')))
    const { code, stdout, stderr } = await folder.run('check', 'app.cjs')
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)])
  })

  it('accepts nothing by a prototype, nor by a text', async () => {
    const text = folder.read('routes.lock.json')
    folder.write('app.cjs', folder.read('app.cjs').replace(' auth,', ''))
    for (const accepted of [
      '"__proto__": { "accepted": [{ "finding": "lost auth", "because": "x" }] }',
      '"accepted": [{ "kind": "lost", "finding": "lost auth", "because": "x" }]',
      '"accepted": [{ "kind": "lost", "finding": "lost auth", "key": "", "because": "x" }]',
    ]) {
      folder.write('routes.lock.json', text.replace('"passes"', `${accepted}, "passes"`))
      expect(await folder.findings('app.cjs')).toEqual(['GET /a lost auth'])
    }
  })
})

describe('A lock and the way in which code is set, and compiled', () => {
  const source = `import express, { type Request, type Response, type NextFunction } from 'express'
import { roles } from './roles.js'
const options = { 'credentials-required': true, secret: 'a' }
// A comment.
const requireRole = (role: string, more: { allow?: string[] } = {}) => (req: Request, res: Response, next: NextFunction): void => {
  const own = req.get("role") as string
  if (own === role || (more.allow ?? []).includes(own)) { next() } else { res.sendStatus(403) }
}
function auth(this: unknown, req: Request, res: Response, next: NextFunction): void { const { secret: wanted } = options; if (req.get('authorization') === wanted) { next(); return; } res.status(401).end(); }
const app = express()
app.use('/admin', requireRole(roles.admin, { "allow": [ 'root', ], }))
app.param('id', (req, res, next, id) => { if (/^[0-9]+$/.test(id)) next(); else res.status(404).end() })
app.get('/admin/users/:id', auth, x => x.headers.a ? (0xFF, x.next!()) : undefined, (req, res) => { res.json([]) })
app.get('/options', requireRole(options.secret), (req, res) => { res.json([]) })
app.listen(0)
`
  const roles = "export const roles = { 'admin': 'admin' } as const\n"

  let lock: string | undefined
  beforeEach(async () => {
    folder.write('package.json', '{ "type": "module" }')
    folder.write('src/app.ts', source)
    folder.write('src/roles.ts', roles)
    lock ??= await lockOf('src/app.ts')
    folder.write('routes.lock.json', lock)
  })

  const layouts: readonly [string, readonly string[]][] = [
    ['narrow, with tabs and without semicolons', ['--print-width', '40', '--use-tabs', '--no-semi']],
    ['with other quotes', ['--single-quote', '--quote-props', 'consistent']],
    [
      'without parens and commas',
      ['--arrow-parens', 'avoid', '--trailing-comma', 'none', '--no-bracket-spacing'],
    ],
  ]
  it.each(
    slowRows<readonly [string, readonly string[]]>(1, [
      // In the loop all at once: none undoes another.
      ['in each other way', layouts.flatMap(([, options]) => options)],
      ['as it is by default', []],
      ...(isWhole ? layouts : []),
    ]),
  )('prettier: %s', async (_what, options) => {
    const prettier = join(__dirname, '../../node_modules/prettier/bin/prettier.cjs')
    execFileSync(process.execPath, [prettier, '--no-config', '--write', 'src', ...options], {
      cwd: folder.path,
    })
    const set = folder.read('src/app.ts')
    expect(set).not.toBe(source)
    folder.write(
      'src/app.ts',
      set.replace('// A comment.\n', '').replace('const app =', '/* Elsewhere. */ const app ='),
    )
    expect(await folder.findings('src/app.ts')).toEqual([])
  })

  const tsc = (...more: string[]): void => {
    const files = ['src/app.ts', 'src/roles.ts', '--outDir', 'dist', '--rootDir', 'src']
    // It only rewrites: what it would read of types takes it a second.
    const unread = ['--noCheck', '--noResolve', '--lib', 'es5', '--typeRoots', 'none']
    const settings = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'es2022']
    const compiler = join(__dirname, '../../node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [compiler, ...files, ...unread, ...settings, ...more], {
      cwd: folder.path,
    })
  }
  const bundle = (more: object): Promise<unknown> =>
    build({
      entryPoints: [join(folder.path, 'src/app.ts')],
      outfile: join(folder.path, 'dist/app.js'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      sourcemap: true,
      keepNames: true,
      logLevel: 'error',
      ...more,
    })
  /** Puts the folder of the sources into \`sourceRoot\`, as parcel does. */
  const withRoot = (root: string): void => {
    const map = JSON.parse(folder.read('dist/app.js.map')) as { sources: string[] }
    const sources = map.sources.map((one) => one.replace('../', ''))
    folder.write('dist/app.js.map', JSON.stringify({ ...map, sources, sourceRoot: root }))
  }

  it.each(
    slowRows<[string, () => void | Promise<unknown>]>(1, [
      ['esbuild, with a folder of sources', () => bundle({ minify: true }).then(() => withRoot('../'))],
      ['tsc for an old target, with its map within', () => tsc('--inlineSourceMap', '--inlineSources')],
      ['tsc', () => tsc('--sourceMap')],
      ['esbuild', () => bundle({})],
      ['esbuild, minified', () => bundle({ minify: true })],
      ['esbuild, with a folder without a slash', () => bundle({}).then(() => withRoot('..'))],
    ]),
  )('%s', async (_what, compile) => {
    await compile()
    expect(await folder.findings('dist/app.js')).toEqual([])
    // Where the sources are not deployed, their texts stand in the map.
    for (const file of ['app.ts', 'roles.ts']) unlinkSync(join(folder.path, 'src', file))
    if (!/^tsc$/.test(_what)) expect(await folder.findings('dist/app.js')).toEqual([])
  })

  itSlow('tsc without a map: the same guards, in another file', async () => {
    tsc()
    const { stdout, code } = await folder.run('check', 'dist/app.js')
    expect(code).toBe(0)
    expect(stdout).toContain('moved        auth from src/app.ts')
  })

  it.each([
    ['the argument', "'root', ]", "'guest', ]"],
    ['a constant of another file', "'admin': 'admin'", "'admin': 'anyone'"],
    ['a constant', "secret: 'a'", "secret: ''"],
    ['a condition', 'own === role ||', 'own !== role ||'],
    ['a line end that changes what is returned', 'next(); return; }', 'next() } return;'],
    ['a regular expression', '/^[0-9]+$/', '/^[0-9]*$/'],
  ])('finds what does change: %s', async (_what, from, to) => {
    for (const file of ['src/app.ts', 'src/roles.ts']) folder.write(file, folder.read(file).replace(from, to))
    await bundle({ minify: true })
    expect(await folder.findings('dist/app.js')).not.toEqual([])
  })
})

describe('A project with a parser of its own', () => {
  /** Another folder of packages, in which a parser is missing or an old one. */
  const withPackages = (parser?: string): void => {
    const modules = join(__dirname, '../../node_modules')
    unlinkSync(join(folder.path, 'node_modules'))
    mkdirSync(join(folder.path, 'node_modules/@babel'), { recursive: true })
    for (const name of readdirSync(modules)) {
      if (name !== '@babel') symlinkSync(join(modules, name), join(folder.path, 'node_modules', name))
    }
    if (parser === undefined) return
    const own = 'node_modules/@babel/parser'
    folder.write(`${own}/package.json`, JSON.stringify({ name: '@babel/parser', version: '6.0.0' }))
    folder.write(`${own}/index.js`, parser)
  }

  it.each([
    ['or without any', undefined],
    ['that is an old one', "exports.parse = () => { throw new Error('an option is not known') }"],
  ])('%s is read all the same', async (_what, parser) => {
    guarded('admin')
    withPackages(parser)
    await folder.writeLock('app.cjs')
    expect(await folder.findings('app.cjs')).toEqual([])
    guarded('anyone')
    expect(await folder.findings('app.cjs')).toEqual([expect.stringContaining('GET /a changed')])
  })
})

describe('A lock of version 3', () => {
  it('finds no error handler before a route, and is told to be renewed; then one is found', async () => {
    const app = (...more: string[]): void =>
      folder.write(
        'app.cjs',
        `const app = require('express')()
function auth(req, res, next) { if (req.headers.authorization) next(); else next(new Error('No')) }
function letOn(error, req, res, next) { next() }
app.get('/a', ${['auth', ...more].join(', ')}, (req, res) => res.end())
app.listen(0)`,
      )
    app()
    await folder.writeLock('app.cjs')
    const { routes } = folder.lock
    folder.write('routes.lock.json', JSON.stringify({ version: 3, routes }))
    app('letOn')
    const { code, stderr } = await folder.run('check', 'app.cjs')
    expect([code, stderr]).toEqual([0, expect.stringContaining('has version 3')])
    expect(stderr).toContain('routecontrollers inspect app.cjs --lock routes.lock.json')
    app()
    await folder.writeLock('app.cjs')
    app('letOn')
    expect(await folder.findings('app.cjs')).toEqual([
      'GET /a let-on letOn: an error handler stands now between auth and the route, and an error of auth may be let on',
    ])
    const { code: found, stdout } = await folder.run('check', 'app.cjs')
    expect([found, stdout]).toEqual([1, expect.stringContaining('app.cjs:4')])
  })
})

describe('A build that is older than its sources', () => {
  const build = (): void => {
    const source = folder.read('src/app.js')
    const map = { version: 3, sources: ['../src/app.js'], names: [], mappings: ';AAAA;AACA;AACA;AACA;AACA' }
    folder.write('dist/app.js', `'use strict'\n${source}\n//# sourceMappingURL=app.js.map\n`)
    folder.write('dist/app.js.map', JSON.stringify({ ...map, sourcesContent: [source] }))
  }
  const source = (text: string): void =>
    folder.write(
      'src/app.js',
      `const app = require('express')()
function auth(req, res, next) { next() }
app.get('/a', auth, (req, res) => res.end('${text}'))
app.listen(0)`,
    )
  const touch = (seconds: number): void =>
    utimesSync(join(folder.path, 'src/app.js'), Date.now() / 1000, Date.now() / 1000 + seconds)

  itSlow('is told of, and the exit code is that of what is found', async () => {
    source('a')
    build()
    await folder.writeLock('dist/app.js')
    expect(await folder.run('check', 'dist/app.js')).toMatchObject({ code: 0, stderr: '' })
    const note = 'src/app.js is newer than dist/app.js: build first'
    source('b')
    touch(60)
    const checked = await folder.run('check', 'dist/app.js')
    expect([checked.code, checked.stderr]).toEqual([0, `routecontrollers: ${note}\n`])
    const inspected = await folder.run('inspect', 'dist/app.js')
    expect([inspected.stdout.split(note).length - 1, inspected.stderr]).toEqual([1, ''])
    expect((await folder.writeLock('dist/app.js')).stderr).toContain(`${note}\n`)
  })

  it('is named with two others, and the rest is counted', async () => {
    const map = { version: 3, sources: ['../src/1.js'], names: [], mappings: 'AAAA' }
    const routes = [1, 2, 3, 4, 5]
    for (const at of routes) {
      const text = `module.exports = (req, res) => res.end('${at}')`
      const own = { ...map, sources: [`../src/${at}.js`], sourcesContent: [text] }
      folder.write(`src/${at}.js`, `${text} //`)
      folder.write(`dist/${at}.js`, `${text}\n//# sourceMappingURL=${at}.js.map\n`)
      folder.write(`dist/${at}.js.map`, JSON.stringify(own))
      utimesSync(join(folder.path, `src/${at}.js`), Date.now() / 1000, Date.now() / 1000 + 60)
    }
    const registered = routes.map((at) => `app.get('/${at}', require('./${at}.js'))`)
    folder.write('dist/many.js', `const app = require('express')()\n${registered.join('\n')}\napp.listen(0)`)
    const { stdout } = await folder.run('inspect', 'dist/many.js', '--json')
    expect((JSON.parse(stdout) as Inventory).notes).toEqual([
      ...[1, 2, 3].map((at) => `src/${at}.js is newer than dist/${at}.js: build first`),
      '2 more of the sources are newer than what was built of them',
    ])
  })

  it('is none where the text of the source is that of the build', async () => {
    source('a')
    build()
    touch(60)
    const { stdout } = await folder.run('inspect', 'dist/app.js', '--json')
    expect((JSON.parse(stdout) as Inventory).notes).toEqual([])
  })
})

describe('A function that a call has made', () => {
  it('has changed where its factory has another body', async () => {
    const write = (body: string): void =>
      folder.write(
        'app.cjs',
        `const app = require('express')()
const requireRole = (...roles) => (req, res, next) => { ${body} }
app.get('/a', requireRole('admin'), (req, res) => res.end())
app.get('/b', requireRole('admin'), requireRole('clerk'), (req, res) => res.end())
app.listen(0)`,
      )
    write('if (roles.includes(req.role)) next(); else res.sendStatus(403)')
    await folder.writeLock('app.cjs')
    write('next()')
    expect(await folder.findings('app.cjs')).toEqual([
      "GET /a changed requireRole('admin'), whose text is another",
      "GET /b changed requireRole('admin'), whose text is another",
      "GET /b changed requireRole('clerk'), whose text is another",
    ])
  })

  it('is lost where another one stands in its place', async () => {
    const write = (...guards: string[]): void =>
      folder.write(
        'app.cjs',
        `const app = require('express')()
const requireRole = (role) => (req, res, next) => { next() }
const limit = (count) => (req, res, next) => { if (count) next() }
app.get('/a', ${guards.join(', ')}, (req, res) => res.end())
app.listen(0)`,
      )
    write("requireRole('admin')")
    await folder.writeLock('app.cjs')
    write('limit(1)')
    expect(await folder.findings('app.cjs')).toEqual([
      "GET /a lost requireRole('admin')",
      'GET /a gained limit(1)',
    ])
  })
})

describe('A file that the parser cannot read', () => {
  // What was compiled to JavaScript from another language leads to its source by its map.
  const compiled = (role: string): void => {
    guarded(role)
    const map = {
      version: 3,
      sources: ['app.coffee'],
      sourcesContent: ["app.get '/a', role('admin'), (req, res) -> res.end()"],
      names: [],
      mappings: 'AAAA;AAAA;AAAA;AAAA',
    }
    const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`
    folder.write('app.cjs', `${folder.read('app.cjs')}\n//# sourceMappingURL=${url}\n`)
  }

  it('is told of, and what it was to say is a finding', async () => {
    guarded('admin')
    await folder.writeLock('app.cjs')
    compiled('anyone')
    const { stdout } = await folder.run('inspect', 'app.cjs')
    expect(stdout.replace(/\s+/g, ' ')).toContain('app.coffee: @babel/parser cannot read it: ')
    expect(await folder.findings('app.cjs')).not.toEqual([])
    await folder.writeLock('app.cjs')
    expect(await folder.findings('app.cjs')).toEqual([expect.stringContaining('GET /a unverifiable')])
  })
})

/** The text of the lock of an entry: one for several tests, because each start takes its time. */
async function lockOf(entry: string): Promise<string> {
  await folder.writeLock(entry)
  return folder.read('routes.lock.json')
}

/** An app with one route, whose guard was made with a role. */
function guarded(role: string): void {
  folder.write(
    'app.cjs',
    `const app = require('express')()
const role = (name) => (req, res, next) => (req.get('role') === name ? next() : res.sendStatus(403))
app.get('/a', role('${role}'), (req, res) => res.end())
app.listen(0)`,
  )
}

describe('An app that puts other functions in the place of those of Node', () => {
  let command: Command
  beforeAll(() => {
    command = createCommand({ ownProcesses: true })
  })
  afterAll(() => command.remove())
  beforeEach(() => {
    folder.remove()
    folder = new ProjectFolder(command)
  })

  const patches = [
    ['JSON.stringify', 'JSON.stringify = () => "{}"'],
    ['JSON.stringify, to throw', 'JSON.stringify = () => { throw new Error("no") }'],
    ['JSON.parse', 'JSON.parse = () => ({})'],
    ['toJSON of lists', 'Array.prototype.toJSON = () => "a list"'],
    ['toJSON of all', 'Object.prototype.toJSON = () => "an object"'],
    ['members of all objects', 'Object.prototype.get = () => 1; Object.prototype.extra = {}'],
    [
      'members of lists',
      'for (const name of ["flatMap", "findLast", "toSorted", "entries"]) Array.prototype[name] = () => []',
    ],
    ['the iterator of lists', 'setTimeout(() => { Array.prototype[Symbol.iterator] = function* () {} })'],
    ['console', 'for (const name of Object.keys(console)) console[name] = () => { throw new Error("no") }'],
    ['process.exit', 'process.exit = () => {}; process.reallyExit = () => {}'],
    ['stack traces', 'Error.prepareStackTrace = () => { throw new Error("no") }; Error.stackTraceLimit = 0'],
    [
      'stack traces, read-only',
      'Object.defineProperty(Error, "prepareStackTrace", { value: (_error, sites) => sites, configurable: true }); Error.captureStackTrace = () => {}',
    ],
    [
      'files',
      'const fs = require("node:fs"); for (const name of ["writeFileSync", "renameSync", "existsSync"]) fs[name] = () => { throw new Error("no") }',
    ],
    [
      'clocks and timers',
      'performance.now = () => 0; Date.now = () => 0; globalThis.setImmediate = () => {}; globalThis.setInterval = () => {}',
    ],
    ['maps', 'Map.prototype.get = () => undefined; Set.prototype.has = () => true'],
    ['texts', 'String.prototype.split = () => []; RegExp.prototype.exec = () => null'],
  ] as const

  // In the loop an app has four at once, which do not undo each other: what one of them breaks, the four break.
  const apps = isWhole
    ? patches.map((one) => [one])
    : [0, 1, 2, 3].map((group) => patches.filter((_one, at) => at % 4 === group))

  it.each(
    apps.map((patched) => ({
      what: patched.map(([name]) => name).join('; '),
      before: patched.map(([, patch]) => patch).filter((patch) => patch.includes('stack')),
      behind: patched.map(([, patch]) => patch),
    })),
  )('is inspected and checked: $what', async ({ before, behind }) => {
    const app = (guard: string): void =>
      folder.write(
        'app.cjs',
        `const express = require('express'); const app = express()
function auth(req, res, next) { if (req.headers.authorization) next(); else res.status(401).end() }
${before.join('\n')}
app.get('/a', ${guard} (req, res) => res.end())
app.listen(0)
${behind.join('\n')}`,
      )
    app('auth,')
    await folder.writeLock('app.cjs')
    expect(folder.lock.routes).toMatchObject([
      { path: '/a', passes: [{ name: 'auth', at: expect.stringContaining('app.cjs:') }] },
    ])
    app('')
    expect(await folder.findings('app.cjs')).toEqual(['GET /a lost auth'])
  })
})
