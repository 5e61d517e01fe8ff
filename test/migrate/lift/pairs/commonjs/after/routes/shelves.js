const { Controller } = require('routecontrollers')

const places = ['top', 'bottom']

const shelves = [
  new Controller('GET', '/', (req) => ({ shop: req.params.shop, places })),
  new Controller('GET', '/:shelf', (req) => ({ ...req.params })),
]

module.exports = { shelves, places }
