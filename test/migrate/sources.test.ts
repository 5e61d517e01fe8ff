import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ArgumentText, Sources } from '../../packages/cli/src/syntax/sources.js'

const folder = mkdtempSync(join(tmpdir(), 'sources-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The text of the argument of the call `use(…)` in a file. */
function argumentIn(source: string, path: readonly number[] = [0], name = 'main.ts'): unknown {
  const file = join(folder, name)
  writeFileSync(file, source)
  const before = source.slice(0, source.indexOf('use('))
  const line = before.split('\n').length - 1
  return new Sources(folder).argumentAt(
    { file, line, column: before.length - before.lastIndexOf('\n') - 1 },
    path,
  )
}
const known = (text: string | undefined) => ({ text, isKnown: true })
const unknown = (text: string | undefined) => ({ text, isKnown: false })

describe('The text of an argument', () => {
  beforeAll(() => {
    writeFileSync(
      join(folder, 'guards.ts'),
      "const role = requireRole('r')\nexport const admin = requireRole('admin')\nexport function named() {}\nexport default requireRole('default')\nexport { role as renamed }\n",
    )
    writeFileSync(
      join(folder, 'guards.cjs'),
      "exports.one = make('one')\nmodule.exports = { two: make('two'), three() {} }\nmodule.exports.four = make('four')\n",
    )
    writeFileSync(join(folder, 'only.cjs'), "module.exports = make('only')\n")
    writeFileSync(
      join(folder, 'index.ts'),
      "export { admin as again } from './guards.js'\nexport * from './guards.js'\n",
    )
    writeFileSync(join(folder, 'all.ts'), "export default { admin: requireRole('all') }\n")
    writeFileSync(
      join(folder, 'tsconfig.json'),
      '{\n  // Where names lead.\n  "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["./*"], } }\n}\n',
    )
  })

  it.each<[string, object]>([
    ["app.use(requireRole( 'admin' , ))", known("requireRole('admin')")],
    ['app.use(requireRole("admin") /* the boss */)', known("requireRole('admin')")],
    [
      "app.use(cors({ origin: [ 'a' ], credentials: true }))",
      known("cors({ origin: ['a'], credentials: true })"),
    ],
    [`app.use(csp({ default: ["'self'", 'a\\n'] }))`, known(`csp({ default: ["'self'", "a\\n"] })`)],
    ['app.use((req, res, next) => next())', known(undefined)],
    ['function guard() {}\napp.use(guard)', known(undefined)],
    ["const auth = requireRole('x')\napp.use(auth)", known("requireRole('x')")],
    ["const auth = requireRole('x') as Handler\napp.use(auth!)", known("requireRole('x')")],
    ["app.use(fromConnect(requireRole('x')))", known("requireRole('x')")],
    ["import { admin } from './guards.js'\napp.use(admin)", known("requireRole('admin')")],
    ["import { named } from './guards.js'\napp.use(named)", known(undefined)],
    ["import auth from './guards.js'\napp.use(auth)", known("requireRole('default')")],
    ["import * as guards from './guards.js'\napp.use(guards.admin)", known("requireRole('admin')")],
    ["import { renamed } from './guards.js'\napp.use(renamed)", known("requireRole('r')")],
    ["import { again } from './index.js'\napp.use(again)", known("requireRole('admin')")],
    ["import { named } from './index.js'\napp.use(named)", known(undefined)],
    ["import { admin } from '@/guards'\napp.use(admin)", known("requireRole('admin')")],
    ["import all from './all.js'\napp.use(all.admin)", known("requireRole('all')")],
    ["const guards = require('./guards.cjs')\napp.use(guards.two)", known("make('two')")],
    ["const guards = require('./guards.cjs')\napp.use(guards['three'])", known(undefined)],
    ["const guards = { admin: requireRole('own') }\napp.use(guards.admin)", known("requireRole('own')")],
    ["import * as guards from './guards.js'\napp.use(guards.none)", known('guards.none')],
    ['const guards = make()\napp.use(guards.admin)', known('guards.admin')],
    ["import { admin } from 'a-package'\napp.use(admin)", known('admin')],
    ["const { two } = require('./guards.cjs')\napp.use(two)", known("make('two')")],
    ["const { three: other } = require('./guards.cjs')\napp.use(other)", known(undefined)],
    ["const only = require('./only.cjs')\napp.use(only)", known("make('only')")],
    ['function mount(auth) {\n  app.use(auth)\n}', unknown('auth')],
    ['const mount = ({ auth }) => {\n  app.use(auth)\n}', unknown('auth')],
    ['app.use(...guards)', unknown('...guards[0]')],
    [
      "const auth = requireRole('outer')\n{\n  const auth = requireRole('inner')\n  app.use(auth)\n}",
      known("requireRole('inner')"),
    ],
  ])('%s', (source, text) => {
    expect(argumentIn(source)).toMatchObject(text)
  })

  it('within arrays, by its number', () => {
    expect(argumentIn("app.use('/a', [one(), [two()]])", [1, 1, 0])).toMatchObject(known('two()'))
    expect(argumentIn("app.use('/a', list)", [1, 2])).toMatchObject(known('list[2]'))
    const list = "const list = [one(), ['x', two()]]\napp.use('/a', list)"
    expect(argumentIn(list, [1, 1, 1])).toMatchObject(known('two()'))
    expect(argumentIn('const list = []\nlist.push(one())\napp.use(list)', [0, 0])).toMatchObject(
      known('[][0]'),
    )
    expect(argumentIn('const list = [...others]\napp.use(list)', [0, 0])).toMatchObject(
      known('[...others][0]'),
    )
    expect(argumentIn("app.use('/a')", [1])).toMatchObject(unknown(undefined))
  })

  it('has a hash of a file of JSON that it imports, and of the member alone that it reads', () => {
    const namesOf = (roles: string): unknown => {
      writeFileSync(join(folder, 'roles.json'), roles)
      const source =
        "import roles from './roles.json' with { type: 'json' }\napp.use(requireRole(roles.own.role))"
      return (argumentIn(source) as ArgumentText).names
    }
    const before = namesOf('{ "own": { "role": "admin" } }')
    expect(before).toEqual(expect.any(String))
    expect(namesOf('{ "own": { "role": "guest" } }')).not.toBe(before)
    expect(namesOf('{ "more": 1,\n  "own": { "role": "admin" } }')).toBe(before)
  })

  it.each([
    ['ts', "export const { role } = { role: 'admin', other: 1 }"],
    ['ts', "export const { own: role } = { own: 'admin' }"],
    ['ts', "export const { role = 'admin' } = process.env"],
    ['ts', "export const { other, ...role } = { other: 1, own: 'admin' }"],
    ['ts', "export const [, role] = ['user', 'admin']"],
    ['ts', "export const [, ...role] = ['user', 'admin']"],
    ['ts', "export const other = 1, role = 'admin'"],
    ['ts', "export function role() { return 'admin' }"],
    ['cjs', "exports.role = exports.own = exports.other = 'admin'"],
    ['cjs', "let all\nmodule.exports = exports = all = { role: 'admin', other: 1 }"],
    ['cjs', "Object.assign(exports, { role: 'admin', other: 1 })"],
    ['cjs', "Object.defineProperty(exports, 'role', { get: () => 'admin' })"],
  ])('has a hash of what a %s file exports by its name: %s', (ending, code) => {
    const namesOf = (text: string): unknown => {
      writeFileSync(join(folder, `exported.${ending}`), text)
      const source = `import { role } from './exported.${ending === 'ts' ? 'js' : 'cjs'}'\napp.use(requireRole(role))`
      return (argumentIn(source) as ArgumentText).names
    }
    const before = namesOf(code)
    expect(before).toEqual(expect.any(String))
    expect(namesOf(code.replace('admin', 'guest'))).not.toBe(before)
    // What the name does not stand for.
    expect(namesOf(`${code}\nconst own = 2`)).toBe(before)
    if (code.includes('other: 1, ') || !code.includes('other: 1')) return
    expect(namesOf(code.replace('other: 1', 'other: 2'))).toBe(before)
  })

  it('has one hash of a value, however many names it is exported by', () => {
    const namesOf = (names: string): unknown => {
      writeFileSync(join(folder, 'exported.cjs'), `${names}'admin'\n`)
      const source = "import { role } from './exported.cjs'\napp.use(requireRole(role))"
      return (argumentIn(source) as ArgumentText).names
    }
    const alone = namesOf('exports.role = ')
    expect(namesOf('exports.role = exports.own = ')).toBe(alone)
    expect(namesOf('exports.own = exports.role = exports.other = ')).toBe(alone)
    expect(namesOf('exports.role = exports.own = exports.other = ')).toBe(alone)
  })

  it('has nothing of a default that export * leaves out', () => {
    writeFileSync(join(folder, 'star.ts'), "export * from './default.js'\n")
    const namesOf = (role: string): unknown => {
      writeFileSync(join(folder, 'default.ts'), `export default '${role}'\n`)
      return (argumentIn("import role from './star.js'\napp.use(requireRole(role))") as ArgumentText).names
    }
    expect(namesOf('admin')).toBe(namesOf('guest'))
  })

  it('is not known of what is no file, or no code', () => {
    const nowhere = { file: join(folder, 'none.js'), line: 0, column: 0 }
    expect(new Sources(folder).argumentAt(nowhere, [0])).toBeUndefined()
    expect(argumentIn('app.use(((', [0], 'broken.js')).toBeUndefined()
  })
})

describe('Shown paths', () => {
  it.each([
    ['/project/src/app.js', 'src/app.js'],
    ['/project/node_modules/.pnpm/cors@2/node_modules/cors/lib/index.js', 'node_modules/cors/lib/index.js'],
    ['/project-b/app.js', '/project-b/app.js'],
    ['/elsewhere/node_modules/express/index.js', 'node_modules/express/index.js'],
  ])('%s', (file, shown) => {
    expect(new Sources('/project').shown(file)).toBe(shown)
  })

  it('of a project that is itself in a package begin below it', () => {
    const sources = new Sources('/all/node_modules/shop')
    expect(sources.shown('/all/node_modules/shop/src/app.js')).toBe('src/app.js')
  })
})

describe('The callback of a Controller', () => {
  const callbackOf = (source: string, name: string, handler?: number): ArgumentText | undefined => {
    const file = join(folder, 'controllers.ts')
    writeFileSync(file, source)
    const column = source.indexOf(name)
    return new Sources(folder).callbackAt({ file, line: 0, column }, handler)
  }

  it.each([
    ["new Controller('GET', '/a', make(1))", 'new Controller', 'make(1)'],
    ["api.route('GET', '/a', make(2), {})", 'route', 'make(2)'],
    ["api.get('/a', make(3), {})", 'get', 'make(3)'],
  ])('is the argument behind its path: %s', (source, name, text) => {
    expect(callbackOf(source, name)).toMatchObject({ text, isKnown: true })
  })

  it.each([
    [0, 'one(1)'],
    [1, 'two(2)'],
    [2, 'three(3)'],
    [3, 'four(4)'],
  ])('of Express has the handler with the number %s', (handler, text) => {
    const source = "api.get('/a', fromExpress(one(1), [two(2), [three(3)]], four(4)))"
    expect(callbackOf(source, 'get', handler)).toMatchObject({ text, isKnown: true })
  })

  it.each([
    ["api.get('/a', fromExpress(one(1), ...more, two(2)))", 1],
    ["api.get('/a', fromExpress([...more, two(2)], three(3)))", 1],
    ["api.get('/a', fromExpress(one(1)))", 1],
    ["api.get('/a', callback)", 0],
  ])('of Express is not known where that is not written: %s', (source, handler) => {
    expect(callbackOf(source, 'get', handler)).toEqual({ text: undefined, isKnown: false })
  })
})

it('A source that is there is read, and not the copy of it in a source map', () => {
  const [file, original] = [join(folder, 'built.js'), join(folder, 'built.ts')]
  writeFileSync(original, 'use(now(1))\n')
  const map = { version: 3, sources: ['built.ts'], sourcesContent: ['use(then(1))\n'], mappings: 'AAAA' }
  const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`
  const textAt = (): unknown => {
    const sources = new Sources(folder, new Map([[file, url]]))
    return sources.argumentAt(sources.origin({ file, line: 0, column: 0 }), [0])?.text
  }
  expect(textAt()).toBe('now(1)')
  rmSync(original)
  expect(textAt()).toBe('then(1)')
})

describe('A source map that others have written', () => {
  const place = { file: join(folder, 'compiled.js'), line: 0, column: 0 }
  const originBy = (map: unknown): unknown => {
    const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`
    return new Sources(folder, new Map([[place.file, url]])).origin(place)
  }
  const whole = { version: 3, sources: ['main.ts'], sourcesContent: ['a'], mappings: 'AAIA' }

  it('leads to the file that was compiled', () => {
    expect(originBy(whole)).toEqual({ file: join(folder, 'main.ts'), line: 4, column: 0 })
  })

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'AAAA'],
    ['no mappings', { ...whole, mappings: undefined }],
    ['mappings of another type', { ...whole, mappings: {} }],
    ['sources of another type', { ...whole, sources: 'main.ts' }],
    ['a source of another type', { ...whole, sources: [null] }],
  ])('is none where it has %s: the place is that of the compiled file', (_what, map) => {
    expect(originBy(map)).toEqual(place)
  })

  it('whose source is no address keeps the name', () => {
    expect(originBy({ ...whole, sources: ['file://%zz'] })).toEqual({
      file: 'file://%zz',
      line: 4,
      column: 0,
    })
  })
})
