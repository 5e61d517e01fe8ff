// Cups of all sizes.
const express = require('express')
const rc = require('routecontrollers/express')

const cups = express.Router()
cups.get('/:id', rc.native((req, res) => res.json({ cup: req.params.id, base: req.baseUrl })))
const sizes = ['s', 'm']
cups.get('/:id/sizes', rc.native((req, res) => res.json(sizes)))
cups.get('/:id/sizes.v1/all.json', rc.native((req, res) => res.json(sizes)))

const known = (req, res, next) => (req.params.id === '404' ? res.status(404).send('no cup') : next())
const log = (level) => (req, res, next) => {
  res.append('x-log', `${level} ${req.method} ${req.baseUrl}${req.url}`)
  next()
}

// Behind guards of its own.
cups.put('/:id/size', log('info'), known, rc.native(async (req, res) => {
  await null
  return res.json({ cup: req.params.id, body: req.body ?? null })
}, { body: 'stream' }))
cups.get('/:id/price', known, rc.native(() => 5))

exports.cups = cups
exports.sizes = sizes
