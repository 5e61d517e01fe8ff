// `routes.lock.json`: what each route's requests passed when you last looked at it, and which changes since then are accepted.
import type { ChangeKind, CheckReport, RouteChanges } from '../documents/check.js'
import { isOfAny } from './chosen-routes.js'
import { appPlaceOf, appsNow, hasHandler, placedRows } from '../documents/same-app.js'
import { shapeOf } from 'routecontrollers/express-model'
import { formerPasses } from '../documents/same-pass.js'
import type {
  Answerer,
  Inventory,
  Observation,
  Pass,
  RouteRow,
  RouteSettings,
} from '../documents/inventory.js'
import { changeKinds, checkFindings } from '../report/check-findings.js'
import { renamed, type Varying } from './varying-paths.js'

/** A function that a request passes, as the lock has it. Lines are for readers: they are never compared. */
export interface LockedPass {
  readonly kind: Pass['kind']
  readonly name: string
  /** Where it was registered: `src/app.js:14`. */
  readonly at?: string
  /** Where it is written: `src/auth.js:3`. */
  readonly definition?: string
  /** A hash of its syntax; of its text in version 1. */
  readonly source?: string
  /** A hash of what it reads and calls by name in the project. Versions 1 and 2 have none. */
  readonly sourceNames?: string
  /** The text of the argument that gave it, without secrets, for readers. */
  readonly argument?: string
  /** A hash of the syntax of that argument. Version 1 has none, and compares the text. */
  readonly made?: string
  /** A hash of what the names in that argument stand for. Versions 1 and 2 have none. */
  readonly madeNames?: string
  /** The path that it is mounted at, where that is not all. */
  readonly mount?: string
  /** Of a callback of `param`: the name of the param. */
  readonly param?: string
  /** Of an error handler: how many of the functions directly before it may lead to it by an error. Versions 1 to 3 have no error handlers. */
  readonly catches?: number
  readonly unverifiable?: true
}

/** A finding that a user has accepted. */
export interface Accepted {
  readonly kind?: ChangeKind
  /** What was found, for readers. */
  readonly finding: string
  /** A hash of what was found. Without one, as version 1 has written it, it accepts nothing. */
  readonly key?: string
  /** The keys of what has come to the route with it: without one of them it accepts nothing. */
  readonly with?: readonly string[]
  readonly because: string
  /** The day: `2026-11-21`. */
  readonly date: string
}

/** A request that a user has written for a route, for what can be guessed neither from its path nor from its code. */
export interface Sample {
  /** The target, `/users/7?full=1`; the witness unless given. */
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is, all else as JSON. */
  readonly body?: unknown
}

/** One route of the lock, or one function of `use` that answers or guards what no route does. */
export interface LockedRoute {
  /** A route has none. Of a mount the last of `passes` is the function itself, unless another function answers before it. */
  readonly kind?: 'mount'
  readonly method: string
  readonly path: string
  /** The number of its app, where there are several. */
  readonly app?: number
  /** A request that reaches it, `GET /users/id-1`; null where none was found. */
  readonly witness: string | null
  readonly settings: RouteSettings
  readonly params: readonly string[]
  /** Who answers the witness: a route, or the name of a middleware. */
  readonly answer: string
  readonly by: Answerer['by']
  /** Where that was registered. */
  readonly at?: string
  /** A hash of its last handler, where several routes have its method and its path, and where it `varies`. */
  readonly handler?: string
  /** Its path is another with each start: `*` stands in it for what differs. */
  readonly varies?: true
  /** Of such a route: another one answers before it. */
  readonly shadowed?: true
  readonly passes: readonly LockedPass[]
  /** The error handlers that an error of the answer leads to, in their order; missing where there are none. Versions 1 to 4 do not have them. */
  readonly errorHandlers?: readonly LockedPass[]
  readonly accepted?: readonly Accepted[]
  /** Requests that `parity` makes besides the witness. */
  readonly samples?: readonly Sample[]
}

/** The version that is written. */
export const lockVersion = 5

/** The lock, as it is written. Versions 1 to 4 are still read. */
export interface Lock {
  readonly version: 1 | 2 | 3 | 4 | typeof lockVersion
  /** Routes that are left out: `GET /account/**`. */
  readonly except?: readonly string[]
  readonly routes: readonly LockedRoute[]
}

