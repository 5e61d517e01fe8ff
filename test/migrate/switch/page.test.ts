import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import express, { type Express, json } from 'express'
import { Controller, RouteControllers, Server } from 'routecontrollers'
import { native } from 'routecontrollers/express'
import { type Migration, migration, type PageOptions } from '@routecontrollers/switch'
import { createControllers, createLegacyApp, type Faults, Store } from '../../../examples/migration/shop.js'
import { openSession, sendOn } from '../../server/http2-client.js'
import { Chromium, describeInChromium, type Tab } from '../../support/chromium.js'
import { closeHosted } from '../../support/hosting.js'
import { listenOn, type Received, sendTo } from '../../support/describe-servings.js'
import { prometheusText } from '../../../packages/switch/src/page/metrics.js'
import { RouteControllersError } from '../../../src/ground/errors.js'
import { createPage } from '../../../packages/switch/src/page/page.js'
import type { Clock } from '../../../packages/switch/src/states/clock.js'
import { Histogram } from '../../../packages/switch/src/states/outcomes.js'
import {
  anyLoad,
  closeShops,
  describeWays,
  serveShop,
  type ServedMigration,
  silent,
  TestClock,
  until,
  type Way,
  ways,
  waysOf,
} from './shop.js'
import { itSlow } from '../../support/counts.js'

const hostile = '<img src=x onerror=document.title=1>'

interface ServedPage extends ServedMigration {
  readonly way: Way
  readonly app: Express
  /** As a browser sends it that the page is open in. */
  post: (
    change: unknown,
    options?: { headers?: Record<string, string | undefined>; body?: string; path?: string },
  ) => Promise<Received>
}

/** Who asks is named by a header. */
const authorize: PageOptions['authorize'] = ({ headers }) => {
  const name = headers['x-user']
  if (name === 'nobody') return undefined
  if (name === 'stranger') return false
  if (name === 'viewer') return { by: 'Viewer', canChange: false }
  if (name === 'broken') throw new Error('the directory is away')
  return typeof name === 'string' ? name : 'Ada'
}

async function servePage(
  way: Way,
  options: Partial<PageOptions> = {},
  upstream?: (app: Express) => void,
  clock?: Clock,
): Promise<ServedPage> {
  let app!: Express
  const served = await serveShop(way, {
    legacy: (made) => {
      app = made
      made.get('/items/:id', (req, res) => void res.json({ id: req.params.id, name: 'tea' }))
      made.get('/items', (_req, res) => void res.json([]))
      made.get(
        '/text',
        (_req, res) => void res.type('text').send('legacy <script>document.title = 2</script>'),
      )
      made.get(`/legacy-only/${hostile}`, (_req, res) => void res.end())
    },
    native: () => [
      new Controller('GET', '/items/:id', (req, res) => res.json({ id: req.params.id, name: hostile })),
      new Controller('GET', '/items', (_req, res) => res.json([])),
      new Controller('GET', '/text', (_req, res) => res.text('native <script>document.title = 3</script>')),
      new Controller('GET', '/bold', (_req, res) => res.text('')),
    ],
    rollback: false,
    plan: { steps: [5, 40], minutes: 10, answers: 30 },
    ...(clock && { clock }),
  })
  upstream?.(app)
  app.use('/migration', served.switching.page({ authorize, ...options }))
  app.get('/migration/elsewhere', (_req, res) => void res.end('the app'))
  app.use(
    ((error, _req, res, _next) =>
      void res.status(500).end(String(error))) as import('express').ErrorRequestHandler,
  )
  const post: ServedPage['post'] = async (change, { headers = {}, body, path = '/migration/state' } = {}) => {
    const session = await served.send('/migration/session')
    const all = {
      origin: `http://localhost:${served.port}`,
      'content-type': 'application/json',
      cookie: session.cookies[0]!.split(';')[0]!,
      'x-csrf-token': session.json().token as string,
      ...headers,
    }
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return served.send(path, {
      method: 'POST',
      headers: Object.fromEntries(given),
      body: body ?? JSON.stringify(change),
    })
  }
  return { ...served, way, app, post }
}

const change = { route: 'GET /items/:id', state: 'canary 5%', reason: 'shadow was clean' }
const stateOf = ({ switching }: { switching: Migration }): string => switching.status().routes[0]!.state

interface Events {
  readonly status: number
  /** What has come so far. */
  readonly all: { readonly event: string; readonly data: any }[]
  readonly isEnded: () => boolean
  close(): void
}

/** Listens to the stream of a page. */
async function listen(
  { port, way }: { port: number; way: Way },
  path = '/migration/events',
): Promise<Events> {
  let [text, ended] = ['', false]
  const all: Events['all'] = []
  const take = (chunk: unknown): void => {
    text += String(chunk)
    const parts = text.split('\n\n')
    text = parts.pop()!
    for (const part of parts) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? []
      if (event !== undefined) all.push({ event, data: JSON.parse(data!) })
    }
  }
  const isEnded = (): boolean => ended
  if (way.name.includes('HTTP/2')) {
    const stream = (await openSession(port)).request({ ':path': path })
    const [head] = (await once(stream, 'response')) as [{ ':status': number }]
    stream.on('data', take).on('close', () => (ended = true))
    return { status: head[':status'], all, isEnded, close: () => stream.close() }
  }
  const outgoing = request({ host: '127.0.0.1', port, path, agent: false }).end()
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  incoming
    .on('data', take)
    .on('close', () => (ended = true))
    .on('error', () => {})
  return { status: incoming.statusCode!, all, isEnded, close: () => outgoing.destroy() }
}

