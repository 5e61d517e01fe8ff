import express from 'express'
import { fromExpress, native } from 'routecontrollers/express'

const kinds = ['green', 'black']

export function createRoutes({ router, store, log }) {
  for (const kind of kinds) {
    router.get(`/${kind}`,
      native((req, res) => res.json(store.filter((one) => one.kind === kind))),
      (req, res) => res.json(store.filter((one) => one.kind === kind)))
    router.post(`/${kind}`, log('post'),
      native(fromExpress((req, res) => res.status(201).end(kind))),
      (req, res) => res.status(201).end(kind))
  }

  if (store.length > 0) router.get('/first',
    native(fromExpress((req, res) => res.json(store[0]))),
    (req, res) => res.json(store[0]))

  const add = (path, handler) => router.put(path, log(path), native(fromExpress(handler)), handler)
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