/** What a lock is made with besides the inventory. */
export interface LockOptions {
  /** Routes that are left out; those of the lock before unless given. */
  readonly except?: readonly string[] | undefined
  /** Paths that differ between two starts; those of the lock before unless given. */
  readonly varying?: Varying | undefined
}

/**
 * The lock of an inventory. Samples of the one before stay, and a route with schemas that has none gets one that fits them. Of what was
 * accepted there, that stays which is still found; what has changed since then is not found any more, so its acceptance goes.
 */
export function createLock(inventory: Inventory, before?: Lock, options: LockOptions = {}): Lock {
  const { except = before?.except ?? [] } = options
  const varying =
    options.varying ?? (before === undefined ? new Map<RouteRow, string>() : varyingIn(before, inventory))
  const isLeftOut = isOfAny(except)
  const all = renamed(inventory, varying)
  const chosen = all.routes.flatMap((row, at) =>
    isLeftOut(inventory.routes[at]!) || isLeftOut(row)
      ? []
      : { row, varies: varying.has(inventory.routes[at]!) },
  )
  const counts = countBy(chosen.map(({ row }) => placeOf(row)))
  const rows = chosen.map(({ row, varies }): LockedRoute => {
    const { example } = row
    const locked = lockRow(row, varies, varies || counts.get(placeOf(row))! > 1)
    return example === undefined ? locked : { ...locked, samples: [example] }
  })
  const routes = before === undefined ? rows : withKept(rows, before, inventory)
  return {
    version: lockVersion,
    ...(except.length > 0 && { except }),
    routes: routes.sort(compareRoutes),
  }
}

/** Adds to rows what was written for them in the lock before. */
function withKept(rows: readonly LockedRoute[], before: Lock, inventory: Inventory): LockedRoute[] {
  const now = appsOf(before, inventory)
  const key = (row: LockedRoute, app: number): string => identityOf({ ...row, app })
  const known = groupBy(before.routes, (row) => key(row, now[row.app ?? 0] ?? 0))
  const twins = groupBy(rows, (row) => identityOf(row))
  return rows.map((row) => {
    const same = known.get(identityOf(row)) ?? []
    const own = twins.get(identityOf(row))!
    // Of several registrations of a route each keeps its own.
    const one =
      same.find(({ handler }) => handler !== undefined && handler === row.handler) ?? same[own.indexOf(row)]
    const accepted = one?.accepted?.filter(({ kind, key }) => key !== undefined && isLasting(kind))
    const { samples } = same.find((other) => other.samples !== undefined) ?? row
    return { ...row, ...(accepted?.length && { accepted }), ...(samples && { samples }) }
  })
}

/** True for what is found whatever the lock says. */
function isLasting(kind: ChangeKind | undefined): boolean {
  return Object.values(checkFindings).some((entry) => entry.lasts && entry.kind === kind)
}

/** The number that each app of a lock has in an inventory. */
function appsOf({ routes }: Lock, inventory: Inventory): readonly number[] {
  const before = routes.flatMap((row) =>
    row.witness === null ? [] : [{ app: row.app ?? 0, place: appPlaceOf(row), handler: row.handler }],
  )
  return appsNow(before, placedRows(inventory.routes), inventory.apps.length)
}

/** The rows of an inventory whose paths differ with each start, and the paths that a lock has for them. */
function varyingIn(lock: Lock, inventory: Inventory): Varying {
  const wanted = lock.routes.filter(({ varies }) => varies)
  const found = new Map<RouteRow, string>()
  if (wanted.length === 0) return found
  const now = appsOf(lock, inventory)
  const literal = new Set(
    lock.routes.flatMap((row) => (row.varies ? [] : identityOf({ ...row, app: now[row.app ?? 0] ?? 0 }))),
  )
  const keyOf = (row: LockedRoute): string => JSON.stringify([identityOf(row), row.handler])
  for (const same of groupBy(wanted, keyOf).values()) {
    const [one] = same as [LockedRoute]
    const has = pathPattern(one.path)
    const rows = inventory.routes.filter(
      (row) =>
        row.app === (now[one.app ?? 0] ?? 0) &&
        (row.kind === 'mount') === (one.kind === 'mount') &&
        row.method === one.method &&
        hasHandler(row, one.handler) &&
        has(row.path) &&
        !literal.has(identityOf(row)),
    )
    // Another route that fits the pattern must not stand for it: with one too many, none of them does.
    if (rows.length === same.length) for (const row of rows) found.set(row, one.path)
  }
  return found
}

