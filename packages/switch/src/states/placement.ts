// Which state counts for each route, also where what is set cannot be read: then a route stays where it is, and never leaves legacy for that.
import { stateKinds } from './kinds.js'
import { distanceOf } from '../../../../src/ground/closest-name.js'
import type { UnreadSetting } from './schema.js'
import { covers, overrideKey } from '../../../compare/src/route-keys.js'
import { checkState, stateAt, type State } from './states.js'

/** Where a route is. */
export interface Placed {
  /** Undefined for what it begins with. */
  readonly state: State | undefined
  /** The key that it was set for, or `'initial'`. */
  readonly setFor: string
  /** The key that cannot be read, and for which it stays where it is. */
  readonly heldBy?: string
}

/** One key, as it is set. */
interface Setting {
  readonly key: string
  readonly text: string
  /** Undefined for what is none. */
  readonly state: State | undefined
  /** The keys that it counts as: itself, or those that were probably meant; undefined where that may be any. */
  readonly names: readonly string[] | undefined
  readonly isMisnamed: boolean
}

/** To compare more names than that letter by letter would hold requests up. */
const mostCompared = 2000
const longestCompared = 200
const mostShown = 200
const legacy = checkState('', 'legacy')

export class Placement {
  #settings: readonly Setting[] = []
  #own = new Ranking()
  #misnamed = new Ranking()
  /** Of the routes that were known when something was set. */
  #placed: ReadonlyMap<string, Placed> = new Map()
  #unread: readonly UnreadSetting[] = []

  /** Takes what is set now. */
  take(states: Readonly<Record<string, string>>, routes: readonly string[]): void {
    const names = new Names(routes)
    const [settings, own, misnamed] = [[] as Setting[], new Ranking(), new Ranking()]
    for (const [key, text] of Object.entries(states)) {
      const state = stateAt(key, text)
      const isMisnamed = !names.has(key)
      const setting = { key, text, state, names: isMisnamed ? names.meantBy(key) : [key], isMisnamed }
      settings.push(setting)
      // Where a wider state does not lead its route to the Controller, this one does not either.
      if (isMisnamed && state !== undefined && stateKinds[state.kind].answers === 'native') continue
      ;(isMisnamed ? misnamed : own).add(setting)
    }
    this.#settings = settings
    this.#own = own
    this.#misnamed = misnamed
    // Before they are noted: each is held where it was.
    this.#placed = new Map(routes.map((route) => [route, this.of(route)]))
    this.#unread = this.#findUnread()
  }

  of(route: string): Placed {
    const own = this.#own.of(route)
    const holding = this.#holding(route, own)
    if (holding !== undefined) {
      const before = this.#placed.get(route) ?? { state: legacy, setFor: holding.key }
      return { state: before.state, setFor: before.setFor, heldBy: holding.key }
    }
    if (own === undefined) return { state: undefined, setFor: 'initial' }
    return { state: own.setting.state, setFor: own.setting.key }
  }

  /** The setting for which a route stays where it is. */
  #holding(route: string, own: Ranked | undefined): Setting | undefined {
    if (own !== undefined && own.setting.state === undefined) return own.setting
    // Where legacy answers in any case, nothing can be lost.
    if (own?.setting.state?.percent === 0) return undefined
    const misnamed = this.#misnamed.of(route)
    // Where the right key is there as well, that one counts.
    const isNarrower = misnamed !== undefined && misnamed.rank > (own?.rank ?? -1)
    return isNarrower ? misnamed.setting : undefined
  }

  /** What is set and has no meaning. */
  unread(): readonly UnreadSetting[] {
    return this.#unread
  }

  #findUnread(): UnreadSetting[] {
    const held = new Map<string, string[]>()
    for (const [route, { heldBy }] of this.#placed) {
      if (heldBy === undefined) continue
      const routes = held.get(heldBy)
      if (routes === undefined) held.set(heldBy, [route])
      else routes.push(route)
    }
    return this.#settings.flatMap(({ key, text, state, names, isMisnamed }): UnreadSetting[] => {
      const shown = { key: clipped(key), state: clipped(text), routes: held.get(key) ?? [] }
      if (isMisnamed) return [{ ...shown, what: 'key', meant: names?.[0] }]
      return state === undefined ? [{ ...shown, what: 'state', meant: undefined }] : []
    })
  }
}

