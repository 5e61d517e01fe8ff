import type { Socket } from 'node:net'
import { ask, closed, type Place } from '../../packages/compare/src/ask.js'
import { closeHosted, host } from '../support/hosting.js'

afterEach(closeHosted)

const request = { method: 'GET', target: '/', headers: {}, body: undefined }

/** A side that resets the connection of a request where `resets` says so, by how many there were on it and at all. */
async function serve(resets: (onConnection: number, atAll: number) => boolean) {
  const counts = new WeakMap<Socket, number>()
  let all = 0
  const { port } = await host((req, res) => {
    const count = (counts.get(req.socket) ?? 0) + 1
    counts.set(req.socket, count)
    if (resets(count, ++all)) return void req.socket.resetAndDestroy()
    res.end('answered')
  })
  const place: Place = {
    url: new URL(`http://127.0.0.1:${port}`),
    host: undefined,
    folder: '',
    answerLimitMs: 10_000,
    mask: (text) => text,
  }
  return { send: () => ask(place, request as never, new AbortController().signal), requests: () => all }
}

describe('A request of parity and of replay', () => {
  it('is made again where the connection that was kept for it is reset: its server has closed that by then', async () => {
    const { send, requests } = await serve((onConnection) => onConnection > 1)
    for (let at = 0; at < 3; at++) {
      expect(await send()).toMatchObject({ status: 200, body: 'answered' })
    }
    expect(requests()).toBeGreaterThan(3)
  })

  it('is made once where a new connection is reset, as by a handler that does so', async () => {
    const { send, requests } = await serve(() => true)
    expect(await send()).toMatchObject({ status: 0, failure: closed })
    expect(requests()).toBe(1)
  })

  it('is made twice at most', async () => {
    const { send, requests } = await serve((_onConnection, atAll) => atAll > 1)
    expect(await send()).toMatchObject({ status: 200 })
    expect(await send()).toMatchObject({ status: 0, failure: closed })
    expect(requests()).toBe(3)
  })
})