/** Whether a path is one of a row that `varies`. */
function pathPattern(pattern: string): (path: string) => boolean {
  const texts = pattern.split('*').map((text) => text.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&'))
  const expression = new RegExp(`^${texts.join('[^/]+')}$`)
  return (path) => expression.test(path)
}

/** The rows of an app, as a lock names them. */
export interface Named {
  readonly inventory: Inventory
  /** Of each app of the lock its number in the inventory. */
  readonly apps: readonly number[]
  /** The key of each row of the inventory, where the lock has none in its place. */
  readonly keys: readonly string[]
  readonly isLeftOut: (row: { readonly method: string; readonly path: string }) => boolean
}

/** An inventory with the paths and the apps of a lock. */
export function namedAs(lock: Lock, inventory: Inventory): Named {
  const apps = appsOf(lock, inventory)
  const own = renamed(inventory, varyingIn(lock, inventory))
  const isLeftOut = isOfAny(lock.except ?? [])
  const keys = keysOfRows(own.routes.map((row) => ({ ...row, app: lockedApp(apps, row.app) })))
  return { inventory: own, apps, keys, isLeftOut }
}

/** The number that an app of the inventory has in the lock: another one for an app that this has not. */
function lockedApp(apps: readonly number[], app: number): number {
  const found = apps.indexOf(app)
  return found < 0 ? apps.length + app : found
}

/** What a row is known by: its app, its kind, its method and its path, and its number among rows that have all of them. */
export function keysOfRows(rows: readonly Parameters<typeof identityOf>[0][]): string[] {
  const counts = new Map<string, number>()
  return rows.map((row) => {
    const identity = identityOf(row)
    const number = counts.get(identity) ?? 0
    counts.set(identity, number + 1)
    return `${identity} ${number}`
  })
}

/**
 * What accepts all changes of a route that are not accepted yet. A guard that is lost is accepted for what stands in its place: when that
 * goes too, it is not accepted that nothing is left.
 */
function entriesOf(
  { changes, accepted }: RouteChanges,
  reason: Pick<Accepted, 'because' | 'date'>,
): Accepted[] {
  const brought = [...changes, ...accepted].filter(({ kind }) => changeKinds[kind].mayReplace)
  return changes.map(({ kind, finding, key }) => {
    const others = changeKinds[kind].mayBeReplaced ? brought.filter((other) => other.key !== key) : []
    return { kind, finding, key, ...(others.length > 0 && { with: others.map((one) => one.key) }), ...reason }
  })
}

/** Why a finding of a route is accepted, of which all keys are given; undefined where it is not. */
export function reasonFor(
  key: string,
  row: Pick<LockedRoute, 'accepted'> | undefined,
  keys: ReadonlySet<string>,
): string | undefined {
  const isIt = (one: Accepted): boolean =>
    one.key === key && (one.with ?? []).every((other) => keys.has(other))
  return row?.accepted?.find(isIt)?.because
}

/** A lock in which changes of some routes are accepted. A route that it has not gets its row. For an older version the inventory is a former one. */
export function accept(
  lock: Lock,
  inventory: Inventory,
  chosen: CheckReport['routes'],
  reason: Pick<Accepted, 'because' | 'date'>,
): Lock {
  const accepted = groupBy(chosen, ({ key }) => key)
  const entries = (some: readonly RouteChanges[]): Accepted[] => some.flatMap((one) => entriesOf(one, reason))
  const keys = keysOfRows(lock.routes)
  const rows = lock.routes.map((row, at) => {
    const found = accepted.get(keys[at]!)
    accepted.delete(keys[at]!)
    return found === undefined ? row : { ...row, accepted: [...(row.accepted ?? []), ...entries(found)] }
  })
  const named = namedAs(lock, inventory)
  const fresh = named.inventory.routes.flatMap((row, at): LockedRoute[] => {
    const found = accepted.get(named.keys[at]!)
    if (found === undefined) return []
    const own = lockRow(row, false, true)
    const app = lockedApp(named.apps, row.app)
    return [{ ...withApp(own, app), accepted: entries(found) }]
  })
  return { ...lock, routes: [...rows, ...fresh].sort(compareRoutes) }
}

/** A route as users write it: `GET /users`. */
export function nameOf({ method, path }: Pick<LockedRoute, 'method' | 'path'>): string {
  return `${method} ${path}`
}

function lockRow(row: RouteRow, varies: boolean, hasTwins: boolean): LockedRoute {
  const { app, kind, method, path, witness, witnessMethod, settings, params, answer, passes, own } = row
  const { errorHandlers } = row
  return {
    ...(kind === 'mount' && { kind }),
    method,
    path,
    ...(app > 0 && { app }),
    ...(varies && { varies }),
    witness: varies || witness === undefined ? null : `${witnessMethod} ${witness}`,
    settings,
    params,
    answer: answer.route ?? (answer.name || answer.by),
    by: answer.by,
    ...(answer.at !== undefined && { at: answer.at }),
    ...(hasTwins && own.source !== undefined && { handler: own.source }),
    ...(hasTwins && row.shadowed && kind === 'route' && { shadowed: true as const }),
    passes: passes.map(lockPass),
    ...(errorHandlers.length > 0 && { errorHandlers: errorHandlers.map(lockPass) }),
  }
}

function withApp({ kind, method, path, app: _app, ...row }: LockedRoute, app: number): LockedRoute {
  return { ...(kind && { kind }), method, path, ...(app > 0 && { app }), ...row }
}

function lockPass(pass: Pass): LockedPass {
  const { kind, name, at, definition, source, sourceNames, argument, made, madeNames } = pass
  const { mount, param, catches, unverifiable } = pass
  return {
    kind,
    name,
    ...(at !== undefined && { at }),
    ...(definition !== undefined && { definition }),
    ...(source !== undefined && { source }),
    ...(sourceNames !== undefined && { sourceNames }),
    ...(argument !== undefined && { argument }),
    ...(made !== undefined && { made }),
    ...(madeNames !== undefined && { madeNames }),
    ...(mount !== '/' && { mount }),
    ...(param !== undefined && { param }),
    ...(catches !== undefined && { catches }),
    ...(unverifiable && { unverifiable }),
  }
}

/** A row as a lock of an older version has it. */
export function formerRow(row: RouteRow, version: Lock['version']): RouteRow {
  const source = version === 1 ? row.own.formerSource : row.own.source
  const { behind } = row.own
  const own = { ...row.own, source, ...(behind && { behind: formerPasses(behind, version) }) }
  return { ...row, ...formerObservation(row, version), own }
}

/** What a request meets, as a lock of an older version has it. */
export function formerObservation<O extends Observation>(observation: O, version: Lock['version']): O {
  const { answer, passes } = observation
  const { behind } = answer
  const formerAnswer = behind === undefined ? answer : { ...answer, behind: formerPasses(behind, version) }
  const errorHandlers = hasErrorHandlers(version) ? observation.errorHandlers : []
  return { ...observation, answer: formerAnswer, passes: formerPasses(passes, version), errorHandlers }
}

/** True for a lock that has the error handlers behind each route. */
export function hasErrorHandlers(version: number): boolean {
  return version > 4
}

function groupBy<T>(list: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const group = groups.get(keyOf(one))
    if (group === undefined) groups.set(keyOf(one), [one])
    else group.push(one)
  }
  return groups
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** What makes two rows the same one. */
export function identityOf({
  kind,
  method,
  path,
  app = 0,
}: Pick<LockedRoute, 'method' | 'path' | 'app'> & { readonly kind?: string }): string {
  return JSON.stringify([kind === 'mount', app, method, path])
}

/** The same for rows of one method whose paths differ in nothing but the names of params and a slash at the end. */
export function placeOf({
  kind,
  method,
  path,
}: Pick<LockedRoute, 'method' | 'path'> & { readonly kind?: string }): string {
  return `${kind === 'mount' ? kind : ''} ${method} ${shapeOf(path)}`
}

function compareRoutes(a: LockedRoute, b: LockedRoute): number {
  return (a.app ?? 0) - (b.app ?? 0) || order(a.path, b.path) || order(a.method, b.method)
}

// Not by the language of the machine: the file is the same on all of them.
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The text of a lock, as it is committed. */
export function formatLock(lock: Lock): string {
  return `${JSON.stringify(lock, null, 2)}\n`
}
