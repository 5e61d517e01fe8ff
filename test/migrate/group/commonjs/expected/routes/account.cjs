'use strict'
const { Router } = require('express4')
const { count } = require('../guards.cjs')
const { fromConnect, group, RouteControllers } = require('routecontrollers')
const { fromExpress, fromRouter } = require('routecontrollers/express')
const { requireUser } = require('../guards.cjs')

const router = Router()
// Before all of them
router.use(count)

const accountRoutes = (accountGroup) => [
accountGroup.get('/', fromExpress((req, res) => res.json({ user: req.user }))),
  accountGroup.get('/orders', fromExpress((req, res) => {
    res.json([req.user, req.query, req.get('X-Count') ?? res.get('X-Count')])
  })), // the orders
  accountGroup.post('/orders', fromExpress((req, res) => res.status(201).json(req.body))),
accountGroup.put('/orders/:id', fromExpress(count, (req, res) => res.json(req.params))),
accountGroup.route('HEAD', '/orders/:id', fromExpress((req, res) => res.status(204).end())),
]
router.use(new RouteControllers(accountRoutes(group('')), { profile: fromRouter(router) }).middleware())

const requireAda = function requireAda(req, res, next) {
  return req.user === 'ada' ? next() : res.sendStatus(403)
}
router.use(requireAda)
const accountRoutes2 = (accountGroup) => [
accountGroup.all('/secret', fromExpress((req, res) => res.send(`${req.method} of ${req.user}`))),
accountGroup.delete('/fails', fromExpress(async (req, res, next) => {
  next(new Error('it fails'))
})),
]
router.use(new RouteControllers(accountRoutes2(group('')), { profile: fromRouter(router) }).middleware())
router.controllers = [
  ...accountRoutes(group('/account', fromConnect(requireUser), fromConnect(count))),
  ...accountRoutes2(group('/account', fromConnect(requireUser), fromConnect(count), fromConnect(requireAda))),
]

module.exports = router
