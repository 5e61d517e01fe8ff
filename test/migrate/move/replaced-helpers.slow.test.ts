// Functions that handlers hand their response to, and that a subclass or another file replaces: what is written asks them all the same.
import { transformSync } from 'esbuild'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { type Command, createCommand } from '../run-command.js'
import { AskedApps } from './asked-apps.js'
import { createCommittedProject, type MoveProject } from './move-project.js'

jest.setTimeout(300_000)

/** A guard of members alone, which asks `inner` about them. */
const login = (name: string, inner: string): string => `${name}(req, res) {
    if (!req.get('authorization')) {
      res.sendStatus(401)
      return false
    }
    return ${inner}
  }`
const allowed = (before = ''): string => `${before}allowed(req, res) {
    if (req.get('x-blocked')) {
      res.sendStatus(403)
      return false
    }
    return true
  }`
const asks = `(req, res) => {
      if (!this.allowed(req, res)) return
      res.json({ tea: 'secret' })
    }`
const types = "import express, { type Express, type Request, type Response } from 'express'\n"
const typed = (text: string): string =>
  text.replace('(req, res) {', '(req: Request, res: Response): boolean {')

const subclass = 'which a subclass or other code may replace'
const replaced = 'and another function runs in its place'

/** What replaces a function, the reason that a route is left for, and the files of the app. */
const cases: readonly (readonly [name: string, reason: string, files: Readonly<Record<string, string>>])[] = [
  [
    'the answer of a subclass in the same file',
    `show, ${subclass}`,
    {
      'app.cjs': `class Teas {
  constructor(path) { app.get(path, (req, res) => this.show(req, res)) }
  show(req, res) {
    if (req.query.old) return res.sendStatus(410)
    res.json({ tea: 'secret' })
  }
}
class AdminTeas extends Teas {
  ${login('show', 'super.show(req, res)')}
}
new Teas('/y')
new AdminTeas('/x')
`,
    },
  ],
  [
    'the guard of a subclass in the same file',
    `allowed, ${subclass}`,
    {
      'app.cjs': `class Teas {
  register(path) { app.get(path, ${asks}) }
  ${allowed()}
}
class AdminTeas extends Teas {
  ${login('allowed', 'true')}
}
new AdminTeas().register('/x')
`,
    },
  ],
  [
    'the guard of a subclass in another file',
    `allowed, ${subclass}`,
    {
      'base.cjs': `module.exports = class {
  constructor(app, path) { app.get(path, ${asks}) }
  ${allowed()}
}
`,
      'app.cjs': `const Base = require('./base.cjs')
class AdminTeas extends Base {
  ${login('allowed', 'super.allowed(req, res)')}
}
new AdminTeas(app, '/x')
`,
    },
  ],
  [
    'a constructor',
    `allowed, ${subclass}`,
    {
      'app.cjs': `class Teas {
  constructor(path, strict) {
    if (strict) this.allowed = this.allowedStrictly
    app.get(path, ${asks})
  }
  ${allowed()}
  ${login('allowedStrictly', 'true')}
}
new Teas('/x', true)
new Teas('/y', false)
`,
    },
  ],
  [
    'a constructor that has this by another name',
    `allowed, ${subclass}`,
    {
      'app.cjs': `class Teas {
  constructor(path, members) {
    const self = this
    for (const name of Object.keys(members)) self[name] = members[name]
    app.get(path, ${asks})
  }
  ${allowed()}
}
new Teas('/x', { ${login('allowed', 'true')} })
`,
    },
  ],
  [
    'what is done with the object of a class',
    `allowed, ${subclass}`,
    {
      'app.cjs': `class Teas {
  register(path) { app.get(path, ${asks}) }
  ${allowed()}
}
const teas = Object.assign(new Teas(), { ${login('allowed', 'true')} })
teas.register('/x')
`,
    },
  ],
  [
    'what is done with the prototype of a class',
    `allowed, ${subclass}`,
    {
      'app.cjs': `class Teas {
  register(path) { app.get(path, ${asks}) }
  ${allowed()}
}
Object.assign(Teas.prototype, { ${login('allowed', 'true')} })
new Teas().register('/x')
`,
    },
  ],
  [
    'another file that has the object of a class',
    `allowed, ${replaced}`,
    {
      'teas.cjs': `class Teas {
  register(app, path) { app.get(path, ${asks}) }
  ${allowed()}
}
module.exports = new Teas()
`,
      'secure.cjs': `Object.assign(require('./teas.cjs'), { ${login('allowed', 'true')} })\n`,
      'app.cjs': "require('./secure.cjs')\nrequire('./teas.cjs').register(app, '/x')\n",
    },
  ],
  [
    'another file that sets an export',
    `allowed, ${replaced}`,
    {
      'utils.cjs': `module.exports = { ${allowed()} }\n`,
      'secure.cjs': `const utils = require('./utils.cjs')
const { allowed } = utils
Object.assign(utils, { ${login('allowed', 'allowed(req, res)')} })
`,
      'app.cjs': `require('./secure.cjs')
const utils = require('./utils.cjs')
app.get('/x', ${asks.replace('this', 'utils')})
`,
    },
  ],
  [
    'another file that puts a Proxy around an export',
    `allowed, ${replaced}`,
    {
      'utils.cjs': `exports.utils = { ${allowed()} }\n`,
      'secure.cjs': `const { utils } = require('./utils.cjs')
utils.allowed = new Proxy(utils.allowed, {
  apply: (run, self, [req, res]) => (req.get('authorization') ? run(req, res) : void res.sendStatus(401)),
})
`,
      'app.cjs': `require('./secure.cjs')
const { utils } = require('./utils.cjs')
app.get('/x', ${asks.replace('this', 'utils')})
`,
    },
  ],
  [
    'another file that makes a getter of an export',
    `allowed, ${replaced}`,
    {
      'utils.cjs': `module.exports = { ${allowed()} }\n`,
      'secure.cjs': `const strict = { ${login('allowed', 'true')} }
Object.defineProperty(require('./utils.cjs'), 'allowed', { get: () => strict.allowed })
`,
      'app.cjs': `require('./secure.cjs')
const utils = require('./utils.cjs')
app.get('/x', ${asks.replace('this', 'utils')})
`,
    },
  ],
  [
    'another file that sets the function which a handler only calls',
    `show, ${replaced}`,
    {
      'teas.cjs': `exports.show = (req, res) => {
  if (req.query.old) return res.sendStatus(410)
  res.json({ tea: 'secret' })
}
`,
      'protect.cjs': `const teas = require('./teas.cjs')
const guarded = (fn) => (req, res) => (req.get('authorization') ? fn(req, res) : res.sendStatus(401))
teas.show = guarded(teas.show)
`,
      'app.cjs': `const teas = require('./teas.cjs')
require('./protect.cjs')
app.get('/x', (req, res) => teas.show(req, res))
`,
    },
  ],
  [
    'another file that sets an export by which errors are told',
    `fail, ${replaced}`,
    {
      'fail.cjs': `exports.fail = (res, code, error) => {
  res.status(code).send({ error: error.message, stack: 'SECRET' })
}
`,
      'prod.cjs': `require('./fail.cjs').fail = (res, code) => { res.status(code).send({ error: 'failed' }) }\n`,
      'app.cjs': `require('./prod.cjs')
const { fail } = require('./fail.cjs')
app.get('/x', (req, res) => {
  if (!req.query.id) return fail(res, 400, new Error('no id in SELECT'))
  res.json({})
})
`,
    },
  ],
  [
    'the answer of a subclass in TypeScript',
    `show, ${subclass}`,
    {
      'base.ts': `import type { Request, Response, Router } from 'express'
export abstract class CrudController<T> {
  constructor(protected readonly router: Router, path: string) {
    router.get(path, (req: Request, res) => this.show(req, res))
  }
  protected abstract load(id: string): T
  show(req: Request, res: Response): unknown {
    return res.json(this.load(String(req.query['id'])))
  }
}
`,
      'app.ts': `import { CrudController } from './base.js'
class Users extends CrudController<object> {
  protected load() { return { user: 'secret' } }
  override show(req: Request, res: Response): unknown {
    if (!req.get('authorization')) return res.status(401).json({ error: 'login' })
    return super.show(req, res)
  }
}
new Users(app, '/x')
`,
    },
  ],
  [
    'the guard of a subclass in TypeScript',
    `allowed, ${subclass}`,
    {
      'base.ts': `import type { Express, Request, Response } from 'express'
export abstract class Base {
  constructor(app: Express, path: string) { app.get(path, this.show) }
  show = (req: Request, res: Response) => {
    if (!this.allowed(req, res)) return
    res.json({ tea: 'secret' })
  }
  ${typed(allowed('protected '))}
}
`,
      'app.ts': `import { Base } from './base.js'
class Admin extends Base {
  ${typed(login('override allowed', 'super.allowed(req, res)'))}
}
new Admin(app, '/x')
`,
    },
  ],
]

