import { once } from 'node:events'
import { mkdirSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ParityGroup, ParityReport } from '@routecontrollers/cli'
import { parityText } from '../../packages/cli/src/report/parity-text.js'
import { freePort } from '../support/free-port.js'
import { createParityProject, type ParityProject } from './parity-project.js'
import { type Command, createCommand, type Ran } from './run-command.js'
import { itSlow } from '../support/counts.js'

// Each run starts a process or two, and waits until nothing more is registered.
jest.setTimeout(300_000)

let command: Command
let project: ParityProject
beforeAll(() => {
  command = createCommand()
  project = createParityProject()
})
afterAll(() => {
  command.remove()
  project.remove()
})

const parity = (...more: string[]): Promise<Ran> =>
  command.run('parity', ...more, '--cwd', project.folder, '--settle-ms', '50')
const reportIn = ({ stdout, stderr }: Ran): ParityReport => {
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as ParityReport
}
const reportOf = async (...more: string[]): Promise<ParityReport> => reportIn(await parity(...more, '--json'))
const groupOf = ({ groups }: ParityReport, route: string, cause: string): ParityGroup | undefined =>
  groups.find((one) => one.routes.includes(route) && one.cause.includes(cause))
const users = (): string => readFileSync(join(project.folder, 'data/users.txt'), 'utf8')
/** The folders of the apps, which each says as it starts. */
const foldersIn = (output: string): string[] =>
  [...output.matchAll(/^app \| data in (.*)$/gm)].map(([, path]) => path!)

