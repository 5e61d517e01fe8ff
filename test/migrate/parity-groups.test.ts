// Differences of `parity` by their cause: what has been opened comes first.
import type { ParityDifference } from '../../packages/cli/src/documents/parity.js'
import { groupDifferences } from '../../packages/cli/src/report/parity-groups.js'
import { requestOf } from '../../packages/cli/src/report/parity-text.js'

const difference = (route: string, was: number, is: number, more = {}): ParityDifference => ({
  method: 'GET',
  target: route.split(' ')[1]!,
  route,
  variant: '',
  headers: [],
  legacy: { status: was, type: 'json' },
  now: { status: is, type: 'json' },
  changes: [{ what: 'status', legacy: String(was), now: String(is) }],
  ...more,
})
const lost = 'a guard is not asked any more: routecontrollers check says which'

it('A request is told with what both have answered, once where that is the same', () => {
  expect(requestOf(difference('GET /x', 200, 200))).toBe('GET /x  200 json')
  expect(requestOf(difference('GET /x', 200, 404))).toBe('GET /x  200 json → 404 json')
  const more = { variant: 'no body', headers: ['cookie'] }
  expect(requestOf(difference('GET /x', 200, 200, more))).toBe('GET /x with cookie (no body)  200 json')
})

describe('differences of parity', () => {
  it.each<[number, number, boolean]>([
    [401, 200, true],
    [403, 200, true],
    [401, 304, true],
    [403, 399, true],
    [401, 404, false],
    [403, 500, false],
    [401, 403, false],
    [401, 0, false],
    [404, 200, false],
    [200, 401, false],
  ])('from %d to %d open what was closed: %j', (was, is, isOpened) => {
    const [group] = groupDifferences([difference('GET /a', was, is)])
    expect(group!.remedy === lost).toBe(isOpened)
  })

  it('stand behind those that open something, and then by how many routes they are of', () => {
    const groups = groupDifferences([
      difference('GET /a', 200, 500),
      difference('GET /b', 200, 404),
      difference('GET /c', 200, 404),
      difference('GET /d', 403, 200),
    ])
    expect(groups.map(({ routes }) => routes)).toEqual([['GET /d'], ['GET /b', 'GET /c'], ['GET /a']])
  })

  it('of a variant are those of the plain request where both have another status, whatever else differs', () => {
    const status = { what: 'status', legacy: '200', now: '500' }
    const more = { variant: 'no body', changes: [status, { what: 'header', name: 'x-tea' }] }
    const groups = groupDifferences([difference('GET /a', 200, 500), difference('GET /a', 200, 500, more)])
    expect(groups.map(({ cause, differences }) => [cause, differences.length])).toEqual([
      ['200 json → 500 json', 2],
    ])
    const alone = groupDifferences([
      difference('GET /a', 200, 200, { changes: [] }),
      difference('GET /a', 200, 500, more),
    ])
    expect(alone.map(({ cause }) => cause)).toContain('no body')
  })

  it('between no answer and an error say that an async handler of Express 4 may have rejected', () => {
    const unanswered = (failure: string, is: number) =>
      difference('GET /a', 0, is, { legacy: { status: 0, type: '', failure } })
    const told = (one: ParityDifference, version?: number) =>
      groupDifferences([one], { unansweredBy: () => version }).map(({ cause, remedy }) => [cause, remedy])
    const meant = [
      'no answer, as Express 4 gives none where an async handler rejects → 500 json',
      'this is meant: leave the callback as it is, and have the owner of the app accept it',
    ]
    const [late, ended] = ['no answer within 3000 ms', 'the connection was closed']
    expect(told(unanswered(late, 500), 4)).toEqual([meant])
    expect(told(unanswered(ended, 500), 4)).toEqual([meant])
    expect(told(unanswered(late, 500))).toEqual([[`${late} → 500 json`, undefined]])
    expect(told(unanswered(late, 200), 4)).toEqual([[`${late} → 200 json`, undefined]])
    expect(told(difference('GET /a', 200, 500), 4)).toEqual([['200 json → 500 json', undefined]])
    // An error that has broken off is none that was meant.
    const off = { status: 500, type: 'json', failure: 'the answer broke off' }
    expect(told({ ...unanswered(late, 500), now: off }, 4)).toEqual([[`${late} → ${off.failure}`, undefined]])
  })

  it('of a route that a Controller alone has say so, and of the same code that a revision had it', () => {
    const told = (by: string | undefined, isSameCode: boolean, was = 404, is = 200) =>
      groupDifferences([difference('GET /a', was, is, { by })], { isSameCode }).map(({ cause, remedy }) => [
        cause,
        remedy,
      ])
    const [controller, none] = ['Controller GET /a at a.js:1', 'legacy has no such route']
    expect(told(controller, true)).toEqual([[none, 'compare with the revision that had it: --base REVISION']])
    expect(told(controller, false)).toEqual([[none, undefined]])
    for (const by of ['Express GET /a at a.js:1', undefined])
      expect(told(by, true)).toEqual([['404 json → 200 json', undefined]])
    expect(told(controller, true, 410, 200)).toEqual([['410 json → 200 json', undefined]])
  })

  it('of another form of a path name the profile where all of its routes are Controllers without one', () => {
    const remedyOf = (variant: string, ...routes: string[]): (string | undefined)[] =>
      groupDifferences(
        routes.map((route) => difference(route, 200, 404, { variant })),
        { isNative: (route) => route !== 'GET /express' },
      ).map(({ remedy }) => remedy)
    expect(remedyOf('trailing slash', 'GET /a', 'GET /b')).toEqual(['use profile fromApp(app)'])
    expect(remedyOf('trailing slash', 'GET /a', 'GET /express')).toEqual([undefined])
    expect(remedyOf('', 'GET /a')).toEqual([undefined])
  })

  it('of a recording may come from the one token of all users where each of their requests had it', () => {
    const remedyOf = (...headers: string[][]): (string | undefined)[] =>
      groupDifferences(
        headers.map((own) => difference('GET /a', 403, 200, { headers: own })),
        { standIns: new Set(['authorization']) },
      ).map(({ remedy }) => remedy)
    const perhaps =
      'perhaps as --header gives all users of the recording one authorization: --and URL asks two servers with it'
    expect(remedyOf(['x-a', 'authorization'], ['authorization'])).toEqual([perhaps])
    expect(remedyOf(['authorization'], [])).toEqual([lost])
    expect(remedyOf(['x-a'])).toEqual([lost])
  })

  it('with a token are no matter of those without one', () => {
    const change = (name: string) => ({ changes: [{ what: 'header' as const, name }] })
    const plain = difference('GET /a', 200, 200, change('x-a'))
    const slash = { variant: 'trailing slash', ...change('x-a') }
    const causesOf = (headers: string[]): string[] =>
      groupDifferences([plain, difference('GET /a', 200, 200, { ...slash, headers })]).map(
        ({ cause }) => cause,
      )
    expect(causesOf(['accept'])).toEqual(['another x-a'])
    expect(causesOf(['authorization'])).toEqual(['another x-a', 'trailing slash'])
  })
})
