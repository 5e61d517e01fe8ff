// Cups of all sizes.
const { Controller } = require('routecontrollers')

const sizes = ['s', 'm']

const cups = [
  new Controller('GET', '/:id', (req, res) => res.json({ cup: req.params.id, base: req.baseUrl })),
  new Controller('GET', '/:id/sizes', (req, res) => res.json(sizes)),
  new Controller('GET', '/:id/sizes.v1/all.json', (req, res) => res.json(sizes)),
]

exports.cups = cups
exports.sizes = sizes