describe('routecontrollers parity, of the same code without its Controllers', () => {
  it('finds the guard, the HEAD and the header that are lost, and learns what is noise', async () => {
    const ran = await parity(
      'front.cjs',
      '--header',
      'authorization: Bearer secret',
      '--json',
      '--html',
      'parity.html',
    )
    const report = reportIn(ran)
    expect(ran.code).toBe(1)
    expect(report).toMatchObject({ version: 1, ok: false, legacy: 'the same code without its Controllers' })
    expect(report.compared).toBe(report.planned)
    expect(report.notes).toEqual([expect.stringMatching(/^shared data/)])
    expect(report.groups[0]).toMatchObject({
      cause: '401 json → 200 json',
      remedy: expect.stringContaining('routecontrollers check'),
      routes: ['GET /admin/users'],
    })
    const byToken = groupOf(report, 'GET /admin/users', 'missing header')!.differences.filter(
      ({ route }) => route === 'GET /admin/users',
    )
    expect(new Set(byToken.map(({ headers }) => headers.includes('authorization')))).toEqual(new Set([true]))
    expect(JSON.stringify(report)).not.toContain('Bearer secret')
    expect(groupOf(report, 'GET /ping', 'HEAD')).toMatchObject({
      differences: [{ method: 'HEAD', legacy: { status: 200, type: 'text' }, now: { status: 204 } }, {}],
    })
    const lost = groupOf(report, 'GET /orders/:id', 'missing header cache-control')!
    expect(lost.differences[0]!.changes.map(({ what, name }) => `${what} ${name}`)).toEqual([
      'missing header x-powered-by',
      'missing header cache-control',
      'missing header etag',
    ])
    expect(Object.keys(report.noise)).toEqual(
      expect.arrayContaining(['$.receipt', '$.at', 'ratelimit-remaining', 'content-length']),
    )
    expect(users()).toBe('Ada\n')

    const text = parityText(report, { colours: false })
    expect(text).toMatch(/^GET \/admin\/users 401 json → 200 json; a guard is not asked any more/m)
    expect(text).toMatch(/^✗ \d+ of \d+ requests differ between /m)
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
    const page = readFileSync(join(project.folder, 'parity.html'), 'utf8')
    expect(page).toContain("default-src 'none'")
    expect(page).toContain('<span class="path">HEAD /ping (HEAD)')
    expect(page).toMatch(/(\d+) of \1 requests</)
  })

  itSlow('makes requests that write when it is told to, on copies of the data', async () => {
    const lock = join(project.folder, 'front.lock.json')
    const samples = [{ url: '/users?from=lock', body: { name: 'Eve' } }]
    writeFileSync(lock, JSON.stringify({ version: 1, routes: [{ method: 'POST', path: '/users', samples }] }))
    for (const more of [[], ['--data-env', 'DATA']]) {
      const ran = await parity('front.cjs', '--lock', lock, '--unsafe', '--json', '--data', 'data', ...more)
      const report = reportIn(ran)
      const copies = foldersIn(ran.stderr)
      expect(new Set([...copies, join(project.folder, 'data/users.txt')]).size).toBe(4)
      expect(copies.filter((path) => existsSync(path))).toEqual([])
      expect(report.notes).toEqual([])
      const writes = groupOf(report, 'POST /users', '201 json → 200 json')!.differences
      expect(writes.map(({ target }) => target)).toEqual(
        expect.arrayContaining(['/users', '/users?from=lock']),
      )
      expect(groupOf(report, 'POST /users', 'malformed body')).toBeDefined()
      // What was written shows in both alike.
      expect(groupOf(report, 'GET /users', '')).toBeUndefined()
      expect(users()).toBe('Ada\n')
    }
  })

  itSlow('finds nothing in an app that answers alike', async () => {
    writeFileSync(
      join(project.folder, 'alike.cjs'),
      `const { Controller, RouteControllers } = require('routecontrollers')
      const rc = new RouteControllers([new Controller('GET', '/never', () => 'x')])
      const app = require('express')()
      app.use((req, res, next) => (req.path === '/never' ? res.send('y') : next()), rc.middleware())
      app.get('/moved', (req, res) => res.redirect('/elsewhere'))
      app.listen(3000)`,
    )
    expect(await parity('alike.cjs')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✓ \d+ requests answered alike/m),
    })
  })

  itSlow('leaves out routes that Express no longer has, and says how many', async () => {
    const { notes, groups } = await reportOf('moved.cjs')
    expect(notes[1]).toBe(
      '1 route left out, which Express has no more: GET /users. --base REVISION compares them with the code that had them.',
    )
    expect(groups).toEqual([])
    writeFileSync(
      join(project.folder, 'all-moved.cjs'),
      `const { Controller, RouteControllers, Server } = require('routecontrollers')
      const rc = new RouteControllers([new Controller('GET', '/a', () => 'a'), new Controller('GET', '/b', () => 'b')])
      new Server().start({ port: 3000, routeControllers: rc, fallback: require('express')() })`,
    )
    const { code, stderr } = await parity('all-moved.cjs')
    expect(code).toBe(2)
    expect(stderr).toContain('2 routes left out, which Express has no more: GET /a, GET /b.')
    expect(stderr).toContain('Nothing is left to compare.')
  })

  itSlow('says that not all is known where neither side answers a request', async () => {
    const asked = join(project.folder, 'asked.txt')
    writeFileSync(
      join(project.folder, 'slow.cjs'),
      `const { Controller, RouteControllers } = require('routecontrollers')
      const app = require('express')()
      const rc = new RouteControllers([new Controller('GET', '/never', () => 'x')])
      app.use((req, res, next) => (req.path === '/never' ? res.send('y') : next()), rc.middleware())
      app.get('/quick', (req, res) => res.send('z'))
      app.get('/slow', () => require('fs').appendFileSync(${JSON.stringify(asked)}, 'x'))
      app.listen(3000)`,
    )
    const { code, stdout } = await parity('slow.cjs', '--answer-limit-ms', '300')
    expect(code).toBe(3)
    expect(stdout).toMatch(/^\d+ requests not compared: there was no answer to compare/m)
    expect(stdout).toContain('GET /slow did not answer in time, and was not asked again.')
    // Once by each side, and by legacy as it was started a second time.
    expect(readFileSync(asked, 'utf8')).toBe('xxx')
  })

  itSlow.each([
    ['before.cjs', 'before.cjs has no RouteControllers'],
    ['callback.cjs', 'the Controllers of callback.cjs stand in no middleware() and no Server'],
  ])('says so where there is nothing to switch off: %s', async (entry, sentence) => {
    writeFileSync(
      join(project.folder, 'callback.cjs'),
      `const { Controller, RouteControllers } = require('routecontrollers')
      const answer = new RouteControllers([new Controller('GET', '/a', () => 'a')]).getCallback()
      const app = require('express')()
      app.get('/a', async (req, res) => res.send(await (await answer(new Request('http://a/a'))).text()))
      app.listen(3000)`,
    )
    const { code, stderr } = await parity(entry)
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)])
  })
})

