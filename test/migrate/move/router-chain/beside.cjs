const express = require('express')
const { native } = require('routecontrollers/express')

const guard = (req, res, next) => next()
const router = express.Router()
  .get('/a', native((req, res) => res.html('a')), (req, res) => res.send('a'))
  .post('/a',
    native((req, res) => res.html('posted'), { body: 'stream' }),
    (req, res) => res.send('posted'))

const other = express.Router()
other
  .route('/:id')
  .all(guard)
  // reads
  .get(
    native((req, res) => res.html(`read ${req.params.id}`)),
    (req, res) => res.send(`read ${req.params.id}`))
  .put(
    native((req, res) => res.html(`written ${req.params.id}`), { body: 'stream' }),
    (req, res) => res.send(`written ${req.params.id}`))
other // of two
  .route('/told/:id')
  .get(native((req, res) => res.html('told')), (req, res) => res.send('told'))
other /* of one */ .route('/one/:id').get(
  native((req, res) => res.html('one')),
  (req, res) => res.send('one'))
other // of three
  .route('/three/:id').get(native((req, res) => res.html('three')), (req, res) => res.send('three'))
other.get('/tight/1', native((req, res) => res.html('1')), (req, res) => res.send('1')).get('/tight/2',
  native((req, res) => res.html('2')),
  (req, res) => res.send('2')) .get('/tight/3',
  native((req, res) => res.html('3')),
  (req, res) => res.send('3'))
other.use(guard).get('/behind',
  native((req, res) => res.html('behind')),
  (req, res) => res.send('behind')).get('/last',
  native((req, res) => res.html('last')),
  (req, res) => res.send('last'))

function createRouter() {
  return express.Router().use(guard).get('/made',
    native((req, res) => res.html('made')),
    (req, res) => res.send('made'))
}

module.exports = express()
  .use('/other', other)
  .use('/made', createRouter())
  .use(router)
  .get('/end', native((req, res) => res.html('the end')), (req, res) => res.send('the end'))