/** What has its native form as before, with what is written. */
const kept: readonly (readonly [
  name: string,
  written: readonly [file: string, text: string],
  files: Readonly<Record<string, string>>,
])[] = [
  [
    'a private method of an exported class',
    ['teas.ts', 'if (!this.allowedNative(req, res)) return'],
    {
      'teas.ts': `${types}export class Teas {
  constructor(app: Express, path: string) {
    app.get(path, ${asks.replace('(req, res) =>', '(req: Request, res) =>')})
  }
  ${typed(allowed('private '))}
}
`,
      'app.ts': "import { Teas } from './teas.js'\nnew Teas(app, '/x')\n",
    },
  ],
  [
    'a method of a class that its file has for itself',
    ['app.cjs', 'if (!this.allowedNative(req, res)) return'],
    {
      'app.cjs': `class Teas {
  register(path) { app.get(path, ${asks}) }
  ${allowed()}
}
const teas = new Teas()
teas.register('/x')
new Teas().register('/y')
`,
    },
  ],
  [
    'a method of a class whose object alone is exported',
    ['teas.cjs', 'if (!this.allowedNative(req, res)) return'],
    {
      'teas.cjs': `class Teas {
  register(app, path) { app.get(path, ${asks}) }
  ${allowed()}
}
const teas = new Teas()
module.exports = { teas }
`,
      'app.cjs': "require('./teas.cjs').teas.register(app, '/x')\n",
    },
  ],
  [
    'a function of the file',
    ['app.cjs', 'if (!allowedNative(req, res)) return'],
    { 'app.cjs': `function ${allowed()}\napp.get('/x', ${asks.replace('this.', '')})\n` },
  ],
  [
    'an export',
    ['app.cjs', 'if (!allowedNative(req, res)) return'],
    {
      'utils.cjs': `module.exports = { ${allowed()} }\n`,
      'app.cjs': `const { allowed } = require('./utils.cjs')\napp.get('/x', ${asks.replace('this.', '')})\n`,
    },
  ],
  [
    'a member of what is exported',
    ['app.cjs', 'if (!utils.allowedNative(req, res)) return'],
    {
      'utils.cjs': `class Utils { ${allowed()} }\nexports.utils = new Utils()\n`,
      'app.cjs': `const { utils } = require('./utils.cjs')\napp.get('/x', ${asks.replace('this', 'utils')})\n`,
    },
  ],
]

