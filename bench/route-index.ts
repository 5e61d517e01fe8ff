/**
 * The route index beside other routers: time of one lookup, with its growth from 10 to 10 000 routes; time to build;
 * memory per route.
 *
 *     node --expose-gc --import tsx bench/route-index.ts [--reused] [--sliced] [--quick]
 *
 * Every answer is checked before anything is timed. Rounds of all contenders are interleaved, the median counts.
 * Each path is a string that nobody has hashed yet, as node:http hands them over; `--reused` looks the same strings up
 * again and again, `--sliced` cuts them from a longer one, as a path is cut from its query.
 */
import { createRequire } from 'node:module'
import { cpus } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { decodeParams } from '../src/routing/params.js'
import { parsePattern } from '../src/routing/pattern.js'
import { createRouteIndex, type RouteIndex, type RouteMatch } from '../src/routing/route-index.js'

interface BenchRoute {
  readonly method: string
  readonly path: string
}

interface Found {
  readonly target: string
  readonly params: Record<string, string>
}

interface Contender {
  readonly name: string
  /** Registers the routes, each with its path as target, and gives the lookup with what reads its result. */
  build(routes: readonly BenchRoute[]): {
    readonly find: (method: string, path: string) => unknown
    readonly read: (result: unknown) => Found | undefined
  }
}

function buildIndex(routes: readonly BenchRoute[]): RouteIndex<string> {
  return createRouteIndex(
    routes.map(({ method, path }) => ({ method, pattern: parsePattern(path), target: path })),
  )
}

const paramsOf = ({ route, values }: RouteMatch<string>) => decodeParams(route.pattern.names, values)

const ours: Contender = {
  name: 'routecontrollers',
  build(routes) {
    const index = buildIndex(routes)
    return {
      find: (method, path) => index.match(method, path),
      read: (match: any) => match && { target: match.route.target, params: paramsOf(match) },
    }
  },
}

// find-my-way gives decoded params, memoirist and rou3 give raw ones, hono their places.
const oursDecoded: Contender = {
  name: '  + decodeParams',
  build(routes) {
    const index = buildIndex(routes)
    let params: Record<string, string> = {}
    return {
      find(method, path) {
        const match = index.match(method, path)
        if (match !== undefined) params = paramsOf(match)
        return match
      },
      read: (match: any) => match && { target: match.route.target, params },
    }
  },
}

function loadRivals(): Contender[] {
  const load = createRequire(import.meta.url)
  const hono = (name: string, create: () => any): Contender => ({
    name,
    build(routes) {
      const router = create()
      for (const { method, path } of routes) router.add(method, path, path)
      return {
        find: (method, path) => router.match(method, path),
        read([[first], stash]: any) {
          if (first === undefined) return undefined
          const [target, names] = first
          const value = ([name, place]: [string, any]) => [name, stash ? stash[place] : place]
          return { target, params: Object.fromEntries(Object.entries(names ?? {}).map(value)) }
        },
      }
    },
  })
  return [
    {
      name: 'find-my-way',
      build(routes) {
        const router = load('find-my-way')()
        for (const { method, path } of routes) router.on(method, path, () => {}, path)
        return {
          find: (method, path) => router.find(method, path),
          read: (result: any) => result && { target: result.store, params: result.params },
        }
      },
    },
    {
      name: 'memoirist',
      build(routes) {
        const router = new (load('memoirist').Memoirist)()
        for (const { method, path } of routes) router.add(method, path, path)
        return {
          find: (method, path) => router.find(method, path),
          read: (result: any) => result && { target: result.store, params: result.params },
        }
      },
    },
    {
      name: 'rou3',
      build(routes) {
        const { createRouter, addRoute, findRoute } = load('rou3')
        const router = createRouter()
        for (const { method, path } of routes) addRoute(router, method, path, path)
        return {
          find: (method, path) => findRoute(router, method, path),
          read: (result: any) => result && { target: result.data, params: result.params ?? {} },
        }
      },
    },
    {
      name: 'rou3 compiled',
      build(routes) {
        const { createRouter, addRoute } = load('rou3')
        const router = createRouter()
        for (const { method, path } of routes) addRoute(router, method, path, path)
        return {
          find: load('rou3/compiler').compileRouter(router),
          read: (result: any) => result && { target: result.data, params: result.params ?? {} },
        }
      },
    },
    hono('hono RegExpRouter', () => new (load('hono/router/reg-exp-router').RegExpRouter)()),
    hono('hono TrieRouter', () => new (load('hono/router/trie-router').TrieRouter)()),
  ]
}

