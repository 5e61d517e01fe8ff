import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { RedisProcess } from '../hard/redis-process.js'
import { freePort } from '../support/free-port.js'
import { until } from '../migrate/switch/shop.js'
import { type Client, connected, Partition, type Replica, replicaOf, startReplica } from './fleet.js'

const ada = { by: 'Ada', reason: 'incident' }
const bob = { by: 'Bob', reason: 'go on' }
const states = '{routecontrollers:migration}:states'
const versionKey = '{routecontrollers:migration}:version'

let folder: string
let port: number
let redis: RedisProcess
const replicas: Replica[] = []
const clients: Client[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fleet-'))
  port = await freePort()
  redis = new RedisProcess(port)
  await redis.start()
})
afterEach(async () => {
  for (const one of replicas.splice(0)) await one.close()
  for (const one of clients.splice(0)) one.destroy()
  await redis.remove()
  rmSync(folder, { recursive: true })
})

async function start(url = redis.url): Promise<Replica> {
  const replica = await startReplica(url)
  replicas.push(replica)
  await replica.switching.ready
  return replica
}

async function admin(): Promise<Client> {
  const client = await connected(redis.url)
  clients.push(client)
  return client
}

describe('One state in Redis', () => {
  it('has who comes second told who was first, whatever the order in which they arrive', async () => {
    const both = [await start(), await start()]
    for (let round = 1; round <= 20; round++) {
      const outcomes = await Promise.allSettled(
        both.map(({ switching }, at) => switching.set('GET /a', `canary ${2 * round + at}%`, ada)),
      )
      const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as object] : []))
      for (const one of refused) expect(one).toMatchObject({ code: 'ERR_STATE_CHANGED', status: 409 })
      await until(() => both.every(({ states: now }) => now()[0] === both[0]!.states()[0]))
      await until(() =>
        both.every(
          ({ switching }) => switching.status().store.version === both[0]!.switching.status().store.version,
        ),
      )
    }
    const histories = both.map(({ switching }) => switching.status().history.map(({ id, at }) => [id, at]))
    expect(histories[0]).toEqual(histories[1])
  })

  it('takes back what is below a group, and keeps 200 entries', async () => {
    const [here, there] = [await start(), await start()]
    for (let round = 0; round < 205; round++)
      await here.switching.set('GET /a', `canary ${round % 100}%`, ada)
    await here.switching.set('*', 'native', ada)
    await until(() => there.states().join() === 'native,native')
    const client = await admin()
    expect(await client.hGetAll(states)).toEqual({ '*': 'native' })
    expect(await client.lLen('{routecontrollers:migration}:history')).toBe(200)
    expect(there.switching.status().store.version).toBe(206)
  })

  // A change that waits for the store must not undo a later one.
  it('has the last word count where an older one comes in after a partition', async () => {
    const way = new Partition(port)
    const [here, there] = [await start(), await start(await way.listen())]
    way.cut()
    await until(() => there.switching.status().store.isAway)
    expect(await there.switching.set('GET /a', 'canary 50%', bob)).toEqual({ isStored: false })
    await here.switching.set('GET /a', 'native', ada)
    await here.switching.set('GET /a', 'legacy', ada)
    way.heal()
    await until(() => !there.switching.status().store.isAway)
    await until(() => there.switching.status().store.pending === 0)
    expect([here.states()[0], there.states()[0]]).toEqual(['legacy', 'legacy'])
    expect(
      there.logged.filter((line) => line.includes('so what Bob had set before is dropped')),
    ).toHaveLength(1)
    way.close()
  })

  // (3): a Redis without persistence that is started again, or a FLUSHALL.
  it('is held where Redis comes back empty, and is put back with one line', async () => {
    const both = [await start(), await start()]
    await both[0]!.switching.set('*', 'native', ada)
    await both[0]!.switching.set('GET /b', 'canary 5%', ada)
    await until(() => both.every(({ states: now }) => now().join() === 'native,canary 5%'))
    const seen = new Set<string>()
    for (const { switching, states: now } of both) switching.on('change', () => seen.add(now().join()))
    const client = await admin()
    for (const command of [['FLUSHALL'], ['DEL', states], ['DEL', versionKey]]) {
      await client.sendCommand(command)
      while (Object.keys(await client.hGetAll(states)).length < 2 || !(await client.get(versionKey)))
        await sleep(10)
    }
    await until(() => both.every(({ switching }) => !switching.status().store.isAway))
    expect(both.map(({ states: now }) => now().join())).toEqual(Array(2).fill('native,canary 5%'))
    expect([...seen]).toEqual([])
    const lines = both.flatMap(({ logged }) => logged.filter((line) => line.includes('were put back')))
    expect(lines).toHaveLength(3)
    await both[1]!.switching.set('GET /a', 'shadow', bob)
    await until(() => both[0]!.states().join() === 'shadow,canary 5%')
    const next = await start()
    expect(next.states().join()).toBe('shadow,canary 5%')
    expect(next.switching.status().history.map(({ to }) => to)).toEqual(['native', 'canary 5%', 'shadow'])
  })

  // (4): the next pod, while Redis is away.
  it('is that of a snapshot for a replica that is started while Redis is away, and without one is missing', async () => {
    const snapshot = join(folder, 'states.json')
    const before = await startReplica(redis.url, { snapshot })
    await before.switching.set('*', 'native', ada)
    await until(() => existsSync(snapshot) && readFileSync(snapshot, 'utf8').includes('native'))
    await before.close()
    await redis.kill()
    const options = { startTimeoutMs: 300 }
    const [kept, none] = [{ ...options, snapshot }, options].map((one) => {
      const client = createClient({ url: redis.url, socket: { reconnectStrategy: 50 } })
      client.on('error', () => {})
      void client.connect().catch(() => {})
      const replica = replicaOf(client as Client, one)
      replicas.push(replica)
      return replica
    }) as [Replica, Replica]
    await expect(kept.switching.ready).resolves.toEqual({ from: 'snapshot' })
    await expect(none.switching.ready).rejects.toMatchObject({ code: 'ERR_STORE_AWAY' })
    expect([kept.states().join(), none.states().join()]).toEqual(['native,native', 'legacy,legacy'])
    await redis.start()
    await until(() => [kept, none].every(({ switching }) => switching.status().store.from === 'store'))
    expect(none.states().join()).toBe('native,native')
  })

  it('is one on a cluster, with the key that it has without an option', async () => {
    await redis.remove()
    redis = new RedisProcess(port, ['--cluster-enabled', 'yes'])
    await redis.start()
    const client = await admin()
    await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383'])
    while (!JSON.stringify(await client.sendCommand(['CLUSTER', 'INFO'])).includes('cluster_state:ok'))
      await sleep(20)
    const [here, there] = [await start(), await start()]
    expect(await here.switching.set('GET /a', 'shadow', ada)).toEqual({ isStored: true })
    await until(() => there.states()[0] === 'shadow')
  })

  // (16): maxmemory, a replica after a failover, an ACL.
  it('reaches a replica that may not write', async () => {
    const client = await admin()
    await client.sendCommand(['ACL', 'SETUSER', 'b', 'on', '>b', '~*', '&*', '+@all', '-@write'])
    const [here, there] = [await start(), await start(redis.url.replace('//', '//b:b@'))]
    await here.switching.set('*', 'native', ada)
    await until(() => there.states().join() === 'native,native')
    expect(await there.switching.set('GET /b', 'legacy', bob)).toEqual({ isStored: false })
    await here.switching.set('GET /a', 'legacy', ada)
    await until(() => there.states().join() === 'legacy,legacy')
    expect(there.switching.status().store).toMatchObject({ isAway: false, pending: 1 })
    await client.sendCommand(['ACL', 'SETUSER', 'b', '+@write'])
    await until(() => here.states().join() === 'legacy,legacy')
  })

  it('is written where nobody may publish, and where Redis has forgotten the script', async () => {
    const client = await admin()
    await client.sendCommand(['ACL', 'SETUSER', 'b', 'on', '>b', '~*', '+@all', 'resetchannels'])
    const here = await start(redis.url.replace('//', '//b:b@'))
    expect(await here.switching.set('GET /a', 'shadow', ada)).toEqual({ isStored: true })
    await client.sendCommand(['SCRIPT', 'FLUSH'])
    expect(await here.switching.set('GET /a', 'native', ada)).toEqual({ isStored: true })
    expect(await client.hGetAll(states)).toEqual({ 'GET /a': 'native' })
  })

  it('takes over what was written under keys without a hash tag', async () => {
    const client = await admin()
    await client.hSet('routecontrollers:migration:states', { 'GET /a': 'native', '/b': 'shadow' })
    const entry = { id: 'x', at: '2026-01-01T00:00:00.000Z', route: 'GET /a', to: 'native', ...ada }
    await client.rPush('routecontrollers:migration:history', JSON.stringify(entry))
    const here = await start()
    expect(here.states()).toEqual(['native', 'shadow'])
    await here.switching.set('/b', 'legacy', bob)
    expect(await client.hGetAll(states)).toEqual({ 'GET /a': 'native', '/b': 'legacy' })
    const next = await start()
    expect([next.states(), next.switching.status().history.map(({ id }) => id === 'x')]).toEqual([
      ['native', 'legacy'],
      [true, false],
    ])
  })

  it('has the time of Redis, whatever the clock of who writes', async () => {
    const here = await start()
    await here.switching.set('GET /a', 'shadow', ada)
    const client = await admin()
    const [seconds] = (await client.sendCommand(['TIME'])) as unknown as [string]
    const [entry] = await client.lRange('{routecontrollers:migration}:history', 0, -1)
    const { time, version } = JSON.parse(entry!) as { time: number; version: number }
    expect([Math.abs(Number(seconds) - time / 1000) < 30, version]).toEqual([true, 1])
    await until(() => here.switching.status().history[0]!.at === new Date(time).toISOString())
  })
})
