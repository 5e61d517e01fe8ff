// How many of some events of AWS Lambda an adapter answers rightly: ours, srvx's and hono's around the same fetch handler.
// `node scripts/build.js core && node bench/lambda-adapters.js`. docs/decisions/019-entries-of-runtimes.md has the figures.
import { Controller, RouteControllers } from 'routecontrollers'
import { toLambda } from 'routecontrollers/lambda'
import { handle } from 'hono/aws-lambda'
import { toLambdaHandler } from 'srvx/aws-lambda'

const routeControllers = new RouteControllers(
  [
    new Controller('*', '/echo/*rest', (req, res) =>
      res.json({
        rest: req.params.rest,
        query: req.query,
        cookies: req.cookies,
        list: req.get('x-list') ?? null,
        body: req.body ?? null,
        ip: req.realIp ?? null,
      }),
    ),
    new Controller('GET', '/cookies', (_q, res) => res.cookie('a', '1').cookie('b', '2').text('two')),
    new Controller('GET', '/bytes', () => Uint8Array.of(255, 0, 254)),
    new Controller('GET', '/bom', () => '\ufeffGrüße'),
    new Controller('GET', '/none', () => null),
    new Controller('GET', '/host', (req) => String(req.get('host'))),
  ],
  { logger: { info() {}, warn() {}, error() {} } },
)
const fetchHandler = routeControllers.getCallback()
const handlers = {
  ours: toLambda(routeControllers),
  srvx: toLambdaHandler({ fetch: fetchHandler }),
  hono: handle({ fetch: fetchHandler }),
}
const v2 = (a) => ({
  version: '2.0',
  rawPath: a.path,
  rawQueryString: new URLSearchParams(a.query ?? []).toString(),
  headers: Object.fromEntries(
    Object.entries(a.headers ?? {})
      .filter(([n]) => n !== 'cookie')
      .map(([n, v]) => [n, v.join(',')]),
  ),
  ...(a.headers?.cookie && { cookies: a.headers.cookie }),
  requestContext: { domainName: 'api.example', http: { method: a.method ?? 'GET', sourceIp: a.ip } },
  ...(a.body === undefined
    ? { isBase64Encoded: false }
    : typeof a.body === 'string'
      ? { body: a.body, isBase64Encoded: false }
      : { body: Buffer.from(a.body).toString('base64'), isBase64Encoded: true }),
})
const v1 = (a) => {
  const p = {}
  for (const [n, v] of a.query ?? []) (p[n] ??= []).push(v)
  const h = Object.fromEntries(
    Object.entries(a.headers ?? {}).map(([n, v]) => [n, n === 'cookie' ? [v.join('; ')] : v]),
  )
  return {
    version: '1.0',
    httpMethod: a.method ?? 'GET',
    path: a.path,
    queryStringParameters: Object.fromEntries(Object.entries(p).map(([n, v]) => [n, v.at(-1)])),
    multiValueQueryStringParameters: p,
    headers: Object.fromEntries(Object.entries(h).map(([n, v]) => [n, v.at(-1)])),
    multiValueHeaders: h,
    requestContext: { domainName: 'api.example', identity: { sourceIp: a.ip } },
    ...(a.body === undefined
      ? { body: null, isBase64Encoded: false }
      : { body: a.body, isBase64Encoded: false }),
  }
}
const jsonOf = (r) => JSON.parse(Buffer.from(r.body, r.isBase64Encoded ? 'base64' : 'utf8'))
const bytesOf = (r) => Buffer.from(r.body ?? '', r.isBase64Encoded ? 'base64' : 'utf8').toString('hex')
const cookiesOf = (r) =>
  (r.cookies ?? r.multiValueHeaders?.['set-cookie'] ?? [r.headers?.['set-cookie']])
    .map((c) => String(c).split(';')[0])
    .join()
const checks = [
  [
    'query',
    {
      path: '/echo/x',
      query: [
        ['one', 'ü&=+ %'],
        ['two', '1'],
        ['two', '2'],
      ],
    },
    (r) => JSON.stringify(jsonOf(r).query) === '{"one":"ü&=+ %","two":["1","2"]}',
  ],
  ['encoded path', { path: '/echo/a%2Fb/c%20d' }, (r) => jsonOf(r).rest === 'a/b/c d'],
  ['decoded path', { path: '/echo/a b/ü' }, (r) => jsonOf(r).rest === 'a b/ü'],
  ['? in path', { path: '/echo/a?b#c' }, (r) => jsonOf(r).rest === 'a?b#c'],
  ['backslash', { path: '/echo/a\\..\\b' }, (r) => jsonOf(r).rest === 'a\\..\\b'],
  ['//', { path: '//evil.example/echo/x' }, (r) => r.statusCode === 404],
  [
    'cookies in',
    { path: '/echo/x', headers: { cookie: ['a=1', 'b=2'] } },
    (r) => JSON.stringify(jsonOf(r).cookies) === '{"a":"1","b":"2"}',
  ],
  ['list', { path: '/echo/x', headers: { 'x-list': ['x', 'y'] } }, (r) => /^x, ?y$/.test(jsonOf(r).list)],
  ['ip', { path: '/echo/x', ip: '203.0.113.7' }, (r) => jsonOf(r).ip === '203.0.113.7'],
  [
    'body',
    { path: '/echo/x', method: 'POST', headers: { 'content-type': ['application/json'] }, body: '{"t":"ü"}' },
    (r) => jsonOf(r).body.t === 'ü',
  ],
  ['GET with body', { path: '/echo/x', body: 'x' }, (r) => jsonOf(r).body === null],
  ['TRACE', { path: '/echo/x', method: 'TRACE' }, (r) => r.statusCode === 400],
  ['bad header', { path: '/echo/x', headers: { 'x-list': ['a\nb'] } }, (r) => r.statusCode === 400],
  ['cookies out', { path: '/cookies' }, (r) => cookiesOf(r) === 'a=1,b=2'],
  ['bytes', { path: '/bytes' }, (r) => bytesOf(r) === 'ff00fe'],
  ['bom', { path: '/bom' }, (r) => bytesOf(r) === Buffer.from('\ufeffGrüße').toString('hex')],
  ['none', { path: '/none' }, (r) => r.statusCode === 204 && bytesOf(r) === ''],
  ['bad host', { path: '/host', headers: { Host: ['a b/evil'] } }, (r) => r.statusCode === 200],
]
for (const [n, h] of Object.entries(handlers))
  for (const [f, ev] of [
    ['v2', v2],
    ['v1', v1],
  ]) {
    const bad = []
    for (const [name, a, ok] of checks) {
      try {
        if (!ok(await h(ev(a), {}))) bad.push(name)
      } catch (e) {
        bad.push(name + '!')
      }
    }
    console.log(n, f, checks.length - bad.length, 'of', checks.length, bad.join(', '))
  }
