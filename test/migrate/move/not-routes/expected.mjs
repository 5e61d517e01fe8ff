import express from 'express'
import { EventEmitter as Controller } from 'node:events'
import { Controller as RcController, RouteControllers } from 'routecontrollers'
import { expressPath, fromApp, fromExpress as rcFromExpress } from 'routecontrollers/express'

const fromExpress = new Map([['x', 1]])
const axios = { get: async (url) => url, post: (url, body) => body }
const app = express()
const cache = new Map()

app.set('title', 'Tea')
cache.set('/x', () => app.get('title'))
app.use(new RouteControllers([new RcController('GET', expressPath('/title'), rcFromExpress((req, res) => res.send(app.get('title'))))], { profile: fromApp(app) }).middleware())
axios.get('/x', () => {})
axios.post('/y', fromExpress.get('x'))
app.use(new RouteControllers([new RcController('GET', expressPath('/cache'), rcFromExpress((req, res) => res.json([cache.get('/x')(), new Controller().listenerCount('x')])))], { profile: fromApp(app) }).middleware())

export default app
