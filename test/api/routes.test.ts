import express from 'express'
import { Controller, fromConnect, RouteControllers } from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { recordRegistrations } from 'routecontrollers/migrate'

function guard(): void {}
function session(_req: unknown, _res: unknown, next: () => void): void {
  next()
}
const createRouteControllers = (): RouteControllers =>
  new RouteControllers([
    new Controller('GET', '/users/:id', function getUser() {
      return 'a user'
    })
      .use(guard)
      .use(fromConnect(session)),
    new Controller(
      '*',
      '/legacy',
      fromExpress(session, function legacy() {}),
    ),
    new Controller('POST', '/users', () => 'made'),
  ])

describe('routeControllers.routes', () => {
  it('tells the method, the path, and the names', () => {
    expect(createRouteControllers().routes).toEqual([
      {
        method: 'GET',
        path: '/users/:id',
        name: 'getUser',
        middleware: ['guard', 'session'],
        source: undefined,
      },
      { method: '*', path: '/legacy', name: 'legacy', middleware: [], source: undefined },
      { method: 'POST', path: '/users', name: '<anonymous>', middleware: [], source: undefined },
    ])
  })

  it('tells where each was made, once that is recorded', () => {
    const stop = recordRegistrations(express)
    const routeControllers = createRouteControllers()
    const sources = routeControllers.routes.map(({ source }) => source)
    stop()
    for (const source of sources) expect(source).toMatch(/routes\.test\.ts:\d+$/)
    expect(new Set(sources).size).toBe(3)
    expect(createRouteControllers().routes[0]!.source).toBeUndefined()
  })
})
