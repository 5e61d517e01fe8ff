// Compares a lock with an app as it is now: who would answer each witness, and past what.
import type {
  CheckCode,
  CheckFacts,
  CheckReport,
  ComparedPass,
  KeyedFinding,
  NoteFinding,
  RouteFindings,
} from '../documents/check.js'
import type { FindingOf } from '../documents/finding.js'
import type { Inventory, Observation, RouteRow } from '../documents/inventory.js'
import {
  formerObservation,
  formerRow,
  hasErrorHandlers,
  identityOf,
  keysOfRows,
  type Lock,
  type LockedRoute,
  lockVersion,
  type Named,
  namedAs,
  placeOf,
  reasonFor,
} from './lock.js'
import type { Asked, AskedMount, Question } from '../documents/child.js'
import { isSameAnswer, shapeOf } from 'routecontrollers/express-model'
import { appPlaceOf, handlersOf, hasHandler } from '../documents/same-app.js'
import {
  fileIn,
  formerPasses,
  howChanged,
  isErrorHandler,
  keyOf,
  Known,
  type Passing,
  toldPass,
  withoutNames,
} from '../documents/same-pass.js'
import { answererText, noGuardText, placed } from '../report/answerer-text.js'
import { toldRoute } from '../report/check-document.js'
import { checkFindings } from '../report/check-findings.js'
import { hashOf } from '../syntax/syntax.js'
import { isNarrowed } from './narrowed.js'

/** The requests of a lock. */
export function questionOf(lock: Lock): Question {
  const registered = new Map<string, number>()
  return lock.routes.flatMap((row): Asked[] => {
    const { app = 0, method, path, witness, answer, handler } = row
    if (witness === null) return []
    const space = witness.indexOf(' ')
    const mount = askedMount(row)
    const number = registered.get(identityOf(row)) ?? 0
    registered.set(identityOf(row), number + 1)
    const place = { place: appPlaceOf(row), ...(handler !== undefined && { handler }) }
    const asked = { app, place, method: witness.slice(0, space), witness: witness.slice(space + 1), answer }
    if (mount !== undefined) return [{ ...asked, mount: { ...mount, version: lock.version } }]
    return [answer === `${method} ${path}` && number > 0 ? { ...asked, number } : asked]
  })
}

/** The function that the row of a mount is of; undefined for a route, and where another function answers before. */
function askedMount({ kind, path, answer, passes }: LockedRoute): Omit<AskedMount, 'version'> | undefined {
  const own = passes.at(-1)
  if (kind !== 'mount' || answer !== `* ${path}` || own === undefined) return undefined
  const isEqual = (pass: Passing): boolean =>
    keyOf({ ...pass, source: own.source, sourceNames: own.sourceNames }) === keyOf(own) &&
    pass.mount === own.mount
  return { path, own, number: passes.filter(isEqual).length - 1 }
}

/** An inventory as a lock of an older version knows it. */
export function knownTo({ version }: Lock, inventory: Inventory): Inventory {
  if (version === lockVersion) return inventory
  return { ...inventory, routes: inventory.routes.map((row) => formerRow(row, version)) }
}

/** Compares a lock with an inventory, and with what the lock's requests meet in the same app. */
export function compare(given: Lock, read: Inventory, observations: readonly Observation[]): CheckReport {
  const { version } = given
  const lock = { ...given, routes: given.routes.map((row) => withFormerPasses(row, version)) }
  const observed = observations.map((one) => formerObservation(one, version))
  const named = namedAs(lock, knownTo(lock, read))
  const context = new Context(lock, named, observed)
  let asked = 0
  const keys = keysOfRows(lock.routes)
  const known = lock.routes.map((row, at) => {
    if (isUnreached(row)) return context.unreached(row, keys[at]!)
    return context.row(row, keys[at]!, row.varies ? context.rowOf(row) : observed[asked++])
  })
  const { routes: rows } = named.inventory
  const added = rows.flatMap((row, at) => (context.isNew(row) ? context.added(row, named.keys[at]!) : []))
  const routes = [...known, ...added, ...context.loose()].filter(
    ({ changes, notes, accepted }) => changes.length + notes.length + accepted.length > 0,
  )
  const mounts = lock.routes.filter(({ kind }) => kind === 'mount').length
  const unreached = lock.routes.filter(isUnreached).length
  const byPosition = hasUnreached(version) ? unreached : 0
  return {
    version: 1,
    ok: routes.every(({ changes }) => changes.length === 0),
    checked: lock.routes.length - mounts - unreached,
    byPosition,
    notCompared: unreached - byPosition,
    mounts,
    apps: read.apps.length,
    except: rows.filter(named.isLeftOut).length,
    routes: routes.map(toldRoute),
  }
}

