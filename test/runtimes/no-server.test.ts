import { Server as NoServer } from '../../src/no-server.js'
import { Server } from '../../src/server.js'

const unsupported = expect.objectContaining({
  code: 'ERR_RUNTIME_UNSUPPORTED',
  message: expect.stringContaining('export default toWorker(routeControllers)'),
})

const membersOf = (prototype: object): PropertyKey[] => Reflect.ownKeys(prototype)

it('has each member of the Server that listens', () => {
  const server = new NoServer()
  const missing = membersOf(Server.prototype).filter((name) => !(name in server))
  expect(missing).toEqual([])
})

it('does not start, and says what to write in its place', async () => {
  await expect(new NoServer().start()).rejects.toEqual(unsupported)
})

it.each(['getURL', 'getPort'] as const)('throws the same from %s', (member) => {
  expect(() => new NoServer()[member]()).toThrow(unsupported)
})

it('is stopped and disposed of without an error, because it has never started', async () => {
  const server = new NoServer()
  expect([server.nodeServer, server.lane, server.isReady]).toEqual([undefined, undefined, false])
  await expect(Promise.all([server.closed, server.stop(), server[Symbol.asyncDispose]()])).resolves.toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
