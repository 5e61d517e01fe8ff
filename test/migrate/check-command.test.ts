import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { apps, type Command, createCommand, type Ran } from './run-command.js'

// Each run starts a process or two, and waits until nothing more is registered.
jest.setTimeout(60_000)

let command: Command
let folder: string
beforeAll(() => {
  command = createCommand()
})
afterAll(() => command.remove())

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'check-'))
  for (const file of ['legacy.cjs', 'guards.cjs']) cpSync(join(apps, file), join(folder, file))
  symlinkSync(join(__dirname, '../../node_modules'), join(folder, 'node_modules'))
  await command.run(
    'inspect',
    'legacy.cjs',
    '--cwd',
    folder,
    '--settle-ms',
    '50',
    '--lock',
    'routes.lock.json',
  )
})
afterEach(() => rmSync(folder, { recursive: true }))

const check = (...more: string[]): Promise<Ran> =>
  command.run('check', 'legacy.cjs', '--cwd', folder, '--settle-ms', '50', ...more)
/** Runs commands whose output must have no control character but the ends of its lines. */
const told = async (...parameters: string[]): Promise<Ran> => {
  const ran = await command.run(...parameters)
  expect(ran.stdout + ran.stderr).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|^::/m)
  return ran
}
const edit = (file: string, from: string, to: string): void => {
  const text = readFileSync(join(folder, file), 'utf8')
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
  writeFileSync(join(folder, file), text.replace(from, to))
}