/** Files that are compiled to CommonJS: `/open` and `/closed` have a guard each, of which another file replaces one. */
const compiled: Readonly<Record<string, string>> = {
  'src/open.cts': `${types}export function ${typed(allowed())}\n`,
  'src/closed.cts': `${types}class Utils { ${typed(allowed())} }\nexport const utils = new Utils()\n`,
  'src/secure.cts': `${types}import { utils } from './closed.cjs'
Object.assign(utils, { ${typed(login('allowed', 'true'))} })
`,
  'src/app.cts': `${types}import './secure.cjs'
import { allowed } from './open.cjs'
import { utils } from './closed.cjs'
const app = express()
app.get('/x', ${asks.replace('this.', '').replace('(req, res) =>', '(req: Request, res) =>')})
app.get('/y', ${asks.replace('this', 'utils').replace('(req, res) =>', '(req: Request, res) =>')})
if (!process.env.ASKED) app.listen(3000)
export default app
`,
}

/** What compiles one file, with its map in it. */
const compilers: readonly (readonly [string, (text: string) => string])[] = [
  [
    'TypeScript',
    (text) => {
      const { CommonJS } = ts.ModuleKind
      const compilerOptions = { module: CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true }
      return ts.transpileModule(text, { compilerOptions: { ...compilerOptions, inlineSourceMap: true } })
        .outputText
    },
  ],
  [
    'esbuild',
    (text) =>
      transformSync(text, { loader: 'ts', format: 'cjs', sourcemap: 'inline', platform: 'node' }).code,
  ],
]

