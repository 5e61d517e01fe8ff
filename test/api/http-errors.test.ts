import createError from 'http-errors'
import { Controller } from 'routecontrollers'
import {
  describeServings,
  type Served,
  type ServeOptions,
  type Serving,
} from '../support/describe-servings.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'

const ours = ({ errors }: Serving): boolean => errors === 'us'

function serveThrowing({ serve }: Serving, thrown: unknown, options: ServeOptions = {}): Promise<Served> {
  return serve([new Controller('GET', '/', () => Promise.reject(thrown))], options)
}

// What Express makes of each is asked in the servings inside of it, so that one list holds both.
describeServings('An error of http-errors has the same status and headers as in Express', (serving) => {
  it.each<[string, unknown, number, Record<string, string | undefined>]>([
    [
      '503 with Retry-After',
      createError(503, 'busy', { headers: { 'Retry-After': '120' } }),
      503,
      { 'retry-after': '120' },
    ],
    [
      '429 with Retry-After',
      createError(429, { headers: { 'retry-after': 5 } }),
      429,
      { 'retry-after': '5' },
    ],
    [
      '401 with WWW-Authenticate',
      createError(401, { headers: { 'WWW-Authenticate': 'Basic' } }),
      401,
      { 'www-authenticate': 'Basic' },
    ],
    ['405 with Allow', new createError.MethodNotAllowed(), 405, {}],
    ['502', new createError.BadGateway('upstream'), 502, {}],
    ['504', new createError.GatewayTimeout(), 504, {}],
    ['599', createError(599), 599, {}],
    [
      '418 with a list of values',
      createError(418, { headers: { 'X-A': ['1', '2'] } }),
      418,
      { 'x-a': '1, 2' },
    ],
    [
      'headers, and no status that counts',
      Object.assign(new Error('x'), { status: 200, headers: { 'Retry-After': '1' } }),
      500,
      { 'retry-after': undefined },
    ],
    [
      'headers, and no status',
      Object.assign(new Error('x'), { headers: { 'Retry-After': '1' } }),
      500,
      { 'retry-after': undefined },
    ],
    ['headers that are none', createError(400, { headers: 'Retry-After' }), 400, {}],
    ['headers that are null', createError(400, { headers: null }), 400, {}],
  ])('%s', async (_what, thrown, status, headers) => {
    const silent: ServeOptions['upstream'] = (app) => void app.set('env', 'test')
    const answer = await serveThrowing(serving, thrown, { upstream: silent }).then(({ send }) => send('/'))
    expect(answer.status).toBe(status)
    for (const [name, value] of Object.entries(headers))
      expect([name, answer.headers[name]]).toEqual([name, value])
    expect(answer.headers['content-type']).toMatch(/^text\/(?:plain|html); charset=utf-8$/)
    expect(answer.text.length).toBeGreaterThan(1)
  })
})

describeServingsAndHttp2(
  'The message of a thrown error',
  (serving) => {
    it.each<[string, unknown, string]>([
      ['is shown below 500', createError(409, 'taken'), 'taken'],
      ['is not shown with expose: false', createError(409, 'taken', { expose: false }), 'Conflict'],
      ['is not shown from 500 on', createError(503, 'the pool of 10.0.0.7 is empty'), 'Service Unavailable'],
      [
        'is shown with expose: true, a 5xx too',
        createError(503, 'back at noon', { expose: true }),
        'back at noon',
      ],
      [
        'is shown with expose: true where there is no status',
        Object.assign(new Error('back'), { expose: true }),
        'back',
      ],
      [
        'is decided by a boolean alone',
        Object.assign(createError(503, 'secret'), { expose: 'yes' }),
        'Service Unavailable',
      ],
      ['is of no use when it is no text', Object.assign(createError(409), { message: 7 }), 'Conflict'],
      [
        'is the name of the status where it is empty',
        Object.assign(createError(502), { message: '' }),
        'Bad Gateway',
      ],
    ])('%s', async (_what, thrown, text) => {
      const { send } = await serveThrowing(serving, thrown)
      expect((await send('/')).text).toBe(text)
    })

    it('is the detail of a problem', async () => {
      const { send } = await serveThrowing(
        serving,
        createError(503, 'back at noon', { expose: true, headers: { 'Retry-After': '60' } }),
      )
      const answer = await send('/', { headers: { accept: 'application/json' } })
      expect([answer.headers['retry-after'], answer.headers['content-type']]).toEqual([
        '60',
        'application/problem+json',
      ])
      expect(answer.json()).toEqual({
        type: 'about:blank',
        title: 'Service Unavailable',
        status: 503,
        detail: 'back at noon',
      })
    })
  },
  ours,
)