describe('routecontrollers check', () => {
  it('finds nothing in the same app', async () => {
    const { code, stdout } = await check()
    expect([code, stdout]).toEqual([0, '✓ 6 routes checked: nothing is lost\n'])
  })

  it('refuses a lock with a field that is wrong', async () => {
    edit('routes.lock.json', '"answer": "', '"answer": {}, "was": "')
    expect(await check()).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('].answer is not what this command writes there'),
    })
  })

  it('shows control characters of an app and of a lock as text', async () => {
    const evil = '\u001b[2K\n::error::\u009b1m\u202e\u2066\r'
    const shown = '\\x1b[2K\\n::error::\\x9b1m\\u202e\\u2066\\x0d'
    const name = `evil${evil}.cjs`
    writeFileSync(
      join(folder, name),
      `const app = require('express')()
      app.use(Object.defineProperty((req, res, next) => next(), 'name', { value: ${JSON.stringify(evil)} }))
      app.get(${JSON.stringify(`/a${evil}`).replace(/[:[\]]/g, '\\\\$&')}, (req, res) => res.end())
      app.listen(3000)`,
    )
    const run = (command: string, ...more: string[]): Promise<Ran> =>
      told(command, name, '--cwd', folder, '--settle-ms', '50', ...more)
    const inspected = await run('inspect')
    expect(inspected.stdout).toContain(shown)
    expect((await run('inspect', '--lock', `${evil}.json`)).stderr).toContain(`${shown}.json: 1 route`)
    expect((await run('check')).stdout).toContain(shown)
    expect((await run('check', '--lock', evil)).stderr).toContain(`There is no ${shown} in`)
    const lock = readFileSync(join(folder, 'routes.lock.json'), 'utf8')
    writeFileSync(
      join(folder, 'routes.lock.json'),
      lock.replaceAll('validateSession', JSON.stringify(evil).slice(1, -1)),
    )
    expect((await told('check', 'legacy.cjs', '--cwd', folder, '--settle-ms', '50')).stdout).toContain(shown)
  })

  it('says who has lost a guard, and where that stood', async () => {
    edit('legacy.cjs', 'secrets.use(validateSession)\n', '')
    const { code, stdout } = await check()
    expect(code).toBe(1)
    expect(stdout).toMatchInlineSnapshot(`
     "✗ GET /secret/:name  answered by Express legacy.cjs:14 (was Express legacy.cjs:15)
       lost         validateSession                  legacy.cjs:11
       remedy       put it back, or accept it: --accept ROUTE --because REASON

     ✗ 6 routes checked: 1 with findings
     "
    `)
  })

  it('says which argument of a guard has changed, as JSON too', async () => {
    edit('legacy.cjs', "requireRole('admin')", "requireRole('user')")
    const { code, stdout } = await check('--json')
    const { ok, routes } = JSON.parse(stdout) as { ok: boolean; routes: { changes: object[] }[] }
    expect([code, ok, routes.map(({ changes }) => changes)]).toEqual([
      1,
      false,
      [[expect.objectContaining({ kind: 'changed', what: "requireRole('admin') to requireRole('user')" })]],
    ])
  })

  it('keeps what was accepted, with the reason and the day, and finds it no more', async () => {
    edit('legacy.cjs', 'secrets.use(validateSession)\n', '')
    const accepted = await check('--accept', 'GET /secret/:name', '--because', 'the role says it all')
    expect([accepted.code, accepted.stdout]).toEqual([
      0,
      expect.stringContaining('because the role says it all'),
    ])
    expect(readFileSync(join(folder, 'routes.lock.json'), 'utf8')).toContain('"date": "2026-11-21"')
    expect((await check()).code).toBe(0)
    edit('legacy.cjs', 'app.use(express.json', '// app.use(express.json')
    expect((await check()).stdout).toContain('lost         jsonParser')
  })

  it('accepts a new route, and no route that nothing was found of', async () => {
    edit('legacy.cjs', "app.all('/any", "app.get('/new', (req, res) => res.end())\napp.all('/any")
    expect((await check()).stdout).toContain('new          is not in the lock')
    const wrong = await check('--accept', 'GET /nwe', '--because', 'x')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('did you mean GET /new?')])
    expect((await check('--accept', 'GET /new', '--because', 'it is public')).code).toBe(0)
    expect((await check()).code).toBe(0)
  })

  it('finds nothing where lines, comments and the layout have changed, or where a function has moved', async () => {
    edit('guards.cjs', 'exports.validateSession', '\n\n// A comment.\nexports.validateSession')
    edit('legacy.cjs', "requireRole('admin')", 'requireRole(\n  "admin",\n)')
    expect((await check()).stdout).toBe('✓ 6 routes checked: nothing is lost\n')
    cpSync(join(folder, 'guards.cjs'), join(folder, 'moved.cjs'))
    edit('legacy.cjs', './guards.cjs', './moved.cjs')
    const { code, stdout } = await check()
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('moved        validateSession from guards.cjs'),
    ])
  })

  it('finds nothing in a bundle with a source map, with Express in it or not', async () => {
    for (const packages of ['external', 'bundle'] as const) {
      await build({
        entryPoints: [join(folder, 'legacy.cjs')],
        outfile: join(folder, 'dist/main.cjs'),
        bundle: true,
        platform: 'node',
        sourcemap: true,
        minify: packages === 'bundle',
        keepNames: true,
        packages,
        logLevel: 'error',
      })
      const { code, stdout } = await command.run(
        'check',
        'dist/main.cjs',
        '--cwd',
        folder,
        '--settle-ms',
        '50',
      )
      expect([code, stdout]).toEqual([0, '✓ 6 routes checked: nothing is lost\n'])
    }
  })

  it('tells an entry that has failed from one that has lost its routes', async () => {
    edit('legacy.cjs', 'const app', "require('./missing.cjs')\nconst app")
    const { code, stdout, stderr } = await check()
    expect([code, stdout, stderr]).toEqual([
      3,
      '',
      expect.stringContaining("Cannot find module './missing.cjs'"),
    ])
  })

  it('refuses a lock of another version, and one that is none', async () => {
    edit('routes.lock.json', '"version": 1', '"version": 2')
    expect(await check()).toMatchObject({ code: 2, stderr: expect.stringContaining('has the version 2') })
    edit('routes.lock.json', '{', '')
    expect(await check()).toMatchObject({ code: 2, stderr: expect.stringContaining('is not JSON') })
  })
})
