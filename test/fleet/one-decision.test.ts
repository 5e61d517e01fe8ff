import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Controller, RouteControllers } from 'routecontrollers'
import { type Migration, migration, redisStore } from '@routecontrollers/switch'
import { RedisProcess } from '../hard/redis-process.js'
import { freePort } from '../support/free-port.js'
import { until } from '../migrate/switch/shop.js'
import { type Client, connected } from './fleet.js'

interface Served {
  readonly name: string
  readonly switching: Migration
  readonly ask: (client: number) => Promise<number>
  readonly close: () => Promise<void>
}

const why = { by: 'Ada', reason: 'try' }
let redis: RedisProcess
const served: Served[] = []

beforeEach(async () => {
  redis = new RedisProcess(await freePort())
  await redis.start()
})
afterEach(async () => {
  for (const one of served.splice(0)) await one.close()
  await redis.remove()
})

async function start(name: string, nativeFails: () => boolean): Promise<Served> {
  const client: Client = await connected(redis.url)
  const quiet = (): void => {}
  const switching = migration({
    legacy: (_req, res) => void res.end('answer'),
    routeControllers: new RouteControllers(
      [
        new Controller('GET', '/a', (_req, res) =>
          nativeFails() ? res.status(500).text('bad') : res.text('answer'),
        ),
      ],
      { logger: { info: quiet, warn: quiet, error: quiet } },
    ),
    replica: name,
    stickyBy: (req) => String(req.headers['x-client']),
    shadow: { ignoreHeaders: ['content-type', 'etag'], maxUtilization: 1, maxDelayMs: 60_000 },
    plan: { steps: [50, 100], minutes: 0, answers: 20 },
    logger: { info: quiet, warn: quiet, error: quiet },
    store: redisStore({ client }),
  })
  const server: Server = createServer(switching.listener())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const one: Served = {
    name,
    switching,
    ask: async (number) => {
      const answer = await fetch(`http://127.0.0.1:${port}/a`, { headers: { 'x-client': `c${number}` } })
      await answer.arrayBuffer()
      return answer.status
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await switching.close()
      client.destroy()
    },
  }
  await switching.ready
  served.push(one)
  return one
}

const stateOf = ({ switching }: Served): string => switching.status().routes[0]!.state
const leaders = (): string[] =>
  served.filter(({ switching }) => switching.status().fleet!.isLeader).map(({ name }) => name)

describe('One decision of three replicas', () => {
  it('has one leader, and another one once that has gone', async () => {
    for (const name of ['a', 'b', 'c']) await start(name, () => false)
    await until(() => served.every(({ switching }) => switching.status().fleet!.replicas === 3))
    // One that has had no request knows no routes.
    expect(leaders()).toEqual([])
    for (const one of served) await one.ask(0)
    await until(() => leaders().length === 1)
    const [first] = leaders()
    const at = served.findIndex(({ name }) => name === first)
    await served.splice(at, 1)[0]!.close()
    await until(() => leaders().length === 1 && leaders()[0] !== first)
  })

  it('takes a Controller back everywhere that always fails, and no plan leads it up in its cool-down', async () => {
    for (const name of ['a', 'b', 'c']) await start(name, () => true)
    await until(() => served.every(({ switching }) => switching.status().fleet!.replicas === 3))
    await served[0]!.switching.set('GET /a', 'canary 10%', why)
    await until(() => served.every((one) => stateOf(one) === 'canary 10%'))
    let bad = 0
    for (let at = 0; at < 3000 && !served.some((one) => stateOf(one) === 'legacy'); at++)
      if ((await served[at % 3]!.ask(at)) === 500) bad++
    await until(() => served.every((one) => stateOf(one) === 'legacy'))
    expect(bad).toBeLessThanOrEqual(20)
    await until(() =>
      served.every(({ switching }) => switching.status().routes[0]!.coolDownUntil !== undefined),
    )
    const rollbacks = served[0]!.switching.status().history.filter(({ by }) => by === 'rollback')
    expect(rollbacks).toHaveLength(1)
  })

  it('is led up by the leader alone, by the answers of all', async () => {
    for (const name of ['a', 'b', 'c']) await start(name, () => false)
    for (const one of served) await one.ask(0)
    await until(() => leaders().length === 1)
    await served[0]!.switching.set('GET /a', 'canary 10%', why)
    await until(() => served.every((one) => stateOf(one) === 'canary 10%'))
    const [leader] = leaders()
    // It gets no other requests than its first one.
    const others = served.filter(({ name }) => name !== leader)
    for (let at = 0; at < 3000 && stateOf(served[0]!) === 'canary 10%'; at++) await others[at % 2]!.ask(at)
    await until(() => served.every((one) => stateOf(one) === 'canary 50%'))
    const steps = served[0]!.switching.status().history.filter(({ by }) => by === 'plan')
    expect(steps.map(({ replica }) => replica)).toEqual([leader])
  })
})
