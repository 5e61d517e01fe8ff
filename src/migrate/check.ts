// Compares a lock with an app as it is now: who would answer each witness, and past what.
import type { Change, ChangeKind, CheckReport, Note, RouteChanges } from './check-schema.js'
import type { Reading } from './inventory.js'
import type { Inventory, Observation, RouteRow } from './schema.js'
import { identityOf, type Lock, type LockedRoute, lockRow, placeOf } from './lock.js'
import { callOf, remedyFor, spellingOf } from './remedies.js'
import type { Asked, AskedMount, Question } from './report.js'
import { isSameAnswer, shapeOf } from './routes.js'
import { fileIn, keyOf, labelOf, type Passing, saidBy, sameness } from './same-pass.js'
import { hashOf } from './sources.js'

/** The requests of a lock. */
export function questionOf(lock: Lock): Question {
  const registered = new Map<string, number>()
  return lock.routes.flatMap((row): Asked[] => {
    const { app = 0, method, path, witness, answer } = row
    if (witness === null) return []
    const space = witness.indexOf(' ')
    const mount = askedMount(row)
    const number = registered.get(identityOf(row)) ?? 0
    registered.set(identityOf(row), number + 1)
    const asked = { app, method: witness.slice(0, space), witness: witness.slice(space + 1), answer }
    if (mount !== undefined) return [{ ...asked, mount }]
    return [answer === `${method} ${path}` && number > 0 ? { ...asked, number } : asked]
  })
}

/** The function that the row of a mount is of; undefined for a route, and where somebody else answers before. */
function askedMount({ kind, path, answer, passes }: LockedRoute): AskedMount | undefined {
  const own = passes.at(-1)
  if (kind !== 'mount' || answer !== `* ${path}` || own === undefined) return undefined
  const isEqual = (pass: Passing): boolean =>
    keyOf({ ...pass, source: own.source }) === keyOf(own) && pass.mount === own.mount
  return { path, own, number: passes.filter(isEqual).length - 1 }
}

/** What the requests of a lock meet in an app as it is now. */
export function observeAll(reading: Reading, question: Question): Observation[] {
  return question.map((asked) => reading.observe(asked))
}

/** Compares a lock with an inventory, and with what the lock's requests meet in the same app. */
export function compare(lock: Lock, inventory: Inventory, observations: readonly Observation[]): CheckReport {
  const context = new Context(lock, inventory)
  let asked = 0
  const known = lock.routes.map((row) =>
    context.row(row, row.witness === null ? undefined : observations[asked++]),
  )
  const added = inventory.routes.filter((row) => context.isNew(row)).map((row) => context.added(row))
  const routes = [...known, ...added, ...context.loose()].filter(
    ({ changes, notes, accepted }) => changes.length + notes.length + accepted.length > 0,
  )
  const mounts = lock.routes.filter(({ kind }) => kind === 'mount').length
  return {
    version: 1,
    ok: routes.every(({ changes }) => changes.length === 0),
    checked: lock.routes.length - mounts,
    mounts,
    routes,
  }
}

class Context {
  readonly #inventory: Inventory
  /** Functions that are still where they were. */
  readonly #present: ReadonlySet<string>
  /** How many routes of the lock pass a function. */
  readonly #spread = new Map<string, number>()
  readonly #locked = new Map<string, LockedRoute[]>()
  readonly #rows = new Map<string, RouteRow[]>()
  /** The methods of the lock, by the shape of their paths. */
  readonly #methods = new Map<string, Set<string>>()

  constructor(lock: Lock, inventory: Inventory) {
    this.#inventory = inventory
    this.#present = new Set(inventory.routes.flatMap(({ passes }) => passes.map((pass) => keyOf(pass))))
    for (const row of inventory.routes) this.#rows.set(placeOf(row), [...this.#rowsAt(row), row])
    for (const row of lock.routes) {
      this.#locked.set(placeOf(row), [...(this.#locked.get(placeOf(row)) ?? []), row])
      const shape = shapeOf(row.path)
      this.#methods.set(shape, (this.#methods.get(shape) ?? new Set()).add(row.method))
      for (const key of new Set(row.passes.map(keyOf))) {
        this.#spread.set(key, (this.#spread.get(key) ?? 0) + 1)
      }
    }
  }

  /** The rows of the app that stand where one of the lock does. */
  #rowsAt(one: Parameters<typeof placeOf>[0]): readonly RouteRow[] {
    return this.#rows.get(placeOf(one)) ?? []
  }

  row(before: LockedRoute, now: Observation | undefined): RouteChanges {
    const { method, path } = before
    const changes: Change[] = []
    const notes: Note[] = []
    const rows = this.#rowsAt(before)
    if (now === undefined) {
      // Nobody can say what it passes; that it is there is all there is to compare.
      if (rows.length === 0)
        changes.push({ kind: 'gone', finding: 'gone', what: 'is not there any more', at: undefined })
    } else {
      const respelled = rows.find((row) => isOtherSlash(before, row, now))
      if (respelled !== undefined) changes.push(spellingOf(respelled))
      this.#compareRow(before, now, rows, changes, notes)
      this.#compareTwins(before, rows, changes)
    }
    const who = before.answer === `${method} ${path}` ? before.by : before.answer
    const was = describe(who, before.at)
    const answer = now === undefined ? 'unknown' : describeAnswer(now)
    const moved = now?.answer.by === 'Controller'
    const told = { method, path, answer, was, moved, changes, notes }
    return this.#settle(before, { ...told, remedy: remedyFor([`${method} ${path}`], moved, changes) })
  }

  #compareRow(
    before: LockedRoute,
    now: Observation,
    rows: readonly RouteRow[],
    changes: Change[],
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
        })
        return
      }
      if (isStill || this.#knows(found) || answer.by !== 'Controller') {
        const kind = answer.by === 'middleware' ? 'unreachable' : 'shadowed'
        changes.push({ kind, finding: `${kind} by ${found}`, what: `by ${found}`, at: answer.at })
      } else notes.push({ kind: 'respelled', what: `as ${found}`, at: answer.at })
    }
    const isMoved = answer.by === 'Controller' && !answer.takenOver
    const isOther = isMount && !isGuard && (isMoved || !isFound)
    const passed = isOther ? before.passes.slice(0, -1) : before.passes
    this.#comparePasses(passed, now.passes, changes, notes)
    if (isFound || !isGuard) this.#compareSettings(before, now, changes)
    const twin = isMoved ? this.#copyOf(before, rows) : undefined
    if (twin !== undefined) {
      changes.push({ kind: 'twice', finding: 'twice', what: 'is still in the app', at: twin.own.at })
    }
  }

  /** What is still in the app of a route that was moved. Other registrations of its method and path may stay there. */
  #copyOf(before: LockedRoute, rows: readonly RouteRow[]): RouteRow | undefined {
    const inApp = rows.filter(({ own }) => own.by === 'Express')
    const twins = this.#locked.get(placeOf(before))!
    return rows.length > twins.length ? inApp[0] : undefined
  }

  /** Of several routes of one method and one path the first one answers: another one must not overtake it. */
  #compareTwins(before: LockedRoute, rows: readonly RouteRow[], changes: Change[]): void {
    const { handler, shadowed, app } = before
    if (handler === undefined || shadowed) return
    const twins = this.#locked.get(placeOf(before))!.filter((row) => row.app === app)
    const behind = twins.slice(twins.indexOf(before) + 1).map((row) => row.handler)
    const at = rows.findIndex(({ own }) => own.source === handler)
    const overtaking = rows
      .slice(0, at + 1)
      .find(({ own }) => own.source !== handler && behind.includes(own.source))
    if (overtaking === undefined) return
    const what = `${overtaking.own.name}, a handler of this method and this path that stood behind this one`
    changes.push({ kind: 'reordered', finding: 'reordered handlers', what, at: overtaking.own.at })
  }

  /** True for a route of the lock, or for one of all methods in the place of one. */
  #knows(found: string): boolean {
    const [method, ...path] = found.split(' ')
    const methods = path.length === 0 ? undefined : this.#methods.get(shapeOf(path.join(' ')))
    return methods !== undefined && (method === '*' || methods.has(method!))
  }

  #comparePasses(
    before: readonly Passing[],
    now: readonly Passing[],
    changes: Change[],
    notes: Note[],
  ): void {
    const isPresent = (pass: Passing): boolean => this.#present.has(keyOf(pass))
    const spreadOf = (pass: Passing): number => this.#spread.get(keyOf(pass)) ?? 0
    const matches = align(before, now, (a, b) => sameness(a, b, isPresent) !== undefined)
    for (const [a, b] of matches) {
      const how = sameness(before[a]!, now[b]!, isPresent)
      const { name, definition } = now[b]!
      if (how === 'moved') {
        notes.push({ kind: how, what: `${name} from ${fileIn(before[a]!.definition)}`, at: definition })
      }
      if (how === 'updated') notes.push({ kind: how, what: name, at: fileIn(definition) })
    }
    const lost = before.filter((_pass, at) => !matches.some(([a]) => a === at))
    const gained = now.filter((_pass, at) => !matches.some(([, b]) => b === at))
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
    pair(
      (was, is) => sameness(was, is, isPresent) !== undefined,
      (was, is) => {
        const what = `${labelOf(is)}${overtaken(before, now, was, is)}`
        const finding = `reordered ${labelOf(is)}`
        changes.push({ kind: 'reordered', finding, what, at: is.at, routes: spreadOf(was) })
      },
    )
    pair(
      (was, is) =>
        fileIn(is.definition) === fileIn(was.definition) &&
        (was.name === '<anonymous>' ? is.source === was.source : is.name === was.name),
      (was, is) => {
        const [label, other] = [labelOf(is), labelOf(was)]
        const isOtherArgument = saidBy(was.argument) !== saidBy(is.argument)
        const how = isOtherArgument ? 'which is made with another argument' : 'whose text is another'
        const what = label === other ? `${label}, ${how}` : `${other} to ${label}`
        // What is accepted is this change, and not the next one.
        const finding =
          label === other ? `changed ${what} ${hashOf(keyOf(is)).slice(0, 8)}` : `changed ${what}`
        changes.push({ kind: 'changed', finding, what, at: is.at, routes: spreadOf(was) })
      },
    )
    const say = (kind: ChangeKind, pass: Passing, more: Partial<Change> = {}): void => {
      const what = labelOf(pass)
      changes.push({ kind, finding: `${kind} ${what}`, what, at: pass.at ?? pass.definition, ...more })
    }
    for (const pass of lost) say('lost', pass, { routes: spreadOf(pass), ...callOf(pass) })
    for (const pass of gained) say('gained', pass)
    for (const pass of now) {
      if (!pass.unverifiable) continue
      say('unverifiable', pass, {
        what: `${labelOf(pass)}, of which neither the text nor the argument can be read`,
      })
    }
  }

  #compareSettings(before: LockedRoute, now: Observation, changes: Change[]): void {
    const lost = before.params.filter((name) => !now.params.includes(name))
    const gained = now.params.filter((name) => !before.params.includes(name))
    if (lost.length + gained.length > 0) {
      const what = [
        lost.length > 0 ? `without ${lost.join(', ')}` : '',
        gained.length > 0 ? `with ${gained.join(', ')}` : '',
      ]
      const text = what.filter(Boolean).join(', ')
      changes.push({ kind: 'params', finding: `params ${text}`, what: text, at: undefined })
    }
    const { strict, caseSensitive, trustProxy } = before.settings
    const push = (what: string): void =>
      void changes.push({ kind: 'settings', finding: `settings ${what}`, what, at: undefined })
    if (strict !== now.settings.strict)
      push(strict ? 'a slash at the end is ignored now' : 'a slash at the end makes another path now')
    if (caseSensitive !== now.settings.caseSensitive) {
      push(caseSensitive ? 'case is ignored now' : 'upper and lower case make another path now')
    }
    if (now.answer.by === 'Express' && trustProxy !== now.settings.trustProxy) {
      push(`trust proxy was ${JSON.stringify(trustProxy)}, and is ${JSON.stringify(now.settings.trustProxy)}`)
    }
  }

  isNew(row: RouteRow): boolean {
    if (this.#locked.has(placeOf(row))) return false
    if (row.kind === 'route') {
      const mounts = this.#locked.get(placeOf({ ...row, kind: 'mount' })) ?? []
      return !mounts.some(({ by }) => by !== 'middleware')
    }
    // A guard whose routes have moved away is none that nobody has seen; nor is what no request reaches.
    const isKnownGuard = row.answer.by === 'middleware' && this.#spread.has(keyOf(row.passes.at(-1)!))
    return !(row.shadowed || isKnownGuard)
  }

  added(row: RouteRow): RouteChanges {
    const { method, path, own, shadowed, answer } = row
    const changes: Change[] = [{ kind: 'new', finding: 'new', what: 'is not in the lock', at: own.at }]
    if (shadowed) {
      const found = answer.route ?? answer.name
      changes.push({ kind: 'shadowed', finding: `shadowed by ${found}`, what: `by ${found}`, at: answer.at })
    }
    const moved = own.by === 'Controller'
    const remedy = remedyFor([`${method} ${path}`], moved, changes)
    const answered = describeAnswer(row)
    return this.#settle(lockRow(row), {
      method,
      path,
      answer: answered,
      was: undefined,
      moved,
      changes,
      notes: [],
      remedy,
    })
  }

  /** What is wrong whatever the lock says. */
  loose(): RouteChanges[] {
    return this.#inventory.findings
      .filter(({ kind }) => kind === 'not-a-guard')
      .map(({ method, path, at, message }) => {
        const row = this.#locked.get(placeOf({ method, path }))?.find((one) => one.path === path)
        const changes: Change[] = [{ kind: 'not-a-guard', finding: 'not-a-guard', what: message, at }]
        return this.#settle(row, {
          method,
          path,
          answer: describe('Controller', at),
          was: undefined,
          moved: true,
          changes,
          notes: [],
          remedy: remedyFor([`${method} ${path}`], true, changes),
        })
      })
  }

  /** Takes out what is accepted. */
  #settle(row: LockedRoute | undefined, told: Omit<RouteChanges, 'accepted'>): RouteChanges {
    const reasonFor = ({ finding }: Change): string | undefined =>
      row?.accepted?.find((one) => one.finding === finding)?.because
    const accepted = told.changes.flatMap((change) => {
      const because = reasonFor(change)
      return because === undefined ? [] : [{ ...change, because }]
    })
    const changes = told.changes.filter((change) => reasonFor(change) === undefined)
    return { ...told, changes, accepted }
  }
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
