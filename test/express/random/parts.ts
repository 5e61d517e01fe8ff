// What random apps are made of, as data: the same parts make the same app as often as it is needed.
import fc from 'fast-check'

export type Version = 4 | 5

/** What a function does when it is called: most go on. */
export type Deed =
  | 'next'
  | 'later'
  | 'answer'
  | 'fail'
  | 'throw'
  | 'route'
  | 'router'
  | 'rewrite'
  | 'method'
  | 'recover'
  | 'reject'
  | 'guard'
  | 'guard of proxies'
  | 'guard of queries'

export type Path = string | RegExp | (string | RegExp)[]

export interface RoutePart {
  kind: 'route'
  path: Path
  method: string
  deeds: Deed[]
  further: { method: string; deed: Deed }[]
}

export type Part =
  | { kind: 'use'; path: Path | undefined; deeds: Deed[] }
  | { kind: 'errors'; path: Path | undefined; deed: Deed }
  | RoutePart
  | { kind: 'param'; name: string; deed: Deed }
  | { kind: 'router'; path: Path | undefined; options: Record<string, boolean>; parts: Part[] }
  | { kind: 'app'; path: Path | undefined; options: Record<string, boolean>; parts: Part[] }

/** A Controller that is not of the app: a route before all of it, before one of its own, behind the last of them, or behind all of it. */
export interface OwnPart {
  place: 'before' | 'between' | 'last' | 'after'
  /** Which of the app's routes it stands before, where it stands between them. */
  anchor: number
  path: Path
  method: string
  deeds: Deed[]
}

/** A part that is registered while requests come: in the app, or in one of the routers and apps in it. */
export interface LatePart {
  target: number
  part: Part
}

/** Who has wrapped the functions of layers: nobody, a tracer, or a package for async errors. */
export type Wrapping = 'none' | 'tracer' | 'copies'

/** How the app is served by us. */
type Way = 'standalone' | 'in front' | 'inside' | 'own among' | 'own alone'

export interface RequestPart {
  method: string
  /** A target as it is; otherwise one that a route of the app is likely to take. */
  target: string | undefined
  route: number
  values: string[]
  end: string
  /** False where guards refuse it. */
  hasToken: boolean
}

export interface Scenario {
  way: Way
  /** True where our server is asked by HTTP/2. */
  http2: boolean
  sensitive: boolean
  strict: boolean
  wrapping: Wrapping
  parts: Part[]
  own: OwnPart[]
  late: LatePart[]
  requests: RequestPart[]
}

const often = <T>(times: number, value: T): T[] => Array.from({ length: times }, () => value)

const anyDeed: Deed[] = [
  'answer',
  'answer',
  'fail',
  'throw',
  'route',
  'router',
  'rewrite',
  'method',
  'reject',
  'guard',
]
/** Of middleware, which routes stand behind. */
const passing = (guards: number): fc.Arbitrary<Deed> =>
  fc.constantFrom<Deed>(
    ...often(60, 'next' as const),
    ...often(8, 'later' as const),
    ...often(guards, 'guard' as const),
    ...anyDeed,
  )
const deed = fc.constantFrom<Deed>(...often(10, 'next' as const), ...often(3, 'later' as const), ...anyDeed)

const paths = ['/', '/a', '/a/b', '/:x', '/a/:x', '/:x/:y', '/a/', '/A', '/:y/b', '/b']
const special: Record<Version, string[]> = {
  4: ['/*', '/a/:x?', '*', '/:x(\\d+)', '/a.:x', '/ab?', '/b+'],
  5: ['/*rest', '/a{/:x}', '/a/*rest', '/a.:x', '{/:x}/b'],
}
const methods = ['get', 'get', 'get', 'get', 'post', 'head', 'options', 'all', 'all', 'delete']

const flags = (names: string[]): fc.Arbitrary<Record<string, boolean>> =>
  fc.record(Object.fromEntries(names.map((name) => [name, fc.boolean()])))

export function pathOf(version: Version): fc.Arbitrary<Path> {
  const one = fc.constantFrom<string | RegExp>(
    ...paths,
    ...paths,
    ...special[version],
    /^\/(a|b)/,
    /^\/a(?:\/|$)/,
  )
  return fc.oneof(
    { weight: 9, arbitrary: one },
    { weight: 1, arbitrary: fc.array(one, { minLength: 2, maxLength: 3 }) },
  )
}

function routeOf(version: Version): fc.Arbitrary<RoutePart> {
  return fc.record({
    kind: fc.constant('route' as const),
    path: pathOf(version),
    method: fc.constantFrom(...methods),
    deeds: fc.array(deed, { minLength: 1, maxLength: 3 }),
    further: fc.array(fc.record({ method: fc.constantFrom(...methods), deed }), { maxLength: 2 }),
  })
}

export function partsOf(version: Version, depth: number, guards = 0): fc.Arbitrary<Part[]> {
  const maybePath = fc.option(pathOf(version), { nil: undefined })
  const use: fc.Arbitrary<Part> = fc.record({
    kind: fc.constant('use' as const),
    path: maybePath,
    deeds: fc.array(passing(guards), { minLength: 1, maxLength: 2 }),
  })
  const errors: fc.Arbitrary<Part> = fc.record({
    kind: fc.constant('errors' as const),
    path: maybePath,
    deed: fc.constantFrom<Deed>('next', 'next', 'answer', 'recover', 'throw', 'router'),
  })
  const param: fc.Arbitrary<Part> = fc.record({
    kind: fc.constant('param' as const),
    name: fc.constantFrom('x', 'y'),
    deed: fc.constantFrom<Deed>(...often(14, 'next' as const), 'later', 'fail', 'throw', 'route', 'rewrite'),
  })
  const route: fc.Arbitrary<Part> = routeOf(version)
  if (depth === 0) return fc.array(fc.oneof(use, errors, route, route, route, route, param), { maxLength: 5 })
  const parts = partsOf(version, depth - 1, guards)
  const router: fc.Arbitrary<Part> = fc.record({
    kind: fc.constant('router' as const),
    path: maybePath,
    options: flags(['mergeParams', 'caseSensitive', 'strict']),
    parts,
  })
  const app: fc.Arbitrary<Part> = fc.record({
    kind: fc.constant('app' as const),
    path: maybePath,
    options: flags(['case sensitive routing', 'strict routing', 'x-powered-by']),
    parts,
  })
  return fc.array(fc.oneof(use, errors, route, route, route, route, param, router, router, app), {
    maxLength: 6,
  })
}

