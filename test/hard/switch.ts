// Routes that change sides under load: nothing is lost and nothing is answered twice, whatever becomes of the store.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Controller, RouteControllers } from 'routecontrollers'
import { fileStore, migration } from '@routecontrollers/switch'
import { freePort } from '../support/free-port.js'
import { ServerChild } from './child.js'
import { RedisProcess } from './redis-process.js'
import { grouped, judge, type Outcome, type Row, type Run, runMany } from './row.js'

interface Told {
  answered: number
  twice: string[]
  changes: number
  stored: number
}

const atOnce = 32

export const row: Row = {
  asked:
    '50 000 requests while states change 1 000 times, with each store (memory, file, Redis killed and started again): 0 lost, 0 twice, no 5xx; four processes follow one another within 1 s, and so do four workers',
  async run(run) {
    const parts: string[] = []
    const findings: string[] = []
    for (const kind of ['memory', 'file', 'redis']) {
      if (kind === 'redis' && !RedisProcess.isInstalled) {
        parts.push('redis: not run, there is no redis-server')
        findings.push('There is no redis-server: apt-get install redis-server')
        continue
      }
      const { measured, findings: found = [] } = await runStore(kind, run)
      parts.push(measured)
      findings.push(...found)
    }
    const workers = await timeOfWorkers()
    parts.push(`four workers follow a change of another process within ${workers.toFixed(0)} ms`)
    if (workers > 1000) findings.push(`A change took ${workers.toFixed(0)} ms to the workers`)
    return judge(parts.join('; '), findings)
  },
}

async function runStore(kind: string, { count, tell }: Run): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'switch-'))
  const redis = kind === 'redis' ? new RedisProcess(await freePort()) : undefined
  await redis?.start()
  const where = redis?.url ?? join(folder, 'states.json')
  const servers = await Promise.all(
    Array.from({ length: kind === 'memory' ? 1 : 4 }, () =>
      ServerChild.start('hard/switch-server.ts', kind, where),
    ),
  )
  try {
    return await load(kind, servers, redis, count(50_000), count(1000), tell)
  } finally {
    for (const server of servers) await server.stop()
    await redis?.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function load(
  kind: string,
  servers: readonly ServerChild[],
  redis: RedisProcess | undefined,
  requests: number,
  changes: number,
  tell: Run['tell'],
): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const findings: string[] = []
  let made = 0
  let changed = 0
  let kills = 0
  const switchAll = async (): Promise<void> => {
    while (made < requests || changed < changes) {
      // As many changes as the share of requests that are made.
      if (changed < changes && (changed * requests <= made * changes || made >= requests)) {
        await servers[changed % servers.length]!.ask('set')
        changed++
      } else await sleep(1)
      if (redis === undefined) continue
      const due = Math.floor((3 * changed) / changes)
      if (due > kills && kills < 2) {
        kills++
        await redis.kill()
        await sleep(500)
        await redis.start()
      }
    }
  }
  const switching = switchAll()
  await runMany(requests, atOnce, async (at) => {
    const answer = await ask(agent, servers[at % servers.length]!.port, at)
    made++
    if (answer !== undefined) findings.push(`${kind}, request ${at}: ${answer}`)
    if (made % 10_000 === 0) tell(`${kind}: ${grouped(made)} requests, ${changed} changes`)
  })
  await switching
  agent.destroy()
  const told = await Promise.all(servers.map((server) => server.ask<Told>()))
  const answered = told.reduce((sum, one) => sum + one.answered, 0)
  if (answered !== requests)
    findings.push(`${kind}: ${requests - answered} of ${requests} reached no handler`)
  for (const { twice } of told)
    findings.push(...twice.map((id) => `${kind}: request ${id} was handled twice`))
  const follow = servers.length > 1 ? await timeToFollow(servers, findings) : undefined
  const stored = told.reduce((sum, one) => sum + one.stored, 0)
  const killed = kills > 0 ? `, Redis killed ${kills} times` : ''
  const followed = follow === undefined ? '' : `, the three others follow within ${follow.toFixed(0)} ms`
  return {
    measured: `${kind}: ${grouped(requests)} requests, ${changed} changes (${stored} at once in the store)${killed}: ${findings.length} faults${followed}`,
    verdict: 'ok',
    findings,
  }
}

