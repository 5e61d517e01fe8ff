// What `move --native` makes of callbacks that run a handler of Express as it is, and what it leaves.
import { compileFunction } from 'node:vm'
import express5 from 'express'
import express4 from 'express4'
import * as routecontrollers from 'routecontrollers'
import * as express from 'routecontrollers/express'
import { recordRegistrations } from '@routecontrollers/cli'
import { itSlow } from '../../support/counts.js'
import { moveText } from './move-text.js'

const modules: Record<string, unknown> = { routecontrollers, 'routecontrollers/express': express }
const file = '/take-up/program.cjs'
const stops = [express4, express5].map((one) => recordRegistrations(one))
afterAll(() => stops.forEach((stop) => stop()))

const head = `const { Controller, RouteControllers } = require('routecontrollers')
const { expressPath, fromApp, fromExpress, native } = require('routecontrollers/express')
const app = express()
`
const controller = (...parts: string[]): string =>
  `app.use(new RouteControllers([
  new Controller(${parts.join(', ')}),
], { profile: fromApp(app) }).middleware())`

/** The lines behind the head that are others then, and why the rest is left. */
function takenUp(program: string, version: 4 | 5 = 5): { lines: string[]; left: readonly string[] } {
  const text = `${head}${program}\n`
  const evaluated = compileFunction(`${text}\nreturn app`, ['express', 'require'], { filename: file })
  const app: unknown = evaluated(version === 4 ? express4 : express5, (name: string) => modules[name])
  const moved = moveText(app, file, text, 'taken up')
  const before = new Set(text.split('\n'))
  const lines = moved.text.split('\n').filter((line) => !before.has(line) && !/require\(/.test(line))
  return { lines: lines.map((line) => line.trim()), left: moved.left }
}

const handler = "(req, res) => res.json(['Assam'])"
const late = 'async (req, res) => { res.json(await load()) }'

it.each([
  [
    'the handler of a Controller, and its path',
    controller("'POST'", "expressPath('/teas')", `fromExpress(${handler})`),
    [`new Controller('POST', '/teas', ${handler}, { body: 'stream' }),`],
  ],
  [
    'no option for a Controller that has its own',
    controller("'POST'", "expressPath('/teas')", `fromExpress(${handler})`, "{ body: 'parse' }"),
    [`new Controller('POST', '/teas', ${handler}, { body: 'parse' }),`],
  ],
  [
    'one call that two routes share',
    `for (const path of ['/a', '/b']) app.get(path, native(fromExpress(${handler})))`,
    [`for (const path of ['/a', '/b']) app.get(path, native(${handler}))`],
  ],
])('takes up %s', (_what, program, lines) => {
  expect(takenUp(program)).toEqual({ lines, left: [] })
})

it.each([
  [
    'a Controller behind a callback of param',
    `app.param('id', (req, res, next) => next())
${controller("'GET'", "expressPath('/teas/:id')", `fromExpress(${handler})`)}`,
    "the callback of param 'id' runs before it",
  ],
  [
    'handlers of which one follows another',
    controller("'GET'", "'/teas'", `fromExpress((req, res, next) => next(), ${handler})`),
    'it has more handlers than one',
  ],
  ['a native callback', "app.get('/teas', native(() => ['Assam']))", 'a native callback answers it already'],
])('leaves %s', (_what, program, reason) => {
  expect(takenUp(program)).toEqual({ lines: [], left: [reason] })
})

itSlow('leaves what may reject to Express 4, which never answers it', () => {
  const load = 'const load = async () => []\n'
  const rejecting = load + controller("'GET'", "'/teas'", `fromExpress(${late})`)
  const catching = late.replace('{ ', '{ try { ').replace(' }', ' } catch { res.status(500).json([]) } }')
  expect(takenUp(rejecting, 4).left).toEqual(['Express 4 never answers when it rejects'])
  expect(takenUp(rejecting, 5).left).toEqual([])
  const caught = load + controller("'GET'", "'/teas'", `fromExpress(${catching})`)
  expect(takenUp(caught, 4).left).toEqual([])
})
