import { createServer, type Server as HttpServer } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import entityTag from 'etag'
import express5, { type Express } from 'express'
import express4 from 'express4'
import helmet from 'helmet'
import {
  type AnyController,
  Controller,
  type ResponseBuilder,
  RouteControllers,
  type RouteRequest,
  Server,
} from 'routecontrollers'
import { express4 as profile4, express5 as profile5, fromApp, fromExpress } from 'routecontrollers/express'
import { migration } from '@routecontrollers/switch'
import { isWhole } from '../../support/counts.js'
import { anyLoad, closeShops, describeWays, serveShop, silent, until } from './shop.js'

const modified = 'Sun, 22 Nov 2026 06:00:00 GMT'
const bytes = new Uint8Array([1, 2, 255])
const large = 'é'.repeat(5000)

type Callback = (req: RouteRequest, res: ResponseBuilder) => unknown

/** The same routes for Express, and as Controllers. */
const routes: Readonly<Record<string, readonly [(app: Express, path: string) => unknown, Callback]>> = {
  '/json': [
    (app, path) => app.get(path, (_req, res) => void res.json({ a: 1 })),
    (_req, res) => res.json({ a: 1 }),
  ],
  '/returned': [(app, path) => app.get(path, (_req, res) => void res.json([1, 'é'])), () => [1, 'é']],
  '/text': [
    (app, path) => app.get(path, (_req, res) => void res.type('text/plain').send('é')),
    (_req, res) => res.text('é'),
  ],
  '/html': [
    (app, path) => app.get(path, (_req, res) => void res.send('<b>é</b>')),
    (_req, res) => res.html('<b>é</b>'),
  ],
  '/large': [
    (app, path) => app.get(path, (_req, res) => void res.json(large)),
    (_req, res) => res.json(large),
  ],
  '/empty': [
    (app, path) => app.get(path, (_req, res) => void res.type('text').send('')),
    (_req, res) => res.text(''),
  ],
  '/bytes': [(app, path) => app.get(path, (_req, res) => void res.send(Buffer.from(bytes))), () => bytes],
  '/xml': [
    (app, path) => app.get(path, (_req, res) => void res.set('Content-Type', 'text/xml').send('<x/>')),
    (_req, res) => res.header('Content-Type', 'text/xml').send('<x/>'),
  ],
  '/lower': [
    (app, path) => app.get(path, (_req, res) => void res.set('etag', '"own"').json(1)),
    (_req, res) => res.header('etag', '"own"').json(1),
  ],
  '/own': [
    (app, path) => app.get(path, (_req, res) => void res.set('ETag', '"own"').json(1)),
    (_req, res) => res.header('ETag', '"own"').json(1),
  ],
  '/dated': [
    (app, path) => app.get(path, (_req, res) => void res.set('Last-Modified', modified).json(1)),
    (_req, res) => res.header('Last-Modified', modified).json(1),
  ],
  '/created': [
    (app, path) => app.get(path, (_req, res) => void res.status(201).json(1)),
    (_req, res) => res.status(201).json(1),
  ],
  '/missing': [
    (app, path) => app.get(path, (_req, res) => void res.status(404).json({ error: 'none' })),
    (_req, res) => res.status(404).json({ error: 'none' }),
  ],
  '/gone': [
    (app, path) => app.get(path, (_req, res) => void res.status(204).end()),
    (_req, res) => res.status(204).end(),
  ],
  '/cookies': [
    (app, path) => app.get(path, (_req, res) => void res.cookie('a', '1').cookie('b', '2').json(1)),
    (_req, res) => res.cookie('a', '1').cookie('b', '2').json(1),
  ],
  '/piped': [
    (app, path) =>
      app.get(
        path,
        (_req, res) => void Readable.from([Buffer.from('in '), Buffer.from('pieces')]).pipe(res.type('txt')),
      ),
    (_req, res) =>
      res.header('Content-Type', 'text/plain; charset=utf-8').stream(
        (async function* () {
          yield 'in '
          yield 'pieces'
        })(),
      ),
  ],
  '/written': [
    (app, path) => app.post(path, (_req, res) => void res.json({ a: 1 })),
    (_req, res) => res.json({ a: 1 }),
  ],
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: readonly string[]
}

