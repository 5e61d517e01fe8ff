// The requests that `parity` plans for routes.
import { createLock, type LockedRoute } from '../../packages/cli/src/check/lock.js'
import { planRequests } from '../../packages/cli/src/parity/requests.js'
import { toldMissing } from '../../packages/cli/src/report/prove-missing.js'
import { inventory, row } from './written-rows.js'

const locked = (...routes: string[]): readonly LockedRoute[] =>
  createLock(inventory(routes.map((one) => row(one)))).routes
type Planned = ReturnType<typeof planRequests>
const methodsOf = (planned: Planned): string[] => [...new Set(planned.map(({ method }) => method))]

it('are none that write unless they may, and those that take away come last', () => {
  const routes = locked('DELETE /x', 'POST /x', 'PURGE /x', 'GET /x', 'PUT /x')
  const written = routes.map((route) => ({ ...route, samples: [{ url: '/x?a=1', body: {} }] }))
  for (const some of [routes, written])
    expect(methodsOf(planRequests(some, [], false))).toEqual(['GET', 'HEAD', 'OPTIONS'])
  expect(methodsOf(planRequests(routes, [], true))).toEqual([
    ...['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PURGE', 'DELETE'],
  ])
})

it.each([
  ['GET', ['GET', 'HEAD', 'OPTIONS']],
  ['HEAD', ['HEAD', 'OPTIONS']],
  ['OPTIONS', ['OPTIONS']],
  ['POST', ['OPTIONS', 'POST']],
  ['PUT', ['OPTIONS', 'PUT']],
])('of a route of %s are of the methods %j', (method, expected) => {
  expect(methodsOf(planRequests(locked(`${method} /x`), [], true))).toEqual(expected)
})

it('have a body, a malformed one and none where they write', () => {
  const bodiesOf = (method: string, asked = method): Set<string | undefined> => {
    const planned = planRequests(locked(`${method} /x`), [], true)
    return new Set(planned.filter((one) => one.method === asked).map(({ body }) => body))
  }
  expect(bodiesOf('POST')).toEqual(new Set(['{}', '{', undefined]))
  expect(bodiesOf('GET')).toEqual(new Set([undefined]))
  expect(bodiesOf('POST', 'OPTIONS')).toEqual(new Set([undefined]))
})

it('of a route of all methods read, and write where they may', () => {
  const planned = (isUnsafe: boolean): Planned => planRequests(locked('* /x'), [], isUnsafe)
  expect(methodsOf(planned(false))).toEqual(['GET', 'HEAD', 'OPTIONS'])
  expect(methodsOf(planned(true))).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST'])
})

it('are made of each app, where several have the same route', () => {
  const routes = [0, 1].map((app) => ({ ...locked('GET /x')[0]!, app }))
  const planned = planRequests(routes, [], false)
  const ofApp = (app: number): object[] =>
    planned.filter((one) => one.app === app).map((one) => ({ ...one, app: 0 }))
  expect(ofApp(0).length).toBeGreaterThan(10)
  expect(ofApp(1)).toEqual(ofApp(0))
})

it('have other queries where none is given', () => {
  const [route] = locked('GET /x') as [LockedRoute]
  const targetsOf = (samples: LockedRoute['samples']): string[] =>
    planRequests([{ ...route, witness: 'GET /x?own=1', ...(samples && { samples }) }], [], false).flatMap(
      ({ variant, target }) => (variant === 'query' ? [target] : []),
    )
  expect(targetsOf(undefined)).toEqual([])
  const targets = targetsOf([{ url: '/x' }])
  expect(targets.length).toBeGreaterThan(0)
  expect(targets.every((target) => target.startsWith('/x?') && !target.includes('own'))).toBe(true)
})

it('have none, all and each alone of the headers that guards read', () => {
  const tokens = [
    ['a', '1'],
    ['b', '2'],
  ] as const
  const headersOf = (...given: Parameters<typeof planRequests>[1][number][]): object[] =>
    planRequests(locked('GET /x'), given, false).flatMap(({ method, target, variant, headers }) =>
      variant === '' && method === 'GET' && target === '/x' ? [headers] : [],
    )
  expect(headersOf()).toEqual([{}])
  expect(headersOf(tokens[0])).toEqual([{}, { a: '1' }])
  expect(headersOf(...tokens)).toEqual([{}, { a: '1', b: '2' }, { a: '1' }, { b: '2' }])
})

it('are those of samples too, whose headers have names of any case', () => {
  const [route] = locked('POST /x') as [LockedRoute]
  const samples = [
    { headers: { 'Content-Type': 'text/csv' }, body: 'a,b' },
    { url: '/x?full=1', headers: { 'Content-Type': 'application/vnd.api+json' }, body: { a: 1 } },
  ]
  const planned = planRequests([{ ...route, samples }], [], true).filter(
    ({ method, variant }) => method === 'POST' && variant === '',
  )
  expect(planned.map(({ target, headers, body }) => ({ target, headers, body }))).toEqual([
    { target: '/x', headers: { 'content-type': 'application/json' }, body: '{}' },
    { target: '/x', headers: { 'content-type': 'text/csv' }, body: 'a,b' },
    { target: '/x?full=1', headers: { 'content-type': 'application/vnd.api+json' }, body: '{"a":1}' },
  ])
})

