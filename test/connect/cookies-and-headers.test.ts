import { request as httpRequest } from 'node:http'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import compression from 'compression'
import cookieSession from 'cookie-session'
import cors from 'cors'
import type { Express, RequestHandler } from 'express'
import session from 'express-session'
import helmet from 'helmet'
import { Controller, RouteControllers } from 'routecontrollers'
import { contenders, inEach, type Reply } from '../support/contenders.js'
import { closeAll, describeServings } from '../support/describe-servings.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'
import { openRaw, parseAnswers } from '../support/raw-socket.js'
import { Source } from '../support/source.js'

afterEach(closeHosted)
afterEach(closeAll)

/** Sets a header upstream, in one of the ways that there are. */
const setting =
  (...headers: [string, string | string[]][]) =>
  (app: Express): void =>
    void app.use((_req: IncomingMessage, res: ServerResponse, next: () => void) => {
      for (const [name, value] of headers) res.setHeader(name, value)
      next()
    })

describe.each(inEach(expresses))('%s', (_name, contender, anyExpress) => {
  function serve(reply: Reply | (() => Reply), ...upstream: ((app: Express) => void)[]) {
    const app = createExpress(anyExpress)
    for (const one of upstream) one(app)
    app.use(contender.create({ 'GET /': () => (typeof reply === 'function' ? reply() : reply) }))
    return host(app)
  }

  it('adds its cookies to earlier ones, each once', async () => {
    const { send } = await serve(
      { headers: { 'Set-Cookie': 'a=1' } },
      setting(['Set-Cookie', ['b=2', 'a=1']]),
    )
    expect((await send('/')).cookies).toEqual(['b=2', 'a=1'])
  })

  it('keeps headers that helmet and cors have set, and replaces one that it sets itself', async () => {
    const { send } = await serve(
      { headers: { 'X-Frame-Options': 'DENY', Vary: 'Accept' } },
      (app) => app.use(helmet()),
      (app) => app.use(cors({ origin: 'http://a.test' })),
    )
    const { headers } = await send('/')
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'access-control-allow-origin': 'http://a.test',
      vary: 'Origin, Accept',
    })
  })

  it('sends both values of a header that was set twice upstream', async () => {
    const { port } = await serve({ headers: { 'X-Ours': '1' } }, setting(['X-Theirs', ['a', 'b']]))
    const client = await openRaw(port)
    const [answer] = parseAnswers(
      await client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n').untilClosed(),
    )
    const lines = answer!.head.split('\r\n').map((line) => line.toLowerCase())
    expect(lines).toEqual(expect.arrayContaining(['x-theirs: a', 'x-theirs: b', 'x-ours: 1']))
  })

  it.each<[string, RequestHandler, string[]]>([
    [
      'express-session',
      session({ secret: 's', resave: false, saveUninitialized: false }),
      [expect.stringMatching(/^connect\.sid=/)],
    ],
    [
      'cookie-session',
      cookieSession({ name: 'light', keys: ['k'] }),
      [expect.stringMatching(/^light=/), expect.stringMatching(/^light\.sig=/)],
    ],
  ])('lets %s set the cookie of a session that was changed', async (_package, middleware, cookies) => {
    const { send } = await serve(
      { body: 'x', headers: { 'Set-Cookie': 'ours=1' } },
      (app) => app.use(middleware),
      (app) =>
        void app.use((req: any, _res: unknown, next: () => void) => {
          req.session.count = 1
          next()
        }),
    )
    const answer = await send('/')
    expect([answer.text, answer.cookies]).toEqual(['x', ['ours=1', ...cookies]])
  })

  it('is compressed when compression stands before it', async () => {
    const { port } = await serve({ body: 'tea '.repeat(1000) }, (app) => app.use(compression()))
    const outgoing = httpRequest({ port, agent: false, headers: { 'accept-encoding': 'gzip' } }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    incoming.resume()
    expect(incoming.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(incoming.headers).not.toHaveProperty('content-length')
  })

  it('sends no header of the connection that a handler gives', async () => {
    const { port } = await serve({
      headers: {
        'Transfer-Encoding': 'gzip, chunked',
        'Keep-Alive': 'timeout=999',
        Upgrade: 'h2c',
        TE: 'trailers',
      },
      body: 'x',
    })
    const client = await openRaw(port)
    client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const [answer] = parseAnswers(await client.untilClosed())
    expect(answer).toMatchObject({ status: 200, body: 'x' })
    expect(answer!.head).not.toMatch(/^(keep-alive|upgrade|te):|gzip/im)
    expect(answer!.head).toMatch(/^connection: close$/im)
  })

  it.each([204, 205, 304])('answers %i without a body', async (status) => {
    // A Response of the platform refuses a body itself.
    const body = contender === contenders[0] ? {} : { body: new Source().give('never sent') }
    const { port } = await serve({ status, ...body }, setting(['Content-Length', '3']))
    const client = await openRaw(port)
    client.write(
      'GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    const received = await client.untilClosed()
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    // What follows the head is the next answer, at once or after a body that says it is empty.
    const [head, rest] = received.split(/\r\n\r\n([^]*)/) as [string, string]
    expect(rest.replace(/^0\r\n\r\n/, '')).toMatch(/^HTTP\/1\.1 404 /)
    if (status === 204) expect(head).not.toMatch(/^(content-length|transfer-encoding):/im)
  })
})

describe('Middleware that patches writeHead', () => {
  // on-headers before 1.1 takes a flat list for a list of pairs (CVE-2025-7339): it then sends `c: o`.
  it('finds no flat list of headers in it', async () => {
    const lists: unknown[] = []
    const { send } = await host((req, res) => {
      const writeHead = res.writeHead.bind(res) as (...parameters: unknown[]) => ServerResponse
      res.writeHead = (...parameters: unknown[]) => {
        lists.push(...parameters.filter(Array.isArray))
        return writeHead(...parameters)
      }
      routeControllers.middleware()(req, res)
    })
    const routeControllers = new RouteControllers([
      new Controller('GET', '/', (_req, res) => res.header('X-A', '1').cookie('a', '1').json({})),
    ])
    const answer = await send('/')
    expect([answer.headers['x-a'], answer.cookies, lists]).toEqual(['1', ['a=1; Path=/'], []])
  })
})

describeServings(
  'A broken answer',
  ({ serve, errors }) => {
    it.each<[string, () => Response]>([
      ['a status text', () => ({ ...broken(), statusText: 'no\r\nX-Injected: 1' })],
      ['a header', () => Object.assign(broken(), { headers: [['x-a', 'a\r\nX-Injected: 1']] as never })],
      ['a status', () => ({ ...broken(), status: 99 })],
    ])('with %s that HTTP does not have fails alone', async (_what, make) => {
      const { send } = await serve([
        new Controller('GET', '/broken', make),
        new Controller('GET', '/', () => 'fine'),
      ])
      const answer = await send('/broken')
      expect(answer.status).toBe(500)
      expect(answer.headers).not.toHaveProperty('x-injected')
      if (errors === 'us') expect(answer.text).toBe('Internal Server Error')
      expect((await send('/')).text).toBe('fine')
    })
  },
  // Where a Response is handed back it is the platform's, which refuses all of these itself.
  ({ onNode }) => onNode,
)

/** Something that says it is a Response, of another library's making. */
function broken(): Response {
  return {
    [Symbol.toStringTag]: 'Response',
    status: 200,
    statusText: '',
    headers: new Headers(),
    body: null,
    bodyUsed: false,
  } as unknown as Response
}
