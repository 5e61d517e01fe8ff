import type { ServerResponse } from 'node:http'
import { RouteControllers } from 'routecontrollers'
import { listenOn, type Received, type SendOptions, sendTo } from '../support/describe-servings.js'

/** What a client gets from a plain node:http handler that answers with them. */
async function answer(
  handler: (res: ServerResponse, routeControllers: RouteControllers) => unknown,
  options: SendOptions = {},
  routeControllers: RouteControllers = new RouteControllers([]),
): Promise<Received> {
  const { port, close } = await listenOn((_req, res) => void handler(res, routeControllers))
  try {
    return await sendTo(port)('/', options)
  } finally {
    await close()
  }
}

describe.each([
  ['notFound', 404, 'Not Found'],
  ['serverError', 500, 'Internal Server Error'],
] as const)('RouteControllers.%s', (name, status, title) => {
  it(`answers ${status} as text`, async () => {
    const received = await answer((res, routeControllers) => routeControllers[name](res))
    expect([received.status, received.text]).toEqual([status, title])
    expect(received.headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  it('answers with the message that it was given', async () => {
    const received = await answer((res, routeControllers) => routeControllers[name](res, 'No <tea> – grüße'))
    expect([received.status, received.text]).toEqual([status, 'No <tea> – grüße'])
  })

  it('answers as a problem to a client that accepts JSON', async () => {
    const headers = { accept: 'application/json' }
    const plain = await answer((res, routeControllers) => routeControllers[name](res), { headers })
    expect(plain.headers['content-type']).toBe('application/problem+json')
    expect(plain.json()).toEqual({ type: 'about:blank', title, status })
    const told = await answer((res, routeControllers) => routeControllers[name](res, 'No tea'), { headers })
    expect(told.json()).toEqual({ type: 'about:blank', title, status, detail: 'No tea' })
  })

  it('answers once', async () => {
    const received = await answer((res, routeControllers) => {
      routeControllers[name](res, 'first')
      routeControllers[name](res, 'second')
      routeControllers.notFound(res)
      routeControllers.serverError(res)
    })
    expect([received.status, received.text]).toEqual([status, 'first'])
  })

  it('does nothing after an answer has been sent, or has begun', async () => {
    const sent = await answer((res, routeControllers) => {
      res.end('sent')
      routeControllers[name](res)
    })
    expect([sent.status, sent.text]).toEqual([200, 'sent'])
    const begun = await answer((res, routeControllers) => {
      res.write('begun')
      routeControllers[name](res)
      res.end(' and ended')
    })
    expect([begun.status, begun.text]).toEqual([200, 'begun and ended'])
  })

  it('sends no body to HEAD', async () => {
    const received = await answer((res, routeControllers) => routeControllers[name](res, '12345'), {
      method: 'HEAD',
    })
    expect([received.status, received.text, received.headers['content-length']]).toEqual([status, '', '5'])
  })

  it('keeps the headers that were set before, and sends those of addHeader', async () => {
    const received = await answer(
      (res, routeControllers) => {
        res.setHeader('X-Before', '1')
        routeControllers[name](res)
      },
      {},
      new RouteControllers([]).addHeader('X-Added', '1'),
    )
    expect(received.headers).toMatchObject({ 'x-before': '1', 'x-added': '1' })
  })

  it('takes the place of a status that was set before', async () => {
    const received = await answer((res, routeControllers) => {
      res.statusCode = 201
      routeControllers[name](res)
    })
    expect(received.status).toBe(status)
  })
})
