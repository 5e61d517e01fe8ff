// What `status()` gives: all of it can be written as JSON.
import type { PlanStep } from '../states/automatic-changes.js'
import type { Fleet } from '../states/decision/fleet.js'
import type { Keeper } from '../stores/keeper.js'
import type { MigrationSettings } from '../states/options.js'
import type { MigrationStatus, RouteStatus, UnreadSetting } from '../states/schema.js'
import { noShadow, type Shadow } from '../shadow/shadow.js'
import { isForAny } from '../states/states.js'
import type { SwitchedRoute } from '../states/switched-route.js'

interface StatusParts {
  readonly routes: readonly SwitchedRoute[]
  readonly settings: MigrationSettings
  readonly keeper: Keeper
  readonly unread: readonly UnreadSetting[]
  readonly shadow: Shadow | undefined
  /** Since when it has counted, and now, by the clock that never goes back. */
  readonly began: number
  readonly monotonic: number
  /** Milliseconds of the day's clock. */
  readonly now: number
  /** By how much that is ahead of the other one. */
  readonly ahead: number
  readonly legacyOnly: readonly string[]
  readonly hasOneClientKey: boolean
  readonly fleet: Fleet | undefined
  readonly nextStep: (route: SwitchedRoute) => PlanStep | undefined
}

export function migrationStatus(parts: StatusParts): MigrationStatus {
  const { settings, keeper, shadow, now, legacyOnly } = parts
  const routes = parts.routes.map((route) => routeStatus(route, parts))
  const native = routes.reduce((sum, one) => sum + one.native.requests, 0)
  const requests = routes.reduce((sum, one) => sum + one.legacy.requests, native)
  const set = keeper.settings()
  const names = routes.map(({ route }) => route)
  const unused = [...set.keys()].filter((key) => !isForAny(key, names))
  return {
    version: 1,
    at: isoOf(now),
    since: isoOf(parts.began + parts.ahead),
    requests,
    nativeRequests: native,
    nativeShare: requests === 0 ? 0 : native / requests,
    routes,
    settings: Object.fromEntries([...set].map(([key, { text }]) => [key, text])),
    store: {
      name: settings.store.name,
      isAway: keeper.isAway,
      from: keeper.source ?? 'nothing',
      problem: keeper.problem,
      version: keeper.version,
      pending: keeper.pending,
      canWrite: keeper.canWrite,
      ignored: [...keeper.unreadable(), ...unused],
      unread: parts.unread,
    },
    shadow: shadow?.status() ?? noShadow,
    dead: routes.filter(({ isDead }) => isDead).map(({ route }) => route),
    legacyOnly,
    hasOneClientKey: parts.hasOneClientKey,
    fleet: parts.fleet?.status(),
    history: keeper.history,
  }
}

function routeStatus(
  route: SwitchedRoute,
  { shadow, settings, began, monotonic, ahead, fleet, nextStep }: StatusParts,
): RouteStatus {
  const { key, controller, state, setFor, heldBy, lastAsked, coolDownUntil } = route
  const askedAt = lastAsked < 0 ? undefined : began + 1000 * lastAsked
  const elsewhere = fleet?.askedAt(key)
  const times = [askedAt === undefined ? undefined : askedAt + ahead, elsewhere?.at].filter(
    (one) => one !== undefined,
  )
  // Of all replicas it is known for how long they count; of this one alone since it was started.
  const unasked = [
    ...(askedAt === undefined ? [] : [monotonic - askedAt]),
    elsewhere === undefined
      ? monotonic - (askedAt ?? began)
      : elsewhere.now - (elsewhere.at ?? elsewhere.since),
  ]
  const step = nextStep(route)
  const { differences, ...figures } = shadow?.ofRoute(route) ?? nothingCompared
  return {
    route: key,
    method: controller.method,
    path: controller.pattern.source,
    state: state.text,
    kind: state.kind,
    percent: state.percent,
    setFor,
    heldBy,
    legacy: route.legacy.status(),
    native: route.native.status(),
    shadow: { ...figures, differenceRate: route.differenceRate, asIs: asIsOf(settings) },
    differences,
    fleet: fleet?.routeStatus(route),
    rollbacks: route.rollbacks,
    lastAskedAt: times.length === 0 ? undefined : isoOf(Math.max(...times)),
    isDead: Math.min(...unasked) > settings.deadAfterDays * 86_400_000,
    plan: step && {
      next: step.state,
      notBefore: isoOf(step.notBefore + ahead),
      answers: step.answers,
      answersNeeded: step.answersNeeded,
    },
    coolDownUntil: coolDownUntil > monotonic ? isoOf(coolDownUntil + ahead) : undefined,
    paused: route.paused,
  }
}

const nothingCompared = { compared: 0, different: 0, dropped: 0, noise: [], notCopied: [], differences: [] }

function asIsOf({ shadow }: MigrationSettings): readonly string[] {
  return shadow?.asIs ?? []
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
