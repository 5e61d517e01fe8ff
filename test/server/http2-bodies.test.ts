// What a request of HTTP/2 has of its body, and how long its connection is kept.
import { once } from 'node:events'
import { Controller, RouteControllers } from 'routecontrollers'
import { closeHosted } from '../support/hosting.js'
import { openSession, sendBy } from './http2-client.js'
import { serveHttp2 } from './serve-http2.js'

afterEach(closeHosted)

describe.each(['h2', 'http/1.1'] as const)('A request of %s', (protocol) => {
  it('has a body announced to body parsers, which look for a header, and none where there is none', async () => {
    const show = new Controller('*', '/', ({ headers }, res) =>
      res.json([headers['content-length'], headers['transfer-encoding']]),
    )
    const { port } = await serveHttp2(new RouteControllers([show]))
    const send = sendBy(protocol, port)
    expect((await send('/', { method: 'POST', body: 'text' })).json()).toEqual(['4', null])
    expect((await send('/', { method: 'POST', body: 'text', chunked: true })).json()).toEqual([
      null,
      'chunked',
    ])
    expect((await send('/')).json()).toEqual([null, null])
  })
})

it('A body of HTTP/2 that breaks off fails as one of HTTP/1.1 does', async () => {
  let failed!: (error: unknown) => void
  const failure = new Promise((resolve) => (failed = resolve))
  let arrived!: () => void
  const begun = new Promise<void>((resolve) => (arrived = resolve))
  const read = new Controller(
    'POST',
    '/',
    async (req) => {
      try {
        for await (const _chunk of req) arrived()
        failed('whole')
      } catch (error) {
        failed(error)
      }
      return ''
    },
    { body: 'stream' },
  )
  const { port } = await serveHttp2(new RouteControllers([read]))
  const client = await openSession(port)
  const stream = client.request({ ':method': 'POST', ':path': '/' })
  stream.on('error', () => {})
  stream.write('half')
  await begun
  client.destroy()
  expect(await failure).toMatchObject({
    code: 'ERR_BODY_ABORTED',
    cause: { message: 'aborted', code: 'ECONNRESET' },
  })
})

it('A connection of HTTP/2 is closed once it has had no request for keepAliveTimeoutMs', async () => {
  const { port } = await serveHttp2(new RouteControllers([new Controller('GET', '/', () => 'ok')]), {
    limits: { keepAliveTimeoutMs: 1 },
  })
  const client = await openSession(port)
  const closed = once(client, 'close')
  const stream = client.request({ ':path': '/' })
  stream.resume()
  await once(stream, 'close')
  await closed
  expect(client.destroyed).toBe(true)
})
