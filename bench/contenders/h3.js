import { H3, serve } from 'h3'
import { createRoutes } from './support/routes.js'

export async function start(table) {
  const server = serve(createApp(table), { port: 0, hostname: '127.0.0.1', silent: true })
  await server.ready()
  return Number(new URL(server.url).port)
}

export const createFetch = (table) => createApp(table).fetch

function createApp(table) {
  const app = new H3()
  const handlers = {
    hello: () => ({ message: 'Hello' }),
    user: (event) => ({ id: event.context.params.id }),
    echo: (event) => event.req.json(),
  }
  for (const { method, path, kind } of createRoutes(table)) app.on(method, path, handlers[kind])
  return app
}
