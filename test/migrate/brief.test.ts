// `brief`: all that is needed to write the native callback of one route, on one page of a bounded size.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BriefReport } from '@routecontrollers/cli'
import { examplesOf } from '../../packages/cli/src/brief/examples.js'
import { templateOf } from '../../packages/cli/src/brief/template.js'
import type { BriefPiece } from '../../packages/cli/src/documents/brief.js'
import type { RouteRow } from '../../packages/cli/src/documents/inventory.js'
import { briefText } from '../../packages/cli/src/report/brief-text.js'
import { fitted } from '../../packages/cli/src/report/brief-size.js'
import type { RecordedExchange } from '../../packages/compare/src/recording.js'
import { parseText, type Node } from '../../packages/cli/src/syntax/parser.js'
import { usedBy } from '../../packages/cli/src/code/used.js'
import { nativelyFor } from '../../packages/cli/src/brief/natively.js'
import { tokensOf } from '../../packages/cli/src/report/brief-limit.js'
import { createCommittedProject, createShopProject, type MoveProject } from './move/move-project.js'
import { type Command, createCommand } from './run-command.js'
import { itSlow } from '../support/counts.js'

jest.setTimeout(300_000)

const huge = Array.from(
  { length: 3000 },
  (_one, at) => `  const value${at} = load(${at}, req.query.name${at})`,
).join('\n')

