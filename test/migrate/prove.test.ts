// `prove`: check, parity and replay for some routes, with one verdict.
import '@microsoft/jest-sarif'
import express from 'express'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProveReport } from '@routecontrollers/cli'
import { Controller, RouteControllers } from 'routecontrollers'
import { native } from 'routecontrollers/express'
import { migration } from '@routecontrollers/switch'
import { decideSide } from '../../packages/cli/src/entry/decide-side.js'
import { createListener } from '../../src/run/listener.js'
import { createCommittedProject, type MoveProject } from './move/move-project.js'
import { type Command, createCommand } from './run-command.js'
import { itSlow } from '../support/counts.js'

// Each run starts three processes.
jest.setTimeout(300_000)

/** The same routes without their native callbacks, and with them. */
const app = (isMoved: boolean, other = 'other'): string => {
  const beside = (callback: string): string => (isMoved ? `native(${callback}), ` : '')
  return `
const express = require('express')
const { native } = require('routecontrollers/express')
const app = express()
app.use(express.json())
const requireUser = (req, res, next) => {
  if (req.get('x-user') === undefined) res.status(401).json({ error: 'log in' })
  else next()
}
const items = ['a', 'b']
app.get('/items/:id', requireUser, ${beside('(req, res) => (items[req.params.id] ? { item: items[req.params.id] } : res.status(404).json({}))')}(req, res) => {
  const item = items[req.params.id]
  if (item) res.json({ item })
  else res.status(404).json({})
})
app.get('/other', ${beside(`() => ({ is: '${other}' })`)}(req, res) => res.json({ is: 'same' }))
app.get('/open', ${beside("() => 'open'")}requireUser, (req, res) => res.send('open'))
app.post('/items', ${beside("(req, res) => res.status(201).json({ of: req.body.of }), { body: 'stream' }")}(req, res) => {
  if (req.body?.of) res.status(201).json({ of: req.body.of })
  else res.status(400).json({})
})
app.get('/done', ${isMoved ? 'native(() => [])' : '(req, res) => res.json([])'})
app.get('/old', (req, res) => res.send('old'))
const loggedIn = (req, res, next) => (req.get('cookie') === 'sid=1' ? next() : res.redirect('/login'))
app.get('/account', loggedIn, ${beside("() => ({ of: 'ada' })")}(req, res) => res.json({ of: 'ada' }))
app.get('/secret', loggedIn, ${beside('() => ({ is: 41 })')}(req, res) => res.json({ is: 42 }))
app.get('/search', ${beside("(req) => ({ q: req.query.q ?? null, sort: req.query.sort ?? null, tenant: req.get('x-tenant') ?? null, isUser: !!req.get('authorization') })")}(req, res) => {
  const { q = null, sort = null } = req.query
  res.json({ q, sort, tenant: req.get('x-tenant') ?? null, isUser: !!req.get('authorization') })
})
const methodOf = (req) => req?.query.method ?? 'password'
const tenantOf = (req) => req.query.tenant ?? 'main'
const namesOf = (req) => [tenantOf(req)]
app.get('/method', ${beside('() => ({ method: methodOf() })')}(req, res) => res.json({ method: methodOf() }))
app.get('/names', ${beside('(req) => ({ names: namesOf(req) })')}(req, res) => res.json({ names: namesOf(req) }))
app.get('/filtered', ${beside("() => ({ all: 'items' })")}(req, res) => res.json({ all: req.query.kind ? 'some' : 'items' }))
app.get('/formats', ${beside("(req, res) => (/json/.test(req.get('accept')) ? { is: 1 } : res.html('<p>1</p>'))")}(req, res) => {
  res.format({ html: () => res.send('<p>1</p>'), json: () => res.json({ is: 1 }), 'text/csv': () => res.send('1') })
})
app.post('/notes', ${beside('(req, res) => res.status(201).json({ id: crypto.randomUUID(), of: req.body.of, at: Date.now() })')}(req, res) => {
  res.status(201).json({ id: crypto.randomUUID(), of: req.body.of, at: Date.now() })
})
const form = (req, res) => res.json({ log: 'in' })
const login = (req, res) => res.json({ hello: req.body.username })
app.route('/login').get(${beside("() => ({ log: 'in' })")}form).post((req, res, next) => next(req.body.code), login)
app.route('/code').get(${beside('(req) => [req.query.of ?? 0]')}(req, res) => res.json([req.query.of ?? 0])).post((req, res) => res.send(req.body.code))
app.listen(0)
`
}

