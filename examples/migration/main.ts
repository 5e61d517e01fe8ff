// The shop on one port, and what is known of its migration on the next: npm run example:migration
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RouteControllers, Server } from 'routecontrollers'
import {
  memoryStore,
  migration,
  type MigrationStore,
  redisStore,
  type RouteState,
} from 'routecontrollers/migrate'
import { createControllers, createLegacyApp, type Faults, Store } from './shop.js'

const port = Number(process.env['PORT'] ?? 3000)
const redisUrl = process.env['REDIS_URL']

let closeRedis = (): void => {}

/** States in memory; with REDIS_URL in Redis, where several processes follow one another. */
async function createStore(): Promise<MigrationStore> {
  if (redisUrl === undefined) return memoryStore()
  const { createClient } = await import('redis')
  const client = createClient({ url: redisUrl })
  client.on('error', () => {})
  await client.connect()
  closeRedis = () => client.destroy()
  return redisStore({ client })
}

const store = new Store()
const faults: Faults = { noPrice: process.env['FAULT'] === 'price', fails: false }
const legacy = createLegacyApp(store)
const routeControllers = new RouteControllers(createControllers(store, faults))
const switching = migration({
  legacy,
  routeControllers,
  store: await createStore(),
})
await switching.ready

const server = new Server()
await server.start({ port, host: '127.0.0.1', ...switching.serverOptions })

// Of this machine alone: whoever can ask it can switch the shop.
const operations = createServer((req, res) => {
  const answer = (status: number, value: unknown): void => {
    res.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(value, null, 2)}\n`)
  }
  if (req.method === 'GET' && req.url === '/status') return answer(200, switching.status())
  if (req.method === 'GET' && req.url === '/metrics') {
    return void switching.metrics().then(
      (text) => res.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      (error: unknown) => answer(500, { error: String(error) }),
    )
  }
  // JSON alone, which no form of another site can send.
  if (req.method === 'POST' && req.url === '/set' && req.headers['content-type'] === 'application/json') {
    return void readJson(req)
      .then(({ route, state, reason }) =>
        switching.set(route!, state as RouteState, { reason: reason!, by: 'curl' }),
      )
      .then(
        (stored) => answer(200, stored),
        (error: unknown) => answer(400, { error: error instanceof Error ? error.message : String(error) }),
      )
  }
  answer(404, { error: 'GET /status, GET /metrics, POST /set' })
})
operations.listen(port === 0 ? 0 : port + 1, '127.0.0.1', () => {
  const { port: other } = operations.address() as AddressInfo
  console.log(`The shop is on ${server.getURL()}, its migration on http://127.0.0.1:${other}/status

  curl ${server.getURL()}/products/1
  curl -X POST http://127.0.0.1:${other}/set -H 'content-type: application/json' \\
    -d '{ "route": "GET /products/:id", "state": "shadow", "reason": "to compare" }'
`)
})

async function readJson(req: IncomingMessage): Promise<Record<string, string | undefined>> {
  let text = ''
  for await (const chunk of req)
    if ((text += String(chunk)).length > 10_000) throw new Error('It is too long')
  return JSON.parse(text) as Record<string, string | undefined>
}

async function stop(): Promise<void> {
  operations.close()
  operations.closeAllConnections()
  await server.stop()
  await switching.close()
  closeRedis()
}
process.once('SIGINT', () => void stop())
process.once('SIGTERM', () => void stop())
