import fc from 'fast-check'
import { RouteControllers } from 'routecontrollers'
import { anyText } from '../support/any-text.js'

describe('RouteControllers.getQueryParams', () => {
  const routeControllers = new RouteControllers([])
  const params = (url: string): Record<string, string | undefined> => ({
    ...routeControllers.getQueryParams(url),
  })

  it.each([
    ['/search?q=tea&page=2', { q: 'tea', page: '2' }],
    ['http://user@test:80/search?q=tea#page=2', { q: 'tea' }],
    ['?q=tea', { q: 'tea' }],
    ['/?a=1&a=2&a=3', { a: '3' }],
    ['/?a=x+y%20z%2B', { a: 'x y z+' }],
    ['/?caf%C3%A9=%E2%82%AC', { café: '€' }],
    ['/?a', { a: '' }],
    ['/?a=', { a: '' }],
    ['/?=a', { '': 'a' }],
    ['/?a=b=c', { a: 'b=c' }],
    ['/?&&a=1&&', { a: '1' }],
    ['/?a[b]=1&a[c]=2', { 'a[b]': '1', 'a[c]': '2' }],
    ['/?a=1?b=2', { a: '1?b=2' }],
    ['/?a=/x//y', { a: '/x//y' }],
    ['/', {}],
    ['/?', {}],
    ['', {}],
    ['a=1', {}],
    ['/#?a=1', {}],
  ])('reads %j', (url, expected) => {
    expect(params(url)).toEqual(expected)
  })

  it.each([
    ['/?a=%', { a: '%' }],
    ['/?a=%zz&b=1', { a: '%zz', b: '1' }],
    ['/?%=1', { '%': '1' }],
    ['/?a=%E0%A4', { a: '\uFFFD' }],
  ])('does not throw for the malformed escape in %j', (url, expected) => {
    expect(params(url)).toEqual(expected)
  })

  it('has no prototype, so that no name is there that was not sent', () => {
    const query = routeControllers.getQueryParams('/?__proto__=1&constructor=2')
    expect(Object.getPrototypeOf(query)).toBeNull()
    expect(Object.entries(query)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ])
    expect('toString' in routeControllers.getQueryParams('/')).toBe(false)
  })

  it('throws for no string', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 100 }), (query) => {
        const read = routeControllers.getQueryParams(`/?${query}`)
        expect(Object.values(read).every((value) => typeof value === 'string')).toBe(true)
      }),
      { seed: 7 },
    )
  })
})
