import express from 'express'
import orders from './routes/orders.mjs'
import { forms } from './routes/forms.mjs'
import { RouteControllers } from 'routecontrollers'
import { fromRouter } from 'routecontrollers/express'

const app = express()

const requireUser = (req, res, next) => {
  if (req.get('x-user') === undefined) return res.status(401).send('who are you?')
  res.set('x-guard', 'passed')
  next()
}

app.set('json spaces', 2)
app.use(express.json())
app.use('/shops/:shop/orders', requireUser, new RouteControllers(orders, { profile: fromRouter(express.Router({ mergeParams: true })) }).middleware())
app.get('/shops/:shop/orders/later', (req, res) => res.send('behind'))
app.put('/shops/:shop/orders/:id', (req, res) => res.send('put behind'))
app.use('/forms', new RouteControllers(forms, { profile: fromRouter(express.Router()) }).middleware())
app.get('/health', (req, res) => res.send('ok'))
app.use((error, req, res, next) => res.status(error.status ?? 500).send(`E ${error.message}`))

const server = app.listen(0, () => console.log(server.address().port))
