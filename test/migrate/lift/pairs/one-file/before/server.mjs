import express from 'express'
import { native } from 'routecontrollers/express'

const app = express()
const teas = express.Router({ strict: true, caseSensitive: true })
const cups = express.Router()

teas.get('/Green', native(() => 'green'))
teas.get('/:name', native((req, res) => res.text(req.params.name)))

cups.use((req, res, next) => {
  res.set('x-cups', req.url)
  next()
})
cups.get('/', native(() => 'cups'))

app.use('/teas', teas)
app.use(cups)
app.get('/', (req, res) => res.send('never'))

const server = app.listen(0, () => console.log(server.address().port))
