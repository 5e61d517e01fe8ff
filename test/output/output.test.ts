import express5, { type Express } from 'express'
import express4 from 'express4'
import fc from 'fast-check'
import {
  type Callback,
  Controller,
  type NodeHandler,
  RouteControllers,
  Server,
  toListener,
} from 'routecontrollers'
import type { ServingName } from '../support/describe-servings.js'
import { closeHosted, closeLater, host } from '../support/hosting.js'
import { openRaw, parseAnswers, type RawAnswer, type RawClient } from '../support/raw-socket.js'
import { anyText } from '../support/any-text.js'
import { times } from '../support/counts.js'

/** What a program was made to put into its answer by somebody who means harm. */
let given = ''

/** Strings that are made of what ends a line, a field or an attribute, also once their high bytes are lost. */
const strings = fc.string({
  unit: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('\r', '\n', '\r\n', '\0', '\r\n\r\n', '\x0b', '\x7f') },
    {
      weight: 2,
      arbitrary: fc.constantFrom('\u010a', '\u010d', '\u0100', '\u560a', '\u560d', '\u2028', '\u0085', 'é'),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(':', ';', ',', '=', ' ', '\t', '"', '%0d%0a', 'X-Evil: 1', 'data: 1', '/'),
    },
    { weight: 4, arbitrary: fc.constantFrom('a', 'B', '7', '-', 'path', 'HTTP/1.1 200 OK') },
    { weight: 1, arbitrary: anyText({ minLength: 1, maxLength: 1 }) },
  ),
  maxLength: 6,
})

const get = (path: string, callback: Callback): Controller => new Controller<string>('GET', path, callback)

const controllers = [
  get('/mark', () => 'mark'),
  get('/header-name', (_req, res) => res.header(given, 'v').text('ok')),
  get('/header-value', (_req, res) => res.header('X-V', given).text('ok')),
  get('/header-list', (_req, res) => res.header('X-V', ['1', given]).text('ok')),
  get('/content-type', (_req, res) => res.header('Content-Type', given).text('ok')),
  get('/native-header', () => new Response('ok', { headers: { 'X-V': given } })),
  get('/status-text', () => new Response('ok', { statusText: given })),
  get('/cookie-name', (_req, res) => res.cookie(given, 'v').text('ok')),
  get('/cookie-value', (_req, res) => res.cookie('c', given).text('ok')),
  get('/cookie-path', (_req, res) => res.cookie('c', 'v', { path: given }).text('ok')),
  get('/cookie-domain', (_req, res) => res.cookie('c', 'v', { domain: given }).text('ok')),
  get('/cookie-same-site', (_req, res) => res.cookie('c', 'v', { sameSite: given as 'lax' }).text('ok')),
  get('/cookie-priority', (_req, res) => res.cookie('c', 'v', { priority: given as 'low' }).text('ok')),
  get('/redirect', (_req, res) => res.redirect(given)),
  get('/error', () => {
    throw Object.assign(new Error(given), { status: 400 })
  }),
  get('/sse-event', (_req, res) => res.sse(once({ event: given, data: 'd' }))),
  get('/sse-id', (_req, res) => res.sse(once({ id: given, data: 'd' }))),
  get('/sse-data', (_req, res) => res.sse(once({ data: given }))),
  get('/sse-text', (_req, res) => res.sse(once(given))),
  get('/hook/:member', () => 'not reached'),
]

async function* once<T>(event: T): AsyncGenerator<T> {
  yield event
}

/** What hooks are given where there is no Express; inside Express its own are theirs to vouch for. */
const members: Record<string, (res: any) => void> = {
  'set-header': (res) => res.setHeader('X-V', given).end('ok'),
  set: (res) => res.set('X-V', given).send('ok'),
  append: (res) => res.append('X-V', given).send('ok'),
  cookie: (res) => res.cookie('c', 'v', { path: given }).send('ok'),
  redirect: (res) => res.redirect(given),
  'status-message': (res) => {
    res.statusMessage = given
    res.end('ok')
  },
}

