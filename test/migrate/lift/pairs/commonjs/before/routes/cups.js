// Cups of all sizes.
const express = require('express')
const rc = require('routecontrollers/express')

const cups = express.Router()
cups.get('/:id', rc.native((req, res) => res.json({ cup: req.params.id, base: req.baseUrl })))
const sizes = ['s', 'm']
cups.get('/:id/sizes', rc.native((req, res) => res.json(sizes)))
cups.get('/:id/sizes.v1/all.json', rc.native((req, res) => res.json(sizes)))

exports.cups = cups
exports.sizes = sizes
