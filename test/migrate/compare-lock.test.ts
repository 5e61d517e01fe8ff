// What check finds, by rows that are written here: no app is made, and no entry is run.
import { compare, questionOf } from '../../packages/cli/src/check/check.js'
import { isOfAny } from '../../packages/cli/src/check/chosen-routes.js'
import { accept, createLock, formatLock, type Lock, nameOf } from '../../packages/cli/src/check/lock.js'
import { parseLock } from '../../packages/cli/src/check/read-lock.js'
import { hashOf } from '../../packages/cli/src/syntax/syntax.js'
import { compareStarts, renamed } from '../../packages/cli/src/check/varying-paths.js'
import type { CheckReport } from '../../packages/cli/src/documents/check.js'
import type {
  Answerer,
  Inventory,
  Observation,
  Pass,
  RouteRow,
} from '../../packages/cli/src/documents/inventory.js'
import { errorHandler, type Given, inventory, nobody, pass, row } from './written-rows.js'
import { checkFindings } from '../../packages/cli/src/report/check-findings.js'

/** What the requests of a lock meet: the rows of the app that have their method and path, unless something else is given. */
function meets(lock: Lock, now: readonly RouteRow[], other: Readonly<Record<string, Observation>> = {}) {
  return lock.routes
    .filter(({ witness }) => witness !== null)
    .map(
      (locked) =>
        other[nameOf(locked)] ??
        now.find((one) => nameOf(one) === nameOf(locked) && one.app === (locked.app ?? 0)) ??
        nobody(row(nameOf(locked))),
    )
}

function checked(
  before: readonly RouteRow[],
  now: readonly RouteRow[],
  other?: Readonly<Record<string, Observation>>,
): CheckReport {
  const lock = parseLock(formatLock(createLock(inventory(before))))
  return compare(lock, inventory(now), meets(lock, now, other))
}
const found = ({ routes }: CheckReport): string[] =>
  routes.flatMap((one) => [
    ...one.changes.map(({ finding }) => `${nameOf(one)}: ${finding}`),
    ...one.notes.map(({ kind }) => `${nameOf(one)}: note ${kind}`),
  ])

const [a, b, c] = [pass('a'), pass('b'), pass('c')]

it('What may let more through is an error, and the rest a warning', () => {
  const warnings = Object.entries(checkFindings).filter(([, { severity }]) => severity !== 'error')
  expect(warnings.map(([code]) => code).sort()).toEqual([
    ...['case-sensitive', 'gained', 'new', 'params', 'strict', 'twice', 'unverifiable', 'unverifiable-route'],
  ])
})

describe('a guard before a route', () => {
  it.each<[string, Pass[], Pass[], string[]]>([
    ['nothing is found where nothing has changed', [a, b], [a, b], []],
    ['one that is gone is lost', [a, b], [b], ['lost a']],
    ['one of two equal ones that is gone is lost', [a, a], [a], ['lost a']],
    ['one that has come is gained', [a], [a, b], ['gained b']],
    ['two that have changed places are told by one of them', [a, b], [b, a], ['reordered a']],
    [
      'another text by the same name is a change',
      [a],
      [pass('a', { source: 'other' })],
      ['changed a, whose text is another'],
    ],
    ['another name in the same place is another one', [a], [pass('d')], ['lost a', 'gained d']],
    [
      'one without a name has changed where its name came with the same text',
      [pass('<anonymous>', { definition: 'x.js:1', source: 'text', made: 'one' })],
      [pass('named', { definition: 'x.js:7', source: 'text', made: 'two' })],
      ['changed <anonymous> of x.js to named'],
    ],
    [
      'one of the same text in another file has moved',
      [a],
      [pass('a', { definition: 'lib/a.js:5' })],
      ['note moved'],
    ],
    [
      'one of a package that is newer is no change',
      [pass('a', { definition: 'node_modules/a/index.js:1' })],
      [pass('a', { definition: 'node_modules/a/index.js:1', source: 'newer' })],
      ['note updated'],
    ],
    [
      'one that nothing tells of is found each time',
      [pass('a', { source: undefined, unverifiable: true })],
      [pass('a', { source: undefined, unverifiable: true })],
      ['unverifiable a'],
    ],
  ])('%s', (_name, before, now, expected) => {
    const all = found(checked([row('GET /x', before)], [row('GET /x', now)]))
    expect(all.map((one) => one.replace('GET /x: ', '').replace(/ (\S+): .*$/, ' $1'))).toEqual(expected)
  })

  it.each<[string, Pass, Pass, string[]]>([
    ['of another name', a, pass('c', { definition: 'a.js:9' }), ['lost a', 'gained c']],
    [
      'of its name in another file, with another text',
      a,
      pass('a', { definition: 'other.js:1', source: 'other' }),
      ['lost a', 'gained a'],
    ],
    [
      'that has no name either, with another text',
      pass('<anonymous>', { source: 'one' }),
      pass('<anonymous>', { source: 'other' }),
      ['lost <anonymous> of <anonymous>.js', 'gained <anonymous> of <anonymous>.js'],
    ],
    [
      'that answers errors, in its file and by its name',
      a,
      pass('a', { kind: 'error', catches: 0, source: 'other' }),
      ['lost a'],
    ],
  ])('is lost, and not changed, where a function has come %s', (_name, was, is, expected) => {
    const all = found(checked([row('GET /x', [was, b])], [row('GET /x', [is, b])]))
    expect(all.map((one) => one.replace('GET /x: ', ''))).toEqual(expected)
  })

  it('tells each function that a request passes, and what it does not pass any more where that stood', () => {
    const [d, e] = [pass('d'), pass('e')]
    const changed = pass('c', { source: 'other' })
    const report = checked([row('GET /x', [a, b, c, d])], [row('GET /x', [a, changed, e, d])])
    expect(report.routes[0]!.passes.map(({ is, pass: { name } }) => `${is} ${name}`)).toEqual([
      'same a',
      'lost b',
      'changed c',
      'gained e',
      'same d',
    ])
  })

  it('says with whom one has changed places', () => {
    const { changes } = checked([row('GET /x', [a, b, c])], [row('GET /x', [b, c, a])]).routes[0]!
    expect(changes.map(({ what }) => what)).toEqual([expect.stringContaining('a behind b')])
    const back = checked([row('GET /x', [a, b, c])], [row('GET /x', [c, a, b])]).routes[0]!.changes
    expect(back.map(({ what }) => what)).toEqual([expect.stringContaining('c in front of a')])
  })

  it.each<[route: string, was: string, is: string, isFound: boolean]>([
    ['GET /users/:id', '/', '/users/7', true],
    ['GET /users/:id', '/users', '/users/7', true],
    ['GET /users/:id', '/users/:id', '/users/7', true],
    ['GET /users/:id', '/users/:id', '/users/:name', false],
    ['GET /users/:id', '/users/7', '/users/8', false],
    ['GET /users/:id', '/users', '/USERS', false],
    ['GET /users/:id', '/users', '/:any', false],
    ['GET /users/:id', '/users', '/users/:id/more', true],
    ['GET /users/:id', '/users', '/users-:id', true],
    ['GET /users/7', '/', '/users/7', false],
    ['GET /users/*rest', '/users', '/users/7', true],
    ['GET /users{/:id}', '/', '/users/:id', true],
    // Of a list of paths one that covers all is enough, before and now.
    ['GET /users/:id', '/admin, /users', '/users/7', true],
    ['GET /users/:id', '/admin, /users', '/admin, /users/7', true],
    ['GET /users/:id', '/users', '/admin, /users', false],
    ['GET /users/:id', '/admin, /users/7', '/users/8', false],
    ['GET /users/:id', '/admin, /', '/users/7', true],
    ...['*', '/*', '(.*)', '/*all', '{*all}', '/{*all}', '{/*all}'].map(
      (all): [string, string, string, boolean] => ['GET /users/:id', '/users', all, false],
    ),
    ['GET /users/:id', '/*all', '/users/7', true],
  ])('of %s covers less than before: at %s, now at %s: %s', (route, was, is, isFound) => {
    const at = (mount: string): RouteRow[] => [row(route, [pass('a', { mount })])]
    const what = `${route}: lost a at ${is}`
    expect(found(checked(at(was), at(is)))).toEqual(isFound ? [what] : [])
  })

  it('before a function of use covers less than before where it stands at a part of its requests', () => {
    const at = (mount: string): RouteRow[] => [
      row('* /users', [pass('a', { mount }), b], { kind: 'mount', answer: { by: 'middleware', name: 'b' } }),
    ]
    expect(found(checked(at('/'), at('/users/new')))).toEqual(['* /users: lost a at /users/new'])
    expect(found(checked(at('/'), at('/users')))).toEqual([])
  })

  it('counts the routes that pass it', () => {
    const all = ['GET /x', 'GET /y', 'GET /z']
    const before = [row(all[0]!, [a, a]), row(all[1]!, [a]), row(all[2]!, [b])]
    const report = checked(before, [row(all[0]!, [a]), before[1]!, before[2]!])
    expect(report.routes[0]!.changes.map(({ routes }) => routes)).toEqual([2])
  })
})

