// Programs in which Controllers could not stand in the place of routes as they are: what moves answers as before, and the rest tells why not.
import { compileFunction } from 'node:vm'
import express5 from 'express'
import express4 from 'express4'
import * as routecontrollers from 'routecontrollers'
import * as express from 'routecontrollers/express'
import { recordRegistrations } from '@routecontrollers/cli'
import { itSlow, slowRows } from '../../support/counts.js'
import { ask } from '../../express/support/compare.js'
import { listenOn } from '../../support/describe-servings.js'
import { moveText } from './move-text.js'

const modules: Record<string, unknown> = { routecontrollers, 'routecontrollers/express': express }
const file = '/in-place/program.cjs'
const stops = [express4, express5].map((one) => recordRegistrations(one))
afterAll(() => stops.forEach((stop) => stop()))

function evaluate(text: string, version: 4 | 5): any {
  const program = compileFunction(`${text}\nreturn app`, ['express', 'require'], { filename: file })
  return program.call({}, version === 4 ? express4 : express5, (name: string) => modules[name])
}

const between = 'something else is registered between its calls when they run'
/** Registers a guard for all that comes behind it, and gives a handler. */
const guarding = `const guarding = (text) => {
  app.use((req, res, next) => { res.append('x-guard', text); next() })
  return (req, res) => res.send(text)
}`

/** What stands in the program, the paths that move, and why the others stay. */
const programs: readonly (readonly [what: string, program: string, moved: string[], left: string[]])[] = [
  [
    'a router whose handle was replaced',
    `const app = express()
const router = express.Router()
router.get('/a', (req, res) => res.send('a'))
const { handle } = router
router.handle = function guarded(req, res, next) { handle.call(this, req, res, next) }
app.use(router)`,
    [],
    [expect.stringContaining('the function guarded has replaced it') as string],
  ],
  [
    'a handler that registers a guard when it is made, in a statement of its own',
    `const app = express()
${guarding}
app.get('/a', (req, res) => res.send('a'))
app.get('/b', guarding('b'))`,
    ['/a', '/b'],
    [],
  ],
  [
    'a handler that registers a guard when it is made, in a chain',
    `const app = express()
${guarding}
app.get('/a', (req, res) => res.send('a')).get('/b', guarding('b'))`,
    [],
    [between, between],
  ],
  [
    'a chain of routes, of which the first one answers',
    `const app = express()
app.get('/a', (req, res) => res.send('a')).get('/:name', (req, res) => res.send(req.params.name))`,
    ['/a', '/:name'],
    [],
  ],
  [
    'a part of a chain in parentheses',
    `const app = express();
(app.use((req, res, next) => next()).get('/a', (req, res) => res.send('a'))).get('/b', (req, res) => res.send('b'))`,
    ['/a', '/b'],
    [],
  ],
  [
    'a router without a name, in a declaration of several',
    `const app = express()
const one = express.Router().get('/a', (req, res) => res.send('a')), two = express.Router()
app.use(one, two)`,
    [],
    ['its router has no name'],
  ],
  [
    'the same path twice, each with methods of its own',
    `const app = express()
app.route('/a').get((req, res) => res.send('a')).put((req, res) => res.send('put'))
app.use((req, res, next) => next())
app.route('/a').post((req, res) => res.send('posted')).get((req, res) => res.send('never'))`,
    ['/a', '/a', '/a', '/a'],
    [],
  ],
]

describe.each(slowRows(1, [5, 4] as const))('In Express %i', (version) => {
  it.each(programs)('%s', async (_what, text, paths, left) => {
    const app = evaluate(text, version)
    const moved = moveText(app, file, text)
    expect({ paths: moved.paths, left: moved.left }).toEqual({ paths, left })
    const others = [app, evaluate(moved.text, version)]
    const listening = await Promise.all(others.map((one) => listenOn(one)))
    try {
      for (const method of ['GET', 'PUT', 'POST', 'OPTIONS']) {
        for (const target of ['/a', '/b']) {
          const [was, is] = await Promise.all(listening.map(({ port }) => ask(port, { method, target })))
          expect(is).toEqual(was)
        }
      }
    } finally {
      for (const { close } of listening) await close()
    }
  })
})

itSlow('writes quotes as the imports of the file have them, and keeps comments with their routes', () => {
  const text = `const rc = require("routecontrollers")
const app = express()
app.get('/a', (req, res) => res.send('a')) // of a
app.get('/b', (req, res) => res.send('b')) // of b
`
  const moved = moveText(evaluate(text, 5), file, text).text
  expect(moved).toContain('require("routecontrollers/express")')
  expect(moved.split('\n').filter((line) => line.includes('// of '))).toEqual([
    expect.stringMatching(/Controller\(.*'\/a'.*, \/\/ of a$/),
    expect.stringMatching(/Controller\(.*'\/b'.*, \/\/ of b$/),
  ])
})

itSlow('writes a RouteControllers where the file makes the app and waits for it', async () => {
  const text = `const app = (async () => {
  const own = await express()
  own.get('/a', (req, res) => res.send('a'))
  return own
})()
`
  const moved = moveText(await evaluate(text, 5), file, text).text
  expect(moved).toContain('own.use(new RouteControllers([')
})
