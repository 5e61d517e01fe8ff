// The first process with workers that only pretend, so that their deaths and the time between them are the test's.
import { EventEmitter } from 'node:events'
import { RouteControllers, Server } from 'routecontrollers'
import { refusal } from '../support/refusal.js'

class FakeWorker extends EventEmitter {
  readonly sent: unknown[] = []
  readonly process = { pid: 7, kill: (signal: string): void => this.end(null, signal) }
  end(code: number | null, signal: string | null = null): void {
    setImmediate(() => this.emit('exit', code, signal))
  }
  send(message: unknown): void {
    this.sent.push(message)
    this.end(0)
  }
  listens(): void {
    this.emit('message', {
      routeControllers: 'listening',
      address: { port: 80, address: '::', family: 'IPv6' },
    })
  }
}

const mockForked: FakeWorker[] = []
const mockFork = (): FakeWorker => {
  const worker = new FakeWorker()
  mockForked.push(worker)
  return worker
}
jest.mock('node:cluster', () => ({ __esModule: true, default: { isPrimary: true, fork: () => mockFork() } }))

const forked = async (count: number): Promise<FakeWorker> => {
  while (mockForked.length < count) await new Promise(setImmediate)
  return mockForked[count - 1]!
}

let logged: string[]
let server: Server
const start = (workers: number): Promise<Server> => {
  const line = (message: string): void => void logged.push(message)
  server = new Server()
  return server.start({
    port: 80,
    workers,
    RouteControllers: new RouteControllers([]),
    logger: { info: line, warn: line, error: line },
  })
}

beforeEach(() => {
  logged = []
  mockForked.length = 0
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

it('What a worker refuses with is what start() rejects with, and the others are killed', async () => {
  const started = start(2)
  const refused = expect(started).rejects.toEqual(refusal('ERR_PORT_UNAVAILABLE', 'Port 80'))
  const second = await forked(2)
  second.emit('message', { routeControllers: 'refused', code: 'ERR_PORT_UNAVAILABLE', message: 'Port 80' })
  await refused
  expect(mockForked).toHaveLength(2)
})