describe('an error handler before a route', () => {
  it.each<[string, Pass[], Pass[], string[]]>([
    ['is found where it has come', [a], [a, errorHandler('e', 1)], ['let-on e']],
    [
      'is found where it is behind one function more',
      [a, b, errorHandler('e', 1)],
      [a, b, errorHandler('e', 2)],
      ['let-on e'],
    ],
    ['is none where it is behind fewer', [a, b, errorHandler('e', 2)], [a, b, errorHandler('e', 1)], []],
    ['is no loss where it is gone', [a, errorHandler('e', 1)], [a], ['note removed']],
    [
      'is found where the one before it is gone, which got its errors first',
      [a, errorHandler('e', 1), errorHandler('f', 2)],
      [a, errorHandler('f', 1)],
      ['let-on f', 'note removed'],
    ],
    [
      'is none where both are still there',
      [a, errorHandler('e', 1), errorHandler('f', 2)],
      [a, errorHandler('e', 1), errorHandler('f', 2)],
      [],
    ],
  ])('%s', (_name, before, now, expected) => {
    const all = found(checked([row('GET /x', before)], [row('GET /x', now)]))
    expect(all.map((one) => one.replace('GET /x: ', ''))).toEqual(expected)
  })
})

describe('who answers a route', () => {
  const by = (answerer: Partial<Answerer>): Observation => row('GET /x', [], { answer: answerer })
  const x = row('GET /x')

  it.each<[string, RouteRow[], Observation | undefined, string[]]>([
    ['no one', [], undefined, ['gone']],
    [
      'a middleware, where the route is gone',
      [],
      by({ by: 'middleware', route: undefined, name: 'm' }),
      ['gone'],
    ],
    [
      'a middleware before the route',
      [x],
      by({ by: 'middleware', route: undefined, name: 'm' }),
      ['unreachable by m'],
    ],
    ['another route that the lock has', [x], by({ route: 'GET /y' }), ['shadowed by GET /y']],
    ['another route of the app', [], by({ route: 'GET /new' }), ['shadowed by GET /new']],
    [
      'a Controller of another pattern, which the lock has not',
      [],
      by({ by: 'Controller', route: 'GET /:x' }),
      ['note respelled'],
    ],
    [
      'a Controller of a route that the lock has',
      [],
      by({ by: 'Controller', route: 'GET /y' }),
      ['shadowed by GET /y'],
    ],
    [
      'a Controller of all methods for a path that the lock has',
      [],
      by({ by: 'Controller', route: '* /y' }),
      ['shadowed by * /y'],
    ],
    [
      'a Controller of another method for a path that the lock has',
      [],
      by({ by: 'Controller', route: 'POST /y' }),
      ['note respelled'],
    ],
  ])('%s', (_name, now, observation, expected) => {
    const y = row('GET /y')
    const report = checked([x, y], [...now, y], observation && { 'GET /x': observation })
    expect(found(report)).toEqual(expected.map((one) => `GET /x: ${one}`))
    expect(report.ok).toBe(expected.every((one) => one.startsWith('note')))
  })

  it('of a Controller of another pattern: compares the error handlers too', () => {
    const handled = row('GET /x', [], { errorHandlers: [errorHandler('h', 1)] })
    const other = { 'GET /x': { ...x, ...by({ by: 'Controller', route: 'GET /:x' }) } }
    expect(found(checked([handled], [], other))).toEqual(['GET /x: lost h', 'GET /x: note respelled'])
  })

  it('is told twice where a Controller answers and its route is still in the app', () => {
    const moved = row('GET /x', [], { answer: { by: 'Controller' }, own: { by: 'Controller' } })
    expect(found(checked([x], [moved, x]))).toEqual(['GET /x: twice'])
    expect(found(checked([x], [moved]))).toEqual([])
    // One of two registrations has moved, and the other one stays.
    expect(found(checked([x, x], [moved, x]))).toEqual([])
  })

  it('is another handler of its method and path that has come before it', () => {
    const [one, other] = ['one', 'other'].map((source) =>
      row('GET /x', [], { own: { source, name: source }, answer: { source } }),
    ) as [RouteRow, RouteRow]
    const behind = { ...other, shadowed: true }
    expect(found(checked([one, behind], [other, { ...one, shadowed: true }]))).toEqual([
      'GET /x: reordered handlers',
    ])
    expect(found(checked([one, behind], [one, behind]))).toEqual([])
    // A new one before it is one that the lock has not.
    const fresh = row('GET /x', [], { own: { source: 'fresh' } })
    expect(found(checked([one, behind], [fresh, one, behind]))).toEqual([])
  })

  it('is the handler of a path with another param that has come before it, where no request has reached that', () => {
    const [first, second] = ['a', 'b'].map((name) =>
      row(`GET /x/:${name}`, [], { witness: '/x/1', own: { source: name, name }, answer: { source: name } }),
    ) as [RouteRow, RouteRow]
    // As the twins of one path, these have their handlers in the lock.
    const lock = createLock(inventory([first, { ...second, shadowed: true, answer: first.answer }]))
    const now = [second, { ...first, shadowed: true, answer: second.answer }]
    const { routes } = compare(lock, inventory(now), [second, second])
    const changes = routes.flatMap((one) => one.changes.map(({ finding }) => `${nameOf(one)}: ${finding}`))
    expect(changes).toEqual(['GET /x/:a: reordered handlers'])
  })

  it('is told by its slash only where that is another one', () => {
    const settings = { strict: true }
    const hidden = row('GET /x', [], {
      ...{ own: { by: 'Controller' }, settings },
      answer: { by: 'Controller', route: '* /:all' },
    })
    expect(found(checked([row('GET /x', [], { settings })], [hidden]))).toEqual([
      'GET /x: shadowed by * /:all',
    ])
  })

  it.each<[string, boolean, boolean, string[]]>([
    ['/x/', true, true, ['GET /x: settings a slash at the end of /x/', 'GET /x: gone']],
    ['/x/', false, true, ['GET /x: gone']],
    ['/x/', true, false, ['GET /x: gone']],
  ])('is a Controller of %s, strict: %s, of this package: %s', (path, strict, isController, expected) => {
    const now = row(`GET ${path}`, [], {
      own: { by: isController ? 'Controller' : 'Express' },
      settings: { strict },
    })
    expect(found(checked([x], [now])).filter((one) => !one.includes('unreachable'))).toEqual(expected)
  })
})

