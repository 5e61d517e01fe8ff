const express = require('express4')
const { auth } = require('../guards.cjs')

const api = express.Router()
const teas = express.Router({ mergeParams: true })
api.use(require('../guards.cjs').count)
api.use('/teas', teas)
api.use('/strict', strictRoutes())
api.use('/orgs/:org', express.Router().get('/of', (req, res) => res.json(req.params)))

teas.get('/:id', (req, res) => res.json(req.params))
teas.get('/:id/:size', (req, res) => res.json(req.params))

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
  router.get('/', named)
  router.get('/:id', named)
  return router
}

module.exports = api
module.exports.teas = teas
