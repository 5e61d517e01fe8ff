import { pino } from 'pino'
import { RouteControllers, Server } from 'routecontrollers'
import { createControllers } from './api.js'
import { logRequests } from './guards.js'
import { createStore } from './store.js'

const logger = pino()
const controllers = createControllers(createStore(), () => routeControllers)
const routeControllers: RouteControllers = new RouteControllers(controllers, { logger })
routeControllers.use(logRequests(logger))

const server = new Server()
await server.start({ port: Number(process.env.PORT ?? 3000), RouteControllers: routeControllers, logger })
console.log(`The API listens: ${server.getURL()}/docs, with the tokens ada and grace`)
