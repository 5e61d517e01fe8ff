import { Controller, group, RouteControllers } from 'routecontrollers'
import { thrownBy } from '../support/thrown-by.js'

const routeControllers = new RouteControllers([
  new Controller('GET', '/', () => 'home', { name: 'home' }),
  group('/orgs/:org').get('/users/:id', (req) => req.params, { name: 'user' }),
  new Controller('GET', '/files/*path', (req) => req.params, { name: 'file' }),
  new Controller('GET', '/unnamed', () => ''),
  new Controller('*', '*', () => 'any', { name: 'any' }),
])

describe('routeControllers.url', () => {
  it('fills in the params, percent-encoded', () => {
    expect(routeControllers.url('home')).toBe('/')
    expect(routeControllers.url('user', { org: 'acme', id: 7 })).toBe('/orgs/acme/users/7')
    expect(routeControllers.url('user', { org: 'a/b?c#d e', id: 9n })).toBe('/orgs/a%2Fb%3Fc%23d%20e/users/9')
    expect(routeControllers.url('file', { path: 'a b/c.txt' })).toBe('/files/a%20b/c.txt')
  })

  it('appends a query', () => {
    const query = { page: 2, tag: ['a', 'b&c'], open: true, nothing: undefined, 'a b': '+' }
    expect(routeControllers.url('home', {}, { query })).toBe('/?page=2&tag=a&tag=b%26c&open=true&a%20b=%2B')
  })

  it.each(['..', '.', '%2e', '%2E%2e', '.%2e', ''])(
    'refuses the param %p, which would leave its segment',
    (id) => {
      const error = thrownBy(() => routeControllers.url('user', { org: 'acme', id }))
      expect(error).toMatchObject({ code: 'ERR_URL_INVALID', message: expect.stringContaining('id') })
    },
  )

  it.each(['a/../../etc', '../x', 'a/./b', 'a/%2e%2e/b'])('refuses %p for a wildcard', (path) => {
    expect(thrownBy(() => routeControllers.url('file', { path })).code).toBe('ERR_URL_INVALID')
  })

  it.each(['a/b', '//evil.example', '\\evil', 'https://evil.example', 'ä', '%', '\u0000', '\n'])(
    'gives a URL that leads back to the same route and the same param: %j',
    async (id) => {
      const url = routeControllers.url('user', { org: 'o', id })
      const answer = await routeControllers.getCallback()(new Request(`http://x${url}`))
      expect(await answer.json()).toEqual({ org: 'o', id })
    },
  )

  it.each<[string, () => unknown, string, RegExp]>([
    ['an unknown name', () => routeControllers.url('usr' as never), 'ERR_ROUTE_NAME', /did you mean "user"/],
    ['no name', () => routeControllers.url(undefined as never), 'ERR_ROUTE_NAME', /undefined/],
    [
      'a missing param',
      () => routeControllers.url('user', { org: 'a' } as never),
      'ERR_URL_INVALID',
      /id is a string or a number, not undefined/,
    ],
    [
      'a param too many',
      () => routeControllers.url('user', { org: 'a', id: 1, x: 2 } as never),
      'ERR_URL_INVALID',
      /no param "x"/,
    ],
    [
      'a param that is inherited',
      () => routeControllers.url('user', Object.create({ org: 'a', id: 1 }) as never),
      'ERR_URL_INVALID',
      /org/,
    ],
    ['NaN', () => routeControllers.url('user', { org: 'a', id: NaN }), 'ERR_URL_INVALID', /NaN/],
    [
      'an object',
      () => routeControllers.url('user', { org: 'a', id: {} as never }),
      'ERR_URL_INVALID',
      /object/,
    ],
    [
      'half of a surrogate pair',
      () => routeControllers.url('user', { org: '\ud800', id: 1 }),
      'ERR_URL_INVALID',
      /surrogate/,
    ],
    ['params that are none', () => routeControllers.url('home', 7 as never), 'ERR_URL_INVALID', /not number/],
    [
      'a query that is none',
      () => routeControllers.url('home', {}, { query: 'a=1' as never }),
      'ERR_URL_INVALID',
      /query/,
    ],
    [
      'a query in the place of its option',
      () => routeControllers.url('home', {}, 'a=1' as never),
      'ERR_URL_INVALID',
      /an object, not string/,
    ],
    [
      'another option',
      () => routeControllers.url('home', {}, { hash: 'x' } as never),
      'ERR_URL_INVALID',
      /hash/,
    ],
    ['a route for every path', () => routeControllers.url('any', { '*': 'x' }), 'ERR_URL_INVALID', /\*/],
  ])('refuses %s', (_what, make, code, message) => {
    expect(thrownBy(make)).toMatchObject({ code, message: expect.stringMatching(message) })
  })
})

it.each(['/evil.example', '//evil.example/x', ''])(
  'A path of a wildcard at the root leads to no other host: %j',
  (rest) => {
    const root = new RouteControllers([new Controller('GET', '/*rest', () => '', { name: 'page' })])
    if (rest === '') expect(root.url('page', { rest })).toBe('/')
    else expect(thrownBy(() => root.url('page', { rest })).code).toBe('ERR_URL_INVALID')
  },
)

it('Two routes of one name are refused, with both named', () => {
  const list = ['/a', '/b'].map((path) => new Controller('GET', path, () => '', { name: 'same' }))
  expect(thrownBy(() => new RouteControllers(list))).toMatchObject({
    code: 'ERR_ROUTE_NAME',
    message: expect.stringMatching(/Controller\(GET, \/a\).*Controller\(GET, \/b\)/),
  })
})

it('One route twice in a list is refused for its path, and not for its name', () => {
  const one = new Controller('GET', '/a', () => '', { name: 'same' })
  expect(thrownBy(() => new RouteControllers([one, one])).code).toBe('ERR_ROUTE_CONFLICT')
})

it.each(['', 7, null])('The name %p is refused', (name) => {
  expect(thrownBy(() => new Controller('GET', '/', () => '', { name: name as never })).code).toBe(
    'ERR_OPTION_INVALID',
  )
})
