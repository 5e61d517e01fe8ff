import entityTag from 'etag'
import express from 'express'
import fc from 'fast-check'
import fresh from 'fresh'
import {
  type AnyController,
  conditional,
  Controller,
  etag,
  type ResponseBuilder,
  RouteControllers,
} from 'routecontrollers'
import { express5, fromApp, fromExpress } from 'routecontrollers/express'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'
import { Source } from '../support/source.js'

const weak = (body: string): string => entityTag(body, { weak: true })
const lastModified = 'Sun, 22 Nov 2026 06:00:00 GMT'

async function* chunks(): AsyncGenerator<string> {
  yield 'in '
  yield 'pieces'
}

const controllers = (): AnyController[] => [
  new Controller('GET', '/text', () => 'é'),
  new Controller('GET', '/json', (_req, res) =>
    res.header('X-Kept', '1').cookie('a', '1').json({ tea: 'oolong' }),
  ),
  new Controller('GET', '/bytes', () => new Uint8Array([1, 2, 255])),
  new Controller('GET', '/empty', () => ''),
  new Controller('GET', '/none', () => null),
  new Controller('GET', '/stream', (_req, res) => res.stream(chunks())),
  new Controller('GET', '/response', () => new Response('made', { headers: { ETag: '"made"' } })),
  new Controller('GET', '/own', (_req, res) => res.header('etag', '"own"').text('own')),
  new Controller('GET', '/dated', (_req, res) => res.header('Last-Modified', lastModified).text('dated')),
  new Controller('GET', '/missing', (_req, res) => res.status(404).text('missing')),
  new Controller('GET', '/made', (_req, res) => res.status(203).header('ETag', '"made"').text('made')),
  new Controller('GET', '/fails', () => Promise.reject(Object.assign(new Error('no'), { status: 418 }))),
  new Controller('POST', '/json', () => ({ tea: 'oolong' })),
  new Controller(
    'GET',
    '/handler',
    fromExpress((_req, res) => void res.setHeader('ETag', '"handler"').end('handled')),
  ),
]