/** True for a lock that has what stands before routes which no request is known for. */
function hasUnreached(version: number): boolean {
  return version > 2
}

/** True for a row that no request is known for. */
function isUnreached({ witness, varies }: LockedRoute): boolean {
  return witness === null && !varies
}

function withFormerPasses(row: LockedRoute, version: Lock['version']): LockedRoute {
  return { ...row, passes: formerPasses(row.passes, version) }
}

/** The facts of a finding, where it stands, and what its key is made of: more than is told, and no text. */
type Found = FindingOf<CheckFacts> & {
  readonly at: string | undefined
  readonly data: readonly unknown[]
  /** What its key was made of before this version: locks have such keys. */
  readonly formerData?: readonly unknown[]
}

/** The key names the row too: what is accepted there accepts nothing where it is copied to another row. */
function acceptanceKey(row: string, code: CheckCode, data: readonly unknown[]): string {
  return hashOf(JSON.stringify([row, checkFindings[code].kind, ...data]))
}

/** Numbers equal functions: to accept the loss of one is not to accept that of two. */
function numbered(): (pass: Passing) => readonly [key: string, number: number] {
  const counts = new Map<string, number>()
  return (pass) => {
    const key = keyOf(pass)
    const number = counts.get(key) ?? 0
    counts.set(key, number + 1)
    return [key, number]
  }
}

/** All that is compared of a row. */
function allOf({
  passes,
  errorHandlers = [],
}: {
  readonly passes: readonly Passing[]
  readonly errorHandlers?: readonly Passing[]
}): readonly Passing[] {
  return [...passes, ...errorHandlers]
}

const placeOfPass = (pass: Passing): string | undefined => pass.at ?? pass.definition

/** What has become of functions. */
interface Paired {
  /** Places of equal ones, in their order. */
  readonly matches: readonly (readonly [number, number])[]
  readonly lost: readonly Passing[]
  readonly gained: readonly Passing[]
  /** What each function that is there was before: of equal ones alone, and of changed ones too. */
  readonly stayed: ReadonlyMap<Passing, Passing>
  readonly partners: ReadonlyMap<Passing, Passing>
  /** Of a function that is not at its place. */
  readonly isNow: (pass: Passing) => ComparedPass['is']
}

class Context {
  readonly #version: number
  readonly #routes: readonly LockedRoute[]
  readonly #named: Named
  readonly #known: Known
  /** How many routes of the lock pass a function. */
  readonly #spread = new Map<string, number>()
  /** Rows by their app now and their place. */
  readonly #locked = new Map<string, LockedRoute[]>()
  readonly #rows = new Map<string, RouteRow[]>()
  /** The methods of the lock, by the shape of their paths. */
  readonly #methods = new Map<string, Set<string>>()

  constructor(lock: Lock, named: Named, observed: readonly Observation[]) {
    this.#version = lock.version
    this.#routes = lock.routes
    this.#named = named
    const { routes } = named.inventory
    this.#known = new Known(lock.routes.flatMap(allOf), [...routes, ...observed].flatMap(allOf))
    for (const row of routes) addTo(this.#rows, `${row.app} ${placeOf(row)}`, row)
    for (const row of lock.routes) {
      addTo(this.#locked, this.#placeOf(row), row)
      const shape = shapeOf(row.path)
      this.#methods.set(shape, (this.#methods.get(shape) ?? new Set()).add(row.method))
      for (const key of new Set(allOf(row).map(keyOf))) {
        this.#spread.set(key, (this.#spread.get(key) ?? 0) + 1)
      }
    }
  }

  /** The number of the app of a row of the lock, as it is now. */
  #appOf({ app = 0 }: LockedRoute): number {
    return this.#named.apps[app] ?? 0
  }

  #placeOf(row: LockedRoute): string {
    return `${this.#appOf(row)} ${placeOf(row)}`
  }

