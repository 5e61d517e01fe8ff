// A shop that is switched while it is asked. It counts what each side has answered, by the number of the request.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { createClient } from 'redis'
import { Controller, RouteControllers } from 'routecontrollers'
import { fileStore, memoryStore, migration, type MigrationStore, redisStore } from '@routecontrollers/switch'
import { serveParent } from './child.js'

const [kind = 'memory', where = '', delayMs = '0', shadowSample = '0'] = process.argv.slice(2)

async function storeOf(): Promise<MigrationStore> {
  if (kind === 'file') return fileStore({ file: where })
  if (kind !== 'redis') return memoryStore()
  const client = createClient({ url: where, socket: { reconnectStrategy: 100 } })
  client.on('error', () => {})
  await client.connect()
  return redisStore({ client })
}

const answered = new Map<string, number>()
let copies = 0
const note = (req: { headers: Record<string, unknown>; isShadow?: boolean }): void => {
  if (req.isShadow === true) return void copies++
  const id = String(req.headers['x-id'])
  answered.set(id, (answered.get(id) ?? 0) + 1)
}
const ms = Number(delayMs)

const legacy = express()
legacy.disable('x-powered-by')
legacy.set('etag', false)
legacy.use(express.json())
legacy.get('/items/:id', async (req, res) => {
  note(req as never)
  if (ms > 0) await sleep(ms)
  res.json({ id: req.params.id })
})
legacy.post('/items', (req, res) => {
  note(req as never)
  res.json({ got: (req.body as { n: number }).n })
})

const routeControllers = new RouteControllers([
  new Controller('GET', '/items/:id', async (req, res) => {
    note(req)
    if (ms > 0) await sleep(ms)
    return res.json({ id: req.params.id })
  }),
  new Controller('POST', '/items', (req, res) => {
    note(req)
    return res.json({ got: (req.body as { n: number }).n })
  }),
])
const silent = { info: () => {}, warn: () => {}, error: () => {} }
const switching = migration({
  legacy,
  routeControllers,
  store: await storeOf(),
  shadow: Number(shadowSample) > 0 ? { share: Number(shadowSample) } : false,
  rollback: false,
  logger: silent,
})
await switching.ready
const server = createServer(switching.listener())
// A client that uses a connection again at the moment at which it is closed would see that for a lost request.
server.keepAliveTimeout = 120_000
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

const states = ['legacy', 'native', 'canary 50%', 'shadow', 'canary 5%'] as const
let changes = 0
let stored = 0

serveParent((server.address() as AddressInfo).port, (question) => {
  const [what, detail = ''] = question.split('=')
  if (what === 'set') {
    const state = detail === '' ? states[changes % states.length]! : (detail as 'native')
    const route = changes % 3 === 0 ? '*' : changes % 3 === 1 ? 'GET /items/:id' : 'POST /items'
    changes++
    void switching
      .set(detail === '' ? route : '*', state, { reason: `change ${changes}` })
      .then(({ isStored }) => (stored += Number(isStored)))
    return changes
  }
  if (what === 'state') return switching.status().routes.map(({ state }) => state)
  if (what === 'store') return switching.status().store
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const { shadow, routes } = switching.status()
  return {
    answered: answered.size,
    twice: [...answered].filter(([, count]) => count > 1).map(([id]) => id),
    changes,
    stored,
    copies,
    heapUsed,
    rss,
    shadow,
    compared: routes.reduce((sum, one) => sum + one.shadow.compared, 0),
    different: routes.reduce((sum, one) => sum + one.shadow.different, 0),
  }
})
