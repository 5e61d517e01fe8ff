import express from 'express'
import { Controller } from 'routecontrollers'
import { addControllers, expressPath, fromExpress } from 'routecontrollers/express'

const kinds = ['green', 'black']

export function createRoutes({ router, store, log }) {
  for (const kind of kinds) {
    addControllers(router, [
    new Controller('GET', expressPath(`/${kind}`), fromExpress((req, res) => res.json(store.filter((one) => one.kind === kind)))),
    new Controller('POST', expressPath(`/${kind}`), fromExpress(log('post'), (req, res) => res.status(201).end(kind))),
    ])
  }

  if (store.length > 0) addControllers(router, [new Controller('GET', expressPath('/first'), fromExpress((req, res) => res.json(store[0])))])

  const add = (path, handler) => addControllers(router, [new Controller('PUT', expressPath(path), fromExpress(log(path), handler))])
  add('/one', (req, res) => res.send('one'))
  add('/two', (req, res) => res.send('two'))
  return router
}

const log = (word) => (req, res, next) => {
  res.set('x-log', word)
  next()
}
const store = [{ kind: 'green', name: 'Sencha' }]
const app = express()
app.use('/teas', createRoutes({ router: express.Router({ strict: true }), store, log }))
app.use('/again', createRoutes({ router: express.Router(), store, log }))

export default app