it('of a sample of a request that reads have no body', () => {
  const [route] = locked('GET /x') as [LockedRoute]
  const planned = planRequests([{ ...route, samples: [{ url: '/x?a', body: { a: 1 } }] }], [], true)
  expect(planned.map(({ headers, body }) => [headers['content-type'], body])).toEqual(
    planned.map(() => [undefined, undefined]),
  )
})

it.each([
  [
    '/a/B7',
    ['/a/B7/', '/A/b7', '/a//B7', '/a%2FB7', '/a/%427', '/a/B7%', '/a/./B7', '/x/../a/B7', '/a/B7%C3%A9'],
  ],
  ['/a/', ['/a', '/A/', '/a//', '/a%2F', '/a/', '/a/%', '/a/./', '/x/../a/', '/a/%C3%A9']],
  ['/', ['/', '/', '//', '/', '/', '/%', '/./', '/x/../', '/%C3%A9']],
])('are those about which routers have been seen to disagree: %s', (path, others) => {
  const [route] = locked('GET /x') as [LockedRoute]
  const planned = planRequests([{ ...route, witness: `GET ${path}` }], [], false)
  const told = planned.map(({ method, target, variant, headers }) =>
    [method, target, variant, ...Object.entries(headers).flat()].join(' ').trim(),
  )
  const names = [
    ...['trailing slash', 'upper and lower case', 'slash twice', '%2F', 'encoded letter', 'malformed %'],
    ...['dot segment', 'dots up', 'unicode'],
  ]
  // A form that is the path itself is asked once.
  const forms = names
    .map((name, at) => ({ name, target: others[at]! }))
    .filter(({ target }) => target !== path)
  expect(told).toEqual([
    `GET ${path}`,
    ...forms.map(({ name, target }) => `GET ${target} ${name}`),
    ...['?a=1&a=2&b[c]=3', '?%'].map((query) => `GET ${path}${query} query`),
    `GET ${path} If-None-Match if-none-match *`,
    `GET ${path} Accept accept application/json`,
    `GET ${path} Accept accept text/html`,
    `HEAD ${path} HEAD`,
    `OPTIONS ${path} OPTIONS`,
  ])
})

it('have the names that the code of a route reads in its query, all and each alone, and the types that it distinguishes', () => {
  const targetsOf = (query: string[], accepts: string[] = []): string[] =>
    planRequests(locked('GET /x'), [], false, () => ({ query, accepts })).flatMap(
      ({ method, target, variant, headers }) =>
        method === 'GET' && /^(?:query|Accept)$/.test(variant)
          ? `${target} ${headers['accept'] ?? ''}`.trim()
          : [],
    )
  const usual = ['/x?a=1&a=2&b[c]=3', '/x?%']
  const types = ['/x application/json', '/x text/html']
  expect(targetsOf([])).toEqual([...usual, ...types])
  expect(targetsOf(['q'])).toEqual([...usual, '/x?q=1', ...types])
  expect(targetsOf(['q', 'a b'], ['text/csv'])).toEqual([
    ...usual,
    ...['/x?q=1&a%20b=1', '/x?q=1', '/x?a%20b=1'],
    ...types,
    '/x text/csv',
  ])
})

it.each([
  ['GET /teas/:id', `--request 'GET /teas/7'`],
  ['PATCH /teas/:id', `--request 'PATCH /teas/7 {"name":"value"}'`],
  ['DELETE /teas/:id', `--request 'DELETE /teas/7'`],
  ['* /teas/:id', `--request 'GET /teas/7'`],
  ['GET /teas{/:id}', `--request 'GET /teas/7'`],
  ['GET /teas/:"a b"/*rest', `--request 'GET /teas/7/7'`],
  ['GET /teas/:id?', `--request 'GET /teas/7'`],
  ['GET /teas/:id(\\d+)/:from(\\d+(?:-\\d+)?)', `--request 'GET /teas/7/7'`],
  ['GET /teas/:from-:to', `--request 'GET /teas/7-7'`],
])('are missing one that reaches %s: prove says how to make it', (route, expected) => {
  const { remedy } = toldMissing({ code: 'no-request', route }, { entry: 'app.js', build: undefined })
  expect(remedy).toBe(`make one that it answers: ${expected}; or play a recording: --recording FILE`)
})

it.each([
  ['* /teas', ['query.q', 'cookie.theme'], `--request 'GET /teas?q=value' --header 'cookie: theme=value'`],
  ['GET /teas/:id?', ['query.q'], `--request 'GET /teas/7?q=value'`],
  ['PUT /teas/:id', ['body.a', 'header.x-a'], `--request 'PUT /teas/7 {"a":"value"}' --header 'x-a: value'`],
])('are missing one with what the code of %s reads: prove says how to make it', (route, inputs, expected) => {
  const { remedy } = toldMissing({ code: 'no-input', route, inputs }, { entry: 'app.js', build: undefined })
  expect(remedy).toBe(`${expected}; or play a recording: --recording FILE`)
})