  /** The rows of the app that stand where one of the lock does. */
  #rowsAt(row: LockedRoute): readonly RouteRow[] {
    return this.#rows.get(this.#placeOf(row)) ?? []
  }

  /** The row of the app that a row of the lock is, which no request could be kept for. */
  rowOf(row: LockedRoute): RouteRow | undefined {
    const isIt = (one: RouteRow): boolean => one.path === row.path && hasHandler(one, row.handler)
    const twins = this.#locked.get(this.#placeOf(row))!.filter(({ handler }) => handler === row.handler)
    return this.#rowsAt(row).filter(isIt)[twins.indexOf(row)]
  }

  /** What has become of a row of the lock that no request is known for: its guards are compared by where they stand. */
  unreached(before: LockedRoute, key: string): RouteFindings {
    const rows = this.#rowsAt(before)
    const now = rows[this.#locked.get(this.#placeOf(before))!.indexOf(before)]
    // What a lock of an older version has of it says nothing.
    const isKnown = hasUnreached(this.#version) || now?.witness !== undefined
    if (now === undefined && hasUnreached(this.#version)) {
      // Others of its registrations may still be there.
      const found: Found = { code: 'gone', instead: undefined, at: undefined, data: [] }
      return this.#settleRow(before, key, undefined, [found], [])
    }
    if (now === undefined || !isKnown) return this.row(before, key, undefined)
    if (now.witness === undefined && now.own.by === 'Controller') {
      const found: Found = { code: 'unverifiable-route', at: now.own.at, data: [] }
      return this.#settleRow(before, key, now, [found], [])
    }
    const found: Found[] = []
    const notes: NoteFinding[] = []
    const passes = this.#comparePasses(before, before.passes, now, found, notes)
    // Which other forms of its path reach it cannot be told.
    const { strict, caseSensitive } = before.settings
    const settings = { ...now.settings, strict, caseSensitive }
    this.#compareSettings(before, { ...now, settings, params: before.params }, found)
    this.#compareErrorHandlers(before, now, found, notes)
    return this.#settleRow(before, key, now, found, notes, passes)
  }

  row(before: LockedRoute, key: string, now: Observation | undefined): RouteFindings {
    const found: Found[] = []
    const notes: NoteFinding[] = []
    let passes: readonly ComparedPass[] = []
    const rows = this.#rowsAt(before)
    if (now === undefined) {
      // What it passes is unknown: that it is there is all there is to compare.
      if (rows.length === 0 || before.varies) {
        found.push({ code: 'gone', instead: undefined, at: undefined, data: [] })
      }
    } else {
      const respelled = rows.find((row) => isOtherSlash(before, row, now))
      if (respelled !== undefined) {
        const { path, own } = respelled
        found.push({ code: 'spelling', path, at: own.at, data: [path] })
      }
      passes = this.#compareRow(before, now, rows, found, notes)
      this.#compareTwins(before, rows, found)
    }
    return this.#settleRow(before, key, now, found, notes, passes)
  }

  #settleRow(
    before: LockedRoute,
    key: string,
    now: Observation | undefined,
    found: readonly Found[],
    notes: readonly NoteFinding[],
    passes: readonly ComparedPass[] = [],
  ): RouteFindings {
    const { method, path } = before
    const who = before.answer === `${method} ${path}` ? before.by : before.answer
    const was = placed(who, before.at)
    const answer = now === undefined ? 'unknown' : answererText(now.answer)
    const moved = now?.answer.by === 'Controller'
    const takenOver = now?.answer.takenOver === true
    const at = now?.answer.at
    const told = {
      key,
      app: this.#appOf(before),
      method,
      path,
      answer,
      was,
      at,
      passes,
      moved,
      takenOver,
      notes,
    }
    return settle(before, told, found)
  }

  #compareRow(
    before: LockedRoute,
    now: Observation,
    rows: readonly RouteRow[],
    changes: Found[],
    notes: NoteFinding[],
  ): readonly ComparedPass[] {
    const { answer } = now
    const expected = before.answer
    const found = answer.route ?? (answer.name || answer.by)
    const isMount = askedMount(before) !== undefined
    const isFound = isSameAnswer(expected, found)
    // A guard of its own, which need not be the one to answer.
    const isGuard = isMount && before.by === 'middleware'
    let isRespelled = false
    if (!isFound && !isGuard) {
      const isStill = rows.length > 0
      if (answer.by === 'nobody' || (answer.by === 'middleware' && !isStill)) {
        const { by, name, at } = answer
        changes.push({ code: 'gone', instead: { by, name, at }, at, data: [by, found] })
        return []
      }
      if (isStill || this.#knows(found) || answer.by !== 'Controller') {
        const code = answer.by === 'middleware' ? 'unreachable' : 'shadowed'
        // A middleware has no path that would tell it from others of its name.
        const data = code === 'unreachable' ? [found, answer.source] : [found, answer.by]
        changes.push({ code, by: found, at: answer.at, data })
      } else {
        isRespelled = true
        notes.push({ code: 'respelled', as: found, at: answer.at })
      }
    }
    const isMoved = answer.by === 'Controller' && !answer.takenOver
    const isOther = isMount && !isGuard && (isMoved || !isFound)
    const passed = isOther ? before.passes.slice(0, -1) : before.passes
    const passes = this.#comparePasses(before, passed, now, changes, notes)
    if (isFound || !isGuard) this.#compareSettings(before, now, changes)
    // Those of what answers in its place say nothing of it.
    if (isFound || isRespelled) this.#compareErrorHandlers(before, now, changes, notes)
    const twin = isMoved ? this.#copyOf(before, rows) : undefined
    if (twin !== undefined) {
      changes.push({ code: 'twice', at: twin.own.at, data: [rows.length] })
    }
    return passes
  }

  /** What is still in the app of a route that was moved. Other registrations of its method and path may stay there. */
  #copyOf(before: LockedRoute, rows: readonly RouteRow[]): RouteRow | undefined {
    const inApp = rows.filter(({ own }) => own.by === 'Express')
    const twins = this.#locked.get(this.#placeOf(before))!
    return rows.length > twins.length ? inApp[0] : undefined
  }

  /** Of several routes of one method and one path the first one answers: another one must not overtake it. */
  #compareTwins(before: LockedRoute, rows: readonly RouteRow[], changes: Found[]): void {
    const { handler, path, shadowed } = before
    if (handler === undefined || shadowed) return
    const twins = this.#locked.get(this.#placeOf(before))!
    const place = twins.indexOf(before)
    const behind = twins
      .filter((twin, number) => (twin.path === path ? number > place : hasStoodBehind(twin, handler)))
      .map((row) => row.handler)
    const at = rows.findIndex((row) => hasHandler(row, handler))
    const overtaking = rows
      .slice(0, at + 1)
      .find((row) => !hasHandler(row, handler) && handlersOf(row).some((one) => behind.includes(one)))
    if (overtaking === undefined) return
    const { name, source, at: registeredAt } = overtaking.own
    const data = ['handlers', handler, source]
    changes.push({ code: 'reordered-handlers', handler: name, at: registeredAt, data })
  }

  /** True for a route of the lock, or for one of all methods in the place of one. */
  #knows(found: string): boolean {
    const [method, ...path] = found.split(' ')
    const methods = path.length === 0 ? undefined : this.#methods.get(shapeOf(path.join(' ')))
    return methods !== undefined && (method === '*' || methods.has(method!))
  }

  #comparePasses(
    row: LockedRoute,
    before: readonly Passing[],
    { passes, answer }: Observation,
    changes: Found[],
    notes: NoteFinding[],
  ): readonly ComparedPass[] {
    const now: readonly Passing[] = passes
    const isChanged = (was: Passing, is: Passing): boolean =>
      was.name === '<anonymous>' ? is.source === was.source || isOfSameCall(was, is) : is.name === was.name
    const pairs = this.#pair(before, now, changes, notes, isChanged)
    const { matches, lost, gained, stayed: partners, partners: all, isNow } = pairs
    const numberOfLost = numbered()
    const numberOfGained = numbered()
    for (const pass of lost) {
      const { kind: step, mount, name } = pass
      // What it got goes to the next one, which is found below, or to who answers errors.
      if (isErrorHandler(pass)) {
        notes.push({ code: 'removed', name, at: placeOfPass(pass) })
        continue
      }
      const isBehind = answer.behind?.some((one) => keyOf(one) === keyOf(pass))
      const native = isBehind ? { native: answer.name } : {}
      const list = answer.mount === undefined ? {} : { list: answer.mount }
      const facts = { pass: toldPass(pass), step, mount, routes: this.#spreadOf(pass), ...native, ...list }
      // To accept that one stands behind is not to accept that it goes: at legacy it is passed.
      const data = [...numberOfLost(pass), ...(isBehind ? ['behind'] : [])]
      changes.push({ code: 'lost', ...facts, at: placeOfPass(pass), data })
    }
    const numberOfNarrowed = numbered()
    for (const [is, was] of partners) {
      if (isErrorHandler(is) || !isNarrowed(row, was.mount, is.mount)) continue
      const mounts = { was: was.mount ?? '/', is: is.mount ?? '/' }
      const facts = { pass: toldPass(is), ...mounts, routes: this.#spreadOf(was) }
      const data = ['narrowed', ...numberOfNarrowed(was), mounts.was, mounts.is]
      changes.push({ code: 'narrowed', ...facts, at: placeOfPass(is), data })
    }
    for (const pass of gained) {
      if (isErrorHandler(pass)) continue
      // Before a guard it is not what it is behind that.
      const last = now.slice(0, now.indexOf(pass)).findLast((one) => partners.has(one))
      const behind = last && keyOf(partners.get(last)!)
      const data = [...numberOfGained(pass), behind]
      changes.push({ code: 'gained', pass: toldPass(pass), at: placeOfPass(pass), data })
    }
    const numberOfHandler = numbered()
    for (const { handler, of } of letOn(before, now, all)) {
      const data = [...numberOfHandler(handler), of.map((pass) => keyOf(all.get(pass) ?? pass))]
      const facts = { pass: toldPass(handler), of: of.map(toldPass) }
      changes.push({ code: 'let-on', ...facts, at: placeOfPass(handler), data })
    }
    changes.push(...unverifiableOf(now))
    // What is lost stands where it stood: between what was before it and what was behind it.
    const ends: readonly (readonly [number, number])[] = [...matches, [before.length, now.length]]
    return ends.flatMap(([a, b], number) => {
      const [lastA, lastB] = ends[number - 1] ?? [-1, -1]
      const gone = before.slice(lastA + 1, a).filter((pass) => lost.includes(pass))
      return [
        ...gone.map((pass) => toldNow('lost', pass)),
        ...now.slice(lastB + 1, b).map((pass) => toldNow(isNow(pass), pass)),
        ...now.slice(b, b + 1).map((pass) => toldNow('same', pass)),
      ]
    })
  }

  /** The error handlers behind a route: one that is lost leaves its errors to the next one, or to Express. */
  #compareErrorHandlers(
    { errorHandlers: before = [] }: LockedRoute,
    { errorHandlers: now, answer }: Observation,
    changes: Found[],
    notes: NoteFinding[],
  ): void {
    if (!hasErrorHandlers(this.#version)) return
    const place = ['behind the route']
    const isChanged = (was: Passing, is: Passing): boolean => is.name === was.name
    const { lost, gained } = this.#pair(before, now, changes, notes, isChanged, place)
    const numberOfLost = numbered()
    for (const pass of lost) {
      const { mount } = pass
      const list = answer.mount === undefined ? {} : { list: answer.mount }
      const facts = {
        pass: toldPass(pass),
        step: 'error',
        mount,
        routes: this.#spreadOf(pass),
        ...list,
      } as const
      changes.push({ code: 'lost', ...facts, at: placeOfPass(pass), data: [...place, ...numberOfLost(pass)] })
    }
    for (const pass of gained) notes.push({ code: 'added', name: pass.name, at: placeOfPass(pass) })
    changes.push(...unverifiableOf(now, place))
  }

  #spreadOf(pass: Passing): number {
    return this.#spread.get(keyOf(pass)) ?? 0
  }

  /** Pairs what stays, and tells what has changed, or stands in another place. `place` is part of the keys of what is found. */
  #pair(
    before: readonly Passing[],
    now: readonly Passing[],
    changes: Found[],
    notes: NoteFinding[],
    isChanged: (was: Passing, is: Passing) => boolean,
    place: readonly string[] = [],
  ): Paired {
    const sameness = (was: Passing, is: Passing): ReturnType<Known['sameness']> =>
      this.#known.sameness(was, is)
    const matches = align(before, now, (a, b) => sameness(a, b) !== undefined)
    for (const [a, b] of matches) {
      const how = sameness(before[a]!, now[b]!)
      const { name, definition } = now[b]!
      if (how === 'moved') {
        notes.push({ code: how, name, from: fileIn(before[a]!.definition), at: definition })
      }
      if (how === 'updated') notes.push({ code: how, name, at: fileIn(definition) })
    }
    const [still, stay] = [new Set(matches.map(([a]) => a)), new Set(matches.map(([, b]) => b))]
    const changedTo = new Set<Passing>()
    const lost = before.filter((_pass, at) => !still.has(at))
    const gained = now.filter((_pass, at) => !stay.has(at))
    /** Takes pairs out of what was lost and gained. */
    const pair = (
      isPair: (was: Passing, is: Passing) => boolean,
      say: (was: Passing, is: Passing) => void,
    ): void => {
      for (const was of [...lost]) {
        const at = gained.findIndex((is) => isPair(was, is))
        if (at < 0) continue
        lost.splice(lost.indexOf(was), 1)
        say(was, gained.splice(at, 1)[0]!)
      }
    }
    const moved: [was: Passing, is: Passing][] = []
    pair(
      (was, is) => sameness(was, is) !== undefined,
      (was, is) => void moved.push([was, is]),
    )
    // An order is accepted as a whole: to accept it is not to accept the next one.
    const partners = new Map([
      ...matches.map(([a, b]) => [now[b]!, before[a]!] as const),
      ...moved.map(([was, is]) => [is, was] as const),
    ])
    const order = now.flatMap((pass) => (partners.has(pass) ? keyOf(partners.get(pass)!) : []))
    for (const [was, is] of moved) {
      const facts = { pass: toldPass(is), ...overtaken(before, now, was, is), routes: this.#spreadOf(was) }
      changes.push({ code: 'reordered', ...facts, at: is.at, data: [...place, keyOf(was), order] })
    }
    const numberOfChange = numbered()
    const all = new Map(partners)
    pair(
      (was, is) =>
        isErrorHandler(is) === isErrorHandler(was) &&
        fileIn(is.definition) === fileIn(was.definition) &&
        isChanged(was, is),
      (was, is) => {
        all.set(is, was)
        changedTo.add(is)
        const facts = { was: toldPass(was), pass: toldPass(is), how: howChanged(was, is) }
        const data = [...place, keyOf(was), was.unverifiable, ...numberOfChange(is)]
        changes.push({ code: 'changed', ...facts, routes: this.#spreadOf(was), at: is.at, data })
      },
    )
    const reordered = new Set(moved.map(([, is]) => is))
    const isNow = (pass: Passing): ComparedPass['is'] =>
      reordered.has(pass) ? 'reordered' : changedTo.has(pass) ? 'changed' : 'gained'
    return { matches, lost, gained, stayed: partners, partners: all, isNow }
  }

  #compareSettings(before: LockedRoute, now: Observation, changes: Found[]): void {
    const lost = before.params.filter((name) => !now.params.includes(name))
    const gained = now.params.filter((name) => !before.params.includes(name))
    if (lost.length + gained.length > 0) {
      changes.push({ code: 'params', lost, gained, at: undefined, data: [lost, gained] })
    }
    const { strict, caseSensitive, trustProxy } = before.settings
    const { strict: isStrict, caseSensitive: isCaseSensitive, trustProxy: trusted } = now.settings
    const at = undefined
    if (strict !== isStrict) {
      changes.push({ code: 'strict', was: strict, is: isStrict, at, data: ['strict', strict] })
    }
    if (caseSensitive !== isCaseSensitive) {
      const data = ['case', caseSensitive]
      changes.push({ code: 'case-sensitive', was: caseSensitive, is: isCaseSensitive, at, data })
    }
    const hasAppsTrust = now.answer.by === 'Express' || this.#isTakenOver(before, now)
    if (hasAppsTrust && trustProxy !== trusted) {
      const data = ['trust proxy', trustProxy, trusted]
      changes.push({ code: 'trust-proxy', was: trustProxy, is: trusted, at, data })
    }
    // A lock of an older version has nothing of mounted apps.
    if (!hasAppsTrust || this.#version < 3) return
    const { mountedTrustProxy: was = [] } = before.settings
    const { mountedTrustProxy: is = [] } = now.settings
    const listed = [was.join(', '), is.join(', ')]
    if (listed[0] !== listed[1]) {
      changes.push({ code: 'mounted-trust-proxy', was, is, at, data: ['mounted trust proxy', ...listed] })
    }
  }

  /** True for a route of an app that stands behind its own Controllers, as `serve(app)` has it: they trust the proxies that it trusts. */
  #isTakenOver(before: LockedRoute, { answer }: Observation): boolean {
    const app = this.#named.inventory.apps[this.#appOf(before)]
    // Only an app has a version.
    return answer.takenOver && app?.kind === 'RouteControllers' && app.version !== undefined
  }

  isNew(row: RouteRow): boolean {
    const isLocked = (kind: 'mount' | 'route'): readonly LockedRoute[] =>
      this.#locked.get(`${row.app} ${placeOf({ ...row, kind })}`) ?? []
    if (this.#named.isLeftOut(row)) return false
    if (isLocked(row.kind).length > 0) return this.#isOfOtherRequests(row, isLocked(row.kind))
    if (row.kind === 'route') return !isLocked('mount').some(({ by }) => by !== 'middleware')
    // A guard whose routes have moved away is known to the lock; nor is what no request reaches.
    const isKnownGuard = row.answer.by === 'middleware' && this.#spread.has(keyOf(row.passes.at(-1)!))
    return !(row.shadowed || isKnownGuard)
  }

  /** True beside a route of the lock whose path differs by the slash at its end, where that counts. Of a Controller `spelling` tells. */
  #isOfOtherRequests(row: RouteRow, locked: readonly LockedRoute[]): boolean {
    const isOther = ({ path }: { readonly path: string }): boolean =>
      path.endsWith('/') !== row.path.endsWith('/')
    const there = this.#rows.get(`${row.app} ${placeOf(row)}`)!
    return row.settings.strict && row.own.by === 'Express' && locked.every(isOther) && there.some(isOther)
  }

  added(row: RouteRow, key: string): RouteFindings {
    const { app, method, path, own, shadowed, answer, passes } = row
    const found: Found[] = [{ code: 'new', at: own.at, data: [] }]
    if (shadowed) {
      const who = answer.route ?? answer.name
      found.push({ code: 'shadowed', by: who, at: answer.at, data: [who, answer.by] })
    }
    found.push(...unverifiableOf(passes), ...unverifiableOf(row.errorHandlers, ['behind the route']))
    const moved = own.by === 'Controller'
    const told = {
      ...{ key, app, method, path, answer: answererText(answer), was: undefined, at: answer.at },
      ...{
        passes: passes.map((pass) => toldNow('same', pass)),
        moved,
        takenOver: answer.takenOver,
        notes: [],
      },
    }
    return settle(undefined, told, found)
  }

  /** What is wrong whatever the lock says. */
  loose(): RouteFindings[] {
    const { findings, routes } = this.#named.inventory
    return findings.flatMap((finding) => {
      if (finding.code !== 'not-a-guard' || this.#named.isLeftOut(finding)) return []
      const { app, method, path, at, guards } = finding
      // One RouteControllers may stand in several apps, by the same lines.
      const number = routes.findIndex(
        (one) => one.app === app && one.method === method && one.path === path && one.own.at === at,
      )
      const locked = this.#routes.findIndex(
        (one) => one.method === method && one.path === path && this.#appOf(one) === app,
      )
      const key = locked < 0 ? this.#named.keys[number] : keysOfRows(this.#routes)[locked]
      const row = this.#routes[locked]
      // Its key was made of its text once.
      const formerData = [noGuardText(guards)]
      const found: Found = { code: 'not-a-guard', guards, at, data: ['guards', guards], formerData }
      const answer = placed('Controller', at)
      const told = {
        ...{ key: key ?? '', app, method, path, answer, was: undefined, at },
        ...{ passes: [], moved: true, takenOver: false, notes: [] },
      }
      return settle(row, told, [found])
    })
  }
}

/** Whether a row of another path stood behind a handler: a lock is in the order of its paths. */
function hasStoodBehind({ shadowed, passes }: LockedRoute, handler: string): boolean {
  return shadowed === true || passes.some(({ source }) => source === handler)
}

/** True for two functions that one call has made, as `requireRole('admin')`. */
function isOfSameCall(was: Passing, is: Passing): boolean {
  return was.argument !== undefined && was.argument === is.argument && was.argument.endsWith(')')
}

function toldNow(is: ComparedPass['is'], pass: Passing): ComparedPass {
  return { is, pass: toldPass(pass), at: pass.at ?? pass.definition }
}

function addTo<T>(map: Map<string, T[]>, key: string, one: T): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [one])
  else list.push(one)
}