it.each<[RouteRow['own']['by'], string[]]>([
  ['Controller', ['GET /x: settings a slash at the end of /x/']],
  ['Express', ['GET /x/: new']],
])('a route of %s beside one that differs by its slash is told once', (by, expected) => {
  const x = row('GET /x', [], { settings: { strict: true } })
  const other = row('GET /x/', [], { own: { by }, settings: { strict: true } })
  expect(found(checked([x], [x, other]))).toEqual(expected)
})

describe('the settings of a route', () => {
  it.each<[string, Given, string[], was?: Given]>([
    ['the same', {}, []],
    ['strict', { settings: { strict: true } }, ['settings a slash at the end makes another path now']],
    ['case', { settings: { caseSensitive: true } }, ['settings upper and lower case make another path now']],
    ['trust proxy', { settings: { trustProxy: 1 } }, ['settings trust proxy was false, and is 1']],
    ['trust proxy of a Controller', { settings: { trustProxy: 1 }, answer: { by: 'Controller' } }, []],
    [
      'trust proxy of a mounted app',
      { settings: { mountedTrustProxy: ['loopback', 1] } },
      ['settings trust proxy of a mounted app was that of the app, and is loopback, 1'],
    ],
    [
      'trust proxy of two mounted apps, of which one has another value now',
      { settings: { mountedTrustProxy: ['loopback', 2] } },
      ['settings trust proxy of a mounted app was loopback, 1, and is loopback, 2'],
      { settings: { mountedTrustProxy: ['loopback', 1] } },
    ],
    [
      'trust proxy of an app that is mounted in a Controller',
      { settings: { mountedTrustProxy: [1] }, answer: { by: 'Controller' } },
      [],
    ],
    ['a param more', { params: ['id', 'tenant'] }, ['params with tenant']],
    ['a param less', { params: [] }, ['params without id']],
  ])('%s', (_name, given, expected, was = {}) => {
    const ofRow = (more: Given): RouteRow => row('GET /x/:id', [], { params: ['id'], ...more })
    const now = ofRow(given)
    expect(found(checked([ofRow(was)], [now]))).toEqual(expected.map((one) => `GET /x/:id: ${one}`))
  })
})

it.each<[kind: Inventory['apps'][number]['kind'], version: 4 | 5 | undefined, string[]]>([
  // An app behind the Controllers that were made of it.
  ['RouteControllers', 5, ['GET /x: settings trust proxy was false, and is 1']],
  // A router there trusts no proxy.
  ['RouteControllers', undefined, []],
  ['Express app', 5, []],
])('a route that was taken over trusts what its app trusts: %s of Express %s', (kind, version, expected) => {
  const now = row('GET /x', [], {
    ...{ answer: { by: 'Controller', takenOver: true }, own: { by: 'Controller' } },
    settings: { trustProxy: 1 },
  })
  const { apps, ...others } = inventory([now])
  const read: Inventory = { ...others, apps: apps.map((one) => ({ ...one, kind, version })) }
  const lock = createLock(inventory([row('GET /x')]))
  expect(found(compare(lock, read, meets(lock, [now])))).toEqual(expected)
})

it.each([
  [1, []],
  [2, []],
  [3, ['GET /x: settings trust proxy of a mounted app was that of the app, and is 1']],
] as const)('a lock of version %i knows of mounted apps: %j', (version, expected) => {
  const now = [row('GET /x', [], { settings: { mountedTrustProxy: [1] } })]
  const lock: Lock = { ...createLock(inventory([row('GET /x')])), version }
  expect(found(compare(lock, inventory(now), meets(lock, now)))).toEqual(expected)
})

