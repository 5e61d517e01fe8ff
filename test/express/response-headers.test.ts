import { Controller, RouteControllers } from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { express4 } from './support/profiles.js'
import { describeAnswers } from './support/answers.js'

describeAnswers('res.set, res.header and res.get', {
  'a name and a value': (_req, res) => res.set('X-One', '1').header('X-Two', '2').end(),
  'a number, true and null': (_req, res) =>
    res
      .set('X-A', 1)
      .set('X-B', true as never)
      .set('X-C', null as never)
      .end(),
  'an array': (_req, res) => res.set('X-List', ['a', 1 as never, 'c']).end(),
  'an object': (_req, res) => res.set({ 'X-One': '1', 'x-two': '2', 'X-List': ['a', 'b'] }).end(),
  'an object that inherits': (_req, res) =>
    res.set(Object.assign(Object.create({ 'X-From': 'prototype' }) as object, { 'X-Own': '1' })).end(),
  'undefined as the value': (_req, res) => res.set('X-None', undefined as never).end(),
  'no value': (_req, res) => (res.set as any)('abc').end(),
  'a Content-Type of text': (_req, res) => res.set('Content-Type', 'text/css').end(),
  'a Content-Type of JSON': (_req, res) => res.set('content-type', 'application/json').end(),
  'a Content-Type with a charset': (_req, res) =>
    res.set('Content-Type', 'text/css;  charset = latin1').end(),
  'a Content-Type with CHARSET': (_req, res) => res.set('Content-Type', 'text/css; CHARSET=latin1').end(),
  'a Content-Type with a param': (_req, res) => res.set('Content-Type', 'text/plain; format=flowed').end(),
  'a Content-Type that is an extension': (_req, res) => res.set('Content-Type', 'html').end(),
  'a Content-Type that is none': (_req, res) => res.set('Content-Type', '').end(),
  'a Content-Type that nobody knows': (_req, res) => res.set('Content-Type', 'x/unknown').end(),
  'a list of Content-Types': (_req, res) => res.set('Content-Type', ['text/css', 'text/html']).end(),
  'a wrong name': (_req, res) => res.set('no name', '1').end(),
  'a wrong value': (_req, res) => res.set('X-One', 'a\r\nb: c').end(),
  'a name that is none': (_req, res) => res.set(undefined as never, '1').end(),
  'a value read again': (_req, res) => {
    res.set('X-One', '1').set('X-List', ['a', 'b'])
    res.end(JSON.stringify([res.get('x-one'), res.get('X-LIST'), res.get('X-None') ?? null]))
  },
})

describeAnswers('res.append', {
  'to nothing': (_req, res) => res.append('X-One', '1').end(),
  'to a value': (_req, res) => res.append('X-One', '1').append('x-one', '2').end(),
  'a list to nothing': (_req, res) => res.append('X-One', ['1', '2']).end(),
  'a list to a value': (_req, res) => res.append('X-One', '1').append('X-One', ['2', '3']).end(),
  'a value to a list': (_req, res) => res.append('X-One', ['1', '2']).append('X-One', '3').end(),
  'a list to a list': (_req, res) => res.append('X-One', ['1', '2']).append('X-One', ['3', '4']).end(),
  'behind set': (_req, res) =>
    res.set('X-One', '1').append('X-One', '2').set('X-One', '3').append('X-One', '4').end(),
  'a cookie': (_req, res) => res.cookie('a', '1').append('Set-Cookie', 'b=2').cookie('c', '3').end(),
  'a Content-Type': (_req, res) => res.type('html').append('Content-Type', 'text/plain').end(),
})

describeAnswers('res.vary', {
  'a name': (_req, res) => res.vary('Accept').end(),
  'a name twice': (_req, res) => res.vary('Accept').vary('accept').end(),
  several: (_req, res) => res.vary('Accept, Origin').vary(['Cookie', 'ORIGIN']).end(),
  all: (_req, res) => res.vary('Accept').vary('*').vary('Origin').end(),
  'to one that was set': (_req, res) => res.set('Vary', 'Origin').vary('Accept').end(),
  nothing: (_req, res) => (res.vary as any)().end(),
  'an empty list': (_req, res) => res.vary([]).end(),
  'an empty text': (_req, res) => res.vary('').end(),
  'a name that is none': (_req, res) => res.vary('no name').end(),
})

describeAnswers('res.links', {
  'two relations': (_req, res) => res.links({ next: 'http://x/?page=2', last: 'http://x/?page=9' }).end(),
  'called twice': (_req, res) => res.links({ next: '/2' }).links({ prev: '/0' }).end(),
  'a list': (_req, res) => res.links({ next: '/2', alternate: ['/a', '/b'] }).end(),
  'an empty list': (_req, res) => res.links({ next: [], last: '/9' }).end(),
  nothing: (_req, res) => res.links({}).end(),
  'beyond ASCII': (_req, res) => res.links({ next: '/日本' }).end(),
})

