import express, { Router } from 'express'
import { fromExpress, native, sendValue } from 'routecontrollers/express'

const app = express()
app.enable('case sensitive routing')

const strict = Router({ strict: true, caseSensitive: true })
strict.param('id', (req, res, next, id) => {
  req.found = `found ${id}`
  next()
})
strict.get('/x/:id',
  native((req, res) => sendValue(res, req.found)),
  (req, res) => res.send(req.found))
strict.get('/x/:id/more',
  native(fromExpress((req, res, next) => next('route'))),
  (req, res, next) => next('route'))
strict.get('/x/:id/more',
  native((req, res) => res.html(`more of ${req.found}`)),
  (req, res) => res.send(`more of ${req.found}`))

const late = Router()
late.get('/:name', native((req, res) => sendValue(res, req.named)), (req, res) => res.send(req.named))
late.param('name', (req, res, next, name) => {
  req.named = name.toUpperCase()
  next()
})

const twice = Router()
twice.param('id', (req, res, next) => {
  res.append('x-param', 'called')
  next()
})
twice.get('/:id', native(fromExpress((req, res, next) => next())), (req, res, next) => next())
twice.use((req, res, next) => next())
twice.get('/:id', native((req, res) => res.html('twice')), (req, res) => res.send('twice'))
twice.get('/no/param', native((req, res) => res.html('none')), (req, res) => res.send('none'))

const leaving = Router()
leaving.get('/leave',
  native(fromExpress((req, res, next) => next('router'))),
  (req, res, next) => next('router'))
leaving.get('/leave', native((req, res) => res.html('never')), (req, res) => res.send('never'))

app.use('/strict', strict)
app.use('/late', late)
app.use('/twice', twice)
app.use('/leaving', leaving)
app.post('/Only',
  native((req, res) => res.html('posted'), { body: 'stream' }),
  (req, res) => res.send('posted'))
app.use((error, req, res, next) => res.status(500).send('failed'))

export default app
