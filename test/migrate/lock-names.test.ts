// What a guard is made of, beyond its own text: check finds each change of it, and nothing where only the layout is another.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import express5 from 'express'
import express4 from 'express4'
import {
  type CheckReport,
  checkMigration,
  createLock,
  inspect,
  type Lock,
  recordRegistrations,
} from '@routecontrollers/cli'
import { keepReading } from './keep-reading.js'

keepReading()

const requireFile = createRequire(join(process.cwd(), 'package.json'))
const folder = mkdtempSync(join(tmpdir(), 'lock-names-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Files of an app: `app.cjs` gives it. */
type Files = Readonly<Record<string, string>>

let folders = 0

/** Writes an app into a folder of its own, as another revision of a project has the same names, and loads it. */
function load(files: Files, express: any): { app: any; root: string } {
  const root = join(folder, String(++folders))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
  return { app: (requireFile(join(root, 'app.cjs')) as (express: any) => any)(express), root }
}

const lockOf = (files: Files, express: any): Lock => {
  const { app, root } = load(files, express)
  return createLock(inspect(app, { root }))
}
const reportOf = (lock: Lock, files: Files, express: any): CheckReport => {
  const { app, root } = load(files, express)
  return checkMigration(lock, app, { root })
}
const kindsOf = ({ routes }: CheckReport): string[] =>
  routes.flatMap(({ changes }) => changes.map(({ kind }) => kind))

/** An app with lines before its one guard, which has the role of a user from them. */
const app = (lines: string, guard = 'requireRole(role)'): string =>
  `const requireRole = (role) => function guard(req, res, next) { if (req.role === role) next(); else res.end() }
${lines}
module.exports = (express) => express().use('/api', ${guard}).get('/api/a', (req, res) => res.end('a'))
`

/** What stands in the files before, with `admin` in it for what changes to `guest`. */
const guards: Record<string, Files> = {
  'a member that is destructured': {
    'app.cjs': app("const config = { role: 'admin' }\nconst { role } = config"),
  },
  'a member that is destructured and renamed': {
    'app.cjs': app("const config = { own: 'admin' }\nconst { own: role } = config"),
  },
  'a default of a destructured member': { 'app.cjs': app("const { role = 'admin' } = process.env") },
  'a nested member that is destructured': {
    'app.cjs': app("const config = { a: [{ b: 'admin' }] }\nconst { a: [{ b: role }] } = config"),
  },
  'a destructured element': { 'app.cjs': app("const roles = ['user', 'admin']\nconst [, role] = roles") },
  'an element behind a list that may be empty, which a helper reads': {
    'app.cjs': app(
      "const roles = [...[], 'admin']\nconst allowed = (req) => req.role === roles[0]",
      '(req, res, next) => allowed(req) && next()',
    ),
  },
  'the later of two declarations, which a helper reads': {
    'app.cjs': app(
      "var role = 'user'\nvar role = 'admin'\nconst allowed = (req) => req.role === role",
      '(req, res, next) => allowed(req) && next()',
    ),
  },
  'the rest of what is destructured': {
    'app.cjs': app(
      "const config = { a: 1, role: 'admin' }\nconst { a, ...rest } = config",
      'requireRole(rest)',
    ),
  },
  'a member that is destructured of a file': {
    'app.cjs': app("const { own: { role } } = require('./config.cjs')"),
    'config.cjs': "exports.own = { role: 'admin' }\n",
  },
  'a file of JSON': {
    'app.cjs': app("const role = require('./roles.json').role"),
    'roles.json': '{ "role": "admin" }',
  },
  'a file of JSON without its ending, as an argument': {
    'app.cjs': app('', "requireRole(require('./roles').own.role)"),
    'roles.json': '{ "own": { "role": "admin" } }',
  },
  'a whole file of JSON': {
    'app.cjs': app("const roles = require('./roles.json')", 'requireRole(roles)'),
    'roles.json': '["user", "admin"]',
  },
  'a module of CommonJS that spreads others': {
    'app.cjs': app("const { own } = require('./index.cjs')", 'own.guard'),
    'index.cjs': "module.exports = { other: 1, own: { ...require('./guards.cjs') } }\n",
    'guards.cjs': `const make = (role) => (req, res, next) => { if (req.role === role) next() }\nexports.guard = make('admin')\n`,
  },
  'a module of CommonJS that assigns others': {
    'app.cjs': app("const { role } = require('./index.cjs')"),
    'index.cjs': "Object.assign(exports, require('./config.cjs'))\n",
    'config.cjs': "module.exports = { role: 'admin' }\n",
  },
  'a module of CommonJS that is another': {
    'app.cjs': app("const config = require('./index.cjs')", 'requireRole(config.role)'),
    'index.cjs': "module.exports = require('./config.cjs')\n",
    'config.cjs': "exports.role = 'admin'\n",
  },
  'a member of a module by a computed name': {
    'app.cjs': app("const roles = require('./roles.cjs')", 'requireRole(roles[process.env.NOBODY || 0])'),
    'roles.cjs': "module.exports = { 0: 'admin' }\n",
  },
  'what a function gives a guard that it makes': {
    'app.cjs': app("const secure = () => { const role = 'admin'; return [requireRole(role)] }", 'secure()'),
  },
  'a constant beside a function that makes guards': {
    'app.cjs': app("const role = 'admin'\nconst secure = () => [requireRole(role)]", 'secure()'),
  },
  'a name that is set again': { 'app.cjs': app("let role = 'none'\nrole = 'admin'") },
  'a name that is set later': { 'app.cjs': app("let role\nif (process.pid) role = 'admin'") },
  'a list that gets more': { 'app.cjs': app("const open = []\nopen.push('admin')", 'requireRole(open)') },
  'a member that is set': { 'app.cjs': app("const cfg = {}\ncfg.role = 'admin'", 'requireRole(cfg.role)') },
  'an object that is assigned to': {
    'app.cjs': app("const cfg = {}\nObject.assign(cfg, { role: 'admin' })", 'requireRole(cfg)'),
  },
  'a member of an object that is assigned to': {
    'app.cjs': app("const cfg = {}\nObject.assign(cfg, { role: 'admin' })", 'requireRole(cfg.role)'),
  },
  'a member that is set by a computed name': {
    'app.cjs': app("const cfg = {}\nfor (const key of ['role']) cfg[key] = 'admin'", 'requireRole(cfg.role)'),
  },
  'an element behind what is spread': {
    'app.cjs': app("const first = ['user', 'admin']\nconst all = [...first, 'none']", 'requireRole(all[1])'),
  },
  'a function that is declared a second time': {
    'app.cjs': app(
      "function roleOf() { return 'none' }\nfunction roleOf() { return 'admin' }",
      'requireRole(roleOf())',
    ),
  },
  'a var of a block, outside of it': { 'app.cjs': app("if (process.pid) { var role = 'admin' }") },
  'a map that gets more': {
    'app.cjs': app("const roles = new Map()\nroles.set('a', 'admin')", "requireRole(roles.get('a'))"),
  },
  'a member of the guard itself': {
    'app.cjs': app(
      "function guard(req, res, next) { if (req.role === guard.role) next() }\nguard.role = 'admin'",
      'guard',
    ),
  },
  'a list of another file that gets more there': {
    'app.cjs': app("const { open } = require('./open.cjs')", 'requireRole(open)'),
    'open.cjs': "const open = []\nopen.push('admin')\nmodule.exports = { open }\n",
  },
  'a list of another file that gets more here': {
    'app.cjs': app("const { open } = require('./open.cjs')\nopen.push('admin')", 'requireRole(open)'),
    'open.cjs': 'exports.open = []\n',
  },
  'a list in a function that makes the guard': {
    'app.cjs': app(
      "const make = () => { const open = []; open.push('admin'); return (req, res, next) => { if (open.includes(req.role)) next() } }",
      'make()',
    ),
  },
  'a function that a guard calls': {
    'app.cjs': app(
      "function isAdmin(req) { return req.role === 'admin' }\nfunction guard(req, res, next) { if (isAdmin(req)) next() }",
      'guard',
    ),
  },
  'a function of another file that a guard calls by way of others': {
    'app.cjs': app(
      "const users = require('./users.cjs')\nconst guard = (req, res, next) => { if (users.check(req)) next() }",
      'guard',
    ),
    'users.cjs':
      "const { isAdmin } = require('./roles')\nexports.check = (req) => isAdmin(req)\nexports.other = () => {}\n",
    'roles/index.js':
      "exports.isAdmin = (req) => exports.roleOf(req) === roles.first\nexports.roleOf = (req) => req.role\nconst roles = { first: 'admin' }\n",
  },
  'a field of the class of a guard': {
    'app.cjs': app(
      "class Auth {\n  role = 'admin'\n  guard = (req, res, next) => { if (req.role === this.role) next() }\n}\nconst auth = new Auth()",
      'auth.guard',
    ),
  },
  'a private field, by a getter': {
    'app.cjs': app(
      "class Auth {\n  #role = 'admin'\n  get role() { return this.#role }\n  guard = (req, res, next) => { if (req.role === this.role) next() }\n}\nconst auth = new Auth()",
      'auth.guard',
    ),
  },
  'the setter of a member': {
    'app.cjs': app(
      "class Auth {\n  get role() { return this.own }\n  set role(own) { this.own = own && 'admin' }\n  guard = (req, res, next) => { if (req.role === this.role) next() }\n}\nconst auth = new Auth()",
      'auth.guard',
    ),
  },
  'the constructor of the class behind one that a guard makes': {
    'app.cjs': app(
      "class Base { constructor() { this.role = 'admin' } }\nclass Auth extends Base {}\nconst isOf = (req, auth) => req.role === auth.role\nfunction guard(req, res, next) { if (isOf(req, new Auth())) next() }",
      'guard',
    ),
  },
  'a static member': {
    'app.cjs': app(
      "class Auth {\n  static role = 'admin'\n  static guard(req, res, next) { if (req.role === Auth.role) next() }\n}",
      'Auth.guard',
    ),
  },
  'a method of a class behind another one': {
    'app.cjs': app(
      "class Base { isAdmin(req) { return req.role === 'admin' } }\nclass Auth extends Base { guard(req, res, next) { if (super.isAdmin(req) || this.isAdmin(req)) next() } }\nconst auth = new Auth()",
      'function guard(req, res, next) { auth.guard(req, res, next) }',
    ),
  },
  'what an instance was made with': {
    'app.cjs': app(
      "class Auth { constructor(role) { this.role = role }\n  guard(req, res, next) { if (req.role === this.role) next() } }\nconst auth = new Auth('admin')",
      'function guard(req, res, next) { auth.guard(req, res, next) }',
    ),
  },
  'another member of the object of a guard': {
    'app.cjs': app(
      "const auth = { role: 'admin', guard(req, res, next) { if (req.role === this.role) next() } }",
      'auth.guard',
    ),
  },
}

const changed = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll('admin', 'guest')]))

