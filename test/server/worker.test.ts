// The side of one worker, in this process: what it says to the first process, and does when it is told to stop.
import { RouteControllers, Server, type ServerOptions } from 'routecontrollers'
import { freePort } from '../support/free-port.js'
import { closeHosted, closeLater, host } from '../support/hosting.js'
import { refusal } from '../support/refusal.js'
import { replaceCluster } from '../support/replace-cluster.js'

const mockDisconnect = jest.fn()
replaceCluster({ isPrimary: false, worker: { disconnect: () => mockDisconnect() } })

let said: unknown[]
const channel = Object.getOwnPropertyDescriptor(process, 'send') ?? { value: undefined, configurable: true }
beforeEach(() => {
  said = []
  mockDisconnect.mockClear()
  process.send = (message: unknown, told: unknown) => {
    said.push(message)
    // As when the first process is gone: it cannot be told, and the worker ends with the channel.
    ;(told as (error: Error) => void)(new Error('Channel closed'))
    return false
  }
})
afterEach(async () => {
  Object.defineProperty(process, 'send', channel)
  delete process.env['ROUTECONTROLLERS_PORT']
  await closeHosted()
})

const start = async (options: Partial<ServerOptions> = {}): Promise<Server> => {
  const server = new Server()
  closeLater(() => server.stop({ graceMs: 0 }))
  return server.start({
    port: 0,
    host: '127.0.0.1',
    workers: 2,
    routeControllers: new RouteControllers([]),
    ...options,
  })
}
const hear = (message: unknown): void => void process.emit('message', message, undefined)

it('A worker listens on the port that the first process has picked, and says so', async () => {
  const port = await freePort()
  process.env['ROUTECONTROLLERS_PORT'] = String(port)
  const server = await start()
  expect([server.getPort(), server.isReady, server.nodeServer!.listening]).toEqual([port, true, true])
  expect(said).toEqual([
    { routeControllers: 'listening', address: { address: '127.0.0.1', family: 'IPv4', port } },
  ])
})

it('A worker whose options name a port listens on that', async () => {
  const port = await freePort()
  process.env['ROUTECONTROLLERS_PORT'] = '1'
  expect((await start({ port })).getPort()).toBe(port)
})

it('A worker stops when the first process says so, and at no other word, and then lets its channel go', async () => {
  const listeners = process.listenerCount('message')
  const server = await start()
  for (const message of [null, 'stop', {}, { routeControllers: 'listening' }]) hear(message)
  expect([server.isReady, mockDisconnect.mock.calls.length]).toEqual([true, 0])
  const closed = new Promise((resolve) => server.nodeServer!.once('close', resolve))
  hear({ routeControllers: 'stop', times: { lameDuckMs: 0, graceMs: 0 } })
  expect(server.isReady).toBe(false)
  await closed
  await server.stop()
  expect([mockDisconnect.mock.calls.length, process.listenerCount('message')]).toEqual([1, listeners])
})

it('A worker that cannot listen says why, and rejects', async () => {
  const { port } = await host((_req, res) => void res.end())
  await expect(start({ port })).rejects.toEqual(refusal('ERR_PORT_UNAVAILABLE', `Port ${port}`))
  expect(said).toEqual([
    {
      routeControllers: 'refused',
      code: 'ERR_PORT_UNAVAILABLE',
      message: expect.stringContaining(`Port ${port}`),
    },
  ])
  expect(process.listenerCount('message')).toBe(0)
})

it('A worker rejects with what is no refusal, and says nothing: its end is what is seen', async () => {
  const thrown = new TypeError('no callback today')
  const getCallback = (): never => {
    throw thrown
  }
  await expect(start({ routeControllers: { getCallback } })).rejects.toBe(thrown)
  expect(said).toEqual([])
})
