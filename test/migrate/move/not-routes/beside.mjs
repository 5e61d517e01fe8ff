import express from 'express'
import { EventEmitter as Controller } from 'node:events'
import { native, sendValue } from 'routecontrollers/express'

const fromExpress = new Map([['x', 1]])
const axios = { get: async (url) => url, post: (url, body) => body }
const app = express()
const cache = new Map()

app.set('title', 'Tea')
cache.set('/x', () => app.get('title'))
app.get('/title',
  native((req, res) => sendValue(res, app.get('title'))),
  (req, res) => res.send(app.get('title')))
axios.get('/x', () => {})
axios.post('/y', fromExpress.get('x'))
app.get('/cache',
  native((req, res) => res.json([cache.get('/x')(), new Controller().listenerCount('x')])),
  (req, res) => res.json([cache.get('/x')(), new Controller().listenerCount('x')]))

export default app
