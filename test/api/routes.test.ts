import express from 'express'
import { Controller, fromConnect, group, type Middleware, RouteControllers } from 'routecontrollers'
import { expressPath, fromExpress } from 'routecontrollers/express'
import { recordRegistrations } from '@routecontrollers/cli'

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

const plain = {
  source: undefined,
  refusedStatus: 422,
  hasOnError: false,
  guards: [],
  options: {},
  isForeign: false,
}

describe('routeControllers.routes', () => {
  it('tells the method, the path, and the names', () => {
    expect(createRouteControllers().routes).toEqual([
      {
        method: 'GET',
        path: '/users/:id',
        name: 'getUser',
        middleware: ['guard', 'session'],
        ...plain,
      },
      { method: '*', path: '/legacy', name: 'legacy', middleware: [], ...plain },
      { method: 'POST', path: '/users', name: '<anonymous>', middleware: [], ...plain },
    ])
  })

  it('tells the options with those of the group, the status of refused input, and which paths are in the grammar of Express', () => {
    const list = [
      group('/a')
        .with({ tags: ['a'] })
        .get('/b', () => '', { summary: 'B' }),
      new Controller(
        'GET',
        expressPath('/c{/:d}'),
        fromExpress(() => {}),
      ),
    ]
    const { routes } = new RouteControllers(list, { refusedStatus: 400, profile: 'express5' })
    expect(routes).toMatchObject([
      { options: { tags: ['a'], summary: 'B' }, isForeign: false, refusedStatus: 400 },
      { options: {}, isForeign: true },
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

it('routes name the middleware of all Controllers, then that of groups from the outer to the inner, then their own', () => {
  const named = (name: string): Middleware => Object.defineProperty(() => {}, 'name', { value: name })
  const route = group('/a', named('outer'))
    .group('/b', named('inner'))
    .get('/', () => '')
    .use(named('own'))
  const made = new RouteControllers([route]).use(named('all'))
  expect(made.routes.map(({ middleware }) => middleware)).toEqual([['all', 'outer', 'inner', 'own']])
})
