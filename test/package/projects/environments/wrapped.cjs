// One app, served by Express and by us in each way, where packages have wrapped what Express is made of: `node wrapped.cjs
// <nobody|tracer|async-errors>`, in a folder that has an express. Prints what was answered, and with a tracer what it was told.
const { createRequire } = require('node:module')
const { once } = require('node:events')
const { join } = require('node:path')

const requireHere = createRequire(join(process.cwd(), 'package.json'))
const wrapper = process.argv[2]
const spans = wrapper === 'tracer' ? trace() : []

const http = require('node:http')
const express = requireHere('express')
if (wrapper === 'async-errors') requireHere('express-async-errors')
const { Controller, RouteControllers, Server } = require('routecontrollers')
const { fromApp, fromExpress, toControllers } = require('routecontrollers/express')

function trace() {
  const { registerInstrumentations } = require('@opentelemetry/instrumentation')
  const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express')
  const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http')
  const {
    NodeTracerProvider,
    InMemorySpanExporter,
    SimpleSpanProcessor,
  } = require('@opentelemetry/sdk-trace-node')
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.register()
  registerInstrumentations({
    tracerProvider: provider,
    instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation()],
  })
  return exporter
}

const isVersion4 = 'lazyrouter' in express()
// Without express-async-errors a rejection of version 4 is nobody's.
const rejects = !isVersion4 || wrapper === 'async-errors'

function createApp() {
  const app = express().set('env', 'test')
  app.use((req, res, next) => {
    if (req.originalUrl.startsWith('/admin') && req.query.token !== 'teapot')
      return void res.status(401).end('denied')
    next()
  })
  const router = express.Router({ mergeParams: true })
  router.param('id', (req, res, next, id) => (id === '0' ? void res.status(403).end('no') : next()))
  router.get('/:id', (req, res) => res.json([req.params, req.query, req.baseUrl, req.originalUrl]))
  app.use('/teams/:team', router)
  const mounted = express().set('env', 'test')
  mounted.get('/in', (req, res) => res.json([req.app === mounted, req.baseUrl]))
  app.use('/mounted', mounted)
  app.get('/admin/x', (req, res) => res.end('secret'))
  app.get('/old/:id', (req, res, next) => {
    req.url = '/admin/x'
    next('route')
  })
  app.get('/fails', (req, res, next) => next(Object.assign(new Error('no tea'), { status: 418 })))
  if (rejects)
    app.get('/rejects', async () => Promise.reject(Object.assign(new Error('rejected'), { status: 409 })))
  app.get('/own/before', (req, res) => res.end('never'))
  app.use((error, req, res, next) => void res.status(error.status).end(error.message))
  return app
}

const targets = [
  '/admin/x',
  '/admin/x?token=teapot',
  '/teams/a/7?q=1',
  '/teams/a/0',
  '/mounted/in',
  '/old/7',
  '/fails',
  ...(rejects ? ['/rejects'] : []),
  '/none',
  '/own/3?a=1',
  '/own/before',
]

/** The app with a route of our own before it. */
function ownBefore(app) {
  const host = express().set('env', 'test')
  host.get('/own/:id', own)
  host.use(app)
  return host
}

const own = (req, res) => res.json([req.params, req.query, req.originalUrl])
const ownController = () => new Controller('GET', '/own/:id', fromExpress(own))

async function serve(handler) {
  const server = http.createServer(handler)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: server.address().port, close: () => server.close() }
}

async function start(app, middleware, options = {}) {
  const { controllers, left } = toControllers(app, { middleware })
  const server = new Server()
  const routeControllers = new RouteControllers([ownController(), ...controllers], { profile: fromApp(app) })
  await server.start({ port: 0, host: '127.0.0.1', routeControllers, ...options })
  return { port: server.getPort(), close: () => server.stop(), left }
}

const ways = {
  express: () => serve(ownBefore(createApp())),
  standalone: () => start(createApp(), true),
  'in front': () => {
    const app = createApp()
    return start(app, false, { fallback: app })
  },
  inside: () => {
    const app = createApp()
    const { controllers } = toControllers(app, { middleware: true })
    const routeControllers = new RouteControllers([ownController(), ...controllers], {
      profile: fromApp(app),
    })
    return serve(express().set('env', 'test').use(routeControllers.middleware()))
  },
}

async function main() {
  const rows = {}
  let left
  for (const [way, create] of Object.entries(ways)) {
    const served = await create()
    left = served.left ?? left
    rows[way] = []
    for (const target of targets) {
      const { status, body } = await send(served.port, target)
      rows[way].push(`${target} ${status} ${body.startsWith('<') ? 'page' : body}${routeOf()}`)
    }
    await served.close()
  }
  console.log(JSON.stringify({ rows, left }))
  process.exit()
}

function send(port, path) {
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
        let body = ''
        answer.on('data', (chunk) => (body += chunk))
        answer.on('end', () => resolve({ status: answer.statusCode, body }))
      })
      .on('error', reject)
  })
}

/** How many spans the server has, and what the last says of the route. SpanKind.SERVER is 1. */
function routeOf() {
  if (wrapper !== 'tracer') return ''
  const found = spans.getFinishedSpans().filter(({ kind }) => kind === 1)
  const route = found.at(-1)?.attributes['http.route']
  spans.reset()
  return ` (${found.length} by ${route})`
}

main()
