import { Router } from '@koa/router'
import Koa from 'koa'
import { listen } from './support/listen.js'
import { readJson } from './support/read-json.js'
import { createRoutes } from './support/routes.js'

/** Koa has no body parser of its own; this is the shortest there is, and cheaper than those that its wiki lists. */
export function start(table) {
  const app = new Koa()
  const router = new Router()
  const handlers = {
    hello: (ctx) => void (ctx.body = { message: 'Hello' }),
    user: (ctx) => void (ctx.body = { id: ctx.params.id }),
    echo: async (ctx) => void (ctx.body = await new Promise((resolve) => readJson(ctx.req, resolve))),
  }
  for (const { method, path, kind } of createRoutes(table)) router[method.toLowerCase()](path, handlers[kind])
  app.use(router.routes()).use(router.allowedMethods())
  return listen(app)
}
