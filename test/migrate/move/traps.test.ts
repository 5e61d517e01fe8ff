// Programs in which a native callback could answer otherwise than the handler that it was made of: it is right, or the handler is left.
import { compileFunction } from 'node:vm'
import express5 from 'express'
import express4 from 'express4'
import * as routecontrollers from 'routecontrollers'
import * as express from 'routecontrollers/express'
import { recordRegistrations } from '@routecontrollers/cli'
import { ask } from '../../express/support/compare.js'
import { isWhole, itSlow } from '../../support/counts.js'
import { listenOn } from '../../support/describe-servings.js'
import MagicString from 'magic-string'
import { readText } from '../../../packages/cli/src/edit/source-file.js'
import { Left, type NativeReasonId } from '../../../packages/cli/src/move/native/reasons.js'
import { RequestReads } from '../../../packages/cli/src/move/native/request.js'
import type { Scope } from '../../../packages/cli/src/move/native/scope.js'
import { moveText } from './move-text.js'

jest.setTimeout(300_000)

const modules: Record<string, unknown> = {
  routecontrollers,
  'routecontrollers/express': express,
  'zod-express-middleware': {
    validateRequestBody: () => (_req: unknown, _res: unknown, next: () => void) => next(),
  },
}
const file = '/traps/program.cjs'
const stops = [express4, express5].map((one) => recordRegistrations(one))
beforeAll(() => void jest.spyOn(console, 'error').mockImplementation(() => {}))
afterAll(() => {
  stops.forEach((stop) => stop())
  jest.restoreAllMocks()
})

function evaluate(text: string, version: 4 | 5): any {
  const program = compileFunction(`${text}\nreturn app`, ['express', 'require'], { filename: file })
  return program.call({}, version === 4 ? express4 : express5, (name: string) => modules[name])
}