/** The answers to several requests of one connection, as they stand on the wire, without their dates and how long a server keeps a connection. */
async function rawAnswers(port: number, requests: readonly Asked[]): Promise<string[][]> {
  const socket = connect(port, '127.0.0.1')
  const lines = requests.map(({ method, path, headers }, at) => [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    ...(at === requests.length - 1 ? ['Connection: close'] : []),
    ...headers,
  ])
  socket.end(lines.map((one) => `${one.join('\r\n')}\r\n\r\n`).join(''))
  let text = ''
  socket.setEncoding('latin1').on('data', (part: string) => (text += part))
  await once(socket, 'close')
  return text.split(/(?=HTTP\/1\.1 \d{3} )/).map(withoutDate)
}

function withoutDate(answer: string): string[] {
  const [head = '', ...body] = answer.split('\r\n\r\n')
  const [status = '', ...lines] = head.split('\r\n').filter((line) => !/^(?:Date|Keep-Alive):/i.test(line))
  const cookiesPath = (line: string): string => line.replace('; Path=/', '')
  return [status, ...lines.map(cookiesPath).sort(), body.join('\r\n\r\n')]
}

async function rawAnswer(port: number, method: string, path: string): Promise<string[]> {
  const [answer] = await rawAnswers(port, [{ method, path, headers: [] }])
  return answer!
}

