// What `check` has found, as it is told to people. What many routes have in common is told once. What few of them passed comes
// first, because that is a guard sooner than what all pass.
import type { Change, ChangeKind, CheckReport, Note, NoteCode, RouteChanges } from '../documents/check.js'
import { remedyFor } from './check-document.js'
import { changeKinds } from './check-findings.js'

/** One thing that is said of a route. */
interface Said {
  readonly kind: ChangeKind | NoteCode | 'accepted'
  readonly what: string
  readonly at: string | undefined
}

/** What is said of some routes alike. */
export interface Block {
  readonly routes: readonly RouteChanges[]
  readonly changes: readonly Change[]
  /** What is no finding. */
  readonly notes: readonly Said[]
  readonly remedy: string | undefined
  /** How much more is said of its one route in blocks of several routes. */
  readonly elsewhere: number
}

// So many routes with the same finding are told together.
const leastTogether = 4

/** Puts together what was found. */
export function blocksOf({ routes }: CheckReport): Block[] {
  const found = new Map<string, Entry>()
  const entriesOf = routes.map((route) =>
    entries(route).map((entry) => {
      // The same of a Controller and of Express has another remedy.
      const key = JSON.stringify([route.moved, route.takenOver, entry.isNote, entry.facts])
      const known = found.get(key) ?? entry
      found.set(key, known)
      known.routes.add(route)
      // Each route has its own place.
      return { own: entry, known }
    }),
  )
  const shared = new Map<string, Entry[]>()
  const numbers = new Map(routes.map((route, at) => [route, at]))
  for (const entry of found.values()) {
    if (entry.routes.size < leastTogether) continue
    const key = [...entry.routes].map((route) => numbers.get(route)).join()
    shared.set(key, [...(shared.get(key) ?? []), entry])
  }
  const single = routes.map((route, at) => {
    const isTogether = ({ routes: some }: Entry): boolean => some.size >= leastTogether
    const own = entriesOf[at]!.flatMap((entry) => (isTogether(entry.known) ? [] : [entry.own]))
    const elsewhere = new Set(entriesOf[at]!.flatMap(({ known }) => (isTogether(known) ? [known] : []))).size
    return { weight: weightOf(own), block: blockOf([route], own, elsewhere, elsewhere === 0) }
  })
  const together = [...shared.values()].map((some) => ({
    weight: weightOf(some),
    block: blockOf([...some[0]!.routes], some, 0, false),
  }))
  return [...single, ...together]
    .filter(({ block }) => block.changes.length + block.notes.length > 0)
    .sort((a, b) => a.weight - b.weight)
    .map(({ block }) => block)
}

interface Entry {
  readonly isNote: boolean
  readonly facts: string
  readonly said: Said
  readonly change?: RouteChanges['changes'][number]
  readonly routes: Set<RouteChanges>
}

function entries({ changes, notes, accepted }: RouteChanges): Entry[] {
  const routes = (): Set<RouteChanges> => new Set()
  return [
    ...changes.map((change) => ({
      isNote: false,
      facts: factsOf(change),
      said: change,
      change,
      routes: routes(),
    })),
    ...notes.map((said) => ({ isNote: true, facts: factsOf(said), said, routes: routes() })),
    ...accepted.map((one) => {
      const { kind, what, because } = one
      const said = { kind: 'accepted', what: `${kind} ${what}, because ${because}`, at: undefined } as const
      return { isNote: true, facts: JSON.stringify([factsOf(one), because]), said, routes: routes() }
    }),
  ]
}

// Where a finding stands, how far what it tells of is spread, and its texts.
const besides = new Set('route app at routes kind severity finding key what call because'.split(' '))

/** The facts of a finding that routes may have in common. */
export function factsOf(finding: Change | Note): string {
  return JSON.stringify(Object.entries(finding).filter(([name]) => !besides.has(name)))
}

function blockOf(
  routes: readonly RouteChanges[],
  some: readonly Entry[],
  elsewhere: number,
  isWhole: boolean,
): Block {
  const changes = some.flatMap(({ change }) => change ?? []).sort((a, b) => rankOf(a) - rankOf(b))
  const names = routes.map(({ method, path }) => `${method} ${path}`)
  const [first] = routes as [RouteChanges]
  return {
    routes,
    changes,
    notes: some.flatMap(({ isNote, said }) => (isNote ? [said] : [])),
    remedy: changes.length === 0 ? undefined : isWhole ? first.remedy : remedyFor(names, first, changes),
    elsewhere,
  }
}

/** How many routes passed what was lost, changed or reordered; more than any for all other findings, and for notes. */
function rankOf({ kind, routes = 0 }: RouteChanges['changes'][number]): number {
  return changeKinds[kind].isOfPassed ? routes : Number.MAX_SAFE_INTEGER - 1
}

function weightOf(some: readonly Entry[]): number {
  const ranks = some.map(({ change }) => (change === undefined ? Number.MAX_SAFE_INTEGER : rankOf(change)))
  return ranks.reduce((least, one) => Math.min(least, one), Number.MAX_SAFE_INTEGER)
}
