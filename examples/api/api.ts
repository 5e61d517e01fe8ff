import { group } from 'routecontrollers'
import { type HasRoutes, type OpenApiOptions, openApiControllers } from 'routecontrollers/openapi'
import { z } from 'zod'
import { requireMember, requireUser } from './guards.js'
import { Failure, NewOrder, NewOrg, Order, OrderList, Org, Page, User } from './schemas.js'
import type { Store } from './store.js'

export const apiOptions: OpenApiOptions = {
  info: { title: 'Orders', version: '1.0.0', description: 'Users order for their orgs.' },
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
  tags: [{ name: 'users' }, { name: 'orgs', description: 'Who orders together' }, { name: 'orders' }],
}

/** The API, with its document at /openapi.json and a page at /docs; `find` gives the RouteControllers that have it. */
export function createControllers({ users, orgs, orders }: Store, find: () => HasRoutes) {
  const signedIn = group('', requireUser(users)).with({
    security: [{ bearer: [] }],
    output: { 401: Failure },
  })
  const ofOrgs = signedIn.with({ tags: ['orgs'] })
  const inOrg = ofOrgs.group('/orgs/:org', requireMember(orgs)).with({ output: { 404: Failure } })
  const ofOrders = inOrg.group('/orders').with({ tags: ['orders'] })
  const params = z.object({ org: z.string(), id: z.coerce.number().int() })

  return [
    signedIn.get('/me', (req, res) => res.json(req.user), {
      name: 'getMe',
      tags: ['users'],
      output: { 200: User },
    }),
    ofOrgs.post(
      '/orgs',
      (req, res) => {
        const { slug } = req.body
        if (orgs.has(slug)) return res.status(409).json({ error: `${slug} is taken` })
        orgs.set(slug, { ...req.body, members: [req.user.name] })
        orders.set(slug, new Map())
        return res.status(201).json(orgs.get(slug)!)
      },
      { name: 'createOrg', input: { body: NewOrg }, output: { 201: Org, 409: Failure } },
    ),
    inOrg.post(
      '/members',
      (req, res) => {
        const found = [...users.values()].find(({ name }) => name === req.body.name)
        if (found === undefined) return res.status(404).json({ error: 'Nobody is called so' })
        if (!req.org.members.includes(found.name)) req.org.members.push(found.name)
        return res.json(req.org)
      },
      { name: 'addMember', input: { body: User.pick({ name: true }) }, output: { 200: Org } },
    ),
    ofOrders.get(
      '/',
      (req, res) => {
        const { page, size, state } = req.query
        const all = [...orders.get(req.org.slug)!.values()].filter(
          (order) => order.state === (state ?? order.state),
        )
        return res.json({ total: all.length, orders: all.slice((page - 1) * size, page * size) })
      },
      { name: 'listOrders', input: { query: Page }, output: { 200: OrderList } },
    ),
    ofOrders.post(
      '/',
      (req, res) => {
        const list = orders.get(req.org.slug)!
        const id = list.size + 1
        list.set(id, { ...req.body, id, by: req.user.name, state: 'open' })
        return res.status(201).json(list.get(id)!)
      },
      { name: 'createOrder', input: { body: NewOrder }, output: { 201: Order } },
    ),
    ofOrders.patch(
      '/:id',
      (req, res) => {
        const order = orders.get(req.org.slug)!.get(req.params.id)
        if (order === undefined) return res.status(404).json({ error: 'There is no such order' })
        return res.json(Object.assign(order, req.body))
      },
      { name: 'changeOrder', input: { params, body: Order.pick({ state: true }) }, output: { 200: Order } },
    ),
    ...openApiControllers(find, apiOptions),
  ]
}
