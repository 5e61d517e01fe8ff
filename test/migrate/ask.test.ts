import { once } from 'node:events'
import http, { createServer as createHttpServer } from 'node:http'
import https, { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { ask, closed, mostBodyBytes, type Place } from '../../packages/compare/src/ask.js'
import { cert, key } from '../support/certificate.js'
import { closeHosted, closeLater, host } from '../support/hosting.js'

afterEach(closeHosted)

const request = { method: 'GET', target: '/', headers: {}, body: undefined }

const placeOf = (url: string, given?: string): Place => ({
  url: new URL(url),
  host: given,
  folder: '',
  answerLimitMs: 10_000,
  mask: (text) => text,
})

const askFor = (place: Place, given: object = {}) =>
  ask(place, { ...request, ...given } as never, new AbortController().signal)

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
  const place = placeOf(`http://127.0.0.1:${port}`)
  return { send: () => askFor(place), requests: () => all }
}

describe('A request of parity and of replay', () => {
  it('is made again where the connection that was kept for it is reset: its server has closed that by then', async () => {
    const { send, requests } = await serve((onConnection) => onConnection > 1)
    for (let at = 0; at < 3; at++) {
      expect(await send()).toMatchObject({ status: 200, body: 'answered' })
    }
    expect(requests()).toBeGreaterThan(3)
  })

  it('reads the beginning of an answer that has no end', async () => {
    const { port } = await host((_req, res) => void res.write(Buffer.alloc(mostBodyBytes + 1, 'x')))
    const { status, isCut, body } = await askFor(placeOf(`http://127.0.0.1:${port}`))
    expect([status, isCut, body.length]).toEqual([200, true, mostBodyBytes])
  })

  it('is made once where a new connection is reset, as by a handler that does so', async () => {
    const { send, requests } = await serve(() => true)
    expect(await send()).toMatchObject({ status: 0, failure: closed })
    expect(requests()).toBe(1)
  })

  it.each(['', '/', '/api', '/api/'])('is made below the path of its side: "%s"', async (path) => {
    const { port } = await host((req, res) => void res.end(req.url))
    const place = placeOf(`http://127.0.0.1:${port}${path}`)
    const { body } = await askFor(place, { target: '/x/?q=/' })
    expect(body).toBe(`${path.replace(/\/$/, '')}/x/?q=/`)
  })

  it('is made twice at most', async () => {
    const { send, requests } = await serve((_onConnection, atAll) => atAll > 1)
    expect(await send()).toMatchObject({ status: 200 })
    expect(await send()).toMatchObject({ status: 0, failure: closed })
    expect(requests()).toBe(3)
  })

  it('is made once where the connection that was kept for it brings no HTTP', async () => {
    let requests = 0
    const { port } = await host((req, res) => {
      if (++requests === 1) return void res.end('answered')
      req.socket.end('no HTTP\r\n\r\n')
    })
    const place = placeOf(`http://127.0.0.1:${port}`)
    expect(await askFor(place)).toMatchObject({ status: 200 })
    expect(await askFor(place)).toMatchObject({ status: 0, failure: expect.stringContaining('Parse Error') })
    expect(requests).toBe(2)
  })

  it.each([
    ['that is given', 'shop.example', 'shop.example'],
    ['of its own, where none is given', undefined, '127.0.0.1'],
  ])('has the host %s', async (_which, given, expected) => {
    const { port } = await host((req, res) => void res.end(`for ${req.headers.host?.split(':')[0]}`))
    const answer = await askFor(placeOf(`http://127.0.0.1:${port}`, given))
    expect(answer).toMatchObject({ status: 200, body: `for ${expected}` })
  })

  const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  )
  it.each(hasIPv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'])('is made to a side at %s', async (address) => {
    const server = createHttpServer((_req, res) => res.end('answered')).listen(0, address)
    closeLater(() => {
      server.closeAllConnections()
      server.close()
    })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const name = address.includes(':') ? `[${address}]` : address
    expect(await askFor(placeOf(`http://${name}:${port}`))).toMatchObject({ body: 'answered' })
  })

  it('gets an answer without what tells where its side stands', async () => {
    let own = ''
    const { port } = await host((_req, res) => {
      res.setHeader('Location', `${own}/x`).end(`${own}/y, from /srv/shop/a.js`)
    })
    own = `http://127.0.0.1:${port}`
    const { headers, body } = await askFor({ ...placeOf(own), folder: '/srv/shop' })
    expect([headers.get('location'), body]).toEqual(['http://localhost/x', 'http://localhost/y, from ./a.js'])
  })

  it('gets an answer without the place that is named apart from its host, and without what was given', async () => {
    let own = ''
    const { port } = await host((_req, res) => {
      res.setHeader('Set-Cookie', ['a=1', 'b=2'])
      res.setHeader('Etag', '"1"').setHeader('X-Key', 'of sesame')
      res.end(`http://localhost:${own}/x by sesame<br> at brew (/app/tea.js:1:2)`)
    })
    own = String(port)
    const place = placeOf(`http://127.0.0.1:${port}`)
    const mask = (text: string): string => text.replaceAll('sesame', '[x-key]')
    const { headers, body, isCut } = await askFor({ ...place, mask })
    expect(body).toBe('http://localhost/x by [x-key] (stack)')
    expect(headers.get('set-cookie')).toBe('a=1\nb=2')
    // It was made of what is left out.
    expect([headers.get('x-key'), headers.get('etag'), isCut]).toEqual(['of [x-key]', '', false])
  })

  it('gets an answer with the places whose ports only begin like its own', async () => {
    let own = ''
    const { port } = await host((_req, res) => void res.end(own))
    own = `http://127.0.0.1:${port}0/x, http://localhost:${port}0/y, http://localhost:${port}`
    const { body } = await askFor(placeOf(`http://127.0.0.1:${port}`))
    expect(body).toBe(`http://127.0.0.1:${port}0/x, http://localhost:${port}0/y, http://localhost`)
  })

  it.each([
    ['http', 80, http],
    ['https', 443, https],
  ] as const)(
    'gets an answer without the usual port of %s, %i, where its URL has none',
    async (scheme, usual, module) => {
      const { port } = await host(
        (_req, res) => void res.end(`http://shop.example/x, http://localhost:${usual}/y`),
      )
      const { request: send } = http
      const sending = jest
        .spyOn(module, 'request')
        .mockImplementation(((to: object, heard: never) =>
          send({ ...to, protocol: 'http:', hostname: '127.0.0.1', port, agent: undefined }, heard)) as never)
      const { body } = await askFor(placeOf(`${scheme}://shop.example`))
      sending.mockRestore()
      expect(body).toBe('http://localhost/x, http://localhost/y')
    },
  )

  it('gets the beginning of a body that goes on, and the whole of one that ends there', async () => {
    const most = 4 * 1024 * 1024
    let bytes = most
    const { port } = await host((_req, res) => void res.end('x'.repeat(bytes)))
    const place = placeOf(`http://127.0.0.1:${port}`)
    const whole = await askFor(place)
    expect([whole.body.length, whole.isCut]).toEqual([most, false])
    bytes = most + 1
    const cut = await askFor(place)
    expect([cut.body.length, cut.isCut]).toEqual([most, true])
  })

  it('has the length of its body in bytes', async () => {
    const { port } = await host((req, res) => void res.end(req.headers['content-length'] ?? 'no length'))
    const place = placeOf(`http://127.0.0.1:${port}`)
    expect(await askFor(place, { method: 'POST', body: 'ä' })).toMatchObject({ body: '2' })
    expect(await askFor(place)).toMatchObject({ body: 'no length' })
  })

  it('takes a certificate of no known authority from a server of this machine alone', async () => {
    const server = createServer({ cert, key }, (_req, res) => res.end('answered')).listen(0, '127.0.0.1')
    closeLater(() => {
      server.closeAllConnections()
      server.close()
    })
    await once(server, 'listening')
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await askFor(placeOf(url, 'shop.example'))).toMatchObject({ status: 200, body: 'answered' })
    expect(await askFor(placeOf(url))).toMatchObject({ status: 0, failure: closed })
  })
})