interface Ranked {
  readonly setting: Setting
  /** How narrow it is for a route. */
  readonly rank: number
}

/** Settings, of which the narrowest counts. */
class Ranking {
  readonly #ofRoutes = new Map<string, Setting>()
  readonly #wide: (Ranked & { readonly name: string })[] = []

  add(setting: Setting): void {
    const { names, state, isMisnamed } = setting
    // It may mean any route that has no narrower one. A text that is no state, at what is no key, is a comment.
    const isAny = isMisnamed && (names === undefined || names.includes('*'))
    if (isAny && state === undefined) return
    for (const name of isAny ? ['*'] : names!) {
      if (name === '*') this.#wide.push({ name, setting, rank: isAny ? 0.5 : 0 })
      else if (name.startsWith('/')) this.#wide.push({ name, setting, rank: name.length })
      else if (!this.#ofRoutes.has(name)) this.#ofRoutes.set(name, setting)
    }
  }

  of(route: string): Ranked | undefined {
    const own = this.#ofRoutes.get(overrideKey) ?? this.#ofRoutes.get(route)
    if (own !== undefined) return { setting: own, rank: Number.MAX_SAFE_INTEGER }
    let best: Ranked | undefined
    for (const one of this.#wide) if (one.rank > (best?.rank ?? -1) && covers(one.name, route)) best = one
    return best
  }
}

/** The keys that there can be, to find which one was meant. */
class Names {
  readonly #all = new Set(['*', overrideKey])
  readonly #byBare = new Map<string, Set<string>>()
  readonly #byPath = new Map<string, Set<string>>()
  #compared = 0

  constructor(routes: readonly string[]) {
    add(this.#byBare, bareOf('*'), '*')
    for (const route of routes) {
      const path = route.slice(route.indexOf(' ') + 1)
      this.#all.add(route)
      add(this.#byBare, bareOf(route), route)
      add(this.#byPath, bareOf(path), route)
      for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
        const group = path.slice(0, end)
        this.#all.add(group)
        add(this.#byBare, bareOf(group), group)
      }
    }
  }

  /** True for a route, a group of routes and `'*'`. */
  has(key: string): boolean {
    if (this.#all.has(key)) return true
    return isKey(key) && key.startsWith('/') && (key === '/' || this.#all.has(key.replace(/\/+$/, '')))
  }

  /** The keys that another one probably means, which is for no route; undefined where that may be any. */
  meantBy(key: string): readonly string[] | undefined {
    const bare = bareOf(clipped(key))
    const slash = bare.indexOf('/')
    // Another method of a path; or all methods below it, which is not said with one.
    const path = slash < 0 ? undefined : bare.slice(slash)
    const same =
      this.#byBare.get(bare) ??
      (path === undefined ? undefined : (this.#byPath.get(path) ?? this.#byBare.get(path))) ??
      this.#closest(bare)
    if (same !== undefined) return [...same]
    return isKey(key) ? [] : undefined
  }

  #closest(bare: string): ReadonlySet<string> | undefined {
    if (bare.length > longestCompared) return undefined
    // So few letters are a slip of the pen.
    let least = Math.min(2, Math.round(bare.length / 2.5)) + 1
    let found: ReadonlySet<string> | undefined
    for (const [name, keys] of this.#byBare) {
      if (Math.abs(name.length - bare.length) >= least) continue
      if (++this.#compared > mostCompared) break
      const distance = distanceOf(bare, name)
      if (distance < least) [found, least] = [keys, distance]
    }
    return found
  }
}

function add(all: Map<string, Set<string>>, key: string, name: string): void {
  const names = all.get(key)
  if (names === undefined) all.set(key, new Set([name]))
  else names.add(name)
}

function isKey(key: string): boolean {
  return key === '*' || /^(?:[^\s/]+ )?\/(?!\/)/.test(key)
}

/** A key without what is mistyped most: its case, spaces, quotes, slashes and stars at its end, and the names of its params. */
function bareOf(key: string): string {
  return key
    .toLowerCase()
    .replace(/[\s"'`]+/g, '')
    .replace(/:\w+/g, ':')
    .replace(/\/{2,}/g, '/')
    .replace(/[/*]+$/, '')
}

function clipped(text: string): string {
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text
}
