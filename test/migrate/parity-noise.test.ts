// What `parity` leaves out of a comparison, what it cannot compare, and what it says against a difference.
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ParityReport } from '@routecontrollers/cli'
import {
  isIgnoredIn,
  parseIgnored,
  readIgnored,
  withoutIgnored,
} from '../../packages/cli/src/entry/ignore.js'
import { createParityProject, type ParityProject } from './parity-project.js'
import { type Command, createCommand, type Ran } from './run-command.js'
import { itSlow } from '../support/counts.js'

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

const write = (name: string, text: string): void => writeFileSync(join(project.folder, name), text)
const parity = (...more: string[]): Promise<Ran> =>
  command.run('parity', ...more, '--cwd', project.folder, '--settle-ms', '50')
const reportOf = async (...more: string[]): Promise<ParityReport & { code: number }> => {
  const { code, stdout, stderr } = await parity(...more, '--json')
  if (stdout === '') throw new Error(stderr)
  return { ...(JSON.parse(stdout) as ParityReport), code }
}

describe('A field that is not compared', () => {
  const shown = (body: string, ...fields: string[]): string => {
    const ignored = fields.map((field) => parseIgnored(`GET /x ${field}`, '--ignore'))
    const bytes = Buffer.from(body).toString('latin1')
    const headers = new Map([
      ['etag', 'a'],
      ['content-length', '1'],
    ])
    const { answer } = withoutIgnored({ status: 200, headers, body: bytes }, ignored)
    // Both are made of the body.
    const isOther = answer.headers.get('etag') === ''
    expect(answer.headers.get('content-length') === '').toBe(isOther)
    return Buffer.from(answer.body, 'latin1').toString() + (isOther ? ' !' : '')
  }
  it.each([
    ['{"a":1, "b":2}', ['$.a'], '{"a":"(ignored)", "b":2} !'],
    ['{"a":{"b":[1,{"c":"}"}]}}', ['$.a.b[1].c'], '{"a":{"b":[1,{"c":"(ignored)"}]}} !'],
    ['[{"id":1},{"id":2,"n":3}]', ['$[*].id'], '[{"id":"(ignored)"},{"id":"(ignored)","n":3}] !'],
    [
      '{"x":{"id":1},"id":[2],"y":[{"id":null}]}',
      ['$..id'],
      '{"x":{"id":"(ignored)"},"id":"(ignored)","y":[{"id":"(ignored)"}]} !',
    ],
    ['{"a":{"a":{"b":1}}}', ['$..a.b'], '{"a":{"a":{"b":"(ignored)"}}} !'],
    ['{"a b":"ü", "ö":"ä"}', ["$['a b']", '$.*'], '{"a b":"(ignored)", "ö":"(ignored)"} !'],
    [
      '{"a\\"":1,"constructor":2,"__proto__":3}',
      ["$['__proto__']", '$.constructor'],
      '{"a\\"":1,"constructor":"(ignored)","__proto__":"(ignored)"} !',
    ],
    [' [ ] ', ['$'], ' "(ignored)"  !'],
    ['{"a":1}', ['$.b', '$[0]'], '{"a":1}'],
    ['no JSON', ['$.a'], 'no JSON'],
    ['', ['$'], ''],
    ['['.repeat(100_000) + ']'.repeat(100_000), ['$..a'], '['.repeat(100_000) + ']'.repeat(100_000)],
  ])('of %j: %j', (body, fields, expected) => {
    expect(shown(body, ...fields)).toBe(expected)
  })

  it.each(['X-Request-Id', 'x-request-id'])('may be the header %s', (name) => {
    const headers = new Map([
      ['x-request-id', '1'],
      ['x-other', '2'],
    ])
    const ignored = [parseIgnored(`GET /x ${name}`, '--ignore')]
    const { answer, used } = withoutIgnored({ status: 200, headers, body: '' }, ignored)
    expect([[...answer.headers.keys()], used]).toEqual([['x-other'], [`GET /x ${name}`]])
    expect(withoutIgnored({ status: 200, headers: new Map(), body: '' }, ignored).used).toEqual([])
  })

  it.each([
    ['GET /users/7 $.a', true],
    ['/users/:id $.a', true],
    ['GET /users/** $.a', true],
    ['GET /users/8 $.a', false],
    ['POST /users/7 $.a', false],
  ])('by its path or by its route: %s', (text, isIgnored) => {
    const request = { method: 'GET', target: '/users/7?full=1' }
    expect(isIgnoredIn(parseIgnored(text, '--ignore'), request, 'GET /users/:id')).toBe(isIgnored)
  })

  it('is written down once, and what a user has written stays as it is', () => {
    const file = join(project.folder, 'routes.parity.json')
    // As an editor of Windows writes it.
    const own = '\uFEFF{"ignore": ["GET /x $.a"]}'
    writeFileSync(file, own)
    expect(readIgnored(project.folder, [' GET /x $.a '])).toHaveLength(1)
    expect(readFileSync(file, 'utf8')).toBe(own)
    expect(readIgnored(project.folder, ['GET /x $.b'])).toHaveLength(2)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      version: 1,
      ignore: ['GET /x $.a', 'GET /x $.b'],
    })
    rmSync(file)
  })

  it.each(['GET /x', 'x $.a', 'GET /x $.a[', 'GET /x $a', '$.a', 'GET /x $.a.'])(
    'is not %j',
    async (text) => {
      const { code, stderr } = await parity('before.cjs', '--ignore', text)
      expect([code, stderr]).toEqual([2, expect.stringContaining("--ignore takes 'GET /users $.updatedAt'")])
      expect(existsSync(join(project.folder, 'routes.parity.json'))).toBe(false)
    },
  )
})

