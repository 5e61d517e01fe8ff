// Looks, in the process of an entry, for what may stand in the way of a migration. Calls nothing of the app.
import type { Server } from 'node:net'
import type { Obstacles } from '../documents/doctor.js'
import {
  type App,
  type Handle,
  handleOf,
  isApp,
  isRouter,
  type Layer,
  routerOf,
} from 'routecontrollers/express-model'
import { closureOf, type FunctionReader } from '../inspect/functions.js'
import { type Place } from '../documents/place.js'
import type { Registrations } from '../inspect/record.js'
import type { Sources } from '../syntax/sources.js'

interface Seen {
  readonly registrations: Registrations
  /** Servers that listen. */
  readonly servers: Iterable<Server>
}

/** What there is of each kind. */
export function obstaclesIn(
  { registrations, servers }: Seen,
  functions: FunctionReader,
  sources: Sources,
): Obstacles {
  const shown = (place: Place | undefined): string | undefined => {
    const origin = place && sources.origin(place)
    return origin && `${sources.shown(origin.file)}:${origin.line + 1}`
  }
  const placeOf = (run: unknown): Place | undefined =>
    typeof run === 'function' ? functions.view(run as Handle).place : undefined
  const layers = [...layersOf(registrations.apps)]

  const wrapped = new Map<string, { by: string; layers: number; at: string | undefined }>()
  for (const layer of layers) {
    const { handle } = layer
    const own = handleOf(layer)
    // Express itself puts a function of its own before an app that is mounted.
    if (handle === own || handle.name === 'mounted_app') continue
    const place = placeOf(handle)
    const by = packageOf(place) ?? 'the project'
    const known = wrapped.get(by)
    if (known === undefined)
      wrapped.set(by, { by, layers: 1, at: by === 'the project' ? shown(place) : undefined })
    else known.layers++
  }

  return {
    node: process.version,
    wrapped: [...wrapped.values()],
    patched: patchedOf(registrations.apps, placeOf).map(({ name, place }) => ({ name, at: shown(place) })),
    late: registrations.late.map(({ frames }) => ({ at: shown(frames.find(isOfProject) ?? frames[0]) })),
    upgrades: [...servers].flatMap((server) =>
      server.listeners('upgrade').map((listener) => {
        const place = placeOf(listener)
        return { by: packageOf(place), at: isOfProject(place) ? shown(place) : undefined }
      }),
    ),
    stores: [...new Set(layers.map(handleOf).filter(isSession))].map((session) => {
      const { constructor } = (closureOf(session, 'store') ?? {}) as { constructor?: { name?: string } }
      return constructor?.name ?? 'unknown'
    }),
  }
}

/** The layers of apps, those of routes, of routers and of mounted apps too. */
function* layersOf(apps: Iterable<App>, seen = new Set<object>()): Generator<Layer> {
  const routers: { readonly stack: readonly Layer[] }[] = [...apps].flatMap((app) => routerOf(app) ?? [])
  for (let router = routers.pop(); router !== undefined; router = routers.pop()) {
    if (seen.has(router)) continue
    seen.add(router)
    for (const layer of router.stack) {
      yield layer
      if (layer.route !== undefined) routers.push(layer.route)
      const own = handleOf(layer)
      const inner = isApp(own) ? routerOf(own) : isRouter(own) ? own : undefined
      if (inner !== undefined) routers.push(inner)
    }
  }
}

/** What `express-session` makes: its store stands in its closure. */
function isSession(handle: Handle): boolean {
  return handle.name === 'session' && handle.length === 3
}

/** Members of Express's request and response that are written in another file than most of theirs are. */
function patchedOf(
  apps: Iterable<App>,
  placeOf: (run: unknown) => Place | undefined,
): { name: string; place: Place | undefined }[] {
  const found = new Map<string, { name: string; place: Place | undefined }>()
  for (const app of apps) {
    for (const of of ['request', 'response'] as const) {
      const own = (app as Partial<Record<typeof of, object>>)[of]
      const shared = own && (Object.getPrototypeOf(own) as object | null)
      if (!shared) continue
      const members = [...membersOf(shared), ...membersOf(own)].map(({ name, run }) => ({
        name,
        place: placeOf(run),
      }))
      const files = members.flatMap(({ place }) => place?.file ?? [])
      const most = mostFrequent(files)
      for (const { name, place } of members) {
        if (place === undefined || place.file === most || packageOf(place) === 'depd') continue
        const shownName = `${of}.${name}`
        found.set(shownName, { name: shownName, place })
      }
    }
  }
  return [...found.values()]
}

function membersOf(object: object): { name: string; run: unknown }[] {
  return Object.entries(Object.getOwnPropertyDescriptors(object)).flatMap(([name, descriptor]) => {
    const { get, value } = descriptor as { readonly get?: unknown; readonly value?: unknown }
    return name === 'constructor' || isApp(value) ? [] : [{ name, run: get ?? value }]
  })
}

function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}

function isOfProject(place: Place | undefined): boolean {
  return place !== undefined && packageOf(place) === undefined
}

/** The package that a place is in; undefined for the project's own. */
function packageOf(place: Place | undefined): string | undefined {
  return (
    place && /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/s.exec(place.file)?.[1]?.replace('\\', '/')
  )
}
