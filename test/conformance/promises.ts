import { brotliCompressSync, gzipSync } from 'node:zlib'

/** The apps of served/apps.cjs. */
export type AppName = 'plain' | 'limited' | 'strict' | 'proxied' | 'hooked' | 'connect' | 'express'

export interface Ask {
  method?: string
  /** The target as it is sent. */
  target: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Sends the body in pieces, without its length. */
  chunked?: boolean
  /** Goes away when this much of the answer has come. */
  leaveAfter?: string
  /** Asks again until the answer is the expected one, for what is seen a little later. */
  eventually?: boolean
}

/** What is compared of an answer. A header that is null must not be there. */
export interface Expected {
  status: number
  body?: string | RegExp
  json?: unknown
  headers?: Record<string, string | RegExp | null>
  cookies?: (string | RegExp)[]
  /** True for an answer that is cut off before its end. */
  cut?: true
}

/** One promise of docs/behaviour.md. */
export interface Promised {
  section: string
  promise: string
  app: AppName
  /** Requests one after the other, or bytes as they are sent. The last answer is compared. */
  asks: readonly Ask[] | string
  expected: Expected
  /** Promised only where a `Server` listens, or any server of node:http. */
  where?: 'Server' | 'node:http'
  /** The session cookie of an answer goes with the next request. */
  keepsCookies?: true
}

const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const text = { 'Content-Type': 'text/plain' }
const multipart = [
  '--edge\r\nContent-Disposition: form-data; name="name"\r\n\r\nGr\u00fcn\r\n',
  '--edge\r\nContent-Disposition: form-data; name="file"; filename="tea.txt"\r\nContent-Type: text/plain\r\n\r\nleaves\r\n',
  '--edge--\r\n',
].join('')
const gzipped = { ...json, 'Content-Encoding': 'gzip' }
const bomb = gzipSync(JSON.stringify({ tea: 'x'.repeat(100_000) }))
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

type Row = [promise: string, ask: Ask | readonly Ask[] | string, expected: Expected, more?: Partial<Promised>]

/** Rows of one section, asked of one app. */
function of(section: string, app: AppName, rows: readonly Row[]): Promised[] {
  return rows.map(([promise, asked, expected, more]) => {
    const asks = typeof asked === 'string' || Array.isArray(asked) ? asked : [asked as Ask]
    return { section, promise, app, asks: asks as readonly Ask[] | string, expected, ...more }
  })
}

const routed = (route: string, params: Record<string, string>): Expected => ({
  status: 200,
  json: { route, params },
})
const server = { where: 'Server' } as const
const close = '\r\nConnection: close\r\n\r\n'