/** Functions of which nothing read tells what they do. */
function unverifiableOf(passes: readonly Passing[], place: readonly string[] = []): Found[] {
  const numberOf = numbered()
  return passes.flatMap((pass): Found[] => {
    if (!pass.unverifiable) return []
    const at = pass.at ?? pass.definition
    const data = [...place, ...numberOf(withoutNames(pass))]
    return [{ code: 'unverifiable', pass: toldPass(pass), at, data }]
  })
}

/** Takes out what is accepted. */
function settle(
  row: LockedRoute | undefined,
  told: Omit<RouteFindings, 'changes' | 'accepted'>,
  found: readonly Found[],
): RouteFindings {
  const { app, method, path } = told
  const all = found.map(({ data, formerData = data, ...facts }) => ({
    finding: { ...facts, route: `${method} ${path}`, app },
    key: acceptanceKey(told.key, facts.code, data),
    formerKey: acceptanceKey(told.key, facts.code, formerData),
  }))
  const keys = new Set(all.flatMap(({ key, formerKey }) => [key, formerKey]))
  const changes: KeyedFinding[] = []
  const accepted: (KeyedFinding & { readonly because: string })[] = []
  for (const { finding, key, formerKey } of all) {
    const because = reasonFor(key, row, keys) ?? reasonFor(formerKey, row, keys)
    if (because === undefined) changes.push({ finding, key })
    else accepted.push({ finding, key, because })
  }
  return { ...told, changes, accepted }
}

