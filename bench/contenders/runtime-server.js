/**
 * A server of Bun or Deno in one of several ways: `bun runtime-server.js <way> <URL of the entry>`. It prints its port, and for each line of its
 * input the microseconds of CPU that it has spent.
 */
import { createInterface } from 'node:readline'

const [way, entry] = process.argv.slice(2)
const routes = 98
const user = (id) => ({ id, name: 'Ada' })

/** By the server of the runtime itself. */
function serveFetch(fetch) {
  const options = { port: 0, hostname: '127.0.0.1' }
  return typeof Bun === 'undefined'
    ? Deno.serve({ ...options, onListen() {} }, fetch).addr.port
    : Bun.serve({ ...options, fetch }).port
}

const ways = {
  bare: () =>
    serveFetch(async (request) =>
      request.method === 'POST'
        ? Response.json(await request.json())
        : Response.json(user(new URL(request.url).pathname.slice(7))),
    ),
  async Hono() {
    const { Hono } = await import('hono')
    const app = new Hono()
    for (let at = 0; at < routes; at++) app.get(`/r${at}/:id`, (c) => c.text('x'))
    app.get('/users/:id', (c) => c.json(user(c.req.param('id'))))
    app.post('/echo', async (c) => c.json(await c.req.json()))
    return serveFetch(app.fetch)
  },
  Server: () => serve({}),
  'Server, node:http': () => serve({ lane: 'node:http' }),
}

async function serve(options) {
  const { Controller, RouteControllers, Server } = await import(entry)
  const others = Array.from({ length: routes }, (_, at) => new Controller('GET', `/r${at}/:id`, () => 'x'))
  const routeControllers = new RouteControllers([
    ...others,
    new Controller('GET', '/users/:id', (req, res) => res.json(user(req.params.id))),
    new Controller('POST', '/echo', (req, res) => res.json(req.body)),
  ])
  const server = new Server()
  await server.start({ port: 0, host: '127.0.0.1', routeControllers, ...options })
  return server.getPort()
}

console.log(await ways[way]())
createInterface({ input: process.stdin }).on('line', () => {
  const { user: own, system } = process.cpuUsage()
  console.log(own + system)
})
