import type { ExpressRequest, ExpressResponse } from 'routecontrollers/express'
import { describeAnswers } from './support/answers.js'

const methods = { '': {}, HEAD: { method: 'HEAD' }, POST: { method: 'POST' } }

describeAnswers(
  'res.send of a text',
  {
    'a text': (_req, res) => res.send('text'),
    'an empty text': (_req, res) => res.send(''),
    'beyond ASCII': (_req, res) => res.send('naïve – 日本 🍵'),
    'a lone surrogate': (_req, res) => res.send('a\ud800b'),
    'a long text': (_req, res) => res.send('é'.repeat(1500)),
    'the response again': (_req, res) => res.send(String(res.status(200) === res)),
    'a status set before': (_req, res) => res.status(404).send('nothing here'),
    '204': (_req, res) => res.status(204).send('text'),
    '205': (_req, res) => res.status(205).send('text'),
    '304': (_req, res) => res.status(304).send('text'),
    '301': (_req, res) => res.status(301).send('text'),
    'an invalid status': (_req, res) => {
      res.statusCode = 1000
      res.send('text')
    },
    'a phrase beyond ASCII': (_req, res) => {
      res.statusMessage = 'Für dich'
      res.send('grüezi')
    },
  },
  { requests: methods },
)

describeAnswers(
  'res.send with a status that no web Response has',
  { '999': (_req, res) => res.status(999).send('text') },
  { requests: methods, web: false },
)

/** By Node's own `setHeader`, which completes nothing. */
const sendAs =
  (type: string | string[]) =>
  (_req: ExpressRequest, res: ExpressResponse): void => {
    res.setHeader('Content-Type', type)
    res.send('text')
  }

describeAnswers('res.send of a text with a type', {
  csv: (_req, res) => res.type('csv').send('a,b'),
  'another charset': (_req, res) => res.set('Content-Type', 'text/csv; charset=latin1').send('a,b'),
  'a charset in quotes': sendAs('Text/Plain; b="1;2"; Charset="ISO-8859-1"; a=3'),
  'malformed params': sendAs('text/plain; nothing; a="open'),
  'escapes in quotes, and a param without a name': sendAs('text/plain; a="b\\"c\\d"; =x'),
  'the usual charset beside another param': sendAs('text/plain; z=1;a=2 ;charset=utf-8'),
  'no media type': sendAs('text'),
  'an empty one': sendAs(''),
  several: sendAs(['text/plain', 'text/html']),
  'an image': (_req, res) => res.type('png').send('no image'),
  'json as a text': (_req, res) => res.type('application/vnd.api+json').send('{}'),
})

describeAnswers('res.send of bytes', {
  'a Buffer': (_req, res) => res.send(Buffer.from('bytes')),
  'an empty Buffer': (_req, res) => res.send(Buffer.alloc(0)),
  'a long Buffer': (_req, res) => res.send(Buffer.alloc(2000, 'ab')),
  'with a type': (_req, res) => res.type('png').send(Buffer.from([0x89, 0x50])),
  'with a text type': (_req, res) => res.type('txt').send(Buffer.from('text')),
  'a Uint8Array': (_req, res) => res.send(Uint8Array.of(1, 2, 255)),
  'a part of a Uint8Array': (_req, res) => res.send(Uint8Array.of(1, 2, 3, 4).subarray(1, 3)),
  'a Uint16Array': (_req, res) => res.send(Uint16Array.of(1, 257)),
  'a DataView': (_req, res) => res.send(new DataView(new ArrayBuffer(4), 1, 2)),
  'an ArrayBuffer': (_req, res) => res.send(new ArrayBuffer(4)),
})

describeAnswers(
  'res.send of bytes without ETag',
  {
    'a Uint8Array': (_req, res) => res.send(Uint8Array.of(1, 2, 255)),
    'a Uint16Array': (_req, res) => res.send(Uint16Array.of(1, 257)),
    'a text': (_req, res) => res.send('é'),
    'a long text': (_req, res) => res.send('é'.repeat(1500)),
    'an object': (_req, res) => res.send({ a: 'é' }),
  },
  { settings: { etag: false } },
)

describeAnswers(
  'res.send of anything else',
  {
    null: (_req, res) => res.send(null),
    undefined: (_req, res) => res.send(undefined),
    nothing: (_req, res) => res.send(),
    true: (_req, res) => res.send(true),
    '7': (_req, res) => res.send(7),
    '201': (_req, res) => res.send(201),
    '404 with a type': (_req, res) => res.type('html').send(404),
    '299': (_req, res) => res.send(299),
    'an object': (_req, res) => res.send({ a: [1, '<é>'], b: undefined }),
    'an object with a type': (_req, res) => res.type('txt').send({ a: 1 }),
    'an array': (_req, res) => res.send([1, 'two', null]),
    'a date': (_req, res) => res.send(new Date(0)),
    'an error': (_req, res) => res.send(new Error('hidden')),
    'a function': (_req, res) => res.send(() => 0),
    'a symbol': (_req, res) => res.send(Symbol('s')),
    'a bigint': (_req, res) => res.send(7n),
    'a bigint within': (_req, res) => res.send({ a: 7n }),
    'null with 204': (_req, res) => res.status(204).send(null),
    'an object with 204': (_req, res) => res.status(204).send({ a: 1 }),
  },
  { requests: { '': {}, HEAD: { method: 'HEAD' } } },
)

