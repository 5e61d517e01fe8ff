const express = require('express')

const guard = (req, res, next) => next()
const router = express.Router()
  .get('/a', (req, res) => res.send('a'))
  .post('/a', (req, res) => res.send('posted'))

const other = express.Router()
other
  .route('/:id')
  .all(guard)
  // reads
  .get((req, res) => res.send(`read ${req.params.id}`))
  .put((req, res) => res.send(`written ${req.params.id}`))
other // of two
  .route('/told/:id')
  .get((req, res) => res.send('told'))
other /* of one */ .route('/one/:id').get((req, res) => res.send('one'))
other // of three
  .route('/three/:id').get((req, res) => res.send('three'))
other.get('/tight/1', (req, res) => res.send('1')).get('/tight/2', (req, res) => res.send('2')) .get('/tight/3', (req, res) => res.send('3'))
other.use(guard).get('/behind', (req, res) => res.send('behind')).get('/last', (req, res) => res.send('last'))

function createRouter() {
  return express.Router().use(guard).get('/made', (req, res) => res.send('made'))
}

module.exports = express()
  .use('/other', other)
  .use('/made', createRouter())
  .use(router)
  .get('/end', (req, res) => res.send('the end'))