function create(): RouteControllers {
  const quiet = { info() {}, warn() {}, error() {} }
  return new RouteControllers(controllers, { logger: quiet }).addGlobal('/hook', (req, res) =>
    members[req.url!.slice(1)]!(res),
  )
}

async function serveStandalone(fallback?: Express): Promise<number> {
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers: create(),
    ...(fallback && { fallback: fallback as NodeHandler }),
  })
  closeLater(() => server.stop({ graceMs: 0 }))
  return server.getPort()
}

async function serveInside(express: typeof express5): Promise<number> {
  const app = express().set('env', 'test')
  app.use(create().middleware())
  return (await host(app)).port
}

const ways: Record<ServingName, () => Promise<number>> = {
  standalone: () => serveStandalone(),
  'in front of Express 5': () => serveStandalone(express5()),
  'inside Express 5': () => serveInside(express5),
  'inside Express 4': () => serveInside(express4),
  // Its Responses, and what a server makes of them.
  async web() {
    const callback = create().getCallback()
    return (await host(toListener((request) => callback(request)))).port
  },
}

/** Everything that a header of these answers may be called. */
const known =
  /^(?:x-v|content-type|content-length|date|connection|keep-alive|transfer-encoding|set-cookie|location|cache-control|etag|x-powered-by|content-security-policy|x-content-type-options|vary)$/i

/** What is wrong with the head of an answer, whatever it was made of. */
function judge({ head }: RawAnswer, path: string): string[] {
  const [status = '', ...lines] = head.split('\r\n')
  const wrong: string[] = []
  if (/[\r\n\0]/.test(head.replaceAll('\r\n', ''))) wrong.push('a CR, LF or NUL stands alone')
  if (!/^HTTP\/1\.1 (?:200|302|400|500)(?: [\t\x20-\x7e\x80-\xff]*)?$/.test(status))
    wrong.push(`status line ${status}`)
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':'))
    const own = path === '/header-name' && name.toLowerCase() === given.toLowerCase()
    if (!own && !known.test(name)) wrong.push(`the line ${line}`)
  }
  const count = (name: RegExp): number => lines.filter((line) => name.test(line)).length
  if (count(/^x-v:/i) > (path === '/header-list' ? 2 : 1)) wrong.push('more headers than were set')
  if (count(/^set-cookie:/i) > 1) wrong.push('more cookies than were set')
  for (const line of lines.filter((one) => /^set-cookie:/i.test(one))) {
    const attributes = line
      .split(';')
      .slice(1)
      .map((one) => one.split('=', 1)[0]!.trim().toLowerCase())
    const expected = {
      '/cookie-domain': ['domain', 'path'],
      '/cookie-same-site': ['path', 'samesite'],
      '/cookie-priority': ['path', 'priority'],
    }
    // An attribute of its own is left out when it is empty.
    const allowed = expected[path as keyof typeof expected] ?? ['path']
    if (attributes.length > allowed.length || attributes.some((name) => !allowed.includes(name)))
      wrong.push(`the attributes ${attributes.join()}`)
  }
  return wrong
}

/** The value of a header as it came, in Latin-1. */
function valueOf({ head }: RawAnswer, name: string): string | undefined {
  return head
    .split('\r\n')
    .findLast((line) => line.toLowerCase().startsWith(`${name}: `))
    ?.slice(name.length + 2)
}

/** Reads server-sent events as https://html.spec.whatwg.org/multipage/server-sent-events.html says. */
function readEvents(body: string): Record<string, string>[] {
  const events: Record<string, string>[] = []
  let fields: Record<string, string> = {}
  for (const line of body.split(/\r\n|\r|\n/)) {
    if (line === '') {
      if (Object.keys(fields).length > 0) events.push(fields)
      fields = {}
      continue
    }
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line)!
    fields[name!] = name! in fields ? `${fields[name!]}\n${value}` : value!
  }
  return events
}

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

// Node sends the head of a stream in UTF-8. A Response trims its values, and joins those of one name.
const locationOfExpress = (url: string): string =>
  express5.response.location.call({ set: (_name: string, value: string) => value } as never, url) as never