/** The same code in another layout, with comments. */
const laidOut = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name,
      name.endsWith('.json')
        ? text.replaceAll(' ', '\n  ')
        : `// Above.\n${text
            .replaceAll("'admin'", '"admin" /* the boss */')
            .replaceAll(' === ', '\n  ===   ')
            .replaceAll('{ ', '{\n\n')}`,
    ]),
  )

describe.each([
  [4, express4],
  [5, express5],
] as const)('Express %d', (_version, express: any) => {
  let end: () => void
  beforeAll(() => {
    end = recordRegistrations(express)
  })
  afterAll(() => end())

  it.each(Object.keys(guards))('%s', (name) => {
    const files = guards[name]!
    const lock = lockOf(files, express)
    expect(new Set(kindsOf(reportOf(lock, changed(files), express)))).toEqual(new Set(['changed']))
    expect(kindsOf(reportOf(lock, files, express))).toEqual([])
    expect(kindsOf(reportOf(lock, laidOut(files), express))).toEqual([])
  })

  it('trust proxy of a mounted app: settings', () => {
    const create = (lines: string): Files => ({
      'app.cjs': `module.exports = (express) => {
  const sub = express()
  ${lines}
  return express().set('trust proxy', 1).use('/sub', sub.get('/a', (req, res) => res.end(req.ip)))
}`,
    })
    const lock = lockOf(create(''), express)
    expect(kindsOf(reportOf(lock, create("sub.set('trust proxy', true)"), express))).toEqual(['settings'])
    expect(kindsOf(reportOf(lock, create('const other = 1'), express))).toEqual([])
    const older = { ...lock, version: 2 } as Lock
    expect(kindsOf(reportOf(older, create("sub.set('trust proxy', true)"), express))).toEqual([])
  })

  describe('what is no change', () => {
    const helper = "exports.isAdmin = (req) => req.role === 'admin'\n"
    const guarded = (from: string): Files => ({
      'app.cjs': app(
        `const { isAdmin } = require('${from}')\nfunction guard(req, res, next) { if (isAdmin(req)) next() }`,
        'guard',
      ),
    })

    it('a helper in another file', () => {
      const lock = lockOf({ ...guarded('./a.cjs'), 'a.cjs': helper }, express)
      const moved = { ...guarded('./lib/b.cjs'), 'lib/b.cjs': helper }
      expect(kindsOf(reportOf(lock, moved, express))).toEqual([])
    })

    it('another name for the call that has made the guard', () => {
      const lock = lockOf({ 'app.cjs': app("const role = 'admin'") }, express)
      const named = app("const role = 'admin'\nconst made = requireRole(role)\nconst again = made", 'again')
      expect(kindsOf(reportOf(lock, { 'app.cjs': named }, express))).toEqual([])
      const changed = named.replace('const again = made', "let again = made\nagain = requireRole('admin')")
      expect(kindsOf(reportOf(lock, { 'app.cjs': changed }, express))).toEqual(['changed'])
    })

    it('what a package does, and what nothing of the guard names', () => {
      const own = {
        ...guarded('./node_modules.cjs'),
        'node_modules.cjs': `${helper}exports.other = 'admin'\n`,
      }
      const lock = lockOf(own, express)
      const other = { ...own, 'node_modules.cjs': `${helper}exports.other = 'guest'\n` }
      expect(kindsOf(reportOf(lock, other, express))).toEqual([])
      const packed = (role: string): Files => ({
        ...guarded('./vendor/node_modules/own/index.js'),
        'vendor/node_modules/own/index.js': helper.replace('admin', role),
      })
      const ofPackage = lockOf(packed('admin'), express)
      expect(kindsOf(reportOf(ofPackage, packed('guest'), express))).toEqual([])
    })

    it('the routes of an app that a guard names, and the settings that are set by a method', () => {
      const create = (more: string): Files => ({
        'app.cjs': `module.exports = (express) => {
  const app = express()
  function guard(req, res, next) { if (app.get('roles').includes(req.role)) next(); else res.end() }
  app.set('roles', ['admin'])
  ${more}
  return app.get('/a', guard, (req, res) => res.end('a'))
}`,
      })
      const lock = lockOf(create(''), express)
      const more = reportOf(lock, create("app.delete('/b', (req, res) => res.end())"), express)
      expect(kindsOf(more)).toEqual(['new'])
    })

    it('a helper, for a lock of version 2', () => {
      const lock = lockOf({ ...guarded('./a.cjs'), 'a.cjs': helper }, express)
      const older = { ...lock, version: 2 } as Lock
      const other: Files = { ...guarded('./a.cjs'), 'a.cjs': helper.replace('admin', 'guest') }
      expect(kindsOf(reportOf(older, other, express))).toEqual([])
      const text = { ...other, 'app.cjs': other['app.cjs']!.replace('isAdmin(req)', '!isAdmin(req)') }
      expect(kindsOf(reportOf(older, text, express))).toEqual(['changed'])
    })
  })

  it('follows a bounded number of names, and says where it has ended', () => {
    const chain = (role: string, length: number): Files => {
      const names = Array.from({ length }, (_one, at) => `const step${at} = (req) => step${at + 1}(req)`)
      const last = `const step${length} = (req) => req.role === '${role}'`
      const lines = [...names, last, 'function guard(req, res, next) { if (step0(req)) next() }']
      return { 'app.cjs': app(lines.join('\n'), 'guard') }
    }
    const notesOf = (files: Files): readonly string[] => {
      const { app, root } = load(files, express)
      return inspect(app, { root }).notes
    }
    expect(notesOf(chain('admin', 7))).toEqual([])
    expect(kindsOf(reportOf(lockOf(chain('admin', 7), express), chain('guest', 7), express))).toEqual([
      'changed',
    ])
    expect(notesOf(chain('admin', 8))).toEqual([expect.stringMatching(/^app\.cjs:11: a guard leads to more/)])
    const many = Array.from({ length: 201 }, (_one, at) => `const one${at} = ${at}`)
    const all = many.map((_one, at) => `one${at}`).join()
    const wide = app(
      `${many.join('\n')}\nfunction guard(req, res, next) { if ([${all}].length) next() }`,
      'guard',
    )
    expect(notesOf({ 'app.cjs': wide })).toHaveLength(1)
  })

  it('tells a function of use from a route of the same path and every method', () => {
    const create = (lines: string): Files => ({
      'app.cjs': `const auth = function auth(req, res, next) { if (req.user) next(); else res.end() }
const files = function files(req, res) { res.end('files') }
module.exports = (express) => { const app = express()
${lines}
return app }`,
    })
    const route = "app.all('/files', auth, (req, res) => res.end('all'))"
    const mount = "app.use('/files', auth, files)"
    const lock = lockOf(create([route, mount].join('\n')), express)
    const told = (lines: string): string[] => kindsOf(reportOf(lock, create(lines), express))
    expect([told([route, mount].join('\n')), told(route), told(mount)]).toEqual([[], ['gone'], ['gone']])
  })

  describe('a route that no request is known for', () => {
    // The two lookaheads are for each path that the sampler tries.
    const create = (before: string, own = ''): Files => ({
      'app.cjs': `function auth(req, res, next) { if (req.user) next(); else res.end() }
function other(req, res, next) { if (req.other) next(); else res.end() }
function owner(req, res, next, id) { if (req.user.id === id) next() }
module.exports = (express) => {
  const app = express()
  ${before}
  app.get(/^\\/(?=admin-[0-9]{3}$)(?!admin-1)[a-z0-9-]+$/, ${own} (req, res) => res.end('a'))
  return app.use('/behind', other)
}`,
    })
    const whole = create("app.use(auth); app.use('/api', other); app.all(/.*/, other)", 'auth,')

    it('is not among those that are checked, and the functions before it are compared', () => {
      const lock = lockOf(whole, express)
      expect(lock.routes.filter(({ kind, witness }) => kind !== 'mount' && witness === null)).toHaveLength(1)
      const same = reportOf(lock, whole, express)
      expect([kindsOf(same), same.byPosition, same.notCompared]).toEqual([[], 1, 0])
      expect(same.checked).toBe(lock.routes.filter(({ kind, witness }) => kind !== 'mount' && witness).length)
      const ofRoute = (files: Files): string[] =>
        reportOf(lock, files, express)
          .routes.filter(({ path }) => path.includes('admin'))
          .flatMap(({ changes }) => changes.map(({ kind, what }) => `${kind} ${what}`))
      expect(ofRoute(create("app.use('/api', other); app.all(/.*/, other)", 'auth,'))).toEqual(['lost auth'])
      expect(ofRoute(create("app.use(auth); app.use('/api', other); app.all(/.*/, other)"))).toEqual([
        'lost auth',
      ])
      expect(ofRoute(create("app.use(auth); app.use('/api', other)", 'auth,'))).toEqual(['lost other'])
    })

    it('is told as not compared where an older lock has nothing of it', () => {
      const lock = lockOf(whole, express)
      const routes = lock.routes.map((row) => (row.witness === null ? { ...row, passes: [] } : row))
      const report = reportOf({ ...lock, version: 2, routes }, whole, express)
      expect([kindsOf(report), report.byPosition, report.notCompared]).toEqual([[], 0, 1])
    })
  })
})