describeAnswers('res.send after headers were set', {
  'an ETag': (_req, res) => res.set('ETag', '"mine"').send('text'),
  'a length': (_req, res) => res.set('Content-Length', '2').send('text'),
  'headers in their order': (_req, res) => {
    res.set('X-First', '1').set('content-type', 'text/plain').set('X-Last', '2')
    res.send('text')
  },
  'names in lower case': (_req, res) => res.set({ 'content-length': '4', etag: '"e"' }).send('text'),
  'a header beyond ASCII': (_req, res) => res.set('X-Name', 'Zoë').send('Zoë'),
  cookies: (_req, res) => res.cookie('a', '1').cookie('b', '2').send('text'),
})

describeAnswers(
  'res.send beside Transfer-Encoding',
  { chunked: (_req, res) => res.set('Transfer-Encoding', 'chunked').send('text') },
  { versions: [5] },
)

describeAnswers('the old signatures of res.send and res.json', {
  'send(body, status)': (_req, res) => (res.send as any)('text', 202),
  'send(status, body)': (_req, res) => (res.send as any)(202, 'text'),
  'send(status, object)': (_req, res) => (res.send as any)(202, { a: 1 }),
  'send(status, number)': (_req, res) => (res.send as any)(202, 5),
  'send(object, status)': (_req, res) => (res.send as any)({ a: 1 }, 202),
  'send(body, undefined)': (_req, res) => (res.send as any)('text', undefined),
  'json(object, status)': (_req, res) => (res.json as any)({ a: 1 }, 202),
  'json(status, object)': (_req, res) => (res.json as any)(202, { a: 1 }),
  'json(status, number)': (_req, res) => (res.json as any)(202, 5),
  'jsonp(object, status)': (_req, res) => (res.jsonp as any)({ a: 1 }, 202),
  'jsonp(status, object)': (_req, res) => (res.jsonp as any)(202, { a: 1 }),
})

describeAnswers('a response whose members were patched', {
  'send, called by json': (_req, res) => {
    const send = res.send.bind(res)
    res.send = function (body) {
      this.set('X-Sent', String(body))
      return send(body)
    }
    res.json({ a: 1 })
  },
  'json, called by send': (_req, res) => {
    const json = res.json.bind(res)
    res.json = function (body) {
      return json({ wrapped: body })
    }
    res.send({ a: 1 })
  },
  'writeHead, that adds a header': (_req, res) => {
    const writeHead = res.writeHead.bind(res) as (...given: unknown[]) => typeof res
    res.writeHead = function (this: typeof res, ...given: any[]) {
      this.setHeader('X-Late', String(given.length) + String(this.getHeader('Content-Length')))
      return writeHead(...given)
    } as typeof res.writeHead
    res.send('text')
  },
  'end, that adds to the body': (_req, res) => {
    const end = res.end.bind(res) as (body: unknown) => typeof res
    res.end = ((body: unknown) => {
      res.setHeader('Content-Length', String(Number(res.getHeader('Content-Length')) + 1))
      return end(`${String(body)}!`)
    }) as typeof res.end
    res.json({ a: 1 })
  },
  'setHeader, that counts': (_req, res) => {
    const seen: string[] = []
    res.setHeader = function (name, value) {
      seen.push(name)
      Object.getPrototypeOf(res).setHeader.call(this, 'X-Seen', seen.join())
      return Object.getPrototypeOf(res).setHeader.call(this, name, value)
    }
    res.json({ a: 1 })
  },
  'write and getHeader': (_req, res) => {
    res.getHeader = (name) => (name === 'ETag' ? '"patched"' : undefined)
    res.send('text')
  },
})

describe('the headers of an answer, when it has been sent', () => {
  const seen: unknown[] = []
  beforeEach(() => void seen.splice(0))
  afterEach(() => {
    const [theirs, ours] = seen.filter((one) => one !== undefined)
    expect(ours).toEqual(theirs)
    expect(theirs).toMatchObject({ 'content-length': '7' })
  })
  describeAnswers(
    'as they are seen',
    {
      'on finish': (_req, res) => {
        res.on('finish', () => seen.push({ ...res.getHeaders() }))
        res.json({ a: 1 })
      },
      'on close': (_req, res) => {
        res.on('close', () => seen.push({ ...res.getHeaders() }))
        res.json({ a: 1 })
      },
    },
    { web: false, askedAnew: true },
  )
})
