// Where `lift` finds nothing against the order of routes, a list without a profile answers as the router with them.
import express from 'express'
import type { AddressInfo } from 'node:net'
import { Controller, RouteControllers } from 'routecontrollers'
import { orderObstacle, type OrderedRoute } from '../../../packages/cli/src/lift/order.js'
import { below, createRandom, pick, type Random } from '../../hard/random.js'
import { itSlow, times } from '../../support/counts.js'

const reasonOf = (...routes: string[]): string | undefined =>
  orderObstacle(
    routes.map((one) => {
      const [method, path] = one.split(' ') as [string, string]
      return { method, path }
    }),
    false,
  )?.reason

it.each([
  ['GET /:id', 'GET /new'],
  ['GET /a', 'GET /a'],
  ['GET /a', 'GET /A'],
  ['GET /:id', 'GET /:name'],
  ['* /a', 'GET /a'],
  ['GET /a', 'HEAD /a'],
  ['GET /a', 'HEAD /:id'],
  ['GET /:a/b', 'GET /a/:b'],
])('%s stands before %s', (first, later) => {
  expect(reasonOf('PATCH /other', first, later)).toBe(
    `${first} answers before ${later}, and in a list that is not sure`,
  )
})

it.each([
  ['GET /new', 'GET /:id'],
  ['GET /:id', 'POST /new'],
  ['GET /a', '* /a'],
  ['HEAD /a', 'GET /a'],
  ['HEAD /a', 'GET /:id'],
  ['GET /:a', 'GET /a/b'],
  ['GET /a/:b', 'GET /:a/b'],
])('%s may stand before %s', (first, later) => {
  expect(reasonOf(first, later)).toBeUndefined()
})

it('tells two paths of different cases apart where the router does', () => {
  const routes = ['/a', '/A'].map((path) => ({ method: 'GET', path }))
  expect(orderObstacle(routes, true)).toBeUndefined()
})

function routesOf(random: Random): OrderedRoute[] {
  return Array.from({ length: 2 + below(random, 3) }, () => {
    const parts = Array.from({ length: below(random, 3) }, (_none, at) => pick(random, ['a', 'b', `:p${at}`]))
    return { method: pick(random, ['GET', 'GET', 'HEAD', 'POST', '*']), path: `/${parts.join('/')}` }
  })
}

itSlow(
  'answers alike where nothing is against it',
  async () => {
    const random = createRandom(1)
    let compared = 0
    for (let round = 0; compared < times(15, 400); round++) {
      const routes = routesOf(random)
      if (orderObstacle(routes, false) !== undefined) continue
      compared++
      const app = express()
      routes.forEach(({ method, path }, at) => {
        const verb = method === '*' ? 'all' : (method.toLowerCase() as 'get')
        app[verb](path, (_req, res) => void res.set('x-at', String(at)).end())
      })
      const list = routes.map(
        ({ method, path }, at) =>
          new Controller(method, path, (_req, res) => res.header('x-at', String(at)).end()),
      )
      const fetchHandler = new RouteControllers(list, {
        logger: { ...console, warn: () => {} },
      }).getCallback()
      const server = app.listen(0)
      const { port } = server.address() as AddressInfo
      for (const method of ['GET', 'HEAD', 'POST', 'PUT']) {
        for (const path of ['/', '/a', '/c', '/a/b', '/b/a', '/a/c', '/c/b']) {
          const was = await fetch(`http://127.0.0.1:${port}${path}`, { method })
          const is = await fetchHandler(new Request(`http://x${path}`, { method }))
          const told = { routes, method, path }
          const [first, now] = [was, is].map(({ headers }) => headers.get('x-at'))
          expect({ ...told, at: now }).toEqual({ ...told, at: first })
        }
      }
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  },
  300_000,
)
