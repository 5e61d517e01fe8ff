import { Controller, type NodeHandler, RouteControllers, Server } from 'routecontrollers'
import { sendTo, type SendOptions } from '../support/describe-servings.js'
import { closeHosted, closeLater, host } from '../support/hosting.js'

const headers = { host: 'inner.test', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'shop.test' }
const said: SendOptions = { headers }

afterEach(closeHosted)

/** A server of ours with a handler of somebody else, which says what its Request is. */
async function serveForeign(trustProxy?: string) {
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers: { getCallback: () => async (request: Request) => new Response(request.url) },
    ...(trustProxy !== undefined && { trustProxy }),
  })
  closeLater(() => server.stop())
  return sendTo(server.getPort())
}

describe('Scheme and host of a Request', () => {
  it('are what a trusted proxy says', async () => {
    expect((await (await serveForeign('loopback'))('/x', said)).text).toBe('https://shop.test/x')
  })

  it.each([undefined, '10.0.0.1'])(
    'are those of the connection for anybody else (trusted: %p)',
    async (trust) => {
      expect((await (await serveForeign(trust))('/x', said)).text).toBe('http://inner.test/x')
    },
  )

  it.each(['evil.test/x?', 'user@evil.test', 'a b', ''])(
    'are refused with 400 for the host %p',
    async (name) => {
      const send = await serveForeign('loopback')
      expect((await send('/x', { headers: { ...headers, 'x-forwarded-host': name } })).status).toBe(400)
    },
  )
})

describe('protocol and secure of hooks', () => {
  const reporting = (trustProxy?: string): RouteControllers =>
    new RouteControllers(
      [new Controller<'/x', { seen?: unknown }>('GET', '/x', (req, res) => res.json({ seen: req.seen }))],
      trustProxy === undefined ? {} : { trustProxy },
    ).addGlobal((req, _res, next) => {
      const { protocol, secure } = req as unknown as { protocol: string; secure: boolean }
      Object.assign(req, { seen: [protocol, secure] })
      next()
    })
  const serve = async (handler: NodeHandler) => (await host(handler)).send

  it('are what a trusted proxy says', async () => {
    const send = await serve(reporting('loopback').middleware())
    expect((await send('/x', said)).json()).toEqual({ seen: ['https', true] })
  })

  it.each([undefined, '10.0.0.1'])(
    'are those of the connection for anybody else (trusted: %p)',
    async (trust) => {
      const send = await serve(reporting(trust).middleware())
      expect((await send('/x', said)).json()).toEqual({ seen: ['http', false] })
    },
  )

  it('are those of the URL in getCallback(), whatever a header says', async () => {
    const callback = reporting('loopback').getCallback()
    const seen = async (url: string): Promise<unknown> =>
      (await callback(new Request(url, { headers: { 'x-forwarded-proto': 'https' } }))).json()
    expect(await seen('http://t/x')).toEqual({ seen: ['http', false] })
    expect(await seen('https://t/x')).toEqual({ seen: ['https', true] })
  })
})
