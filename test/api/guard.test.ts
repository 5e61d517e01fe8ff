// guard and around give middleware its types, and leave it as it is.
import { around, Controller, fromConnect, group, guard, RouteControllers } from 'routecontrollers'
import { describeServings } from '../support/describe-servings.js'
import { refusal } from '../support/refusal.js'

const requireUser = guard((req, res) =>
  req.get('authorization') === undefined ? res.status(401).end() : { user: { name: 'Ada' } },
)
const findShop = guard('/shops/:shop', async (req, res) =>
  req.params.shop === 'kyoto' ? { shop: { city: 'Kyoto' } } : res.status(404).text('no shop'),
)
const stamp = around(async (_req, _res, next) => {
  const answer = await next()
  answer.headers.set('X-Stamp', String(answer.status))
  return answer
})

const me = { headers: { authorization: 'me' } }

describeServings('guard', ({ serve }) => {
  it('ends a request of a group with its Response, or adds the members of its object', async () => {
    let ran = 0
    const shop = group('/shops/:shop', stamp, requireUser, findShop)
    const { send } = await serve([
      shop.get('/hello', (req) => {
        ran++
        return `${req.user.name} in ${req.shop.city}`
      }),
    ])
    expect(await send('/shops/kyoto/hello')).toMatchObject({ status: 401, headers: { 'x-stamp': '401' } })
    expect(await send('/shops/nara/hello', me)).toMatchObject({ status: 404, text: 'no shop' })
    expect(ran).toBe(0)
    expect(await send('/shops/kyoto/hello', me)).toMatchObject({
      status: 200,
      text: 'Ada in Kyoto',
      headers: { 'x-stamp': '200' },
    })
    expect(ran).toBe(1)
  })

  it('guards one Controller, and all', async () => {
    const { send } = await serve([new Controller('GET', '/:shop', () => 'in').use(findShop)], {
      setup: (routeControllers) => routeControllers.use(requireUser),
    })
    expect((await send('/kyoto')).status).toBe(401)
    expect((await send('/nara', me)).status).toBe(404)
    expect((await send('/kyoto', me)).text).toBe('in')
  })

  it('lets nothing through when it returns what is no answer', async () => {
    const broken = guard(() => 'yes' as never)
    const { send } = await serve([new Controller('GET', '/', () => 'secret').use(broken)])
    const { status, text } = await send('/')
    expect(status).toBe(500)
    expect(text).not.toContain('secret')
  })

  it('runs around what is inside with three parameters', async () => {
    const twice = guard(async (_req, res, next) => res.text(`<${await (await next()).text()}>`))
    const { send } = await serve([group('/', twice).get('/', () => 'tea')])
    expect((await send('/')).text).toBe('<tea>')
  })
})

describe('guard', () => {
  it('returns the function itself', () => {
    const before = () => undefined
    const connect = fromConnect((_req, _res, next) => next())
    expect(guard(before)).toBe(before)
    expect(guard('/shops/:shop', before)).toBe(before)
    expect(guard(connect)).toBe(connect)
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['string', '/shops'],
    ['an array', [() => undefined]],
    ['one of four parameters', (_a: 1, _b: 2, _c: 3, _d: 4) => undefined],
  ])('refuses %s', (shown, given) => {
    const refused = refusal('ERR_CONTROLLER_INVALID', 'guard takes a function', shown)
    expect(() => guard(given as never)).toThrow(refused)
    expect(() => guard('/shops', given as never)).toThrow(refused)
  })

  it('refuses a second function, which would guard nothing', () => {
    const refused = refusal(
      'ERR_CONTROLLER_INVALID',
      'guard takes one function, not 2',
      'group(prefix, a, b)',
    )
    const untyped: (...all: any[]) => unknown = guard
    const both = [() => undefined, () => undefined]
    expect(() => untyped('/shops', ...both)).toThrow(refused)
    expect(() => untyped(...both)).toThrow(refused)
  })

  it('refuses a path that is no pattern', () => {
    expect(() => guard('/shops/:shop?' as never, () => undefined)).toThrow(refusal('ERR_PATTERN_INVALID'))
    expect(() => guard('shops' as never, () => undefined)).toThrow(refusal('ERR_PATTERN_INVALID'))
    // The function first is a mistake of order.
    expect(() => guard((() => undefined) as never, '/shops' as never)).toThrow(refusal('ERR_PATTERN_INVALID'))
  })

  it('is called by the name of its function in the list of routes', () => {
    const named = guard(function requireAdmin() {})
    const route = group('', named, requireUser).get('/', () => '')
    const listed = new RouteControllers([route]).routes.map(({ middleware }) => middleware)
    expect(listed).toEqual([['requireAdmin', '<anonymous>']])
  })
})