let command: Command
let project: MoveProject
let entry: string
beforeAll(async () => {
  command = createCommand()
  project = createCommittedProject({ 'server.cjs': app(false), 'package.json': '{}' })
  entry = join(project.folder, 'server.cjs')
  const { code, stderr } = await command.run(
    'inspect',
    'server.cjs',
    '--lock',
    'routes.lock.json',
    '--once',
    ...where(),
  )
  if (code !== 0) throw new Error(stderr)
  writeFileSync(entry, app(true))
})
afterAll(() => {
  command.remove()
  project.remove()
})

const where = (): string[] => ['--cwd', project.folder, '--settle-ms', '50']
const run = (...more: string[]) => command.run('prove', ...more, 'server.cjs', ...where())
const proved = async (...more: string[]): Promise<ProveReport & { readonly code: number }> => {
  const { code, stdout, stderr } = await run(...more, '--json')
  if (stdout === '') throw new Error(stderr)
  return { code, ...(JSON.parse(stdout) as ProveReport) }
}
const formats = ['markdown', 'github', 'sarif', 'html'] as const
const reportersInto = (name: string): string[] =>
  formats.flatMap((format) => ['--reporter', `${format}=${name}.${format}`])
/** What those reporters have written; of the SARIF, which is valid, the rules of its results. */
const readReports = (name: string): Record<'markdown' | 'github' | 'html', string> & { sarif: string[] } => {
  const read = (format: string): string => readFileSync(join(project.folder, `${name}.${format}`), 'utf8')
  const log = JSON.parse(read('sarif'))
  expect(log).toBeValidSarifLog()
  const results: { ruleId: string; level: string }[] = log.runs[0].results
  const sarif = [...new Set(results.map(({ ruleId, level }) => `${ruleId} ${level}`))].sort()
  return { markdown: read('markdown'), github: read('github'), html: read('html'), sarif }
}
const routesOf = ({ routes }: ProveReport): string[] =>
  routes.map(({ method, path, verdict }) => `${method} ${path} ${verdict}`)

const user = ['--header', 'x-user: secret-of-ada']