describe('rows that only one side has', () => {
  it('finds a route that is new, and who answers before it', () => {
    const fresh = row('GET /y', [pass('u', { source: undefined, unverifiable: true })])
    const hidden = row('GET /z', [], { shadowed: true, answer: { route: 'GET /:any' } })
    expect(found(checked([row('GET /x')], [row('GET /x'), fresh, hidden]))).toEqual([
      'GET /y: new',
      'GET /y: unverifiable u',
      'GET /z: new',
      'GET /z: shadowed by GET /:any',
    ])
    const handled = row('GET /y', [], { errorHandlers: [{ ...errorHandler('h', 1), unverifiable: true }] })
    expect(found(checked([], [handled]))).toEqual(['GET /y: new', 'GET /y: unverifiable h'])
  })

  it('finds no new row in a guard that the lock knows, nor in one that no request reaches', () => {
    const guard = (more: Given = {}, own = a): RouteRow =>
      row('* /g', [own], {
        kind: 'mount',
        answer: { by: 'middleware', route: undefined, name: own.name },
        ...more,
      })
    const x = row('GET /x', [a])
    expect(found(checked([x], [x, guard()]))).toEqual([])
    expect(found(checked([x], [x, guard({}, b)]))).toEqual(['* /g: new'])
    expect(found(checked([x], [x, guard({ shadowed: true }, b)]))).toEqual([])
  })

  it('finds no new route where the lock has a router in its place, and one where it has a guard', () => {
    const mount = (by: Answerer['by']): RouteRow =>
      row('* /in', [a], {
        kind: 'mount',
        answer: { by, route: by === 'Express' ? '* /in' : undefined, name: 'a' },
      })
    const route = row('* /in', [a])
    expect(found(checked([mount('Express')], [route])).join()).not.toContain('new')
    expect(found(checked([mount('middleware')], [mount('middleware'), route]))).toEqual(['* /in: new'])
  })

  it('compares a route without a request by what stands before it', () => {
    const unreached = (passes: Pass[], more: Given = {}): RouteRow =>
      row('GET /^x$/', passes, { witness: undefined, ...more })
    const report = checked([unreached([a, b]), row('GET /y')], [unreached([b]), row('GET /y')])
    expect(found(report)).toEqual(['GET /^x$/: lost a'])
    expect(report).toMatchObject({ ok: false, checked: 1, byPosition: 1, notCompared: 0, mounts: 0, apps: 1 })
    expect(found(checked([unreached([a])], []))).toEqual(['GET /^x$/: gone'])
    expect(found(checked([unreached([a])], [unreached([a])]))).toEqual([])
    // One of two registrations.
    const both = [unreached([a]), unreached([b])]
    expect(found(checked(both, both))).toEqual([])
    expect(found(checked(both, [unreached([a])]))).toEqual(['GET /^x$/: gone'])
    const controller = unreached([a], { own: { by: 'Controller' } })
    expect(found(checked([unreached([a])], [controller]))).toEqual(['GET /^x$/: unverifiable route'])
    // Which other forms of its path reach it was not known.
    const reached = row('GET /^x$/', [a], { settings: { strict: true, caseSensitive: true, trustProxy: 1 } })
    expect(found(checked([unreached([a])], [reached]))).toEqual([
      'GET /^x$/: settings trust proxy was false, and is 1',
    ])
  })

  it('looks for each app of the lock where most of its routes are', () => {
    const first = [row('GET /x', [a]), row('GET /y')]
    const second = [row('GET /admin', [b], { app: 1 })]
    const lock = createLock(inventory([...first, ...second], 2))
    const swapped = [row('GET /admin', [b]), ...first.map((one) => ({ ...one, app: 1 }))]
    const report = compare(
      lock,
      inventory(swapped, 2),
      lock.routes.map((locked) => swapped.find((one) => nameOf(one) === nameOf(locked))!),
    )
    expect(found(report)).toEqual([])
    expect(report).toMatchObject({ ok: true, checked: 3, apps: 2 })
  })

  it('asks for each row of a lock that has a request', () => {
    const twin = row('GET /x', [], { own: { source: 'second' } })
    const lock = createLock(
      inventory([
        row('GET /x'),
        twin,
        row('ALL /y', [], { witnessMethod: 'PUT' }),
        row('GET /z', [], { witness: undefined }),
      ]),
    )
    expect(
      questionOf(lock).map(({ method, witness, answer, number }) => [method, witness, answer, number]),
    ).toEqual([
      ['GET', '/x', 'GET /x', undefined],
      ['GET', '/x', 'GET /x', 1],
      ['PUT', '/y', 'ALL /y', undefined],
    ])
  })
})

it('a pattern with a method is for that method alone, and one without for all', () => {
  const found = (text: string): string[] =>
    ['GET', 'POST', '*'].filter((method) => isOfAny([text])({ method, path: '/a/b' }))
  expect(found('GET /a/**')).toEqual(['GET'])
  expect(found('/a/**')).toEqual(['GET', 'POST', '*'])
  expect(found('/b')).toEqual([])
})

it('a question numbers functions of use that are equal and stand at the same path', () => {
  const at = (mount: string): Pass => pass('guard', { mount })
  const mountRow = (passes: readonly Pass[]): RouteRow =>
    row('* /api', passes, { kind: 'mount', answer: { by: 'middleware', route: '* /api' } })
  const numberOf = (...passes: Pass[]): number | undefined =>
    questionOf(createLock(inventory([mountRow(passes)])))[0]!.mount?.number
  expect(numberOf(at('/api'))).toBe(0)
  expect(numberOf(at('/'), at('/api'))).toBe(0)
  expect(numberOf(pass('other', { mount: '/api' }), at('/api'))).toBe(0)
  expect(numberOf(at('/api'), at('/api'))).toBe(1)
})

