// One replica of the shop, with a page of the migration. examples/fleet/main.ts starts three of them.
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { RouteControllers, Server } from 'routecontrollers'
import { fileStore, migration, type MigrationStore, redisStore } from '@routecontrollers/switch'
import { createControllers, createLegacyApp, type Faults, Store } from '../migration/shop.js'

const { REPLICA = 'shop-1', REDIS_URL, STATES_FILE = 'states.json' } = process.env

async function createStore(): Promise<MigrationStore> {
  if (REDIS_URL === undefined) return fileStore({ file: STATES_FILE })
  const { createClient } = await import('redis')
  const client = createClient({ url: REDIS_URL })
  client.on('error', () => {})
  await client.connect()
  return redisStore({ client })
}

const store = new Store()
const faults: Faults = { noPrice: false, fails: false }
process.on('message', (wanted: Partial<Faults>) => void Object.assign(faults, wanted))

// The proxy of main.ts says who asks.
const trustProxy = 'loopback'
const routeControllers = new RouteControllers(createControllers(store, faults), { trustProxy })
const switching = migration({
  legacy: createLegacyApp(store),
  routeControllers,
  store: await createStore(),
  replica: REPLICA,
  appVersion: '1.0.0',
  plan: { steps: [5, 25, 50, 100], minutes: 0.5, answers: 50 },
})
await switching.ready

const server = new Server()
await server.start({ port: 0, host: '127.0.0.1', trustProxy, ...switching.serverOptions })

const page = switching.page({
  authorize: ({ headers: { host = '' } }) =>
    /^(?:127\.0\.0\.1|localhost):\d+$/.test(host) && (process.env['USER'] ?? 'a user of this machine'),
})
const operations = createServer((req, res) => page(req, res)).listen(0, '127.0.0.1')
await once(operations, 'listening')
process.send?.({ port: server.getPort(), page: (operations.address() as AddressInfo).port })

process.once('disconnect', () => process.exit())
