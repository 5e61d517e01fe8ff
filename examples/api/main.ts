import { trace } from '@opentelemetry/api'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { pino } from 'pino'
import { RouteControllers, serve } from 'routecontrollers'
import { createControllers } from './api.js'
import { observe } from './guards.js'
import { createStore } from './store.js'

// Spans go to a collector on this machine, where one runs; OTEL_TRACES_EXPORTER=console prints them.
new NodeSDK({ serviceName: 'orders' }).start()
const logger = pino()
const controllers = createControllers(createStore(), () => routeControllers)
const routeControllers: RouteControllers = new RouteControllers(controllers, { logger })
routeControllers.use(observe(trace.getTracer('orders'), logger))
const server = await serve(routeControllers, { port: Number(process.env.PORT ?? 3000), logger })
console.log(`The API listens: ${server.getURL()}/docs, with the tokens ada and grace`)
