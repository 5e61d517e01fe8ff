// The shop on one port, and what is known of its migration on the next: npm run example:migration
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RouteControllers, Server } from 'routecontrollers'
import { memoryStore, migration, type MigrationStore, redisStore } from '@routecontrollers/switch'
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

// On a port of its own, for people at this machine: a page of another site that has its name lead here has another Host.
const page = switching.page({
  authorize: ({ headers: { host = '' } }) =>
    /^(?:127\.0\.0\.1|localhost):\d+$/.test(host) && (process.env['USER'] ?? 'somebody at this machine'),
})
const operations = createServer((req, res) => page(req, res))
operations.listen(port === 0 ? 0 : port + 1, '127.0.0.1', () => {
  const { port: other } = operations.address() as AddressInfo
  console.log(`The shop is on ${server.getURL()}, the page of its migration on http://127.0.0.1:${other}/

  curl ${server.getURL()}/products/1
  curl http://127.0.0.1:${other}/status.json
`)
})

async function stop(): Promise<void> {
  await switching.close()
  operations.close()
  operations.closeAllConnections()
  await server.stop()
  closeRedis()
}
process.once('SIGINT', () => void stop())
process.once('SIGTERM', () => void stop())
