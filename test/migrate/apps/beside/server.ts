import express, { type RequestHandler } from 'express'
import { Controller, RouteControllers } from 'routecontrollers'
import { native } from 'routecontrollers/express'
import { orders } from './orders.js'

const listTeas: RequestHandler = (_req, res) => void res.json([])
const teas = native(() => [])

const app = express()
app.get('/old', (_req, res) => void res.send('old'))
app.get('/teas', teas, listTeas)
app.get('/teas/:id', teas, listTeas)
app.get('/cups', teas, listTeas)
app.post('/cups', teas, listTeas)
app.get('/done', teas)
app.use('/orders', orders)
app.use(new RouteControllers([new Controller('GET', '/lifted', () => 'lifted')]).middleware())
app.listen(0)
