import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'
import { RouteControllers, serve } from 'routecontrollers'
import { fromApp, serve as serveApp, toControllers } from 'routecontrollers/express'
import { createApp } from './app.js'
import { createRouteControllers } from './controllers.js'
import { createLegacyApp } from './legacy-app.js'
import type { Setup } from './setup.js'

/** A shop that listens. */
export interface Serving {
  url: string
  stop: () => Promise<void>
}

/** The shop as it was: kept to be compared with. */
export async function serveLegacy(setup: Setup, port: number): Promise<Serving> {
  return listen(createLegacyApp(setup), port)
}

/** The app listens as it always did; the Controllers are one more middleware of it. */
export async function serveInside(setup: Setup, port: number): Promise<Serving> {
  return listen(createApp(setup, createRouteControllers(setup)), port)
}

/** The Controllers answer first; the app gets what none of them matches. */
export async function serveInFront(setup: Setup, port: number): Promise<Serving> {
  const server = await serveApp(createApp(setup), { port, routes: withMiddleware(setup) })
  return { url: server.getURL(), stop: () => server.stop() }
}

/** Only what has moved, and no Express. */
export async function serveStandalone(setup: Setup, port: number): Promise<Serving> {
  const server = await serve(withMiddleware(setup), { port })
  return { url: server.getURL(), stop: () => server.stop() }
}

/** The app as it was, its routes and its middleware taken over as they are: Express answers nothing any more. */
export async function serveTakenOver(setup: Setup, port: number): Promise<Serving> {
  const app = createLegacyApp(setup)
  const { controllers } = toControllers(app, { middleware: true })
  const server = await serve(new RouteControllers(controllers, { profile: fromApp(app) }), { port })
  return { url: server.getURL(), stop: () => server.stop() }
}

/** Its routes taken over; the app gets what none of them matches. */
export async function serveTakenOverInFront(setup: Setup, port: number): Promise<Serving> {
  const server = await serveApp(createLegacyApp(setup), { port })
  return { url: server.getURL(), stop: () => server.stop() }
}

/** Where Express does not run it before them, the Controllers run the shop's middleware themselves: the same instances. */
function withMiddleware(setup: Setup): RouteControllers {
  const routeControllers = createRouteControllers(setup)
  for (const middleware of setup.middleware) routeControllers.addGlobal(middleware)
  return routeControllers
}

async function listen(app: Express, port: number): Promise<Serving> {
  const server = createServer(app)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