describeServingsAndHttp2(
  'The headers of a thrown error',
  (serving) => {
    it('that cannot be sent are left out, and the others are sent', async () => {
      const headers = {
        'Retry-After': '1',
        'X A': '1',
        'X-Line': 'a\r\nX-Injected: 1',
        'X-Wide': '\u{1f375}',
        'X-Symbol': Symbol('no'),
        'X-Object': {},
        'X-Null': null,
        'X-List': ['1', 2, 'b\n'],
        'X-Number': 7,
        Connection: 'close, X-Kept',
        'Transfer-Encoding': 'chunked',
        'X-Kept': 'kept',
      }
      const { send } = await serveThrowing(serving, createError(503, { headers }))
      const answer = await send('/')
      expect([answer.status, answer.text]).toEqual([503, 'Service Unavailable'])
      const names = Object.keys(answer.headers).filter((name) => /^(?:x-|retry|transfer)/.test(name))
      expect(names.sort()).toEqual(['retry-after', 'x-kept', 'x-number'])
      expect(answer.headers['connection'] ?? '').not.toContain('X-Kept')
    })

    it.each<[string, object]>([
      [
        'a getter that throws',
        {
          get headers() {
            throw new Error('no')
          },
        },
      ],
      [
        'a member that throws',
        {
          headers: {
            get 'X-A'() {
              throw new Error('no')
            },
          },
        },
      ],
      ['a proxy that has been revoked', { headers: revoked() }],
    ])('that cannot be read break no answer: %s', async (_what, members) => {
      const error = Object.defineProperties(createError(503), Object.getOwnPropertyDescriptors(members))
      const { send } = await serveThrowing(serving, error)
      expect(await send('/')).toMatchObject({ status: 503, text: 'Service Unavailable' })
    })

    it('are not those of the body, which it knows nothing of', async () => {
      const headers = {
        'Content-Length': '1',
        'Content-Encoding': 'gzip',
        'content-type': 'image/png',
        'Content-Range': 'bytes 0-1/2',
      }
      const { send } = await serveThrowing(serving, createError(400, 'short and stout', { headers }))
      const answer = await send('/')
      expect(answer.text).toBe('short and stout')
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(answer.headers['content-encoding']).toBeUndefined()
      expect(answer.headers['content-range']).toBeUndefined()
    })

    it('may be cookies', async () => {
      const { send } = await serveThrowing(
        serving,
        createError(401, { headers: { 'Set-Cookie': ['a=1', 'b=2'] } }),
      )
      expect((await send('/')).cookies).toEqual(['a=1', 'b=2'])
    })

    it('win over the headers of every answer', async () => {
      const { send } = await serveThrowing(serving, createError(503, { headers: { 'Retry-After': '1' } }), {
        setup: (routeControllers) => routeControllers.addHeader('Retry-After', '9').addHeader('X-Every', '1'),
      })
      expect((await send('/')).headers).toMatchObject({ 'retry-after': '1', 'x-every': '1' })
    })
  },
  ours,
)

describeServingsAndHttp2(
  'A thrown 5xx',
  (serving) => {
    it.each([500, 501, 502, 503, 505, 599])('%d is logged once, with its message', async (status) => {
      const { send, logged } = await serveThrowing(serving, createError(status, 'secret'))
      expect((await send('/')).status).toBe(status)
      expect(logged).toEqual([expect.stringMatching(/^error GET \/ \(Controller GET:\/\): .*secret/)])
    })
  },
  ours,
)

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
