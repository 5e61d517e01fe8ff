import { countBytes, createSource } from './support/large-source.js'

export async function start({ entry }) {
  const { Controller, RouteControllers, Server } = await import(entry)
  const routeControllers = new RouteControllers([
    new Controller('POST', '/echo', (req, res) => res.json(req.body), { bodyLimit: 2 * 1024 * 1024 }),
    new Controller('GET', '/down', (req, res) => res.stream(createSource(Number(req.query.bytes)))),
    new Controller('POST', '/up', async (req, res) => res.json({ bytes: await countBytes(req) }), {
      body: 'stream',
    }),
  ])
  const server = new Server()
  await server.start({ port: 0, host: '127.0.0.1', routeControllers })
  return server.getPort()
}
