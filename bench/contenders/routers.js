import { createHash, hash } from 'node:crypto'
import { createServer } from 'node:http'
import { addHooks } from './support/hooks.js'
import { listen } from './support/listen.js'
import { serveApp } from './support/serve-app.js'

export const routers = 20
export const routes = 10

/** What `GET /api-9/things-4/:id` answers with. */
export const createThing = (id) => ({ id, name: 'Sencha', price: 3.5, tags: ['loose', 'green'] })

/**
 * An app of 20 routers with 10 routes each, and middleware before them: none, `'four'` (morgan, helmet, cors and a parser of JSON), or
 * these and a `'session'`.
 *
 * `way` says who serves it: `'as it is'` is Express alone, `'createServer'` and `'in front'` are of the package, and `'floor'` is the same
 * middleware and the same handler on node:http, without a router.
 *
 * `beside` puts a native callback before each handler that answers GET: `'native'` answers in its place, `'as it is'` runs the handler
 * itself, and `'legacy'` leaves each request to it. `'empty'` has a function of Express there that only calls `next()`.
 */
export async function start({ entry, way, version = 5, middleware = 'none', prefix = '', beside }) {
  const { default: express } = await import(version === 4 ? 'express4' : 'express')
  const before = []
  if (middleware !== 'none') {
    addHooks((one) => before.push(one), { session: middleware === 'session' })
    before.push(express.json())
  }
  if (way === 'floor') return listen(createFloor(before))

  const handlersOf = beside === undefined ? undefined : await createBeside(beside, entry)
  const app = createApp(express, before, { prefix, handlersOf })
  if (beside === 'legacy') {
    // What `migration({ app })` does there, without its counts.
    const { switchNatives } = await import(new URL('./express-model.js', entry))
    switchNatives(app, { place: () => ({ choose: () => false }), read() {} })
  }
  return serveApp(app, way, entry)
}

/** The app, with what stands before its routers. `handlersOf` gives what is in a route that answers GET, of the handler that answers it. */
export function createApp(express, before, { prefix = '', handlersOf = (handler) => [handler] } = {}) {
  const app = express()
  app.disable('x-powered-by')
  for (const one of before) app.use(one)
  for (let at = 0; at < routers; at++) app.use(`${prefix}/api-${at}`, createRouter(express, handlersOf))
  return app
}

function createRouter(express, handlersOf) {
  const router = express.Router()
  for (let at = 0; at < routes; at++) {
    router.get(`/things-${at}/:id`, ...handlersOf((req, res) => res.json(createThing(req.params.id))))
    router.post(`/things-${at}`, (req, res) => res.json(req.body))
  }
  return router
}

async function createBeside(kind, entry) {
  if (kind === 'empty') return (handler) => [(_req, _res, next) => next(), handler]
  const { fromExpress, native } = await import(new URL('./express/index.js', entry))
  return (handler) => {
    if (kind === 'as it is') return [native(fromExpress(handler)), handler]
    const handle = native((req, res) => res.json(createThing(req.params.id)))
    return [handle, handler]
  }
}

/** Node's own server, which calls one function after the other, and sends what `res.json` of Express sends. */
function createFloor(before) {
  return createServer((req, res) => {
    let at = 0
    const next = () => {
      const one = before[at++]
      if (one !== undefined) return one(req, res, next)
      const text = JSON.stringify(
        req.method === 'POST' ? req.body : createThing(req.url.slice(req.url.lastIndexOf('/') + 1)),
      )
      const length = Buffer.byteLength(text)
      res.setHeader('Content-Type', 'application/json; charset=utf-8')
      res.setHeader('Content-Length', length)
      res.setHeader('ETag', `W/"${length.toString(16)}-${sha1(text).slice(0, 27)}"`)
      res.end(text)
    }
    next()
  })
}

// Node 20.12 has the short one.
const sha1 =
  hash === undefined
    ? (text) => createHash('sha1').update(text).digest('base64')
    : (text) => hash('sha1', text, 'base64')
