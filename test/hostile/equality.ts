import { Agent, request as httpRequest } from 'node:http'
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2'
import { isDeepStrictEqual } from 'node:util'
import { type AnyController, Controller, RouteControllers, type RouteRequest, Server } from 'routecontrollers'
import { below, pick, type Random } from '../hard/random.js'
import { cert, key } from '../support/certificate.js'
import { type ServeOptions, servings } from '../support/describe-servings.js'

/** One request, as every way of serving can be given it. */
export interface Asked {
  method: string
  target: string
  headers: [name: string, value: string][]
  body: Buffer | undefined
  /** How the body is sent: with its length, or in chunks. */
  chunked: boolean
}

interface Answer {
  status: number
  /** Name and value of each line, sorted; a Set-Cookie each. */
  headers: string[]
  body: string
}

const ownHeaders = ['host', 'connection', 'content-length', 'transfer-encoding']

/** All that a callback can read of its request, but for what the connection is. */
function tell(req: RouteRequest<string>): object {
  return {
    method: req.method,
    url: req.url,
    originalUrl: req.originalUrl,
    params: req.params,
    query: req.query,
    body: req.body,
    rawBody: req.rawBody && Buffer.from(req.rawBody).toString('latin1'),
    headers: Object.fromEntries(
      Object.entries(req.headers)
        .filter(([name]) => !ownHeaders.includes(name))
        .sort(),
    ),
    type: req.get('Content-Type') ?? null,
  }
}

function createControllers(): AnyController[] {
  const controllers: AnyController[] = [
    new Controller('GET', '/', () => 'root'),
    new Controller('*', '/echo', tell),
    new Controller('*', '/echo/:id', tell),
    new Controller('*', '/echo/:id/*rest', tell),
    new Controller('GET', '/echo/static', () => ({ route: 'static' })),
    new Controller('POST', '/json', async (req) => ({ json: await req.json() })),
    new Controller('POST', '/text', (req) => req.text()),
    new Controller('POST', '/bytes', (req) => req.arrayBuffer()),
    new Controller('POST', '/form', async (req) =>
      [...(await req.formData())].map(([name, value]) => [
        name,
        typeof value === 'string' ? value : [value.name, value.type, value.size],
      ]),
    ),
    new Controller(
      '*',
      '/stream',
      async (req) => {
        const chunks: Uint8Array[] = []
        for await (const chunk of req) chunks.push(chunk)
        return Buffer.concat(chunks)
      },
      { body: 'stream' },
    ),
    new Controller('GET', '/answer/null', () => null),
    new Controller('GET', '/answer/empty', () => ''),
    new Controller('GET', '/answer/html', (_req, res) => res.html('<p>é</p>')),
    new Controller('GET', '/answer/bytes', () => new Uint8Array([0, 1, 254, 255])),
    new Controller('GET', '/answer/blob', () => new Blob(['blob'], { type: 'image/x-nothing' })),
    new Controller('GET', '/answer/response', () => new Response('of the web', { headers: { 'X-A': '1' } })),
    new Controller('GET', '/answer/own', () => Response.json({ a: 1 }, { status: 201, statusText: 'Made' })),
    new Controller('GET', '/answer/moved', (_req, res) => res.redirect('/é?x=1', 308)),
    new Controller('GET', '/answer/chunks', (_req, res) => res.stream(chunks())),
    new Controller('GET', '/answer/events', (_req, res) => res.sse(chunks())),
    new Controller('GET', '/answer/cookies', (_req, res) =>
      res.cookie('a', '1').cookie('b', 'é;', { httpOnly: true }).header('Vary', ['A', 'B']).text('x'),
    ),
    new Controller('GET', '/answer/late', async (_req, res) => {
      await new Promise((resolve) => setImmediate(resolve))
      return res.status(202).header('X-Late', 'yes').json({ late: true })
    }),
    new Controller('*', '/status/:code', (req, res) => res.status(Number(req.params.code)).text('body')),
    new Controller('*', '/header', (req, res) => res.header('X-V', String(req.query['v'])).end()),
    new Controller('*', '/error/:status', (req) => {
      throw Object.assign(new Error('shown?'), { status: Number(req.params.status) })
    }),
    new Controller('GET', '/error/late', async () => {
      await Promise.resolve()
      throw new Error('hidden')
    }),
    new Controller('GET', '/error/nothing', () => {}),
    new Controller('GET', '/error/undefined', async () => {
      throw undefined as unknown as Error
    }),
  ]
  const guarded = new Controller('*', '/used/:id', tell)
  guarded.use((req, res) => {
    if (req.get('x-key') === undefined) return res.status(401).json({ who: 'are you' })
  })
  return [...controllers, guarded]
}

