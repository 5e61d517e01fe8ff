// What the code of a route reads of its requests, as `prove` and `parity` know it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Inputs, inputsOf } from '../../packages/cli/src/code/inputs.js'
import { ProjectCode } from '../../packages/cli/src/code/project-code.js'
import { unansweredBy } from '../../packages/cli/src/code/rejections.js'
import { errorHandler, inventory, pass, row } from './written-rows.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inputs-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Of a handler that is written into its route, with what stands behind it in its file. */
function inputsOfHandler(handler: string, behind = ''): Inputs {
  writeFileSync(join(folder, 'app.js'), `app.post('/teas', ${handler})\n${behind}\n`)
  const own = { name: '<anonymous>', at: 'app.js:1', definition: 'app.js:1' }
  return inputsOf(row('POST /teas', [], { own }), new ProjectCode(folder))
}

describe('what the code of a route reads', () => {
  it.each<[what: string, reads: string, names: readonly string[]]>([
    ['a query', 'req.query.q', ['query.q']],
    [
      'what a callback within its line reads',
      'all.filter((one) => one.kind === req.query.kind)',
      ['query.kind'],
    ],
    ['what it reads beside a callback', 'all.slice(req.query.from).map((one) => one.id)', ['query.from']],
    ['a field of a body', 'req.body.name', ['body.name']],
    ['a cookie', 'req.cookies.theme', ['cookie.theme']],
    ['a header, whose name has no case', "req.get('X-Tenant')", ['header.x-tenant']],
    ['a header by its other name', "req.header('x-tenant')", ['header.x-tenant']],
    ['a header among all', "req.headers['x-tenant']", ['header.x-tenant']],
    ['the same twice', 'req.query.q + req.query.q', ['query.q']],
    ['a method of a list, and not a field', 'req.body.map((one) => one)', []],
    ['a method of a text', 'req.body.trim()', []],
    ['a method of a query', "req.query.hasOwnProperty('q')", []],
    ['a field by the name of a method', 'req.body.map', ['body.map']],
    ['a field that is called, and is no method', 'req.body.brew()', ['body.brew']],
    ['a param, which each request has', 'req.params.id', []],
    ['headers that each request has', "req.get('host') + req.get('content-type')", []],
    [
      'none of the headers that parity sends anyway',
      ['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'authorization', 'connection']
        .concat(['content-length', 'if-none-match', 'if-modified-since', 'user-agent'])
        .map((name) => `req.get('${name}')`)
        .join(' + '),
      [],
    ],
    [
      'a header that a proxy sets',
      "req.get('x-forwarded-for') + req.get('range') + req.get('cookie') + req.get('if-match')",
      ['header.x-forwarded-for', 'header.range', 'header.cookie', 'header.if-match'],
    ],
    ['a header that only begins so', "req.get('accept-ch')", ['header.accept-ch']],
  ])('has %s', (_what, reads, names) => {
    expect(inputsOfHandler(`(req, res) => res.json(${reads})`).names).toEqual(names)
  })

  it('has a query that is taken apart', () => {
    const handler = '(req, res) => { const { q, sort } = req.query; res.json([q, sort]) }'
    expect(inputsOfHandler(handler).names).toEqual(['query.q', 'query.sort'])
  })

  it.each([
    ['gets the request', 'tenantOf(req)', ['query.tenant']],
    ['is called without it', "tenantOf({ query: {} }, 'main')", []],
  ])('has what a function reads that %s', (_how, call, names) => {
    const tenantOf = 'const tenantOf = (req) => req.query.tenant'
    expect(inputsOfHandler(`(req, res) => res.json(${call})`, tenantOf).names).toEqual(names)
  })

  it.each<[what: string, handler: string, accepts: readonly string[]]>([
    ['by res.format', "res.format({ html: () => 1, 'text/csv': () => 2 })", ['text/html', 'text/csv']],
    ['by req.accepts', "req.accepts('json')", ['application/json']],
    [
      'by each name of a type',
      ['text', 'txt', 'html', 'json', 'xml', 'csv'].map((type) => `req.accepts('${type}')`).join(' ?? '),
      ['text/plain', 'text/html', 'application/json', 'application/xml', 'text/csv'],
    ],
    ['by a whole type', "req.accepts('application/pdf')", ['application/pdf']],
    ['of a name that is no type', "req.accepts('tea')", []],
    ['of another format', "date.format('YYYY')", []],
  ])('has the types that it distinguishes: %s', (_what, handler, accepts) => {
    expect(inputsOfHandler(`(req, res) => res.json(${handler})`).accepts).toEqual(accepts)
  })
})

describe('a handler that may reject is read', () => {
  it.each<[how: string, line: string, isFound: boolean]>([
    [
      'where it has a callback in its line',
      "app.get('/', async (req, res) => all.map((one) => one.id))",
      true,
    ],
    [
      'where a callback in its line is async',
      "app.get('/', (req, res) => all.map(async (one) => one))",
      false,
    ],
    [
      'behind a guard in its line',
      "app.get('/', (req, res, next) => next(), async (req, res) => all())",
      true,
    ],
    ['of a factory in its line', 'const show = (all) => async (req, res) => all.map((one) => one.id)', true],
    [
      'whose body is a try that catches all',
      "app.get('/', async (req, res) => { try { await all() } catch { res.end() } })",
      false,
    ],
    [
      'whose try has no catch',
      "app.get('/', async (req, res) => { try { await all() } finally { end() } })",
      true,
    ],
    [
      'whose try has a finally besides',
      "app.get('/', async (req, res) => { try { await all() } catch {} finally { end() } })",
      true,
    ],
    [
      'that waits beside its try',
      "app.get('/', async (req, res) => { await all(); try { end() } catch {} })",
      true,
    ],
    ['within a function in its line', "const add = (app) => app.get('/', async (req, res) => all())", true],
  ])('%s', (_how, line, isFound) => {
    writeFileSync(join(folder, 'app.js'), `${line}\n`)
    const own = { name: '<anonymous>', at: 'app.js:1', definition: 'app.js:1', stage: 'legacy' } as const
    const route = row('GET /', [], { own })
    const { apps, ...more } = inventory([route])
    const all = { ...more, apps: apps.map((app) => ({ ...app, version: 4 as const })) }
    const version = unansweredBy(route, all, new ProjectCode(folder))
    expect(version).toBe(isFound ? 4 : undefined)
  })
})

it.each<[what: string, own: object, isFound: boolean]>([
  ['of a route that stays one of Express', { stage: 'legacy' }, true],
  [
    'that a native callback stands before',
    { stage: 'beside', behind: [pass('x', { definition: 'app.js:1' })] },
    true,
  ],
  ['that is gone', { stage: 'native', behind: [] }, false],
  ['of which an error handler alone is left', { stage: 'native', behind: [errorHandler('x', 1)] }, false],
  ['of a Controller', { stage: undefined }, false],
])('a handler that may reject is looked for in a route as it is answered: one %s', (_what, more, isFound) => {
  writeFileSync(join(folder, 'app.js'), "app.get('/', async (req, res) => all())\n")
  const own = { name: '<anonymous>', at: 'app.js:1', definition: 'app.js:1', ...more }
  const route = row('GET /', [], { own })
  const versionIn = (version?: 4 | 5): number | undefined => {
    const all = inventory([route])
    const apps = all.apps.map((app) => ({ ...app, version }))
    return unansweredBy(route, { ...all, apps }, new ProjectCode(folder))
  }
  expect([4, 5, undefined].map((one) => versionIn(one as 4))).toEqual([
    isFound ? 4 : undefined,
    undefined,
    undefined,
  ])
})
