import Fastify from 'fastify'
import { createRoutes } from './support/routes.js'

/** With response schemas, which Fastify's docs recommend for throughput; with `validated` also one of the body. */
export async function start({ validated, ...table }) {
  const app = Fastify()
  const text = { type: 'string' }
  const order = { name: text, price: { type: 'number' }, tags: { type: 'array', items: text } }
  const routes = {
    hello: {
      schema: withResponse({ message: text }),
      handler: (request, reply) => reply.send({ message: 'Hello' }),
    },
    user: {
      schema: withResponse({ id: text }),
      handler: (request, reply) => reply.send({ id: request.params.id }),
    },
    echo: {
      schema: { ...withResponse(order), ...(validated && { body: withRequired(order) }) },
      handler: (request, reply) => reply.send(request.body),
    },
  }
  for (const { method, path, kind } of createRoutes(table)) app.route({ method, url: path, ...routes[kind] })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server.address().port
}

const withResponse = (properties) => ({ response: { 200: { type: 'object', properties } } })
const withRequired = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })
