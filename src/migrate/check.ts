// Compares a lock with an app as it is now: who would answer each witness, and past what.
import type { Change, ChangeKind, CheckReport, Note, RouteChanges } from './check-schema.js'
import type { Reading } from './inventory.js'
import type { Inventory, Observation, RouteRow } from './schema.js'
import {
  formerObservation,
  formerRow,
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
import { callOf, remedyFor, spellingOf } from './remedies.js'
import type { Asked, AskedMount, Question } from './report.js'
import { isSameAnswer, shapeOf } from './routes.js'
import { appPlaceOf, appsNow, placedRow } from './same-app.js'
import { changeText, fileIn, former, keyOf, Known, labelOf, type Passing, withoutNames } from './same-pass.js'
import { hashOf } from './syntax.js'

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
    // Version 1 has another hash.
    const isKnown = handler !== undefined && lock.version > 1
    const place = { place: appPlaceOf(row), ...(isKnown && { handler }) }
    const asked = { app, place, method: witness.slice(0, space), witness: witness.slice(space + 1), answer }
    if (mount !== undefined) return [{ ...asked, mount: { ...mount, version: lock.version } }]
    return [answer === `${method} ${path}` && number > 0 ? { ...asked, number } : asked]
  })
}

/** The function that the row of a mount is of; undefined for a route, and where somebody else answers before. */
function askedMount({ kind, path, answer, passes }: LockedRoute): Omit<AskedMount, 'version'> | undefined {
  const own = passes.at(-1)
  if (kind !== 'mount' || answer !== `* ${path}` || own === undefined) return undefined
  const isEqual = (pass: Passing): boolean =>
    keyOf({ ...pass, source: own.source, sourceNames: own.sourceNames }) === keyOf(own) &&
    pass.mount === own.mount
  return { path, own, number: passes.filter(isEqual).length - 1 }
}

/** What the requests of a lock meet in an app as it is now. `inventory` is that of the reading. */
export function observeAll(reading: Reading, question: Question, inventory?: Inventory): Observation[] {
  const placed = question.flatMap(({ app, place }) => (place === undefined ? [] : { app, ...place }))
  const isOne = reading.roots.length === 1 && placed.every(({ app }) => app === 0)
  const apps =
    isOne || inventory === undefined
      ? []
      : appsNow(placed, inventory.routes.map(placedRow), reading.roots.length)
  return question.map((asked) => reading.observe({ ...asked, app: apps[asked.app] ?? asked.app }))
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
  // Older locks do not have what stands before such a route.
  const byPosition = version < lockVersion ? 0 : unreached
  return {
    version: 1,
    ok: routes.every(({ changes }) => changes.length === 0),
    checked: lock.routes.length - mounts - unreached,
    byPosition,
    notCompared: unreached - byPosition,
    mounts,
    apps: read.apps.length,
    except: rows.filter(named.isLeftOut).length,
    routes,
  }
}

/** True for a row that no request is known for. */
function isUnreached({ witness, varies }: LockedRoute): boolean {
  return witness === null && !varies
}

function withFormerPasses(row: LockedRoute, version: Lock['version']): LockedRoute {
  return { ...row, passes: row.passes.map((pass) => former(pass, version)) }
}

/** A change without its key, and what that is made of. */
type Found = Omit<Change, 'key'> & { readonly data: readonly unknown[] }

/** The key names the row too: what is accepted there accepts nothing where it is copied to another row. */
function changeOf({ data, ...change }: Found, row: string): Change {
  return { ...change, key: hashOf(JSON.stringify([row, change.kind, ...data])) }
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
    this.#known = new Known(
      lock.routes.flatMap(({ passes }) => passes),
      [...routes, ...observed].flatMap(({ passes }) => passes),
    )
    for (const row of routes) addTo(this.#rows, `${row.app} ${placeOf(row)}`, row)
    for (const row of lock.routes) {
      addTo(this.#locked, this.#placeOf(row), row)
      const shape = shapeOf(row.path)
      this.#methods.set(shape, (this.#methods.get(shape) ?? new Set()).add(row.method))
      for (const key of new Set(row.passes.map(keyOf))) {
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
    const isIt = ({ path, own }: RouteRow): boolean => path === row.path && own.source === row.handler
    const twins = this.#locked.get(this.#placeOf(row))!.filter(({ handler }) => handler === row.handler)
    return this.#rowsAt(row).filter(isIt)[twins.indexOf(row)]
  }

  /** What has become of a row of the lock that no request is known for: its guards are compared by where they stand. */
  unreached(before: LockedRoute, key: string): RouteChanges {
    const rows = this.#rowsAt(before)
    const now = rows[this.#locked.get(this.#placeOf(before))!.indexOf(before)]
    // What a lock of an older version has of it says nothing.
    const isKnown = this.#version >= lockVersion || now?.witness !== undefined
    if (now === undefined || !isKnown) return this.row(before, key, undefined)
    if (now.witness === undefined && now.own.by === 'Controller') {
      const what = 'no request was found that reaches it, so what guards it cannot be told'
      const found: Found = {
        kind: 'unverifiable',
        finding: 'unverifiable route',
        what,
        at: now.own.at,
        data: [],
      }
      return this.#settleRow(before, key, now, [found], [])
    }
    const found: Found[] = []
    const notes: Note[] = []
    this.#comparePasses(before.passes, now.passes, found, notes)
    // Which other forms of its path reach it cannot be told.
    const { strict, caseSensitive } = before.settings
    const settings = { ...now.settings, strict, caseSensitive }
    this.#compareSettings(before, { ...now, settings, params: before.params }, found)
    return this.#settleRow(before, key, now, found, notes)
  }

  row(before: LockedRoute, key: string, now: Observation | undefined): RouteChanges {
    const found: Found[] = []
    const notes: Note[] = []
    const rows = this.#rowsAt(before)
    if (now === undefined) {
      // Nobody can say what it passes; that it is there is all there is to compare.
      if (rows.length === 0 || before.varies) {
        found.push({ kind: 'gone', finding: 'gone', what: 'is not there any more', at: undefined, data: [] })
      }
    } else {
      const respelled = rows.find((row) => isOtherSlash(before, row, now))
      if (respelled !== undefined) found.push({ ...spellingOf(respelled), data: [respelled.path] })
      this.#compareRow(before, now, rows, found, notes)
      this.#compareTwins(before, rows, found)
    }
    return this.#settleRow(before, key, now, found, notes)
  }

  #settleRow(
    before: LockedRoute,
    key: string,
    now: Observation | undefined,
    found: readonly Found[],
    notes: readonly Note[],
  ): RouteChanges {
    const { method, path } = before
    const who = before.answer === `${method} ${path}` ? before.by : before.answer
    const was = describe(who, before.at)
    const answer = now === undefined ? 'unknown' : describeAnswer(now)
    const moved = now?.answer.by === 'Controller'
    const told = { key, app: this.#appOf(before), method, path, answer, was, moved, notes }
    return settle(before, told, found)
  }

  #compareRow(
    before: LockedRoute,
    now: Observation,
    rows: readonly RouteRow[],
    changes: Found[],
    notes: Note[],
  ): void {
    const { answer } = now
    const expected = before.answer
    const found = answer.route ?? (answer.name || answer.by)
    const isMount = askedMount(before) !== undefined
    const isFound = isSameAnswer(expected, found)
    // A guard of its own, which need not be the one to answer.
    const isGuard = isMount && before.by === 'middleware'
    if (!isFound && !isGuard) {
      const isStill = rows.length > 0
      if (answer.by === 'nobody' || (answer.by === 'middleware' && !isStill)) {
        changes.push({
          kind: 'gone',
          finding: 'gone',
          what: `is not there any more; ${describeAnswer(now)} gets its requests`,
          at: answer.at,
          data: [answer.by, found],
        })
        return
      }
      if (isStill || this.#knows(found) || answer.by !== 'Controller') {
        const kind = answer.by === 'middleware' ? 'unreachable' : 'shadowed'
        // A middleware has no path that would tell it from others of its name.
        const data = kind === 'unreachable' ? [found, answer.source] : [found, answer.by]
        changes.push({ kind, finding: `${kind} by ${found}`, what: `by ${found}`, at: answer.at, data })
      } else notes.push({ kind: 'respelled', what: `as ${found}`, at: answer.at })
    }
    const isMoved = answer.by === 'Controller' && !answer.takenOver
    const isOther = isMount && !isGuard && (isMoved || !isFound)
    const passed = isOther ? before.passes.slice(0, -1) : before.passes
    this.#comparePasses(passed, now.passes, changes, notes)
    if (isFound || !isGuard) this.#compareSettings(before, now, changes)
    const twin = isMoved ? this.#copyOf(before, rows) : undefined
    if (twin !== undefined) {
      const data = [rows.length]
      changes.push({ kind: 'twice', finding: 'twice', what: 'is still in the app', at: twin.own.at, data })
    }
  }

  /** What is still in the app of a route that was moved. Other registrations of its method and path may stay there. */
  #copyOf(before: LockedRoute, rows: readonly RouteRow[]): RouteRow | undefined {
    const inApp = rows.filter(({ own }) => own.by === 'Express')
    const twins = this.#locked.get(this.#placeOf(before))!
    return rows.length > twins.length ? inApp[0] : undefined
  }

  /** Of several routes of one method and one path the first one answers: another one must not overtake it. */
  #compareTwins(before: LockedRoute, rows: readonly RouteRow[], changes: Found[]): void {
    const { handler, shadowed } = before
    if (handler === undefined || shadowed) return
    const twins = this.#locked.get(this.#placeOf(before))!
    const behind = twins.slice(twins.indexOf(before) + 1).map((row) => row.handler)
    const at = rows.findIndex(({ own }) => own.source === handler)
    const overtaking = rows
      .slice(0, at + 1)
      .find(({ own }) => own.source !== handler && behind.includes(own.source))
    if (overtaking === undefined) return
    const what = `${overtaking.own.name}, a handler of this method and this path that stood behind this one`
    const { source, at: place } = overtaking.own
    const data = ['handlers', handler, source]
    changes.push({ kind: 'reordered', finding: 'reordered handlers', what, at: place, data })
  }

  /** True for a route of the lock, or for one of all methods in the place of one. */
  #knows(found: string): boolean {
    const [method, ...path] = found.split(' ')
    const methods = path.length === 0 ? undefined : this.#methods.get(shapeOf(path.join(' ')))
    return methods !== undefined && (method === '*' || methods.has(method!))
  }

  #comparePasses(before: readonly Passing[], now: readonly Passing[], changes: Found[], notes: Note[]): void {
    const sameness = (was: Passing, is: Passing): ReturnType<Known['sameness']> =>
      this.#known.sameness(was, is)
    const spreadOf = (pass: Passing): number => this.#spread.get(keyOf(pass)) ?? 0
    const matches = align(before, now, (a, b) => sameness(a, b) !== undefined)
    for (const [a, b] of matches) {
      const how = sameness(before[a]!, now[b]!)
      const { name, definition } = now[b]!
      if (how === 'moved') {
        notes.push({ kind: how, what: `${name} from ${fileIn(before[a]!.definition)}`, at: definition })
      }
      if (how === 'updated') notes.push({ kind: how, what: name, at: fileIn(definition) })
    }
    const [still, stay] = [new Set(matches.map(([a]) => a)), new Set(matches.map(([, b]) => b))]
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
      const what = `${labelOf(is)}${overtaken(before, now, was, is)}`
      const said = { finding: `reordered ${labelOf(is)}`, what, at: is.at, routes: spreadOf(was) }
      changes.push({ kind: 'reordered', ...said, data: [keyOf(was), order] })
    }
    const numberOfChange = numbered()
    pair(
      (was, is) =>
        fileIn(is.definition) === fileIn(was.definition) &&
        (was.name === '<anonymous>' ? is.source === was.source : is.name === was.name),
      (was, is) => {
        const what = changeText(was, is)
        const said = { finding: `changed ${what}`, what, at: is.at, routes: spreadOf(was) }
        const data = [keyOf(was), was.unverifiable, ...numberOfChange(is)]
        changes.push({ kind: 'changed', ...said, data })
      },
    )
    const say = (
      kind: ChangeKind,
      pass: Passing,
      data: readonly unknown[],
      more: Partial<Change> = {},
    ): void => {
      const what = labelOf(pass)
      const at = pass.at ?? pass.definition
      changes.push({ kind, finding: `${kind} ${what}`, what, at, ...more, data })
    }
    const [numberOfLost, numberOfGained] = [numbered(), numbered()]
    for (const pass of lost)
      say('lost', pass, numberOfLost(pass), { routes: spreadOf(pass), ...callOf(pass) })
    for (const pass of gained) {
      // Before a guard it is not what it is behind that.
      const last = now.slice(0, now.indexOf(pass)).findLast((one) => partners.has(one))
      const behind = last && keyOf(partners.get(last)!)
      say('gained', pass, [...numberOfGained(pass), behind])
    }
    changes.push(...unverifiableOf(now))
  }

  #compareSettings(before: LockedRoute, now: Observation, changes: Found[]): void {
    const lost = before.params.filter((name) => !now.params.includes(name))
    const gained = now.params.filter((name) => !before.params.includes(name))
    if (lost.length + gained.length > 0) {
      const what = [
        lost.length > 0 ? `without ${lost.join(', ')}` : '',
        gained.length > 0 ? `with ${gained.join(', ')}` : '',
      ]
      const text = what.filter(Boolean).join(', ')
      const data = [lost, gained]
      changes.push({ kind: 'params', finding: `params ${text}`, what: text, at: undefined, data })
    }
    const { strict, caseSensitive, trustProxy } = before.settings
    const push = (what: string, ...data: readonly unknown[]): void =>
      void changes.push({ kind: 'settings', finding: `settings ${what}`, what, at: undefined, data })
    if (strict !== now.settings.strict)
      push(
        strict ? 'a slash at the end is ignored now' : 'a slash at the end makes another path now',
        'strict',
        strict,
      )
    if (caseSensitive !== now.settings.caseSensitive) {
      push(
        caseSensitive ? 'case is ignored now' : 'upper and lower case make another path now',
        'case',
        caseSensitive,
      )
    }
    const trusted = now.settings.trustProxy
    if (now.answer.by === 'Express' && trustProxy !== trusted) {
      const what = `trust proxy was ${JSON.stringify(trustProxy)}, and is ${JSON.stringify(trusted)}`
      push(what, 'trust proxy', trustProxy, trusted)
    }
    // A lock of an older version has nothing of mounted apps.
    if (now.answer.by !== 'Express' || this.#version < 3) return
    const [was, is] = [before.settings, now.settings].map((one) => (one.mountedTrustProxy ?? []).join(', '))
    if (was !== is) {
      const told = (texts: string | undefined): string => texts || 'that of the app'
      const what = `trust proxy of a mounted app was ${told(was)}, and is ${told(is)}`
      push(what, 'mounted trust proxy', was, is)
    }
  }

  isNew(row: RouteRow): boolean {
    const isLocked = (kind: 'mount' | 'route'): readonly LockedRoute[] =>
      this.#locked.get(`${row.app} ${placeOf({ ...row, kind })}`) ?? []
    if (this.#named.isLeftOut(row) || isLocked(row.kind).length > 0) return false
    if (row.kind === 'route') return !isLocked('mount').some(({ by }) => by !== 'middleware')
    // A guard whose routes have moved away is none that nobody has seen; nor is what no request reaches.
    const isKnownGuard = row.answer.by === 'middleware' && this.#spread.has(keyOf(row.passes.at(-1)!))
    return !(row.shadowed || isKnownGuard)
  }

  added(row: RouteRow, key: string): RouteChanges {
    const { app, method, path, own, shadowed, answer, passes } = row
    const found: Found[] = [{ kind: 'new', finding: 'new', what: 'is not in the lock', at: own.at, data: [] }]
    if (shadowed) {
      const who = answer.route ?? answer.name
      const said = { finding: `shadowed by ${who}`, what: `by ${who}`, at: answer.at }
      found.push({ kind: 'shadowed', ...said, data: [who, answer.by] })
    }
    found.push(...unverifiableOf(passes))
    const moved = own.by === 'Controller'
    const told = { key, app, method, path, answer: describeAnswer(row), was: undefined, moved, notes: [] }
    return settle(undefined, told, found)
  }

  /** What is wrong whatever the lock says. */
  loose(): RouteChanges[] {
    const { findings, routes } = this.#named.inventory
    return findings
      .filter((finding) => finding.kind === 'not-a-guard' && !this.#named.isLeftOut(finding))
      .map(({ method, path, at, message }) => {
        const number = routes.findIndex(
          (one) => one.method === method && one.path === path && one.own.at === at,
        )
        const app = routes[number]?.app ?? 0
        const locked = this.#routes.findIndex(
          (one) => one.method === method && one.path === path && this.#appOf(one) === app,
        )
        const key = locked < 0 ? this.#named.keys[number] : keysOfRows(this.#routes)[locked]
        const row = this.#routes[locked]
        const found: Found = {
          kind: 'not-a-guard',
          finding: 'not-a-guard',
          what: message,
          at,
          data: [message],
        }
        const answer = describe('Controller', at)
        const told = { key: key ?? '', app, method, path, answer, was: undefined, moved: true, notes: [] }
        return settle(row, told, [found])
      })
  }
}

function addTo<T>(map: Map<string, T[]>, key: string, one: T): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [one])
  else list.push(one)
}

/** Functions of which nothing read tells what they do. */
function unverifiableOf(passes: readonly Passing[]): Found[] {
  const numberOf = numbered()
  return passes.flatMap((pass): Found[] => {
    if (!pass.unverifiable) return []
    const label = labelOf(pass)
    const what = `${label}, of which neither the text nor the argument can be read`
    const at = pass.at ?? pass.definition
    return [
      {
        kind: 'unverifiable',
        finding: `unverifiable ${label}`,
        what,
        at,
        data: numberOf(withoutNames(pass)),
      },
    ]
  })
}

/** Takes out what is accepted, and says what helps against the rest. */
function settle(
  row: LockedRoute | undefined,
  told: Omit<RouteChanges, 'changes' | 'accepted' | 'remedy'>,
  found: readonly Found[],
): RouteChanges {
  const all = found.map((one) => changeOf(one, told.key))
  const keys = new Set(all.map(({ key }) => key))
  const accepted = all.flatMap((change) => {
    const because = reasonFor(change.key, row, keys)
    return because === undefined ? [] : [{ ...change, because }]
  })
  const changes = all.filter(({ key }) => reasonFor(key, row, keys) === undefined)
  const remedy = remedyFor([`${told.method} ${told.path}`], told.moved, changes)
  return { ...told, changes, accepted, remedy }
}

