// The first process with workers that only pretend, so that their deaths and the time between them are the test's.
import { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import { availableParallelism } from 'node:os'
import { RouteControllers, Server, type ServerOptions } from 'routecontrollers'
import { refusal } from '../support/refusal.js'
import { replaceCluster } from '../support/replace-cluster.js'

class FakeWorker extends EventEmitter {
  readonly sent: unknown[] = []
  readonly killed: string[] = []
  isDeaf = false
  #isDead = false
  readonly process = {
    pid: 7,
    kill: (signal: string): void => {
      this.killed.push(signal)
      this.end(null, signal)
    },
  }
  end(code: number | null, signal: string | null = null): void {
    this.#isDead = true
    setImmediate(() => this.emit('exit', code, signal))
  }
  isDead(): boolean {
    return this.#isDead
  }
  send(message: unknown): void {
    this.sent.push(message)
    if (!this.isDeaf) this.end(0)
  }
  listens(): void {
    this.emit('message', {
      routeControllers: 'listening',
      address: { port: 80, address: '::', family: 'IPv6' },
    })
  }
}

const mockForked: FakeWorker[] = []
const mockEnvironments: unknown[] = []
const mockFork = (environment: unknown): FakeWorker => {
  const worker = new FakeWorker()
  mockForked.push(worker)
  mockEnvironments.push(environment)
  return worker
}
replaceCluster({ isPrimary: true, fork: (environment: unknown) => mockFork(environment) })

const forked = async (count: number): Promise<FakeWorker> => {
  while (mockForked.length < count) await new Promise(setImmediate)
  return mockForked[count - 1]!
}

let logged: string[]
let server: Server
const start = (workers: ServerOptions['workers'], where: Partial<ServerOptions> = {}): Promise<Server> => {
  const line = (message: string): void => void logged.push(message)
  server = new Server()
  return server.start({
    port: 80,
    workers,
    routeControllers: new RouteControllers([]),
    logger: { info: line, warn: line, error: line },
    ...where,
  } as ServerOptions)
}

beforeEach(() => {
  logged = []
  mockForked.length = 0
  mockEnvironments.length = 0
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
})
afterEach(() => void jest.useRealTimers())

/** Lets the last worker die, and the delay pass until there is another. */
async function dies(count: number, delay: number): Promise<void> {
  const worker = await forked(count)
  worker.emit('exit', 9, null)
  jest.advanceTimersByTime(delay - 1)
  expect(mockForked).toHaveLength(count)
  jest.advanceTimersByTime(1)
  expect(mockForked).toHaveLength(count + 1)
}

it('A worker that dies at once is started again after twice the delay, and the fifth death is the last', async () => {
  const started = start(1)
  const refused = expect(started).rejects.toEqual(refusal('ERR_WORKERS_FAILED', '5 times', 'code 9'))
  for (const [at, delay] of [100, 200, 400, 800].entries()) await dies(at + 1, delay)
  const last = await forked(5)
  last.emit('exit', 9, null)
  await refused
  expect(logged.at(-1)).toContain('Worker 7 has ended with code 9; another is started in 800 ms')
})

it('One that has served for ten seconds has not died at once; stop() tells those that listen', async () => {
  const started = start(1)
  await dies(1, 100)
  await dies(2, 200)
  const stable = await forked(3)
  stable.listens()
  await started
  expect([server.getPort(), server.isReady]).toEqual([80, true])
  jest.advanceTimersByTime(10_000)
  await dies(3, 100)
  const next = await forked(4)
  next.listens()
  await server.stop({ lameDuckMs: 1, graceMs: 2 })
  expect(next.sent).toEqual([{ routeControllers: 'stop', times: { lameDuckMs: 1, graceMs: 2 } }])
  expect(mockForked).toHaveLength(4)
})

it('One that dies at once again and again is started again while another serves', async () => {
  const started = start(2)
  await forked(2)
  mockForked[0]!.listens()
  for (const [at, delay] of [100, 200, 400, 800, 1600, 3200].entries()) await dies(at + 2, delay)
  ;(await forked(8)).listens()
  await started
  await server.stop({ lameDuckMs: 1, graceMs: 2 })
})

it('What a worker refuses with is what start() rejects with, and the others are killed', async () => {
  const started = start(2)
  const refused = expect(started).rejects.toEqual(refusal('ERR_PORT_UNAVAILABLE', 'Port 80'))
  const second = await forked(2)
  second.emit('message', { routeControllers: 'refused', code: 'ERR_PORT_UNAVAILABLE', message: 'Port 80' })
  await refused
  expect(mockForked).toHaveLength(2)
})

it('One that does not listen yet has nothing to lose when all stop', async () => {
  const started = start(2)
  const [one, other] = [await forked(1), await forked(2)]
  for (const worker of [one, other]) worker.listens()
  await started
  await dies(2, 100)
  const restarted = await forked(3)
  await server.stop()
  expect([one.killed, one.sent.length, restarted.killed, restarted.sent]).toEqual([[], 1, ['SIGKILL'], []])
})

it('One that has died is not started again once all have stopped', async () => {
  const started = start(2)
  for (const worker of [await forked(1), await forked(2)]) worker.listens()
  await started
  mockForked[1]!.emit('exit', 9, null)
  await server.stop()
  jest.advanceTimersByTime(60_000)
  expect(mockForked).toHaveLength(2)
})

it('One that has stopped serving and does not end is killed after its time, which is told', async () => {
  const started = start(2)
  const [deaf, other] = [await forked(1), await forked(2)]
  for (const worker of [deaf, other]) worker.listens()
  await started
  deaf.isDeaf = true
  // What cannot be said to one that is about to end need not be said.
  deaf.emit('error', new Error('ERR_IPC_CHANNEL_CLOSED'))
  const stopped = server.stop({ lameDuckMs: 1_000, graceMs: 2_000 })
  await jest.advanceTimersByTimeAsync(7_999)
  expect(deaf.killed).toEqual([])
  await jest.advanceTimersByTimeAsync(1)
  await stopped
  expect([deaf.killed, other.killed]).toEqual([['SIGKILL'], []])
  expect(logged).toEqual(['Worker 7 has stopped serving and does not end: it is killed'])
})

it('One that is given as long as there is to stop is not killed at once', async () => {
  const started = start(1)
  const worker = await forked(1)
  worker.listens()
  await started
  worker.isDeaf = true
  const stopped = server.stop({ graceMs: 2 ** 31 - 1 })
  await jest.advanceTimersByTimeAsync(60_000)
  expect(worker.killed).toEqual([])
  worker.end(0)
  await jest.advanceTimersByTimeAsync(1)
  await stopped
})

it('There is one such server in a process, and another when that has stopped', async () => {
  const started = start(1)
  ;(await forked(1)).listens()
  const first = await started
  await expect(start(1)).rejects.toEqual(refusal('ERR_SERVER_STATE', 'has a server with workers already'))
  await first.stop()
  const again = start(1)
  ;(await forked(2)).listens()
  await (await again).stop()
})

it('Words that are not ours are nothing to it', async () => {
  const started = start(1)
  const worker = await forked(1)
  for (const message of [null, 'listening', {}, { routeControllers: 'stop' }]) worker.emit('message', message)
  expect(server.isReady).toBe(false)
  worker.listens()
  await started
  worker.emit('message', { routeControllers: 'refused', code: 'ERR_PORT_UNAVAILABLE', message: 'late' })
  expect(server.isReady).toBe(true)
  await server.stop()
})

it.each([undefined, '127.0.0.1'])(
  'All are told of one port that is free, on the address %p',
  async (host) => {
    const started = start('auto', { port: 0, ...(host !== undefined && { host }) })
    const count = availableParallelism()
    await forked(count)
    const [{ ROUTECONTROLLERS_PORT: port }] = mockEnvironments as [{ ROUTECONTROLLERS_PORT: string }]
    expect(mockEnvironments).toEqual(Array(count).fill({ ROUTECONTROLLERS_PORT: port }))
    const probe = createServer()
    await new Promise<void>((resolve) => probe.listen(Number(port), '127.0.0.1', resolve))
    await new Promise((resolve) => probe.close(resolve))
    for (const worker of mockForked) worker.listens()
    await (await started).stop()
  },
)

it.each([
  ['::1', 'http://[::1]:80'],
  ['::', 'http://localhost:80'],
  ['myhost', 'http://myhost:80'],
])('getURL() says where those at %s answer', async (host, url) => {
  const started = start(1, { host })
  ;(await forked(1)).listens()
  expect((await started).getURL()).toBe(url)
  await server.stop()
})