describe('routecontrollers parity --base', () => {
  beforeAll(() => {
    cpSync(join(project.folder, 'before.cjs'), join(project.folder, 'server.cjs'))
    writeFileSync(
      join(project.folder, 'broken.cjs'),
      `const app = require('express')()
      app.get('/text', (req, res) => res.status(500).send('no tea in ' + __dirname))
      app.get('/page', () => { throw new Error('no tea in ' + __dirname) })
      app.listen(0)`,
    )
    project.git('init', '-q', '-b', 'master')
    project.git('add', '.')
    project.git('commit', '-qm', 'before')
    cpSync(join(project.folder, 'moved.cjs'), join(project.folder, 'server.cjs'))
  })

  it('finds who answers now what has moved, and what takes another form of a path', async () => {
    const { stdout, stderr, code } = await parity('server.cjs', '--base', 'HEAD')
    expect(code).toBe(1)
    expect(stdout).toContain(
      'GET /admin/users 401 text → 200 html (now answered by Express GET /{*page} at server.cjs:8)',
    )
    expect(stdout).toContain('trailing slash: GET /users; use profile fromApp(app)')
    expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
    const [worktree] = foldersIn(stderr)
    expect([worktree!.startsWith(tmpdir()), existsSync(worktree!)]).toEqual([true, false])
  })

  itSlow(
    'does not compare how long an answer to HEAD would be that names the folder of the app',
    async () => {
      const { compared, groups } = await reportOf('broken.cjs', '--base', 'HEAD')
      expect([compared > 0, groups]).toEqual([true, []])
    },
  )

  itSlow(
    'refuses a revision that is not there, and one with other packages unless it may install them',
    async () => {
      expect((await parity('server.cjs', '--base', 'mastr')).stderr).toMatch(
        /^routecontrollers: --base: there is no revision "mastr" in \/.*, did you mean master\?$/m,
      )
      expect(await parity('server.cjs', '--base', 'nowhere')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--base: there is no revision "nowhere" in'),
      })
      writeFileSync(
        join(project.folder, 'package-lock.json'),
        JSON.stringify({
          name: 'a',
          version: '1.0.0',
          lockfileVersion: 3,
          packages: { '': { name: 'a', version: '1.0.0' } },
        }),
      )
      writeFileSync(join(project.folder, 'package.json'), JSON.stringify({ name: 'a', version: '1.0.0' }))
      project.git('add', '.')
      project.git('commit', '-qm', 'packages')
      rmSync(join(project.folder, 'package-lock.json'))
      expect(await parity('server.cjs', '--base', 'HEAD')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('package-lock.json is another one there: --install'),
      })
      expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
      const more = ['--install', '--env', 'PONG=a', '--legacy-env', 'PONG=b', '--json']
      const { groups } = reportIn(await parity('server.cjs', '--base', 'HEAD', ...more))
      expect(groups.map(({ routes, cause }) => [routes, cause])).toEqual([
        [['GET /ping'], expect.stringContaining('another body')],
      ])
    },
  )

  itSlow('says what the installation of packages has failed with, and no usage of npm', async () => {
    const install = async (packages: object): Promise<string> => {
      writeFileSync(join(project.folder, 'package.json'), JSON.stringify(packages))
      writeFileSync(
        join(project.folder, 'package-lock.json'),
        JSON.stringify({ name: 'a', version: '1.0.0', lockfileVersion: 3, packages: { '': { name: 'a' } } }),
      )
      project.git('add', '.')
      project.git('commit', '-qm', 'a lockfile that does not fit')
      rmSync(join(project.folder, 'package-lock.json'))
      const { code, stderr } = await parity('server.cjs', '--base', 'HEAD', '--install')
      expect(code).toBe(2)
      return stderr
    }
    const dependencies = Object.fromEntries(
      Array.from({ length: 9 }, (_one, at) => [`own-${at}`, 'file:./b']),
    )
    mkdirSync(join(project.folder, 'b'))
    writeFileSync(join(project.folder, 'b/package.json'), JSON.stringify({ name: 'b', version: '1.0.0' }))
    const stderr = await install({ name: 'a', version: '1.0.0', dependencies })
    expect(stderr).toMatch(
      /^routecontrollers: --base HEAD: npm ci has failed: npm error code EUSAGE `npm ci` can only install .* Missing: own-0@/m,
    )
    expect(stderr).not.toMatch(/own-8|Usage|--omit/)
  })
})