/** The error handlers that get the errors of each function, in their order. */
function errorWays(passes: readonly Passing[]): Map<Passing, Passing[]> {
  const ways = new Map<Passing, Passing[]>()
  passes.forEach((handler, at) => {
    if (!isErrorHandler(handler)) return
    for (const pass of passes.slice(Math.max(0, at - (handler.catches ?? 0)), at)) {
      if (!isErrorHandler(pass)) ways.set(pass, [...(ways.get(pass) ?? []), handler])
    }
  })
  return ways
}

/**
 * Error handlers before a route that get errors of some functions, and did not: new ones, those that stand behind such a function by
 * now, and those before which another one has got them. `partners` says what each function was before.
 */
function letOn(
  before: readonly Passing[],
  now: readonly Passing[],
  partners: ReadonlyMap<Passing, Passing>,
): { readonly handler: Passing; readonly of: readonly Passing[] }[] {
  const [were, are] = [errorWays(before), errorWays(now)]
  const getsNow = (pass: Passing, handler: Passing): boolean => {
    const ways = are.get(pass) ?? []
    if (!ways.includes(handler)) return false
    const [was, former] = [partners.get(pass), partners.get(handler)]
    // A function that is new as well is a finding of its own.
    if (was === undefined || former === undefined) return former === undefined
    const waysBefore = were.get(was) ?? []
    const first = ways.slice(0, ways.indexOf(handler)).map((one) => partners.get(one))
    const place = waysBefore.indexOf(former)
    return place < 0 || waysBefore.slice(0, place).some((one) => !first.includes(one))
  }
  return now.filter(isErrorHandler).flatMap((handler) => {
    const of = now.filter((pass) => getsNow(pass, handler))
    return of.length === 0 ? [] : [{ handler, of }]
  })
}

