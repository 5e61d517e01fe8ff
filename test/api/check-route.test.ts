import { Controller, RouteControllers } from 'routecontrollers'

const none = { exists: false, params: {}, key: '' }

function routes(...list: string[]): RouteControllers {
  return new RouteControllers(
    list.map((route) => {
      const [method, path] = route.split(' ') as [string, string]
      return new Controller(method, path, () => {
        throw new Error('checkRoute runs no callback')
      })
    }),
    // One of the lists has a wildcard before what it covers, which is warned of.
    { logger: { info() {}, warn() {}, error() {} } },
  )
}

describe('RouteControllers.checkRoute', () => {
  const users = routes('GET /users/:userId', 'POST /users', 'GET /files/*path')

  it.each(['GET:/users/1', 'GET /users/1', '/users/1', 'get:/users/1', 'GET: /users/1', 'GET  /users/1'])(
    'finds the controller of %j',
    (route) => {
      expect(users.checkRoute(route)).toEqual({
        exists: true,
        params: { userId: '1' },
        key: 'GET:/users/:userId',
      })
    },
  )

  it('ignores a query and a fragment', () => {
    const found = { exists: true, params: { userId: '1' }, key: 'GET:/users/:userId' }
    expect(users.checkRoute('GET:/users/1?a=/b:c d')).toEqual(found)
    expect(users.checkRoute('/users/1?')).toEqual(found)
    expect(users.checkRoute('/users/1#top')).toEqual(found)
  })

  it.each([
    'GET:/nowhere',
    'GET:/users',
    'DELETE:/users/1',
    '/nowhere',
    '/users/1/',
    '/Users/1',
    'GET',
    'GET:',
    'GET:users/1',
    ':/users/1',
    '',
    '?',
    '*',
  ])('finds nothing for %j', (route) => {
    expect(users.checkRoute(route)).toEqual(none)
  })

  it('gives a result of its own each time', () => {
    Object.assign(users.checkRoute('/nowhere').params, { changed: '1' })
    Object.assign(users.checkRoute('/users/1').params, { changed: '1' })
    expect(users.checkRoute('/nowhere')).toEqual(none)
    expect(users.checkRoute('/users/1').params).toEqual({ userId: '1' })
  })

  it('has the params decoded, as the callback gets them', () => {
    expect(users.checkRoute('/users/a%2Fb').params).toEqual({ userId: 'a/b' })
    expect(users.checkRoute('/files/a/b%20c').params).toEqual({ path: 'a/b c' })
  })

  it('has a malformed escape as it was given', () => {
    expect(users.checkRoute('/users/%zz')).toEqual({
      exists: true,
      params: { userId: '%zz' },
      key: 'GET:/users/:userId',
    })
  })

  it('takes a colon in the path for part of the path', () => {
    expect(users.checkRoute('/users/a:b').params).toEqual({ userId: 'a:b' })
    expect(users.checkRoute('GET:/users/GET:1').params).toEqual({ userId: 'GET:1' })
  })

  it('finds for HEAD what answers HEAD', () => {
    expect(users.checkRoute('HEAD:/users/1').key).toBe('GET:/users/:userId')
    expect(routes('GET /', 'HEAD /').checkRoute('HEAD /').key).toBe('HEAD:/')
  })

  it("finds what '*' answers", () => {
    expect(routes('* *').checkRoute('PUT:/any/thing')).toEqual({
      exists: true,
      params: { '*': '/any/thing' },
      key: '*:*',
    })
    expect(routes('* /x').checkRoute('/x').key).toBe('*:/x')
    expect(routes('* *').checkRoute('OPTIONS *').key).toBe('*:*')
  })

  it('finds the most specific pattern, also when the method may be any', () => {
    const all = ['DELETE *', '* /users/*', 'PUT /users/:id', 'POST /users/me', 'GET /:kind/me']
    for (const list of [all, [...all].reverse()]) {
      const routeControllers = routes(...list)
      const key = (route: string): string => routeControllers.checkRoute(route).key
      expect(key('/users/me')).toBe('POST:/users/me')
      expect(key('/users/7')).toBe('PUT:/users/:id')
      expect(key('/users/7/x')).toBe('*:/users/*')
      expect(key('/shops/me')).toBe('GET:/:kind/me')
      expect(key('/shops')).toBe('DELETE:*')
    }
  })
})