describe('routecontrollers parity of two URLs', () => {
  const servers: Server[] = []
  const serve = async (listener: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> => {
    const server = createServer(listener).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  afterEach(() => servers.splice(0).forEach((server) => (server.closeAllConnections(), server.close())))

  beforeAll(async () => {
    expect(await parity('http://127.0.0.1:1', 'http://127.0.0.1:2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no routes.lock.json'),
    })
    const words = ['--cwd', project.folder, '--settle-ms', '50', '--lock', 'routes.lock.json']
    await command.run('inspect', 'before.cjs', ...words)
  })

  it('compares what serves already, by the lock, and sends targets as they are', async () => {
    const targets: string[] = []
    const legacy = await serve((req, res) => {
      targets.push(req.url!)
      res.setHeader('location', `http://${req.headers.host}/x`).end('a')
    })
    const now = await serve((req, res) => {
      if (req.url === '/ping') res.statusCode = 500
      res.setHeader('location', `http://${req.headers.host}/x`).end('a')
    })
    const report = await reportOf(legacy, now)
    expect(report.groups.map(({ cause, routes }) => [cause, routes])).toEqual([['200 → 500', ['GET /ping']]])
    expect(targets).toEqual(
      expect.arrayContaining(['/./users', '/x/../users', '//ping', '/admin%2Fusers', '/ping%']),
    )
  })

  itSlow(
    'does not compare the calls of a stack trace, which are others where a route has moved',
    async () => {
      const page = (...frames: string[]): string =>
        `<pre>Error: no tea &lt;1&gt;${frames.map((one) => `<br> &nbsp; &nbsp;at ${one}`).join('')}</pre>`
      const json = (message: string, ...frames: string[]): string =>
        JSON.stringify({ stack: [message, ...frames].join('\n    at '), tea: 'none' })
      const serveError = (message: string, ...frames: string[]): Promise<string> =>
        serve((req, res) => {
          res.writeHead(500, { 'content-type': 'text/html' })
          res.end(req.url === '/ping' ? page(...frames) : json(message, ...frames))
        })
      const legacy = await serveError(
        'Error: no tea',
        'brew (/app/tea.js:1:2)',
        'new Layer (&lt;anonymous&gt;)',
      )
      const moved = await serveError('Error: no tea', 'run (<anonymous>)')
      const other = await serveError('Error: no cup', 'run (<anonymous>)')
      const [three, four] = await Promise.all(
        ['3', '4'].map((rooms) => serveError('Rooms', `home: ${rooms}`)),
      )
      expect((await reportOf(legacy, moved)).groups).toEqual([])
      const rooms = (await reportOf(three!, four!)).groups.flatMap(({ routes }) => routes)
      expect(rooms).toEqual(expect.arrayContaining(['GET /ping', 'GET /users']))
      const { groups } = await reportOf(legacy, other)
      expect(groups.flatMap(({ routes }) => routes)).toContain('GET /users')
    },
  )

  it('names the routes that were refused to each request', async () => {
    const guarded = await serve((req, res) => {
      const isRefused = req.url!.startsWith('/users') || req.url!.startsWith('/admin')
      res.writeHead(isRefused ? 401 : 200).end()
    })
    const { notes, ok } = await reportOf(guarded, guarded)
    expect([ok, notes]).toEqual([
      true,
      expect.arrayContaining([
        '2 routes answered nothing but 401 or 403, so that only what guards them was compared: GET /admin/users, GET /users. --header lets requests in.',
      ]),
    ])
    const open = await serve((_req, res) => void res.end())
    expect((await reportOf(open, open)).notes.join(' ')).not.toContain('401 or 403')
  })

  it('names no route as refused of which one request came through, whatever came behind it', async () => {
    const guarded = await serve((req, res) => {
      const isIn = req.headers['x-user'] !== undefined && req.headers['x-key'] !== undefined
      res.writeHead(isIn ? 200 : 401).end()
    })
    // Each header alone is asked with last.
    const headers = ['--header', 'x-user: ada', '--header', 'x-key: abc']
    const { notes, ok } = await reportOf(guarded, guarded, ...headers)
    expect([ok, notes.filter((note) => note.includes('401'))]).toEqual([true, []])
  })

  it('goes on where it was ended, and refuses the file of another comparison', async () => {
    let asked = 0
    let isFirst = true
    const legacy = await serve((_req, res) => {
      // The first run ends here, or before on a busy machine.
      if (++asked < 20 || !isFirst) res.end('a')
    })
    const now = await serve((_req, res) => void res.writeHead(201).end('a'))
    const first = await parity(legacy, now, '--resume', 'done.jsonl', '--time-limit-ms', '3000')
    const [, until] = /(\d+) of \d+ requests were compared/.exec(first.stderr)!
    expect(first.code).toBe(1)
    isFirst = false
    const before = asked
    const { compared, planned, groups } = await reportOf(legacy, now, '--resume', 'done.jsonl')
    expect(compared).toBe(planned)
    expect(groups.flatMap(({ differences }) => differences)).toHaveLength(planned)
    expect(asked - before).toBe(2 * (planned - Number(until)))
    for (const other of [
      [now, legacy],
      [legacy, now, '--header', 'x-token: other'],
    ]) {
      expect(await parity(...other, '--resume', 'done.jsonl')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('done.jsonl is of another command line'),
      })
    }
  })

  it('is no success where the time was over', async () => {
    const mute = await serve(() => {})
    const { code, stdout } = await parity(mute, mute, '--time-limit-ms', '100')
    expect([code, stdout]).toEqual([3, expect.stringContaining('Not all is known: 0 of ')])
  })

  it('is no success, and no difference, where the app as it was answers nothing', async () => {
    const [one, other] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}/`)
    const mute = await serve(() => {})
    const alive = await serve((_req, res) => res.end('a'))
    for (const [legacy, now] of [
      [one!, other!],
      [one!, alive],
      [mute, mute],
      [mute, alive],
    ] as const) {
      const { code, stdout, stderr } = await parity(legacy, now, '--answer-limit-ms', '50')
      expect([code, stdout]).toEqual([3, ''])
      expect(stderr).toContain(`${legacy.replace(/\/?$/, '/')} has answered no request`)
    }
  })

  it('counts what neither side has answered as not compared, and asks it again the next time', async () => {
    const serveSome = (): Promise<string> =>
      serve((req, res) => void (req.url!.startsWith('/ping') ? req.socket.destroy() : res.end('a')))
    const urls = [await serveSome(), await serveSome()]
    for (const _run of [1, 2]) {
      const ran = await parity(...urls, '--json', '--resume', 'some.jsonl')
      const { compared, planned, ok, groups, notes } = reportIn(ran)
      expect([ran.code, ok, groups]).toEqual([3, false, []])
      expect(compared).toBeLessThan(planned)
      expect(notes).toContain(`${planned - compared} requests not compared: there was no answer to compare.`)
    }
  })

  it('never shows what was given by --header, whatever the answers make of it', async () => {
    const secrets = ['Basic c2VjcmV0/1==', 'key & "secret"', 'a=1; sid=s%3Asecret']
    const names = ['authorization', 'x-key', 'cookie']
    const echo = (side: string) => (req: IncomingMessage, res: ServerResponse) => {
      const before = req.headers.authorization === undefined ? '' : side
      const values = names.map((name) => String(req.headers[name] ?? ''))
      res.setHeader('location', `/${before}?${encodeURIComponent(values[0]!.slice(6))}`)
      res.setHeader('set-cookie', [`${before}=${values[2]!.slice(9)}`, `a${before}=1`])
      res.setHeader('x-echo', `${before} ${values.join()}`).setHeader('content-type', 'text/html')
      // Such a long word is clipped.
      res.end(`${before} ${'x'.repeat(45)}${values[1]} ${JSON.stringify(values)}`)
    }
    const urls = [await serve(echo('was')), await serve(echo('is'))].map((url) =>
      url.replace('//', '//me:pa55word@'),
    )
    const given = names.flatMap((name, at) => ['--header', `${name}: ${secrets[at]}`])
    const files = ['--resume', 'echo.jsonl', '--html', 'echo.html']
    const text = await parity(...urls, ...given, ...files)
    const json = await parity(...urls, ...given, '--json')
    const written = ['echo.jsonl', 'echo.html'].map((file) =>
      readFileSync(join(project.folder, file), 'utf8'),
    )
    for (const shown of [text.stdout, text.stderr, json.stdout, ...written]) {
      expect(shown).not.toMatch(/c2Vj|secret|pa55/)
      if (shown !== text.stderr) expect(shown).toContain('[authorization]')
    }
    expect(json.stdout).toContain('[authorization, encoded]')
    expect(reportIn(json).legacy).toMatch(/^http:\/\/127/)
  })

  it.each([
    ['a/secret', encodeURIComponent, 'encoded'],
    ['a"secret', (value: string) => JSON.stringify(value).slice(1, -1), 'as JSON'],
    ['s\u00e9cret', (value: string) => value, 'as UTF-8'],
  ])('tells %j as it was given from the same in another form', async (secret, formed, form) => {
    const valueOf = ({ headers }: IncomingMessage): string => String(headers['x-key'] ?? '')
    const one = await serve((req, res) => void res.end(Buffer.from(`a ${valueOf(req)} b`, 'latin1')))
    const other = await serve((req, res) => void res.end(`a ${formed(valueOf(req))} b`))
    const { groups } = await reportOf(one, other, '--header', `x-key: ${secret}`)
    const changes = groups.flatMap(({ differences }) => differences.flatMap((one) => one.changes))
    expect(changes).toContainEqual({ what: 'body', legacy: 'a [x-key] b', now: `a [x-key, ${form}] b` })
    expect(JSON.stringify(groups)).not.toContain('cret')
  })

  it('shows control characters of a route as text', async () => {
    const route = { method: 'GET', path: '/a\u001b[2K\n\u202e', witness: 'GET /a' }
    writeFileSync(join(project.folder, 'evil.json'), JSON.stringify({ version: 1, routes: [route] }))
    const urls = [await serve((_req, res) => res.end('a')), await serve((_req, res) => res.end('b'))]
    const { stdout } = await parity(...urls, '--lock', 'evil.json')
    expect(stdout).toContain('GET /a\\x1b[2K\\n\\u202e')
  })

  it('shows on a terminal how far it is', async () => {
    const terminal = createCommand({ isTerminal: true })
    const same = await serve((_req, res) => res.end('a'))
    const { stderr } = await terminal.run('parity', same, same, '--cwd', project.folder)
    terminal.remove()
    expect(stderr).toMatch(/\r[#.]{30} \d+ of \d+, 0 differ /)
    expect(stderr.endsWith('\r\u001b[K')).toBe(true)
  })
})

describe('routecontrollers parity of an entry that fails', () => {
  it('tells its own error', async () => {
    writeFileSync(join(project.folder, 'crashes.cjs'), "throw new Error('The database is not there')")
    const { code, stdout, stderr } = await parity('crashes.cjs')
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toContain('Error: The database is not there')
    expect(stderr).toMatch(
      /crashes\.cjs \(the .*code.*\) has failed, with the exit code 1; so nothing was compared\. What it has said itself stands above\.$/m,
    )
  })

  itSlow('starts it again where a request has ended it, and says that it differs', async () => {
    writeFileSync(
      join(project.folder, 'ends.cjs'),
      `const { Controller, RouteControllers, Server } = require('routecontrollers')
      const app = require('express')().get('/a', (req, res) => res.send('a')).get('/b', (req, res) => res.send('b'))
      const end = new Controller('GET', '/a', (req) => (req.url === '/a' && req.method === 'GET' && !req.headers.accept && !req.headers['if-none-match'] ? process.exit(7) : 'a'))
      new Server().start({ port: 3000, routeControllers: new RouteControllers([end]), fallback: app })`,
    )
    const report = await reportOf('ends.cjs')
    expect(report.compared).toBe(report.planned)
    expect(groupOf(report, 'GET /a', '200 html → the connection was closed')).toBeDefined()
    expect(groupOf(report, 'GET /b', '')).toBeUndefined()
  })

  it.each([
    [['http://127.0.0.1:1'], 'parity takes two URLs'],
    [['http://127.0.0.1:1', 'http://127.0.0.1:2', '--base', 'x'], 'neither --base nor --data'],
    [['before.cjs', '--instal'], 'parity has no option --instal, did you mean --install?'],
    [['before.cjs', '--install'], '--install goes with --base'],
    [['before.cjs', '--data', 'dta'], '/data?\n'],
    [['before.cjs', '--data', '..'], '--data-env NAME says by which variable'],
    [['before.cjs', '--header', 'x'], "--header takes 'name: value'\n"],
    [['before.cjs', '--header', 'x-key: s\u0001cret'], "'name: value'; that of x-key is none\n"],
    [['http://a:secret@h', 'x'], 'not http://h x\n'],
    [['before.cjs', '--lock', 'none.json'], 'There is no none.json in'],
  ])('refuses %j', async (parameters, sentence) => {
    const { code, stdout, stderr } = await parity(...parameters)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)])
  })
})