const targets = [
  '/',
  '/a',
  '/a/',
  '/A',
  '/a/b',
  '/A/B/',
  '/a/b/a',
  '/a/b/a/b',
  '/b/1',
  '/b/b',
  '/a//b',
  '//a',
  '/a/a/a/a',
  '/a/b?q=1',
  '/?q=/a',
  '/%61',
  '/%',
  '/a/%',
  '/%/b',
  '/a%20b',
  '/a.x',
  '/5/b',
  'http://h/a/b',
  'http://h',
]

/** Requests of which most are for a route of the app; `odd` are targets that others may have. */
function requestOf(odd: fc.Arbitrary<string>): fc.Arbitrary<RequestPart> {
  return fc.record({
    method: fc.constantFrom(...often(12, ''), 'GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE'),
    target: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: odd }),
    route: fc.nat(40),
    values: fc.array(
      fc.constantFrom(...often(3, 'a'), ...often(3, 'b'), ...often(4, '5'), 'A', '%61', 'x.y', '%'),
      { minLength: 4, maxLength: 4 },
    ),
    end: fc.constantFrom(...often(12, ''), '/', '?q=1', '?q[r]=1', '//', '/a'),
    hasToken: fc.constantFrom(...often(8, true), false),
  })
}

const ways: Way[] = ['standalone', 'in front', 'inside', 'own among', 'own alone']

/** Random apps and requests to them. */
export function scenarioOf(
  version: Version,
  {
    odd = fc.constantFrom(...targets),
    http2 = false,
    guards = 0,
  }: {
    odd?: fc.Arbitrary<string>
    /** True to ask some of our servers by HTTP/2. */
    http2?: boolean
    /** How many of a hundred middleware are guards, beside the few that are so anyway. */
    guards?: number
  } = {},
): fc.Arbitrary<Scenario> {
  const late: fc.Arbitrary<LatePart> = fc.record({
    target: fc.nat(10),
    part: partsOf(version, 0).chain((some) =>
      // A callback of a param alone is no change of the layers.
      some[0] === undefined || some[0].kind === 'param' ? routeOf(version) : fc.constant(some[0]),
    ),
  })
  const own: fc.Arbitrary<OwnPart> = fc.record({
    place: fc.constantFrom('before' as const, 'between' as const, 'last' as const, 'after' as const),
    anchor: fc.nat(10),
    path: pathOf(version),
    method: fc.constantFrom(...methods),
    deeds: fc.array(deed, { minLength: 1, maxLength: 3 }),
  })
  return fc.record({
    way: fc.constantFrom(...ways),
    http2: http2 ? fc.boolean() : fc.constant(false),
    sensitive: fc.boolean(),
    strict: fc.boolean(),
    wrapping: fc.constantFrom<Wrapping>('none', 'none', 'tracer', 'copies'),
    parts: partsOf(version, 2, guards),
    own: fc.array(own, { minLength: 1, maxLength: 3 }),
    late: fc.array(late, { maxLength: 2 }),
    requests: fc.array(requestOf(odd), { minLength: 8, maxLength: 8 }),
  })
}

/** A route's method, and a path that is likely to reach it, with `:` for each value. */
export interface Sample {
  method: string
  path: string
}

/** Where the routes of an app are likely to be found. */
export function samplesOf(parts: readonly Part[], before = ''): Sample[] {
  return parts.flatMap((part): Sample[] => {
    if (part.kind === 'router' || part.kind === 'app') {
      return samplesOf(part.parts, before + sampleOf(part.path).replace(/\/$/, ''))
    }
    if (part.kind !== 'route') return []
    return [part.method, ...part.further.map(({ method }) => method)].map((method) => ({
      method,
      path: before + sampleOf(part.path),
    }))
  })
}

export function sampleOf(path: Path | undefined): string {
  if (path === undefined) return ''
  if (Array.isArray(path)) return sampleOf(path[0])
  if (path instanceof RegExp) return '/a'
  return path
    .replace(/\{([^}]*)\}/g, '$1')
    .replace('(a|b)', 'a')
    .replace('(\\d+)', '')
    .replace(/[?+]/, '')
    .replace(/:[xy]/g, ':')
    .replace(/^\*$/, '/*')
    .replace(/\*\w*/, 'a/b')
}

/** The request line of a request, where the routes of the app are found at `samples`. */
export function requestLine(
  { method, target, route, values, end }: RequestPart,
  samples: readonly Sample[],
): { method: string; target: string } {
  const sample = samples[route % Math.max(samples.length, 1)]
  const isAny = sample === undefined || sample.method === 'all'
  const taken = isAny ? 'GET' : sample.method.toUpperCase()
  let at = 0
  const path = (sample?.path ?? '/a').replace(/:/g, () => values[at++ % values.length]!)
  return { method: method || taken, target: target ?? (path || '/') + end }
}
