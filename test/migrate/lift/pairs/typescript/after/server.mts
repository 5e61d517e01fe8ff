import express, { type Request, type Response } from 'express'
import type { AddressInfo } from 'node:net'
import { orders as shopOrders, type Order } from './routes/orders.mjs'
import cups from './routes/cups.mjs'
import teas from './routes/teas.mjs'
import { RouteControllers } from 'routecontrollers'
import { fromRouter } from 'routecontrollers/express'

const app = express()
const first: Order = { id: '1' }
app.get('/first', (_req: Request, res: Response) => void res.json(first))
app.use('/orders', shopOrders.middleware())
app.use('/teas', teas.middleware())
app.use('/cups', new RouteControllers(cups, { profile: fromRouter(express.Router()) }).middleware())

const server = app.listen(0, () => console.log((server.address() as AddressInfo).port))
