import { openSync, closeSync } from 'node:fs'
import { devNull } from 'node:os'
import express5 from 'express'
import express4 from 'express4'
import { RouteControllers, Server } from 'routecontrollers'
import { checkPort, checkServerOptions, type Settings } from '../../src/server/options.js'
import { promisedDefaults } from '../support/promised-defaults.js'
import { refusal } from '../support/refusal.js'

const start = (options: object): Promise<Server> =>
  new Server().start({ port: 0, routeControllers: new RouteControllers([]), ...options })

it.each([
  [{ port: { fd: -1 } }, ['port.fd', 'a file descriptor']],
  [{ port: { fd: '3' } }, ['port.fd', 'a file descriptor']],
  [{ port: { descriptor: 3 } }, ['port', 'descriptor']],
  [{ logger: { info() {}, warn() {} } }, ['logger.error']],
  [{ logger: null }, ['logger.info']],
  [{ host: null }, ['host is the address to listen on (leave it out for all), not null']],
  [{ tls: 1 }, ['tls is an object', 'not number']],
])('Server.start refuses %j', async (options, parts) => {
  await expect(start(options)).rejects.toEqual(refusal('ERR_OPTION_INVALID', ...parts))
})

it.each([
  [0, true],
  [1, true],
  [65_535, true],
  [65_536, false],
  [-1, false],
  [80.5, false],
])('A server can listen on the port %p: %p', (port, isPort) => {
  if (isPort) expect(() => checkPort(port)).not.toThrow()
  else
    expect(() => checkPort(port)).toThrow(refusal('ERR_OPTION_INVALID', 'port is a number from 0 to 65535'))
})

const settingsOf = (more: object = {}): Settings =>
  checkServerOptions({ port: 0, routeControllers: new RouteControllers([]), ...more })

it('The limits and the times of a shutdown have the defaults that their comments promise', () => {
  const { limits, shutdown } = settingsOf()
  const of = (name: string) => promisedDefaults('src/server/options.ts', name)
  expect(limits).toEqual(of('ServerLimits'))
  expect(shutdown).toEqual({ ...of('StopOptions'), signals: [] })
  expect(Object.keys(of('StopOptions'))).toEqual(['lameDuckMs', 'graceMs'])
})

it('A head may take no longer than its request, where that has a limit', () => {
  const headOf = (limits: object): number => settingsOf({ limits }).limits.headersTimeoutMs
  expect(headOf({ requestTimeoutMs: 5000 })).toBe(5000)
  expect(headOf({ requestTimeoutMs: 0 })).toBe(20_000)
  expect(headOf({ requestTimeoutMs: 0, headersTimeoutMs: 30_000 })).toBe(30_000)
  expect(headOf({ requestTimeoutMs: 30_000, headersTimeoutMs: 30_000 })).toBe(30_000)
  expect(() => headOf({ requestTimeoutMs: 30_000, headersTimeoutMs: 30_001 })).toThrow(
    refusal('ERR_OPTION_INVALID', 'is longer than limits.requestTimeoutMs (30000)'),
  )
})

describe('Server.start', () => {
  const polluted = Object.prototype as { routeControllers?: unknown; tls?: unknown }
  afterEach(() => {
    for (const name of ['routeControllers', 'tls'] as const) delete polluted[name]
  })

  it('takes no option of a prototype', async () => {
    polluted.routeControllers = new RouteControllers([])
    await expect(new Server().start({ port: 0 } as never)).rejects.toEqual(
      refusal('ERR_OPTION_INVALID', 'Server.start takes { routeControllers: new RouteControllers([…]) }'),
    )
    polluted.tls = {}
    const server = await start({})
    expect((await fetch(`${server.getURL()}/x`)).status).toBe(404)
    expect(server.getURL()).toMatch(/^http:/)
    await server.stop()
  })
})

it.each([
  [4, express4],
  [5, express5],
])(
  'Server.start refuses a Router of Express %i as fallback, and takes its app',
  async (_version, express) => {
    await expect(start({ fallback: express.Router() })).rejects.toEqual(
      refusal('ERR_OPTION_INVALID', 'fallback is an app, express().use(router), not a Router'),
    )
    const server = await start({ fallback: express().use(express.Router() as never) })
    await server.stop()
  },
)

it('Server.start says of a descriptor that is no socket that it cannot be listened on', async () => {
  const fd = openSync(devNull, 'r')
  try {
    await expect(start({ port: { fd } })).rejects.toEqual(
      refusal('ERR_PORT_UNAVAILABLE', `the descriptor ${fd}`),
    )
  } finally {
    closeSync(fd)
  }
})

it('Server.start says of an address that is not here that it cannot listen there', async () => {
  await expect(start({ host: '192.0.2.1' })).rejects.toEqual(
    refusal('ERR_PORT_UNAVAILABLE', 'cannot listen on 192.0.2.1:0', 'EADDRNOTAVAIL'),
  )
})

it('Server.stop takes an option that is undefined for one that is not there', async () => {
  const server = await start({ shutdown: { graceMs: 0 } })
  await server.stop({ graceMs: undefined as never })
  expect(server.isReady).toBe(false)
})

it('A server whose nodeServer somebody has closed does not listen, and stops all the same', async () => {
  const server = await start({})
  server.nodeServer!.close()
  expect(server.isReady).toBe(false)
  expect(() => server.getPort()).toThrow(refusal('ERR_SERVER_STATE', 'does not listen'))
  await server.stop()
})

it('Server.start gives a head no more time than the whole request, where that has less than a head by default', async () => {
  const server = await start({ host: '127.0.0.1', limits: { requestTimeoutMs: 7_000 } })
  const { requestTimeout, headersTimeout } = server.nodeServer!
  await server.stop()
  expect([requestTimeout, headersTimeout]).toEqual([7_000, 7_000])
})