/** What stands in the program, and whether its route gets a callback that runs no handler of Express. */
const traps: readonly (readonly [what: string, program: string, becomesNative: boolean])[] = [
  [
    'a status that a middleware has set',
    `app.use((req, res, next) => { res.status(201); next() })
     app.get('/a', (req, res) => res.json({ made: true }))`,
    true,
  ],
  [
    'a header and a cookie that a middleware has set',
    `app.use((req, res, next) => { res.set('X-Before', '1'); res.cookie('a', 'b'); next() })
     app.get('/a', (req, res) => res.cookie('c', 'd').json([]))`,
    true,
  ],
  [
    'a res.json that a middleware has replaced',
    `app.use((req, res, next) => { const json = res.json; res.json = (value) => json.call(res, { wrapped: value }); next() })
     app.get('/a', (req, res) => res.status(403).json({ no: true }))`,
    true,
  ],
  ['two answers', "app.get('/a', (req, res) => { res.json([1]); res.json([2]) })", false],
  ['an answer after next', "app.get('/a', (req, res, next) => { next(); res.json([]) })", false],
  ['next after an answer', "app.get('/a', (req, res, next) => { res.json([]); next() })", false],
  [
    'a method that its class has put a guard around',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     class Secrets {
       constructor() { this.show = guarded(this.show); app.get('/a', this.show) }
       show(req, res) { res.json({ secret: true }) }
     }
     new Secrets()`,
    false,
  ],
  [
    'a method that its class has put a guard around by a name in brackets',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     class Secrets {
       constructor() { for (const name of ['show']) this[name] = guarded(this[name]); app.get('/a', this.show) }
       show(req, res) { res.json({ secret: true }) }
     }
     new Secrets()`,
    false,
  ],
  [
    'a method that its class has put a guard around by a pattern',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     class Secrets {
       constructor() { ;[this.show] = [guarded(this.show)]; app.get('/a', this.show) }
       show(req, res) { res.json({ secret: true }) }
     }
     new Secrets()`,
    false,
  ],
  [
    'a method that gets a guard with others of its object',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     class Secrets {
       constructor() { Object.assign(this, { show: guarded(this.show) }); app.get('/a', this.show.bind(this)) }
       show(req, res) { res.json({ secret: true }) }
     }
     new Secrets()`,
    false,
  ],
  [
    'a method that a subclass has in another way',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     class Secrets {
       constructor() { this.made = true; app.get('/a', this.show) }
       show(req, res) { res.json({ secret: true }) }
     }
     class Others extends Secrets { show(req, res) { res.sendStatus(403) } }
     new Others()`,
    false,
  ],
  [
    'a method that its class binds',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     class Secrets {
       constructor() { this.show = this.show.bind(this); app.get('/a', this.show) }
       show(req, res) { res.json({ secret: true }) }
     }
     new Secrets()`,
    true,
  ],
  [
    'a member of an object that a call gives another one',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     const teas = { show: (req, res) => { res.json({ secret: true }) } }
     Object.assign(teas, { show: guarded(teas.show) })
     app.get('/a', teas.show)`,
    false,
  ],
  [
    'a member of an object that gets a guard under other settings',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     const teas = { show: (req, res) => { res.json({ secret: true }) } }
     if (process.env.NEVER_SET_BY_TESTS) teas.show = guarded(teas.show)
     app.get('/a', teas.show)`,
    false,
  ],
  [
    'a method that gets a guard under other settings',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     class Secrets {
       constructor() {
         if (process.env.NEVER_SET_BY_TESTS) this.show = guarded(this.show)
         app.get('/a', this.show)
       }
       show(req, res) { res.json({ secret: true }) }
     }
     new Secrets()`,
    false,
  ],
  [
    'a handler that is bound to more than this',
    `function show(extra, req, res) { res.json({ extra }) }
     app.get('/a', show.bind(null, 'more'))`,
    false,
  ],
  [
    'a member of an object that a function of the file changes',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     const teas = { show: (req, res) => { res.json({ secret: true }) } }
     const guardAll = (all) => { for (const one in all) all[one] = guarded(all[one]) }; guardAll(teas)
     app.get('/a', teas.show)`,
    false,
  ],
  [
    'a member of an object that has another name too',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     const teas = { show: (req, res) => { res.json({ secret: true }) } }
     const others = teas; others.show = guarded(others.show)
     app.get('/a', teas.show)`,
    false,
  ],
  [
    'a member of an object that a pattern assigns',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     const teas = { show: (req, res) => { res.json({ secret: true }) } }
     ;[teas.show] = [guarded(teas.show)]
     app.get('/a', teas.show)`,
    false,
  ],
  [
    'a static method of a class that a call gives another one',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     class teas { static show(req, res) { res.json({ secret: true }) } }
     Object.assign(teas, { show: guarded(teas.show) })
     app.get('/a', teas.show)`,
    false,
  ],
  [
    'a member of an object that is only read',
    `const guarded = (fn) => (req, res, next) => (req.get('x-admin') ? fn(req, res, next) : res.sendStatus(403))
     const teas = { show: (req, res) => { res.json({ secret: true }) } }
     const { show } = teas
     app.get('/a', teas.show)`,
    true,
  ],
  ['this', "app.get('/a', function (req, res) { res.json({ isThere: this !== undefined }) })", false],
  ['arguments', "app.get('/a', function (req, res) { res.json(arguments.length) })", false],
  [
    'a shadowed res',
    "app.get('/a', (req, res) => { { const res = { json() {} }; res.json([]) } res.json([1]) })",
    false,
  ],
  [
    'a shadowed next',
    "app.get('/a', (req, res, next) => { [1].forEach((next) => next); res.json([1]) })",
    false,
  ],
  ['a res with another name', "app.get('/a', (req, res) => { const out = res; out.json([]) })", false],
  ['a res in an object', "app.get('/a', (req, res) => { ({ res }).res.json([]) })", false],
  [
    'a method of res that is taken from it',
    "app.get('/a', (req, res) => { const { json } = res; json.call(res, []) })",
    false,
  ],
  [
    'a method of res by a computed name',
    "app.get('/a', (req, res) => { res[req.query.q ? 'json' : 'send']('a') })",
    false,
  ],
  [
    'what the app has set for JSON',
    `app.set('json spaces', 2)\n app.get('/a', (req, res) => res.json({ a: 1 }))`,
    true,
  ],
  ['no ETag by a setting', `app.set('etag', false)\n app.get('/a', (req, res) => res.send('text'))`, true],
  [
    'an error when the status is set',
    "app.get('/a', (req, res) => { res.status(404); JSON.parse('{'); res.json([]) })",
    false,
  ],
  [
    'an error handler that reads what the handler has set',
    `app.get('/a', (req, res) => { res.set('X-A', '1'); if (!req.query.q) throw new Error('no'); res.json([]) })
     app.use((error, req, res, next) => res.status(500).json({ set: res.get('X-A') ?? null }))`,
    false,
  ],
  [
    'a try whose catch gets the error of an answer',
    `const value = {}; value.value = value
     app.get('/a', (req, res) => { try { res.json(value) } catch (error) { res.status(422).json({ no: true }) } })`,
    true,
  ],
  ['an answer of what is not there', "app.get('/a', (req, res) => res.json([].find(Boolean)))", false],
  ['a number that is sent', "app.get('/a', (req, res) => { const n = 404; res.send(n) })", true],
  [
    'a helper that is assigned again',
    `let answer = (res) => res.json([1])
     app.get('/a', (req, res) => answer(res))
     answer = (res) => res.json([2])`,
    false,
  ],
  [
    'a helper whose result says nothing of its answer',
    `const check = (req, res) => { if (req.query.q) return true; res.status(401).send('no'); return 'x' }
     app.get('/a', (req, res) => { if (!check(req, res)) return; res.json([]) })`,
    false,
  ],
  [
    'a helper that answers later',
    `const later = (res) => { setTimeout(() => res.json([]), 1) }
     app.get('/a', (req, res) => later(res))`,
    true,
  ],
  [
    'a callback that answers twice',
    "app.get('/a', (req, res) => { setImmediate(() => { res.json([]); try { res.json([1]) } catch {} }) })",
    false,
  ],
  [
    'a callback that answers, and calls another one',
    "app.get('/a', (req, res) => { setImmediate(() => { setImmediate(() => res.json([1])) }) })",
    true,
  ],
  [
    'a call that goes on behind its callback',
    "app.get('/a', (req, res) => { setImmediate(() => res.json({})); res.set('X-Tea', 'late') })",
    false,
  ],
  [
    'a redirect to what a client sends',
    "app.get('/a', (req, res) => res.redirect(String(req.query.to)))",
    true,
  ],
  [
    'a helper with a res that a middleware has replaced',
    `const answer = (res, value) => res.status(202).json(value)
     app.use((req, res, next) => { const json = res.json; res.json = (value) => json.call(res, { wrapped: value }); next() })
     app.get('/a', (req, res) => { answer(res, { a: 1 }) })`,
    true,
  ],
  [
    'a name that means something else where the route is',
    `const name = 'outer'
     const show = (req, res) => res.json({ name })
     ;(function (name) { app.get('/a', show) })('inner')`,
    false,
  ],
  [
    'two handlers of one path that calls make',
    `const wrap = (handler) => (req, res, next) => handler(req, res, next)
     app.get('/a', wrap((req, res, next) => next()))
     app.get('/a', wrap((req, res) => res.json([])))`,
    false,
  ],
  [
    'a handler that another one replaces before the route is made',
    `const teas = { show(req, res) { res.json([1]) } }
     teas.show = (req, res) => res.json([2])
     app.get('/a', teas.show)`,
    false,
  ],
]

describe.each([4, 5] as const)('In Express %i', (version) => {
  // In the loop each trap in one version.
  it.each(traps.filter((_trap, at) => isWhole || at % 2 === version - 4))(
    '%s',
    async (_what, program, becomesNative) => {
      const text = `const app = express()\n${program}`
      const app = evaluate(text, version)
      const moved = moveText(app, file, text, 'beside')
      expect(moved.text).toContain('native(')
      expect(!moved.text.includes('fromExpress(')).toBe(becomesNative)
      const others = [app, evaluate(moved.text, version)]
      const listening = await Promise.all(others.map((one) => listenOn(one.set('env', 'production'))))
      try {
        for (const target of ['/a', '/a?q=1']) {
          const [was, is] = await Promise.all(listening.map(({ port }) => ask(port, { target })))
          expect(is).toEqual(was)
        }
      } finally {
        for (const { close } of listening) await close()
      }
    },
  )
})

describe('Of its request', () => {
  type Row = [what: string, reason: NativeReasonId | undefined]
  /** Why a handler with a statement stays; undefined where that is written natively. */
  const reasonIn = (statement: string, areChecked = false): NativeReasonId | undefined => {
    const source = readText(areChecked ? '/a.ts' : '/a.js', `{ ${statement} }`)
    if (typeof source === 'string') throw new Error(source)
    const types = { areChecked, canAdd: false }
    const reads = new RequestReads(new MagicString(source.text), { req: 'req', res: 'res' } as Scope, types)
    try {
      reads.check(source.program)
      return undefined
    } catch (error) {
      if (error instanceof Left) return error.id
      throw error
    }
  }

  it.each([
    ...[
      'rawBody',
      'realIp',
      'isShadow',
      'signal',
      'text',
      'json',
      'formData',
      'arrayBuffer',
      'route',
      'next',
    ],
    'cookies',
  ])('a native callback has %s of its own, so a handler that reads that stays', (name) => {
    for (const read of [`keep(req.${name})`, `keep(req['${name}'])`, `const { ${name} } = req`])
      expect(reasonIn(read)).toBe('req-member')
  })

  it.each<Row>([
    ...['params', 'query', 'headers', 'method', 'url', 'originalUrl', 'get'].map((name): Row => [
      name,
      undefined,
    ]),
    ...[
      ...[
        'ip',
        'ips',
        'path',
        'host',
        'hostname',
        'protocol',
        'secure',
        'xhr',
        'subdomains',
        'fresh',
        'stale',
      ],
      ...[
        'baseUrl',
        'app',
        'res',
        'accepts',
        'acceptsCharsets',
        'is',
        'range',
        'param',
        'header',
        'signedCookies',
      ],
      ...[
        'socket',
        'connection',
        'on',
        'once',
        'off',
        'pipe',
        'resume',
        'pause',
        'destroy',
        'aborted',
        'complete',
      ],
      ...[
        'httpVersion',
        'rawHeaders',
        'trailers',
        'emit',
        'unpipe',
        'read',
        'setTimeout',
        'readable',
        'readableEnded',
      ],
    ].map((name): Row => [name, 'req-types']),
    ['body', 'body-type'],
  ])('%s is read as it is in JavaScript, and in TypeScript where its types have it: %s', (name, reason) => {
    const read = `keep(req.${name})`
    expect([reasonIn(read), reasonIn(read, true)]).toEqual([undefined, reason])
  })

  it.each([
    ...[
      'method',
      'url',
      'originalUrl',
      'headers',
      'params',
      'query',
      'body',
      'cookies',
      'baseUrl',
      'app',
      'res',
    ],
    ...['path', 'ip'],
  ])('%s is written to in Express alone', (name) => {
    for (const write of [`req.${name} = 1`, `req.${name}++`, `delete req.${name}`])
      expect(reasonIn(write)).toBe('req-written')
    expect(reasonIn(`req.own${name} = 1`)).toBeUndefined()
  })

  it.each<Row>([
    ['keep(req.cookies.a)', undefined],
    ['const { a } = req.cookies', undefined],
    ['keep(req.query.a)', undefined],
    ['req.query.a = 1', undefined],
    ['keep(req[name])', 'req-types'],
    ['const { [name]: a } = req', 'req-member'],
    ['keep(req)', 'req-passed'],
    ['const { body } = req', 'body-type'],
    ['keep(req.body as Tea)', undefined],
    ['schema.parse(req.body)', undefined],
    ['schema.safeParseAsync(req.body)', undefined],
    ['JSON.stringify(req.body)', undefined],
    ['keep(req.body)', 'body-type'],
    ['keep(req.body.tea)', 'body-type'],
  ])('its types do for %s, or say why not: %s', (statement, reason) => {
    expect(reasonIn(statement, true)).toBe(reason)
  })
})

it.each(["'use strict'\n", '#!/usr/bin/env node\n'])(
  'Imports stand behind %j, where nothing else is',
  (begin) => {
    const text = `${begin}const app = express()\napp.get('/a', (req, res) => res.send('a'))\n`
    const { text: written } = moveText(evaluate(text.replace(/^#!.*/, ''), 5), file, text, 'beside')
    expect(written.slice(0, written.indexOf('const app'))).toBe(
      `${begin}const { native } = require('routecontrollers/express')\n`,
    )
  },
)

describe('In TypeScript', () => {
  const written = (program: string, imports = ''): string => {
    const text = `const app = express()\n${program}`
    return moveText(evaluate(text, 5), file, imports + text, 'beside', '/traps/program.ts').text
  }

  it('nothing is imported by an import of types', () => {
    const types = "import type { Handlers } from 'routecontrollers/express'; "
    const text = written("app.get('/teas', (req, res) => res.json([]))", types)
    expect(text).toContain(types.trim())
    expect(text).toContain("import { native } from 'routecontrollers/express'")
  })

  itSlow('a path is the type of its params, but for one with a quote', () => {
    const of = (path: string): string => written(`app.get(${path}, (req, res) => res.json(req.params.id))`)
    expect(of("'/teas/:id'")).toContain("native<'/teas/:id'>((req, res)")
    expect(of('"/tea\'s/:id"')).toContain('native((req, res)')
  })

  itSlow('the output of a schema is a type of its own', () => {
    const text = written(`const { validateRequestBody } = require('zod-express-middleware')
const Tea = {}
app.post('/teas', validateRequestBody(Tea), (req, res) => { res.json({ name: req.body.name }) })`)
    expect(text).toMatch(/SchemaOutput\b[^<]*routecontrollers'/)
    expect(text).toContain('SchemaOutput<typeof Tea>')
  })
})
