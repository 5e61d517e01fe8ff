// What happens to random apps while they are served: their layers come, go and move, their routers and settings become others.
import fc from 'fast-check'
import { type Built, routerAt } from './build.js'
import { type Deed, type Part, partsOf, pathOf, type Version } from './parts.js'

/** One change of an app, which is the same on each copy of it. `target` and `place` count around. */
export type Change = { target: number; place: number } & (
  | { kind: 'add'; part: Part; atEnd: boolean }
  | { kind: 'remove' | 'reverse' | 'guard a layer' | 'match all' }
  | { kind: 'move' | 'match as another'; to: number }
  | { kind: 'other list'; without: boolean }
  | { kind: 'other router'; parts: Part[] }
  | { kind: 'guard a route' | 'drop a handler' }
  | { kind: 'param'; name: string }
  | { kind: 'setting'; name: string; value: unknown }
)

/** When it happens: before a request, or within it, when this many functions have been called. */
export interface TimedChange {
  request: number
  call: number | undefined
  change: Change
}

const guardDeeds: Deed[] = ['guard', 'guard', 'guard of proxies', 'guard of queries']

const settings: readonly (readonly [string, unknown])[] = [
  ['trust proxy', true],
  ['trust proxy', false],
  ['query parser', 'extended'],
  ['query parser', 'simple'],
  ['query parser', false],
  ['case sensitive routing', true],
  ['case sensitive routing', false],
  ['strict routing', true],
  ['strict routing', false],
  ['x-powered-by', false],
  ['caseSensitive', true],
  ['caseSensitive', false],
  ['strict', true],
  ['strict', false],
  ['mergeParams', true],
  ['mergeParams', false],
]

/** Changes of apps whose routes are Express's own, or those that are possible where Controllers have taken their places. */
export function changesOf(
  version: Version,
  requests: number,
  routesAreOurs: boolean,
): fc.Arbitrary<TimedChange[]> {
  const guard: fc.Arbitrary<Part> = fc.record({
    kind: fc.constant('use' as const),
    path: fc.option(pathOf(version), { nil: undefined }),
    deeds: fc.constantFrom(...guardDeeds).map((deed) => [deed]),
  })
  const other: fc.Arbitrary<Part> = partsOf(version, 1, 20).map(
    (parts) => parts[0] ?? { kind: 'use', path: undefined, deeds: ['next'] },
  )
  const kinds: { weight: number; arbitrary: fc.Arbitrary<object> }[] = [
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('add'), part: guard, atEnd: fc.constant(false) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('add'), part: other, atEnd: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constantFrom('remove', 'remove', 'reverse') }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('move'),
        to: fc.nat(8),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('other list'), without: fc.boolean() }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('other router'), parts: partsOf(version, 1, 20) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('param'), name: fc.constantFrom('x', 'y') }),
    },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(...settings)
        .map(([name, value]) => ({ kind: 'setting', name, value }) as const),
    },
  ]
  if (!routesAreOurs) {
    const kind = fc.constantFrom(
      'guard a layer',
      'guard a route',
      'guard a route',
      'drop a handler',
      'match all',
    )
    kinds.push({ weight: 3, arbitrary: fc.record({ kind }) })
    const another = fc.record({ kind: fc.constant('match as another'), to: fc.nat(8) })
    kinds.push({ weight: 1, arbitrary: another })
  }
  const change = fc
    .tuple(fc.oneof(...kinds), fc.nat(10), fc.nat(8))
    .map(([change, target, place]) => ({ ...change, target, place }) as Change)
  const timed = fc.record({
    request: fc.nat(requests - 1),
    call: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 2 }),
    change,
  })
  // What a layer is for is looked at before a request alone.
  const between = (one: TimedChange): TimedChange =>
    one.change.kind.startsWith('match') ? { ...one, call: undefined } : one
  return fc.array(timed.map(between), { minLength: 1, maxLength: 6 })
}

