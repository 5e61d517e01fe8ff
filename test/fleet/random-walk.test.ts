import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { Controller, RouteControllers } from 'routecontrollers'
import { type Migration, redisStore, type RouteState } from '@routecontrollers/switch'
import { createMigration } from '../../packages/switch/src/migration.js'
import { systemClock } from '../../packages/switch/src/states/clock.js'
import { randomOf } from '../../bench/rollback/random.js'
import { RedisProcess } from '../hard/redis-process.js'
import { freePort } from '../support/free-port.js'
import { silent, until } from '../migrate/switch/shop.js'
import { type Client, connected, Partition } from './fleet.js'

const routes = ['GET /a', 'GET /b', '*'] as const
const states: readonly RouteState[] = ['legacy', 'shadow', 'canary 5%', 'canary 50%', 'native']

interface Walker {
  readonly switching: Migration
  readonly client: Client
  readonly server: Server
  readonly way: Partition
  readonly port: number
}

let port: number
let redis: RedisProcess
const walkers: Walker[] = []

beforeEach(async () => {
  port = await freePort()
  redis = new RedisProcess(port)
  await redis.start()
})
afterEach(async () => {
  for (const one of walkers.splice(0)) await end(one)
  await redis.remove()
})

/** A replica behind a way of its own to Redis, whose clock is ahead of that of the others. */
async function start(name: string, way: Partition, aheadMs: number): Promise<Walker> {
  const client = createClient({ url: await way.listen(), socket: { reconnectStrategy: 20 } })
  client.on('error', () => {})
  void client.connect().catch(() => {})
  const switching = createMigration(
    {
      legacy: (_req, res) => void res.end('legacy'),
      routeControllers: new RouteControllers([
        new Controller('GET', '/a', () => 'native'),
        new Controller('GET', '/b', () => 'native'),
      ]),
      shadow: false,
      replica: name,
      appVersion: name,
      startTimeoutMs: 600_000,
      logger: silent,
      store: redisStore({ client: client }),
    },
    { ...systemClock, now: () => Date.now() + aheadMs },
  )
  const server = createServer(switching.listener())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { switching, client: client as Client, server, way, port: (server.address() as AddressInfo).port }
}

async function end({ switching, client, server, way }: Walker): Promise<void> {
  server.closeAllConnections()
  server.close()
  await switching.close()
  client.destroy()
  way.close()
}

describe('A fleet that faults befall at random', () => {
  it.each([1, 2])('loses no request, and has one state at the end: seed %d', async (seed) => {
    const random = randomOf(seed)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
    for (let at = 0; at < 3; at++) walkers.push(await start(`r${at}`, new Partition(port), at * 300_000))
    await until(() => walkers.every(({ switching }) => switching.status().store.from === 'store'))
    let isUp = true
    let starts = 3
    const set = async ({ switching }: Walker): Promise<void> => {
      try {
        await switching.set(pick(routes), pick(states), { by: 'Ada', reason: `step ${starts}` })
      } catch (error) {
        // Another operator was first.
        expect(error).toMatchObject({ code: 'ERR_STATE_CHANGED' })
      }
    }
    const admin = async (command: readonly string[]): Promise<void> => {
      const client = await connected(redis.url)
      await client.sendCommand([...command])
      client.destroy()
    }
    /** They have been taken out of what clients are led to, and end once they have answered. */
    const leaving: Walker[] = []
    const faults: readonly (() => Promise<unknown> | void)[] = [
      () => pick(walkers).way.cut(),
      () => pick(walkers).way.heal(),
      () => set(pick(walkers)),
      () => Promise.all([set(walkers[0]!), set(walkers[2]!)]),
      async () => {
        if (isUp) await redis.kill()
        else await redis.start()
        isUp = !isUp
      },
      () => (isUp ? admin(['FLUSHALL']) : undefined),
      () => (isUp ? admin(['CONFIG', 'SET', 'min-replicas-to-write', String(pick([0, 1]))]) : undefined),
      async () => {
        const at = Math.floor(random() * 3)
        const old = walkers[at]!
        walkers[at] = await start(`r${starts++}`, new Partition(port), pick([-300_000, 0, 300_000]))
        leaving.push(old)
      },
    ]
    let [asked, answered] = [0, 0]
    for (let step = 0; step < 50; step++) {
      const working = pick(faults)()
      for (const walker of [...walkers]) {
        const path = pick(['/a', '/b'])
        asked++
        const answer = await fetch(`http://127.0.0.1:${walker.port}${path}`)
        if (['legacy', 'native'].includes(await answer.text())) answered++
      }
      await working
      for (const one of leaving.splice(0)) await end(one)
      await sleep(20)
    }
    expect(answered).toBe(asked)
    for (const { way } of walkers) way.heal()
    if (!isUp) await redis.start()
    await admin(['CONFIG', 'SET', 'min-replicas-to-write', '0'])
    const seen = () =>
      walkers.map(({ switching }) => {
        const { routes: all, store } = switching.status()
        return JSON.stringify([all.map(({ state }) => state), store.version, store.isAway, store.pending])
      })
    await until(
      () => walkers.every(({ switching }) => !switching.status().store.isAway) && new Set(seen()).size === 1,
      seen().join(' '),
    )
    // The last word of an operator is heard by all.
    await walkers[0]!.switching.set('*', 'shadow', { by: 'Ada', reason: 'the end' })
    await until(() => seen().every((one) => one.startsWith('[["shadow","shadow"]')))
  })
})