describeWays('switching.page', (way) => {
  afterEach(closeHosted)

  it('shows a page which nothing else can run in, and no other page can frame', async () => {
    const { send } = await servePage(way)
    const { status, headers, text } = await send('/migration/')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    // Without the second a compression middleware would hold events back.
    expect(headers['cache-control']).toBe('no-store, no-transform')
    expect(headers['x-content-type-options']).toBe('nosniff')
    const policy = headers['content-security-policy']!
    for (const [name, element] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ]) {
      const [[, content], ...others] = [...text.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))] as [
        RegExpMatchArray,
      ]
      expect(others).toEqual([])
      const hash = createHash('sha256').update(content!).digest('base64')
      expect(policy).toContain(`${element} 'sha256-${hash}';`)
    }
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(text.match(/(?:src|href)="(?!data:|#)/g)).toBeNull()
    expect(text).not.toMatch(/\son\w+=|style="|innerHTML/)
  })

  it('refuses a change of a group that somebody else has changed since it was looked at, with his name', async () => {
    const page = await servePage(way)
    const seen = (await page.send('/migration/status.json')).json().store.version
    expect(seen).toBe(0)
    await page.switching.set('GET /items/:id', 'legacy', { reason: 'incident', by: 'Eve' })
    const answer = await page.post({ ...change, route: '*', seen })
    expect([answer.status, answer.json().error]).toEqual([
      409,
      'set: Eve has set GET /items/:id to legacy: look at it, then set * again',
    ])
    expect(stateOf(page)).toBe('legacy')
    expect((await page.post({ ...change, route: '*', seen: seen + 1 })).status).toBe(200)
  })

  it('gives the same as JSON and as Prometheus text', async () => {
    const { send } = await servePage(way)
    const answer = await send('/migration/status.json')
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.json().routes[0]).toMatchObject({ route: 'GET /items/:id', state: 'legacy' })
    const metrics = await send('/migration/metrics')
    expect(metrics.headers['content-type']).toMatch(/^text\/plain; version=/)
    expect(metrics.text).toContain(
      'routecontrollers_migration_state{route="GET /items/:id",state="legacy"} 1',
    )
  })

  it('changes a state, which the history tells with who and why', async () => {
    const page = await servePage(way)
    const answer = await page.post({ ...change, from: 'legacy' })
    expect([answer.status, answer.json()]).toEqual([
      200,
      { route: 'GET /items/:id', state: 'canary 5%', isStored: true },
    ])
    expect(stateOf(page)).toBe('canary 5%')
    expect(page.switching.status().history.at(-1)).toMatchObject({
      route: 'GET /items/:id',
      from: 'legacy',
      to: 'canary 5%',
      by: 'Ada',
      reason: 'shadow was clean',
    })
    expect((await page.post({ ...change, route: '/items', state: 'native' })).status).toBe(200)
    expect(stateOf(page)).toBe('native')
  })

  it.each([
    ['nobody', 401],
    ['stranger', 403],
    ['broken', 500],
    ['', 401],
  ])('shows nothing to %s', async (user, expected) => {
    const { send, post, ...page } = await servePage(way, { challenge: 'Basic realm="migration"' })
    const headers = { 'x-user': user }
    for (const path of ['', '/', '/status.json', '/metrics', '/events', '/session']) {
      const answer = await send(`/migration${path}`, { headers })
      expect([path, answer.status]).toEqual([path, expected])
      expect(answer.text).not.toContain('items')
      expect(answer.headers['www-authenticate']).toBe(
        expected === 401 ? 'Basic realm="migration"' : undefined,
      )
    }
    expect((await post(change, { headers })).status).toBe(expected)
    expect(stateOf(page)).toBe('legacy')
  })

  it('lets somebody look who may not change', async () => {
    const { send, post, ...page } = await servePage(way)
    const headers = { 'x-user': 'viewer' }
    expect((await send('/migration/session', { headers })).json()).toMatchObject({
      by: 'Viewer',
      canChange: false,
    })
    expect((await post(change, { headers })).status).toBe(403)
    expect(stateOf(page)).toBe('legacy')
  })

  it('keeps numbers from pages of other origins, whatever CORS middleware allows', async () => {
    const { send } = await servePage(way, {}, (app) =>
      app.use((_req, res, next) => void next(res.setHeader('Access-Control-Allow-Origin', '*') && undefined)),
    )
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as const) {
      for (const path of ['session', 'status.json', 'metrics', 'events'])
        expect((await send(`/migration/${path}`, { headers: { ...headers } })).status).toBe(403)
    }
    // Which is how a link to it is followed.
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect((await send('/migration/', { headers })).status).toBe(200)
  })

  it('takes a change behind a proxy that sends another Host, as the browser itself says it', async () => {
    const { post } = await servePage(way)
    const headers = { origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' }
    expect((await post(change, { headers })).status).toBe(200)
  })

  it('takes a change whose body a parser has read', async () => {
    const page = await servePage(way, {}, (app) => app.use(json()))
    expect((await page.post(change)).status).toBe(200)
    expect(stateOf(page)).toBe('canary 5%')
  })

  it.each([
    ['a text', 'Ada\r\nLovelace'],
    ['an object', { by: 'Ada\r\nLovelace' }],
  ])('writes a reason and a name as one line: %s', async (_what, by) => {
    const page = await servePage(way, { authorize: () => by })
    await page.post({ ...change, reason: ' clean\n\u001b[2Jfor a\u2028day ' })
    expect(page.switching.status().history.at(-1)).toMatchObject({
      by: 'Ada Lovelace',
      reason: 'clean [2Jfor a day',
    })
  })

  it('leads to the address with a slash, and leaves to the app what is not its own', async () => {
    const { send } = await servePage(way)
    const { status, headers } = await send('/migration?from=chat')
    expect([status, headers['location']]).toEqual([302, './migration/'])
    expect((await send('/migration/elsewhere')).text).toBe('the app')
    expect((await send('/migration/constructor')).status).toBe(404)
    expect((await send('/migration/status.json', { method: 'POST' })).status).toBe(405)
    // Who may not see it is not told what it answers.
    const nobody = { 'x-user': 'nobody' }
    expect((await send('/migration/status.json', { method: 'POST', headers: nobody })).status).toBe(401)
    expect((await send('/migration/state')).headers['allow']).toBe('POST')
    const head = await send('/migration/', { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
  })

  it('tells a browser what changes, at once and without the rest', async () => {
    const page = await servePage(way)
    const events = await listen(page)
    expect(events.status).toBe(200)
    await until(() => events.all.length > 0, 'the first event')
    expect(events.all[0]).toMatchObject({ event: 'status', data: { routes: { length: 4 } } })
    await page.switching.set('GET /items', 'native', { reason: 'a test', by: 'Grace' })
    const told = (): Events['all'] => events.all.filter(({ data }) => data.history.length > 0)
    await until(() => told().length > 0, 'the event of the change')
    const [{ event, data }] = told() as [Events['all'][number]]
    expect(event).toBe('update')
    expect(data.routes.map((one: { route: string }) => one.route)).toEqual(['GET /items'])
    expect(data.routes[0]).toMatchObject({ state: 'native' })
    expect(data.history).toMatchObject([{ to: 'native', by: 'Grace', reason: 'a test' }])
    events.close()
  })

  it('has no more streams than it may, and ends them with the migration', async () => {
    const page = await servePage(way, { maxStreams: 2 })
    const [one, other] = [await listen(page), await listen(page)]
    const third = await listen(page)
    expect([one.status, other.status, third.status]).toEqual([200, 200, 503])
    one.close()
    let fourth = await listen(page)
    while (fourth.status === 503) fourth = await listen(page)
    await page.switching.close()
    await until(() => other.isEnded() && fourth.isEnded(), 'the end of the streams')
    expect((await listen(page)).status).toBe(503)
  })

  it('ends the streams of each of its pages', async () => {
    const page = await servePage(
      way,
      {},
      (app) => void app.use('/other', (req, res, next) => other(req, res, next)),
    )
    const other = page.switching.page({ authorize })
    const [one, two] = [await listen(page), await listen(page, '/other/events')]
    expect([one.status, two.status]).toEqual([200, 200])
    await page.switching.close()
    await until(() => one.isEnded() && two.isEnded(), 'the end of the streams')
  })

  it('keeps no place for a browser that has gone while it was asked who it is', async () => {
    let [asked, gone] = [0, false]
    let goOn = (): void => {}
    const known = new Promise<void>((resolve) => (goOn = resolve))
    const page = await servePage(way, {
      maxStreams: 1,
      authorize: async ({ headers, socket }) => {
        if (headers['x-user'] !== 'slow') return 'Ada'
        asked++
        socket.once('close', () => (gone = true))
        await known
        return 'Slow'
      },
    })
    const isHttp2 = way.name.includes('HTTP/2')
    const headers = { 'x-user': 'slow' }
    const session = isHttp2 ? await openSession(page.port) : undefined
    const outgoing = session
      ? session.request({ ':path': '/migration/events', ...headers })
      : request({ host: '127.0.0.1', port: page.port, path: '/migration/events', agent: false, headers })
    outgoing.on('error', () => {})
    outgoing.end()
    await until(() => asked === 1)
    if (session) session.destroy()
    else outgoing.destroy()
    await until(() => gone)
    goOn()
    const next = await listen(page)
    expect(next.status).toBe(200)
    next.close()
  })
})

describe.each(waysOf().map((way) => [way.name, way] as const))('switching.page – %s', (_name, way) => {
  let page: ServedPage
  // One page for all of them: nothing may change on it.
  beforeAll(async () => void (page = await servePage(way)))
  afterAll(async () => {
    await closeHosted()
    await closeShops()
  })

  it.each<[string, number, { headers?: Record<string, string | undefined>; body?: string }]>([
    ['another origin', 403, { headers: { origin: 'https://evil.example' } }],
    ['another port', 403, { headers: { origin: 'http://localhost:1' } }],
    ['a sandboxed frame', 403, { headers: { origin: 'null' } }],
    ['neither Origin nor Sec-Fetch-Site', 403, { headers: { origin: undefined } }],
    ['a page of another site', 403, { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['no page', 403, { headers: { 'sec-fetch-site': 'none' } }],
    ['a page of the same site', 403, { headers: { 'sec-fetch-site': 'same-site' } }],
    ['a form', 415, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['a form of plain text', 415, { headers: { 'content-type': 'text/plain' } }],
    ['no content type', 415, { headers: { 'content-type': undefined } }],
    ['no token', 403, { headers: { 'x-csrf-token': undefined } }],
    ['the token of another browser', 403, { headers: { 'x-csrf-token': 'A'.repeat(32) } }],
    ['a token that is not ASCII', 403, { headers: { 'x-csrf-token': `${'A'.repeat(31)}é` } }],
    ['no cookie', 403, { headers: { cookie: undefined } }],
    ['an empty token', 403, { headers: { cookie: 'routecontrollers-page=', 'x-csrf-token': '' } }],
    [
      'the token of another cookie, whose name ends alike',
      403,
      {
        headers: { cookie: `x-routecontrollers-page=${'A'.repeat(32)}`, 'x-csrf-token': 'A'.repeat(32) },
      },
    ],
    ['no JSON', 400, { body: '{' }],
    ['null', 400, { body: 'null' }],
    ['no reason', 400, { body: JSON.stringify({ ...change, reason: ' \n ' }) }],
    ['a long reason', 400, { body: JSON.stringify({ ...change, reason: 'a'.repeat(501) }) }],
    ['a state that is none', 400, { body: JSON.stringify({ ...change, state: 'gone' }) }],
    ['a route that is none', 400, { body: JSON.stringify({ ...change, route: 'GET /itemz' }) }],
    ['a state that is not that any more', 409, { body: JSON.stringify({ ...change, from: 'native' }) }],
    [
      'a state that is not that any more, and the version that is known',
      409,
      { body: JSON.stringify({ ...change, from: 'native', seen: 1000 }) },
    ],
    ['a version that is none', 400, { body: JSON.stringify({ ...change, seen: -1 }) }],
    ['a large body', 413, { body: JSON.stringify({ ...change, more: 'a'.repeat(20_000) }) }],
  ])('refuses a change from or with %s', async (_what, expected, options) => {
    const answer = await page.post(change, options)
    expect(answer.status).toBe(expected)
    expect(typeof answer.json().error).toBe('string')
    expect(stateOf(page)).toBe('legacy')
    expect(page.switching.status().history).toEqual([])
  })
})

describe('switching.page', () => {
  afterEach(closeShops)

  it.each<[string, unknown]>([
    ['no options', undefined],
    ['no authorize', {}],
    ['an authorize that is no function', { authorize: true }],
    ['an option that does not exist', { authorize, streams: 1 }],
    ['a path that is none', { authorize, path: 'migration/' }],
    ['a count that is none', { authorize, maxStreams: -1 }],
  ])('is not made with %s', async (_what, options) => {
    const { switching } = await serveShop(ways[0]!, { legacy: () => {}, native: () => [] })
    expect(() => switching.page(options as PageOptions)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION_INVALID' }) as Error,
    )
  })

  it('with a path of its own is there, and nowhere that only begins alike', async () => {
    const routeControllers = new RouteControllers([new Controller('GET', '/x', () => 'native')])
    const switching = migration({ legacy: (_req, res) => void res.end(), routeControllers, logger: silent })
    const { port, close } = await listenOn(switching.page({ authorize, path: '/admin/migration' }))
    const answers = await Promise.all(
      [
        '/admin/migration',
        '/admin/migration/',
        '/admin/migration/status.json?a=1',
        '/admin/migration-status.json',
        '/admin/migrations/status.json',
        '/admin/status.json',
        '/status.json',
      ].map((path) => sendTo(port)(path)),
    )
    expect(answers.map(({ status }) => status)).toEqual([302, 200, 200, 404, 404, 404, 404])
    await close()
    await switching.close()
  })

  it('keeps its token from scripts and from other sites', async () => {
    const { send } = await servePage(ways[0]!)
    const { cookies } = await send('/migration/session')
    expect(cookies).toEqual([
      expect.stringMatching(/^routecontrollers-page=[\w-]{32}; HttpOnly; SameSite=Strict$/),
    ])
    const tls = await servePage(ways.find(({ name }) => name.includes('HTTP/2'))!)
    expect((await tls.send('/migration/session')).cookies[0]).toMatch(/; HttpOnly; SameSite=Strict; Secure$/)
  })

  it('takes the token among other cookies, and an origin whose port or case is written in another way', async () => {
    const { switching, send } = await servePage(ways[0]!)
    const { cookies, ...session } = await send('/migration/session')
    const cookie = `a=1; ${cookies[0]!.split(';')[0]!}; b=2`
    const token = session.json().token as string
    const post = (host: string, origin: string): Promise<Received> =>
      send('/migration/state', {
        method: 'POST',
        headers: { host, origin, cookie, 'x-csrf-token': token, 'content-type': 'application/json' },
        body: JSON.stringify({ ...change, route: 'GET /items' }),
      })
    const statuses = [
      (await post('Shop.example:80', 'http://shop.example')).status,
      (await post('shop.example', 'http://SHOP.example:80')).status,
      (await post('shop.example:81', 'http://shop.example')).status,
    ]
    expect([statuses, switching.status().history.length]).toEqual([[200, 200, 403], 2])
  })

  it('cuts off an answer that has begun where it fails, and logs why', async () => {
    const lines: string[] = []
    const log = (line: string): void => void lines.push(line)
    const failing = {
      status: () => {
        throw new Error('no status')
      },
      on: () => () => {},
    }
    const { handler } = createPage(
      { switching: failing, clock: new TestClock(), logger: { info: log, warn: log, error: log } } as never,
      { authorize },
    )
    const { port, close } = await listenOn(handler)
    await expect(sendTo(port)('/events')).rejects.toThrow()
    expect(lines).toEqual([expect.stringMatching(/the page has failed: .*no status/)])
    const answer = await sendTo(port)('/status.json')
    expect([answer.status, answer.json().error]).toEqual([500, 'The page has failed; the log says why'])
    await close()
  })

  it('says what is missing for its metrics, and fails with what else they throw', async () => {
    const answers: unknown[] = []
    const missing = new RouteControllersError('ERR_PROM_CLIENT_MISSING', 'metrics needs prom-client')
    for (const error of [missing, new Error('of the program')]) {
      const switching = { metrics: () => Promise.reject(error), on: () => () => {} }
      const { handler } = createPage({ switching, clock: new TestClock(), logger: silent } as never, {
        authorize,
      })
      const { port, close } = await listenOn(handler)
      const { status, text } = await sendTo(port)('/metrics')
      answers.push([status, text.includes('npm install prom-client')])
      await close()
    }
    expect(answers).toEqual([
      [501, true],
      [500, false],
    ])
  })

  it('knows its own origin over HTTP/2 of Node itself, where no Host is sent', async () => {
    const switching = { status: () => ({}), on: () => () => {} }
    const { handler } = createPage({ switching, clock: new TestClock(), logger: silent } as never, {
      authorize,
    })
    const server = createHttp2Server(handler as never).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const session = connectHttp2(own)
    const statuses: number[] = []
    for (const origin of [own, 'http://elsewhere.example'])
      statuses.push((await sendOn(session, '/status.json', { headers: { origin } })).status)
    expect(statuses).toEqual([200, 403])
    session.destroy()
    server.close()
  })

  it('leaves no timer once it has been answered who asks', async () => {
    const clock = new TestClock()
    const { send } = await servePage(ways[0]!, {}, undefined, clock)
    const before = clock.waiting
    for (const user of ['Ada', 'nobody', 'broken'])
      await send('/migration/status.json', { headers: { 'x-user': user } })
    await until(() => clock.waiting === before)
  })

  it('has the numbers of the status in its metrics, with times in seconds', async () => {
    const { send, switching } = await servePage(ways[0]!)
    for (const state of ['legacy', 'canary 100%'] as const) {
      await switching.set('GET /items', state, { reason: 'a test' })
      for (let at = 0; at < 3; at++) await send('/items')
    }
    const route = () => switching.status().routes[1]!
    await until(() => route().native.watched === 3 && route().shadow.compared === 3)
    const { text } = await send('/migration/metrics')
    const valueOf = (name: string, labels = ''): number =>
      Number(
        text.split(`routecontrollers_migration_${name}{route="GET /items"${labels}} `)[1]?.split('\n', 1)[0],
      )
    const { lastAskedAt, legacy, native, shadow, percent } = route()
    expect(valueOf('last_asked_timestamp_seconds')).toBe(Date.parse(lastAskedAt!) / 1000)
    expect([valueOf('native_ratio'), valueOf('rollbacks_total')]).toEqual([percent / 100, 0])
    const compared = ['same', 'different'].map((one) => valueOf('comparisons_total', `,outcome="${one}"`))
    expect(compared).toEqual([shadow.compared - shadow.different, shadow.different])
    for (const [side, { requests, watched, failures }] of Object.entries({ legacy, native })) {
      expect(valueOf('requests_total', `,side="${side}"`)).toBe(requests)
      const outcomes = ['ok', 'failed', 'aborted'].map((one) =>
        valueOf('answers_total', `,side="${side}",outcome="${one}"`),
      )
      expect(outcomes).toEqual([watched - failures, failures, 0])
      expect(text).toContain(
        `routecontrollers_migration_answer_duration_seconds_bucket{le="+Inf",route="GET /items",side="${side}"} ${watched}`,
      )
      expect(valueOf('answer_duration_seconds_count', `,side="${side}"`)).toBe(watched)
      expect(valueOf('answer_duration_seconds_sum', `,side="${side}"`)).toBeGreaterThan(0)
    }
    expect(valueOf('answer_duration_seconds_count', ',side="shadow"')).toBe(3)
    expect(text).toContain('routecontrollers_migration_dropped_total{reason="queue"} 0')
    expect(text).toMatch(/^# TYPE routecontrollers_migration_answer_duration_seconds histogram$/m)
  })

  it('has each answer once in its metrics: well, failed or broken off, and however long it took', async () => {
    const { switching } = await servePage(ways[0]!)
    const status = switching.status()
    const [first] = status.routes
    const native = { ...first!.native, watched: 10, failures: 2, aborted: 3 }
    const times = new Histogram()
    for (const ms of [5, 20_000]) times.add(ms)
    const durations = { route: first!.route, legacy: new Histogram(), native: times, shadow: new Histogram() }
    const open = { key: 'body $.a', place: 'body $.a', what: 'body', name: '$.a', count: 1 } as never
    const accepted = { ...(open as object), accepted: { by: 'Ada' } } as never
    const shadow = { ...first!.shadow, compared: 10, different: 4 }
    const route = { ...first!, native, shadow, differences: [accepted, open, accepted] }
    const text = await prometheusText({ ...status, routes: [route] }, [durations])
    const valuesOf = (name: string): number[] => {
      const line = new RegExp(`^routecontrollers_migration_${name} (\\S+)$`, 'gm')
      return [...text.matchAll(line)].map(([, value]) => Number(value))
    }
    expect(valuesOf('answers_total\\{.*side="native".*\\}')).toEqual([5, 2, 3])
    expect(valuesOf('comparisons_total\\{.*\\}')).toEqual([6, 4])
    expect(valuesOf('open_differences\\{.*\\}')).toEqual([1])
    const bucketsOf = (le: string): number[] =>
      valuesOf(`answer_duration_seconds_bucket\\{le="${le}".*side="native"\\}`)
    expect([bucketsOf('0.005'), bucketsOf('10'), bucketsOf('\\+Inf')]).toEqual([[1], [1], [2]])
    expect(valuesOf('answer_duration_seconds_sum\\{.*side="native"\\}')).toEqual([20.005])
  })

  it('has in its metrics whether the store is there, and what it has', async () => {
    const { switching } = await servePage(ways[0]!)
    const { store, ...status } = switching.status()
    const of = async (more: object): Promise<string[]> => {
      const text = await prometheusText({ ...status, store: { ...store, ...more } }, [])
      const lines = text.split('\n').filter((line) => /_(?:store_\w+|state_version) /.test(line))
      return lines.filter((line) => !line.startsWith('#')).map((line) => line.replace(/^\w+_migration_/, ''))
    }
    expect(await of({ isAway: false, pending: 0, version: 7 })).toEqual([
      ...['store_up 1', 'store_pending_changes 0', 'state_version 7'],
    ])
    expect(await of({ isAway: true, pending: 3, version: undefined })).toEqual([
      ...['store_up 0', 'store_pending_changes 3', 'state_version 0'],
    ])
  })

  it('has in its metrics how many replicas there are, and how many of them are in other states', async () => {
    const { switching } = await servePage(ways[0]!)
    const member = { replica: 'a', appVersion: undefined, stateVersion: 1, disagrees: false }
    const fleet = {
      ...{ replica: 'a', leader: 'b', isLeader: false, replicas: 3, since: undefined },
      members: [member, { ...member, replica: 'b', disagrees: true }, { ...member, replica: 'c' }],
    }
    const text = await prometheusText({ ...switching.status(), fleet }, [])
    const lines = text.split('\n').filter((line) => /_(?:leader|replicas\w*) /.test(line))
    const values = lines.filter((line) => !line.startsWith('#'))
    expect(values.map((line) => line.replace('routecontrollers_migration_', ''))).toEqual([
      'leader 0',
      'replicas 3',
      'replicas_in_other_states 1',
    ])
    const alone = await prometheusText({ ...switching.status(), fleet: undefined }, [])
    expect(alone).not.toContain('replicas')
  })

  it('accepts a difference for who may change something, and says what is wrong with another wish', async () => {
    const page = await servePage(ways[0]!)
    const wanted = { route: 'GET /items', place: 'header etag', reason: 'it is meant' }
    expect((await page.post(wanted, { path: '/migration/accept' })).json()).toEqual({
      route: 'GET /items',
      place: 'header etag',
      isStored: true,
    })
    for (const [other, status] of [
      [{ ...wanted, place: 'cheese' }, 400],
      [{ ...wanted, route: 'GET /none' }, 400],
      [{ ...wanted, reason: ' ' }, 400],
      [{ route: 'GET /items' }, 400],
    ] as const)
      expect((await page.post(other, { path: '/migration/accept' })).status).toBe(status)
    const of = (headers: Record<string, string>) => page.post(wanted, { path: '/migration/accept', headers })
    expect((await of({ 'x-csrf-token': 'x' })).status).toBe(403)
    expect((await of({ origin: 'http://elsewhere.test' })).status).toBe(403)
    expect((await of({ 'x-user': 'viewer' })).status).toBe(403)
  })

  it('takes back that a difference is accepted, where that is said', async () => {
    const { post, send, switching } = await servePage(ways[0]!)
    await switching.set('GET /items/:id', 'shadow', { reason: 'a test' })
    await send('/items/1')
    const accepted = (): unknown => switching.status().routes[0]!.differences[0]?.accepted?.by
    await until(() => switching.status().routes[0]!.differences.length > 0)
    const wanted = { route: 'GET /items/:id', place: 'body $.name', reason: 'it is meant' }
    const seen: unknown[] = []
    for (const takeBack of [undefined, true, false, 'true', true]) {
      await post({ ...wanted, takeBack }, { path: '/migration/accept' })
      seen.push(accepted())
    }
    expect(seen).toEqual(['Ada', undefined, 'Ada', 'Ada', undefined])
  })

  it('has an off switch for programs, with a bearer token that authorize knows', async () => {
    const { send, switching } = await servePage(ways[0]!, {
      authorize: ({ headers }) =>
        headers.authorization === 'Bearer right'
          ? 'on-call'
          : headers.authorization === 'Bearer look'
            ? { by: 'viewer', canChange: false }
            : headers['x-user'] === 'Ada'
              ? 'Ada'
              : undefined,
    })
    await switching.set('*', 'native', { reason: 'a test' })
    const off = (headers: Record<string, string>, body = '{"reason":"payments fail"}') =>
      send('/migration/off', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      })
    expect((await off({ authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await off({ authorization: 'Bearer look' })).status).toBe(403)
    // By a cookie or Basic, which browsers send by themselves, another site could have it sent.
    expect((await off({ 'x-user': 'Ada' })).status).toBe(403)
    // Where a CORS middleware allows all headers, another site adds a token of its own to them.
    const elsewhere = [{ origin: 'http://elsewhere.test' }, { 'sec-fetch-site': 'cross-site' }]
    for (const from of elsewhere) {
      expect((await off({ 'x-user': 'Ada', authorization: 'Bearer any', ...from })).status).toBe(403)
      expect((await off({ authorization: 'Bearer right', ...from })).status).toBe(403)
    }
    expect((await off({ authorization: 'Bearer right' }, '{}')).status).toBe(400)
    expect((await off({ authorization: 'Bearer right' }, 'reason')).status).toBe(400)
    expect(switching.status().routes.every(({ state }) => state === 'native')).toBe(true)
    const answer = await off({ authorization: 'Bearer right' })
    expect([answer.status, answer.json()]).toEqual([200, { route: '*', state: 'legacy', isStored: true }])
    expect(switching.status().routes.every(({ state }) => state === 'legacy')).toBe(true)
    expect(switching.status().history.at(-1)).toMatchObject({
      route: '!*',
      by: 'on-call',
      reason: 'payments fail',
    })
    const other = await send('/migration/state', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer right' },
      body: JSON.stringify({ route: '*', state: 'native', reason: 'again' }),
    })
    expect(other.status).toBe(403)
  })

  it.each<[string, (app: Express) => void, string, number]>([
    ['express.json()', (app) => void app.use(express.json()), 'application/json', 200],
    ['express.text()', (app) => void app.use(express.text({ type: '*/*' })), 'application/json', 200],
    ['express.raw()', (app) => void app.use(express.raw({ type: '*/*' })), 'text/plain', 200],
    [
      'express.urlencoded()',
      (app) => void app.use(express.urlencoded()),
      'application/x-www-form-urlencoded',
      415,
    ],
    [
      'what keeps nothing',
      (app) => void app.use((req, _res, next) => void req.on('end', next).resume()),
      'application/json',
      500,
    ],
  ])('takes a body that was read by %s, or says what to do', async (_what, upstream, type, expected) => {
    const page = await servePage(ways[0]!, { authorize: () => 'on-call' }, upstream)
    const answer = await page.send('/migration/off', {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': type },
      body: '{"reason":"payments fail"}',
    })
    expect(answer.status).toBe(expected)
    if (expected === 415) expect(answer.json().error).toContain('Content-Type: application/json')
    if (expected === 500) expect(answer.json().error).toContain('mount the page above')
  })

  it.each([undefined, null, 0, 'false'])('takes no %j for canChange', async (canChange) => {
    const page = await servePage(ways[0]!, { authorize: () => ({ by: 'Ada', canChange }) as never })
    const { status, text } = await page.send('/migration/status.json')
    expect([status, text.includes('canChange')]).toEqual([500, true])
  })

  it.each([null, undefined, 0, '', 'route', 'router'])(
    'lets nobody on behind it where authorize rejects with %j',
    async (reason) => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      const page = await servePage(ways[0]!, { authorize: () => Promise.reject(reason) })
      const { status, text } = await page.send('/migration/status.json')
      expect(status).toBe(500)
      expect(text).toContain('The page of the migration has failed')
    },
  )

  it('waits for authorize no longer than it may', async () => {
    const clock = new TestClock()
    const { switching, send } = await servePage(
      ways[0]!,
      { authorize: () => new Promise(() => {}) },
      undefined,
      clock,
    )
    let status: number | undefined
    void send('/migration/status.json').then((answer) => (status = answer.status))
    await until(() => {
      clock.advance(1000)
      return status !== undefined
    })
    expect(status).toBe(503)
    expect(switching.status().routes).toHaveLength(4)
  })

  it.each([[undefined], ['Ada']])(
    'leaves an answer to the host that has given it while authorize was asked for %j',
    async (by) => {
      const lines: string[] = []
      const log = (line: string): void => void lines.push(line)
      const rejected: unknown[] = []
      const note = (reason: unknown): void => void rejected.push(reason)
      process.on('unhandledRejection', note)
      let tell = (): void => {}
      const { handler } = createPage(
        {
          switching: { on: () => () => {} },
          clock: new TestClock(),
          logger: { info: log, warn: log, error: log },
        } as never,
        { authorize: () => new Promise((resolve) => (tell = () => resolve(by))) },
      )
      for (const isWhole of [true, false]) {
        const { port, close } = await listenOn((req, res) => {
          handler(req, res)
          res.statusCode = 503
          res.write('too ')
          if (isWhole) res.end('late')
          else setTimeout(() => res.end('late'), 20)
          setTimeout(tell, 5)
        })
        const { status, text } = await sendTo(port)('/status.json')
        expect([status, text]).toEqual([503, 'too late'])
        await new Promise((resolve) => setTimeout(resolve, 20))
        await close()
      }
      process.off('unhandledRejection', note)
      expect([rejected, lines]).toEqual([[], []])
    },
  )

  it('refuses a route of any length before it is compared with those that are there', async () => {
    const { post } = await servePage(ways[0]!)
    const answer = await post({ ...change, route: 'x'.repeat(2001) })
    expect([answer.status, answer.json().error]).toEqual([400, 'The route has more than 2000 characters'])
    const longest = await post({ ...change, route: 'x'.repeat(2000) })
    expect([longest.status, longest.json().error]).toEqual([400, expect.stringContaining('is no route')])
    expect((await post({ ...change, reason: 'x'.repeat(500) })).status).toBe(200)
    expect((await post({ ...change, reason: 'x'.repeat(501) })).status).toBe(400)
  })

  it('takes a change for all routes, which have no one state, and one token for all tabs of a browser', async () => {
    const { post, send } = await servePage(ways[0]!)
    expect((await post({ route: '*', state: 'shadow', reason: 'try', from: 'legacy' })).status).toBe(200)
    const session = await send('/migration/session')
    const cookie = session.cookies[0]!.split(';')[0]!
    const other = await send('/migration/session', { headers: { cookie } })
    expect(other.json().token).toBe(session.json().token)
    expect((await send('/migration/session')).json().token).not.toBe(session.json().token)
  })

  it.each([undefined, {}])('says what authorize is where it is missing: %j', async (options) => {
    const { switching } = await serveShop(ways[0]!, { legacy: () => {}, native: () => [] })
    expect(() => switching.page(options as unknown as PageOptions)).toThrow(
      'page: authorize is a function that gives the name of who asks',
    )
  })

  it('lets nobody in by an authorize that names nobody', async () => {
    const { send } = await servePage(ways[0]!, { authorize: () => true as never })
    const { status, text } = await send('/migration/status.json')
    expect(status).toBe(500)
    expect(text).toContain('what authorize gives')
  })

  it('tells a browser where nothing changes, too', async () => {
    const clock = new TestClock()
    const events = await listen(await servePage(ways[0]!, {}, undefined, clock))
    await until(() => {
      clock.advance(500)
      return events.all.length > 2
    }, 'the events')
    expect(events.all.at(-1)).toMatchObject({ event: 'update', data: { routes: [], history: [] } })
    events.close()
  })

  it.each([
    ['on a port of its own', undefined, ''],
    ['below a path of a plain server', '/ops/migration', '/ops/migration'],
  ])('is served %s', async (_what, path, prefix) => {
    const { switching, logged } = await servePage(ways[0]!)
    const page = switching.page({
      authorize: ({ headers }) => {
        if (headers['x-user'] === 'broken') throw new Error('the directory is away')
        return 'Ada'
      },
      ...(path !== undefined && { path }),
    })
    const server = createServer((req, res) => page(req, res)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const send = sendTo((server.address() as AddressInfo).port)
    expect((await send(`${prefix}/`)).text).toContain('<title>Migration</title>')
    expect((await send(`${prefix}/status.json`)).json().routes).toHaveLength(4)
    expect((await send('/else')).status).toBe(404)
    const broken = await send(`${prefix}/`, { headers: { 'x-user': 'broken' } })
    expect([broken.status, broken.text.includes('directory')]).toEqual([500, false])
    expect(logged.join()).toContain('the directory is away')
    if (prefix !== '') {
      expect((await send(prefix)).headers['location']).toBe('./migration/')
      expect((await send('/status.json')).status).toBe(404)
    }
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it('is made of the files in packages/switch/src/page/browser', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/build-page.js', '--check'], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
  })
})

// Where there is no Chromium, what can be seen of it without one is tested above.
describeInChromium('The page in Chromium', () => {
  const way = ways.find(({ name }) => !name.includes('HTTP/2'))!
  let chromium: Chromium
  let tab: Tab
  let page: ServedPage
  beforeAll(async () => {
    chromium = await Chromium.start()
    tab = await chromium.open()
  }, 300_000)
  afterAll(async () => {
    tab?.close()
    await chromium.close()
  })
  afterEach(async () => {
    await tab.leave()
    await closeShops()
  })

  async function open(width = 1280, height = 900, clock?: Clock): Promise<void> {
    page = await servePage(way, {}, undefined, clock)
    await tab.size(width, height)
    await tab.go(`http://127.0.0.1:${page.port}/migration`)
    await tab.until("document.querySelectorAll('#rows tr').length === 4")
  }
  const textOf = (selector: string): Promise<string> =>
    tab.value(`document.querySelector(${JSON.stringify(selector)}).innerText`)
  const isOpen = "document.getElementById('dialog').open"
  const changeButton = '[aria-label="Change GET /items/:id"]'
  const confirm = '#confirm'

  it('changes a state by clicks, and not without a reason', async () => {
    await open()
    await tab.click(changeButton)
    await tab.until(isOpen)
    await tab.click('input[value=canary]')
    await tab.click('#sure')
    await tab.click(confirm)
    expect(await tab.value(isOpen)).toBe(true)
    await tab.click('#reason')
    await tab.type('   ')
    await tab.click(confirm)
    expect(await tab.value(isOpen)).toBe(true)
    expect(page.switching.status().history).toEqual([])
    await tab.type('shadow was clean')
    expect(await textOf(confirm)).toBe('Change to canary 5%')
    await tab.click(confirm)
    await tab.until(`!${isOpen}`)
    await until(() => stateOf(page) === 'canary 5%', 'the change')
    expect(page.switching.status().history).toMatchObject([{ by: 'Ada', reason: 'shadow was clean' }])
    await tab.until("document.querySelector('#rows .badge')?.innerText === 'canary 5%'")
    await tab.until("document.querySelector('#history')?.innerText.includes('shadow was clean')")
    expect(await textOf('#news')).toContain('GET /items/:id is at canary 5% now')
    expect(tab.complaints()).toEqual([])
  })

  it('says what the plan does next, and nothing of it once the route is elsewhere', async () => {
    await open()
    await page.switching.set('GET /items/:id', 'canary 20%', { reason: 'ready', by: 'Ada' })
    await tab.until("document.querySelector('#rows .badge')?.innerText === 'canary 20%'")
    await tab.click('#rows .open')
    const facts = "document.querySelector('#rows .facts').innerText"
    expect(await tab.value(facts)).toMatch(
      /the plan goes on to canary 40%, not before \d+:\d\d:\d\d.*: 0 of 30 answers/,
    )
    // The dialog begins with the share that the route has.
    await tab.click(changeButton)
    await tab.until(isOpen)
    expect(await tab.value("document.getElementById('percent').value")).toBe('20')
    await tab.press('Escape')
    await page.switching.set('GET /items/:id', 'legacy', { reason: 'not yet', by: 'Ada' })
    await tab.until("document.querySelector('#rows .badge')?.innerText === 'legacy'")
    expect(await tab.value(facts)).not.toContain('plan')
  })

  itSlow('changes a state by the keyboard alone, and Escape leaves all as it was', async () => {
    await open()
    await tab.tabTo(changeButton)
    await tab.press('Enter')
    await tab.until(isOpen)
    await tab.press('Escape')
    await tab.until(`!${isOpen}`)
    expect(await tab.value(`document.activeElement.matches(${JSON.stringify(changeButton)})`)).toBe(true)
    await tab.press('Enter')
    await tab.until(isOpen)
    await tab.tabTo('input[value=legacy]')
    for (const _ of [1, 2, 3]) await tab.press('ArrowDown')
    await tab.tabTo('#reason')
    await tab.type('by keys')
    await tab.tabTo('#sure')
    await tab.press(' ')
    await tab.tabTo(confirm)
    await tab.press('Enter')
    await until(() => stateOf(page) === 'native', 'the change')
    await tab.until(`!${isOpen}`)
    expect(page.switching.status().history).toMatchObject([{ by: 'Ada', to: 'native', reason: 'by keys' }])
    expect(await tab.value(`document.activeElement.matches(${JSON.stringify(changeButton)})`)).toBe(true)
  })

  it('changes a group, and says how many routes that are', async () => {
    await open()
    await tab.click('#change-many')
    await tab.until(isOpen)
    expect(await tab.value("[...document.getElementById('group').options].map((one) => one.value)")).toEqual([
      '*',
      '/items',
    ])
    await tab.value(
      "(() => { const group = document.getElementById('group'); group.value = '/items'; group.dispatchEvent(new Event('input', { bubbles: true })) })()",
    )
    expect(await textOf('#sure-text')).toBe('I mean /items: 2 routes')
    await tab.click('input[value=shadow]')
    await tab.click('#reason')
    await tab.type('from today on')
    await tab.click('#sure')
    await tab.click(confirm)
    await until(() => page.switching.status().settings['/items'] === 'shadow', 'the change')
  })

  itSlow('does not overrule somebody who was quicker', async () => {
    await open()
    await tab.click(changeButton)
    await tab.click('input[value=native]')
    await page.switching.set('GET /items/:id', 'shadow', { reason: 'first', by: 'Grace' })
    await tab.until("document.getElementById('problem').innerText.includes('at shadow now')")
    expect(await textOf('#news')).toBe('GET /items/:id is at shadow now, by Grace: first')
    expect(await tab.value(isOpen)).toBe(true)
  })

  it('shows what differs side by side, and runs nothing of it', async () => {
    await open()
    await page.switching.set('*', 'shadow', { reason: hostile, by: hostile })
    await page.send(`/items/7?q=${hostile.replaceAll(' ', '+')}`)
    await page.send('/text')
    await until(
      () => page.switching.status().routes.filter(({ differences }) => differences.length > 0).length === 2,
      'the differences',
    )
    // The page may draw one route with its differences before it has those of the other.
    await tab.until("document.querySelector('#rows')?.innerText.split('open · 100%').length === 3")
    for (const at of [1, 2, 3, 4]) await tab.click(`#rows > tr:nth-child(${at * 2 - 1}) .open`)
    await tab.until("document.querySelectorAll('.difference').length >= 2")
    const shown = await textOf('#rows')
    expect(shown).toContain(`"${hostile}"`)
    expect(shown).toContain('"tea"')
    expect(shown).toContain('native <script>document.title = 3</script>')
    expect(await textOf('#history')).toContain(hostile)
    expect(await textOf('#only')).toContain(hostile)
    expect(await tab.value("document.querySelectorAll('img, main script').length")).toBe(0)
    expect(await tab.value('document.title')).toBe('Migration')
    expect(await textOf('#rows tr:nth-child(7)')).toContain('/bold')
    expect(tab.complaints()).toEqual([])
  })

  it('finds routes by words and by state', async () => {
    await open()
    await page.switching.set('GET /text', 'native', { reason: 'a test' })
    await tab.until("document.querySelectorAll('.badge.is-native').length === 2")
    await tab.click('#filter')
    await tab.type('GET items')
    expect(await textOf('#count')).toBe('2 of 4 routes')
    await tab.value(
      "(() => { const one = document.getElementById('by-state'); one.value = 'native'; one.dispatchEvent(new Event('input', { bubbles: true })) })()",
    )
    expect(await textOf('#count')).toBe('0 of 4 routes')
    expect(await textOf('#none')).toBe('No route is like that.')
  })

  it('draws its charts', async () => {
    const clock = new TestClock()
    await open(1280, 900, clock)
    const isDrawn = "document.querySelectorAll('#charts svg path.line').length === 3"
    while (!(await tab.value<boolean>(isDrawn))) {
      await page.send('/items/1')
      clock.advance(500)
    }
    const label = await tab.value("document.querySelector('#charts svg').getAttribute('aria-label')")
    expect(label).toMatch(/^Requests per second: legacy [\d.]+, native 0$/)
    // It stands within its figure.
    const [width, height] = await tab.value<[number, number]>(
      "(() => { const { width, height } = document.querySelector('#charts path.line').getBBox(); return [width, height] })()",
    )
    expect(width).toBeGreaterThan(0)
    expect(height).toBeLessThanOrEqual(140)

    // The clock stands, so what a reload shows has been kept.
    await tab.go(`http://127.0.0.1:${page.port}/migration`)
    await tab.until("document.querySelectorAll('#rows tr').length === 4")
    expect(await tab.value(isDrawn)).toBe(true)
  })

  itSlow('needs no scrolling sideways, 400 to 1280 pixels wide', async () => {
    const widths = [400, 1000, 1245, 1280]
    await open(widths[0], 800)
    await page.switching.set('*', 'shadow', { reason: 'a-long-word-'.repeat(30), by: 'a'.repeat(200) })
    await page.send('/items/7')
    await tab.until("document.querySelector('#rows')?.innerText.includes('open · 100%')")
    await tab.click('#rows .open')
    await tab.until("document.querySelector('.difference')")
    for (const width of widths) {
      await tab.size(width, 800)
      await tab.until(`innerWidth === ${width}`)
      const isTooWide = await tab.value('document.documentElement.scrollWidth > innerWidth')
      expect({ width, isTooWide }).toEqual({ width, isTooWide: false })
      await tab.click(changeButton)
      await tab.until(isOpen)
      const { left, right, bottom } = await tab.value<{ left: number; right: number; bottom: number }>(
        "document.getElementById('dialog').getBoundingClientRect().toJSON()",
      )
      const fits = [left >= 0, right <= width, bottom <= 800]
      expect({ width, fits }).toEqual({ width, fits: [true, true, true] })
      await tab.press('Escape')
      await tab.until(`!${isOpen}`)
    }
  })

  itSlow('is dark where the browser is, and can be read in both', async () => {
    await open()
    const contrasts: Record<string, number> = {}
    for (const scheme of ['light', 'dark'] as const) {
      await tab.scheme(scheme)
      const isDark = await tab.value(
        'getComputedStyle(document.body).backgroundColor.match(/\\d+/g)[0] < 100',
      )
      expect(isDark).toBe(scheme === 'dark')
      for (const selector of ['body', 'small', '#count', '.badge', '#confirm', '#news'])
        contrasts[`${scheme} ${selector}`] = await tab.value(`(${contrastOf})(${JSON.stringify(selector)})`)
    }
    const tooLow = Object.entries(contrasts).filter(([, contrast]) => contrast < 4.5)
    expect(tooLow).toEqual([])
  })

  itSlow('shows each step of a shop that goes the whole way', async () => {
    const faults: Faults = { noPrice: true, fails: false }
    const store = new Store()
    const legacy = createLegacyApp(store)
    const logger = { info: () => {}, warn: () => {}, error: () => {} }
    const routeControllers = new RouteControllers(createControllers(store, faults), { logger })
    const shadow = { maxDelayMs: 60_000, maxUtilization: 1 }
    const switching = migration({ legacy, routeControllers, shadow, logger })
    legacy.use('/migration', switching.page({ authorize: () => 'Ada' }))
    const server = await new Server().start({ port: 0, host: '127.0.0.1', ...switching.serverOptions })
    const send = sendTo(server.getPort())
    const route = 'GET /products/:id'
    const status = () => switching.status().routes.find((one) => one.route === route)!
    await tab.size(1280, 900)
    await tab.go(`${server.getURL()}/migration/`)
    const choose = async (state: string, reason: string): Promise<void> => {
      await tab.click(`[aria-label="Change ${route}"]`)
      await tab.until(isOpen)
      await tab.click(`input[value=${state}]`)
      if (state === 'canary') await tab.value("document.getElementById('percent').value = '100'")
      await tab.click('#reason')
      await tab.type(reason)
      await tab.click('#sure')
      await tab.click(confirm)
      await tab.until(`!${isOpen}`)
    }
    const shown = (selector: string, text: string): Promise<void> =>
      tab.until(`document.querySelector('${selector}')?.innerText.includes(${JSON.stringify(text)})`)

    await shown('#only', 'GET /old-catalogue')
    await choose('shadow', 'to compare')
    await send('/products/1')
    await shown('#rows > tr:nth-child(2)', '1 open · 100%')
    await tab.click('#rows > tr:nth-child(2) .open')
    await shown('.difference', 'body $.price')
    expect(await textOf('.difference .sides')).toMatch(/24[^]*nothing/)

    faults.noPrice = false
    switching.forgetDifferences(route)
    await shown('#rows .more', 'No open difference')
    await choose('canary', 'shadow is clean')
    await shown('#rows > tr:nth-child(2)', 'canary 100%')
    faults.fails = true
    for (let at = 0; at < 50 && status().state !== 'legacy'; at++) await send('/products/1')
    await shown('#alarm', `${route} went back to legacy: `)
    await shown('#history', 'by rollback')

    faults.fails = false
    await choose('native', 'mended')
    await shown('#rows > tr:nth-child(2)', 'native')
    await tab.until("document.getElementById('alarm').innerText === ''")
    expect(switching.status().history.map(({ to, by }) => `${to} by ${by}`)).toEqual([
      'shadow by Ada',
      'canary 100% by Ada',
      'legacy by rollback',
      'native by Ada',
    ])
    expect(tab.complaints()).toEqual([])
    await switching.close()
    await server.stop({ graceMs: 0 })
  })

  it('shows what a copy at the place of a native callback could not have, and what it has as it is', async () => {
    class User {
      readonly name = 'mia'
    }
    const app = express()
    app.use((req, res, next) => {
      Object.assign(req, { user: new User() })
      res.locals['shelf'] = new User()
      next()
    })
    app.get(
      '/x',
      native((req) => ({ name: (req as unknown as { user?: User }).user?.name })),
      (req, res) => void res.json({ name: (req as unknown as { user: User }).user.name }),
    )
    const switching = migration({
      app,
      logger: silent,
      shadow: { ...anyLoad, asIs: ['res.locals.shelf'] },
    })
    app.use('/migration', switching.page({ authorize: () => 'Ada' }))
    const { port, close } = await listenOn(app)
    await switching.set('*', 'shadow', { reason: 'a test' })
    await sendTo(port)('/x')
    await until(() => switching.status().routes[0]!.shadow.compared === 1)
    await tab.go(`http://127.0.0.1:${port}/migration`)
    await tab.until("document.querySelectorAll('#rows tr').length === 1")
    await tab.click('#rows > tr:nth-child(1) .open')
    const facts = await textOf('.facts')
    expect(facts).toContain(
      'a copy had no req.user, which cannot be copied; the option shadow.asIs gives it as it is',
    )
    expect(facts).toContain('a copy has these as they are, and may change them: res.locals.shelf')
    expect(tab.complaints()).toEqual([])
    await tab.leave()
    await close()
    await switching.close()
  })

  it('says when the server is away, and goes on when it is back', async () => {
    await open()
    await tab.until("document.getElementById('live').dataset.is === 'live'")
    await page.switching.close()
    await tab.until("document.getElementById('live').dataset.is === 'waiting'")
  })
})

/** How much a text stands out from what is behind it, as WCAG counts it; runs in the browser. */
const contrastOf = `(selector) => {
  const one = document.querySelector(selector)
  const colour = (text) => text.match(/[\\d.]+/g).map(Number)
  let behind = one
  while (behind.parentElement && (colour(getComputedStyle(behind).backgroundColor)[3] === 0)) behind = behind.parentElement
  const light = (text) => {
    const [red, green, blue] = colour(text).map((value) => {
      const part = value / 255
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [a, b] = [light(getComputedStyle(one).color), light(getComputedStyle(behind).backgroundColor)].sort((x, y) => y - x)
  return (a + 0.05) / (b + 0.05)
}`