async function* chunks(): AsyncGenerator<string> {
  yield 'one\n'
  await new Promise((resolve) => setImmediate(resolve))
  yield 'two é'
}

/** What is served alike in all ways: without and with hooks, and with errors left to the host. */
const setups: Record<string, { share: number; errors: 'ours' | 'host'; options: ServeOptions }> = {
  'errors of ours': {
    share: 0.4,
    errors: 'ours',
    options: { bodyLimit: 300, onError: answerError, onNotFound },
  },
  'errors of ours, with hooks': {
    share: 0.3,
    errors: 'ours',
    options: { bodyLimit: 300, onError: answerError, onNotFound, setup: addHooks },
  },
  'errors of the host': { share: 0.3, errors: 'host', options: { bodyLimit: 300, onNotFound } },
}

function answerError(error: unknown): Response {
  const { status = 500, code = 'none' } = (error ?? {}) as { status?: number; code?: string }
  return Response.json({ code }, { status: status >= 400 && status < 600 ? status : 500 })
}

function onNotFound(): Response {
  return new Response('Nobody', { status: 404, headers: { 'X-Miss': 'yes' } })
}

function addHooks(routeControllers: RouteControllers): void {
  routeControllers.addHeader('X-Every', 'one').addHeader('Vary', 'Origin')
  routeControllers.addGlobal((_req, res, next) => {
    res.setHeader('X-Hook', 'seen')
    res.appendHeader('Set-Cookie', 'hook=1')
    next()
  })
  routeControllers.addGlobal('/echo', (req, _res, next) => {
    req.headers['x-hooked'] = req.url ?? ''
    next()
  })
  routeControllers.addGlobal('/used', (_req, _res, next) => void setImmediate(next))
}

const paths = [
  '/',
  '/echo',
  '/echo/',
  '/echo/static',
  '/echo/7',
  '/echo/%41%20b',
  '/echo/%C3%A9',
  '/echo/%zz',
  '/echo/%E0%A4',
  '/echo/a/b/c',
  '/echo/a/',
  '/echo/a//b',
  '/echo//a',
  '/echo/a%2Fb/x%2Fy',
  '/ECHO/7',
  '/json',
  '/text',
  '/bytes',
  '/form',
  '/stream',
  '/answer/null',
  '/answer/empty',
  '/answer/html',
  '/answer/bytes',
  '/answer/blob',
  '/answer/response',
  '/answer/own',
  '/answer/moved',
  '/answer/chunks',
  '/answer/events',
  '/answer/cookies',
  '/answer/late',
  '/status/200',
  '/status/204',
  '/status/205',
  '/status/299',
  '/status/304',
  '/status/404',
  '/status/500',
  '/status/99',
  '/status/x',
  '/header',
  '/error/400',
  '/error/418',
  '/error/451',
  '/error/500',
  '/error/503',
  '/error/200',
  '/error/late',
  '/error/nothing',
  '/error/undefined',
  '/used/1',
  '/nowhere',
  '/nowhere/at/all',
] as const

const searches = [
  '',
  '',
  '',
  '?',
  '?v=1',
  '?a=1&a=2&a=3',
  '?a[]=1&a[b]=2',
  '?__proto__=1&constructor=2',
  '?v=%0d%0aX:%201',
  '?v=%E9',
  '?v=caf%C3%A9',
  '?a=%zz&b=+',
  '?&&=&=x',
  `?${'k=v&'.repeat(40)}`,
] as const

