import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express5, { type Express } from 'express'
import {
  type ConnectHandler,
  Controller,
  type RouteRequest,
  RouteControllers,
  toConnect,
} from 'routecontrollers'
import serveStatic from 'serve-static'
import { closeAll, describeServings } from '../support/describe-servings.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'
import { openRaw, parseAnswers } from '../support/raw-socket.js'

afterEach(closeHosted)
afterEach(closeAll)

/** A controller that tells what it sees of its place. */
const showPlace = (req: RouteRequest<'*', { baseUrl?: string }>): object => ({
  url: req.url,
  baseUrl: req.baseUrl,
  originalUrl: req.originalUrl,
})

const ours = (): ConnectHandler => new RouteControllers([new Controller('GET', '*', showPlace)]).middleware()

const foreign = (): ConnectHandler => toConnect((request) => new Response(request.url))

const mounts: [
  string,
  (express: typeof express5, handler: ConnectHandler) => Express,
  string,
  string,
  string,
][] = [
  ['a string', (e, handler) => e().use('/a', handler), '/a/x?q=1', '/x?q=1', '/a'],
  ['a string, at its very end', (e, handler) => e().use('/a', handler), '/a', '/', '/a'],
  ['a param', (e, handler) => e().use('/u/:id', handler), '/u/7/x', '/x', '/u/7'],
  ['an array, its first', (e, handler) => e().use(['/a', '/b'], handler), '/a/x', '/x', '/a'],
  ['an array, its second', (e, handler) => e().use(['/a', '/b'], handler), '/b/x', '/x', '/b'],
  ['a RegExp', (e, handler) => e().use(/^\/r\d+/, handler), '/r42/x', '/x', '/r42'],
  [
    'three routers deep',
    (e, handler) => e().use('/a', e.Router().use('/b', e.Router().use('/c', handler))),
    '/a/b/c/x?q=1',
    '/x?q=1',
    '/a/b/c',
  ],
  [
    'an app of its own',
    (e, handler) => e().use('/sub', e().use('/app', handler)),
    '/sub/app/x',
    '/x',
    '/sub/app',
  ],
  ['another case', (e, handler) => e().use('/api', handler), '/API/x', '/x', '/API'],
]

describe.each(expresses)('Mounted in %s', (_name, anyExpress) => {
  it.each(mounts)(
    'at %s, a controller sees its part of the URL and the whole',
    async (_at, mount, target, url, baseUrl) => {
      const { send } = await host(mount(anyExpress, ours()).set('env', 'test'))
      expect((await send(target)).json()).toEqual({ url, baseUrl, originalUrl: target })
    },
  )

  it.each(mounts)('at %s, a fetch handler sees the whole URL', async (_at, mount, target) => {
    const { send, port } = await host(mount(anyExpress, foreign()).set('env', 'test'))
    expect((await send(target)).text).toBe(`http://localhost:${port}${target}`)
  })

  it.each(mounts)('at %s, who stands behind finds the URL as it was', async (_at, mount, target) => {
    const nobody = new RouteControllers([]).middleware()
    const seen: unknown[] = []
    const app = createExpress(anyExpress)
    app.use(mount(anyExpress, nobody))
    app.use(
      mount(
        anyExpress,
        toConnect(() => undefined),
      ),
    )
    app.use((req, res) => {
      seen.push(req.url, req.baseUrl, req.originalUrl)
      res.end()
    })
    await (await host(app)).send(target)
    expect(seen).toEqual([target, '', target])
  })

  it('keeps scheme and host of a target in absolute form, and gives it on as it was', async () => {
    const app = createExpress(anyExpress)
    app.use('/a', ours())
    app.use('/f', foreign())
    app.use('/n', new RouteControllers([]).middleware())
    app.use((req, res) => void res.json([req.url, req.originalUrl]))
    const { port } = await host(app)
    const get = async (target: string): Promise<unknown> => {
      const client = await openRaw(port)
      client.write(`GET ${target} HTTP/1.1\r\nHost: x.test\r\nConnection: close\r\n\r\n`)
      return parseAnswers(await client.untilClosed())[0]!.body
    }
    expect(await get('http://x.test/a/b?q=1')).toBe(
      JSON.stringify({ url: 'http://x.test/b?q=1', baseUrl: '/a', originalUrl: 'http://x.test/a/b?q=1' }),
    )
    expect(await get('http://x.test/f/b?q=1')).toBe('http://x.test/f/b?q=1')
    expect(await get('http://x.test/n/b')).toBe('["http://x.test/n/b","http://x.test/n/b"]')
  })

  describe('behind a proxy', () => {
    const headers = {
      host: 'inner.test:8080',
      'x-forwarded-for': '203.0.113.9, 10.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'shop.test',
    }
    const serve = (trust: unknown) => {
      const app = createExpress(anyExpress)
      if (trust !== undefined) app.set('trust proxy', trust)
      app.use('/f', foreign())
      app.use(
        new RouteControllers([
          new Controller('GET', '/ip', (req, res) => res.json({ ip: req.realIp })),
        ]).middleware(),
      )
      return host(app)
    }

    it("takes scheme, host and address from it where the app's trust proxy says so", async () => {
      const { send } = await serve(['loopback', '10.0.0.0/8'])
      expect((await send('/f/x', { headers })).text).toBe('https://shop.test/f/x')
      expect((await send('/ip', { headers })).json()).toEqual({ ip: '203.0.113.9' })
    })

    it('believes the nearest proxy only, where no other is trusted', async () => {
      const { send } = await serve('loopback')
      expect((await send('/ip', { headers })).json()).toEqual({ ip: '10.0.0.1' })
    })

    it('believes nobody where the app trusts nobody', async () => {
      const { send } = await serve(undefined)
      expect((await send('/f/x', { headers })).text).toBe('http://inner.test:8080/f/x')
      expect((await send('/ip', { headers })).json()).toEqual({ ip: '127.0.0.1' })
    })

    it('makes no URL of a forwarded host that is none', async () => {
      const { send } = await serve('loopback')
      const answer = await send('/f/x', { headers: { ...headers, 'x-forwarded-host': 'evil.test/x?' } })
      expect(answer.status).toBe(400)
    })
  })
})