const spellings = (value: string): string[] =>
  [value, utf8(value)].flatMap((one) => [one, trimmed(one), trimmed(`1, ${trimmed(one)}`)])

const trimmed = (value: string): string => value.replace(/^[\t ]+|[\t ]+$/g, '')

/** What an answer has to be when the value was taken; undefined where it is the wire that is judged alone. */
const taken: Record<string, (answer: RawAnswer) => void> = {
  '/header-value': (answer) => expect(spellings(given)).toContain(valueOf(answer, 'x-v')),
  '/header-list': (answer) => expect(spellings(given)).toContain(valueOf(answer, 'x-v')),
  '/redirect': (answer) => expect(valueOf(answer, 'location')).toBe(locationOfExpress(given)),
  '/sse-event': ({ body }) => expect(readEvents(body)).toEqual([{ event: utf8(given), data: 'd' }]),
  '/sse-id': ({ body }) => expect(readEvents(body)).toEqual([{ id: utf8(given), data: 'd' }]),
  '/sse-data': ({ body }) =>
    expect(readEvents(body)).toEqual([{ data: utf8(given).replace(/\r\n?/g, '\n') }]),
  '/sse-text': ({ body }) =>
    expect(readEvents(body)).toEqual([{ data: utf8(given).replace(/\r\n?/g, '\n') }]),
}

const paths = [
  ...controllers.map(({ pattern }) => pattern.source).filter((path) => !/mark|hook/.test(path)),
  ...Object.keys(members).map((member) => `/hook/${member}`),
]

const ignore = (): void => {}
const neverTaken = new Set(['/error'])
const alwaysTaken = new Set(['/cookie-value', '/redirect', '/sse-data', '/sse-text', '/hook/redirect'])

describe.each(Object.entries(ways))('On the wire, %s', (_way, serve) => {
  let port: number
  beforeAll(async () => {
    // A handler of somebody else has no logger of its own.
    jest.spyOn(console, 'error').mockImplementation(() => {})
    // Express writes its notices on stderr only where nobody listens to them.
    process.on('deprecation', ignore)
    port = await serve()
  })
  afterAll(async () => {
    await closeHosted()
    process.off('deprecation', ignore)
    jest.restoreAllMocks()
  })

  /** Asks for a path, and after it for one that is known: what stands between is the answer to the first. */
  async function ask(client: RawClient, path: string): Promise<RawAnswer[]> {
    client.received = ''
    client.write(`GET ${path} HTTP/1.1\r\nHost: t\r\n\r\nGET /mark HTTP/1.1\r\nHost: t\r\n\r\n`)
    return parseAnswers(await client.until(/\r\n\r\nmark$/))
  }

  it.each(paths)('%s stays within its field, whatever string it is given', async (path) => {
    let client = await openRaw(port)
    const seen = { taken: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(strings, async (value) => {
        given = value
        const answers = await ask(client, path)
        if (client.closed) {
          // Cut off in the middle of its stream, as an event that cannot be sent has it.
          client = await openRaw(port)
          expect(path).toMatch(/^\/sse-(?:event|id)$/)
          expect(answers).toHaveLength(1)
          expect(answers[0]!.body).toBe('')
          expect(value).toMatch(/[\r\n\0]/)
          seen.refused++
          return
        }
        expect(answers).toHaveLength(2)
        expect(answers[1]!.body).toBe('mark')
        const [answer] = answers as [RawAnswer]
        expect(judge(answer, path)).toEqual([])
        if (answer.status >= 400) seen.refused++
        else {
          seen.taken++
          taken[path]?.(answer)
        }
      }),
      { seed: 20_261_121, numRuns: times(6, 80) },
    )
    // Else the strings were too tame, or nothing was ever sent. What encodes or frames what it gets takes all of them.
    expect(seen.taken > 0).toBe(!neverTaken.has(path))
    expect(seen.refused > 0).toBe(!alwaysTaken.has(path))
  })
})
