import { Controller, type Platform, platform, RouteControllers } from 'routecontrollers'
import { describeServings } from '../support/describe-servings.js'
import { thrownBy } from '../support/thrown-by.js'

const seen: Platform[] = []
const controllers = [
  new Controller('GET', '/ip', (req, res) =>
    res.json([req.realIp ?? null, req.get('x-forwarded-for') ?? null]),
  ),
  new Controller('GET', '/platform', (req, res) => {
    if (req.platform !== undefined) seen.push(req.platform)
    return res.json(req.platform === undefined ? 'none' : (req.platform.env ?? 'no env'))
  }),
]
const ask = async (
  routeControllers: RouteControllers,
  path: string,
  given?: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> =>
  (await routeControllers.getCallback()(new Request(`http://localhost${path}`, { headers }), given)).json()
const noHook = (routeControllers: RouteControllers): RouteControllers => routeControllers
const withHook = (routeControllers: RouteControllers): RouteControllers =>
  routeControllers.addGlobal((_req, _res, next) => next())

afterEach(() => void seen.splice(0))

describe.each([
  ['without a hook', noHook],
  ['with a hook', withHook],
])('getCallback()(request, platform({ … })) %s', (_name, add) => {
  it('gives callbacks what the runtime tells, the same object', async () => {
    const waitUntil = (): void => {}
    const raw = { cf: 1 }
    const given = platform({ env: 'production', ip: '192.0.2.1', waitUntil, raw })
    expect(await ask(add(new RouteControllers(controllers)), '/platform', given)).toBe('production')
    expect(seen).toEqual([given])
    expect(seen[0]).toBe(given)
    expect([given.ip, given.env, given.waitUntil, given.raw]).toEqual([
      '192.0.2.1',
      'production',
      waitUntil,
      raw,
    ])
  })

  it('takes the address, in canonical form', async () => {
    const routeControllers = add(new RouteControllers(controllers))
    expect(await ask(routeControllers, '/ip', platform({ ip: '::ffff:192.0.2.1' }))).toEqual([
      '192.0.2.1',
      null,
    ])
    expect(await ask(routeControllers, '/ip', platform({}))).toEqual([null, null])
    expect(await ask(routeControllers, '/ip')).toEqual([null, null])
  })

  it('reads X-Forwarded-For where that address is of a trusted proxy, and nowhere else', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.1, 203.0.113.2' }
    const realIp = async (trusted: RouteControllers, ip?: string): Promise<unknown> =>
      ((await ask(trusted, '/ip', ip && platform({ ip }), headers)) as unknown[])[0]
    const behindProxy = add(new RouteControllers(controllers, { trustProxy: '10.0.0.0/8' }))
    expect(await realIp(behindProxy, '10.1.2.3')).toBe('203.0.113.2')
    expect(await realIp(behindProxy, '192.0.2.1')).toBe('192.0.2.1')
    expect(await realIp(behindProxy)).toBeNull()
    expect(await realIp(add(new RouteControllers(controllers)), '10.1.2.3')).toBe('10.1.2.3')
  })

  it.each([
    ['the server of Bun', { requestIP: () => ({ address: '192.0.2.1' }), ip: '192.0.2.1' }],
    ['the info of Deno', { remoteAddr: { hostname: '192.0.2.1' }, env: 'x' }],
    ['variables of Workers', { ip: '192.0.2.1', env: { ip: '192.0.2.1' } }],
    ['a copy of a platform without its brand', JSON.parse(JSON.stringify(platform({ ip: '192.0.2.1' })))],
    ['an object that inherits from a platform', Object.create(platform({ ip: '192.0.2.1', env: 'x' }))],
    ['a text', '192.0.2.1'],
    ['null', null],
  ])('ignores %s', async (_what, given) => {
    const routeControllers = add(new RouteControllers(controllers))
    expect(await ask(routeControllers, '/ip', given)).toEqual([null, null])
    expect(await ask(routeControllers, '/platform', given)).toBe('none')
  })
})

describe('What hooks read of a platform', () => {
  it('is its address and the name of the host', async () => {
    const routeControllers = new RouteControllers([
      new Controller<'/seen', { seen?: unknown }>('GET', '/seen', (req, res) => res.json(req.seen)),
    ]).addGlobal((req, _res, next) => {
      const { ip, hostname } = req as unknown as Record<string, unknown>
      Object.assign(req, { seen: [ip, hostname, req.socket.remoteAddress] })
      next()
    })
    expect(await ask(routeControllers, '/seen', platform({ ip: '192.0.2.1' }))).toEqual([
      '192.0.2.1',
      'localhost',
      '192.0.2.1',
    ])
  })
})

describe('platform', () => {
  it.each([
    [{ ip: 1 }, /ip takes a text/],
    [{ waitUntil: 'later' }, /waitUntil/],
    [{ adress: 'x' }, /no option "adress"/],
    [undefined, /an object of options/],
  ])('refuses %p', (options, message) => {
    const error = thrownBy(() => platform(options as never))
    expect(error).toMatchObject({ code: 'ERR_OPTION_INVALID', message: expect.stringMatching(message) })
  })

  it('cannot be changed by a callback', () => {
    expect(Object.isFrozen(platform({ ip: '192.0.2.1' }))).toBe(true)
  })
})

describeServings('hostname of hooks', ({ serve }) => {
  it.each([
    ['shop.test:8080', 'shop.test'],
    ['shop.test', 'shop.test'],
    ['[::1]:3000', '[::1]'],
    ['[::1]', '[::1]'],
  ])('of the Host %s is %s', async (host, hostname) => {
    const { send } = await serve(
      [new Controller<'/x', { seen?: unknown }>('GET', '/x', (req, res) => res.json(req.seen ?? null))],
      {
        setup: (routeControllers) =>
          void routeControllers.addGlobal((req, _res, next) => {
            Object.assign(req, { seen: (req as { hostname?: string }).hostname })
            next()
          }),
      },
    )
    expect((await send('/x', { headers: { host } })).json()).toBe(hostname)
  })
})
