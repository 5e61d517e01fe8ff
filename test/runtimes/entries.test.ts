import { Controller, group, platform, RouteControllers } from 'routecontrollers'
import { toBun } from 'routecontrollers/bun'
import { toDeno } from 'routecontrollers/deno'
import { bindings, toWorker } from 'routecontrollers/workers'
import { thrownBy } from '../support/thrown-by.js'

// The same entries run in their runtimes in `npm run test:environments`.

const later: Promise<unknown>[] = []
const routeControllers = new RouteControllers([
  new Controller('GET', '/ip', (req, res) => res.json([req.realIp ?? null, req.platform?.raw !== undefined])),
  new Controller('GET', '/later', (req) => {
    req.platform?.waitUntil?.(Promise.resolve('later'))
    return req.platform?.waitUntil === undefined ? 'no' : 'yes'
  }),
])
const request = (path: string, headers: Record<string, string> = {}): Request =>
  new Request(`http://localhost${path}`, { headers })
const read = async (answer: Promise<Response>): Promise<unknown> => (await answer).json()

it('toBun asks the server for the address, only where it is read', async () => {
  let asked = 0
  const server = { requestIP: () => (asked++, { address: '::ffff:192.0.2.1' }) }
  const { fetch } = toBun(routeControllers)
  await fetch(request('/later'), server)
  expect(asked).toBe(0)
  expect(await read(fetch(request('/ip'), server))).toEqual(['192.0.2.1', true])
  expect(await read(fetch(request('/ip'), { requestIP: () => null }))).toEqual([null, true])
  expect(await read(fetch(request('/ip')))).toEqual([null, false])
})

it('toDeno takes the address of the socket, and none of a file', async () => {
  const { fetch } = toDeno(routeControllers)
  const info = { remoteAddr: { transport: 'tcp', hostname: '192.0.2.1', port: 1 } }
  expect(await read(fetch(request('/ip'), info))).toEqual(['192.0.2.1', true])
  const file = { remoteAddr: { transport: 'unix', path: '/tmp/socket' } }
  expect(await read(fetch(request('/ip'), file))).toEqual([null, true])
  expect(await read(fetch(request('/ip')))).toEqual([null, false])
})

describe('toWorker', () => {
  interface Env {
    GREETING: string
  }
  const typed = group('/').with(bindings<Env>())
  const greet = typed.get('/greet', (req) => req.env.GREETING)
  const worker = toWorker<Env>(new RouteControllers([greet]))

  it('gives the bindings, with their types', async () => {
    expect(await (await worker.fetch(request('/greet'), { GREETING: 'Hello' })).text()).toBe('Hello')
  })

  it('answers 500 where there are no bindings, and says what to do', async () => {
    const errors: string[] = []
    const logger = { info() {}, warn() {}, error: (line: string) => void errors.push(line) }
    const answer = await new RouteControllers([greet], { logger }).getCallback()(request('/greet'))
    expect(answer.status).toBe(500)
    expect(errors.join()).toContain('serve it by toWorker')
  })

  it('answers 500 where a platform has no bindings', async () => {
    const errors: string[] = []
    const logger = { info() {}, warn() {}, error: (line: string) => void errors.push(line) }
    const callback = new RouteControllers([greet], { logger }).getCallback()
    expect((await callback(request('/greet'), platform({ ip: '::1' }))).status).toBe(500)
    expect(errors.join()).toContain('serve it by toWorker')
    expect((await callback(request('/greet'), platform({ env: { GREETING: 'Hi' } }))).status).toBe(200)
  })

  it('gives waitUntil, which is called on its context', async () => {
    const context = {
      promises: later,
      waitUntil(promise: Promise<unknown>) {
        this.promises.push(promise)
      },
    }
    const { fetch } = toWorker(routeControllers)
    expect(await (await fetch(request('/later'), {}, context)).text()).toBe('yes')
    expect(await Promise.all(later)).toEqual(['later'])
    expect(await (await fetch(request('/later'), {})).text()).toBe('no')
  })

  it('takes the address that Cloudflare has seen', async () => {
    const { fetch } = toWorker(routeControllers)
    const headers = { 'cf-connecting-ip': '203.0.113.7', 'x-forwarded-for': '203.0.113.8' }
    expect(await read(fetch(request('/ip', headers), {}))).toEqual(['203.0.113.7', false])
    expect(await read(fetch(request('/ip'), {}))).toEqual([null, false])
  })

  describe('of an answer with a Content-Encoding', () => {
    type Init = ResponseInit & { readonly encodeBody?: 'automatic' | 'manual' }

    /** As that of Workers, which encodes a body that has a coding, unless it is told not to. */
    class OfWorkers extends Response {
      readonly encodeBody: Init['encodeBody']

      constructor(body?: ConstructorParameters<typeof Response>[0], init: Init = {}) {
        super(body, init)
        this.encodeBody = init.encodeBody ?? 'automatic'
      }
    }

    const { Response: ofNode } = globalThis
    beforeEach(() => void (globalThis.Response = OfWorkers))
    afterEach(() => void (globalThis.Response = ofNode))

    const packed = new Uint8Array([31, 139, 8, 0])
    const headers = { 'Content-Encoding': 'gzip' }
    const own = (init: Init): Response => new Response(packed, { headers, ...init })

    it.each<[string, string, ConstructorParameters<typeof Controller>[2]]>([
      ['a text', 'manual', (_req, res) => res.header('Content-Encoding', 'x-own').text('packed')],
      ['bytes', 'manual', (_req, res) => res.header('Content-Encoding', 'gzip').send(packed)],
      ['a text without a coding', 'automatic', (_req, res) => res.text('plain')],
      ['a Response that has been encoded', 'manual', () => own({ encodeBody: 'manual' })],
      [
        'such a Response with a cookie of the callback',
        'manual',
        (_req, res) => {
          res.cookie('a', '1')
          return own({ encodeBody: 'manual' })
        },
      ],
      [
        'a Response to be encoded, with a cookie',
        'automatic',
        (_req, res) => {
          res.cookie('a', '1')
          return own({})
        },
      ],
    ])('says whether it has been encoded: %s', async (_what, encodeBody, callback) => {
      const { fetch } = toWorker(new RouteControllers([new Controller('GET', '/', callback)]))
      expect(await fetch(request('/'), {})).toMatchObject({ status: 200, encodeBody })
    })
  })
})

it.each([
  ['toBun', toBun],
  ['toDeno', toDeno],
  ['toWorker', toWorker],
])('%s refuses anything but a RouteControllers', (name, make) => {
  expect(thrownBy(() => make({} as never))).toMatchObject({
    code: 'ERR_OPTION_INVALID',
    message: `${name} takes new RouteControllers([…]), not an object`,
  })
})