/** The longest of ten changes. */
async function timeToFollow(servers: readonly ServerChild[], findings: string[]): Promise<number> {
  const isThere = async (server: ServerChild, state: string): Promise<boolean> =>
    (await server.ask<string[]>('state')).every((one) => one === state)
  let longest = 0
  // What is pending after the last kill is stored first.
  for (let waited = 0; waited < 100; waited++) {
    const stores = await Promise.all(
      servers.map((server) => server.ask<{ pending: number; isAway: boolean }>('store')),
    )
    if (stores.every(({ pending, isAway }) => pending === 0 && !isAway)) break
    await sleep(100)
  }
  for (let round = 0; round < 10; round++) {
    const state = `canary ${round + 10}%`
    await servers[round % servers.length]!.ask(`set=${state}`)
    const began = performance.now()
    const follow = async (server: ServerChild): Promise<void> => {
      while (!(await isThere(server, state)) && performance.now() - began < 10_000) await sleep(2)
    }
    await Promise.all(servers.map(follow))
    longest = Math.max(longest, performance.now() - began)
  }
  if (longest > 1000) findings.push(`A change took ${longest.toFixed(0)} ms to the other processes`)
  return longest
}

/** How long it takes until each of four workers follows what this process writes to their file; the longest of ten changes. */
async function timeOfWorkers(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'switch-'))
  const file = join(folder, 'states.json')
  const program = join(import.meta.dirname, '../migrate/switch/serve-switched-workers.ts')
  const child = fork(program, [file], { execArgv: ['--import', 'tsx'] })
  const times: number[] = []
  const told = new Promise<void>((resolve) => {
    child.on('message', ({ port, at }: { port?: number; at?: number }) => {
      if (port !== undefined) resolve()
      if (at !== undefined) times.push(at)
    })
  })
  await told
  const switching = migration({
    legacy: (_req, res) => void res.end(),
    routeControllers: new RouteControllers([new Controller('GET', '/who', () => '')]),
    store: fileStore({ file }),
    logger: { info: () => {}, warn: () => {}, error: () => {} },
  })
  let longest = 0
  for (let round = 1; round <= 10; round++) {
    const began = Date.now()
    await switching.set('GET /who', `canary ${round}%`, { reason: `change ${round}` })
    while (times.length < 4 * round && Date.now() - began < 10_000) await sleep(5)
    longest = Math.max(longest, times.length < 4 * round ? Infinity : Math.max(...times) - began)
  }
  await switching.close()
  const gone = once(child, 'exit')
  child.send('stop')
  await gone
  rmSync(folder, { recursive: true, force: true })
  return longest
}

/** Gives what is wrong with an answer. */
function ask(agent: Agent, port: number, at: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const isPost = at % 5 === 0
    const body = isPost ? JSON.stringify({ n: at }) : undefined
    const outgoing = request({
      agent,
      port,
      host: '127.0.0.1',
      method: isPost ? 'POST' : 'GET',
      path: isPost ? '/items' : `/items/${at}`,
      headers: {
        'x-id': String(at),
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
      },
    })
    outgoing.on('error', (error) => resolve(error.message))
    outgoing.on('response', (incoming) => {
      let text = ''
      incoming.on('data', (chunk) => (text += String(chunk)))
      incoming.on('error', (error) => resolve(error.message))
      incoming.on('end', () => {
        const expected = isPost ? `{"got":${at}}` : `{"id":"${at}"}`
        resolve(
          incoming.statusCode === 200 && text === expected ? undefined : `${incoming.statusCode} ${text}`,
        )
      })
    })
    outgoing.end(body)
  })
}