describeServingsAndHttp2('etag() and conditional()', (serving) => {
  const ask = async (
    target: string,
    headers: Record<string, string> = {},
    method = 'GET',
    middleware = [conditional(), etag()],
  ) => {
    const { send } = await serving.serve(controllers(), {
      setup: (routeControllers) => routeControllers.use(...(middleware as [ReturnType<typeof etag>])),
      upstream: (app) => void app.set('env', 'test'),
    })
    return send(target, { method, headers })
  }

  it.each([
    ['/text', weak('é')],
    ['/json', weak('{"tea":"oolong"}')],
    ['/bytes', entityTag(Buffer.from([1, 2, 255]), { weak: true })],
    ['/empty', weak('')],
    ['/own', '"own"'],
    ['/response', '"made"'],
    ['/none', undefined],
    ['/stream', undefined],
    ['/missing', undefined],
    ['/fails', undefined],
  ])('tag %s as Express does: %p', async (target, tag) => {
    const answer = await ask(target)
    expect(answer.headers['etag']).toBe(tag)
    expect(answer.status).toBe({ '/none': 204, '/missing': 404, '/fails': 418 }[target] ?? 200)
  })

  it('give the same tag to HEAD, none to POST, and a strong one where that is asked for', async () => {
    expect((await ask('/json', {}, 'HEAD')).headers['etag']).toBe(weak('{"tea":"oolong"}'))
    expect((await ask('/json', {}, 'POST')).headers['etag']).toBeUndefined()
    expect((await ask('/text', {}, 'GET', [etag({ weak: false })])).headers['etag']).toBe(entityTag('é'))
  })

  it.each([
    ['/json', { 'if-none-match': weak('{"tea":"oolong"}') }],
    ['/json', { 'if-none-match': `"other", ${weak('{"tea":"oolong"}').slice(2)}` }],
    ['/json', { 'if-none-match': '*' }],
    ['/own', { 'if-none-match': 'W/"own"' }],
    ['/own', { 'if-none-match': '"a,b","own"' }],
    ['/response', { 'if-none-match': '"made"' }],
    ['/made', { 'if-none-match': '"made"' }],
    ['/dated', { 'if-modified-since': lastModified }],
    ['/dated', { 'if-modified-since': 'Mon, 23 Nov 2026 06:00:00 GMT' }],
  ])('answer 304 without a body to a client that has %s: %p', async (target, headers) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(target, headers, method)
      expect([answer.status, answer.text]).toEqual([304, ''])
      expect([answer.headers['content-type'], answer.headers['content-length'] ?? '0']).toEqual([
        undefined,
        '0',
      ])
    }
  })

  it.each([
    ['/json', { 'if-none-match': '"other"' }],
    ['/json', { 'if-none-match': 'own' }],
    ['/json', { 'if-none-match': weak('{"tea":"oolong"}'), 'cache-control': 'max-age=0, No-Cache' }],
    ['/dated', { 'if-none-match': '"other"', 'if-modified-since': lastModified }],
    ['/dated', { 'if-modified-since': 'Sat, 21 Nov 2026 06:00:00 GMT' }],
    ['/dated', { 'if-modified-since': 'yesterday' }],
    ['/json', { 'if-modified-since': lastModified }],
  ])('answer the whole to one that has another: %s, %p', async (target, headers) => {
    const answer = await ask(target, headers)
    expect([answer.status, answer.text]).not.toEqual([304, ''])
    expect(answer.status).toBe(200)
  })

  it('leave POST, errors and what a handler of Express has sent as they are', async () => {
    const any = { 'if-none-match': '*' }
    expect((await ask('/json', any, 'POST')).status).toBe(200)
    expect((await ask('/missing', any)).status).toBe(404)
    expect((await ask('/fails', any)).status).toBe(418)
    expect((await ask('/none', any)).status).toBe(204)
    expect(await ask('/handler', any)).toMatchObject({ status: 200, text: 'handled' })
  })

  it.each(['an iterable', 'a web stream', 'a Response'] as const)(
    'give %s up that is not sent',
    async (kind) => {
      const source = new Source()
      const headers = { ETag: '"stream"' }
      const answerOf: Record<typeof kind, (res: ResponseBuilder) => Response> = {
        'an iterable': (res) => res.header('ETag', headers.ETag).stream(source.asIterable()),
        'a web stream': (res) => res.header('ETag', headers.ETag).stream(source.asStream()),
        'a Response': () => new Response(source.asStream(), { headers }),
      }
      const controller = new Controller('GET', '/', (_req, res) => answerOf[kind](res)).use(conditional())
      const { send } = await serving.serve([controller])
      const answer = await send('/', { headers: { 'if-none-match': '"stream"' } })
      expect([answer.status, answer.headers['etag'], answer.text]).toEqual([304, '"stream"', ''])
      await source.whenCancelled
      // Once for each request.
      await send('/', { headers: { 'if-none-match': '"stream"' }, method: 'HEAD' })
      expect(source.cancelled).toBe(2)
    },
  )

  it('answer 304 in either order', async () => {
    const list = controllers().slice(0, 3)
    const { send } = await serving.serve(list, {
      setup: (routeControllers) => void routeControllers.use(etag(), conditional()),
    })
    for (const path of ['/text', '/json', '/bytes']) {
      const { headers, status } = await send(path)
      const again = await send(path, { headers: { 'If-None-Match': headers['etag']! } })
      expect([status, again.status, again.text, again.headers['etag']]).toEqual([
        200,
        304,
        '',
        headers['etag'],
      ])
      expect((await send(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200)
    }
  })

  it('keep the headers of the answer on a 304', async () => {
    const answer = await ask('/json', { 'if-none-match': '*' })
    expect([answer.headers['x-kept'], answer.cookies, answer.headers['etag']]).toEqual([
      '1',
      ['a=1; Path=/'],
      weak('{"tea":"oolong"}'),
    ])
  })

  it('are as good for one Controller', async () => {
    const controller = new Controller('GET', '/', () => 'ok').use(conditional(), etag())
    const { send } = await serving.serve([controller])
    expect((await send('/', { headers: { 'if-none-match': weak('ok') } })).status).toBe(304)
    expect((await send('/')).text).toBe('ok')
  })

  it('give under a profile what Express gives by itself', async () => {
    const tagged = new Controller('GET', '/tagged', () => 'ok').use(conditional(), etag())
    const { send } = await serving.serve([tagged, new Controller('GET', '/bare', () => 'ok')], {
      profile: express5(),
    })
    for (const target of ['/tagged', '/bare']) {
      expect((await send(target)).headers['etag']).toBe(weak('ok'))
      expect((await send(target, { headers: { 'if-none-match': weak('ok') } })).status).toBe(304)
    }
    // Where the app has them off, the middleware alone gives one.
    const off = fromApp(express().disable('etag'))
    const served = await serving.serve([tagged, new Controller('GET', '/bare', () => 'ok')], { profile: off })
    expect((await served.send('/tagged')).headers['etag']).toBe(weak('ok'))
    expect((await served.send('/bare')).headers['etag']).toBeUndefined()
  })
})

