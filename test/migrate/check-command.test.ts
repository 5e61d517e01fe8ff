import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { CheckReport } from '@routecontrollers/cli'
import { lockVersion } from '../../packages/cli/src/check/lock.js'
import { apps, type Command, createCommand, type Ran } from './run-command.js'

// Each run starts a process or two, and waits until nothing more is registered.
jest.setTimeout(300_000)

let command: Command
/** The app and its lock, which each test gets a copy of. */
let original: string
let folder: string
beforeAll(async () => {
  command = createCommand()
  original = createFolder()
  for (const file of ['legacy.cjs', 'guards.cjs']) cpSync(join(apps, file), join(original, file))
  const lock = ['--lock', 'routes.lock.json']
  await command.run('inspect', 'legacy.cjs', '--cwd', original, '--settle-ms', '50', ...lock)
})
afterAll(() => {
  command.remove()
  rmSync(original, { recursive: true })
})

beforeEach(() => {
  folder = createFolder()
  for (const file of ['legacy.cjs', 'guards.cjs', 'routes.lock.json']) {
    cpSync(join(original, file), join(folder, file))
  }
})
afterEach(() => rmSync(folder, { recursive: true }))

function createFolder(): string {
  const created = mkdtempSync(join(tmpdir(), 'check-'))
  symlinkSync(join(__dirname, '../../node_modules'), join(created, 'node_modules'))
  return created
}

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

  it('refuses a lock that is a folder', async () => {
    const { code, stderr } = await told('check', 'legacy.cjs', '--cwd', folder, '--lock', '.')
    expect([code, stderr]).toEqual([
      2,
      'routecontrollers: . is no file: name the file of the lock by --lock\n',
    ])
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

  it('tells once what several routes have lost, and first what fewer of them passed', async () => {
    edit(
      'legacy.cjs',
      "app.get('/health'",
      "for (const path of ['/a', '/b', '/c']) app.get(path, (req, res) => res.end())\napp.get('/health'",
    )
    await command.run(...['inspect', 'legacy.cjs', '--cwd', folder], '--lock', 'routes.lock.json')
    edit('legacy.cjs', 'app.use(express.json', '// app.use(express.json')
    edit('legacy.cjs', 'secrets.use(validateSession)\n', '')
    edit('legacy.cjs', "'/any/*'", "'/any/:more'")
    const { stdout } = await check()
    expect(stdout).toMatchInlineSnapshot(`
     "✗ GET /secret/:name  answered by Express legacy.cjs:14 (was Express legacy.cjs:15)
       lost         validateSession                  legacy.cjs:11
       and          1 finding that it shares with other routes, told with those
       remedy       put it back, or accept it: --accept ROUTE --because REASON

     ✗ 8 routes
       GET /a  answered by Express legacy.cjs:21 (was Express legacy.cjs:22)
       GET /admin/users  answered by Express legacy.cjs:19 (was Express legacy.cjs:20)
       GET /b  answered by Express legacy.cjs:21 (was Express legacy.cjs:22)
       and 5 more
       lost         jsonParser (express.json({ limit: '1mb' }))  legacy.cjs:10
       remedy       put it back, or accept it: --accept ROUTE --because REASON

     ✗ * /any/*  answered by the middleware <anonymous> legacy.cjs:25 (was Express legacy.cjs:25)
       gone         is not there any more; the middleware <anonymous> legacy.cjs:25 gets its requests
                                                                                            legacy.cjs:25
       remedy       put it back, or accept it: --accept ROUTE --because REASON

     ✗ * /any/:more                                    answered by Express legacy.cjs:24
       new          is not in the lock               legacy.cjs:24
       remedy       routecontrollers inspect ENTRY --lock routes.lock.json, when you have seen that it is
                    guarded

     ✗ 9 routes checked: 10 with findings
     "
    `)
    const { routes } = JSON.parse((await check('--json')).stdout) as CheckReport
    const lost = routes.flatMap(({ changes }) => changes.filter(({ kind }) => kind === 'lost'))
    expect(lost.map(({ what, routes: passed }) => [what, passed])).toEqual([
      ...Array.from({ length: 8 }, () => ["jsonParser (express.json({ limit: '1mb' }))", 9]),
      ['validateSession', 1],
    ])
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

  it('shows the whole text of a changed argument, names a lost one by its function, and accepts each change alone', async () => {
    const long = (role: string): string => `requireRole('${role}', { because: '${'x'.repeat(60)}' })`
    edit('legacy.cjs', "requireRole('admin')", long('admin'))
    await command.run(...['inspect', 'legacy.cjs', '--cwd', folder], '--lock', 'routes.lock.json')
    edit('legacy.cjs', long('admin'), long('user'))
    const { stdout } = await check()
    expect(stdout.replace(/\s+/g, ' ')).toContain(`changed ${long('admin')} to ${long('user')} legacy.cjs`)
    expect((await check('--accept', 'GET /secret/:name', '--because', 'users may')).code).toBe(0)
    edit('legacy.cjs', long('user'), long('guest'))
    expect((await check()).code).toBe(1)
    edit('legacy.cjs', `${long('guest')}, `, '')
    expect((await check()).stdout).toContain('lost         requireRole(...)')
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
    const other = await check('--accept', 'DELETE /something-else', '--because', 'x')
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('; there are findings of GET /new'),
    ])
    const fine = await check('--accept', 'GET /health', '--because', 'x')
    expect([fine.code, fine.stderr]).toEqual([
      2,
      expect.stringMatching(/nothing was found of "GET \/health"; there/),
    ])
    const others = await check('--accept', 'POST /**', '--because', 'x')
    expect([others.code, others.stderr]).toEqual([
      2,
      expect.stringContaining('nothing was found of "POST /**"'),
    ])
    expect((await check('--accept', 'GET /ne*', '--because', 'it is public')).code).toBe(0)
    expect((await check()).code).toBe(0)
    const nothing = await check('--accept', 'GET /nwe', '--because', 'x')
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('there is nothing to accept')])
  })

  it('accepts what was found of each of two registrations of a route', async () => {
    edit('legacy.cjs', 'app.use(express.json', '// app.use(express.json')
    const told = await check('--accept', 'GET /health', '--because', 'it reads no body')
    expect(told.stdout).not.toMatch(/✗ GET \/health/)
    expect(told.stdout.match(/GET \/health .*\n +accepted/g)).toHaveLength(2)
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
    edit('routes.lock.json', `"version": ${lockVersion}`, `"version": ${lockVersion + 1}`)
    const stderr = expect.stringContaining(`has the version ${lockVersion + 1}`)
    expect(await check()).toMatchObject({ code: 2, stderr })
    edit('routes.lock.json', '{', '')
    expect(await check()).toMatchObject({ code: 2, stderr: expect.stringContaining('is not JSON') })
  })
})