describe('routecontrollers parity', () => {
  const servers: Server[] = []
  const serve = async (listener: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> => {
    const server = createServer(listener).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  afterEach(() => {
    servers.splice(0).forEach((server) => (server.closeAllConnections(), server.close()))
    rmSync(join(project.folder, 'routes.parity.json'), { force: true })
  })
  const answering = (body: (url: string) => unknown, headers = {}) =>
    serve((req, res) => void res.writeHead(200, headers).end(JSON.stringify(body(req.url!))))
  const lockWith = (...samples: object[]): void =>
    write(
      'routes.lock.json',
      JSON.stringify({
        version: 1,
        routes: [
          { method: 'GET', path: '/users', witness: 'GET /users', passes: [], samples },
          { method: 'GET', path: '/other', witness: 'GET /other', passes: [] },
        ],
      }),
    )

  it('leaves out a field that it was told of, remembers that in a file, and says what it has left out', async () => {
    lockWith()
    const legacy = await answering(() => ({ name: 'Ada', at: 'then' }), { 'x-id': 'a' })
    const now = await answering(() => ({ name: 'Ada', at: 'later' }), { 'x-id': 'b' })
    const first = await reportOf(legacy, now, '--ignore', 'GET /users $.at', '--ignore', '/users x-id')
    expect(first.groups.map(({ routes }) => routes)).toEqual([['GET /other']])
    expect(first.ignored['GET /users $.at']).toBeGreaterThan(0)
    const file = join(project.folder, 'routes.parity.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      version: 1,
      ignore: ['GET /users $.at', '/users x-id'],
    })
    const more = await parity(legacy, now, '--ignore', 'GET /other $.at', '--ignore', '/** x-id')
    expect(more.code).toBe(0)
    expect(more.stdout).toMatch(
      /Left out, as routes.parity.json says: GET \/users \$\.at \(\d+\), \/users x-id/,
    )
    const third = await reportOf(legacy, now)
    expect([third.ok, third.code]).toEqual([true, 0])
    write('routes.parity.json', '{"ignore": [7]}')
    expect((await parity(legacy, now)).stderr).toContain(
      'routes.parity.json holds {"version": 1, "ignore": [',
    )
  })

  itSlow('compares the first four MiB of a body, and says of how many requests it had more', async () => {
    lockWith()
    const most = 4 * 1024 * 1024
    const start = async (end: string): Promise<string> => {
      const texts = new Map<string, string>()
      const url = await serve((req, res) => {
        if (req.method !== 'GET') return void res.writeHead(204).end()
        res.writeHead(200, { 'content-type': 'text/plain' }).end(texts.get(req.url!) ?? 'tea')
      })
      // The address of a side is not compared: what stands in its place is shorter.
      texts.set('/users', `${url} `.padEnd(most, 'x') + end)
      texts.set('/other', 'x'.repeat(most))
      return url
    }
    const { ok, groups, notes } = await reportOf(await start('one'), await start('other'))
    expect([ok, groups]).toEqual([true, []])
    const cut = notes.filter((note) => note.includes('MiB'))
    expect(cut).toEqual([
      expect.stringMatching(/^\d+ requests? had an answer of which only the first 4 MiB were compared\.$/),
    ])
    const all = await reportOf(await start(''), await start(''))
    expect([all.ok, all.notes.filter((note) => note.includes('MiB'))]).toEqual([true, []])
  })

  it('takes what is noise in one route for noise in no other', async () => {
    lockWith()
    let count = 0
    const sideOf = (own: string): Promise<string> =>
      serve((req, res) => {
        const isNoisy = req.url!.startsWith('/users')
        res.writeHead(200, { 'x-next': isNoisy ? `n${count++}` : own }).end('{}')
      })
    const report = await reportOf(await sideOf('then'), await sideOf('now'))
    expect(report.groups.flatMap(({ routes }) => routes)).toEqual(['GET /other'])
    expect(report.noise['x-next']).toBeGreaterThan(0)
  })

  itSlow('says so where it compares only the beginning of an answer, of either side', async () => {
    lockWith()
    const long = 'x'.repeat(4 * 1024 * 1024 + 1)
    const whole = await answering(() => 'x')
    // To one request alone: a client that takes anything.
    const cut = await serve(({ method, url, headers }, res) => {
      const isLong = method === 'GET' && url === '/users' && !headers.accept && !headers['if-none-match']
      res.end(isLong ? long : '"x"')
    })
    for (const sides of [
      [whole, cut],
      [cut, whole],
    ] as const) {
      const { notes, groups } = await reportOf(...sides)
      expect(notes).toContainEqual(
        expect.stringContaining('1 request had an answer of which only the first 4 MiB'),
      )
      expect(groups.flatMap(({ routes }) => routes)).toContain('GET /users')
    }
  })

  it('tells what it has where one comparison fails, and that not all was compared', async () => {
    // What cannot stand in a request line.
    lockWith({ url: '/users/ö\n7' })
    const legacy = await answering((url) => ({ url }))
    const report = await reportOf(legacy, legacy)
    expect(report).toMatchObject({ ok: false, code: 3, groups: [] })
    expect(report.compared).toBeGreaterThan(10)
    expect(report.compared).toBeLessThan(report.planned)
    expect(report.notes).toContainEqual(
      expect.stringMatching(
        /^\d+ requests not compared: the comparison has failed\. The first is GET \/users\/ö/,
      ),
    )
    const now = await answering((url) => ({ url, more: true }))
    const different = await reportOf(legacy, now)
    expect([different.code, different.groups.length > 0]).toEqual([1, true])
  })

  it('compares a text that looks like a date, and is none', async () => {
    lockWith()
    const text = (day: string) => answering(() => `Mon, ${day} Xyz 2026 99:99:99 GMT`)
    const report = await reportOf(await text('77'), await text('88'))
    expect([report.code, report.compared === report.planned]).toEqual([1, true])
  })

  it('names no profile as a remedy where it is not known to help', async () => {
    lockWith()
    const legacy = await serve((req, res) => void res.end(req.url!.endsWith('/') ? 'slash' : 'none'))
    const now = await serve((_req, res) => void res.end('none'))
    const { groups } = await reportOf(legacy, now)
    expect(groups.map(({ cause }) => cause)).toContain('trailing slash')
    expect(groups.map(({ remedy }) => remedy).filter(Boolean)).toEqual([])
  })
})

describe('routecontrollers parity of an entry', () => {
  const app = (body: string, controllers: string): string => `const express = require('express')
const { Controller, RouteControllers } = require('routecontrollers')
const start = Math.random().toString(36)
const app = express()
${controllers}
app.get('/started', (req, res) => res.json(${body}))
app.listen(3000)
`
  const mounted = (text: string): string =>
    `app.use(new RouteControllers([new Controller('GET', '/started', () => (${text}))]).middleware())`

  itSlow('learns what changes with a start by starting legacy twice', async () => {
    write('starts.cjs', app('{ start, name: "Ada" }', mounted('{ start, name: "Ada" }')))
    const report = await reportOf('starts.cjs')
    const bodies = report.groups.flatMap(({ differences }) => differences.flatMap(({ changes }) => changes))
    expect(bodies.filter(({ what }) => what === 'body')).toEqual([])
    expect(report.noise['$.start']).toBeGreaterThan(0)
    // And nothing else: the name differs.
    write('starts.cjs', app('{ start, name: "Ada" }', mounted('{ start, name: "Eva" }')))
    const other = await reportOf('starts.cjs')
    expect(JSON.stringify(other.groups)).toContain('Eva')
  })

  itSlow('compares an app that starts only once at a time, and says what it does not know', async () => {
    const lock = `const file = ${JSON.stringify(join(project.folder, 'data/once'))} + process.env.SIDE
try { require('fs').mkdirSync(file) } catch { process.exit(9) }
process.on('exit', () => require('fs').rmdirSync(file))
`
    mkdirSync(join(project.folder, 'data'), { recursive: true })
    write('once.cjs', lock + app('{ a: 1 }', mounted('{ a: 1 }')))
    const ran = await reportOf('once.cjs', '--env', 'SIDE=now', '--legacy-env', 'SIDE=legacy')
    expect(ran.compared).toBe(ran.planned)
    expect(ran.notes).toContainEqual(expect.stringContaining('did not start a second time beside itself'))
  })
})

describe('routecontrollers parity --base', () => {
  beforeAll(() => {
    write('.gitignore', 'node_modules\nsettings.json\nlocal/\n')
    write('settings.json', '{ "name": "Ada" }')
    mkdirSync(join(project.folder, 'local'))
    write('local/one.txt', 'one')
    const text = (read: string): string =>
      `const { readFileSync } = require('fs')\nconst app = require('express')()\n${read}\napp.get('/name', (req, res) => res.json(settings.name))\napp.listen(3000)\n`
    write('reads.cjs', text("const settings = JSON.parse(readFileSync('settings.json', 'utf8'))"))
    mkdirSync(join(project.folder, 'lib'))
    write('lib/settings.cjs', "module.exports = require('../settings.json')\n")
    write('requires.cjs', text("const settings = require('./lib/settings.cjs')"))
    project.git('init', '-q', '-b', 'master')
    project.git('add', '.')
    project.git('commit', '-qm', 'before')
  })

  itSlow.each(['reads.cjs', 'requires.cjs'])(
    'says which ignored file %s has missed, and carries it',
    async (entry) => {
      const missed = await parity(entry, '--base', 'HEAD')
      expect(missed.code).toBe(3)
      expect(missed.stderr).toContain(
        'It has not found settings.json, which git ignores: --carry settings.json',
      )
      const { code, ok, notes } = await reportOf(entry, '--base', 'HEAD', '--carry', 'settings.json')
      expect([code, ok]).toEqual([0, true])
      expect(notes).toContainEqual(
        expect.stringMatching(/^HEAD \(\w+\) has nothing that git ignores: local\/\. --carry FILE gives it/),
      )
      const both = await reportOf(entry, '--base', 'HEAD', '--carry', 'settings.json', '--carry', 'local')
      expect(both.notes.join()).not.toContain('git ignores')
    },
  )

  it.each([
    [['--carry', 'settings.json'], '--carry goes with --base'],
    [['--base', 'HEAD', '--carry', 'none.json'], '--carry: there is no none.json in'],
    [['--base', 'HEAD', '--carry', '..'], '--carry: .. does not stand in'],
  ])('refuses %j', async (parameters, sentence) => {
    const { code, stderr } = await parity('reads.cjs', ...parameters)
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)])
  })
})
