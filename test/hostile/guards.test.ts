import { createRandom, pick } from '../hard/random.js'
import { times } from '../support/counts.js'
import { contexts, type GuardContext, guards, patterns, requiredGuards, type Visit } from './guards.js'
import { hostileTarget } from './hostile-paths.js'

// What a guard and a router once took for different paths, each by its story.
const traps: readonly [target: string, story: string][] = [
  ['/api//admin', 'Express 4 takes both slashes for its mount at /api'],
  ['/api//admin/7', 'the same, with a param'],
  ['/api//a/b?x=1', 'the same, with a query'],
  ['http://test/api//a/b', 'the same, in absolute form'],
  ['http://test%2f/admin/x', 'url.parse ends the host at %, and the path begins there'],
  ["http://te'st/admin/secret", "the same at '"],
  ['http://te;st/admin/secret', 'the same at ;'],
  ['HTTP://test/admin/secret', 'a scheme in another case'],
  ['//admin/secret', 'new URL takes admin for a host'],
  ['/x/../admin/secret', 'new URL resolves it'],
  ['/%61dmin/secret', 'decoded before one match and after the other'],
  ['/admin%2fsecret', 'decoded to two segments'],
  ['/admin\\secret', 'new URL takes it for a slash'],
  ['/admin;x=1/secret', 'path parameters that some drop'],
  ['/admin/', 'a trailing slash'],
  ['/ADMIN/secret', 'another case'],
]

const ways = contexts.map((context) => [context.name, context] as const)

describe.each(ways)('A guard: %s', (_name, context) => {
  afterEach(() => context.close?.())

  it.each(traps)('has run when %s reaches a handler it stands before (%s)', async (target) => {
    const visit = context.create(guards, patterns)
    expect(unguarded(context, target, await visit('GET', target))).toEqual([])
  })

  it('has run when a handler under its path was reached, for random paths', async () => {
    const visit = context.create(guards, patterns)
    const random = createRandom(20_261_121)
    let reached = 0
    const paths = times(40, 1000)
    for (let count = 0; count < paths; count++) {
      const target = hostileTarget(random, context.mount)
      const outcome = await visit(pick(random, ['GET', 'HEAD', 'POST', 'OPTIONS', 'PROPFIND']), target)
      expect(unguarded(context, target, outcome)).toEqual([])
      if (outcome.reached !== undefined) reached++
    }
    // Else it has shown nothing.
    expect(reached).toBeGreaterThan(0.3 * paths)
  })
})

/** The guards that a handler was reached without, each with the target and the pattern. */
function unguarded(context: GuardContext, target: string, { reached, guarded }: Visit): string[] {
  if (reached === undefined) return []
  return requiredGuards(context, reached, target)
    .filter((guard) => !guarded.includes(guard))
    .map((guard) => `${target} reaches ${reached} without ${guard}`)
}