/** Makes a change of one copy of an app. */
export function apply(express: any, version: Version, built: Built, change: Change): void {
  const { targets, fill, maker, names } = built
  const named = (what: string): string => `${what} ${++names.count}`
  const at = targets[change.target % targets.length]!
  const { target, owner } = at
  // Version 4 prepares a request in two layers of an app, and a mounted app before them would fail.
  const prepared = routerAt(version, at)?.stack.findIndex(({ name }: any) => name === 'expressInit')
  const first = version === 4 && target === owner ? (prepared ?? -1) + 1 : 0
  if (change.kind === 'add') {
    const before = routerAt(version, at)?.stack.length
    fill(at, [change.part])
    const { stack } = routerAt(version, at) ?? {}
    if (stack === undefined || change.atEnd || before === undefined) return
    const added = stack.splice(before)
    const isAnywhere =
      change.part.kind === 'use' && !change.part.deeds.some((deed) => deed.startsWith('guard of '))
    const earliest = Math.min(isAnywhere ? 0 : first, before)
    stack.splice(earliest + (change.place % (before + 1 - earliest)), 0, ...added)
    return
  }
  if (change.kind === 'param') return target.param(change.name, maker.param('guard', named('guard param')))
  if (change.kind === 'setting') {
    if (!/^[a-z]+[A-Z]|^strict$/.test(change.name)) owner.set(change.name, change.value)
    else {
      const router = routerAt(version, at)
      if (router !== undefined) router[change.name] = change.value
    }
    return
  }
  const router = routerAt(version, at)
  if (router === undefined) return
  const { stack } = router
  if (change.kind === 'other router') {
    const inner = { target: express.Router(), owner }
    fill(inner, change.parts)
    targets.push(inner)
    const mounts = stack.filter(({ name }: any) => name === 'router' || name === 'mounted_app')
    if (mounts.length > 0 && change.place > 0) mounts[change.place % mounts.length].handle = inner.target
    else if (target === owner) {
      const root = express()
      if (version === 4) root.lazyrouter()
      fill({ target: root, owner: root }, change.parts)
      const other = version === 4 ? root._router : root.router
      if (version === 4) target._router = other
      else Object.defineProperty(target, 'router', { configurable: true, enumerable: true, get: () => other })
    }
    return
  }
  if (stack.length <= first) return
  const place = first + (change.place % (stack.length - first))
  const layer = stack[place]
  switch (change.kind) {
    case 'remove':
      return void stack.splice(place, 1)
    case 'reverse':
      return void stack.splice(first, stack.length, ...stack.slice(first).reverse())
    case 'move':
      stack.splice(place, 1)
      return void stack.splice(first + (change.to % (stack.length - first + 1)), 0, layer)
    case 'other list':
      router.stack = stack.filter((one: unknown) => !change.without || one !== layer)
      return
    case 'guard a layer': {
      const original = layer.handle
      if (original.length === 4) return
      const guard = maker.handler('guard', named('guard of a layer'))
      layer.handle = (req: unknown, res: unknown, next: (signal?: unknown) => void) =>
        guard(req, res, () => original(req, res, next))
      return
    }
    case 'match all': {
      if (layer.route !== undefined) return
      const { match } = layer
      layer.match = function (this: any, path: string): unknown {
        return match.call(this, path) || match.call(this, '/') || match.call(this, '/a')
      }
      return
    }
    case 'match as another': {
      if (layer.route !== undefined) return
      const other = stack[first + (change.to % (stack.length - first))]
      for (const name of ['regexp', 'keys', 'matchers', 'slash', 'rawPath'])
        if (name in layer) layer[name] = other[name]
      return
    }
    case 'guard a route':
    case 'drop a handler': {
      const routes = stack.filter(({ route }: any) => route !== undefined)
      const route = routes[change.place % routes.length]?.route
      if (route === undefined) return
      if (change.kind === 'drop a handler') return void (route.stack.length > 1 && route.stack.shift())
      const known = route.stack.length
      route.all(maker.handler('guard', named('guard of a route')))
      route.stack.unshift(...route.stack.splice(known))
    }
  }
}
