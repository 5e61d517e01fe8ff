import { Controller, RouteControllers } from 'routecontrollers'
import { serveHttp2 } from '../server/serve-http2.js'
import { closeHosted } from '../support/hosting.js'
import type { Fields } from '../support/http2-frames.js'
import type { HostileRequest } from './client.js'
import { sendHostileHttp2, toHttp2 } from './http2.js'

afterEach(closeHosted)

type Pseudo = Record<string, string | undefined>
const get: Pseudo = { ':method': 'GET', ':scheme': 'https', ':authority': 't', ':path': '/' }
const fieldsOf = (pseudo: Pseudo): Fields =>
  Object.entries({ ...get, ...pseudo }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )

interface Ask {
  fields: Fields
  body?: string
  isWhole?: boolean
}

/** What becomes of it, and what a hook for every request has seen of it. */
async function ask({
  fields,
  body,
  isWhole = true,
}: Ask): Promise<{ result: string; text: string; seen: unknown[] }> {
  const seen: unknown[] = []
  const routeControllers = new RouteControllers(
    [
      new Controller('*', '/*', (req, res) => res.json([req.method, req.url, req.headers['cookie'] ?? null])),
      new Controller('POST', '/echo', (req) => req.text()),
    ],
    { logger: { info() {}, warn() {}, error() {} } },
  ).addGlobal(
    (req, _res, next) => {
      seen.push([req.method, req.url])
      next()
    },
    { scope: 'every' },
  )
  const { port } = await serveHttp2(routeControllers, { fallback: (_req, res) => void res.end('behind') })
  const { result, received } = await sendHostileHttp2(port, {
    fields,
    body: body === undefined ? undefined : Buffer.from(body),
    isWhole,
  })
  return { result, text: received.slice(received.indexOf('\r\n\r\n') + 4), seen }
}

describe('What only HTTP/2 can say', () => {
  it.each<[string, Fields]>([
    ['no method', fieldsOf({ ':method': undefined })],
    ['no path', fieldsOf({ ':path': undefined })],
    ['an empty path', fieldsOf({ ':path': '' })],
    ['no scheme', fieldsOf({ ':scheme': undefined })],
    ['two methods', [...fieldsOf({}), [':method', 'POST']]],
    ['two paths', [...fieldsOf({}), [':path', '/echo']]],
    ['two authorities', [...fieldsOf({}), [':authority', 'other']]],
    ['a pseudo-header of an answer', [...fieldsOf({}), [':status', '200']]],
    ['a pseudo-header that is none', [...fieldsOf({}), [':admin', '1']]],
    ['a pseudo-header behind a field', [...fieldsOf({ ':path': undefined }), ['a', '1'], [':path', '/']]],
    ['a path of absolute form', fieldsOf({ ':path': 'http://evil.example/' })],
    ['a path without a slash', fieldsOf({ ':path': 'admin' })],
    ['a field in capital letters', [...fieldsOf({}), ['X-A', '1']]],
    ['a method in small letters', fieldsOf({ ':method': 'get' })],
    ['a method with a space', fieldsOf({ ':method': 'GET /admin' })],
    ['a method with CR LF', fieldsOf({ ':method': 'GET\r\nA: 1' })],
    ['a path with CR LF', fieldsOf({ ':path': '/\r\nA: 1' })],
    ['a path with a space', fieldsOf({ ':path': '/ HTTP/1.1' })],
    ['a path with NUL', fieldsOf({ ':path': '/\0' })],
    ['an authority with CR LF', fieldsOf({ ':authority': 't\r\nA: 1' })],
    ['an authority with a path', fieldsOf({ ':authority': 't/admin?' })],
    ['an authority with user information', fieldsOf({ ':authority': 'a@t' })],
    ['a Host that says otherwise', [...fieldsOf({}), ['host', 'other']]],
    ['two Hosts', [...fieldsOf({ ':authority': undefined }), ['host', 't'], ['host', 'other']]],
    ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'].map(
      (name): [string, Fields] => [`the field ${name}`, [...fieldsOf({}), [name, 'chunked']]],
    ),
    ['TE that is not trailers', [...fieldsOf({}), ['te', 'gzip']]],
    ['two lengths', [...fieldsOf({ ':method': 'POST' }), ['content-length', '1'], ['content-length', '2']]],
    ['a length that is none', [...fieldsOf({ ':method': 'POST' }), ['content-length', '+1']]],
    ['a length, and no body', [...fieldsOf({ ':method': 'POST' }), ['content-length', '1']]],
    [
      'another scheme and a path of absolute form',
      fieldsOf({ ':scheme': 'ftp', ':path': 'http://evil.example/' }),
    ],
    ['another scheme and a path without a slash', fieldsOf({ ':scheme': 'ftp', ':path': 'admin' })],
    ['another scheme and an asterisk', fieldsOf({ ':scheme': 'ftp', ':path': '*' })],
    ['CONNECT with a path', fieldsOf({ ':method': 'CONNECT' })],
    ['CONNECT', fieldsOf({ ':method': 'CONNECT', ':path': undefined, ':scheme': undefined })],
  ])('is refused: %s', async (_what, fields) => {
    const { result, seen } = await ask({ fields })
    expect([result, seen]).toEqual([expect.stringMatching(/^(?:closed|400|405)$/), expect.anything()])
    expect(seen.filter((one) => JSON.stringify(one) !== '["GET","/"]')).toEqual([])
  })

  it.each<[string, string, string]>([
    ['more than its length', '1', 'xx'],
    ['less than its length', '3', 'xx'],
  ])('is refused: a body of %s', async (_what, length, body) => {
    const fields: Fields = [
      ...fieldsOf({ ':method': 'POST', ':path': '/echo' }),
      ['content-type', 'text/plain'],
      ['content-length', length],
    ]
    expect((await ask({ fields, body })).result).toBe('closed')
  })

  it('takes a Cookie in crumbs for one', async () => {
    const { text } = await ask({ fields: [...fieldsOf({}), ['cookie', 'a=1'], ['cookie', 'b=2']] })
    expect(JSON.parse(text)).toEqual(['GET', '/', 'a=1; b=2'])
  })
})

it.each(['zz\r\n', '-5\r\n', '\r\n', '5\r\nabc', '5 without an end'])(
  'A chunked body whose next chunk is %j becomes one that is cut off, in the tests that change requests',
  (chunk) => {
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
    const request = { name: 'changed', category: 'changed', raw: `${head}3\r\nabc\r\n${chunk}` }
    const { body, isWhole } = toHttp2(request as HostileRequest)
    expect([String(body).slice(0, 3), isWhole]).toEqual(['abc', false])
  },
)
