import { createApp } from './express.js'
import { addHooks } from './support/hooks.js'
import { createRoutes } from './support/routes.js'

/** Ours, standalone or, with a `fallback`, in front of an Express app. `entry` is the URL of the built package. */
export async function start({ entry, fallback, hooks, ...table }) {
  const { Server } = await import(entry)
  const routeControllers = await createRouteControllers(entry, table)
  if (hooks) addHooks((hook) => routeControllers.addGlobal(hook))
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    RouteControllers: routeControllers,
    ...(fallback && { fallback: await createApp({}) }),
  })
  return server.getPort()
}

export async function createFetch({ entry, ...table }) {
  return (await createRouteControllers(entry, table)).getCallback()
}

export async function createRouteControllers(entry, table) {
  const { Controller, RouteControllers } = await import(entry)
  const callbacks = {
    hello: (req, res) => res.json({ message: 'Hello' }),
    user: (req, res) => res.json({ id: req.params.id }),
    echo: (req, res) => res.json(req.body),
  }
  return new RouteControllers(
    createRoutes(table).map(({ method, path, kind }) => new Controller(method, path, callbacks[kind])),
  )
}
