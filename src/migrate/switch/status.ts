// What `status()` gives: all of it can be written as JSON.
import type { Keeper } from './keeper.js'
import type { MigrationSettings } from './options.js'
import type { MigrationStatus, RouteStatus } from './schema.js'
import { noShadow, type Shadow } from './shadow.js'
import { narrowest } from './states.js'
import type { SwitchedRoute } from './switched-route.js'

interface StatusParts {
  readonly routes: readonly SwitchedRoute[]
  readonly settings: MigrationSettings
  readonly keeper: Keeper
  readonly shadow: Shadow | undefined
  readonly since: number
  readonly now: number
  readonly legacyOnly: readonly string[]
}

export function migrationStatus(parts: StatusParts): MigrationStatus {
  const { settings, keeper, shadow, since, now, legacyOnly } = parts
  const deadBefore = now - settings.deadAfterDays * 86_400_000
  const routes = parts.routes.map((route) => routeStatus(route, shadow, since, deadBefore, now))
  const native = routes.reduce((sum, one) => sum + one.native.requests, 0)
  const requests = routes.reduce((sum, one) => sum + one.legacy.requests, native)
  const set = keeper.settings()
  const unused = [...set.keys()].filter((key) =>
    routes.every(({ route }) => narrowest([key], route) === undefined),
  )
  return {
    version: 1,
    at: isoOf(now),
    since: isoOf(since),
    requests,
    nativeRequests: native,
    nativeShare: requests === 0 ? 0 : native / requests,
    routes,
    settings: Object.fromEntries([...set].map(([key, { text }]) => [key, text])),
    store: {
      name: settings.store.name,
      isAway: keeper.problem !== undefined,
      problem: keeper.problem,
      pending: keeper.pending,
      canWrite: keeper.canWrite,
      ignored: [...keeper.unreadable(), ...unused],
    },
    shadow: shadow?.status() ?? noShadow,
    dead: routes.filter(({ isDead }) => isDead).map(({ route }) => route),
    legacyOnly,
    history: keeper.history,
  }
}

function routeStatus(
  route: SwitchedRoute,
  shadow: Shadow | undefined,
  since: number,
  deadBefore: number,
  now: number,
): RouteStatus {
  const { key, controller, state, setFor, lastAsked, coolDownUntil } = route
  const lastAskedAt = lastAsked < 0 ? undefined : since + 1000 * lastAsked
  const { compared, different, dropped, noise, differences } = shadow?.ofRoute(route) ?? nothingCompared
  return {
    route: key,
    method: controller.method,
    path: controller.pattern.source,
    state: state.text,
    kind: state.kind,
    percent: state.percent,
    setFor,
    legacy: route.legacy.status(),
    native: route.native.status(),
    shadow: { compared, different, differenceRate: route.differs.rate, dropped, noise },
    differences,
    lastAskedAt: lastAskedAt === undefined ? undefined : isoOf(lastAskedAt),
    isDead: (lastAskedAt ?? since) < deadBefore,
    coolDownUntil: coolDownUntil > now ? isoOf(coolDownUntil) : undefined,
  }
}

const nothingCompared = { compared: 0, different: 0, dropped: 0, noise: [], differences: [] }

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