const fields: readonly (readonly [name: string, values: readonly string[]])[] = [
  [
    'accept',
    ['*/*', 'application/json', 'text/html, application/json;q=0.5', 'application/problem+json', ''],
  ],
  ['content-encoding', ['identity', 'gzip', 'br', 'x-none', '']],
  ['cookie', ['a=1; b=2', '=;;']],
  ['x-forwarded-for', ['1.2.3.4', 'x, y']],
  ['x-forwarded-proto', ['https']],
  ['x-key', ['k']],
  ['x-dup', ['one', 'two']],
  ['x-dup', ['three', '']],
  ['x-latin', ['caf\xe9']],
  ['origin', ['http://elsewhere']],
  ['access-control-request-method', ['GET', 'POST', 'NONE']],
  ['range', ['bytes=0-1']],
  ['if-none-match', ['*']],
  ['x-http-method-override', ['DELETE']],
  ['user-agent', ['x']],
]

const bodies: readonly (readonly [type: string | undefined, body: string | Buffer])[] = [
  ['application/json', '{"a":[1,2.50,"é"]}'],
  ['application/json', '[]'],
  ['application/json', ''],
  ['application/json', '{"__proto__":1}'],
  ['application/json', '"top"'],
  ['application/json', '{'],
  ['application/json; charset=utf-16le', Buffer.from('{"a":1}', 'utf16le')],
  ['application/json; charset=latin1', '{}'],
  ['application/problem+json', '{"title":"x"}'],
  ['application/json', `{"long":"${'x'.repeat(300)}"}`],
  ['application/json', Buffer.from([0x22, 0xff, 0x22])],
  ['application/x-www-form-urlencoded', 'a=1&a=2&b=%C3%A9+x&__proto__=y'],
  ['application/x-www-form-urlencoded', 'a=%zz'],
  ['text/plain', 'text é'],
  ['text/plain; charset=iso-8859-1', Buffer.from('caf\xe9', 'latin1')],
  ['text/plain; charset=klingon', 'x'],
  ['text/plain', Buffer.from([0xc3, 0x28])],
  [
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="n.txt"\r\nContent-Type: text/x\r\n\r\nfile\r\n--b--\r\n',
  ],
  ['multipart/form-data; boundary=b', '--b\r\nbroken'],
  ['multipart/form-data', 'x'],
  ['application/octet-stream', Buffer.from([0, 255, 1])],
  ['', 'x'],
  ['no/such; type=;', 'x'],
  [undefined, 'x'],
  ['text/plain', 'x'.repeat(300)],
  ['text/plain', 'x'.repeat(301)],
]

/** A request that a client may send, sound or not. */
export function createAsked(random: Random): Asked {
  const method = pick(random, [
    'GET',
    'GET',
    'GET',
    'POST',
    'POST',
    'POST',
    'PUT',
    'HEAD',
    'DELETE',
    'PATCH',
    'OPTIONS',
    'PROPFIND',
  ])
  const headers: Asked['headers'] = []
  for (const [name, values] of fields) if (random() < 0.12) headers.push([name, pick(random, values)])
  let body: Buffer | undefined
  if (method !== 'GET' && method !== 'HEAD' && random() < 0.7) {
    const [type, content] = pick(random, bodies)
    if (type !== undefined) headers.push(['content-type', type])
    body = Buffer.from(content)
  } else if (random() < 0.05) headers.push(['content-type', 'application/json'])
  // What a POST is aimed at is mostly what takes one.
  const path = body !== undefined && random() < 0.6 ? pick(random, paths.slice(1, 20)) : pick(random, paths)
  return { method, target: path + pick(random, searches), headers, body, chunked: below(random, 4) === 0 }
}