describeAnswers('res.type and res.contentType', {
  html: (_req, res) => res.type('html').end(),
  '.html': (_req, res) => res.type('.html').end(),
  json: (_req, res) => res.contentType('json').end(),
  js: (_req, res) => res.type('js').end(),
  mjs: (_req, res) => res.type('mjs').end(),
  txt: (_req, res) => res.type('txt').end(),
  xml: (_req, res) => res.type('xml').end(),
  svg: (_req, res) => res.type('svg').end(),
  png: (_req, res) => res.type('png').end(),
  webp: (_req, res) => res.type('webp').end(),
  woff2: (_req, res) => res.type('woff2').end(),
  mp4: (_req, res) => res.type('mp4').end(),
  bin: (_req, res) => res.type('bin').end(),
  ics: (_req, res) => res.type('ics').end(),
  wasm: (_req, res) => res.type('wasm').end(),
  rtf: (_req, res) => res.type('rtf').end(),
  md: (_req, res) => res.type('md').end(),
  ts: (_req, res) => res.type('ts').end(),
  map: (_req, res) => res.type('map').end(),
  'a file name': (_req, res) => res.type('some.name.html').end(),
  'an unknown extension': (_req, res) => res.type('no-such-extension').end(),
  'an empty text': (_req, res) => res.type('').end(),
  'a type': (_req, res) => res.type('text/plain').end(),
  'a type with its charset': (_req, res) => res.type('text/plain; charset=latin1').end(),
  'application/javascript': (_req, res) => res.type('application/javascript').end(),
  'image/svg+xml': (_req, res) => res.type('image/svg+xml').end(),
  'an unknown type': (_req, res) => res.type('some/thing').end(),
})

describeAnswers(
  'res.location',
  {
    'a path': (_req, res) => res.location('/a/b?c=d#e').end(),
    'a URL': (_req, res) => res.location('https://example.com/ü?q=a b').end(),
    'encoded already': (_req, res) => res.location('/%7Efoo/%zz').end(),
    'a backslash': (_req, res) => res.location('http:\\\\evil.example\\x').end(),
    'brackets and quotes': (_req, res) => res.location('/<script>"\'|^`{}[]').end(),
    'a line break': (_req, res) => res.location('/a\r\nX-Evil: 1').end(),
    'a lone surrogate': (_req, res) => res.location('/\ud800').end(),
    back: (_req, res) => res.location('back').end(),
    'a URL object': (_req, res) => res.location(new URL('http://x/y') as never).end(),
    undefined: (_req, res) => res.location(undefined as never).end(),
  },
  { requests: { '': {}, 'with a Referrer': { headers: { Referer: 'http://from/here?a=b c' } } } },
)

describeAnswers('res.attachment', {
  'no name': (_req, res) => res.attachment().end('x'),
  'a name': (_req, res) => res.attachment('report.pdf').end('x'),
  'a path': (_req, res) => res.attachment('/some/where/picture.png').end('x'),
  'spaces and quotes': (_req, res) => res.attachment('my "best" file.txt').end('x'),
  'beyond Latin-1': (_req, res) => res.attachment('日本 100% 🍵.json').end('x'),
  'an escape': (_req, res) => res.attachment('a%20b.txt').end('x'),
  'a semicolon': (_req, res) => res.attachment('a;b=c.html').send('x'),
  'no extension': (_req, res) => res.attachment('LICENSE').end('x'),
  'an empty name': (_req, res) => res.attachment('').end('x'),
  'a type set before': (_req, res) => res.type('json').attachment('a.txt').end('x'),
  'a number': (_req, res) => res.attachment(7 as never).end('x'),
})

// Node writes a Content-Disposition in Latin-1 wrongly where it knows the length, and so Express 4 does. A web Response has the name as it is.
const named = {
  'Latin-1': (_req, res) => res.attachment('naïve.txt').end('x'),
  'Latin-1 before a redirect': (_req, res) => res.attachment('naïve.txt').redirect('/y'),
  'Latin-1 before a text': (_req, res) => res.attachment('naïve.txt').send('ü'),
} satisfies Parameters<typeof describeAnswers>[1]
describeAnswers('res.attachment, over a socket', named, { web: false })
describeAnswers('res.attachment, of Express 5', named, { versions: [5] })

it.each(Object.entries(named))(
  'the name of a file in a web Response of Express 4: %s',
  async (_name, handler) => {
    const controller = new Controller('GET', '/', fromExpress(handler))
    const answer = new RouteControllers([controller], { profile: express4() }).getCallback()
    const { headers } = await answer(new Request('http://x/'))
    expect(headers.get('content-disposition')).toBe('attachment; filename="naïve.txt"')
  },
)
