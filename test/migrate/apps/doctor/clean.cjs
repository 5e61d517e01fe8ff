// An app with nothing in the way: its sessions have a store, its guard and its error handler are its own.
const express = require('express')
const session = require('express-session')

class SharedStore extends session.Store {
  get(id, done) {
    done(null, null)
  }
  set(id, value, done) {
    done()
  }
  destroy(id, done) {
    done()
  }
}

const app = express()
const admin = express()
admin.get('/', (req, res) => res.end())
app.use(session({ secret: 'tea', resave: false, saveUninitialized: false, store: new SharedStore() }))
app.use('/admin', (req, res, next) => (req.session ? next() : res.sendStatus(401)), admin)
app.use(
  '/teas',
  express.Router().get('/', (req, res) => res.json([])),
)
app.use((error, req, res, next) => next(error))
app.listen(3000)
