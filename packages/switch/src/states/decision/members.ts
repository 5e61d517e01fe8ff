// What replicas tell one another of themselves, and which of them disagree.
import type { Clock } from '../clock.js'
import { nodeCrypto } from '../node-crypto.js'
import type { MigrationSettings } from '../options.js'
import type { ReplicaStatus } from '../schema.js'
import type { SwitchedRoute } from '../switched-route.js'

/** A change is there in less: what differs for longer is told. */
const settledMs = 3000
/** More routes with open differences are not told: a plan of them waits in the replica that has found them. */
const mostOpen = 100

/** What one replica tells. All replicas may be of other versions. */
interface Told {
  readonly appVersion?: string | undefined
  readonly stateVersion?: number | undefined
  /** Digests of its routes, and of the states that they are in. */
  readonly routes: string
  readonly states: string
  /** How many differences are open, by route. */
  readonly open: ReadonlyMap<string, number>
}

export class Members {
  readonly #settings: MigrationSettings
  readonly #clock: Clock
  #own: Told | undefined
  #others: ReadonlyMap<string, Told> = new Map()
  /** Since when a replica has been in other states. */
  #otherSince = new Map<string, number>()

  constructor(settings: MigrationSettings, clock: Clock) {
    this.#settings = settings
    this.#clock = clock
  }

  /** What this replica tells. */
  tell(
    routes: readonly SwitchedRoute[],
    stateVersion: number | undefined,
    openOf: (route: SwitchedRoute) => number,
  ): string {
    const { appVersion } = this.#settings
    const open = routes.map((route) => [route.key, openOf(route)] as const).filter(([, count]) => count > 0)
    this.#own = {
      appVersion,
      stateVersion,
      routes: digestOf(routes.map(({ key }) => key)),
      states: digestOf(routes.map(({ key, state }) => `${key} ${state.text}`)),
      open: new Map(open.slice(0, mostOpen)),
    }
    return JSON.stringify({ ...this.#own, open: Object.fromEntries(this.#own.open) })
  }

  take(members: ReadonlyMap<string, string>): void {
    const now = this.#clock.monotonic()
    const others = new Map<string, Told>()
    const otherSince = new Map<string, number>()
    for (const [name, text] of members) {
      const told = name === this.#settings.replica ? this.#own : read(text)
      if (told === undefined) continue
      others.set(name, told)
      if (isOther(told, this.#own)) otherSince.set(name, this.#otherSince.get(name) ?? now)
    }
    this.#others = others
    this.#otherSince = otherSince
  }

  /** The most that are open in one of the others. */
  openDifferences(route: string): number {
    let most = 0
    for (const [name, { open }] of this.#others)
      if (name !== this.#settings.replica) most = Math.max(most, open.get(route) ?? 0)
    return most
  }

  status(): ReplicaStatus[] {
    const settled = this.#clock.monotonic() - settledMs
    return [...this.#others]
      .map(([replica, { appVersion, stateVersion }]) => ({
        replica,
        appVersion,
        stateVersion,
        disagrees: (this.#otherSince.get(replica) ?? Infinity) <= settled,
      }))
      .sort((one, other) => (one.replica < other.replica ? -1 : 1))
  }
}

/** A replica without requests knows no states; one of another version may have other routes. */
function isOther(told: Told, own: Told | undefined): boolean {
  return own !== undefined && told.routes === own.routes && told.states !== own.states
}

function digestOf(texts: readonly string[]): string {
  return nodeCrypto()
    .createHash('sha256')
    .update([...texts].sort().join('\n'))
    .digest('base64url')
    .slice(0, 12)
}

/** Undefined for what no version of this package has told. */
function read(text: string): Told | undefined {
  try {
    const { appVersion, stateVersion, routes, states, open } = JSON.parse(text) as Record<string, unknown>
    if (typeof routes !== 'string' || typeof states !== 'string') return undefined
    const counts = Object.entries(open ?? {}).map(([key, count]) => [key, Number(count)] as const)
    return {
      appVersion: typeof appVersion === 'string' ? appVersion : undefined,
      stateVersion: typeof stateVersion === 'number' ? stateVersion : undefined,
      routes,
      states,
      open: new Map(counts),
    }
  } catch {
    return undefined
  }
}
