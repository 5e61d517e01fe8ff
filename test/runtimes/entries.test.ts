import { Controller, group, RouteControllers } from 'routecontrollers'
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
