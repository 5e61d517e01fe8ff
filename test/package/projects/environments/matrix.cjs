// One app, served by Express alone and in each way by the packed package. Each request goes to all of them, and each answer is compared
// byte for byte: the status line, the header fields in their order, and the body.
const { once } = require('node:events')
const http = require('node:http')
const net = require('node:net')

/** An app as many are: guards, a router with params, JSON, a redirect, a text with an ETag, errors. */
function createApp(express) {
  const app = express().set('env', 'test')
  app.use(express.json())
  const orders = express.Router({ mergeParams: true })
  orders.get('/:id', (req, res) => res.json([req.params, req.query, req.baseUrl]))
  orders.post('/', (req, res) => res.status(201).location('/orders/7').json(req.body))
  app.use('/shops/:shop/orders', orders)
  const requireUser = (req, res, next) => (req.get('x-user') ? next() : res.sendStatus(401))
  app.get('/account', requireUser, (req, res) => res.send(`<p>${req.get('x-user')}</p>`))
  app.get('/old', (req, res) => res.redirect('/account'))
  app.get('/cookie', (req, res) => res.cookie('tea', 'green', { httpOnly: true }).type('text').send('set'))
  app.get('/fails', () => {
    throw Object.assign(new Error('no tea'), { status: 418 })
  })
  app.use((error, req, res, next) => void res.status(error.status).send(error.message))
  return app
}

const body = (text) => [
  'content-type: application/json',
  `content-length: ${Buffer.byteLength(text)}`,
  '',
  text,
]
const requests = [
  ['GET /shops/7/orders/3?tea=green'],
  ['GET /SHOPS/7/orders/3/'],
  ['HEAD /shops/7/orders/3'],
  ['GET /shops/7/orders/%zz'],
  ['POST /shops/7/orders', ...body('{"tea":"green"}')],
  ['POST /shops/7/orders', ...body('{"tea":')],
  ['GET /account'],
  ['GET /account', 'x-user: Ada'],
  ['OPTIONS /account'],
  ['PUT /account'],
  ['GET /account', 'x-user: Ada', 'if-none-match: *'],
  ['GET /old'],
  ['GET /cookie'],
  ['GET /fails'],
  ['GET /nowhere'],
  ['GET //account'],
]

/** What comes back, without the date. */
async function ask(port, [line, ...fields]) {
  const socket = net.connect(port, '127.0.0.1')
  const sent = [`${line} HTTP/1.1`, 'host: localhost', 'connection: close', ...fields]
  socket.write(`${sent.join('\r\n')}${fields.includes('') ? '' : '\r\n\r\n'}`)
  let answer = ''
  for await (const piece of socket.setEncoding('latin1')) answer += piece
  return answer.replace(/^date: .*\r\n/im, '')
}

/** Its ways, each with how it is started: a promise of a port and of what ends it. */
function waysOf({ express, core, ofExpress }) {
  const listen = async (server) => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return { port: server.address().port, close: () => server.close() }
  }
  const started = (server) => ({ port: server.getPort(), close: () => server.stop() })
  const serveApp = async (app, options) =>
    started(await ofExpress.serve(app, { port: 0, host: '127.0.0.1', ...options }))
  const takeOver = (app) => {
    const { controllers } = ofExpress.toControllers(app, { middleware: true })
    return new core.RouteControllers(controllers, { profile: ofExpress.fromApp(app) })
  }
  return {
    Express: () => listen(http.createServer(createApp(express))),
    'createServer(app)': () => listen(ofExpress.createServer(createApp(express))),
    'serve(app)': () => serveApp(createApp(express)),
    'taken over, in front': () => {
      const app = createApp(express)
      return serveApp(app, { routes: takeOver(app) })
    },
    'taken over, inside': () => {
      const app = createApp(express)
      const host = express().set('env', 'test')
      host.use(takeOver(app).middleware())
      host.use(app)
      return listen(http.createServer(host))
    },
  }
}

/** Prints how many answers were compared, and each that differs. */
module.exports = async function compare(packages) {
  const { Express: alone, ...ways } = waysOf(packages)
  const differences = []
  const expected = []
  const server = await alone()
  for (const request of requests) expected.push(await ask(server.port, request))
  await server.close()
  for (const [way, start] of Object.entries(ways)) {
    const { port, close } = await start()
    for (const [at, request] of requests.entries()) {
      const answer = await ask(port, request)
      if (answer !== expected[at])
        differences.push({ way, request: request[0], answer, expected: expected[at] })
    }
    await close()
  }
  const compared = requests.length * Object.keys(ways).length
  console.log(JSON.stringify({ node: process.version, compared, differences }))
}
if (require.main === module)
  module.exports({
    express: require(process.argv[2]),
    core: require('routecontrollers'),
    ofExpress: require('routecontrollers/express'),
  })