const settings: Readonly<Record<string, (app: Express) => unknown>> = {
  'default settings': () => {},
  'strong tags': (app) => app.set('etag', 'strong'),
  'no tags and no X-Powered-By': (app) => app.disable('etag').disable('x-powered-by'),
  'tags of its own': (app) =>
    app.set('etag', (body: string | Buffer, encoding?: BufferEncoding) =>
      body.length === 0
        ? undefined
        : `"${Buffer.isBuffer(body) ? 'bytes' : encoding}-${Buffer.byteLength(body)}"`,
    ),
}

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function listen(handler: Parameters<typeof createServer>[1]): Promise<HttpServer> {
  const server = createServer(handler as never).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

const portOf = (server: HttpServer): number => (server.address() as AddressInfo).port

const controllers = (): AnyController[] =>
  Object.entries(routes).map(
    ([path, [, callback]]) => new Controller(path === '/written' ? 'POST' : 'GET', path, callback as never),
  )

const express = [
  ['Express 4', express4, profile4],
  ['Express 5', express5, profile5],
] as const

const ways = {
  'in front': async (legacy: Express) => {
    const switching = migration({
      legacy,
      routeControllers: new RouteControllers(controllers()),
      initial: 'native',
      logger: silent,
    })
    const server = await new Server().start({ port: 0, host: '127.0.0.1', ...switching.serverOptions })
    closers.push(() => server.stop({ graceMs: 0 }))
    return server.getPort()
  },
  'over a plain server, whose listener legacy is': async (legacy: Express) => {
    const routeControllers = new RouteControllers(controllers())
    const switching = migration({
      legacy: createServer(legacy),
      routeControllers,
      initial: 'native',
      logger: silent,
    })
    return portOf(await listen(switching.listener()))
  },
  inside: async (_legacy: Express, make: () => Express) => {
    const legacy = make()
    const routeControllers = new RouteControllers(controllers())
    const switching = migration({ legacy, routeControllers, initial: 'native', logger: silent })
    legacy.use(switching.middleware())
    return portOf(await listen(legacy))
  },
  'under its profile': async (legacy: Express) => {
    const routeControllers = new RouteControllers(controllers(), { profile: fromApp(legacy) })
    const server = await new Server().start({
      port: 0,
      host: '127.0.0.1',
      routeControllers,
    })
    closers.push(() => server.stop({ graceMs: 0 }))
    return server.getPort()
  },
  'under its profile in front': async (legacy: Express) => {
    const routeControllers = new RouteControllers(controllers(), { profile: fromApp(legacy) })
    const switching = migration({ legacy, routeControllers, initial: 'native', logger: silent })
    return portOf(await listen(switching.listener()))
  },
}

describe.each(express)('What a Controller answers in place of an app of %s', (name, make) => {
  describe.each(Object.entries(settings))('with %s', (title, set) => {
    // In the loop each way goes with each setting in one of the versions: each pair of two is taken, but not each three.
    const turn = Number(name.at(-1)) + Object.keys(settings).indexOf(title)
    const taken = Object.entries(ways).filter((_, at) => isWhole || (turn + at) % 2 === 0)

    it.each(taken)('is the same byte by byte, %s', async (_way, serve) => {
      const made = (): Express => {
        const app = make()
        set(app)
        return app
      }
      const legacy = made()
      for (const [path, [add]] of Object.entries(routes)) add(legacy, path)
      const there = portOf(await listen(legacy))
      const here = await serve(legacy, made)
      for (const path of Object.keys(routes)) {
        const methods = path === '/written' ? ['POST'] : ['GET', 'HEAD']
        const first = await rawAnswer(there, methods[0]!, path)
        const tag = first.find((line) => line.startsWith('ETag: '))?.slice(6) ?? '"none"'
        const requests = methods.flatMap((method) =>
          [
            [],
            [`If-None-Match: ${tag}`],
            [`If-None-Match: "a", ${tag}`],
            [`If-None-Match: ${tag.replace('W/', '')}`],
            ['If-None-Match: *'],
            ['If-None-Match: "other"'],
            [`If-None-Match: ${tag}`, 'Cache-Control: no-cache'],
            [`If-Modified-Since: ${modified}`],
          ].map((headers) => ({ method, path, headers })),
        )
        const [expected, answers] = await Promise.all([there, here].map((port) => rawAnswers(port, requests)))
        const beside = (found: string[][] = []): unknown => requests.map((asked, at) => [asked, found[at]])
        expect([answers!.length, expected!.length]).toEqual([requests.length, requests.length])
        expect(beside(answers)).toEqual(beside(expected))
      }
    })
  })

  it('is by the settings of the mounted app that has had the route', async () => {
    const sub = make()
      .set('etag', 'strong')
      .get('/a', (_req, res) => void res.json({ a: 1 }))
    const legacy = make()
      .disable('etag')
      .disable('x-powered-by')
      .use('/sub', sub)
      .get('/b', (_req, res) => void res.json(1))
    const there = portOf(await listen(legacy))
    const routeControllers = new RouteControllers([
      new Controller('GET', '/sub/a', () => ({ a: 1 })),
      new Controller('GET', '/b', (_req, res) => res.json(1)),
    ])
    const switching = migration({ legacy, routeControllers, initial: 'native', logger: silent })
    const here = portOf(await listen(switching.listener()))
    for (const path of ['/sub/a', '/b']) {
      const expected = await rawAnswer(there, 'GET', path)
      expect(expected.some((line) => line.startsWith('ETag: "'))).toBe(path === '/sub/a')
      expect(await rawAnswer(here, 'GET', path)).toEqual(expected)
    }
  })
})

describe('X-Powered-By of the legacy app', () => {
  it('is taken away by a hook as by middleware, and is on errors and handlers too', async () => {
    const legacy = express5()
    const native = (): AnyController[] => [
      new Controller('GET', '/a', () => 'a'),
      new Controller('GET', '/fails', () => Promise.reject(Object.assign(new Error('x'), { status: 418 }))),
      new Controller(
        'GET',
        '/handler',
        fromExpress((_req, res) => void res.send('a')),
      ),
    ]
    for (const hidden of [false, true]) {
      const routeControllers = new RouteControllers(native(), { logger: silent })
      if (hidden) routeControllers.addGlobal(helmet())
      const switching = migration({ legacy, routeControllers, logger: silent })
      const port = portOf(await listen(switching.listener()))
      for (const path of ['/a', '/fails', '/handler']) {
        const powered = (await rawAnswer(port, 'GET', path)).filter((line) => /^x-powered-by/i.test(line))
        expect({ path, powered }).toEqual({ path, powered: hidden ? [] : ['X-Powered-By: Express'] })
      }
      await switching.close()
    }
  })
})

describe('A function for the setting etag that throws', () => {
  it('fails the request as in Express, and ends no process', async () => {
    const legacy = express5().set('etag', () => {
      throw new Error('no tag')
    })
    const routeControllers = new RouteControllers([new Controller('GET', '/a', () => 'a')], {
      logger: silent,
    })
    const switching = migration({ legacy, routeControllers, logger: silent })
    const port = portOf(await listen(switching.listener()))
    expect((await rawAnswer(port, 'GET', '/a'))[0]).toBe('HTTP/1.1 500 Internal Server Error')
  })
})

describe('An answer without a body', () => {
  it('has none of what a hook has set for one, as in Express', async () => {
    const withHead = (
      _req: unknown,
      res: { setHeader(name: string, value: string): unknown },
      next: () => void,
    ) => {
      res.setHeader('Content-Type', 'text/x-own')
      next()
    }
    const legacy = express5()
      .set('x-powered-by', false)
      .use(withHead as never)
    legacy.get('/gone', (_req, res) => void res.status(204).send('text'))
    legacy.get('/same', (_req, res) => void res.set('ETag', '"1"').send('text'))
    const routeControllers = new RouteControllers([
      new Controller('GET', '/gone', (_req, res) => res.status(204).text('text')),
      new Controller('GET', '/same', (_req, res) => res.header('ETag', '"1"').text('text')),
    ])
    routeControllers.addGlobal(withHead as never)
    const switching = migration({ legacy, routeControllers, initial: 'native', logger: silent })
    const ports = [portOf(await listen(legacy)), portOf(await listen(switching.listener()))]
    for (const path of ['/gone', '/same']) {
      const asked = [{ method: 'GET', path, headers: ['If-None-Match: "1"'] }]
      const [was, is] = await Promise.all(ports.map((port) => rawAnswers(port, asked)))
      expect(was![0]![0]).toMatch(path === '/gone' ? / 204 / : / 304 /)
      expect(is).toEqual(was)
    }
    await switching.close()
  })
})

describe('Without an app of Express', () => {
  it('nothing is added', async () => {
    const routeControllers = new RouteControllers([new Controller('GET', '/a', () => ({ a: 1 }))])
    const legacy = (_req: unknown, res: { end(text: string): unknown }): void => void res.end('legacy')
    const switching = migration({ legacy, routeControllers, initial: 'native', logger: silent })
    const alone = new RouteControllers([new Controller('GET', '/a', () => ({ a: 1 }))])
    const expected = await rawAnswer(portOf(await listen(alone.middleware())), 'GET', '/a')
    expect(await rawAnswer(portOf(await listen(switching.listener())), 'GET', '/a')).toEqual(expected)
    expect(expected.some((line) => /^(?:etag|x-powered-by)/i.test(line))).toBe(false)
  })
})

describe('A web Request', () => {
  it('gets what the app would add, with hooks and without', async () => {
    for (const hasHook of [false, true]) {
      const routeControllers = new RouteControllers([new Controller('GET', '/a', () => ({ a: 1 }))])
      if (hasHook) routeControllers.addGlobal((_req, _res, next) => next())
      const switching = migration({ legacy: express5(), routeControllers, logger: silent })
      const fetchHandler = routeControllers.getCallback()
      const first = await fetchHandler(new Request('http://x/a'))
      expect([...first.headers]).toEqual(
        expect.arrayContaining([
          ['etag', entityTag('{"a":1}', { weak: true })],
          ['x-powered-by', 'Express'],
        ]),
      )
      const known = { 'if-none-match': first.headers.get('etag')! }
      const again = await fetchHandler(new Request('http://x/a', { headers: known }))
      expect([again.status, await again.text(), again.headers.get('content-type')]).toEqual([304, '', null])
      const reloaded = { ...known, 'cache-control': 'no-cache' }
      expect((await fetchHandler(new Request('http://x/a', { headers: reloaded }))).status).toBe(200)
      await switching.close()
    }
  })
})

describeWays('A canary of JSON', (way) => {
  it('goes on where both sides say the same', async () => {
    const { send, switching } = await serveShop(way, {
      native: () => [new Controller('GET', '/a', () => ({ a: 1 }))],
      legacy: (app) => void app.get('/a', (_req, res) => void res.json({ a: 1 })),
      initial: 'canary 50%',
      stickyBy: (req) => String(req.headers['x-user']),
      rollback: { minAnswers: 5 },
      shadow: anyLoad,
    })
    for (let user = 0; user < 12; user++) await send('/a', { headers: { 'x-user': `u${user}` } })
    await until(() => switching.status().routes[0]!.shadow.compared >= 10)
    expect(switching.status().routes[0]).toMatchObject({
      state: 'canary 50%',
      differences: [],
      shadow: { different: 0 },
    })
    await closeShops()
  })
})
