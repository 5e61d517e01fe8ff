const express = require('express')
const { Controller, RouteControllers } = require('routecontrollers')
const { expressPath, fromApp, fromExpress, fromRouter } = require('routecontrollers/express')

const guard = (req, res, next) => next()
const router = express.Router()
router.use(new RouteControllers([
  new Controller('GET', expressPath('/a'), fromExpress((req, res) => res.send('a'))),
  new Controller('POST', expressPath('/a'), fromExpress((req, res) => res.send('posted'))),
], { profile: fromRouter(router) }).middleware())

const other = express.Router()
const idPath = expressPath('/:id')
other.use(new RouteControllers([
  new Controller('*', idPath, fromExpress(guard)),
  // reads
  new Controller('GET', idPath, fromExpress((req, res) => res.send(`read ${req.params.id}`))),
  new Controller('PUT', idPath, fromExpress((req, res) => res.send(`written ${req.params.id}`))),
// of two
  new Controller('GET', expressPath('/told/:id'), fromExpress((req, res) => res.send('told'))),
/* of one */ new Controller('GET', expressPath('/one/:id'), fromExpress((req, res) => res.send('one'))),
// of three
  new Controller('GET', expressPath('/three/:id'), fromExpress((req, res) => res.send('three'))),
new Controller('GET', expressPath('/tight/1'), fromExpress((req, res) => res.send('1'))), new Controller('GET', expressPath('/tight/2'), fromExpress((req, res) => res.send('2'))), new Controller('GET', expressPath('/tight/3'), fromExpress((req, res) => res.send('3'))),
], { profile: fromRouter(other) }).middleware())
other.use(guard).use(new RouteControllers([new Controller('GET', expressPath('/behind'), fromExpress((req, res) => res.send('behind'))), new Controller('GET', expressPath('/last'), fromExpress((req, res) => res.send('last')))], { profile: fromRouter(other) }).middleware())

function createRouter() {
  const router2 = express.Router().use(guard)
  router2.use(new RouteControllers([new Controller('GET', expressPath('/made'), fromExpress((req, res) => res.send('made')))], { profile: fromRouter(router2) }).middleware())
  return router2
}

const app = express()
  .use('/other', other)
  .use('/made', createRouter())
  .use(router)
app.use(new RouteControllers([
  new Controller('GET', expressPath('/end'), fromExpress((req, res) => res.send('the end'))),
], { profile: fromApp(app) }).middleware())
module.exports = app
