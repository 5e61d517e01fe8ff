// An app that has most of what stands in the way, each by the package that the field uses.
const { registerInstrumentations } = require('@opentelemetry/instrumentation')
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express')
registerInstrumentations({ instrumentations: [new ExpressInstrumentation()] })

const express = require('express')
const session = require('express-session')
const { WebSocketServer } = require('ws')

express.response.fail = function fail(status, reason) {
  return this.status(status).json({ reason })
}
const app = express()
app.use(session({ secret: 'tea', resave: false, saveUninitialized: false }))
app.use(express.json())
app.get('/teas', (req, res) => res.fail(404, 'none'))

const server = app.listen(3000)
new WebSocketServer({ server })
for (const _time of [1, 2]) server.on('upgrade', (request, socket) => void socket)
app.get('/in-the-same-turn', (req, res) => res.end())
setTimeout(() => {
  app.get('/late', (req, res) => res.end())
  app.use(
    require('express')
      .Router()
      .get('/later', (req, res) => res.end()),
  )
}, 50)