/** The promises of docs/behaviour.md that an answer can show, each with a request. */
export const promises: readonly Promised[] = [
  ...of('Patterns', 'plain', [
    ['`:name` matches one segment', { target: '/users/7' }, routed('/users/:userId', { userId: '7' })],
    ['`:name` matches no empty segment', { target: '/users/' }, { status: 404 }],
    ['`*` matches the rest of a path', { target: '/files/a/b' }, routed('/files/*', { '*': 'a/b' })],
    ['`*` matches an empty rest', { target: '/files/' }, routed('/files/*', { '*': '' })],
    ['`/files/*` does not match `/files`', { target: '/files' }, { status: 404 }],
    ['`*name` names the rest', { target: '/named/a/b' }, routed('/named/*rest', { rest: 'a/b' })],
    [
      'A param is decoded once',
      { target: '/users/a%2Fb%2525' },
      routed('/users/:userId', { userId: 'a/b%25' }),
    ],
    ['A malformed escape in a param is 400', { target: '/users/%zz' }, { status: 400 }],
    ['A param that is no UTF-8 is 400', { target: '/users/%ff' }, { status: 400 }],
    ['`+` in a param stays', { target: '/users/a+b' }, routed('/users/:userId', { userId: 'a+b' })],
    ['A rest is decoded', { target: '/files/a%2Fb/%C3%BC' }, routed('/files/*', { '*': 'a/b/ü' })],
    ['A rest keeps its slashes', { target: '/files/a//b/' }, routed('/files/*', { '*': 'a//b/' })],
  ]),
  ...of('Which controller', 'plain', [
    ['Static text comes before a param', { target: '/users/me' }, routed('/users/me', {})],
    [
      'The exact method comes before `*`',
      { method: 'PUT', target: '/methods' },
      { status: 200, body: 'put' },
    ],
    ['`*` takes every method', { method: 'PATCH', target: '/methods' }, { status: 200, body: 'any PATCH' }],
    ['A method may be any token', { method: 'PURGE', target: '/methods' }, { status: 200, body: 'purge' }],
    [
      'A pattern without the method hides no other one',
      { target: '/reach/one' },
      routed('/reach/*', { '*': 'one' }),
    ],
    [
      'GET answers HEAD, with its length and no body',
      { method: 'HEAD', target: '/text' },
      { status: 200, body: '', headers: { 'content-length': '7' } },
    ],
    [
      'A HEAD Controller answers HEAD',
      { method: 'HEAD', target: '/head' },
      { status: 200, body: '', headers: { 'x-of': 'HEAD' } },
    ],
    [
      'The first segment that differs decides',
      { target: '/specific/a/b' },
      routed('/specific/a/*', { '*': 'b' }),
    ],
    [
      'HEAD of a 404 has its length',
      { method: 'HEAD', target: '/none' },
      { status: 404, body: '', headers: { 'content-length': '9' } },
    ],
    [
      'HEAD of a `Response` has the length of GET',
      { method: 'HEAD', target: '/response' },
      { status: 203, body: '', headers: { 'content-length': '3' } },
    ],
    ['A path without the method is 404', { target: '/post' }, { status: 404, body: 'Not Found' }],
  ]),
  ...of('Which controller', 'strict', [
    [
      '`methods: "strict"`: 405 with Allow',
      { method: 'PUT', target: '/tea' },
      { status: 405, headers: { allow: 'GET, HEAD, OPTIONS, POST' } },
    ],
    [
      '`methods: "strict"`: OPTIONS is 204 with Allow',
      { method: 'OPTIONS', target: '/tea' },
      { status: 204, body: '', headers: { allow: 'GET, HEAD, OPTIONS, POST' } },
    ],
  ]),
  ...of('The path', 'plain', [
    ['`//` is not collapsed', { target: '/users//me' }, { status: 404 }],
    ['Upper case differs from lower case', { target: '/USERS/me' }, { status: 404 }],
    ['A trailing slash counts', { target: '/users/me/' }, { status: 404 }],
    ['Escapes are not decoded before the match', { target: '/users%2Fme' }, { status: 404 }],
    ['A path that begins with `//` is a path', { target: '//users/me' }, { status: 404 }],
    [
      'Dots are not resolved',
      { target: '/files/../users/me' },
      routed('/files/*', { '*': '../users/me' }),
      server,
    ],
    [
      'Escaped dots are not resolved',
      { target: '/files/%2e%2e/x' },
      routed('/files/*', { '*': '../x' }),
      server,
    ],
    [
      'What a URL would escape stays as it is',
      { target: '/echo/{a}|?b=<c>' },
      {
        status: 200,
        json: {
          method: 'GET',
          url: '/echo/{a}|?b=<c>',
          originalUrl: '/echo/{a}|?b=<c>',
          query: { b: '<c>' },
        },
      },
      server,
    ],
    ['HTTP/1.0 without a Host', `GET /users/me HTTP/1.0\r\n\r\n`, routed('/users/me', {})],
    ['`\\` is no `/`', { target: '/users\\me' }, { status: 404 }, server],
    [
      'The host of an absolute-form target is left out',
      `GET http://tea.example/users/me HTTP/1.1\r\nHost: tea.example${close}`,
      routed('/users/me', {}),
      server,
    ],
    [
      'User information in a target is 400',
      `GET http://u@tea.example/users/me HTTP/1.1\r\nHost: tea.example${close}`,
      { status: 400 },
      server,
    ],
    [
      'A fragment in a target is 400',
      `GET /users/me#top HTTP/1.1\r\nHost: tea.example${close}`,
      { status: 400 },
      server,
    ],
    [
      'A malformed Host is 400',
      `GET /users/me HTTP/1.1\r\nHost: tea.example/x${close}`,
      { status: 400 },
      server,
    ],
    [
      'A double Host is 400',
      `GET /users/me HTTP/1.1\r\nHost: a.example\r\nHost: b.example${close}`,
      { status: 400 },
      server,
    ],
    ['A missing Host is 400', `GET /users/me HTTP/1.1${close}`, { status: 400 }, server],
    [
      '`OPTIONS *` is 204 with Allow',
      `OPTIONS * HTTP/1.1\r\nHost: tea.example${close}`,
      { status: 204, headers: { allow: /GET/ } },
      server,
    ],
  ]),
  ...of('checkRoute', 'plain', [
    [
      '`checkRoute` finds a route, its params and its key',
      { target: '/check' },
      {
        status: 200,
        json: [
          { exists: true, params: { userId: '1' }, key: 'GET:/users/:userId' },
          { exists: false, params: {}, key: '' },
        ],
      },
    ],
  ]),
  ...of('req', 'plain', [
    [
      '`req.url` is path and query',
      { method: 'DELETE', target: '/echo/a%20b?tea=gr%C3%BCn' },
      {
        status: 200,
        json: {
          method: 'DELETE',
          url: '/echo/a%20b?tea=gr%C3%BCn',
          originalUrl: '/echo/a%20b?tea=gr%C3%BCn',
          query: { tea: 'grün' },
        },
      },
    ],
    [
      '`req.query`: a list for a repeated name, `+` is a space',
      { target: '/echo/?a=1&a=2&b=x+y&c' },
      {
        status: 200,
        json: {
          method: 'GET',
          url: '/echo/?a=1&a=2&b=x+y&c',
          originalUrl: '/echo/?a=1&a=2&b=x+y&c',
          query: { a: ['1', '2'], b: 'x y', c: '' },
        },
      },
    ],
    [
      '`req.query`: a malformed escape stays as it is',
      { target: '/echo/?a=%zz' },
      {
        status: 200,
        json: { method: 'GET', url: '/echo/?a=%zz', originalUrl: '/echo/?a=%zz', query: { a: '%zz' } },
      },
    ],
    [
      'A `?` without a query stays in `req.url`',
      { target: '/echo/?' },
      { status: 200, json: { method: 'GET', url: '/echo/?', originalUrl: '/echo/?', query: {} } },
    ],
    [
      '`req.query` and `req.cookies` have no prototype',
      { target: '/bare?a=1', headers: { Cookie: 'a=1' } },
      { status: 200, json: [true, true] },
    ],
    [
      '`__proto__` is a cookie as any other',
      { target: '/cookies', headers: { Cookie: '__proto__=1; constructor=2' } },
      { status: 200, body: '{"__proto__":"1","constructor":"2"}' },
    ],
    [
      'Two Cookie fields',
      `GET /cookies HTTP/1.1\r\nHost: tea.example\r\nCookie: a=1\r\nCookie: b=2${close}`,
      { status: 200, json: { a: '1', b: '2' } },
    ],
    [
      'A header without a value',
      { target: '/header/x-tea', headers: { 'X-Tea': '' } },
      { status: 200, json: '' },
    ],
    [
      'A header that is sent twice',
      `GET /header/x-tea HTTP/1.1\r\nHost: tea.example\r\nX-Tea: a\r\nX-Tea: b${close}`,
      { status: 200, json: 'a, b' },
    ],
    [
      'The first Authorization counts',
      `GET /header/authorization HTTP/1.1\r\nHost: tea.example\r\nAuthorization: a\r\nAuthorization: b${close}`,
      { status: 200, json: 'a' },
      { where: 'node:http' },
    ],
    ['`getQueryParams` gives the last value', { target: '/last?a=1&a=2' }, { status: 200, json: { a: '2' } }],
    [
      '`req.cookies` is parsed and decoded, and the first value counts',
      { target: '/cookies', headers: { Cookie: 'a=1; b=x%20y; a=2' } },
      { status: 200, json: { a: '1', b: 'x y' } },
    ],
    [
      '`req.get` reads a header',
      { target: '/header/X-Tea', headers: { 'x-tea': 'green' } },
      { status: 200, json: 'green' },
    ],
    [
      '`req.get` reads Referrer where Referer is asked for',
      { target: '/header/referer', headers: { Referrer: 'https://tea.example/' } },
      { status: 200, json: 'https://tea.example/' },
    ],
    ['`req.get` finds no member of Object', { target: '/header/constructor' }, { status: 200, json: null }],
    [
      '`req.route` is the Controller that has matched',
      { target: '/route' },
      { status: 200, json: { method: 'GET', path: '/route', name: 'the route' } },
    ],
    ['`req.realIp` is the address of the client', { target: '/ip' }, { status: 200, json: '127.0.0.1' }],
    [
      'Without `trustProxy`, X-Forwarded-For does not count',
      { target: '/ip', headers: { 'X-Forwarded-For': '203.0.113.7' } },
      { status: 200, json: '127.0.0.1' },
    ],
    [
      '`req.signal` does not abort after a whole answer',
      [{ target: '/signal/whole' }, { target: '/signal/whole' }, { target: '/aborted/whole' }],
      { status: 200, json: [false, false] },
    ],
    [
      '`req.signal` does not abort after a whole stream',
      [{ target: '/signal/streamed' }, { target: '/signal/streamed' }, { target: '/aborted/streamed' }],
      { status: 200, json: [false, false] },
    ],
    [
      '`req.signal` aborts when a client disconnects',
      [
        { target: '/signal/left', leaveAfter: 'tick 2' },
        { target: '/aborted/left', eventually: true },
      ],
      { status: 200, body: /^\[true/ },
    ],
    [
      'The source of a stream is cancelled when a client disconnects',
      [
        { target: '/signal/left', leaveAfter: 'tick 2' },
        { target: '/cancelled', eventually: true },
      ],
      { status: 200, body: /true\]$/ },
    ],
  ]),
  ...of('req', 'proxied', [
    [
      'With `trustProxy`, `req.realIp` is the nearest untrusted address',
      { target: '/ip', headers: { 'X-Forwarded-For': '198.51.100.1, 203.0.113.7, 127.0.0.1' } },
      { status: 200, json: '203.0.113.7' },
    ],
    [
      'An IPv6 address has one spelling',
      { target: '/ip', headers: { 'X-Forwarded-For': '2001:DB8:0::1' } },
      { status: 200, json: '2001:db8::1' },
    ],
    [
      'An IPv4 address that is mapped into IPv6 is IPv4',
      { target: '/ip', headers: { 'X-Forwarded-For': '::ffff:203.0.113.7' } },
      { status: 200, json: '203.0.113.7' },
    ],
  ]),
  ...of('Bodies', 'plain', [
    [
      'JSON is parsed',
      { method: 'POST', target: '/body', headers: json, body: '{"tea":"grün"}' },
      { status: 200, json: { body: { tea: 'grün' } } },
    ],
    [
      '`*/*+json` is parsed',
      { method: 'POST', target: '/body', headers: { 'Content-Type': 'application/tea+json' }, body: '[1]' },
      { status: 200, json: { body: [1] } },
    ],
    [
      'A body in pieces is parsed',
      { method: 'POST', target: '/body', headers: json, body: '{"tea":"grün"}', chunked: true },
      { status: 200, json: { body: { tea: 'grün' } } },
    ],
    [
      'A form is parsed',
      { method: 'POST', target: '/body', headers: form, body: 'a=1&a=2&b=x+y' },
      { status: 200, json: { body: { a: ['1', '2'], b: 'x y' } } },
    ],
    [
      'Text is parsed',
      { method: 'POST', target: '/body', headers: text, body: 'grün' },
      { status: 200, json: { body: 'grün' } },
    ],
    [
      'A request without a body has none',
      { method: 'POST', target: '/body', headers: json },
      { status: 200, json: { body: null } },
    ],
    [
      'A body of another type is not parsed',
      { method: 'POST', target: '/body', headers: { 'Content-Type': 'application/tea' }, body: 'x' },
      { status: 200, json: { body: null } },
    ],
    [
      'A body can be read again',
      { method: 'POST', target: '/again', headers: json, body: '{"tea":1}' },
      { status: 200, json: [{ tea: 1 }, { tea: 1 }, '{"tea":1}', 9] },
    ],
    [
      'Fields and files of multipart',
      {
        method: 'POST',
        target: '/form',
        headers: { 'Content-Type': 'multipart/form-data; boundary=edge' },
        body: multipart,
      },
      { status: 200, json: ['Grün', ['tea.txt', 'text/plain', 'leaves']] },
    ],
    [
      'Bytes',
      {
        method: 'POST',
        target: '/bytes',
        body: Uint8Array.of(0, 255, 128),
        headers: { 'Content-Type': 'application/octet-stream' },
      },
      { status: 200, json: [0, 255, 128] },
    ],
    [
      'A body of another type is a stream',
      {
        method: 'POST',
        target: '/iterate',
        body: 'x'.repeat(100_000),
        headers: { 'Content-Type': 'application/octet-stream' },
      },
      { status: 200, body: '100000' },
    ],
    [
      '`body: "stream"` leaves a body unread',
      { method: 'POST', target: '/stream-text', headers: json, body: '{"tea":1}' },
      { status: 200, body: '9' },
    ],
    [
      'A body that is not read does not disturb',
      { method: 'POST', target: '/unread', headers: json, body: '{"tea":1}' },
      { status: 200, body: 'unread' },
    ],
    [
      'A loop over a body that was parsed',
      { method: 'POST', target: '/loop-again', headers: json, body: '{"tea":1}' },
      { status: 200, json: [{ tea: 1 }, '{"tea":1}'] },
    ],
    [
      'Two readers of a body',
      { method: 'POST', target: '/both', headers: text, body: 'tea' },
      { status: 200, json: ['string', 'object'] },
    ],
    [
      'The body of a DELETE',
      { method: 'DELETE', target: '/body', headers: json, body: '{"tea":1}' },
      { status: 200, json: { body: { tea: 1 } } },
    ],
    [
      'The body of a GET',
      { target: '/body', headers: json, body: '{"tea":1}' },
      { status: 200, json: { body: { tea: 1 } } },
      { where: 'node:http' },
    ],
    [
      'A charset in quotes, and in upper case',
      {
        method: 'POST',
        target: '/body',
        headers: { 'Content-Type': 'Application/JSON; charset="UTF-8"' },
        body: '[1]',
      },
      { status: 200, json: { body: [1] } },
    ],
    [
      '`Expect: 100-continue`',
      `POST /body HTTP/1.1\r\nHost: tea.example\r\nContent-Type: text/plain\r\nExpect: 100-continue\r\nContent-Length: 3${close}tea`,
      { status: 200, json: { body: 'tea' } },
    ],
    [
      'Trailers behind a body',
      `POST /body HTTP/1.1\r\nHost: tea.example\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked${close}3\r\ntea\r\n0\r\nX-Tea: green\r\n\r\n`,
      { status: 200, json: { body: 'tea' } },
    ],
    [
      '`req.json()` of another type is 415',
      { method: 'POST', target: '/as-json', headers: text, body: '{}' },
      { status: 415 },
    ],
    [
      'A multipart body that breaks off is 400',
      {
        method: 'POST',
        target: '/form',
        headers: { 'Content-Type': 'multipart/form-data; boundary=edge' },
        body: multipart.slice(0, 60),
      },
      { status: 400 },
    ],
    [
      'A field of a form may be `__proto__`',
      { method: 'POST', target: '/body', headers: form, body: '__proto__=1' },
      { status: 200, body: '{"body":{"__proto__":"1"}}' },
    ],
    [
      'Malformed JSON is 400',
      { method: 'POST', target: '/body', headers: json, body: '{"tea":' },
      { status: 400 },
    ],
    [
      'JSON is an object or an array',
      { method: 'POST', target: '/body', headers: json, body: '5' },
      { status: 400 },
    ],
    [
      'JSON has no `__proto__`',
      { method: 'POST', target: '/body', headers: json, body: '{"__proto__":{}}' },
      { status: 400 },
    ],
    [
      'JSON is UTF-8',
      { method: 'POST', target: '/body', headers: json, body: Uint8Array.of(0x22, 0xff, 0x22) },
      { status: 400 },
    ],
    [
      'Another charset is 415',
      {
        method: 'POST',
        target: '/body',
        headers: { 'Content-Type': 'application/json; charset=latin1' },
        body: '{}',
      },
      { status: 415 },
    ],
    [
      'A compressed body is 415',
      { method: 'POST', target: '/body', headers: gzipped, body: gzipSync('{"tea":1}') },
      { status: 415 },
    ],
    [
      'A body within 1 MiB',
      { method: 'POST', target: '/stream-text', headers: text, body: 'x'.repeat(1_048_576) },
      { status: 200, body: '1048576' },
    ],
    [
      'A body over 1 MiB is 413',
      { method: 'POST', target: '/body', headers: text, body: 'x'.repeat(1_048_577) },
      { status: 413 },
    ],
    [
      'A declared excess is refused before it is read',
      `POST /body HTTP/1.1\r\nHost: tea.example\r\nContent-Type: text/plain\r\nContent-Length: 2000000\r\nConnection: close\r\n\r\n`,
      { status: 413 },
      { where: 'node:http' },
    ],
  ]),
  ...of('Bodies', 'limited', [
    [
      'The limit is exact to the byte',
      { method: 'POST', target: '/body', headers: text, body: 'x'.repeat(1000) },
      { status: 200 },
    ],
    [
      'One byte more is 413',
      { method: 'POST', target: '/body', headers: text, body: 'x'.repeat(1001) },
      { status: 413 },
    ],
    [
      'The limit counts what is read',
      { method: 'POST', target: '/body', headers: text, body: 'x'.repeat(1001), chunked: true },
      { status: 413 },
    ],
    [
      'A Controller has a limit of its own',
      { method: 'POST', target: '/large', headers: text, body: 'x'.repeat(2000) },
      { status: 200, body: '2000' },
    ],
    [
      'A loop over a body ends at the limit',
      {
        method: 'POST',
        target: '/iterate',
        body: 'x'.repeat(1001),
        chunked: true,
        headers: { 'Content-Type': 'application/octet-stream' },
      },
      { status: 413 },
    ],
    [
      '`decompress` reads gzip',
      { method: 'POST', target: '/body', headers: gzipped, body: gzipSync('{"tea":1}') },
      { status: 200, json: { body: { tea: 1 } } },
    ],
    [
      'The limit counts decompressed bytes',
      { method: 'POST', target: '/body', headers: gzipped, body: bomb },
      { status: 413 },
    ],
    [
      'Broken gzip is 400',
      { method: 'POST', target: '/body', headers: gzipped, body: 'no gzip' },
      { status: 400 },
    ],
    [
      '`decompress` reads br',
      {
        method: 'POST',
        target: '/length',
        headers: { 'Content-Encoding': 'br' },
        body: brotliCompressSync('tea'),
      },
      { status: 200, body: '3' },
    ],
    [
      'A parser of the program',
      { method: 'POST', target: '/body', headers: { 'Content-Type': 'application/xml' }, body: '<tea/>' },
      { status: 200, json: { body: { xml: '<tea/>' } } },
    ],
  ]),
  ...of('Limits', 'limited', [
    ['`maxTargetBytes`: 414', { target: `/query?a=${'x'.repeat(200)}` }, { status: 414 }],
    [
      '`maxQueryFields`: the rest is not read',
      { target: '/query?a=1&b=2&c=3&d=4' },
      { status: 200, json: { a: '1', b: '2', c: '3' } },
    ],
    [
      '`maxJsonDepth`: 400',
      { method: 'POST', target: '/body', headers: json, body: nested(6) },
      { status: 400 },
    ],
    [
      '`maxFormFields`: 413',
      { method: 'POST', target: '/body', headers: form, body: 'a=1&b=2&c=3&d=4' },
      { status: 413 },
    ],
    ['`answerTimeoutMs`: 503', { target: '/silent' }, { status: 503 }],
  ]),
  ...of('res', 'plain', [
    [
      'A text is `text/plain`',
      { target: '/text' },
      { status: 200, body: 'Grüße', headers: { 'content-type': 'text/plain; charset=utf-8' } },
    ],
    [
      'An object is JSON',
      { target: '/object' },
      { status: 200, body: '{"tea":"grün"}', headers: { 'content-type': /^application\/json/ } },
    ],
    ['An array is JSON', { target: '/list' }, { status: 200, body: '[1,2]' }],
    ['`null` is 204', { target: '/null' }, { status: 204, body: '', headers: { 'content-type': null } }],
    [
      'Bytes are `application/octet-stream`',
      { target: '/octets' },
      { status: 200, headers: { 'content-type': 'application/octet-stream', 'content-length': '4' } },
    ],
    [
      'A body that has its coding is sent as it is',
      { target: '/coded' },
      { status: 200, body: 'tea of yesterday', headers: { 'content-encoding': 'gzip' } },
    ],
    [
      '`html()` is `text/html`',
      { target: '/html' },
      { status: 200, body: '<p>hello', headers: { 'content-type': 'text/html; charset=utf-8' } },
    ],
    [
      'An empty text has the length 0',
      { target: '/empty' },
      { status: 200, body: '', headers: { 'content-length': '0' } },
    ],
    [
      'An ArrayBuffer',
      { target: '/buffer' },
      { status: 200, body: 'tea', headers: { 'content-type': 'application/octet-stream' } },
    ],
    [
      'A Blob has its type',
      { target: '/blob' },
      { status: 200, body: 'tea', headers: { 'content-type': 'text/tea' } },
    ],
    ['Any status from 200 to 599', { target: '/status/299' }, { status: 299, body: 'tea' }],
    ['A status of 1xx is 500', { target: '/status/100' }, { status: 500 }],
    ['`json(undefined)` is 500', { target: '/no-json' }, { status: 500 }],
    ['A header of two values', { target: '/header-list' }, { status: 200, headers: { 'x-list': 'a, b' } }],
    [
      '`redirect` with another status',
      { target: '/moved/308' },
      { status: 308, body: '', headers: { location: '/tea' } },
    ],
    ['`redirect` with a status that is none is 500', { target: '/moved/305' }, { status: 500 }],
    [
      'The fields of an event',
      { target: '/event-fields' },
      {
        status: 200,
        body: 'event: tea\nid: 7\nretry: 5\ndata: {"tea":1}\n\ndata: a\ndata: b\ndata: c\n\n',
        headers: { 'cache-control': 'no-cache' },
      },
    ],
    ['A stream of numbers is cut', { target: '/numbers' }, { status: 200, cut: true }],
    [
      'A `Response` of a text is `text/plain`',
      { target: '/response' },
      { status: 203, body: 'own', headers: { 'content-type': /^text\/plain; ?charset=utf-8$/i } },
    ],
    [
      'A `Response` to which a header is added keeps its type',
      { target: '/added' },
      { status: 200, headers: { 'x-added': 'yes', 'content-type': /^text\/plain; ?charset=utf-8$/i } },
    ],
    [
      'A `Response` keeps its cookies',
      { target: '/own-cookies' },
      { status: 200, cookies: ['a=1', 'b=2; Path=/'] },
    ],
    ['A `Response` keeps its status', { target: '/own-status' }, { status: 418, json: { own: true } }],
    ['A `Response` without a body', { target: '/own-null' }, { status: 404, body: '' }],
    [
      'No header comes that the program has not set',
      { target: '/list' },
      { status: 200, headers: { 0: null, server: null, 'x-powered-by': null } },
    ],
    ['`status()` sets the status', { target: '/status' }, { status: 201, json: { made: true } }],
    [
      'A built answer counts where nothing is returned',
      { target: '/built' },
      { status: 200, json: { built: true } },
    ],
    [
      'A callback that returns nothing is 500',
      { target: '/nothing' },
      { status: 500, body: 'Internal Server Error' },
    ],
    [
      'An answer without `return`, and then another one, is 500',
      { target: '/twice' },
      { status: 500, body: 'Internal Server Error' },
    ],
    [
      'An option that a cookie does not have is 500',
      { target: '/misspelt-cookie' },
      { status: 500, cookies: [] },
    ],
    ['A number is 500', { target: '/number' }, { status: 500 }],
    [
      'A `Response` is sent as it is',
      { target: '/response' },
      { status: 203, body: 'own', headers: { 'x-own': 'yes' } },
    ],
    ['`Response.json` is sent as it is', { target: '/response-json' }, { status: 200, json: { own: true } }],
    [
      'Headers of `res` are added to a `Response`',
      { target: '/added' },
      { status: 200, body: 'with more', headers: { 'x-added': 'yes' } },
    ],
    [
      'Two cookies are two fields',
      { target: '/set-cookies' },
      { status: 200, cookies: ['a=1; Path=/', /^b=x%20y; Max-Age=60; (Path=\/; )?HttpOnly$/] },
    ],
    ['A cookie that browsers drop is 500', { target: '/bad-cookie' }, { status: 500, cookies: [] }],
    [
      'A line break in a header is 500',
      { target: '/bad-header' },
      { status: 500, headers: { b: null, 'x-bad': null } },
    ],
    ['Headers of the connection are not sent', { target: '/connection' }, { status: 200, body: 'whole' }],
    [
      '`redirect` escapes what is not ASCII',
      { target: '/redirect' },
      { status: 302, body: '', headers: { location: '/tea?kind=gr%C3%BCn' } },
    ],
    [
      '`redirect` escapes what no URL may have',
      { target: '/redirect?to=a%20b%0D%0A%22%3C%25' },
      { status: 302, body: '', headers: { location: '/tea?kind=a%20b%0D%0A%22%3C%25' } },
    ],
    [
      '`location` escapes what no URL may have',
      { target: '/located?at=a%20b%09%22%C3%BC' },
      { status: 201, body: 'made', headers: { location: '/tea?kind=a%20b%09%22%C3%BC' } },
    ],
    [
      'Latin-1 in a header',
      { target: '/latin' },
      { status: 200, body: 'Grüße', headers: { 'x-latin': 'caf\xe9' } },
    ],
    [
      'An answer may be kept and returned again',
      [{ target: '/kept' }, { target: '/kept' }],
      { status: 200, json: { kept: true } },
    ],
    ['A stream', { target: '/stream' }, { status: 200, body: 'one two three' }],
    [
      'A stream that is returned is `application/octet-stream`',
      { target: '/generator' },
      { status: 200, body: 'one two three', headers: { 'content-type': 'application/octet-stream' } },
    ],
    ['A ReadableStream', { target: '/web-stream' }, { status: 200, body: 'streamed' }],
    [
      'An event stream',
      { target: '/events' },
      {
        status: 200,
        body: /^(?:id: 1\n|event: tea\n|data: one\ndata: two\n){3}\ndata: three\n\n$/,
        headers: { 'content-type': /^text\/event-stream/ },
      },
    ],
    ['HEAD of a stream has no body', { method: 'HEAD', target: '/stream' }, { status: 200, body: '' }],
    [
      '204 has no body and no length',
      { target: '/bodiless/204' },
      { status: 204, body: '', headers: { 'content-length': null } },
    ],
    ['205 has no body', { target: '/bodiless/205' }, { status: 205, body: '' }],
    ['304 has no body', { target: '/bodiless/304' }, { status: 304, body: '' }],
    [
      'The length of a whole body is right',
      { target: '/text' },
      { status: 200, headers: { 'content-length': '7' } },
    ],
    [
      'A wrong length of a whole body is not sent',
      { target: '/wrong-length' },
      { status: 200, body: 'four', headers: { 'content-length': '4' } },
    ],
    [
      'A stream may have a length',
      { target: '/exact' },
      { status: 200, body: 'one two three', headers: { 'content-length': '13' } },
    ],
    ['Bytes beyond the length are dropped', { target: '/long' }, { status: 200, body: 'one two' }],
    ['A stream below its length is cut', { target: '/short' }, { status: 200, cut: true }],
    [
      'A value that is no length is not sent',
      { target: '/no-length' },
      { status: 200, body: 'one two three' },
    ],
    ['A stream that fails is cut', { target: '/breaks' }, { status: 200, cut: true }],
    [
      'A stream that cannot be opened is 500',
      { target: '/unopened' },
      { status: 500, headers: { 'x-gone': null } },
    ],
  ]),
  ...of('Native middleware', 'plain', [
    ['A returned answer ends the chain', { target: '/api/me' }, { status: 401, body: 'Who are you?' }],
    [
      'A returned object is added to `req`',
      { target: '/api/me', headers: { 'X-User': 'Ada' } },
      { status: 200, json: { user: 'Ada' } },
    ],
    [
      'Middleware around a callback changes its answer',
      { target: '/api/around', headers: { 'X-User': 'Ada' } },
      { status: 200, body: 'inside', headers: { 'x-around': 'around' } },
    ],
    [
      'Middleware reads the answer of what is inside',
      { target: '/read-by-middleware' },
      { status: 200, json: [200, 'text/plain; charset=utf-8', 'inside'] },
    ],
    [
      'Middleware gives another `Response`',
      { target: '/replaced-by-middleware' },
      { status: 206, body: 'not inside' },
    ],
    [
      'Middleware catches what is thrown',
      { target: '/caught-by-middleware' },
      { status: 200, body: 'caught inside' },
    ],
    [
      'What middleware sets on `res` counts for the answer',
      { target: '/set-by-middleware' },
      { status: 203, body: 'inside', headers: { 'x-set': 'yes' }, cookies: ['a=1; Path=/'] },
    ],
    [
      '`conditional()` compares a date',
      { target: '/last-modified', headers: { 'If-Modified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' } },
      { status: 304, body: '' },
    ],
    ['A second `next()` is 500', { target: '/next-twice' }, { status: 500 }],
    ['Middleware without an answer is 500', { target: '/next-never' }, { status: 500 }],
    ['A text that middleware returns is 500', { target: '/returns-text' }, { status: 500 }],
    [
      '`etag()` gives the tag of Express',
      { target: '/etag' },
      { status: 200, headers: { etag: 'W/"10-tE3dbP6lwoyaL6WawCaX8BiogLw"' } },
    ],
    [
      '`conditional()` answers 304',
      { target: '/etag', headers: { 'If-None-Match': 'W/"10-tE3dbP6lwoyaL6WawCaX8BiogLw"' } },
      { status: 304, body: '' },
    ],
  ]),
  ...of('Groups', 'plain', [
    [
      '`/` in a group is the prefix',
      { target: '/api', headers: { 'X-User': 'Ada' } },
      { status: 200, body: 'the prefix' },
    ],
    ['`url()` percent-encodes', { target: '/url' }, { status: 200, json: '/users/a%2Fb?q=%C3%BC' }],
  ]),
  ...of('Schemas', 'plain', [
    [
      '`req.body` is what a schema returns',
      { method: 'POST', target: '/named', headers: json, body: '{"name":"ada"}' },
      { status: 200, json: { name: 'ADA' } },
    ],
    ['`req.query` is what a schema returns', { target: '/named?name=ada' }, { status: 200, json: 'ADA' }],
    [
      'Refused input is 422 with its reasons',
      { method: 'POST', target: '/named', headers: json, body: '{}' },
      { status: 422, body: /"path":"\/name"/, headers: { 'content-type': /^application\/problem\+json/ } },
    ],
    ['An answer that does not fit is 500', { target: '/output' }, { status: 500 }],
    [
      '`req.params` is what a schema returns',
      { target: '/checked/ada' },
      { status: 200, json: { name: 'ADA' } },
    ],
    [
      'A malformed body in a route with `input` has the form of refused input',
      { method: 'POST', target: '/named', headers: json, body: '{' },
      { status: 400, body: /"errors":\[/, headers: { 'content-type': /^application\/problem\+json/ } },
    ],
  ]),
  ...of('Hooks', 'hooked', [
    [
      'A hook sets headers and members',
      { target: '/tea' },
      {
        status: 200,
        json: { tea: 'oolong', seen: 'by a hook' },
        headers: { 'x-hook': 'yes', vary: 'Origin' },
      },
    ],
    [
      'Hooks run for a 404',
      { target: '/nowhere' },
      { status: 404, body: 'Not Found', headers: { 'x-hook': 'yes' } },
    ],
    [
      'A hook with a path guards what is below it',
      { target: '/admin/secret' },
      { status: 403, body: 'refused /secret' },
    ],
    [
      'A hook with a path lets pass',
      { target: '/admin/secret', headers: { 'X-Admin': '1' } },
      { status: 200, body: 'secret' },
    ],
    ['A path counts by whole segments', { target: '/administrator' }, { status: 200, body: 'no secret' }],
    [
      'A hook answers by `writeHead`, `write` and `end`',
      { target: '/answers' },
      { status: 202, body: 'answered by a hook', headers: { 'x-written': 'a, b' } },
    ],
    ['A hook answers by `res.status().json()`', { target: '/json' }, { status: 201, json: { by: 'a hook' } }],
    [
      'A hook answers by `res.redirect()`',
      { target: '/moved' },
      { status: 302, headers: { location: '/tea' } },
    ],
    ['`next(error)` is answered', { target: '/fails' }, { status: 409, body: 'failed' }],
    ['An error hook answers', { target: '/later' }, { status: 502, body: 'by an error hook' }],
    ['`next("route")` goes on', { target: '/skips' }, { status: 404 }],
    [
      'A hook reads the body',
      { method: 'POST', target: '/raw', headers: text, body: 'x'.repeat(70_000) },
      { status: 200, body: 'read 70000' },
    ],
    [
      'A hook pipes the body',
      { method: 'POST', target: '/piped', headers: text, body: 'Grüße', chunked: true },
      { status: 200, body: 'Grüße' },
    ],
    [
      'A body is parsed after hooks',
      { method: 'POST', target: '/body', headers: json, body: '{"tea":1}' },
      { status: 200, json: { body: { tea: 1 } } },
    ],
    [
      'A body over the limit is 413',
      { method: 'POST', target: '/body', headers: text, body: 'x'.repeat(1_048_577) },
      { status: 413 },
    ],
    [
      'A hook changes the method',
      { method: 'POST', target: '/deleted', headers: { 'X-Method': 'DELETE' } },
      { status: 200, body: 'deleted by DELETE' },
    ],
    [
      'A hook changes the URL',
      { target: '/rewritten' },
      { status: 200, json: ['/urls?rewritten', '/rewritten'] },
    ],
    [
      'Members of Express',
      { target: '/members', headers: { Host: 'tea.example:80' } },
      { status: 200, json: [true, 'tea.example', '/', '1.1', 'string'] },
    ],
    [
      'Cookies of a hook and of a callback',
      { target: '/cookie' },
      { status: 200, cookies: ['of=hook', /^a=1/, /^b=2/] },
    ],
    [
      'Errors of callbacks are answered',
      { target: '/throws' },
      { status: 500, body: 'Internal Server Error', headers: { 'x-hook': 'yes' } },
    ],
    ['A stream behind hooks', { target: '/stream' }, { status: 200, body: 'one two three' }],
    [
      'A stream with a length behind hooks',
      { target: '/exact' },
      { status: 200, body: 'one two three', headers: { 'content-length': '13' } },
    ],
    ['A stream that fails behind hooks is cut', { target: '/breaks' }, { status: 200, cut: true }],
    [
      'HEAD behind hooks',
      { method: 'HEAD', target: '/text' },
      { status: 200, body: '', headers: { 'content-length': '7' } },
    ],
    ['204 behind hooks', { target: '/null' }, { status: 204, body: '' }],
    ['A hook that rejects is answered', { target: '/rejects' }, { status: 409, body: 'rejected' }],
    ['`next(req)` is 500', { target: '/only-request' }, { status: 500, headers: { 'x-hook': 'yes' } }],
    [
      'An answer that a hook begins and leaves open is cut',
      { target: '/begins' },
      { status: 200, cut: true },
    ],
    [
      'The fields of Vary of a hook and of a callback',
      { target: '/varies' },
      { status: 200, headers: { vary: /Origin.*Accept/ } },
    ],
    [
      'A `Response` behind hooks',
      { target: '/own' },
      { status: 202, body: 'own', headers: { 'x-own': 'yes', 'x-hook': 'yes' } },
    ],
    [
      'The body of a GET behind hooks',
      { target: '/body', headers: json, body: '{"tea":1}' },
      { status: 200, json: { body: { tea: 1 } } },
      { where: 'node:http' },
    ],
    [
      'The status of a `fromConnect` counts',
      { target: '/status-of-middleware' },
      { status: 203, body: 'tea' },
    ],
    [
      'Members of Express can be chained',
      { target: '/chained' },
      { status: 201, json: { chained: true }, headers: { 'x-set': 'yes' } },
    ],
    [
      '`res.sendStatus()`',
      { target: '/send-status' },
      { status: 418, headers: { 'content-type': /^text\/plain/ } },
    ],
    [
      'An answer without a type gets none',
      { target: '/untyped' },
      { status: 200, body: 'untyped', headers: { 'content-type': null } },
    ],
    [
      'A hook reads `headersDistinct`, and that its socket is readable',
      { target: '/distinct', headers: { 'X-Tea': 'green' } },
      { status: 200, json: [['green'], 'object', true] },
    ],
    [
      '`finish` and `close` of an answer',
      [{ target: '/end-events' }, { target: '/ended', eventually: true }],
      { status: 200, json: ['finish', 'close'] },
    ],
    ['`fromConnect` in a Controller', { target: '/wrapped' }, { status: 200, body: 'behind fromConnect' }],
    ['`fromConnect` answers', { target: '/refused' }, { status: 403, body: 'refused by fromConnect' }],
  ]),
  ...of('Hooks', 'connect', [
    [
      'helmet',
      { target: '/tea' },
      {
        status: 200,
        body: 'oolong',
        headers: { 'content-security-policy': /default-src/, 'x-powered-by': null },
      },
    ],
    [
      'cors',
      { target: '/tea', headers: { Origin: 'https://shop.example' } },
      { status: 200, headers: { 'access-control-allow-origin': 'https://shop.example', vary: /Origin/ } },
    ],
    [
      'cors answers a preflight',
      {
        method: 'OPTIONS',
        target: '/tea',
        headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' },
      },
      { status: 204, headers: { 'access-control-allow-methods': /GET/ } },
    ],
    [
      'cookie-parser',
      { target: '/cookies', headers: { Cookie: 'a=1; b=s%3Ax.forged' } },
      { status: 200, json: [{ a: '1' }, { b: false }] },
    ],
    [
      'express-session keeps a session',
      [{ target: '/visits' }, { target: '/visits' }],
      { status: 200, body: 'visit 2' },
      { keepsCookies: true },
    ],
    [
      'compression of a text',
      { target: '/long', headers: { 'Accept-Encoding': 'gzip' } },
      {
        status: 200,
        body: 'tea '.repeat(1000),
        headers: { 'content-encoding': 'gzip', vary: /Accept-Encoding/ },
      },
    ],
    [
      'compression of a stream',
      { target: '/long-stream', headers: { 'Accept-Encoding': 'gzip' } },
      { status: 200, body: 'tea '.repeat(1000), headers: { 'content-encoding': 'gzip' } },
    ],
    [
      '`express.json()`',
      { method: 'POST', target: '/parsed', headers: json, body: '{"tea":1}' },
      { status: 200, json: { tea: 1 } },
    ],
    [
      '`express.json()` over its limit',
      { method: 'POST', target: '/parsed', headers: json, body: `{"tea":"${'x'.repeat(60)}"}` },
      { status: 500, body: 'an error hook: request entity too large' },
    ],
    [
      '`express.urlencoded()`',
      { method: 'POST', target: '/parsed', headers: form, body: 'tea[kind]=green' },
      { status: 200, json: { tea: { kind: 'green' } } },
    ],
    ['An error hook behind them', { target: '/throws' }, { status: 500, body: 'an error hook: a secret' }],
  ]),
  ...of('Express apps', 'express', [
    [
      'Express answers',
      { target: '/users/7' },
      { status: 200, json: { id: '7' }, headers: { 'x-powered-by': 'Express', etag: /^W\/"/ } },
    ],
    ['Case and a trailing slash', { target: '/USERS/7/' }, { status: 200, json: { id: '7' } }],
    ['A guard refuses', { target: '/guarded/tea' }, { status: 401, body: 'Unauthorized' }],
    [
      'A guard lets pass',
      { target: '/guarded/tea', headers: { 'X-User': 'Ada' } },
      { status: 200, body: 'tea' },
    ],
    [
      'Its own parser reads a body',
      { method: 'POST', target: '/body', headers: json, body: '{"tea":1}' },
      { status: 200, json: { body: { tea: 1 } } },
    ],
    ['Malformed JSON is 400', { method: 'POST', target: '/body', headers: json, body: '{' }, { status: 400 }],
    ['`req.url` keeps a `?`', { target: '/url?' }, { status: 200, json: ['/url?', '/url?', '/url', {}] }],
    [
      'A GET with a length meets no parser',
      { target: '/users/7', headers: json, body: '{"tea":1}' },
      { status: 200, json: { id: '7' } },
    ],
    [
      'X-Forwarded-Host of a trusted proxy',
      { target: '/hostname', headers: { 'X-Forwarded-Host': 'shop.example' } },
      { status: 200, json: 'shop.example' },
    ],
    ['`req.ip` is a text', { target: '/ip' }, { status: 200, json: 'string' }],
    [
      'A redirect has the page of Express',
      { target: '/redirect' },
      { status: 302, body: /^Found/, headers: { location: '/tea?kind=gr%C3%BCn' } },
    ],
    ['A cookie of an object', { target: '/cookie' }, { status: 200, cookies: [/^a=j%3A/] }],
    [
      '`res.format`',
      { target: '/format', headers: { Accept: 'application/json' } },
      { status: 200, json: { format: 'json' } },
    ],
    ['`res.write` and `res.end`', { target: '/stream' }, { status: 200, body: 'one two' }],
    [
      'A Router with params of its mount',
      { target: '/teams/tea/members' },
      { status: 200, json: ['tea', '/teams/tea', '/members'] },
    ],
    ['The error page', { target: '/throws' }, { status: 418, body: /<pre>Error: no tea/ }],
    ['An error handler', { target: '/handled' }, { status: 409, json: { handled: 'no tea' } }],
    [
      'The 404 page',
      { target: '/none' },
      {
        status: 404,
        body: /Cannot GET \/none/,
        headers: { 'content-security-policy': "default-src 'none'" },
      },
    ],
    [
      'OPTIONS',
      { method: 'OPTIONS', target: '/users/7' },
      { status: 200, body: 'GET, HEAD', headers: { allow: 'GET, HEAD' } },
    ],
    [
      'HEAD',
      { method: 'HEAD', target: '/users/7' },
      { status: 200, body: '', headers: { 'content-length': '10' } },
    ],
    [
      'A 304 to a client that has the answer',
      { target: '/users/7', headers: { 'If-None-Match': '*' } },
      { status: 304, body: '' },
    ],
  ]),
  ...of('Errors', 'plain', [
    [
      'An error is 500 without its message',
      { target: '/throws' },
      { status: 500, body: 'Internal Server Error' },
    ],
    [
      'A text that is thrown is 500',
      { target: '/throws/text' },
      { status: 500, body: 'Internal Server Error' },
    ],
    [
      '`status` of an error below 500 shows its message',
      { target: '/throws/404' },
      { status: 404, body: 'no tea' },
    ],
    [
      '`headers` of an error are sent, but not Content-Type',
      { target: '/throws/429' },
      { status: 429, body: 'slower', headers: { 'retry-after': '5', 'content-type': /^text\/plain/ } },
    ],
    [
      '`status` from 500 on shows no message',
      { target: '/throws/503' },
      { status: 503, body: 'Service Unavailable' },
    ],
    ['`expose: true` shows it', { target: '/throws/exposed' }, { status: 503, body: 'closed at night' }],
    ['`expose: false` shows no message', { target: '/throws/hidden' }, { status: 404, body: 'Not Found' }],
    ['A promise that rejects', { target: '/throws/later' }, { status: 409, body: 'later' }],
    ['An error that cannot be read is 500', { target: '/throws/unreadable' }, { status: 500 }],
    [
      'problem+json where a client takes JSON',
      { target: '/throws/404', headers: { Accept: 'application/json' } },
      { status: 404, body: /"detail":"no tea"/, headers: { 'content-type': /^application\/problem\+json/ } },
    ],
    ['404 where nothing matches', { target: '/nowhere' }, { status: 404, body: 'Not Found' }],
  ]),
  ...of('Errors', 'limited', [
    [
      '`onError` answers, with the status of the error',
      { target: '/throws' },
      { status: 418, body: 'teapot' },
    ],
    [
      '`onNotFound` answers, with 404',
      { target: '/nowhere?a' },
      { status: 404, json: { missing: '/nowhere?a' } },
    ],
  ]),
  ...of('Headers of every answer', 'plain', [
    ['`addHeader` adds to an answer', { target: '/text' }, { status: 200, headers: { 'x-every': 'answer' } }],
    ['`addHeader` adds to a 404', { target: '/nowhere' }, { status: 404, headers: { 'x-every': 'answer' } }],
    ['`addHeader` adds to a 500', { target: '/throws' }, { status: 500, headers: { 'x-every': 'answer' } }],
    [
      '`addHeader` adds to a `Response`',
      { target: '/response' },
      { status: 203, headers: { 'x-every': 'answer' } },
    ],
  ]),
  ...of('Serving', 'plain', [
    [
      'Two requests on one connection',
      `GET /text HTTP/1.1\r\nHost: tea.example\r\n\r\nGET /users/me HTTP/1.1\r\nHost: tea.example${close}`,
      routed('/users/me', {}),
    ],
    [
      'A slow answer comes before that of the next request',
      `GET /slow/first HTTP/1.1\r\nHost: tea.example\r\n\r\nGET /slow/second HTTP/1.1\r\nHost: tea.example${close}`,
      { status: 200, body: 'second' },
    ],
    [
      'A body that is not read does not become the next request',
      `POST /unread HTTP/1.1\r\nHost: tea.example\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nteaGET /users/me HTTP/1.1\r\nHost: tea.example${close}`,
      routed('/users/me', {}),
    ],
  ]),
]

/** The name of a promise among all. */
export const titleOf = ({ section, promise }: Promised): string => `${section}: ${promise}`
