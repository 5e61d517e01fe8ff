import { describeReading } from './support/reading.js'

describeReading(
  'req.get',
  {
    'with both spellings': { headers: { referer: 'one', referrer: 'two' } },
    'with one spelling': { headers: { referer: 'one' } },
    'without any': {},
  },
  (req) => [
    req.get('Referer'),
    req.header('REFERRER'),
    req.get('x-none'),
    req.get('HOST') === req.headers.host,
    req.get('Cookie'),
  ],
)

describeReading('req.get of a name that is none', { 'any request': {} }, (req) => {
  const messages = [undefined, '', 7].map((name) => {
    try {
      return req.get(name as never)
    } catch (error) {
      return String(error)
    }
  })
  return messages
})

describeReading(
  'req.accepts',
  {
    'nothing said': {},
    'a browser': { headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' } },
    'json alone': { headers: { accept: 'application/json' } },
    'no type at all': { headers: { accept: '' } },
    'malformed qualities': { headers: { accept: 'text/html;q=x, application/json;q=0.5;q=1, ;, text/*' } },
    'quoted params': { headers: { accept: 'text/html;level="1,2";q=0.4, text/plain' } },
  },
  (req) => [
    req.accepts(),
    req.accepts('html'),
    req.accepts('html', 'json'),
    req.accepts(['json', 'text/plain']),
    req.accepts('image/png'),
    req.accepts('nothing known'),
  ],
)

describeReading(
  'req.acceptsCharsets, acceptsEncodings and acceptsLanguages',
  {
    'nothing said': {},
    preferences: {
      headers: {
        'accept-charset': 'utf-8;q=0.5, iso-8859-1',
        'accept-encoding': 'gzip;q=0.8, br, identity;q=0',
        'accept-language': 'de-CH, en;q=0.8, fr;q=0',
      },
    },
    'all else refused': {
      headers: { 'accept-charset': '*;q=0', 'accept-encoding': '*;q=0', 'accept-language': '*;q=0' },
    },
  },
  (req) => [
    req.acceptsCharsets(),
    req.acceptsCharsets('utf-8', 'iso-8859-1'),
    req.acceptsCharsets(['utf-16']),
    req.acceptsEncodings(),
    req.acceptsEncodings('gzip', 'br'),
    req.acceptsEncodings('identity'),
    req.acceptsLanguages(),
    req.acceptsLanguages('en', 'de'),
    req.acceptsLanguages(['fr']),
  ],
)

interface Old {
  acceptsCharset(...names: string[]): unknown
  acceptsEncoding(...names: string[]): unknown
  acceptsLanguage(...names: string[]): unknown
  param(name: string, otherwise?: unknown): unknown
}

describeReading(
  'the members that Express 4 alone has',
  {
    'a query': { target: '/x?a=1&b[c]=2' },
    'what is asked for': {
      headers: { 'accept-charset': 'utf-8', 'accept-encoding': 'br', 'accept-language': 'de' },
    },
  },
  (req) => {
    const old = req as unknown as Old
    return [
      old.acceptsCharset('utf-8', 'utf-16'),
      old.acceptsEncoding('gzip', 'br'),
      old.acceptsLanguage('en', 'de'),
      old.param('a'),
      old.param('b'),
      old.param('none'),
      old.param('none', 'else'),
      old.param('toString', 'else'),
    ]
  },
  { versions: [4] },
)

describeReading(
  'the members that Express 4 alone has, in Express 5',
  { 'any request': {} },
  (req) => ['param', 'acceptsCharset', 'acceptsEncoding', 'acceptsLanguage'].filter((name) => name in req),
  { versions: [5] },
)

describeReading(
  'req.param where somebody has taken the params away',
  { 'a query': { target: '/x?a=query' } },
  (req) => {
    ;(req as { params?: object }).params = undefined as never
    return ['a', 'none'].map((name) => (req as unknown as Old).param(name))
  },
  { versions: [4] },
)

describeReading(
  'req.param with a body',
  { 'a query': { target: '/x?a=query&b=query' } },
  (req) => ['a', 'b', 'id'].map((name) => (req as unknown as Old).param(name)),
  {
    versions: [4],
    before: [
      (req, _res, next) => {
        req.body = { a: 'body', c: 0 }
        req.params = { id: 'params' }
        next()
      },
    ],
  },
)

describeReading(
  'req.is',
  {
    'no body': {},
    json: { method: 'POST', headers: { 'content-type': 'application/json; charset=utf-8' }, body: '{}' },
    'a vendor type': { method: 'POST', headers: { 'content-type': 'application/vnd.a+json' }, body: '{}' },
    form: { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=a' }, body: '--a--' },
    'no type': { method: 'POST', body: 'text' },
    'a malformed type': { method: 'POST', headers: { 'content-type': 'text/html**' }, body: 'text' },
  },
  (req) => [
    req.is('json'),
    req.is('application/*'),
    req.is('html', '+json', 'multipart'),
    req.is(['text/*', 'urlencoded']),
    req.is(),
  ],
)

describeReading(
  'req.range',
  {
    none: {},
    one: { headers: { range: 'bytes=0-4' } },
    several: { headers: { range: 'bytes=0-4,5-9, 90-' } },
    suffix: { headers: { range: 'bytes=-5' } },
    'out of reach': { headers: { range: 'bytes=500-' } },
    'another unit': { headers: { range: 'users=0-3' } },
    malformed: { headers: { range: 'nothing' } },
    'without a dash': { headers: { range: 'bytes=5' } },
    'half of it no number': { headers: { range: 'bytes=a-5,1-2' } },
  },
  (req) => [req.range(100), req.range(100, { combine: true }), req.range(3)],
)

describeReading(
  'req.xhr',
  {
    no: {},
    yes: { headers: { 'x-requested-with': 'xmlHttpRequest' } },
    other: { headers: { 'x-requested-with': 'fetch' } },
  },
  (req) => req.xhr,
)

describeReading(
  'req.fresh and req.stale',
  {
    'no conditions': {},
    'the same ETag': { headers: { 'if-none-match': 'W/"a"' } },
    'another ETag': { headers: { 'if-none-match': '"b"' } },
    'any ETag': { headers: { 'if-none-match': '*' } },
    'a list of ETags': { headers: { 'if-none-match': '"b", "a"' } },
    'the same date': { headers: { 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' } },
    'an older date': { headers: { 'if-modified-since': 'Wed, 31 Dec 2025 00:00:00 GMT' } },
    'another ETag and the same date': {
      headers: { 'if-none-match': '"b"', 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' },
    },
    'no-cache': { headers: { 'if-none-match': '"a"', 'cache-control': 'no-cache' } },
    POST: { method: 'POST', headers: { 'if-none-match': '"a"' } },
  },
  (req, res) => {
    res.setHeader('ETag', '"a"')
    res.setHeader('Last-Modified', 'Thu, 01 Jan 2026 00:00:00 GMT')
    const seen = [req.fresh, req.stale]
    for (const status of [204, 304, 199, 300, 404]) {
      res.statusCode = status
      seen.push(req.fresh)
    }
    res.statusCode = 200
    return seen
  },
)