// A web API as it grows: more resources, each with the same few routes; three fifths of them have params.
const words = ['users', 'teams', 'carts', 'files', 'posts', 'tasks', 'rooms', 'plans', 'books', 'shops']

function routesOf(count: number): BenchRoute[] {
  const routes: BenchRoute[] = []
  for (let i = 0; routes.length < count; i++) {
    const resource = `/api/${resourceOf(i)}`
    routes.push(
      { method: 'GET', path: resource },
      { method: 'GET', path: `${resource}/:id` },
      { method: 'GET', path: `${resource}/:id/items/:item` },
      { method: 'GET', path: `${resource}/:id/items/:item/notes/:note` },
      { method: 'POST', path: resource },
    )
  }
  return routes.slice(0, count)
}

/** All names are of one length, so that what grows with the number of routes is not the length of the path. */
function resourceOf(i: number): string {
  const number = Math.floor(i / words.length)
  const letters = String.fromCharCode(0x61 + Math.floor(number / 26), 0x61 + (number % 26))
  return `${words[i % words.length]}-${letters}`
}

const kinds = ['static', 'one param', 'two params', 'three params', 'miss'] as const
type Kind = (typeof kinds)[number]

/** The i-th request of a kind to a table of so many routes, and what must be found. */
function requestOf(kind: Kind, i: number, count: number): { path: string; found: Found | undefined } {
  // Eight resources from all over the table: one would flatter a router by its caches, all would measure the memory.
  const resources = Math.floor(count / 5)
  const name = resourceOf(Math.floor(((i % 8) * (resources - 1)) / 7))
  const [id, item, note] = [String(1000 + i), `item${i}`, `n${i}`]
  const resource = `/api/${name}`
  switch (kind) {
    case 'static':
      return { path: resource, found: { target: resource, params: {} } }
    case 'one param':
      return { path: `${resource}/${id}`, found: { target: `${resource}/:id`, params: { id } } }
    case 'two params':
      return {
        path: `${resource}/${id}/items/${item}`,
        found: { target: `${resource}/:id/items/:item`, params: { id, item } },
      }
    case 'three params':
      return {
        path: `${resource}/${id}/items/${item}/notes/${note}`,
        found: { target: `${resource}/:id/items/:item/notes/:note`, params: { id, item, note } },
      }
    case 'miss':
      return { path: `${resource}/${id}/parts/${item}`, found: undefined }
  }
}

const quick = process.argv.includes('--quick')
const flavour = process.argv.includes('--reused')
  ? 'reused'
  : process.argv.includes('--sliced')
    ? 'sliced'
    : 'fresh'
const batchSize = 1024
const rounds = quick ? 15 : 151

/** A batch of paths; Buffer makes flat one-byte strings without a hash, as the HTTP parser does. */
function freshPaths(paths: readonly string[]): string[] {
  const text = paths.join('')
  const bytes = Buffer.from(text, 'latin1')
  let end = 0
  return paths.map((path) => {
    const start = end
    end += path.length
    if (flavour === 'sliced')
      return Buffer.from(`${path}?q=1`, 'latin1').toString('latin1').slice(0, path.length)
    return bytes.toString('latin1', start, end)
  })
}

function timeBatch(find: (method: string, path: string) => unknown, paths: readonly string[]): number {
  let hits = 0
  // What ran before has emptied the processor's caches, of one contender more than of another.
  for (const path of flavour === 'reused' ? paths.slice(0, 64) : freshPaths(paths.slice(0, 64))) {
    if (find('GET', path)) hits++
  }
  const start = process.hrtime.bigint()
  for (let i = 0; i < paths.length; i++) if (find('GET', paths[i] as string)) hits++
  const nanoseconds = Number(process.hrtime.bigint() - start)
  // Something must depend on the results, or the compiler may leave the lookups out.
  if (hits < 0) throw new Error('impossible')
  return nanoseconds / paths.length
}

const median = (numbers: number[]): number =>
  numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number

const sizes = [10, 100, 1_000, 10_000]
const contenders = [ours, oursDecoded, ...loadRivals()]

function check(contender: Contender, lookup: ReturnType<Contender['build']>, size: number): void {
  for (const kind of kinds) {
    for (let i = 0; i < 16; i++) {
      const { path, found } = requestOf(kind, i, size)
      const result = lookup.read(lookup.find('GET', path)) ?? undefined
      if (!isDeepStrictEqual(result && { target: result.target, params: { ...result.params } }, found)) {
        throw new Error(`${contender.name} at ${size} routes answers ${path} with ${JSON.stringify(result)}`)
      }
    }
  }
}

