import { toConnect, toListener } from 'routecontrollers'
import express5 from 'express'
import { sendRaw } from '../support/client.js'
import { listenOn, sendTo } from '../support/describe-servings.js'
import type { NodeHandler } from '../../src/ground/types.js'

/** Serves over a socket for one test. */
async function withServer<T>(handler: NodeHandler, run: (port: number) => Promise<T>): Promise<T> {
  const { port, close } = await listenOn(handler)
  try {
    return await run(port)
  } finally {
    await close()
  }
}

/** What `read` finds in the web Request of a Node request. */
async function requestOf<T>(
  read: (request: Request) => T,
  target: string,
  options: Parameters<ReturnType<typeof sendTo>>[1] = {},
): Promise<Awaited<T>> {
  let value: Awaited<T>
  await withServer(
    toListener(async (request) => {
      value = await read(request)
      return new Response(null)
    }),
    (port) => sendTo(port)(target, options),
  )
  return value!
}

const get = (target: string, ...lines: string[]): string =>
  [`GET ${target} HTTP/1.1`, 'Host: named.example', 'Connection: close', ...lines, '', ''].join('\r\n')

describe('the web Request of a Node request', () => {
  it('has method, URL and headers', async () => {
    const seen = await requestOf(
      ({ method, url, headers }) => [method, new URL(url).pathname + new URL(url).search, headers.get('x-a')],
      '/a%20b?c=d',
      { method: 'PUT', headers: { 'X-A': '1' } },
    )
    expect(seen).toEqual(['PUT', '/a%20b?c=d', '1'])
  })

  it.each([
    ['/a', 'http://named.example/a'],
    ['//evil.example/a', 'http://named.example//evil.example/a'],
    ['/\\evil.example/a', 'http://named.example//evil.example/a'],
    ['/?a=http://x', 'http://named.example/?a=http://x'],
    ['http://target.example/a?b', 'http://target.example/a?b'],
    ['https://target.example:8443/a', 'https://target.example:8443/a'],
    ['http://target.example', 'http://target.example/'],
  ])('takes the host of %s from nowhere else', async (target, expected) => {
    let url: string | undefined
    await withServer(
      toListener(async (request) => {
        url = request.url
        return new Response(null)
      }),
      (port) => sendRaw(port, get(target)),
    )
    expect(url).toBe(expected)
  })

  it('keeps every line of a header', async () => {
    let headers: Headers | undefined
    await withServer(
      toListener(async (request) => {
        headers = request.headers
        return new Response(null)
      }),
      (port) =>
        sendRaw(port, get('/', 'X-A: 1', 'X-A: 2', 'Authorization: a', 'Authorization: b', 'Cookie: c=1')),
    )
    expect(['x-a', 'authorization', 'cookie'].map((name) => headers!.get(name))).toEqual([
      '1, 2',
      'a, b',
      'c=1',
    ])
  })

  it.each([false, true])('has the body (chunked: %s), which can be read once', async (chunked) => {
    const seen = await requestOf(
      async (request) => {
        const copy = new Request(request.clone())
        return [
          await request.text(),
          await copy.text(),
          request.bodyUsed,
          await request.text().catch(() => 'once'),
        ]
      },
      '/',
      { method: 'POST', body: 'é'.repeat(1000), chunked },
    )
    expect(seen).toEqual(['é'.repeat(1000), 'é'.repeat(1000), true, 'once'])
  })

  it('has no body where none was sent', async () => {
    expect(await requestOf((request) => request.body, '/')).toBeNull()
    expect(await requestOf((request) => request.body, '/', { method: 'POST', body: '' })).toBeNull()
  })

  it('has a signal that does not abort after a whole answer', async () => {
    const signal = await requestOf((request) => request.signal, '/', { method: 'POST', body: 'x' })
    expect(signal.aborted).toBe(false)
  })

  it('has a signal that aborts when the client goes away', async () => {
    let arrive: () => void
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    let abort: () => void
    const aborted = new Promise<void>((resolve) => (abort = resolve))
    const handler = toListener((request) => {
      request.signal.addEventListener('abort', abort)
      arrive()
      return aborted.then(() => new Response('too late'))
    })
    await withServer(handler, async (port) => {
      const socket = (await import('node:net')).connect(port, '127.0.0.1', () => socket.write(get('/')))
      await arrived
      socket.destroy()
      await aborted
    })
  })

  it('has the path of the mount in its URL', async () => {
    const app = express5()
    app.use(
      ['/shop', '/store'],
      toConnect(async (request) => new Response(new URL(request.url).pathname)),
    )
    await withServer(app, async (port) => {
      expect((await sendTo(port)('/shop/items/7?a')).text).toBe('/shop/items/7')
      expect((await sendTo(port)('/store')).text).toBe('/store')
    })
  })

  it('has the first host that a trusted proxy of its Express names, of several', async () => {
    const app = express5().set('trust proxy', true)
    app.use(toConnect(async (request) => new Response(request.url)))
    await withServer(app, async (port) => {
      const headers = {
        'X-Forwarded-Host': 'shop.example:8080 , inner.example',
        'X-Forwarded-Proto': 'https',
      }
      expect((await sendTo(port)('/teas', { headers })).text).toBe('https://shop.example:8080/teas')
    })
  })

  it('cannot be made for TRACE, which is answered with 501', async () => {
    const logged = jest.spyOn(console, 'error').mockImplementation(() => {})
    const text = await withServer(
      toListener(async () => new Response('made')),
      (port) => sendRaw(port, get('/').replace('GET', 'TRACE')),
    )
    expect(text).toMatch(/^HTTP\/1\.1 501 /)
    logged.mockRestore()
  })
})