describe('what is accepted', () => {
  const reason = { because: 'it is meant so', date: '2030-01-01' }
  const [x, y] = [row('GET /x', [a, b]), row('GET /y')]
  const lock = createLock(inventory([x, y]))
  const after = (now: readonly RouteRow[], accepted = lock): CheckReport =>
    compare(accepted, inventory(now), meets(accepted, now))
  const accepting = (now: readonly RouteRow[]): Lock =>
    parseLock(formatLock(accept(lock, inventory(now), after(now).routes, reason)))

  it('is found no more, and told with its reason', () => {
    const now = [row('GET /x', [b]), y]
    const report = after(now, accepting(now))
    expect(report.ok).toBe(true)
    expect(report.routes[0]!.accepted.map(({ finding, because }) => [finding, because])).toEqual([
      ['lost a', reason.because],
    ])
  })

  it('accepts no other loss of the route, and none of another route', () => {
    const accepted = accepting([row('GET /x', [b]), y])
    expect(found(after([row('GET /x', []), y], accepted))).toEqual(['GET /x: lost b'])
    expect(found(after([row('GET /x', [a]), y], accepted))).toEqual(['GET /x: lost b'])
  })

  it.each<[string, RouteRow, RouteRow, string[]]>([
    [
      'a guard that has come, before the guards that it stood behind',
      row('GET /x', [a, b, c]),
      row('GET /x', [c, a, b]),
      ['GET /x: gained c'],
    ],
    [
      'a guard behind the native callback, that it goes',
      row('GET /x', [b], { answer: { behind: [a] } }),
      row('GET /x', [b]),
      ['GET /x: lost a'],
    ],
    [
      'one trusted proxy, that all are trusted',
      row('GET /x', [a, b], { settings: { trustProxy: 1 } }),
      row('GET /x', [a, b], { settings: { trustProxy: true } }),
      ['GET /x: settings trust proxy was false, and is true'],
    ],
    [
      'one param, another one',
      row('GET /x', [a, b], { params: ['id'] }),
      row('GET /x', [a, b], { params: ['tenant'] }),
      ['GET /x: params with tenant'],
    ],
    [
      'an error handler behind one guard, the same one behind two',
      row('GET /x', [a, b, errorHandler('e', 1)]),
      row('GET /x', [a, b, errorHandler('e', 2)]),
      ['GET /x: let-on e'],
    ],
    [
      'a guard whose text has changed, yet another text of it',
      row('GET /x', [pass('a', { source: 'second' }), b]),
      row('GET /x', [pass('a', { source: 'third' }), b]),
      ['GET /x: changed a, whose text is another'],
    ],
    [
      'a middleware that answers before the route, another one of its name',
      row('GET /x', [a, b], { answer: { by: 'middleware', route: undefined, name: 'm', source: 'one' } }),
      row('GET /x', [a, b], { answer: { by: 'middleware', route: undefined, name: 'm', source: 'other' } }),
      ['GET /x: unreachable by m'],
    ],
    [
      'a route of Express that answers in its place, a Controller of the same path',
      row('GET /x', [a, b], { answer: { route: 'GET /y' } }),
      row('GET /x', [a, b], { answer: { route: 'GET /y', by: 'Controller' } }),
      ['GET /x: shadowed by GET /y'],
    ],
  ])('does not accept with %s', (_name, now, next, expected) => {
    const accepted = accepting([now, y])
    expect(found(after([now, y], accepted))).toEqual([])
    expect(found(after([next, y], accepted))).toEqual(expected)
  })

  it('accepts that one of two equal guards has changed, and not that the other one has', () => {
    const [old, other] = [pass('g'), pass('g', { source: 'other' })]
    const two = createLock(inventory([row('GET /x', [old, b, old])]))
    const one = [row('GET /x', [other, b, old])]
    const both = [row('GET /x', [other, b, other])]
    const keys = after(both, two).routes.flatMap(({ changes }) => changes.map(({ key }) => key))
    expect([keys.length, new Set(keys).size]).toEqual([2, 2])
    const accepted = accept(two, inventory(one), after(one, two).routes, reason)
    expect(found(after(one, accepted))).toEqual([])
    expect(found(after(both, accepted)).length).toBeGreaterThan(0)
  })

  it('accepts one order of three guards, and not another one', () => {
    const three = createLock(inventory([row('GET /x', [a, b, c])]))
    const now = [row('GET /x', [b, c, a])]
    const accepted = accept(three, inventory(now), after(now, three).routes, reason)
    expect(found(after(now, accepted))).toEqual([])
    expect(found(after([row('GET /x', [b, a, c])], accepted))).toEqual(['GET /x: reordered a'])
  })

  it('accepts a loss only with what has come in its place', () => {
    const accepted = accepting([row('GET /x', [c, b]), y])
    expect(found(after([row('GET /x', [c, b]), y], accepted))).toEqual([])
    expect(found(after([row('GET /x', [b]), y], accepted))).toEqual(['GET /x: lost a'])
  })

  it('accepts a loss only with what has come in its place, also where that was accepted before it', () => {
    const come = [row('GET /x', [c, a, b]), y]
    const first = accepting(come)
    const now = [row('GET /x', [c, b]), y]
    const accepted = accept(first, inventory(now), after(now, first).routes, reason)
    expect(found(after(now, accepted))).toEqual([])
    expect(found(after([row('GET /x', [b]), y], accepted))).toEqual(['GET /x: lost a'])
  })

  it('accepts that a guard covers one part of the requests, and not that it covers another one', () => {
    const at = (mount: string): RouteRow[] => [row('GET /users/:id', [pass('a', { mount }), b])]
    const whole = createLock(inventory(at('/users')))
    const accepted = accept(whole, inventory(at('/users/7')), after(at('/users/7'), whole).routes, reason)
    expect(found(after(at('/users/7'), accepted))).toEqual([])
    expect(found(after(at('/users/8'), accepted))).toEqual(['GET /users/:id: lost a at /users/8'])
    expect(found(after(at('/users'), accepted))).toEqual([])
  })

  it('gives a new route a row of its own', () => {
    const now = [x, y, row('GET /new', [a])]
    const accepted = accepting(now)
    expect(accepted.routes.map(nameOf)).toEqual(['GET /new', 'GET /x', 'GET /y'])
    expect(after(now, accepted).ok).toBe(true)
    expect(found(after([x, y, row('GET /new')], accepted))).toEqual(['GET /new: lost a'])
  })

  it('is of the app that has the new route, whatever numbers the apps have in the lock', () => {
    const first = [row('GET /x'), row('GET /y')]
    const second = [row('GET /admin', [], { app: 1 })]
    const two = createLock(inventory([...first, ...second], 2))
    const swapped = [
      row('GET /admin'),
      row('GET /admin/new', [a]),
      ...[...first, row('GET /new', [b])].map((one) => ({ ...one, app: 1 })),
      row('GET /third', [], { app: 2 }),
    ]
    const now = inventory(swapped, 3)
    const met = two.routes.map((locked) => swapped.find((one) => nameOf(one) === nameOf(locked))!)
    const { routes: told } = compare(two, now, met)
    const accepted = accept(two, now, told, reason)
    const ofNew = accepted.routes.filter((one) => one.accepted !== undefined)
    expect(ofNew.map((one) => [one.app ?? 0, nameOf(one)])).toEqual([
      [0, 'GET /new'],
      [1, 'GET /admin/new'],
      [4, 'GET /third'],
    ])
    const metNow = accepted.routes.map((locked) => swapped.find((one) => nameOf(one) === nameOf(locked))!)
    expect(found(compare(accepted, now, metNow))).toEqual([])
  })

  it('stays in a new lock where it lasts, and goes where the lock has what was found', () => {
    const untold = pass('u', { source: undefined, unverifiable: true })
    const now = [row('GET /x', [b, untold]), y]
    const accepted = accepting(now)
    expect(accepted.routes[0]!.accepted!.map(({ kind }) => kind).sort()).toEqual([
      'gained',
      'lost',
      'unverifiable',
    ])
    const anew = createLock(inventory(now), accepted)
    expect(anew.routes.map((one) => one.accepted?.map(({ kind }) => kind))).toEqual([
      ['unverifiable'],
      undefined,
    ])
  })
})