const files = {
  'package.json': '{}',
  'auth.cjs': `
const roles = { ada: 'admin' }
exports.requireRole = (role) => (req, res, next) => {
  req.user = { name: 'ada', role: roles.ada }
  if (req.user.role === role) next()
  else res.status(403).json({ error: 'no' })
}
`,
  'orders.cjs': `
const store = require('./store.cjs')
exports.show = async ({ params, user }, res, next) => {
  const order = await store.find(params.id)
  if (!order) return next()
  res.locals.order = order
  res.set('X-Owner', user.name).json(order)
}
`,
  'store.cjs': `
const connection = { url: 'db', password: 'secret-of-the-store' }
exports.find = async (id) => ({ id, from: connection.url })
exports.unused = () => 'never shown'
`,
  'server.cjs': `
const express = require('express')
const { requireRole } = require('./auth.cjs')
const orders = require('./orders.cjs')
const { load } = require('./store.cjs')
const app = express().set('json spaces', 2)
app.use(express.json({ limit: '10kb' }))
app.get('/orders/:id', requireRole('admin'), orders.show)
app.post('/orders', (req, res) => { res.status(201).json({ ok: true }) })
app.get('/huge', (req, res) => {
${huge}
  res.json(value2999)
})
app.use(function onError(error, req, res, next) { res.status(500).send('no') })
app.listen(0)
`,
  'keys.cjs': `
exports.allowed = (req, res) => {
  if (req.query.key) return true
  res.status(403).send('no key')
  return false
}
`,
  'helped.cjs': `
const { allowed } = require('./keys.cjs')
const known = (res, name) => {
  if (name === 'tea') return { name }
  res.status(404).send('none')
}
const app = require('express')()
app.get('/known/:name', (req, res) => {
  const one = known(res, req.params.name)
  if (!one) return
  res.json(one)
})
const form = (req, res) => res.redirect(req.query.to)
const login = (req, res) => res.json({ hello: req.body.username })
app.route('/login').get(form).post((req, res, next) => { res.location(req.body.from); next() }, login)
app.get('/allowed', (req, res) => { if (!allowed(req, res)) return; res.json([]) })
app.get('/asked', (req, res) => { const one = known(res, 'tea'); res.json([one]) })
app.listen(0)
`,
  'helped-already.cjs': `
const { native, fromExpress } = require('routecontrollers/express')
const known = (res, name) => {
  if (name === 'tea') return { name }
  res.status(404).send('none')
}
const knownNative = (res, name) => {
  if (name === "tea")
    return { name };
  res.status(404).html("none");
}
const app = require('express')()
const show = (req, res) => {
  const one = known(res, req.params.name)
  if (!one) return
  res.json(one)
}
app.get('/known/:name', native(fromExpress(show)), show)
app.get('/retired/:name', native(fromExpress(show)))
app.get('/page', native(fromExpress((req, res) => res.render('page'))))
app.get('/done', native((req, res) => res.json([])))
app.listen(0)
`,
  'parcels.ts': `
import express, { type Request, type Response } from 'express'
class NotFound extends Error {
  constructor(what: string) { super(what); this.name = 'NotFound' }
}
class Store {
  private parcels = new Map([['1', { id: '1' }]])
  async find(id: string) { return this.parcels.get(id) }
  async add(one: { id: string }) { this.parcels.set(one.id, one); return one }
}
const { store, limits: { most } } = { store: new Store(), limits: { most: 5 } }
class Parcels {
  constructor(private readonly store: Store) {
    this.show = this.show.bind(this)
    this.create = this.create.bind(this)
    this.log()
  }
  log() { console.error('made') }
  async show(req: Request, res: Response) {
    const parcel = await this.store.find(String(req.params.id))
    if (!parcel) throw new NotFound('no parcel of ' + most)
    res.json(parcel)
  }
  async create(req: Request, res: Response) {
    const parcel = await this.store.add(req.body)
    res.status(201).vary('Accept').json(parcel)
  }
}
const parcels = new Parcels(store)
const app = express()
app.get('/parcels/:id', parcels.show)
app.post('/parcels', parcels.create)
app.listen(0)
`,
  'wrapped.cjs': `
const wrap = (fn) => (req, res, next) => Promise.resolve(fn(req, res, next)).catch(next)
const Cups = require('./cups.cjs')
const cups = new Cups(['blue'])
const app = require('express')()
const add = wrap(async (req, res) => {
  res.status(201).vary('Accept').json({ name: req.body.name })
})
app.post('/teas', add)
app.get('/cups', wrap(cups.list))
app.get('/live', (req, res) => { req.on('close', () => {}); res.write('a') })
app.listen(0)
`,
  'cups.cjs': `
module.exports = class Cups {
  constructor(all) {
    this.all = all
  }
  list = async (req, res) => {
    const { all } = this
    res.vary('Accept').format({ json: () => res.json(all) })
  }
}
`,
  'two.cjs': `
const express = require('express')
const one = express().get('/:any', (req, res) => res.send('any')).get('/teas', (req, res) => res.send('hidden'))
const two = express().get('/teas', (req, res) => res.send('shown'))
for (const app of [one, two]) app.listen(0)
`,
  'four.cjs': `
const app = require('express4')()
const load = async () => ['tea']
app.get('/teas', async (req, res) => { res.json(await load()) })
app.get('/cups', (req, res) => { res.json([]) })
function limited(most) {
  function limit(req, res, next) {
    next(req.ips.length > most)
  }
  return limit
}
app.get('/lids', (req, res) => { res.json(req.query.lid) }); app.post('/lids', (req, res) => { res.json(req.body.lid) }); app.get('/', (req, res) => { res.json(req.query.root) })
app.get('/pots', limited(3), (req, res, next) => next(req.query.no), (req, res) => res.json(req.query.kind))
app.listen(0)
`,
}

const exchange = (method: string, target: string, status: number, more: object = {}): string =>
  JSON.stringify({
    version: 1,
    at: '2026-01-01T00:00:00Z',
    ms: 1,
    session: 'a',
    method,
    target,
    headers: [
      ['Authorization', 'Bearer secret-of-ada'],
      ['Cookie', 'sid=secret-of-ada'],
      ['X-Tenant', 'main'],
    ],
    answer: {
      status,
      headers: [
        ['Content-Type', 'application/json'],
        ['Set-Cookie', 'sid=secret-of-ada; Path=/'],
      ],
      body: { text: '{"id":"7","token":"secret-of-ada"}' },
    },
    ...more,
  })

let command: Command
let project: MoveProject
beforeAll(() => {
  command = createCommand()
  project = createCommittedProject(files)
})
afterAll(() => {
  command.remove()
  project.remove()
})

const run = (...more: string[]) =>
  command.run('brief', ...more, 'server.cjs', '--cwd', project.folder, '--settle-ms', '30')
const briefed = async (...more: string[]): Promise<BriefReport> => {
  const { code, stdout, stderr } = await run(...more, '--json')
  expect([code, stderr.replace(/^app \| .*\n/gm, '')]).toEqual([0, ''])
  return JSON.parse(stdout) as BriefReport
}
const briefIn = async (entry: string, route: string): Promise<BriefReport> => {
  const { stdout } = await command.run('brief', route, entry, '--json', '--cwd', project.folder)
  return JSON.parse(stdout) as BriefReport
}
const pieceOf = ({ pieces }: BriefReport, role: string) => pieces.find((one) => one.role === role)!

