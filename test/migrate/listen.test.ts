import http from 'node:http'
import net from 'node:net'
import { once } from 'node:events'
import { answerListen } from '../../packages/cli/src/entry/listen.js'

describe('listen, answered without a port', () => {
  const found: unknown[] = []
  let undo: () => void
  beforeAll(() => (undo = answerListen((listener) => found.push(listener))))
  afterAll(() => undo())

  it.each<[unknown[], unknown]>([
    [[3456], { address: '::', family: 'IPv6', port: 3456 }],
    [['3456', '127.0.0.1'], { address: '127.0.0.1', family: 'IPv4', port: 3456 }],
    [[{ port: 3456, host: '::1' }], { address: '::1', family: 'IPv6', port: 3456 }],
    [[0], { address: '::', family: 'IPv6', port: 3000 }],
    [['/tmp/socket'], '/tmp/socket'],
  ])('%j', async (parameters, address) => {
    const listener = (): void => {}
    const server = http.createServer(listener)
    const listening = once(server, 'listening')
    expect((server.listen as (...all: unknown[]) => unknown)(...parameters)).toBe(server)
    await listening
    expect([found.at(-1), server.listening, server.address()]).toEqual([listener, true, address])
    await new Promise((resolve) => server.close(resolve))
    expect([server.listening, server.address()]).toEqual([false, null])
  })

  it('calls the callback', async () => {
    await new Promise<void>((resolve) => http.createServer(() => {}).listen(1, resolve))
  })

  it('leaves servers of other protocols alone', async () => {
    const server = net.createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as net.AddressInfo
    const socket = net.connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
})