describe('a Controller that is meant as a guard, and is none', () => {
  const reason = { because: 'it is meant so', date: '2030-01-01' }
  const rows = [row('GET /x'), row('GET /account/a')]
  const foundIn = (routes: readonly RouteRow[], apps = 1): Inventory => ({
    ...inventory(routes, apps),
    findings: routes.map(({ app, method, path, own: { at } }) => ({
      ...{ code: 'not-a-guard', app, method, path, at, witness: undefined, guards: ['GET /x/y'] },
      ...{ kind: 'not-a-guard', severity: 'warning', message: '' },
    })),
  })

  it('is found whatever the lock says, but of the routes that it leaves out', () => {
    const all = createLock(inventory(rows))
    const found = compare(all, foundIn(rows), meets(all, rows))
    expect(found.routes.map(nameOf).sort()).toEqual(['GET /account/a', 'GET /x'])
    const lock = createLock(inventory(rows), undefined, { except: ['GET /account/**'] })
    expect(compare(lock, foundIn(rows), meets(lock, rows)).routes.map(nameOf)).toEqual(['GET /x'])
  })

  it('is accepted by the key that its text once made', () => {
    const lock = createLock(inventory([rows[0]!]))
    const now = foundIn([rows[0]!])
    const { key: ofRow } = compare(lock, now, meets(lock, [rows[0]!])).routes[0]!
    const text = 'does not guard GET /x/y: without a profile the most specific Controller answers alone'
    const key = hashOf(JSON.stringify([ofRow, 'not-a-guard', text]))
    const former = { ...lock.routes[0]!, accepted: [{ finding: text, key, ...reason }] }
    const report = compare({ ...lock, routes: [former] }, now, meets(lock, [rows[0]!]))
    expect(report.ok).toBe(true)
    expect(report.routes[0]!.accepted).toMatchObject([{ because: reason.because }])
  })

  it('is accepted in one of two apps in which it stands by the same line, and not in the other one', () => {
    const both = [...rows, ...rows.map((one) => ({ ...one, app: 1 }))]
    const now = foundIn(both, 2)
    const lock = createLock(now)
    const { routes } = compare(lock, now, meets(lock, both))
    expect(routes.map((one) => [one.app, nameOf(one)])).toEqual(both.map((one) => [one.app, nameOf(one)]))
    const accepted = accept(
      lock,
      now,
      routes.filter(({ app }) => app === 0),
      reason,
    )
    const left = compare(accepted, now, meets(accepted, both)).routes.filter(
      ({ changes }) => changes.length > 0,
    )
    expect(left.map(({ app }) => app)).toEqual([1, 1])
    // Of a row that the lock has not, too.
    const added = compare(createLock(inventory([], 2)), now, []).routes
    const keysWith = (kind: string): string[] =>
      added.filter(({ changes }) => changes.some((one) => one.kind === kind)).map(({ key }) => key)
    expect(keysWith('not-a-guard')).toEqual(keysWith('new'))
  })
})

