// An app as it was, and as somebody has changed it: with at least one finding of each kind that `check` has.
const auth = (req, res, next) => (req.get('x-user') ? next() : res.sendStatus(401))
const owner = (req, res, next) => (req.get('x-owner') ? next() : res.sendStatus(403))
const role = (name) => (req, res, next) => (req.get('x-role') === name ? next() : res.sendStatus(403))
const session = (options) => (req, res, next) => (options.secret ? next() : res.sendStatus(500))
const stop = (req, res) => res.sendStatus(418)
const wall = (req, res) => res.sendStatus(451)
const answer = (req, res) => res.json([])
const first = (req, res) => res.json(['first'])
const second = (req, res) => res.json(['second'])
const bound = { check: auth }
const hidden = (run) => run.bind(null)
const mount = (app, path, guard) => app.get(path, guard, answer)

exports.before = (express) => {
  const app = express()
  app.get('/lost', auth, answer)
  for (const path of ['/list/a', '/list/b', '/list/c', '/list/d', '/list/e'])
    app.get(path, owner, role('list'), answer)
  app.get('/gained', answer)
  app.get('/changed', role('admin'), session({ secret: 'keyboard cat' }), answer)
  app.get('/reordered', auth, owner, answer)
  app.get('/gone', auth, answer)
  app.get('/params/:id', answer)
  app.get('/shadowed', answer)
  app.get('/unreachable', auth, answer)
  app.get('/twice', answer)
  app.get('/spelled', answer)
  app.get('/handlers', first)
  app.get('/handlers', second)
  app.get('/hidden', auth, answer)
  app.get('/unverifiable', role('admin'), answer)
  app.get(/^\/no(?=w)w$/, auth, answer)
  app.use('/moved', auth, express.Router().get('/a', session({ secret: 'keyboard cat' }), answer))
  app.get('/adm/x', answer)
  app.use('/mounted', express().get('/a', answer))
  return app
}

exports.after = (express, { Controller, RouteControllers, fromExpress }, logger) => {
  const app = express().set('trust proxy', 1)
  const controller = (method, path, ...handlers) => new Controller(method, path, fromExpress(...handlers))
  const serve = (...controllers) => app.use(new RouteControllers(controllers, { logger }).middleware())
  app.get('/lost', answer)
  for (const path of ['/list/a', '/list/b', '/list/c', '/list/d', '/list/e']) app.get(path, owner, answer)
  app.get('/gained', owner, answer)
  app.get('/changed', role('anyone'), session({ secret: 'keyboard dog' }), answer)
  app.get('/reordered', owner, auth, answer)
  app.get('/params/:name', answer)
  app.get('/shad:rest', answer)
  app.use('/unreachable', stop)
  app.get('/unreachable', auth, answer)
  serve(
    controller('GET', '/twice', answer),
    controller('GET', '/spelled/', answer),
    controller('GET', '/moved/a', answer),
    controller('*', '/adm/*', auth),
    controller('GET', '/adm/x', answer),
  )
  app.get('/twice', answer)
  app.get('/handlers', second)
  app.get('/handlers', first)
  app.get('/hidden', hidden(bound.check), answer)
  mount(app, '/unverifiable', role('admin'))
  app.get(/^\/no(?=w)w$/, answer)
  app.get('/new', auth, answer)
  app.use('/mounted', express().set('trust proxy', 'loopback').get('/a', answer))
  app.get('/shadowed', answer)
  app.use('/gone', wall)
  return app
}