/** With whom a function has changed places. */
function overtaken(
  before: readonly Passing[],
  now: readonly Passing[],
  pass: Passing,
  other: Passing,
): Pick<CheckFacts['reordered'], 'behind' | 'inFrontOf'> {
  const was = before.slice(before.indexOf(pass) + 1).map(keyOf)
  const crossed = now.slice(0, now.indexOf(other)).find((one) => was.includes(keyOf(one)))
  const is = before.slice(0, before.indexOf(pass)).map(keyOf)
  const passed = now.slice(now.indexOf(other) + 1).find((one) => is.includes(keyOf(one)))
  return {
    behind: crossed && toldPass(crossed),
    inFrontOf: crossed === undefined && passed !== undefined ? toldPass(passed) : undefined,
  }
}

/** Pairs of equals in the same order, as many as there can be. */
function align<T>(
  before: readonly T[],
  now: readonly T[],
  isSame: (a: T, b: T) => boolean,
): [number, number][] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(now.length + 1).fill(0))
  for (let a = before.length - 1; a >= 0; a--) {
    for (let b = now.length - 1; b >= 0; b--) {
      const skipping = Math.max(lengths[a + 1]![b]!, lengths[a]![b + 1]!)
      lengths[a]![b] = isSame(before[a]!, now[b]!)
        ? Math.max(lengths[a + 1]![b + 1]! + 1, skipping)
        : skipping
    }
  }
  const pairs: [number, number][] = []
  for (let a = 0, b = 0; a < before.length && b < now.length;) {
    if (isSame(before[a]!, now[b]!) && lengths[a]![b] === lengths[a + 1]![b + 1]! + 1) pairs.push([a++, b++])
    else if (lengths[a + 1]![b]! >= lengths[a]![b + 1]!) a++
    else b++
  }
  return pairs
}

/** True for a Controller that differs from the route by the slash at its end, and does not answer for it. */
function isOtherSlash({ path }: LockedRoute, row: RouteRow, { answer }: Observation): boolean {
  return (
    row.own.by === 'Controller' &&
    row.settings.strict &&
    row.path.endsWith('/') !== path.endsWith('/') &&
    answer.route !== `${row.method} ${row.path}`
  )
}