describe('a lock', () => {
  it('leaves out the routes of its patterns, also when it is written anew', () => {
    const rows = [row('GET /x'), row('POST /account/a'), row('GET /account/a'), row('GET /account/b')]
    const lock = createLock(inventory(rows), undefined, { except: ['GET /account/**'] })
    expect(lock.routes.map(nameOf)).toEqual(['POST /account/a', 'GET /x'])
    expect(createLock(inventory(rows), lock).routes.map(nameOf)).toEqual(['POST /account/a', 'GET /x'])
    expect(createLock(inventory(rows), lock, { except: [] }).routes).toHaveLength(4)
    expect(compare(lock, inventory(rows), meets(lock, rows))).toMatchObject({ ok: true, except: 2 })
  })

  it('leaves out a route by its own path, also where the lock has a pattern for that', () => {
    const asset = row('GET /js/main-1a.js')
    const varying = new Map([[asset, '/js/main-*.js']])
    const lock = createLock(inventory([asset, row('GET /x')]), undefined, {
      varying,
      except: ['GET /js/main-1a.js'],
    })
    expect(lock.routes.map(nameOf)).toEqual(['GET /x'])
  })

  it('has of a route what is known of it, and of each function too', () => {
    const guard = pass('a', {
      ...{ at: undefined, definition: undefined, source: undefined, mount: '/in', param: 'id' },
      unverifiable: true,
    })
    const made = pass('b', {
      ...{ sourceNames: 'names', argument: 'b(1)', made: 'syntax', madeNames: 'others' },
      ...{ kind: 'error', catches: 2 },
    })
    const mount = row('* /in', [guard], {
      kind: 'mount',
      answer: { by: 'middleware', route: undefined, name: 'a', at: undefined },
    })
    const unnamed = row('GET /z', [], {
      answer: { route: undefined, name: '', at: undefined, by: 'Express' },
    })
    const { routes } = createLock(inventory([row('GET /x', [guard, made]), mount, unnamed]))
    const settings = { strict: false, caseSensitive: false, mergeParams: false, trustProxy: false }
    const lockedGuard = { kind: 'middleware', name: 'a', mount: '/in', param: 'id', unverifiable: true }
    expect(routes).toStrictEqual([
      {
        ...{ kind: 'mount', method: '*', path: '/in', witness: '* /in', settings, params: [] },
        ...{ answer: 'a', by: 'middleware', passes: [lockedGuard] },
      },
      {
        ...{ method: 'GET', path: '/x', witness: 'GET /x', settings, params: [] },
        ...{ answer: 'GET /x', by: 'Express', at: 'app.js:9' },
        passes: [
          lockedGuard,
          {
            ...{ kind: 'error', name: 'b', at: 'app.js:1', definition: 'b.js:1', source: 'text of b' },
            ...{ sourceNames: 'names', argument: 'b(1)', made: 'syntax', madeNames: 'others', catches: 2 },
          },
        ],
      },
      {
        ...{ method: 'GET', path: '/z', witness: 'GET /z', settings, params: [] },
        ...{ answer: 'Express', by: 'Express', passes: [] },
      },
    ])
  })

  it('keeps what is accepted where its apps have other numbers now', () => {
    const untold = pass('u', { source: undefined, unverifiable: true })
    const first = [row('GET /x'), row('GET /y')]
    const second = [row('GET /admin', [untold], { app: 1 })]
    const lock = createLock(inventory([...first, ...second], 2))
    const before = inventory([...first, ...second], 2)
    const { routes: told } = compare(lock, before, meets(lock, before.routes))
    const reason = { because: 'it is read', date: '2030-01-01' }
    const accepted = accept(lock, before, told, reason)
    const swapped = [row('GET /admin', [untold]), ...first.map((one) => ({ ...one, app: 1 }))]
    const anew = createLock(inventory(swapped, 2), accepted)
    expect(anew.routes.map((one) => [one.app, nameOf(one), one.accepted?.[0]?.because])).toEqual([
      [undefined, 'GET /admin', 'it is read'],
      [1, 'GET /x', undefined],
      [1, 'GET /y', undefined],
    ])
    // What says not which finding it is of accepts nothing, and goes.
    const keyless = {
      ...accepted,
      routes: accepted.routes.map((one) => ({
        ...one,
        ...(one.accepted && { accepted: one.accepted.map(({ key: _key, ...rest }) => rest) }),
      })),
    }
    expect(createLock(inventory(swapped, 2), keyless).routes.flatMap((one) => one.accepted ?? [])).toEqual([])
  })

  it('is in the order of apps, paths and methods', () => {
    const rows = [row('GET /a', [], { app: 1 }), row('PUT /b'), row('GET /b'), row('GET /B'), row('GET /a')]
    expect(createLock(inventory(rows, 2)).routes.map((one) => [one.app, nameOf(one)])).toEqual([
      [undefined, 'GET /B'],
      [undefined, 'GET /a'],
      [undefined, 'GET /b'],
      [undefined, 'PUT /b'],
      [1, 'GET /a'],
    ])
  })

  it('keeps the samples of a route, those of a user before those of its schemas', () => {
    const withExample = row('POST /x', [], { example: { url: '/x', body: { a: 1 } } })
    const first = createLock(inventory([withExample]))
    expect(first.routes[0]!.samples).toEqual([{ url: '/x', body: { a: 1 } }])
    const own = { ...first, routes: [{ ...first.routes[0]!, samples: [{ url: '/x?own=1' }] }] }
    expect(createLock(inventory([withExample]), own).routes[0]!.samples).toEqual([{ url: '/x?own=1' }])
  })

  it.each([0, 1])('keeps the samples of twins, whichever of them has these: %d', (which) => {
    const twins = ['1', '2'].map((source) => row('GET /x', [], { own: { source } }))
    const first = createLock(inventory(twins))
    const samples = [{ url: '/x?own=1' }]
    const own = {
      ...first,
      routes: first.routes.map((one, at) => (at === which ? { ...one, samples } : one)),
    }
    expect(createLock(inventory(twins), own).routes.map((one) => one.samples)).toEqual([samples, samples])
  })

  it('keeps of each twin what is accepted of it, also where they have changed places', () => {
    const reason = { because: 'it is read', date: '2030-01-01' }
    const untold = pass('u', { source: undefined, unverifiable: true })
    const twin = (source: string, passes: readonly Pass[] = [], more: Given = {}): RouteRow =>
      row('GET /x', passes, { own: { source }, ...more })
    const keptBy = (first: readonly RouteRow[], second: readonly RouteRow[]): unknown[] => {
      const lock = createLock(inventory(first))
      const report = compare(lock, inventory(first), [...first])
      const accepted = accept(lock, inventory(first), report.routes, reason)
      return createLock(inventory(second), accepted).routes.map((one) => [
        one.handler,
        one.accepted?.map(({ finding }) => finding),
      ])
    }
    const [one, other] = [twin('1'), twin('2', [untold], { shadowed: true })]
    const kept = ['2', [expect.stringContaining('u')]]
    expect(keptBy([one, other], [one, other])).toEqual([['1', undefined], kept])
    expect(keptBy([one, other], [other, one])).toEqual([kept, ['1', undefined]])
    // A handler whose text has changed is known by its place.
    const changed = twin('3', [untold], { shadowed: true })
    expect(keptBy([one, other], [one, changed])).toEqual([
      ['1', undefined],
      ['3', kept[1]],
    ])
  })

  it('has of routes alone that another one answers before them', () => {
    const behind: Given = { shadowed: true, own: { source: 'second' } }
    const rows = (more: Given): RouteRow[] => [
      row('* /in', [a], more),
      row('* /in', [a], { ...behind, ...more }),
    ]
    const shadowedIn = (routes: RouteRow[]): unknown[] =>
      createLock(inventory(routes)).routes.map(({ shadowed }) => shadowed)
    expect(shadowedIn(rows({}))).toEqual([undefined, true])
    expect(shadowedIn(rows({ kind: 'mount' }))).toEqual([undefined, undefined])
  })

  it('has the handlers of twins alone', () => {
    const twins = [
      row('GET /x', [], { own: { source: '1' } }),
      row('GET /x', [], { own: { source: '2' }, shadowed: true }),
    ]
    const { routes } = createLock(inventory([...twins, row('GET /y')]))
    expect(routes.map(({ handler, shadowed }) => [handler, shadowed])).toEqual([
      ['1', undefined],
      ['2', true],
      [undefined, undefined],
    ])
  })
})