// Express 4 counts the second slash of `/api//admin` to its mount, so that a Router there sees `/admin`, and what guards `/api/admin` does not.
describe.each(expresses)('A slash too many behind a mount of %s', (name, express) => {
  const isVersion4 = name.includes('4')
  const send = async (app: Express, target: string): Promise<string> => {
    const { port } = await host(app)
    const client = await openRaw(port)
    client.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    const { body } = parseAnswers(await client.untilClosed())[0]!
    return body.startsWith('<') ? 'passed on' : body
  }

  it('leads to no Controller that the path does not name', async () => {
    const routeControllers = new RouteControllers([
      new Controller('GET', '/admin', () => 'admin'),
      new Controller('GET', '//admin', () => 'two slashes'),
      new Controller('GET', '/*', () => 'any'),
    ])
    const app = createExpress(express).use('/api', routeControllers.middleware())
    expect(await send(app, '/api/admin')).toBe('admin')
    const answer = isVersion4 ? 'passed on' : 'two slashes'
    expect(await send(app, '/api//admin')).toBe(answer)
    expect(await send(app, 'http://x/api//admin')).toBe(answer)
  })

  it('passes no guard of ours, also where a host folds slashes', async () => {
    for (const folds of [false, true]) {
      for (const scope of ['answered', 'every'] as const) {
        const routeControllers = new RouteControllers([new Controller('GET', '/*', () => 'any')])
        routeControllers.addGlobal('/admin', (_req, res) => void res.end('refused'), { scope })
        const app = createExpress(express)
        if (folds) app.use((req, _res, next) => ((req.url = req.url.replace(/\/{2,}/g, '/')), next()))
        app.use('/api', routeControllers.middleware())
        app.get('/api/admin/x', (_req, res) => void res.end('handler of the host'))
        expect(await send(app, '/api/admin/x')).toBe('refused')
        expect(await send(app, '/api/admin/x?u=//a')).toBe('refused')
        const answer = await send(app, '/api//admin/x')
        if (folds && (scope === 'every' || !isVersion4)) expect(answer).toBe('refused')
        else if (folds) expect(answer).toBe('handler of the host')
        else if (isVersion4) expect(answer).toBe(scope === 'every' ? 'refused' : 'passed on')
        // The path is another one there: `//admin/x`.
        else expect(answer).toBe('any')
      }
    }
  })
})

describeServings(
  'A path that is not as it should be',
  ({ serve }) => {
    it.each([
      '//admin/secret',
      '/admin//secret',
      '/ADMIN/secret',
      '/admin/Secret',
      '/%61dmin/secret',
      '/admin%2Fsecret',
      '/x/../admin/secret',
      '/./admin/secret',
      '/admin/./secret',
      '/admin/secret/',
      '/admin;x/secret',
      '/\\admin/secret',
      '/admin\\secret',
      '/admin/secret%00',
      'http://x/admin/secret',
      'http://x//admin/secret',
    ])('passes no guard that its route does not pass: %s', async (target) => {
      const { port } = await serve([new Controller('GET', '/admin/secret', () => 'secret')], {
        setup: (routeControllers) =>
          void routeControllers.addGlobal('/admin', (_req, res) => {
            res.statusCode = 401
            res.end('guarded')
          }),
      })
      const client = await openRaw(port!)
      client.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      const [answer] = parseAnswers(await client.untilClosed())
      expect([400, 401, 404]).toContain(answer!.status)
      expect(answer!.body).not.toBe('secret')
    })

    it('comes to serve-static as it was sent, which refuses to climb out of its folder', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'static-'))
      writeFileSync(join(folder, 'a.txt'), 'a')
      try {
        const { port } = await serve([new Controller('GET', '*', () => 'behind')], {
          setup: (routeControllers) =>
            void routeControllers.addGlobal('/files', serveStatic(folder, { fallthrough: false })),
        })
        const statusOf = async (target: string): Promise<number> => {
          const client = await openRaw(port!)
          client.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
          return parseAnswers(await client.untilClosed())[0]!.status
        }
        expect(await statusOf('/files/a.txt')).toBe(200)
        expect(await statusOf('/files/../../a.txt')).toBe(403)
        expect(await statusOf('/files/%2e%2e/a.txt')).toBe(403)
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  },
  ({ onNode }) => onNode,
)

it.each(expresses)(
  '%s: app.use(routeControllers.middleware), without parentheses, says so',
  async (_name, express: any) => {
    const routeControllers = new RouteControllers([new Controller('GET', '/x', () => 'x')])
    // eslint-disable-next-line @typescript-eslint/unbound-method -- the mistake
    const app = createExpress(express).use(routeControllers.middleware)
    const errors: unknown[] = []
    app.use((error: unknown, _req: unknown, res: { end(): void }, _next: unknown) => {
      errors.push(error)
      res.end()
    })
    const { send } = await host(app)
    await send('/x')
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'ERR_OPTION_INVALID',
        message: expect.stringContaining('middleware()'),
      }),
    ])
  },
)
