import { parsePattern } from '../../src/routing/pattern.js'
import { compareSpecificity, covers, passedOver } from '../../src/routing/specificity.js'

const compare = (a: string, b: string) => Math.sign(compareSpecificity(parsePattern(a), parsePattern(b)))

describe('compareSpecificity', () => {
  it.each([
    ['/a', '/:x'],
    ['/:x', '/*'],
    ['/a', '/*'],
    ['/', '*'],
    ['/a/:x', '/:x/b'],
    ['/a/*', '/:x/b'],
    ['/:x/b', '/:x/:y'],
    ['/:x/b', '/:x/*'],
    ['/a/b/*', '/a/:x/c'],
    ['/a/', '/a/*'],
  ])('puts %s before %s', (first, second) => {
    expect(compare(first, second)).toBe(-1)
    expect(compare(second, first)).toBe(1)
  })

  it.each([
    ['/users/:id', '/users/:name'],
    ['/files/*', '/files/*path'],
    ['*', '/*'],
  ])('takes %s and %s for equal', (a, b) => {
    expect(compare(a, b)).toBe(0)
    expect(compare(b, a)).toBe(0)
  })

  it('is an order: sorting gives one result from any start', () => {
    const sources = ['/*', '/:a/*', '/:a/b', '/:a', '/a/*', '/a/:b', '/a/', '/', '/:a/:b', '/a/b/c']
    const sorted = (list: string[]) =>
      [...list].sort(compare).map((source) => parsePattern(source).segments.map((s) => s.kind))
    expect(sorted([...sources].reverse())).toEqual(sorted(sources))
  })
})

describe('covers', () => {
  const covered = (wide: string, narrow: string): boolean => covers(parsePattern(wide), parsePattern(narrow))

  it.each([
    ['*', '/a'],
    ['/*', '*'],
    ['/a/*', '/a/'],
    ['/a/*', '/a/b/c'],
    ['/a/*', '/a/:b/*'],
    ['/:a/*', '/b/c'],
    ['/:a', '/:b'],
    ['/a', '/a'],
    ['/', '/'],
    ['/a/', '/a/'],
    ['/:a/', '/b/'],
  ])('%s covers %s', (wide, narrow) => expect(covered(wide, narrow)).toBe(true))

  it.each([
    ['/a/*', '/a'],
    ['/a/*', '/ab/c'],
    ['/a/*', '/:a/b'],
    ['/a/*', '/*'],
    ['/:a', '/'],
    ['/:a', '/*'],
    ['/:a/*', '//b'],
    ['/a', '/a/b'],
  ])('%s does not cover %s', (wide, narrow) => expect(covered(wide, narrow)).toBe(false))
})

describe('passedOver', () => {
  /** The pairs of routes that are written as `'* /admin/*'`. */
  const pairs = (...routes: string[]): string[] =>
    passedOver(
      routes.map((route) => {
        const [method, path] = route.split(' ') as [string, string]
        return { method, pattern: parsePattern(path), route }
      }),
    ).map(([wide, narrow]) => `${wide.route} > ${narrow.route}`)

  it('pairs a route for every method and all below a path with each one behind it that it covers', () => {
    expect(pairs('* /admin/*', 'GET /admin/users', 'GET /users', 'POST /admin/:id')).toEqual([
      '* /admin/* > GET /admin/users',
      '* /admin/* > POST /admin/:id',
    ])
  })

  it('pairs each of several such routes', () => {
    expect(pairs('* *', '* /admin/*', 'GET /admin/users')).toEqual([
      '* * > * /admin/*',
      '* * > GET /admin/users',
      '* /admin/* > GET /admin/users',
    ])
  })

  it.each([
    ['a route in front of it', ['GET /admin/users', '* /admin/*']],
    ['a route for one method', ['GET /admin/*', 'GET /admin/users']],
    ['a route without what is below', ['* /admin/:id', 'GET /admin/users']],
    ['a route for the root', ['* /', 'GET /']],
  ])('pairs nothing with %s', (_name, routes) => {
    expect(pairs(...routes)).toEqual([])
  })
})