/** With whom a function has changed places. */
function overtaken(
  before: readonly Passing[],
  now: readonly Passing[],
  pass: Passing,
  other: Passing,
): string {
  const was = before.slice(before.indexOf(pass) + 1).map(keyOf)
  const crossed = now.slice(0, now.indexOf(other)).find((one) => was.includes(keyOf(one)))
  const is = before.slice(0, before.indexOf(pass)).map(keyOf)
  const passed = now.slice(now.indexOf(other) + 1).find((one) => is.includes(keyOf(one)))
  if (crossed !== undefined) return ` behind ${labelOf(crossed)}`
  return passed === undefined ? '' : ` in front of ${labelOf(passed)}`
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

/** True for a Controller that is written with a slash at the end, where the route has none, or the other way round, and does not answer for it. */
function isOtherSlash({ path }: LockedRoute, row: RouteRow, { answer }: Observation): boolean {
  return (
    row.own.by === 'Controller' &&
    row.settings.strict &&
    row.path.endsWith('/') !== path.endsWith('/') &&
    answer.route !== `${row.method} ${row.path}`
  )
}

function describe(who: string, at: string | undefined): string {
  return at === undefined ? who : `${who} ${at}`
}

function describeAnswer({ answer }: Pick<Observation, 'answer'>): string {
  const who = answer.by === 'middleware' ? `the middleware ${answer.name}` : answer.by
  return describe(who, answer.at)
}