describe('routecontrollers prove', () => {
  it('proves a route whose guards and answers are the same: 0', async () => {
    const report = await proved('GET /items/:id', '--request', 'GET /items/1', ...user)
    expect(report).toMatchObject({ code: 0, version: 1, verdict: 'proved', missing: [], limits: [] })
    expect(report.routes).toEqual([
      {
        method: 'GET',
        path: '/items/:id',
        at: 'server.cjs:11',
        stage: 'beside',
        verdict: 'proved',
        compared: expect.any(Number),
        played: 1,
        statuses: [200, 401, 404],
      },
    ])
    expect(report.check).toMatchObject({ ok: true, checked: 1, routes: [] })
    expect(report.parity).toMatchObject({ ok: true, groups: [] })
    expect(report.replay).toMatchObject({ ok: true, compared: 1, planned: 1 })
    expect(JSON.stringify(report)).not.toContain('secret-of-ada')
  })

  it('finds another answer, and a guard that is lost: 1', async () => {
    const report = await proved('/other', '/open', ...reportersInto('different'))
    expect(report).toMatchObject({ code: 1, verdict: 'different' })
    expect(routesOf(report)).toEqual(['GET /other different', 'GET /open different'])
    expect(
      report.check!.routes.flatMap(({ path, changes }) => changes.map(({ kind }) => `${path} ${kind}`)),
    ).toEqual(['/open lost'])
    expect(report.parity!.groups.flatMap(({ routes }) => routes)).toContain('GET /other')
    const told = readReports('different')
    expect(told.markdown).toMatch(
      /^### ❌ `routecontrollers prove` of `server\.cjs`\n\n2 of 2 routes different\n/,
    )
    expect(told.markdown).toMatch(
      /\| ❌ \| .*`lost: requireUser, which stands behind the native callback <anonymous>`.*`GET \/open`/,
    )
    expect(told.github).toMatch(
      /^::error file=server\.cjs,line=\d+,title=prove%3A .*::GET \/open: lost: requireUser/m,
    )
    expect(told.sarif).toEqual(['prove/differs error', 'prove/lost error', 'prove/no-success warning'])
    expect(told.html).toContain('prove of server.cjs')
  })

  itSlow('says of each route which proof is missing: 3', async () => {
    const named = ['GET /items/:id', 'POST /items', 'GET /done', 'GET /old']
    const report = await proved(...named, ...reportersInto('missing'))
    expect(report).toMatchObject({ code: 3, verdict: 'unproved' })
    expect(report.missing.map(({ code, route }) => `${code} ${route}`)).toEqual([
      'no-legacy GET /done',
      'not-moved GET /old',
      'no-success GET /items/:id',
      'unsafe POST /items',
    ])
    expect(report.missing.at(2)!.remedy).toBe(
      "let requests in: --header 'name: value'; or play a recording: --recording FILE",
    )
    expect(report.limits).toHaveLength(1)
    const told = readReports('missing')
    expect(told.markdown).toContain('0 of 4 routes proved, and nothing differs, but proofs are missing')
    expect(told.markdown).toMatch(
      /⚠️ \| \*\*No request that writes was made\*\*.*→ add --unsafe.*`POST \/items` \|\n/,
    )
    expect(told.markdown).toContain('read that by hand')
    const place =
      /^::warning file=server\.cjs,line=\d+,title=prove%3A A route has no handler to compare with::GET \/done: .*%0A→ /m
    expect(told.github).toMatch(place)
    const codes = ['no-legacy', 'no-success', 'not-moved', 'unsafe']
    expect(told.sarif).toEqual(codes.map((code) => `prove/${code} warning`))
  })

  itSlow('says that no request has come to a callback behind a guard that redirects', async () => {
    const report = await proved('GET /account', 'GET /secret')
    expect(report).toMatchObject({ code: 3, verdict: 'unproved' })
    expect(report.missing).toMatchObject([
      { code: 'not-reached', route: 'GET /account', statuses: [302] },
      { code: 'not-reached', route: 'GET /secret', statuses: [302] },
    ])
    const withCookie = await proved('GET /account', 'GET /secret', '--header', 'cookie: sid=1')
    expect(routesOf(withCookie)).toEqual(['GET /account proved', 'GET /secret different'])
    expect(JSON.stringify(withCookie)).not.toContain('x-routecontrollers-reached')
  })

  itSlow('misses requests with what the code of a route reads', async () => {
    const report = await proved('GET /search')
    expect(report).toMatchObject({ code: 3, verdict: 'unproved' })
    expect(report.missing).toEqual([
      {
        code: 'no-input',
        route: 'GET /search',
        inputs: ['query.q', 'query.sort', 'header.x-tenant'],
        message: 'its code reads ?q, ?sort, the header x-tenant, and no request had that',
        remedy:
          "--request 'GET /search?q=value&sort=value' --header 'x-tenant: value'; or play a recording: --recording FILE",
      },
    ])
    const requests = ['--request', 'GET /search?q=tea', '--request', 'GET /search?sort=up&q=']
    const given = await proved('GET /search', ...requests, '--header', 'x-tenant: ada')
    expect(given).toMatchObject({ code: 0, verdict: 'proved', missing: [] })
  })

  itSlow(
    'reads the handlers of the method alone, where those of another one stand in the same chain',
    async () => {
      const report = await proved('GET /login', 'GET /code')
      expect(routesOf(report)).toEqual(['GET /login proved', 'GET /code unproved'])
      expect(report.missing).toMatchObject([{ code: 'no-input', route: 'GET /code', inputs: ['query.of'] }])
    },
  )

  itSlow(
    'misses what a function reads that gets the request, and not what one reads that is called without it',
    async () => {
      const report = await proved('GET /method', 'GET /names')
      expect(routesOf(report)).toEqual(['GET /method proved', 'GET /names unproved'])
      expect(report.missing).toMatchObject([
        { code: 'no-input', route: 'GET /names', inputs: ['query.tenant'] },
      ])
    },
  )

  itSlow(
    'finds what differs only with a query that the code reads, or with a type that it distinguishes',
    async () => {
      const report = await proved('GET /filtered', 'GET /formats')
      expect(report).toMatchObject({ code: 1, verdict: 'different' })
      expect(routesOf(report)).toEqual(['GET /filtered different', 'GET /formats different'])
    },
  )

  itSlow(
    'takes what is another value with each answer for noise, and leaves out what the project ignores',
    async () => {
      const given = ['POST /notes', '--unsafe', '--request', 'POST /notes {"of":"tea"}']
      const report = await proved(...given)
      expect(report).toMatchObject({ code: 0, verdict: 'proved' })
      expect(report.replay).toMatchObject({ ok: true, compared: 1, ignored: {} })
      const ignored = await proved(...given, '--ignore', 'POST /notes $.at')
      expect(ignored.replay).toMatchObject({ ok: true, ignored: { 'POST /notes $.at': 1 } })
      rmSync(join(project.folder, 'routes.parity.json'))
    },
  )

  itSlow('makes requests that write where it may', async () => {
    const given = ['--unsafe', '--request', 'POST /items {"of":"tea"}']
    const report = await proved('POST /items', ...given)
    // A body without the member is where both differ.
    expect(report).toMatchObject({ code: 1, verdict: 'different' })
    expect(report.replay).toMatchObject({ ok: true, compared: 1 })
    expect(report.routes[0]!.statuses).toEqual([201, 400])
  })

  itSlow('plays what a recording has of the route, and what its sessions have sent before', async () => {
    const exchange = (session: string, method: string, target: string, body?: unknown) =>
      JSON.stringify({
        version: 1,
        at: '2026-01-01T00:00:00Z',
        ms: 1,
        session,
        method,
        target,
        headers: body === undefined ? [] : [['content-type', 'application/json']],
        ...(body !== undefined && { body: { text: JSON.stringify(body) } }),
        answer: { status: 200, headers: [] },
      })
    writeFileSync(
      join(project.folder, 'traffic.jsonl'),
      [
        exchange('a', 'GET', '/old'),
        exchange('b', 'GET', '/old'),
        exchange('a', 'GET', '/items/0'),
        exchange('a', 'GET', '/other'),
      ].join('\n'),
    )
    const report = await proved('GET /items/:id', '--recording', 'traffic.jsonl', ...user)
    expect(report.replay).toMatchObject({ ok: true, compared: 1, planned: 1 })
    expect(report).toMatchObject({ code: 0, verdict: 'proved' })
  })

  itSlow('compares with a revision, which has the handler that is gone', async () => {
    // Its list is empty, and that is meant.
    const report = await proved('GET /done', '--base', 'HEAD', '--request', 'GET /done')
    expect(report).toMatchObject({ code: 0, verdict: 'proved', missing: [] })
  })

  itSlow('misses the lock where there is neither a lock nor a revision', async () => {
    const lock = join(project.folder, 'routes.lock.json')
    const text = readFileSync(lock, 'utf8')
    rmSync(lock)
    try {
      const report = await proved('GET /items/:id', '--request', 'GET /items/1', ...user)
      expect(report).toMatchObject({ code: 3 })
      expect(report.check).toBeUndefined()
      expect(report.missing.map(({ code }) => code)).toEqual(['no-lock'])
    } finally {
      writeFileSync(lock, text)
    }
  })

  itSlow('prints the verdict for people', async () => {
    const { code, stdout } = await run('GET /old', 'GET /items/:id', '--request', 'GET /items/1', ...user)
    expect(code).toBe(3)
    expect(stdout.replace(/\d+ requests/g, 'N requests')).toMatchInlineSnapshot(`
     "unproved   GET /old                          N requests
     proved     GET /items/:id                    N requests, 1 of them given, answers 200 401 404

     missing: its handler of Express is alone in the route, so there is nothing to compare: GET /old
       → write a native callback: routecontrollers move 'GET /old' --as-is --write. After an edit of the
       handler itself: --base REVISION

     1 of 2 routes proved, and nothing differs, but proofs are missing
     "
    `)
  })

  itSlow('proves again after each change of the code, until it is ended', async () => {
    let printed = ''
    const watching = createCommand({ onOutput: (text) => (printed += text) })
    const running = watching.run('prove', '/other', 'server.cjs', '--watch', '--json', ...where())
    const verdicts = (): string[] => [...printed.matchAll(/^ {2}"verdict": "(\w+)"/gm)].map(([, one]) => one!)
    const rounds = async (count: number): Promise<void> => {
      while (verdicts().length < count) await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await rounds(1)
    writeFileSync(entry, app(true, 'same'))
    await rounds(2)
    writeFileSync(entry, app(true))
    process.emit('SIGINT', 'SIGINT')
    expect((await running).code).toBe(130)
    watching.remove()
    expect(verdicts().slice(0, 2)).toEqual(['different', 'proved'])
  })

  it.each([
    [[], 'needs a route'],
    [['GET /nowhere'], 'which is no route of the app'],
    [['GET /old', '--request', 'old'], '--request takes'],
  ])('refuses %j', async (given, message) => {
    const { code, stderr } = await run(...given)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('The sides of one entry', () => {
  const silent = { info() {}, warn() {}, error() {} }
  const by = { by: 'Ada', reason: 'a test' }
  const ask = async (listener: RequestListener, path: string): Promise<string> => {
    const server = createServer(listener).listen(0)
    try {
      const { port } = server.address() as AddressInfo
      return await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    } finally {
      server.close()
    }
  }

  it.each(['native', 'legacy'] as const)('are decided whatever a migration has set: %s', async (side) => {
    const own = express()
    const router = express.Router()
    router.get(
      '/x',
      native(() => 'native'),
      (_req, res) => void res.send('legacy'),
    )
    own.use('/in', router)
    own.get(
      '/x',
      native(() => 'native'),
      (_req, res) => void res.send('legacy'),
    )
    const state = side === 'native' ? 'legacy' : 'native'
    const switching = migration({ app: own, logger: silent })
    let leave = (): void => {}
    try {
      await switching.set('*', state, by)
      expect(await ask(own, '/x')).toBe(state)
      leave = decideSide(side, [own], [own])
      expect(await ask(own, '/x')).toBe(side)
      expect(await ask(own, '/in/x')).toBe(side)
    } finally {
      leave()
      await switching.close()
    }
  })

  it('is that of Controllers in front of an app, too', async () => {
    const own = express()
    own.get('/x', (_req, res) => void res.send('legacy'))
    const routeControllers = new RouteControllers([new Controller('GET', '/x', () => 'native')])
    const switching = migration({ legacy: own, routeControllers, logger: silent })
    const served = createListener(routeControllers.getCallback(), { fallback: own })
    let leave = (): void => {}
    try {
      await switching.set('*', 'legacy', by)
      expect(await ask(served, '/x')).toBe('legacy')
      leave = decideSide('native', [own], [served])
      expect(await ask(served, '/x')).toBe('native')
    } finally {
      leave()
      await switching.close()
    }
  })
})