describe('two starts of an app', () => {
  const start = (...rows: RouteRow[]): Inventory => inventory(rows)
  const asset = (path: string, source = 'asset'): RouteRow =>
    row(`GET ${path}`, [], { own: { source }, answer: { route: `GET ${path}` } })
  const patterns = (first: Inventory, second: Inventory): [string, string][] =>
    [...compareStarts(first, second).varying].map(([{ path }, pattern]) => [path, pattern])

  it.each([
    ['/main-1f.js', '/main-2c.js', '/main-*.js'],
    ['/v/abc/x', '/v/abd/x', '/v/*/x'],
    ['/a.1a.2b.js', '/a.3c.4d.js', '/a.*.js'],
  ])('%s and %s are %s', (one, other, pattern) => {
    expect(patterns(start(asset(one)), start(asset(other)))).toEqual([[one, pattern]])
  })

  it.each([
    ['has another handler', asset('/main-1f.js'), asset('/main-2c.js', 'other')],
    ['has another depth', asset('/main-1f.js'), asset('/v/main-2c.js')],
    ['stands behind another guard', asset('/main-1f.js'), { ...asset('/main-2c.js'), passes: [a] }],
  ])('a path that differs is another route where it %s', (_name, one, other) => {
    const { varying, once } = compareStarts(start(one), start(other))
    expect(varying.size).toBe(0)
    expect(once).toEqual([one, other])
  })

  it('tells the routes that one of them has more, and renames the others', () => {
    const first = start(asset('/main-1f.js'), row('GET /x'), row('GET /only'))
    const second = start(asset('/main-2c.js'), row('GET /x'), row('GET /x'))
    const { varying, once } = compareStarts(first, second)
    expect(once.map(nameOf)).toEqual(['GET /only', 'GET /x'])
    const { routes } = renamed(first, varying)
    expect(routes.map(({ path, answer }) => [path, answer.route])).toEqual([
      ['/main-*.js', 'GET /main-*.js'],
      ['/x', 'GET /x'],
      ['/only', 'GET /only'],
    ])
  })

  it('has no path for routes of which the other start has more or fewer', () => {
    const [one, other, more] = [asset('/main-1f.js'), asset('/main-2c.js'), asset('/main-3d.js')]
    for (const starts of [
      [start(one), start(other, more)],
      [start(one, more), start(other)],
    ] as const) {
      const { varying, once } = compareStarts(...starts)
      expect([varying.size, once.length]).toEqual([0, 3])
    }
  })

  it('are one lock, which finds a varying route in the next start', () => {
    const first = start(asset('/main-1f.js'), row('GET /x'))
    const { varying } = compareStarts(first, start(asset('/main-2c.js'), row('GET /x')))
    const lock = parseLock(formatLock(createLock(first, undefined, { varying })))
    expect(lock.routes.map(({ path, varies, witness }) => [path, varies, witness])).toEqual([
      ['/main-*.js', true, null],
      ['/x', undefined, 'GET /x'],
    ])
    const next = (...rows: RouteRow[]): string[] => {
      const now = [...rows, row('GET /x')]
      return found(compare(lock, inventory(now), meets(lock, now)))
    }
    expect(next(asset('/main-9e.js'))).toEqual([])
    const now = [asset('/main-9e.js'), row('GET /x')]
    const { checked: count, byPosition, notCompared } = compare(lock, inventory(now), meets(lock, now))
    expect([count, byPosition, notCompared]).toEqual([2, 0, 0])
    expect(next({ ...asset('/main-9e.js'), passes: [a] })).toEqual(['GET /main-*.js: gained a'])
    expect(next()).toEqual(['GET /main-*.js: gone'])
    expect(next(asset('/main-9e.js', 'other'))).toContain('GET /main-*.js: gone')
    // Of two that fit the pattern none is it.
    expect(next(asset('/main-9e.js'), asset('/main-8d.js'))).toContain('GET /main-*.js: gone')
    // A star stands for something, and for no slash.
    expect(next(asset('/main-.js'))).toContain('GET /main-*.js: gone')
    expect(next(asset('/main-a/b.js'))).toContain('GET /main-*.js: gone')
    // It has the method and the kind that it had.
    const posted = row('POST /main-9e.js', [], { own: { source: 'asset' } })
    expect(next(posted)).toContain('GET /main-*.js: gone')
    expect(next({ ...asset('/main-9e.js'), kind: 'mount' })).toContain('GET /main-*.js: gone')
    // A dot is a dot.
    expect(next(asset('/main-9e_js'))).toContain('GET /main-*.js: gone')
  })

  it('are one lock, which takes no route whose path it has for a varying one', () => {
    const both = (at: string): Inventory => start(asset(`/main-${at}.js`), asset('/main-fixed.js'))
    const first = both('1f')
    const { varying } = compareStarts(first, both('2c'))
    const lock = parseLock(formatLock(createLock(first, undefined, { varying })))
    expect(lock.routes.map(({ path }) => path)).toEqual(['/main-*.js', '/main-fixed.js'])
    const next = (...rows: RouteRow[]): string[] => found(compare(lock, inventory(rows), meets(lock, rows)))
    expect(next(...both('9e').routes)).toEqual([])
    expect(next(asset('/main-fixed.js'))).toEqual(['GET /main-*.js: gone'])
  })

  it('are one lock, which misses a varying route though another one has its pattern', () => {
    const both = (at: string): Inventory => start(asset(`/main-${at}.js`), asset(`/main-${at}a.js`, 'other'))
    const first = both('1f')
    const { varying } = compareStarts(first, both('2c'))
    const lock = parseLock(formatLock(createLock(first, undefined, { varying })))
    expect(lock.routes.map(({ path, handler }) => [path, handler])).toEqual([
      ['/main-*.js', 'asset'],
      ['/main-*.js', 'other'],
    ])
    const next = (...rows: RouteRow[]): string[] => found(compare(lock, inventory(rows), meets(lock, rows)))
    expect(next(...both('9e').routes)).toEqual([])
    expect(next(asset('/main-9e.js', 'other'))).toEqual(['GET /main-*.js: gone'])
    expect(next(asset('/main-9e.js'))).toEqual(['GET /main-*.js: gone'])
  })

  it('find a varying route in its own app, and not where the lock has that path', () => {
    const assetOf = (app: number, path: string): RouteRow => ({ ...asset(path), app })
    const one = (at: string): Inventory =>
      inventory(
        [row('GET /x'), assetOf(0, at), row('GET /y', [], { app: 1 }), row('GET /z', [], { app: 1 })],
        2,
      )
    const first = one('/main-1f.js')
    const { varying } = compareStarts(first, one('/main-2c.js'))
    const lock = parseLock(formatLock(createLock(first, undefined, { varying })))
    const lookIn = (rows: readonly RouteRow[]): string[] =>
      found(compare(lock, inventory(rows, 2), meets(lock, rows)))
    expect(lookIn(one('/main-9e.js').routes)).toEqual([])
    const others = one('/main-9e.js').routes.filter(({ path }) => !path.startsWith('/main'))
    expect(lookIn([...others, assetOf(1, '/main-9e.js')])).toContain('GET /main-*.js: gone')
    // Its apps have changed places.
    const swapped = one('/main-9e.js').routes.map((each) => ({ ...each, app: 1 - each.app }))
    const report = compare(
      lock,
      inventory(swapped, 2),
      lock.routes
        .filter(({ witness }) => witness !== null)
        .map((locked) => swapped.find((each) => nameOf(each) === nameOf(locked))!),
    )
    expect(found(report)).toEqual([])
  })
})