it('conditional() decides as the package fresh, for tags that are written as tags', async () => {
  const tag = fc.constantFrom('"a"', 'W/"a"', '"b"', 'W/"b"', '""')
  const date = fc.constantFrom(lastModified, 'Sat, 21 Nov 2026 06:00:00 GMT', 'yesterday', '')
  const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })
  const requests = fc.record({
    'if-none-match': optional(
      fc.oneof(
        fc.constant('*'),
        fc.array(tag, { minLength: 1 }).map((all) => all.join(', ')),
      ),
    ),
    'if-modified-since': optional(date),
    'cache-control': optional(fc.constantFrom('no-cache', 'max-age=0', 'max-age=0,no-cache', 'no-cachet')),
  })
  const answers = fc.record({ etag: optional(tag), 'last-modified': optional(date) })
  await fc.assert(
    fc.asyncProperty(requests, answers, async (request, answer) => {
      const given = (all: Record<string, string | undefined>) =>
        Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
          string,
          string
        >
      const controller = new Controller('GET', '/', (_req, res) => {
        for (const [name, value] of Object.entries(given(answer))) res.header(name, value)
        return res.text('ok')
      }).use(conditional())
      const fetchHandler = new RouteControllers([controller]).getCallback()
      const { status } = await fetchHandler(new Request('http://x/', { headers: given(request) }))
      expect(status).toBe(fresh(given(request), given(answer)) ? 304 : 200)
    }),
    { numRuns: 2_000 },
  )
})

describe('etag()', () => {
  it.each([[{ strong: true }], [{ weak: 'yes' }], ['weak'], [null]])('refuses %p', (options) => {
    expect(() => etag(options as never)).toThrow(expect.objectContaining({ code: 'ERR_OPTION_INVALID' }))
  })
})

describeServingsAndHttp2('conditional()', (serving) => {
  it.each([300, 404, 500])(
    'leaves an answer of status %d, whatever its tag: a 304 would be a 200',
    async (status) => {
      const { send } = await serving.serve([
        new Controller('GET', '/', (_req, res) => res.status(status).header('ETag', '"a"').text('x')).use(
          conditional(),
        ),
      ])
      expect((await send('/', { headers: { 'if-none-match': '"a"' } })).status).toBe(status)
    },
  )

  it('stops the source of an answer that the client has already', async () => {
    let isCancelled = false
    const source = new ReadableStream({ cancel: () => void (isCancelled = true) })
    const { send } = await serving.serve([
      new Controller('GET', '/', (_req, res) => res.header('ETag', '"a"').stream(source)).use(conditional()),
    ])
    expect((await send('/', { headers: { 'if-none-match': '"a"' } })).status).toBe(304)
    expect(isCancelled).toBe(true)
  })
})

it('etag() says so where there is no Web Crypto', async () => {
  const crypto = Object.getOwnPropertyDescriptor(globalThis, 'crypto')!
  const logged: string[] = []
  const logger = { info() {}, warn() {}, error: (text: string) => void logged.push(text) }
  const tea = new Controller('GET', '/', () => 'tea').use(etag())
  const callback = new RouteControllers([tea], { logger }).getCallback()
  try {
    Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true })
    expect((await callback(new Request('http://x/'))).status).toBe(500)
  } finally {
    Object.defineProperty(globalThis, 'crypto', crypto)
  }
  expect(logged.join()).toMatch(/etag\(\) needs Web Crypto/)
  expect((await callback(new Request('http://x/'))).headers.get('etag')).toBe(weak('tea'))
})