/** The same with the name of the source in the map. */
const named = (code: string, source: string): string =>
  code.replace(/(?<=base64,)\S+/, (text) => {
    const map = JSON.parse(Buffer.from(text, 'base64').toString()) as object
    return Buffer.from(JSON.stringify({ ...map, sources: [source], sourcesContent: undefined })).toString(
      'base64',
    )
  })

const heads: Readonly<Record<string, string>> = {
  'app.cjs': "const app = require('express')()\n",
  'app.ts': `${types}const app = express()\n`,
}
const tails: Readonly<Record<string, string>> = {
  'app.cjs': 'if (require.main === module) app.listen(3000)\nmodule.exports = app\n',
  'app.ts': 'if (!process.env.ASKED) app.listen(3000)\nexport default app\n',
}

const whole = (name: string, text: string): string => (heads[name] ?? '') + text + (tails[name] ?? '')

let command: Command
let project: MoveProject
let apps: AskedApps
beforeAll(() => {
  command = createCommand()
  const files = [...cases, ...kept].flatMap(([, , own], at) =>
    Object.entries(own).map(([name, text]) => [`${at}/${name}`, whole(name, text)]),
  )
  project = createCommittedProject({
    'package.json': '{ "type": "module", "dependencies": { "routecontrollers": "*" } }',
    ...Object.fromEntries(files),
    ...compiled,
    '.gitignore': '/node_modules\n/dist\n',
  })
  apps = new AskedApps(project.folder)
})
afterAll(() => {
  command.remove()
  apps.stop()
  project.remove()
})
afterEach(() => project.git('checkout', '-q', '.'))

const textOf = (name: string): string => readFileSync(join(project.folder, name), 'utf8')
const entryOf = (at: number, files: Readonly<Record<string, string>>): string =>
  `${at}/${Object.keys(heads).find((name) => name in files)!}`
const move = (entry: string, ...parameters: string[]) =>
  command.run('move', '--entry', entry, '--cwd', project.folder, '--settle-ms', '50', ...parameters)

const asked = ['/x', '/y'].flatMap((path) =>
  [{}, { authorization: 'me' }, { 'x-blocked': '1' }].map((headers) => ({ path, headers })),
)
const answers = (entry: string): Promise<unknown> => apps.answers(entry, asked)

it.each(cases.map((one, at) => [...one, at] as const))(
  '%s is left as it is',
  async (_name, reason, files, at) => {
    const { code, stdout } = await move(entryOf(at, files), '--write')
    expect(code).toBe(0)
    expect(stdout).toContain(`it passes res on to ${reason}`)
    for (const [name, text] of Object.entries(files)) expect(textOf(`${at}/${name}`)).toBe(whole(name, text))
  },
)

it.each(kept.map((one, at) => [...one, at + cases.length] as const))(
  '%s has its native form',
  async (_name, [file, text], files, at) => {
    const entry = entryOf(at, files)
    const before = await answers(entry)
    const { code, stdout } = await move(entry, '--write')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Written: ') })
    expect(textOf(`${at}/${file}`)).toContain(text)
    expect(await answers(entry)).toEqual(before)
  },
)

it.each(compilers)('what %s compiles is told from what replaces it', async (name, compile) => {
  // One process looks at both: what it knows of a file is that of the first.
  const folder = `dist/${name}`
  const build = (): void => {
    mkdirSync(join(project.folder, folder), { recursive: true })
    for (const file of Object.keys(compiled)) {
      const own = file.replace('src', folder).replace('.cts', '.cjs')
      writeFileSync(join(project.folder, own), named(compile(textOf(file)), `../../${file}`))
    }
  }
  build()
  const before = await answers(`${folder}/app.cjs`)
  const { code, stdout } = await move(`${folder}/app.cjs`, '--write')
  // It is compiled before it is compared.
  expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringContaining('Not compared: ') })
  expect(stdout).toContain(`it passes res on to allowed, ${replaced}`)
  expect(textOf('src/app.cts')).toContain('if (!allowedNative(req, res)) return')
  expect(textOf('src/app.cts')).not.toContain('utils.allowedNative')
  build()
  expect(await answers(`${folder}/app.cjs`)).toEqual(before)
})
