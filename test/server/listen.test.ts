import { EventEmitter } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import { startListening } from '../../src/server/listen.js'
import { refusal } from '../support/refusal.js'

/** A server that fails as the system would let it fail. */
function failing(code: string): HttpServer {
  const server = new EventEmitter()
  const listen = (): void => void server.emit('error', Object.assign(new Error(`listen ${code}`), { code }))
  return Object.assign(server, { listen, listening: false }) as never
}

it.each([
  ['EADDRINUSE', { port: 80 }, ['Port 80 is in use', '0 picks a free one']],
  ['EACCES', { port: 80 }, ['Port 80 is not allowed to this process', 'below 1024']],
  ['EADDRNOTAVAIL', { port: 80, host: '192.0.2.1' }, ['cannot listen on 192.0.2.1:80', 'EADDRNOTAVAIL']],
  ['EMFILE', { port: 80 }, ['cannot listen on port 80', 'EMFILE']],
  ['EINVAL', { port: { fd: 3 } }, ['cannot listen on the descriptor 3', 'EINVAL']],
])('%s is told in a sentence', async (code, where, words) => {
  const server = failing(code)
  await expect(startListening(server, where)).rejects.toEqual(refusal('ERR_PORT_UNAVAILABLE', ...words))
  await expect(startListening(server, where)).rejects.toMatchObject({ cause: { code } })
  expect([server.listenerCount('error'), server.listenerCount('listening')]).toEqual([0, 0])
})

it('is told in a sentence also where Node throws it', async () => {
  const cause = Object.assign(new Error('Access to this API has been restricted'), {
    code: 'ERR_ACCESS_DENIED',
  })
  const listen = (): void => {
    throw cause
  }
  const server: HttpServer = Object.assign(new EventEmitter(), { listen, listening: false }) as never
  const listening = startListening(server, { port: 80 })
  await expect(listening).rejects.toEqual(refusal('ERR_PORT_UNAVAILABLE', 'port 80: Access to this API'))
  await expect(listening).rejects.toMatchObject({ cause })
  expect([server.listenerCount('error'), server.listenerCount('listening')]).toEqual([0, 0])
})

it('leaves no listener of its own on a server that listens', async () => {
  const server = createServer()
  const before = [server.listenerCount('error'), server.listenerCount('listening')]
  await startListening(server, { port: 0, host: '127.0.0.1' })
  expect([server.listenerCount('error'), server.listenerCount('listening')]).toEqual(before)
  await new Promise((resolve) => server.close(resolve))
})
