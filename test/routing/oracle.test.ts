import fc from 'fast-check'
import { parsePattern, type Pattern } from '../../src/routing/pattern.js'
import { createRouteIndex, type Route } from '../../src/routing/route-index.js'
import { compareSpecificity } from '../../src/routing/specificity.js'
import { times } from '../support/counts.js'

/** What a pattern makes of a path, worked out as plainly as it can be: the raw values, or undefined. */
function valuesOf(pattern: Pattern, path: string): string[] | undefined {
  if (pattern.source === '*') return path === '*' || path.startsWith('/') ? [path] : undefined
  const [before, ...parts] = path.split('/')
  if (before !== '') return undefined
  const values: string[] = []
  for (const [i, segment] of pattern.segments.entries()) {
    const part = parts[i]
    if (part === undefined) return undefined
    if (segment.kind === 'wildcard') return [...values, parts.slice(i).join('/')]
    if (segment.kind === 'static' ? segment.text !== part : part === '') return undefined
    if (segment.kind === 'param') values.push(part)
  }
  return parts.length === pattern.segments.length ? values : undefined
}

/** At one pattern: the exact method first, then GET for HEAD, then `*`; undefined where the method does not fit. */
function methodRank(method: string, asked: string): number | undefined {
  if (method === asked) return 0
  if (asked === 'HEAD' && method === 'GET') return 1
  return method === '*' ? 2 : undefined
}

function matchNaively(routes: readonly Route<number>[], method: string, path: string) {
  const [best] = routes
    .flatMap((route) => {
      const values = valuesOf(route.pattern, path)
      const rank = methodRank(route.method, method)
      return values === undefined || rank === undefined ? [] : [{ route, values, rank }]
    })
    .sort((a, b) => compareSpecificity(a.route.pattern, b.route.pattern) || a.rank - b.rank)
  return best && { route: best.route, values: best.values }
}

// Few words, so that patterns and paths meet, and words that are close to one another.
const word = fc.constantFrom(
  'a',
  'b',
  'ab',
  'A',
  'aa',
  '',
  '%61',
  'a%2Fb',
  'a.b',
  '...',
  '__proto__',
  'constructor',
)
const method = fc.constantFrom('GET', 'HEAD', 'POST', '*')

const source = fc.oneof(
  { weight: 1, arbitrary: fc.constant('*') },
  {
    weight: 20,
    arbitrary: fc
      .tuple(
        fc.array(fc.oneof(word, fc.constant(':')), { maxLength: 5 }),
        fc.oneof({ weight: 3, arbitrary: word }, fc.constantFrom(':', '*', '*name')),
      )
      .map(([parts, last]) =>
        [...parts, last].map((part, i) => '/' + (part === ':' ? `:p${i}` : part)).join(''),
      ),
  },
)

/** Equal for two patterns that match the same paths. */
const shapeOf = ({ segments }: Pattern): string =>
  segments.map((segment) => (segment.kind === 'static' ? `/${segment.text}` : segment.kind)).join()

const table = fc
  .uniqueArray(fc.record({ method, pattern: source.map(parsePattern) }), {
    selector: ({ method, pattern }) => `${method} ${shapeOf(pattern)}`,
    maxLength: 24,
  })
  .map((routes) => routes.map((route, target): Route<number> => ({ ...route, target })))

const path = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .array(fc.oneof(word, fc.constantFrom('.', '..', '%2e', 'é', '%', '*', ':', 'b;v', 'x')), {
        maxLength: 7,
      })
      .map((parts) => parts.map((part) => '/' + part).join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom('*', '', 'a', 'a/b', '\\a', '**', '/') },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
)

describe('createRouteIndex', () => {
  it('finds what a naive matcher finds that tries every route', () => {
    let matched = 0
    fc.assert(
      fc.property(
        table,
        fc.array(fc.tuple(method, path), { minLength: 20, maxLength: 20 }),
        (routes, requests) => {
          const index = createRouteIndex(routes)
          for (const [asked, target] of requests) {
            const expected = matchNaively(routes, asked, target)
            const found = index.match(asked, target)
            expect(found && { route: found.route.target, values: found.values }).toEqual(
              expected && { route: expected.route.target, values: expected.values },
            )
            if (found) matched++
          }
        },
      ),
      { seed: 20260101, numRuns: times(150, 4000) },
    )
    // A property that nothing ever fulfils proves nothing.
    expect(matched).toBeGreaterThan(times(350, 10_000))
  })

  it('finds the same whatever the order of registration', () => {
    const shuffled = table.chain((routes) =>
      fc.tuple(fc.constant(routes), fc.shuffledSubarray(routes, { minLength: routes.length })),
    )
    fc.assert(
      fc.property(
        shuffled,
        fc.array(fc.tuple(method, path), { maxLength: 20 }),
        ([routes, others], requests) => {
          const [index, other] = [createRouteIndex(routes), createRouteIndex(others)]
          for (const [asked, target] of requests) {
            expect(other.match(asked, target)).toEqual(index.match(asked, target))
          }
        },
      ),
      { seed: 20260102, numRuns: times(80, 1000) },
    )
  })

  it('gives values that, put into the pattern, give the path again', () => {
    fc.assert(
      fc.property(table, method, path, (routes, asked, target) => {
        const match = createRouteIndex(routes).match(asked, target)
        if (match === undefined) return
        const { pattern } = match.route
        const values = [...match.values]
        const filled = pattern.segments.map((segment) =>
          segment.kind === 'static' ? segment.text : values.shift(),
        )
        expect((pattern.source === '*' ? '' : '/') + filled.join('/')).toBe(target)
        expect(values).toEqual([])
      }),
      { seed: 20260103, numRuns: times(300, 4000) },
    )
  })
})
