import { MAX_PATTERN_PARAMS, MAX_PATTERN_SEGMENTS, parsePattern } from '../../src/routing/pattern.js'
import { createRouteIndex, type RouteIndex } from '../../src/routing/route-index.js'
import { stringWorkOf } from './string-work.js'

const indexOf = (sources: Iterable<string>): RouteIndex<string> =>
  createRouteIndex(
    Array.from(sources, (source) => ({ method: 'GET', pattern: parsePattern(source), target: source })),
  )

const costOf = (index: RouteIndex<string>, path: string): number =>
  stringWorkOf(() => index.match('GET', path)).cost

/** Every mix of `a` and `:p` in so many segments, each ending in `/end`: as many ways to go wrong as there are routes. */
function* twins(depth: number): Generator<string> {
  for (let bits = 0; bits < 2 ** depth; bits++) {
    let source = ''
    for (let i = 0; i < depth; i++) source += (bits >> i) & 1 ? `/:p${i}` : '/a'
    yield `${source}/end`
  }
}

describe('the work that a path can cause', () => {
  it('is counted', () => {
    const index = indexOf(['/a', '/:x/b'])
    expect(costOf(index, '/a')).toBeGreaterThan(0)
    expect(costOf(index, '/y/b')).toBeGreaterThan(costOf(index, '/a'))
    expect('abc'.indexOf('c')).toBe(2)
  })

  it('is linear in the routes, when all of them have to be tried', () => {
    for (const depth of [8, 9, 10, 11]) {
      const path = '/a'.repeat(depth) + '/nowhere'
      const [one, two] = [indexOf(twins(depth)), indexOf(twins(depth + 1))]
      expect(one.match('GET', path)).toBeUndefined()
      expect(costOf(two, '/a' + path) / costOf(one, path)).toBeLessThanOrEqual(2.5)
    }
  })

  it('is linear in the depth, when every segment has a static twin', () => {
    // /a/…/a/x and /:p/…/:p/y as deep as patterns go; the way back is as long as the way down.
    const table = (depth: number) =>
      indexOf([
        '/a'.repeat(depth) + '/x',
        ...Array.from(
          { length: MAX_PATTERN_PARAMS - 1 },
          (_, i) => `${'/a'.repeat(i)}/:p${'/a'.repeat(depth - i)}/y`,
        ),
      ])
    const [half, whole] = [60, 120]
    const cost = (depth: number) => costOf(table(depth), '/a'.repeat(depth + 1) + '/z')
    expect(cost(whole) / cost(half)).toBeLessThanOrEqual(2.5)
  })

  it.each([
    ['slashes', '/'],
    ['segments that a static route has', '/a'],
    ['segments that only params match', '/bcd'],
    ['one long segment', 'x'],
    ['escapes', '/%2F%'],
  ])('is linear in the length of the path: %s', (_, piece) => {
    const index = indexOf([...twins(6), '/a/b/*', '/:x/*', '/a/a/a/a/a/a/a/a/:last', '/:a/:b/:c/:d', '*'])
    for (const count of [250, 500, 1000, 2000]) {
      const [once, twice] = [
        costOf(index, '/' + piece.repeat(count)),
        costOf(index, '/' + piece.repeat(2 * count)),
      ]
      expect(twice / once).toBeLessThanOrEqual(2.5)
    }
  })

  it('is bounded by the tree and not by the path, but for what a value holds', () => {
    const index = indexOf([...twins(8)])
    const short = costOf(index, '/a'.repeat(20))
    expect(costOf(index, '/a'.repeat(2000))).toBeLessThanOrEqual(2.5 * short)
  })

  it('does not deepen the stack', () => {
    const deepest = '/:p0' + '/a'.repeat(MAX_PATTERN_SEGMENTS - 1)
    const index = indexOf([deepest, '/*'])
    expect(index.match('GET', '/x' + '/a'.repeat(MAX_PATTERN_SEGMENTS - 1))?.route.target).toBe(deepest)
    expect(index.match('GET', '/x'.repeat(100_000))?.route.target).toBe('/*')
  })

  it('leaves a pattern with the most params its values', () => {
    const source = Array.from({ length: MAX_PATTERN_PARAMS }, (_, i) => `/s/:p${i}`).join('')
    const path = Array.from({ length: MAX_PATTERN_PARAMS }, (_, i) => `/s/v${i}`).join('')
    expect(indexOf([source]).match('GET', path)?.values).toEqual(
      Array.from({ length: MAX_PATTERN_PARAMS }, (_, i) => `v${i}`),
    )
  })

  it('leaves a wildcard at the last level its value', () => {
    const source = '/a'.repeat(MAX_PATTERN_SEGMENTS - 1) + '/*'
    expect(indexOf([source]).match('GET', '/a'.repeat(MAX_PATTERN_SEGMENTS - 1) + '/b/c')?.values).toEqual([
      'b/c',
    ])
  })
})
