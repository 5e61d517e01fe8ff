// Compares a lock with an app as it is now: who would answer each witness, and past what.
import type { Change, ChangeKind, CheckReport, Note, RouteChanges } from './check-schema.js'
import type { Reading } from './inventory.js'
import type { Inventory, Observation, RouteRow } from './schema.js'
import { isSameRoute, type Lock, type LockedRoute, lockRow } from './lock.js'
import type { Question } from './report.js'
import { isSameAnswer, shapeOf } from './routes.js'

/** The requests of a lock. */
export function questionOf(lock: Lock): Question {
  return lock.routes.flatMap(({ app = 0, witness, answer }) => {
    if (witness === null) return []
    const space = witness.indexOf(' ')
    return [{ app, method: witness.slice(0, space), witness: witness.slice(space + 1), answer }]
  })
}

/** What the requests of a lock meet in an app as it is now. */
export function observeAll(reading: Reading, question: Question): Observation[] {
  return question.map(({ app, method, witness, answer }) => reading.observe(app, method, witness, answer))
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
  return {
    version: 1,
    ok: routes.every(({ changes }) => changes.length === 0),
    checked: lock.routes.length,
    routes,
  }
}

/** What is compared of a function, in a lock and in an app alike. */
interface Passing {
  readonly name: string
  readonly at?: string | undefined
  readonly definition?: string | undefined
  readonly source?: string | undefined
  readonly argument?: string | undefined
  readonly param?: string | undefined
  readonly unverifiable?: boolean
}

class Context {
  readonly #lock: Lock
  readonly #inventory: Inventory
  /** Functions that are still where they were. */
  readonly #present: ReadonlySet<string>

  constructor(lock: Lock, inventory: Inventory) {
    this.#lock = lock
    this.#inventory = inventory
    this.#present = new Set(inventory.routes.flatMap(({ passes }) => passes.map((pass) => keyOf(pass))))
  }