/** Sends requests to every way of serving; `compare` gives the differences that it finds, one sentence each. */
export async function createComparison(): Promise<{
  compare: (asked: Asked, random: Random) => Promise<string[]>
  /** How many answers of the standalone server had a status of each kind, as `2xx`. */
  statuses: Record<string, number>
  close: () => void
}> {
  // Only an agent with a timeout heeds `Keep-Alive: timeout=5`; another one takes up again a connection that the host is
  // about to close. None is sent again: whoever drops a connection is found.
  const agent = new Agent({ keepAlive: true, timeout: 60_000 })
  const statuses: Record<string, number> = {}
  const served: Record<string, Record<string, (asked: Asked) => Promise<Answer | undefined>>> = {}
  const closing: (() => unknown)[] = [() => agent.destroy()]
  for (const [setup, { options }] of Object.entries(setups)) {
    const ways: (typeof served)[string] = (served[setup] = {})
    for (const { name, serve } of servings) {
      const { port, routeControllers } = await serve(createControllers(), {
        ...options,
        logger: { info() {}, warn() {}, error() {} },
        upstream: (app) => void app.set('env', 'test').disable('x-powered-by'),
        downstream: (app) => void app.set('env', 'test').disable('x-powered-by'),
      })
      const fetchHandler = routeControllers.getCallback()
      ways[name] =
        port === undefined ? (asked) => fetchFrom(fetchHandler, asked) : (asked) => ask(port, agent, asked)
    }
    const { session, stop } = await serveHttp2(options)
    ways['HTTP/2'] = (asked) => askHttp2(session, asked)
    closing.push(stop)
  }
  return {
    statuses,
    async compare(asked, random) {
      let chance = random()
      const [setup] = Object.entries(setups).find(([, { share }]) => (chance -= share) < 0) ?? [
        'errors of ours',
      ]
      const names = Object.keys(served[setup]!)
      const answers = await Promise.all(names.map((name) => served[setup]![name]!(asked)))
      const standard = answers[names.indexOf('standalone')]!
      const kind = `${Math.floor(standard.status / 100)}xx`
      statuses[kind] = (statuses[kind] ?? 0) + 1
      return names.flatMap((name, at) => {
        const answer = answers[at]
        if (answer === undefined) return []
        const difference = differs(name, setups[setup]!.errors, standard, answer)
        return difference === undefined ? [] : [`${setup}, ${name} ${difference}: ${show(asked)}`]
      })
    },
    close: () => closing.forEach((one) => one()),
  }
}

function show({ body, ...asked }: Asked): string {
  return JSON.stringify({ ...asked, body: body?.toString('latin1') })
}

/** What of an answer is not as it is standalone; what the host answers is its own, but for the status. */
function differs(
  name: string,
  errors: 'ours' | 'host',
  standard: Answer,
  answer: Answer,
): string | undefined {
  const isHosts = name.startsWith('inside') && errors === 'host' && standard.status >= 400
  // Express takes any status from 400 on from what was thrown, we take those that are the client's fault.
  if (isHosts && standard.status >= 500 && answer.status >= 500) return undefined
  if (standard.status !== answer.status) return `answers ${answer.status}, not ${standard.status}`
  const isMiss = standard.headers.includes('x-miss: yes')
  if ((isMiss && name.includes('Express')) || isHosts) return undefined
  if (standard.body !== answer.body)
    return `has the body ${JSON.stringify(answer.body)}, not ${JSON.stringify(standard.body)}`
  // How long the body is, or that nobody knows it, is told on a connection only.
  const compared = (headers: string[]): string[] =>
    name === 'web'
      ? headers.filter((line) => !/^(?:content-length|transfer-encoding):/.test(line))
      : name === 'HTTP/2'
        ? headers.filter((line) => !line.startsWith('transfer-encoding:'))
        : headers
  const [wanted, found] = [compared(standard.headers), compared(answer.headers)]
  return isDeepStrictEqual(wanted, found)
    ? undefined
    : `has the headers ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`
}

