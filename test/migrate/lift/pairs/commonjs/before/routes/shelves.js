const { Router } = require('express')
const { native } = require('routecontrollers/express')

const shelves = Router({ mergeParams: true })
const places = ['top', 'bottom']

shelves.get('/', native((req) => ({ shop: req.params.shop, places })))
shelves.get('/:shelf', native((req) => ({ ...req.params })))

module.exports = { shelves, places }