  row(before: LockedRoute, now: Observation | undefined): RouteChanges {
    const { method, path } = before
    const changes: Change[] = []
    const notes: Note[] = []
    const rows = this.#inventory.routes.filter((row) => isSameShape(before, row))
    if (now === undefined) {
      // Nobody can say what it passes; that it is there is all there is to compare.
      if (rows.length === 0)
        changes.push({ kind: 'gone', finding: 'gone', what: 'is not there any more', at: undefined })
    } else this.#compareRow(before, now, rows, changes, notes)
    const who = before.answer === `${method} ${path}` ? before.by : before.answer
    const was = describe(who, before.at)
    const answer = now === undefined ? 'nobody knows whom' : describeAnswer(now)
    return this.#settle(before, {
      method,
      path,
      answer,
      was,
      changes,
      notes,
      remedy: remedyFor(before, now, changes),
    })
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
    if (!isSameAnswer(expected, found)) {
      const isStill = rows.length > 0
      const knows = this.#lock.routes.some((row) => isSameAnswer(`${row.method} ${row.path}`, found))
      if (answer.by === 'nobody' || (answer.by === 'middleware' && !isStill)) {
        changes.push({
          kind: 'gone',
          finding: 'gone',
          what: `is not there any more; ${describeAnswer(now)} gets its requests`,
          at: answer.at,
        })
        return
      }
      if (isStill || knows || answer.by !== 'Controller') {
        const kind = answer.by === 'middleware' ? 'unreachable' : 'shadowed'
        changes.push({ kind, finding: `${kind} by ${found}`, what: `by ${found}`, at: answer.at })
      } else notes.push({ kind: 'respelled', what: `as ${found}`, at: answer.at })
    }
    comparePasses(before.passes, now.passes, (pass) => this.#present.has(keyOf(pass)), changes, notes)
    this.#compareSettings(before, now, changes)
    const twin = rows.find(({ own }) => own.by === 'Express')
    if (answer.by === 'Controller' && !answer.takenOver && twin !== undefined) {
      changes.push({ kind: 'twice', finding: 'twice', what: 'is still in the app', at: twin.own.at })
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
    return !this.#lock.routes.some((one) => isSameShape(one, row))
  }

  added(row: RouteRow): RouteChanges {
    const { method, path, own, shadowed, answer } = row
    const changes: Change[] = [{ kind: 'new', finding: 'new', what: 'is not in the lock', at: own.at }]
    if (shadowed) {
      const found = answer.route ?? answer.name
      changes.push({ kind: 'shadowed', finding: `shadowed by ${found}`, what: `by ${found}`, at: answer.at })
    }
    const remedy =
      'routecontrollers inspect ENTRY --lock routes.lock.json, when you have seen that it is guarded'
    return this.#settle(lockRow(row), {
      method,
      path,
      answer: describeAnswer(row),
      was: undefined,
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
        const row = this.#lock.routes.find((one) => one.method === method && one.path === path)
        const changes: Change[] = [{ kind: 'not-a-guard', finding: 'not-a-guard', what: message, at }]
        const remedy = `addGlobal(guard), or a profile: profile: fromApp(app)`
        return this.#settle(row, {
          method,
          path,
          answer: describe('Controller', at),
          was: undefined,
          changes,
          notes: [],
          remedy,
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

const fileIn = (place: string | undefined): string => place?.replace(/:\d+$/, '') ?? ''
const isOfPackage = (place: string | undefined): boolean => /(?:^|\/)node_modules\//.test(place ?? '')

function keyOf({ name, definition, source, argument }: Passing): string {
  // One whose text cannot be read is what its argument says.
  const written = source === undefined ? name : `${fileIn(definition)}\n${source}`
  return `${written}\n${saidBy(argument)}`
}

/** What an argument says of a function: where in a list it stands is said by the order. */
function saidBy(argument: string | undefined): string {
  return argument?.replace(/(?:\[\d+\])+$/, '') ?? ''
}

type Sameness = 'same' | 'moved' | 'updated' | undefined

/** How two functions are the same. */
function sameness(before: Passing, now: Passing, isPresent: (pass: Passing) => boolean): Sameness {
  if (keyOf(before) === keyOf(now)) return 'same'
  const isSameFile = fileIn(before.definition) === fileIn(now.definition)
  // What cannot be told is a finding of its own.
  const isUnknown = before.unverifiable || now.unverifiable
  if (isUnknown && isSameFile && before.source === now.source && before.name === now.name) return 'same'
  if (saidBy(before.argument) !== saidBy(now.argument)) return undefined
  if (before.source !== undefined && before.source === now.source && !isSameFile) {
    return isPresent(before) ? undefined : 'moved'
  }
  // Another version of a package: what it does is for its changelog to say.
  if (isSameFile && isOfPackage(before.definition) && before.name === now.name) return 'updated'
  return undefined
}

function comparePasses(
  before: readonly Passing[],
  now: readonly Passing[],
  isPresent: (pass: Passing) => boolean,
  changes: Change[],
  notes: Note[],
): void {
  const matches = align(before, now, (a, b) => sameness(a, b, isPresent) !== undefined)
  for (const [a, b] of matches) {
    const how = sameness(before[a]!, now[b]!, isPresent)
    if (how === 'moved')
      notes.push({
        kind: 'moved',
        what: `${now[b]!.name} from ${fileIn(before[a]!.definition)}`,
        at: now[b]!.definition,
      })
    if (how === 'updated') notes.push({ kind: 'updated', what: now[b]!.name, at: fileIn(now[b]!.definition) })
  }
  const lost = before.filter((_pass, at) => !matches.some(([a]) => a === at))
  const gained = now.filter((_pass, at) => !matches.some(([, b]) => b === at))
  const take = (list: Passing[], is: (pass: Passing) => boolean): Passing | undefined => {
    const at = list.findIndex(is)
    return at < 0 ? undefined : list.splice(at, 1)[0]
  }
  for (const pass of [...lost]) {
    const other = take(gained, (one) => sameness(pass, one, isPresent) !== undefined)
    if (other === undefined) continue
    lost.splice(lost.indexOf(pass), 1)
    const neighbour = overtaken(before, now, pass, other)
    changes.push({
      kind: 'reordered',
      finding: `reordered ${labelOf(other)}`,
      what: `${labelOf(other)}${neighbour}`,
      at: other.at,
    })
  }
  for (const pass of [...lost]) {
    const other = take(
      gained,
      (one) =>
        fileIn(one.definition) === fileIn(pass.definition) &&
        (pass.name === '<anonymous>' ? one.source === pass.source : one.name === pass.name),
    )
    if (other === undefined) continue
    lost.splice(lost.indexOf(pass), 1)
    const what =
      labelOf(pass) === labelOf(other)
        ? `${labelOf(other)}, whose text is another`
        : `${labelOf(pass)} to ${labelOf(other)}`
    changes.push({ kind: 'changed', finding: `changed ${what}`, what, at: other.at })
  }
  for (const pass of lost)
    changes.push({
      kind: 'lost',
      finding: `lost ${labelOf(pass)}`,
      what: labelOf(pass),
      at: pass.at ?? pass.definition,
    })
  for (const pass of gained)
    changes.push({
      kind: 'gained',
      finding: `gained ${labelOf(pass)}`,
      what: labelOf(pass),
      at: pass.at ?? pass.definition,
    })
  for (const pass of now) {
    if (!pass.unverifiable) continue
    const what = `${labelOf(pass)}, of which neither the text nor the argument can be read`
    changes.push({
      kind: 'unverifiable',
      finding: `unverifiable ${labelOf(pass)}`,
      what,
      at: pass.at ?? pass.definition,
    })
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

/** A function as it is named in a finding: by what tells it from others. */
function labelOf({ name, argument, param, definition }: Passing): string {
  const given = argument !== undefined && argument.length <= 60 && argument !== name ? argument : undefined
  const unnamed = given ?? `${name} of ${fileIn(definition) || 'native code'}`
  const named = given === undefined ? name : `${name} (${given})`
  const own = name === '<anonymous>' ? unnamed : named
  return param === undefined ? own : `param ${param}: ${own}`
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

function isSameShape(
  one: Pick<LockedRoute, 'method' | 'path' | 'app'>,
  other: Pick<LockedRoute, 'method' | 'path'>,
): boolean {
  return isSameRoute(
    { ...one, app: 0, path: shapeOf(one.path) },
    { ...other, app: 0, path: shapeOf(other.path) },
  )
}

function describe(who: string, at: string | undefined): string {
  return at === undefined ? who : `${who} ${at}`
}

function describeAnswer({ answer }: Pick<Observation, 'answer'>): string {
  const who = answer.by === 'middleware' ? `the middleware ${answer.name}` : answer.by
  return describe(who, answer.at)
}

function remedyFor(
  { method, path, passes }: LockedRoute,
  now: Observation | undefined,
  changes: readonly Change[],
): string | undefined {
  const has = (kind: ChangeKind): boolean => changes.some((change) => change.kind === kind)
  const only = `toControllers(app, { only: ['${method} ${path}'] })`
  const isMoved = now?.answer.by === 'Controller'
  if (has('gone')) return 'put it back, or accept it: --accept ROUTE --because REASON'
  if (has('shadowed') && isMoved) {
    return `${only} before it in the list, which keeps what guards it; or a Controller of this route, with all that it has lost, before ${now.answer.route ?? 'that one'}`
  }
  if (has('lost') && isMoved) {
    const lost = new Set(changes.filter(({ kind }) => kind === 'lost').map(({ what }) => what))
    const calls = passes
      .filter((pass) => lost.has(labelOf(pass)) && pass.param === undefined)
      .map(({ kind, name, argument, mount }) => {
        const given = argument ?? (name === '<anonymous>' ? undefined : name)
        // Of the route alone: as a hook it would guard all others below that path.
        if (kind === 'handler') return given && `fromExpress(${given}, handler) as its callback`
        return given && `addGlobal(${mount === undefined ? '' : `'${mount}', `}${given})`
      })
    // Some can only be kept with the whole chain.
    return calls.includes(undefined) || calls.length === 0
      ? `${only}, which keeps them`
      : `${calls.join(', ')}; or ${only}, which keeps them`
  }
  if (has('lost') || has('changed') || has('reordered'))
    return 'put it back, or accept it: --accept ROUTE --because REASON'
  if (has('twice')) return 'take it out of the app'
  if (isMoved && has('settings')) return `profile: fromApp(app), or ${only}`
  if (isMoved && has('params')) return `${only}, which keeps them`
  if (has('unverifiable')) return 'give a function that is written in a file, or the call that makes it'
  return undefined
}
