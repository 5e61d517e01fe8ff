import express, { Router } from 'express'

const app = express()
app.enable('case sensitive routing')

const strict = Router({ strict: true, caseSensitive: true })
strict.param('id', (req, res, next, id) => {
  req.found = `found ${id}`
  next()
})
strict.get('/x/:id', (req, res) => res.send(req.found))
strict.get('/x/:id/more', (req, res, next) => next('route'))
strict.get('/x/:id/more', (req, res) => res.send(`more of ${req.found}`))

const late = Router()
late.get('/:name', (req, res) => res.send(req.named))
late.param('name', (req, res, next, name) => {
  req.named = name.toUpperCase()
  next()
})

const twice = Router()
twice.param('id', (req, res, next) => {
  res.append('x-param', 'called')
  next()
})
twice.get('/:id', (req, res, next) => next())
twice.use((req, res, next) => next())
twice.get('/:id', (req, res) => res.send('twice'))
twice.get('/no/param', (req, res) => res.send('none'))

const leaving = Router()
leaving.get('/leave', (req, res, next) => next('router'))
leaving.get('/leave', (req, res) => res.send('never'))

app.use('/strict', strict)
app.use('/late', late)
app.use('/twice', twice)
app.use('/leaving', leaving)
app.post('/Only', (req, res) => res.send('posted'))
app.use((error, req, res, next) => res.status(500).send('failed'))

export default app
