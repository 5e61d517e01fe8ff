// Compiles, or does not: guards and middleware around that name no type.
import {
  type Added,
  around,
  Controller,
  describeGuard,
  fromConnect,
  type Group,
  type GroupWithSchemas,
  group,
  guard,
  type Middleware,
  type NextAnswer,
  type ResponseBuilder,
  RouteControllers,
  type RouteRequest,
} from 'routecontrollers'
import { z } from 'zod'
import { expectType } from './equal.js'

interface User {
  name: string
}
const find = (token: string | undefined): User | undefined =>
  token === undefined ? undefined : { name: token }

const requireUser = guard(async (req, res) => {
  expectType<typeof req, RouteRequest>()
  expectType<typeof res, ResponseBuilder>()
  // @ts-expect-error a member that is misspelt
  void req.bodyy
  const user = find(req.get('authorization'))
  if (user === undefined) return res.status(401).end()
  return { user }
})
const findShop = guard('/shops/:shop', (req, res) => {
  expectType<typeof req.params, { shop: string }>()
  // @ts-expect-error the path has no such param
  void req.params.tea
  return req.params.shop === 'kyoto' ? { shop: { city: 'Kyoto' } } : res.status(404).end()
})
const requireAda = guard((req: RouteRequest<string, Added<typeof requireUser>>, res) => {
  expectType<typeof res, ResponseBuilder>()
  return req.user.name === 'Ada' ? undefined : res.status(403).end()
})
const timing = around(async (req, res, next) => {
  expectType<typeof req, RouteRequest>()
  expectType<typeof res, ResponseBuilder>()
  expectType<typeof next, NextAnswer>()
  return next()
})
const rest = around((...[, , next]) => next())
const inGuard = guard((_req, _res, next) => {
  expectType<typeof next, NextAnswer>()
  return next()
})

// They add what they return.
expectType<Added<typeof requireUser>, { user: User }>()
expectType<Added<typeof findShop>, { shop: { city: string } }>()
expectType<Added<typeof requireAda>, {}>()
expectType<Added<typeof timing>, {}>()
expectType<Added<typeof inGuard>, {}>()

// The types of groups are those that you would write.
const shop = group('/shops/:shop', timing, requireUser, findShop, requireAda)
expectType<typeof shop, Group<'/shops/:shop', { user: User; shop: { city: string } }>>()
const checked = shop.with({ input: { query: z.object({ page: z.string() }) } })
expectType<typeof checked extends GroupWithSchemas<'/shops/:shop', any, any, {}> ? 1 : 0, 1>()
expectType<typeof checked extends Group<string> ? 1 : 0, 0>()
shop.get('/orders/:id', (req) => {
  expectType<typeof req.params, { shop: string; id: string }>()
  expectType<typeof req.user, User>()
  return req.shop.city
})
checked
  .with(rest)
  .group('/x')
  .get('/', (req) => {
    expectType<typeof req.query, { page: string }>()
    return req.user.name
  })
const inner = shop.group('/teas/:tea', inGuard).use(() => ({ user: 7 }))
expectType<typeof inner, Group<'/shops/:shop/teas/:tea', { shop: { city: string }; user: number }>>()
void inner
// A function that takes any group of this prefix.
const healthOf = (one: Group<'' | '/shops'>) => one.get('/health', () => 'ok')
healthOf(group(''))
healthOf(group('/shops', requireUser) as never)

// Where they fit, and where not.
new RouteControllers([]).use(requireUser, timing, inGuard, rest)
new Controller('GET', '/shops/:shop/x', () => '').use(requireUser, findShop, timing)
group('/shops/:shop/teas/:tea', findShop)
// @ts-expect-error the path has no shop
group('/teas', findShop)
// @ts-expect-error the path has no shop
new Controller('GET', '/teas', () => '').use(findShop)
// @ts-expect-error not each path has a shop
new RouteControllers([]).use(findShop)
// @ts-expect-error no guard before adds a user
group('/teas', requireAda)
// @ts-expect-error no guard before adds a user
new RouteControllers([]).use(requireAda)

// What is no middleware.
// @ts-expect-error a text is no result of a middleware
guard(() => 'text')
// @ts-expect-error a member that each request has
guard(() => ({ body: 1 }))
// @ts-expect-error there are no optional params
guard('/shops/:shop?', () => undefined)
// @ts-expect-error what is asked for is no request
guard((_req: string) => undefined)
// @ts-expect-error Connect's three parameters: its next is not ours
guard((_req, _res, next) => next('route'))
// @ts-expect-error a text is no result of a middleware
around(async () => 'text')

// What is middleware stays what it is.
guard(fromConnect((_req, _res, next) => next()))
describeGuard(requireUser, { security: [{ bearer: [] }] })
const written: Middleware = guard((req) => void req.url)
void written
