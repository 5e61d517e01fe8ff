const express = require('express4')
const { auth } = require('../guards.cjs')
const { fromConnect, group, RouteControllers } = require('routecontrollers')
const { fromExpress, fromRouter } = require('routecontrollers/express')

const api = express.Router()
const teas = express.Router({ mergeParams: true })
const guard = require('../guards.cjs').count
api.use(guard)
api.use('/teas', teas)
api.use('/strict', strictRoutes())
api.use('/orgs/:org', express.Router().get('/of', (req, res) => res.json(req.params)))

const teasRoutes = (teasGroup) => [
teasGroup.get('/:id', fromExpress((req, res) => res.json(req.params))),
teasGroup.get('/:id/:size', fromExpress((req, res) => res.json(req.params))),
]
teas.use(new RouteControllers(teasRoutes(group('')), { profile: fromRouter(teas) }).middleware())
teas.controllers = teasRoutes(group('/api/teas', fromConnect(guard)))

function strictRoutes() {
  const router = express.Router({ strict: true })
  router.get('/a', (req, res) => res.send('strict'))
  return router
}

const named = createRoutes('named')
api.use('/named', auth.requireAdmin, named)

function createRoutes(name) {
  const router = express.Router()
  const named = (req, res) => res.send(name)
  const namedRoutes = (namedGroup) => [
  namedGroup.get('/', fromExpress(named)),
  namedGroup.get('/:id', fromExpress(named)),
  ]
  router.use(new RouteControllers(namedRoutes(group('')), { profile: fromRouter(router) }).middleware())
  router.controllers = namedRoutes(group('/api/named', fromConnect(guard), fromConnect(auth.requireAdmin)))
  return router
}

module.exports = api
module.exports.teas = teas
