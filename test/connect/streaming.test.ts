import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { createGunzip } from 'node:zlib'
import compression from 'compression'
import type { Express, NextFunction } from 'express'
import { Controller } from 'routecontrollers'
import { openClient } from '../support/client.js'
import { inEach, type Reply } from '../support/contenders.js'
import { closeAll, describeServings, type Served } from '../support/describe-servings.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'
import { openRaw } from '../support/raw-socket.js'
import { Source } from '../support/source.js'

afterEach(closeHosted)
afterEach(closeAll)

describe.each(inEach(expresses))('%s', (_name, contender, anyExpress) => {
  function serve(reply: () => Reply | Promise<Reply>, upstream?: (app: Express) => void) {
    const app = createExpress(anyExpress)
    upstream?.(app)
    app.use(contender.create({ 'GET /': reply }))
    return host(app)
  }

  it('sends a long stream whole through compression, which drops the callbacks of write()', async () => {
    const chunks = Array.from({ length: 200 }, (_, at) => String(at % 10).repeat(10_000))
    const { port } = await serve(
      () => ({ headers: { 'Content-Type': 'text/plain' }, body: new Source().give(...chunks).end() }),
      (app) => app.use(compression()),
    )
    const outgoing = httpRequest({ port, agent: false, headers: { 'accept-encoding': 'gzip' } }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of incoming.pipe(createGunzip())) text += String(chunk)
    expect(text === chunks.join('')).toBe(true)
  })

  it('takes no chunk from its source while the client has not read the last, but for one ahead', async () => {
    const source = new Source()
    const big = 'x'.repeat(1024 * 1024)
    source.give(big, big, big).end()
    const log: string[] = []
    const { port } = await serve(
      () => ({ body: source }),
      (app) =>
        app.use((_req, res: ServerResponse, next: NextFunction) => {
          const write = res.write.bind(res) as (...all: unknown[]) => boolean
          res.write = (...all: unknown[]) => {
            const more = write(...all)
            log.push(`${more ? 'written' : 'full'} after ${source.asked}`)
            return more
          }
          res.on('drain', () => log.push(`empty after ${source.asked}`))
          next()
        }),
    )
    const client = openClient({ port } as Served, '/')
    let length = 0
    for (let chunk = await client.read(); chunk !== undefined; chunk = await client.read())
      length += chunk.length
    expect(length).toBe(3 * big.length)
    // A Response does not tell whether its body is complete with its first chunk.
    const taken = contender.name.startsWith('toConnect') ? [2, 2, 3] : [1, 2, 3]
    expect(log).toEqual(taken.flatMap((asked) => [`full after ${asked}`, `empty after ${asked}`]))
  })

  it('flushes after each chunk of an event stream, and of no other', async () => {
    const flushed: Record<string, number> = {}
    let type = ''
    const { send } = await serve(
      () => ({
        headers: { 'Content-Type': type },
        body: new Source().give('data: 1\n\n', 'data: 2\n\n').end(),
      }),
      (app) =>
        app.use((_req, res, next) => {
          Object.assign(res, { flush: () => (flushed[type] = (flushed[type] ?? 0) + 1) })
          next()
        }),
    )
    for (type of ['text/event-stream', 'text/plain']) await send('/')
    expect(flushed).toEqual({ 'text/event-stream': 2 })
  })

  it('cuts the connection when its source fails, so that nobody takes half of it for the whole', async () => {
    const source = new Source().give('half')
    const { port } = await serve(() => ({ body: source }))
    const client = await openRaw(port)
    await client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n').until('half')
    const error = jest.spyOn(console, 'error').mockImplementation(() => {})
    source.fail(new Error('the source is gone'))
    const received = await client.untilClosed()
    const lines = error.mock.calls.flat().join('\n')
    error.mockRestore()
    expect(received).not.toContain('\r\n0\r\n\r\n')
    expect(lines).toContain('the source is gone')
  })

  it('sends the status that it says, whatever was set before or is set later', async () => {
    const source = new Source()
    let later: ServerResponse | undefined
    const { port } = await serve(
      () => ({ status: 202, body: source }),
      (app) =>
        app.use((_req, res, next) => {
          res.statusCode = 418
          later = res
          next()
        }),
    )
    const client = openClient({ port } as Served, '/')
    expect((await client.head).status).toBe(202)
    later!.statusCode = 500
    source.give('fine').end()
    expect([await client.read(), await client.read()]).toEqual(['fine', undefined])
  })
})

describeServings('The answer of a hook', ({ serve }) => {
  it('has the status of the moment at which its head was sent', async () => {
    const { send } = await serve([new Controller('GET', '/', () => 'never reached')], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((_req, res) => {
          res.statusCode = 201
          res.write('a')
          res.statusCode = 500
          res.end('b')
        }),
    })
    expect(await send('/')).toMatchObject({ status: 201, text: 'ab' })
  })

  it.each([204, 205, 304])('may be %i without a body', async (status) => {
    const { send } = await serve([new Controller('GET', '/', () => 'never reached')], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((_req, res) => {
          res.statusCode = status
          res.end()
        }),
    })
    expect(await send('/')).toMatchObject({ status, text: '' })
  })
})

describeServings('Server-sent events', ({ serve }) => {
  it('reach the client one by one, while the answer goes on', async () => {
    const source = new Source().give('one')
    const served = await serve([new Controller('GET', '/', (_req, res) => res.sse(source.asIterable()))])
    const client = openClient(served, '/')
    expect((await client.head).headers['content-type']).toBe('text/event-stream')
    expect(await client.read()).toBe('data: one\n\n')
    source.give('two')
    expect(await client.read()).toBe('data: two\n\n')
    source.end()
    expect(await client.read()).toBeUndefined()
  })
})
