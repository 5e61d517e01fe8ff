// An app of Express 4 that exports nothing.
const express = require('express4')
const { requireRole, validateSession } = require('./guards.cjs')

const app = express()
const secrets = express.Router({ mergeParams: true })
const admin = express()

app.set('trust proxy', 1)
app.use(express.json({ limit: '1mb' }))
secrets.use(validateSession)
secrets.param('name', function loadSecret(req, res, next) {
  next()
})
secrets.get('/:name', requireRole('admin'), function getSecret(req, res) {
  res.json({})
})
app.use('/secret', secrets)
admin.use(validateSession.bind(null))
admin.get('/users', (req, res) => res.send('users'))
app.use('/admin', admin)
app.get('/health', (req, res) => res.send('ok'))
app.get('/health', (req, res) => res.send('again'))
app.all('/any/*', (req, res, next) => next())
app.use((req, res) => res.sendStatus(404))
app.get('/late', (req, res) => res.end())
app.use(function onError(error, req, res, next) {
  next(error)
})

console.log(`arguments ${process.argv.slice(2).join(' ')}, ${process.env.GREETING}`)
app.listen(process.env.PORT ?? 3000, function () {
  console.log(`on port ${this.address().port}`)
})