/** One session for all, of a server of its own. */
async function serveHttp2({
  setup,
  ...options
}: ServeOptions): Promise<{ session: ClientHttp2Session; stop: () => void }> {
  const logger = { info() {}, warn() {}, error() {} }
  const { upstream: _upstream, downstream: _downstream, ...ours } = options
  const routeControllers = new RouteControllers(createControllers(), { logger, ...ours })
  setup?.(routeControllers)
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers,
    tls: { key, cert },
    http2: true,
    logger,
  })
  const session = connect(server.getURL(), { ca: cert, servername: 'localhost' } as object)
  session.on('error', () => {})
  const stop = (): void => {
    session.destroy()
    void server.stop({ graceMs: 0 })
  }
  return { session, stop }
}

function askHttp2(session: ClientHttp2Session, asked: Asked): Promise<Answer> {
  const { method, target, headers, body, chunked } = asked
  const fields: Record<string, string | string[]> = {}
  for (const [name, value] of headers) {
    const earlier = fields[name]
    fields[name] = earlier === undefined ? value : [...[earlier].flat(), value]
  }
  return new Promise((resolve, reject) => {
    const length = body !== undefined && !chunked ? { 'content-length': String(body.length) } : {}
    const stream = session.request(
      { ':method': method, ':path': target, ':authority': 'test', ...fields, ...length },
      { endStream: body === undefined },
    )
    let head: IncomingHttpHeaders & { ':status': number }
    const received: Buffer[] = []
    stream.on('response', (answered) => (head = answered as typeof head))
    stream.on('data', (chunk: Buffer) => received.push(chunk))
    stream.on('error', reject)
    stream.on('close', () => {
      if (head === undefined || stream.rstCode !== 0) return reject(new Error(`Reset with ${stream.rstCode}`))
      const lines = Object.entries(head).flatMap(([name, value]) =>
        name.startsWith(':') ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
      )
      resolve(toAnswer(head[':status'], lines, Buffer.concat(received).toString('latin1')))
    })
    if (body !== undefined) stream.end(body)
  })
}

// Of the connection and of the moment.
const notCompared = ['date', 'connection', 'keep-alive']

function toAnswer(status: number, lines: Iterable<[string, string]>, body: string): Answer {
  const headers = [...lines]
    .filter(([name]) => !notCompared.includes(name))
    .map(([name, value]) => `${name}: ${value}`)
  return { status, headers: headers.sort(), body }
}

/** Undefined for what a web Request cannot say as it is. */
async function fetchFrom(
  fetchHandler: (request: Request) => Promise<Response>,
  { method, target, headers, body, chunked }: Asked,
): Promise<Answer | undefined> {
  const { pathname, search } = new URL(`http://test${target}`)
  if (pathname + search !== target) return undefined
  const bytes = body && new Uint8Array(body)
  const length: Asked['headers'] = bytes && !chunked ? [['content-length', String(bytes.byteLength)]] : []
  const response = await fetchHandler(
    new Request(`http://test${target}`, {
      method,
      headers: [...headers, ...length],
      ...(bytes && { body: chunked ? new Blob([bytes]).stream() : bytes, duplex: 'half' as const }),
    }),
  )
  const content = Buffer.from(await response.arrayBuffer()).toString('latin1')
  const lines = [...response.headers].filter(([name]) => name !== 'set-cookie')
  for (const line of response.headers.getSetCookie()) lines.push(['set-cookie', line])
  return toAnswer(response.status, lines, content)
}

function ask(port: number, agent: Agent, asked: Asked): Promise<Answer> {
  const { method, target, headers, body, chunked } = asked
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port, agent, method, path: target, setHost: false })
    outgoing.setHeader('Host', 'test')
    for (const [name, value] of headers) outgoing.appendHeader(name, value)
    if (body !== undefined && chunked) outgoing.setHeader('Transfer-Encoding', 'chunked')
    else if (body !== undefined) outgoing.setHeader('Content-Length', body.length)
    outgoing.on('response', (incoming) => {
      const received: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => received.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const lines: [string, string][] = []
        for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
          if (name === 'set-cookie') for (const value of values) lines.push([name, value])
          else lines.push([name, values.join(', ')])
        }
        resolve(toAnswer(incoming.statusCode!, lines, Buffer.concat(received).toString('latin1')))
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
