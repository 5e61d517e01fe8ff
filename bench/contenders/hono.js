import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createRoutes } from './support/routes.js'

export const start = (table) =>
  new Promise((resolve) => {
    serve({ fetch: createApp(table).fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))
  })

export const createFetch = (table) => createApp(table).fetch

function createApp(table) {
  const app = new Hono()
  const handlers = {
    hello: (c) => c.json({ message: 'Hello' }),
    user: (c) => c.json({ id: c.req.param('id') }),
    echo: async (c) => c.json(await c.req.json()),
  }
  for (const { method, path, kind } of createRoutes(table)) app.on(method, path, handlers[kind])
  return app
}
