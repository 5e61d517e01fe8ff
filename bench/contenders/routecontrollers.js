import { createApp } from './express.js'
import { addHooks } from './support/hooks.js'
import { createRoutes } from './support/routes.js'
import { createBodySchema } from './support/schemas.js'

/** Ours, standalone or, with a `fallback`, in front of an Express app. `entry` is the URL of the built package. */
export async function start({ entry, fallback, hooks, ...table }) {
  const { Server } = await import(entry)
  const routeControllers = await createRouteControllers(entry, table)
  if (hooks) addHooks((hook) => routeControllers.addGlobal(hook))
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers,
    ...(fallback && { fallback: await createApp({}) }),
  })
  return server.getPort()
}

export async function createFetch({ entry, ...table }) {
  return (await createRouteControllers(entry, table)).getCallback()
}

/** With `schemas`, the body is held to one of that library. With `handlers`, the callbacks are Express's: `'fromExpress'`, the same under `'profile'`, or a whole app by `'toControllers'`. */
export async function createRouteControllers(entry, { handlers, schemas, ...table }) {
  const { Controller, RouteControllers } = await import(entry)
  if (handlers !== undefined) return createFromExpress(entry, handlers, table)
  const callbacks = {
    hello: (req, res) => res.json({ message: 'Hello' }),
    user: (req, res) => res.json({ id: req.params.id }),
    echo: (req, res) => res.json(req.body),
  }
  const options = { echo: schemas && { input: { body: await createBodySchema(schemas) } } }
  return new RouteControllers(
    createRoutes(table).map(
      ({ method, path, kind }) => new Controller(method, path, callbacks[kind], options[kind]),
    ),
  )
}

async function createFromExpress(entry, handlers, table) {
  const { Controller, RouteControllers } = await import(entry)
  const { express5, fromApp, fromExpress, toControllers } = await import(new URL('./express/index.js', entry))
  if (handlers === 'toControllers') {
    const app = await createApp(table)
    return new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) })
  }
  const { default: express } = await import('express')
  const callbacks = {
    hello: fromExpress((req, res) => res.json({ message: 'Hello' })),
    user: fromExpress((req, res) => res.json({ id: req.params.id })),
    echo: fromExpress(express.json(), (req, res) => res.json(req.body)),
  }
  return new RouteControllers(
    createRoutes(table).map(({ method, path, kind }) => new Controller(method, path, callbacks[kind])),
    handlers === 'profile' ? { profile: express5({ settings: { 'x-powered-by': false } }) } : {},
  )
}