/** Nanoseconds per lookup: contender → kind → size. */
function timeLookups(): Map<string, Map<Kind, Map<number, number>>> {
  const lookups = contenders.map((contender) => ({
    name: contender.name,
    bySize: new Map(
      sizes.map((size) => {
        const lookup = contender.build(routesOf(size))
        check(contender, lookup, size)
        return [size, lookup.find] as const
      }),
    ),
  }))
  const results = new Map(
    lookups.map(({ name }) => [name, new Map(kinds.map((kind) => [kind, new Map<number, number>()]))]),
  )
  for (const kind of kinds) {
    const batches = sizes.map((size) =>
      Array.from({ length: batchSize }, (_, i) => requestOf(kind, i, size).path),
    )
    const times = lookups.map(() => sizes.map((): number[] => []))
    for (let round = 0; round < rounds; round++) {
      for (const [s, size] of sizes.entries()) {
        for (let l = 0; l < lookups.length; l++) {
          // Whoever goes first in a round does not always go first.
          const at = (l + round) % lookups.length
          const batch = batches[s] as string[]
          const find = lookups[at]?.bySize.get(size) as (method: string, path: string) => unknown
          times[at]?.[s]?.push(timeBatch(find, flavour === 'reused' ? batch : freshPaths(batch)))
        }
      }
    }
    for (const [l, { name }] of lookups.entries()) {
      // The first third warms up.
      for (const [s, size] of sizes.entries()) {
        results
          .get(name)
          ?.get(kind)
          ?.set(size, median((times[l]?.[s] as number[]).slice(rounds / 3)))
      }
    }
  }
  return results
}

function printLookups(results: ReturnType<typeof timeLookups>): void {
  console.log(
    `\nns per lookup (median of ${Math.ceil((rounds * 2) / 3)} rounds of ${batchSize}), ${flavour} strings;`,
  )
  console.log('in brackets: multiple of routecontrollers; growth: slowest size against 10 routes')
  for (const kind of kinds) {
    console.log(
      `\n${kind.padEnd(18)}${sizes.map((size) => String(size).padStart(16)).join('')}${'growth'.padStart(10)}`,
    )
    for (const [name, byKind] of results) {
      const cells = sizes.map((size) => {
        const own = byKind.get(kind)?.get(size) as number
        const ratio = own / (results.get(ours.name)?.get(kind)?.get(size) as number)
        return `${own.toFixed(1)} (${ratio.toFixed(2)})`.padStart(16)
      })
      const times = sizes.map((size) => byKind.get(kind)?.get(size) as number)
      const growth = Math.max(...times) / (times[0] as number)
      console.log(`${name.padEnd(18)}${cells.join('')}${growth.toFixed(2).padStart(10)}`)
    }
  }
}

/** Bytes in use, after what the last lookups and compilations left behind is gone. */
function settledHeap(): number {
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const largest = Math.max(...sizes)

/** Bytes that each contender keeps per route; measured first, and all are kept, so that nothing old goes meanwhile. */
function measureMemory(): Map<string, number> {
  const routes = routesOf(largest)
  const kept: unknown[] = []
  const bytes = contenders.map((contender): [string, number] => {
    // The first time compiles the code that builds.
    buildAndAsk(contender, routes)
    const before = settledHeap()
    kept.push(buildAndAsk(contender, routes))
    return [contender.name, (settledHeap() - before) / largest]
  })
  return kept.length > 0 ? new Map(bytes) : new Map()
}

/** Hono builds when it is first asked. */
function buildAndAsk(contender: Contender, routes: readonly BenchRoute[]): unknown {
  const lookup = contender.build(routes)
  lookup.find('GET', '/api/users-aa')
  return lookup
}

function printBuilds(memory: Map<string, number> | undefined): void {
  console.log(`\nto build ${largest} routes from text${memory ? ', and bytes per route' : ''}`)
  const routes = routesOf(largest)
  for (const contender of contenders) {
    const times = Array.from({ length: quick ? 3 : 9 }, () => {
      const start = performance.now()
      buildAndAsk(contender, routes)
      return performance.now() - start
    })
    const bytes = memory ? `${memory.get(contender.name)?.toFixed(0)} B`.padStart(10) : ''
    console.log(`${contender.name.padEnd(18)}${`${median(times).toFixed(1)} ms`.padStart(12)}${bytes}`)
  }
}

console.log(`Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}`)
// Without --expose-gc nothing can be said about memory.
const memory = globalThis.gc && measureMemory()
printLookups(timeLookups())
printBuilds(memory)
