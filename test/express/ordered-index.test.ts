import { Controller } from 'routecontrollers'
import { type ExpressPath, expressPath } from 'routecontrollers/express'
import { Application } from '../../src/express/application.js'
import { createOrderedIndex } from '../../src/express/routing/ordered-index.js'
import { createPathMatcher } from '../../src/express/routing/path-matcher.js'
import { Random } from '../parity/random.js'
import { makeRequest } from '../parity/requests.js'
import { makeTable } from '../parity/tables.js'
import { times } from '../support/counts.js'

// The tree of prefixes may leave no route out that the library of the version would match.
describe.each([4, 5] as const)('the index of Express %d', (version) => {
  it.each([false, true])(
    'finds what trying every route finds, in their order (strict and sensitive: %p)',
    (exact) => {
      const random = new Random(version)
      for (let run = 0; run < times(12, 60); run++) {
        const tables = Array.from({ length: 8 }, () => makeTable(random, version))
        const paths = tables.flatMap(({ routes }) => routes.map(({ path }) => path))
        const application = new Application(version, {
          settings: { 'strict routing': exact, 'case sensitive routing': exact },
        })
        const controllers = paths.map((path) => new Controller('GET', expressPath(path), () => 'x'))
        const index = createOrderedIndex(application, controllers)
        for (let asked = 0; asked < 60; asked++) {
          const path = makeRequest(random, random.pick(tables)).target.split('?', 1)[0]!
          const expected = tryEach(version, paths, path, exact)
          const found: string[] = []
          let match = index.match('GET', path)
          while (match !== undefined) {
            found.push(match.route.pattern.source)
            match = canDecode(match.params!) ? index.match('GET', path, match) : undefined
          }
          expect({ path, found }).toEqual({ path, found: expected })
        }
      }
    },
  )
})

function tryEach(version: 4 | 5, paths: readonly ExpressPath[], sent: string, exact: boolean): string[] {
  const found: string[] = []
  for (const path of paths) {
    const matcher = createPathMatcher(version, path, { sensitive: exact, strict: exact, end: true })
    let matches = false
    if (canDecode(() => (matches = matcher(sent) !== undefined))) {
      if (matches) found.push(expressPath(path).source)
    } else {
      return [...found, expressPath(path).source]
    }
  }
  return found
}

function canDecode(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