describe('routecontrollers brief', () => {
  itSlow(
    'has the callback that move writes, with the native forms of functions that get the response',
    async () => {
      const known = await briefIn('helped.cjs', 'GET /known/:name')
      expect(known.left).toBeUndefined()
      expect(known.template).toBe(`const { native } = require('routecontrollers/express')

// routecontrollers move writes knownNative, too.
native((req, res) => {
  const one = knownNative(res, req.params.name)
  if (!one) return
  return res.json(one)
}),`)
      expect((await briefIn('helped.cjs', 'GET /allowed')).template).toContain(
        'if (!allowedNative(req, res)) return',
      )
      const asked = await briefIn('helped.cjs', 'GET /asked')
      expect(asked.left).toMatchObject({
        reason: 'it does not return right behind known, which may have answered',
      })
    },
  )

  it('calls a native form that stands in its file already', async () => {
    const { left, template, commands } = await briefIn('helped-already.cjs', 'GET /known/:name')
    expect(left).toBeUndefined()
    expect(template).toContain('knownNative(res, req.params.name)')
    expect(template).not.toContain('move writes')
    expect(commands[0]).toContain("move --native 'GET /known/:name' --write")
  })

  itSlow(
    'has what to write in the place of a handler that a native callback runs, with nothing behind it',
    async () => {
      const machine = await briefIn('helped-already.cjs', 'GET /retired/:name')
      expect(machine.left).toBeUndefined()
      expect(machine.template).toContain('// In the place of native(fromExpress(…)):')
      expect(machine.template).toContain('knownNative(res, req.params.name)')
      expect(machine.commands[0]).toContain("move --native 'GET /retired/:name' --write")
      const byHand = await briefIn('helped-already.cjs', 'GET /page')
      expect(byHand.left!.reason).toContain('res.render')
      expect(byHand.natively.map(({ member }) => member)).toEqual(['res.render'])
      expect(pieceOf(byHand, 'handler').source).toContain("res.render('page')")
      const done = await briefIn('helped-already.cjs', 'GET /done')
      expect([done.left, done.template]).toEqual([undefined, '// A native callback answers already.'])
    },
  )

  it('has the function that its reason is about, also in a wrapper, and as a member of a class of another file', async () => {
    const add = await briefIn('wrapped.cjs', 'POST /teas')
    expect(add.left).toMatchObject({ reason: expect.stringContaining('res.vary'), at: 'wrapped.cjs:7' })
    expect(add.natively.map(({ member }) => member)).toContain('res.vary')
    const list = await briefIn('wrapped.cjs', 'GET /cups')
    expect(list.left).toMatchObject({ reason: expect.stringContaining('res.vary'), at: 'cups.cjs:8' })
    expect(list.pieces.find(({ name }) => name === 'list')).toMatchObject({
      role: 'uses',
      definition: 'cups.cjs:6',
      source: expect.stringContaining("res.vary('Accept')"),
    })
    expect(list.natively.map(({ member }) => member)).toEqual(['res.vary', 'res.format', 'res.json'])
  })

  it('says how a native callback learns that the client has gone', async () => {
    const { natively } = await briefIn('wrapped.cjs', 'GET /live')
    expect(natively.find(({ member }) => member === 'req.on')?.write).toContain('req.signal')
  })

  itSlow(
    'says that Express 4 never answers where an async handler rejects, and of no other handler',
    async () => {
      expect((await briefIn('four.cjs', 'GET /teas')).differs).toEqual([
        'Where the handler rejects, Express 4 never answers. A native callback answers by the error handlers then, else 500.',
      ])
      expect((await briefIn('four.cjs', 'GET /cups')).differs).toEqual([])
      expect((await briefIn('server.cjs', 'GET /orders/:id')).differs).toEqual([])
    },
  )

  it('tells functions of one line apart, and shows what has made a function', async () => {
    const brief = await briefIn('four.cjs', 'GET /pots')
    expect(pieceOf(brief, 'handler').reads).toEqual(['query.kind'])
    const limit = brief.pieces.find(({ name }) => name === 'limit')!
    expect(limit.reads).toEqual(['ips.length'])
    expect(limit.source).toMatch(/^function limited\(most\) \{[^]*\n\}$/)
  })

  it.each<[used: string, write: string]>([
    ['res.status(404)', 'res.status(code), and return the answer'],
    ['res.json()', 'return res.json(value)'],
    ['res.send()', 'sendValue(res, value)'],
    ['res.sendStatus(404)', "return res.status(404).text('Not Found')"],
    ["res.set('X-A')", 'res.header(name, value)'],
    ["res.header('X-A')", 'res.header(name, value)'],
    ["res.setHeader('X-A')", 'res.header(name, value)'],
    ["res.append('X-A')", 'res.header(name, [value, value])'],
    ["res.type('csv')", "res.header('Content-Type', 'text/csv; charset=utf-8')"],
    ["res.contentType('csv')", "res.header('Content-Type', 'text/csv; charset=utf-8')"],
    ["res.vary('Accept')", "res.header('Vary', name)"],
    ['res.attachment()', "res.header('Content-Disposition', contentDisposition(name))"],
    ["res.cookie('a')", 'res.cookie(name, value, options): maxAgeSeconds'],
    ["res.clearCookie('a')", "res.cookie(name, '', { expires: new Date(0) })"],
    ["res.redirect('/')", 'return res.redirect(url, status)'],
    ["res.render('a')", 'leave it to Express'],
    ['res.sendFile()', 'return sendFile(path, options)'],
    ['res.download()', 'return download(path, name, options)'],
    ['res.end()', 'return res.status(204).end()'],
    ['res.write()', 'return res.stream(source)'],
    ['res.writeHead(200)', 'res.status(code).header(name, value)'],
    ['res.flushHeaders()', 'return res.stream(source)'],
    ["res.on('close')", 'req.signal'],
    ['res.jsonp()', 'leave it to Express'],
    ['res.format()', 'leave it to Express'],
    ['res.locals.user', 'req.res.locals'],
    ['res.app', 'req.app'],
    ['res.headersSent', 'nothing: an answer is sent when the callback has returned it'],
    ['req.body.name', "{ body: 'stream' } leaves it to the parser of the app"],
    ["req.accepts('json')", 'req.get(name)'],
    ["req.is('json')", 'req.get(name)'],
    ["req.param('id')", 'req.params.name, req.query.name or req.body.name'],
    ["req.header('x-a')", 'req.get(name)'],
    ['req.ip', 'req.realIp with trustProxy'],
    ["req.on('data')", 'for await (const bytes of req)'],
    ['req.pipe()', 'for await (const bytes of req)'],
  ])('says what %s is natively', (used, write) => {
    const [owner, ...more] = used.split('.') as [string, ...string[]]
    const members = [more.join('.'), more.join('.')]
    const told = owner === 'req' ? nativelyFor(members, []) : nativelyFor([], members)
    const [member] = /^\w+/.exec(more.join('.'))!
    expect(told).toEqual([{ member: `${owner}.${member}`, write: expect.stringContaining(write) }])
    // What the other of both has by that name is another thing.
    const other = owner === 'req' ? nativelyFor([], members) : nativelyFor(members, [])
    expect(other.map(({ write: text }) => text)).not.toEqual(told.map(({ write: text }) => text))
  })

  it('says nothing of members that are written alike', () => {
    expect(
      nativelyFor(['params.id', 'query', "get('x')", '(given to a)', 'constructor'], ['toString()']),
    ).toEqual([])
  })

  it('says what req.accepts and req.is are natively', () => {
    const told = nativelyFor(["accepts('json')", "is('html')"], [])
    expect(told.map(({ member }) => member)).toEqual(['req.accepts', 'req.is'])
    expect(told[0]!.write).toContain('req.get(name)')
  })

  it.each([
    ['GET /lids', 'query.lid'],
    ['POST /lids', 'body.lid'],
    ['GET /', 'query.root'],
  ])('shows the call of %s where other routes are registered on its line', async (route, read) => {
    const handler = pieceOf(await briefIn('four.cjs', route), 'handler')
    expect([handler.reads, handler.source]).toEqual([[read], expect.stringContaining(`req.${read}`)])
  })

  it('is of the route that answers, where another app has one by its name that never does', async () => {
    const brief = await briefIn('two.cjs', 'GET /teas')
    expect(pieceOf(brief, 'handler').source).toContain('shown')
  })

  it('has the handler, what its requests pass, and what it reads and leaves', async () => {
    const brief = await briefed('GET /orders/:id')
    expect(brief).toMatchObject({
      version: 1,
      method: 'GET',
      path: '/orders/:id',
      at: 'server.cjs:8',
      stage: 'legacy',
      express: '5',
      settings: { strict: false, app: { 'json spaces': '2', etag: 'weak' } },
      left: { reason: 'it may call next()', at: 'orders.cjs:5' },
      leftOut: [],
    })
    expect(brief.left!.remedy).toContain('leave it to Express')
    expect(pieceOf(brief, 'handler')).toMatchObject({
      name: 'show',
      definition: 'orders.cjs:3',
      reads: ['params', 'user'],
      leaves: ['locals.order', "set('X-Owner')", 'json()'],
      source: expect.stringMatching(/^exports\.show = async [^]*\n\}$/),
    })
    expect(pieceOf(brief, 'route').source).toBe("app.get('/orders/:id', requireRole('admin'), orders.show)")
    const passes = brief.pieces.filter(({ role }) => role === 'pass')
    expect(passes.map(({ argument, name }) => argument ?? name)).toEqual([
      "requireRole('admin')",
      "express.json({ limit: '10kb' })",
    ])
    expect(passes[0]).toMatchObject({ sets: ['user'], leaves: ['status(403)', 'json()'] })
    expect(passes[0]!.source).toContain('exports.requireRole = (role) =>')
    expect(passes[1]!.source).toBeUndefined()
    expect(pieceOf(brief, 'error').name).toBe('onError')
    expect(brief.pieces.filter(({ role }) => role === 'uses').map(({ name }) => name)).toEqual([
      'find',
      'connection',
      'roles',
    ])
    expect(brief.natively.map(({ member }) => member)).toEqual(['res.locals', 'res.set', 'res.json'])
    expect(brief.commands).toEqual([
      "routecontrollers move 'GET /orders/:id' --as-is --write --entry server.cjs",
      "routecontrollers prove 'GET /orders/:id' --entry server.cjs",
    ])
  })

  itSlow(
    'has what one method of a class uses by its name, and nothing of another method that its constructor binds',
    async () => {
      const show = await briefIn('parcels.ts', 'GET /parcels/:id')
      const names = show.pieces.filter(({ role }) => role === 'uses').map(({ name }) => name)
      expect(names.sort()).toEqual(['NotFound', 'constructor', 'log', 'parcels', 'parcels', 'store, most'])
      expect(show.natively.map(({ member }) => member)).toEqual(['res.json'])
      const create = await briefIn('parcels.ts', 'POST /parcels')
      expect(create.natively.map(({ member }) => member)).toContain('res.vary')
    },
  )

  it('has nothing of the handlers of another method, which stand in the same chain', async () => {
    const { natively, pieces } = await briefIn('helped.cjs', 'GET /login')
    expect(pieces.map(({ role, name }) => `${role} ${name}`)).toEqual(['handler form', 'route GET /login'])
    expect(natively.map(({ member }) => member)).toEqual(['res.redirect'])
    expect(pieceOf(await briefIn('helped.cjs', 'POST /login'), 'handler').name).toBe('login')
  })

  itSlow('has a template with what is known of its types', async () => {
    const { template } = await briefed('GET /orders/:id')
    expect(template).toMatchInlineSnapshot(`
     "const { native } = require('routecontrollers/express')

     native(async (req, res) => {
       // req.params.id: a text
       // req.user: requireRole('admin') has set it, auth.cjs:3
       // An error is thrown, and each path returns its answer.
       return res.json({})
     }),"
    `)
  })

  itSlow('has the callback of the machine, where it makes one', async () => {
    const { left, template, commands } = await briefed('POST /orders')
    expect(left).toBeUndefined()
    expect(template).toContain(
      "native((req, res) => { return res.status(201).json({ ok: true }) }, { body: 'stream' }),",
    )
    expect(commands).toEqual([
      "routecontrollers move 'POST /orders' --write --entry server.cjs",
      "routecontrollers prove 'POST /orders' --entry server.cjs --unsafe",
    ])
  })

  itSlow('shows recorded requests, and no secrets: of them, and of sources', async () => {
    const traffic = join(project.folder, 'traffic.jsonl')
    const body = { body: { text: '{"tea":1,"password":"secret-of-ada"}' } }
    writeFileSync(
      traffic,
      [
        exchange('GET', '/orders/7?token=secret-of-ada', 200),
        exchange('GET', '/orders/8', 200),
        exchange('GET', '/orders/9', 403),
        exchange('POST', '/orders', 201, body),
      ].join('\n'),
    )
    const brief = await briefed('GET /orders/:id', '--recording', 'traffic.jsonl')
    expect(brief.examples.map(({ target, answer }) => `${target} ${answer.status}`)).toEqual([
      '/orders/7?token=[redacted] 200',
      '/orders/9 403',
      '/orders/8 200',
    ])
    expect(brief.examples[0]!.headers).toEqual({
      authorization: '[redacted]',
      cookie: '[redacted]',
      'x-tenant': 'main',
    })
    expect(JSON.stringify(brief)).not.toContain('secret-of')
    const { stdout } = await run('POST /orders', '--recording', 'traffic.jsonl')
    expect(stdout).toContain('"password":"[redacted]"')
    expect(stdout).not.toContain('secret-of')
  })

  itSlow.each([['--json'], []])('fits its size, and says what it leaves out: %s', async (...more) => {
    const { code, stdout } = await run('GET /huge', ...more)
    expect(code).toBe(0)
    expect(tokensOf(stdout)).toBeLessThanOrEqual(8000)
    // Most of the room is used.
    expect(tokensOf(stdout)).toBeGreaterThan(6000)
    expect(stdout).toMatch(/\/\/ … \d{4} more lines: server\.cjs:10/)
    expect(stdout).toContain('The ends of these sources: <anonymous> (server.cjs:10).')
  })

  itSlow('knows a route of the shop, in TypeScript', async () => {
    const shop = createShopProject()
    try {
      const { code, stdout } = await command.run(
        ...[
          'brief',
          'GET /orders/:id',
          'start.ts',
          '--json',
          '--cwd',
          shop.folder,
          '--settle-ms',
          '100',
          '--',
          'legacy',
        ],
      )
      expect(code).toBe(0)
      const brief = JSON.parse(stdout) as BriefReport
      expect(brief.template).toContain("import { native } from 'routecontrollers/express'")
      expect(brief.template).toContain("native<'/orders/:id'>(")
      expect(pieceOf(brief, 'handler')).toMatchObject({
        definition: 'routes/orders.ts:19',
        reads: ['session.customer', 'params.id'],
      })
      expect(brief.commands.at(-1)).toBe(
        "routecontrollers prove 'GET /orders/:id' --entry start.ts -- legacy",
      )
    } finally {
      shop.remove()
    }
  })

  it.each([
    [['/**'], 'brief takes one route, and these are 3: GET /orders/:id, POST /orders, GET /huge'],
    [['GET /nowhere'], 'which is no route of the app'],
    [[], 'brief needs a route'],
    [['GET /huge', '--recording', 'none.jsonl'], 'There is no file none.jsonl'],
  ])('refuses %j', async (given, message) => {
    const { code, stderr } = await run(...given)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

it.each([
  ['GET', '}),'],
  ['HEAD', '}),'],
  ['POST', "}, { body: 'stream' }),"],
  ['*', "}, { body: 'stream' }),"],
])('A template leaves a body to the parser of the app where a request may have one: %s', (method, end) => {
  const row = { method, params: [], own: { stage: 'legacy' } } as unknown as RouteRow
  const form = { file: '', path: undefined, native: undefined, type: undefined, imports: [], left: undefined }
  const template = templateOf(row, form, [], { isCommonJs: false, isAsync: false, file: undefined })
  expect(template.split('\n').at(-1)).toBe(end)
})

describe('The recorded examples of a page', () => {
  const recorded = (...lines: string[]): RecordedExchange[] =>
    lines.map((line) => JSON.parse(line) as RecordedExchange)

  it('are one of each status first, and show no secrets', () => {
    const body = { body: { text: '{"tea":1,"password":"secret-of-ada"}' } }
    const all = recorded(
      ...[1, 2, 3, 4].map((at) => exchange('POST', `/orders/${at}?token=secret-of-ada`, 200, body)),
      exchange('POST', '/orders/5', 403),
      exchange('POST', '/orders/6', 200, { body: { isLeftOut: true } }),
    )
    const examples = examplesOf(all)
    expect(examples.map(({ target, answer }) => `${target} ${answer.status}`)).toEqual([
      '/orders/1?token=[redacted] 200',
      '/orders/5 403',
      '/orders/2?token=[redacted] 200',
      '/orders/3?token=[redacted] 200',
    ])
    expect(examples[0]).toMatchObject({
      headers: { authorization: '[redacted]', cookie: '[redacted]', 'x-tenant': 'main' },
      body: '{"tea":1,"password":"[redacted]"}',
    })
    expect(examplesOf(all.slice(-1))[0]!.body).toBe('[redacted]')
    expect(JSON.stringify(examples)).not.toContain('secret-of')
    const [long] = examplesOf(recorded(exchange('GET', '/x', 200, { body: { text: 'x'.repeat(2000) } })))
    expect(long!.body).toBe(`${'x'.repeat(1200)}… (2000 characters)`)
  })
})

describe('The size of a page', () => {
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, at) => `  const value${at} = load(${at})`).join('\n')
  const piece = (name: string, source: string | undefined): BriefPiece => ({
    ...{ role: 'uses', name, at: undefined, definition: `${name}.js:1` },
    ...{ reads: [], sets: [], leaves: [], source },
  })
  const whole = (pieces: readonly BriefPiece[], examples: BriefReport['examples'] = []) => ({
    ...{ version: 1, method: 'GET', path: '/x', at: 'a.js:1', stage: 'legacy', express: '5' },
    ...{ settings: { strict: false, caseSensitive: false, mergeParams: false, app: {} }, left: undefined },
    ...{
      template: '',
      natively: [],
      differs: [],
      pieces,
      examples,
      commands: [],
      leftOut: ['Something else.'],
    },
  })
  const fit = (...given: Parameters<typeof whole>): BriefReport => fitted(whole(...given) as never)

  it('is that of all where that has room', () => {
    const small = [piece('one', lines(3)), piece('two', undefined)]
    expect(fit(small)).toMatchObject({ pieces: small, leftOut: ['Something else.'] })
  })

  it('has as much of a source as has room, and says what it leaves out', () => {
    const example = { method: 'GET', target: '/x', headers: {}, body: undefined }
    const answer = { status: 200, headers: {}, body: 'x'.repeat(1200) }
    const { pieces, examples, leftOut, tokens } = fit(
      [piece('one', lines(3000)), piece('two', lines(3)), piece('three', lines(4))],
      [
        { ...example, answer },
        { ...example, answer },
      ] as never,
    )
    const [first, ...others] = pieces.map(({ source }) => source)
    const [, left] = /\n\/\/ … (\d+) more lines: one\.js:1$/.exec(first!)!
    expect(first!.split('\n')).toHaveLength(3000 - Number(left) + 1)
    expect(others).toEqual([undefined, undefined])
    expect(examples).toEqual([])
    expect(leftOut).toEqual([
      'Something else.',
      'The ends of these sources: one (one.js:1).',
      'The sources of two (two.js:1), three (three.js:1).',
      'Recorded examples: 2.',
    ])
    expect(tokens).toBeLessThanOrEqual(8000)
    expect(tokens).toBeGreaterThan(7000)
  })

  itSlow('names five of the functions that it has no room for', () => {
    const many = (count: number): BriefReport =>
      fit(Array.from({ length: count }, (_, at) => piece(`${at}-${'x'.repeat(70)}`, undefined)))
    const { pieces, leftOut, tokens } = many(400)
    const gone = 400 - pieces.length
    expect(leftOut.at(-1)).toMatch(new RegExp(`^These functions: 399-x+, .* and ${gone - 5} more\\.$`))
    expect(tokens).toBeLessThanOrEqual(8000)
    const counts = Array.from({ length: 20 }, (_, at) => pieces.length + at)
    const five = counts.map(many).find((page, at) => counts[at]! - page.pieces.length === 5)!
    expect(five.leftOut.at(-1)).toMatch(/^These functions: \d+-x+(?:, \d+-x+){4}\.$/)
  })
})

describe('The text of a page', () => {
  it('has what is meant to differ, and nothing that would steer a terminal', () => {
    const steering = '\u001b[2J'
    const page = {
      ...{
        version: 1,
        method: 'GET',
        path: `/${steering}`,
        at: `a${steering}.js:1`,
        stage: 'legacy',
        tokens: 1,
      },
      ...{ settings: { strict: true, app: { etag: steering } }, left: { reason: steering, at: undefined } },
      ...{ template: `native()${steering}`, natively: [], differs: [`It differs.${steering}`], pieces: [] },
      ...{ examples: [], commands: [`prove '/${steering}'`], leftOut: [steering] },
    } as unknown as BriefReport
    const text = briefText(page, { colours: false })
    expect(text).not.toContain('\u001b')
    expect(text).toContain('What is meant to differ\nIt differs.\\x1b[2J\n')
  })
})

it('The text of a page has all of a recorded example', () => {
  const example = {
    ...{
      method: 'POST',
      target: '/x?a=1',
      headers: { 'x-tenant': 'main', accept: '*/*' },
      body: '{"tea":1}',
    },
    answer: { status: 201, headers: { 'content-type': 'text/plain', 'x-a': 'a' }, body: 'ok' },
  }
  const empty = { ...example, body: undefined, answer: { status: 204, headers: {}, body: undefined } }
  const page = {
    ...{
      version: 1,
      method: 'POST',
      path: '/x',
      stage: 'legacy',
      tokens: 1,
      settings: { app: {} },
      template: '',
    },
    ...{ natively: [], differs: [], pieces: [], examples: [example, empty], commands: [], leftOut: [] },
  } as unknown as BriefReport
  expect(briefText(page, { colours: false })).toContain(`POST /x?a=1
  x-tenant: main
  accept: */*
  {"tea":1}
→ 201
  content-type: text/plain
  x-a: a
  ok
POST /x?a=1
  x-tenant: main
  accept: */*
→ 204
`)
})

describe('What a function uses', () => {
  const usedIn = (text: string) => {
    const { program } = parseText('file.ts', `(${text})`)
    const [statement] = program['body'] as readonly Node[]
    return usedBy(statement!['expression'] as Node, text.includes('error, ') ? 'error handler' : 'handler')
  }

  it.each([
    ['(a, b) => b.json(a.body.tea)', ['body.tea'], [], ['json()']],
    ['(req, res) => { const { id, of: { tea } } = req.params }', ['params.id', 'params.of.tea'], [], []],
    [
      '(req, res) => { req.user = load(req); delete req.session.cart }',
      ['(given to load)'],
      ['user', 'session.cart'],
      [],
    ],
    ['(req, res) => res.status(404).set("A", "b").end()', [], [], ['status(404)', "set('A')", 'end()']],
    ['(req, res) => send(res)', [], [], ['(given to send)']],
    // What another function makes is what Express calls.
    ['(schema) => (a, b, c) => { schema.parse(a.body); b.end(); c() }', ['body'], [], ['end()']],
    ['function of(role) { role.check(); return (a, b) => b.json(a.user) }', ['user'], [], ['json()']],
    ['({ query: { page } }, { locals }) => page', ['query.page'], [], ['locals']],
    ['(error, req, res, next) => res.send(req.get("accept"))', ["get('accept')"], [], ['send()']],
    ['(req: Request, res) => req["query"]["a b"]', ['query.a b'], [], []],
    ['(req, res) => { res.locals.user = req.user }', ['user'], [], ['locals.user']],
    ['(req, res) => { if (!req.user) req.visits++ }', ['user'], ['visits'], []],
    ['() => 1', [], [], []],
  ])('%s', (text, reads, sets, leaves) => {
    expect(usedIn(text)).toEqual({ reads, sets, leaves })
  })

  it('finds what each member is natively, once', () => {
    expect(
      nativelyFor(['body.a', 'body.b', 'params.id'], ['status(1)', 'status(2)', 'own()', 'toString()']),
    ).toEqual([
      { member: 'req.body', write: expect.stringContaining('schema') },
      { member: 'res.status', write: expect.stringContaining('return the answer') },
    ])
  })
})
