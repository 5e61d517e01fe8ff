// Cups of all sizes.
const { Controller, fromConnect } = require('routecontrollers')

const sizes = ['s', 'm']

const known = (req, res, next) => (req.params.id === '404' ? res.status(404).send('no cup') : next())

const log = (level) => (req, res, next) => {
  res.append('x-log', `${level} ${req.method} ${req.baseUrl}${req.url}`)
  next()
}

const cups = [
  new Controller('GET', '/:id', (req, res) => res.json({ cup: req.params.id, base: req.baseUrl })),
  new Controller('GET', '/:id/sizes', (req, res) => res.json(sizes)),
  new Controller('GET', '/:id/sizes.v1/all.json', (req, res) => res.json(sizes)),
  // Behind guards of its own.
  new Controller('PUT', '/:id/size', async (req, res) => {
    await null
    return res.json({ cup: req.params.id, body: req.body ?? null })
  }, { body: 'stream' }).use(fromConnect(log('info')), fromConnect(known)),
  new Controller('GET', '/:id/price', () => 5).use(fromConnect(known)),
]

exports.cups = cups
exports.sizes = sizes
