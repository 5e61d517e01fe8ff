// Compiles, or does not: middleware and callbacks that several Controllers share. `npm run test:environments` compiles it with
// every version of TypeScript that is supported, against the declarations of the packed package.
import {
  around,
  type Callback,
  Controller,
  fromConnect,
  type Group,
  group,
  guard,
  type Middleware,
  RouteControllers,
} from 'routecontrollers'
import { express4, express5, fromApp, fromExpress, toControllers } from 'routecontrollers/express'

interface User {
  name: string
}
interface WithUser {
  user: User
}
type WithBasket = { basket: { id: string } }
type WithSession = { session: { id: string } }

const authenticate: Middleware<string, WithUser> = (req) => {
  req.user = { name: String(req.params['id']) }
}
const openBasket: Middleware<string, WithBasket> = (req) => {
  req.basket = { id: 'a' }
}
const openSession: Middleware<string, WithSession> = (req) => {
  req.session = { id: 'a' }
}
const mark: Middleware = (req) => ({ seen: req.url })

const user = new Controller<'/users/:userId', WithUser>('GET', '/users/:userId', (req, res) =>
  res.json({ name: req.user.name, id: req.params.userId }),
)
user.use(authenticate).use(mark)
user.use(fromConnect((req, res, next) => next()))
user.use((req) => {
  req.user = { name: req.params.userId }
})
// @ts-expect-error an addition that is not declared
user.use((req) => void req.usr)
// @ts-expect-error it needs an addition that this Controller does not declare
user.use(openBasket)

const here = new Controller<'/here', WithSession>('GET', '/here', (req, res) => res.text(req.session.id))
here.use(openSession).use(mark)

const file = new Controller('GET', '/files/:name/*', (req, res) => {
  const params: { name: string; '*': string } = req.params
  // @ts-expect-error the pattern has no such name
  void req.params.folder
  return res.json({ params })
})
file.use(mark)

const showUser: Callback<string, WithUser> = (req, res) => res.json(req.user)
const showPath: Callback = (req, res) => res.text(req.url)
const shared = [
  new Controller<'/users/:userId', WithUser>('GET', '/users/:userId', showUser),
  new Controller<'/users/:userId', WithUser>('GET', '/users/:userId', showPath),
]
const handled = new Controller(
  'GET',
  '/handled/:id',
  fromExpress((req, res) => void res.send(req.params.id)),
)

new RouteControllers([user, here, file, ...shared, handled])

// Guards that name no type.
const requireUser = guard((req, res) =>
  req.get('authorization') === undefined ? res.status(401).end() : { user: { name: req.url } },
)
const findShop = guard('/shops/:shop', async (req) => ({ shop: { id: req.params.shop } }))
const shop: Group<'/shops/:shop', { user: { name: string }; shop: { id: string } }> = group(
  '/shops/:shop',
  around((_req, _res, next) => next()),
  requireUser,
  findShop,
)
shop.get('/teas/:tea', (req) => [req.user.name, req.shop.id, req.params.shop, req.params.tea])
// @ts-expect-error the path has no shop
group('/teas', findShop)

// Where @types/express is not installed, an app is of any type.
declare const app: any
const { controllers } = toControllers(app)
for (const profile of [express4({ express: app }), express5(), fromApp(app)])
  new RouteControllers([handled, ...controllers], { profile })
