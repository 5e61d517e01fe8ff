import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type BodyParser, type BodyParsers, Controller, RouteControllers } from 'routecontrollers'
import type { SendOptions, ServeOptions, Serving } from '../support/describe-servings.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'
import { refusal } from '../support/refusal.js'

const xml = 'application/xml'

/** Takes `<a>1</a>` apart. */
const parseXml: BodyParser = (body) => {
  const [, name, text] = /^<(\w+)>(.*)<\/\1>$/.exec(body.text()) ?? []
  if (name === undefined) throw new Error('a detail that no client may see')
  return { [name]: text, type: body.type }
}

/** What a Controller finds in a body, by JSON. */
async function post(
  { serve }: Serving,
  type: string,
  body: string | Buffer,
  bodyParsers: BodyParsers,
  { headers, ...options }: SendOptions & ServeOptions = {},
) {
  const controller = new Controller('POST', '/', async (req, res) =>
    res.json({
      body: req.body ?? 'nothing',
      raw: req.rawBody === undefined ? 'nothing' : Buffer.from(req.rawBody).toString(),
      text: await req.text(),
    }),
  )
  const { send, logged } = await serve([controller], { bodyParsers, ...options })
  const answer = await send('/', {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: Buffer.from(body),
  })
  return { answer, logged }
}

describeServingsAndHttp2('a parser of bodyParsers', (serving) => {
  it.each([
    ['of the type', { [xml]: parseXml }, xml],
    ['of the type in other letters', { 'Application/XML': parseXml }, 'APPLICATION/xml; charset=utf-8'],
    ['of a suffix', { 'application/*+xml': parseXml }, 'application/atom+xml'],
    ['of all of a kind', { 'application/*': parseXml }, xml],
    ['that gives a promise', { [xml]: async (body) => parseXml(body) }, xml],
  ] satisfies [string, BodyParsers, string][])('%s makes req.body', async (_what, parsers, type) => {
    const { answer } = await post(serving, type, '<a>é</a>', parsers)
    const essence = type.split(';')[0]!.toLowerCase()
    expect(answer.json()).toEqual({ body: { a: 'é', type: essence }, raw: '<a>é</a>', text: '<a>é</a>' })
  })

  it('comes before that of the package, and leaves other types to it', async () => {
    const parsers = { 'application/json': () => 'mine', 'text/csv': () => 'rows' }
    const of = async (type: string) => (await post(serving, type, '{"a":1}', parsers)).answer.json().body
    expect(await of('application/json')).toBe('mine')
    expect(await of('application/ld+json')).toEqual({ a: 1 })
    expect(await of('text/csv')).toBe('rows')
    expect(await of('text/plain')).toBe('{"a":1}')
    expect(await of('application/xml')).toBe('nothing')
  })

  it('gets text in the charset of the client, and bytes', async () => {
    const parsers: BodyParsers = { [xml]: (body) => [body.text(), body.bytes.byteLength] }
    const latin = Buffer.from('é', 'latin1')
    const { answer } = await post(serving, `${xml}; charset=iso-8859-1`, latin, parsers)
    expect(answer.json().body).toEqual(['é', 1])
    const unknown = await post(serving, `${xml}; charset=klingon`, latin, parsers)
    const broken = await post(serving, xml, latin, parsers)
    expect([unknown.answer.status, broken.answer.status]).toEqual([415, 400])
  })

  it('is not called for a body without a byte, nor for one over its limit', async () => {
    const parser = jest.fn(parseXml)
    const empty = await post(serving, xml, '', { [xml]: parser })
    const long = await post(serving, xml, '<a>1</a>', { [xml]: parser }, { bodyLimit: 7 })
    expect([empty.answer.json().body, long.answer.status]).toEqual(['nothing', 413])
    expect(parser).not.toHaveBeenCalled()
  })

  it('gets a body decompressed, where that is set, else it is 415', async () => {
    const packed = gzipSync('<a>1</a>')
    const headers = { 'content-encoding': 'gzip' }
    const read = await post(serving, xml, packed, { [xml]: parseXml }, { headers, decompress: true })
    const refused = await post(serving, xml, packed, { [xml]: parseXml }, { headers })
    expect([read.answer.json().body.a, refused.answer.status]).toEqual(['1', 415])
  })

  it.each<[string, BodyParser]>([
    ['throws', parseXml],
    ['rejects', async (body) => parseXml(body)],
  ])('that %s is answered with 400 and without its message', async (_what, parser) => {
    const { answer, logged } = await post(serving, xml, 'no xml', { [xml]: parser })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('The body is not valid application/xml')
    expect(answer.text).not.toContain('a detail')
    expect(logged).toEqual([])
  })

  it('that throws gives onError its error as the cause', async () => {
    const onError = (error: unknown) => new Response(String((error as Error).cause))
    const { answer } = await post(serving, xml, 'no xml', { [xml]: parseXml }, { onError })
    expect(answer.text).toBe('Error: a detail that no client may see')
  })

  it('that throws an error with a status is answered by that', async () => {
    const wrong = Object.assign(new Error('The root is no <a>'), { status: 422 })
    const { answer } = await post(serving, xml, '<b></b>', { [xml]: () => Promise.reject(wrong) })
    expect([answer.status, answer.text.includes('The root is no')]).toEqual([422, true])
  })

  it('may make of a body what counts as nothing', async () => {
    const { answer } = await post(serving, xml, '<a>1</a>', { [xml]: () => undefined })
    expect(answer.json()).toEqual({ body: 'nothing', raw: '<a>1</a>', text: '<a>1</a>' })
  })
})

describe('bodyParsers', () => {
  const wrong = (bodyParsers: unknown) => () => new RouteControllers([], { bodyParsers } as never)

  it.each([
    [[], 'bodyParsers is an object of functions by media type, not an array'],
    [new Map(), 'an object of functions by media type, not a Map'],
    [null, 'an object of functions by media type, not null'],
    [{ xml: parseXml }, 'A key of bodyParsers is one of media types without parameters'],
    [{ 'application/xml; charset=utf-8': parseXml }, 'or text/*, not "application/xml; charset'],
    [{ [xml]: 'parse' }, 'bodyParsers["application/xml"] is a function, not string'],
    [{ [xml]: parseXml, 'Application/XML': parseXml }, 'bodyParsers has application/xml twice'],
  ])('refuses %p', (given, message) => {
    expect(wrong(given)).toThrow(refusal('ERR_OPTION_INVALID', message))
  })
})

describe('getRequestObject', () => {
  it('uses the parsers too', async () => {
    const req = Object.assign(new IncomingMessage(new Socket()), {
      method: 'POST',
      url: '/',
      headers: { host: 'x', 'content-type': xml, 'content-length': '8' },
    })
    req.push('<a>1</a>')
    req.push(null)
    const routeControllers = new RouteControllers([], { bodyParsers: { [xml]: parseXml } })
    expect((await routeControllers.getRequestObject(req)).body).toEqual({ a: '1', type: xml })
  })
})
