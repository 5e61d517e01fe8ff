'use strict'
const { Router } = require('express4')
const { count } = require('../guards.cjs')

const router = Router()
// Before all of them
router.use(count)

router.get('/', (req, res) => res.json({ user: req.user }))
router
  .get('/orders', (req, res) => {
    res.json([req.user, req.query, req.get('X-Count') ?? res.get('X-Count')])
  }) // the orders
  .post('/orders', (req, res) => res.status(201).json(req.body))
router.route('/orders/:id').put(count, (req, res) => res.json(req.params))
router.head('/orders/:id', (req, res) => res.status(204).end())

router.use(function requireAda(req, res, next) {
  return req.user === 'ada' ? next() : res.sendStatus(403)
})
router.all('/secret', (req, res) => res.send(`${req.method} of ${req.user}`))
router.delete('/fails', async (req, res, next) => {
  next(new Error('it fails'))
})

module.exports = router
