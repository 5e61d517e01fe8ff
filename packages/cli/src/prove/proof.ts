// One verdict on some routes: check, parity and replay, by two sides that run.
import { compare, questionOf } from '../check/check.js'
import { isOfAny } from '../check/chosen-routes.js'
import { createLock, type Lock, nameOf } from '../check/lock.js'
import { ProjectCode } from '../code/project-code.js'
import { type Inputs, inputsOf } from '../code/inputs.js'
import type { CheckReport } from '../documents/check.js'
import type { Inventory, RouteRow } from '../documents/inventory.js'
import type { ParityReport } from '../documents/parity.js'
import type { Missing, ProvedRoute, ProveReport, Verdict } from '../documents/prove.js'
import { readCommittedLock } from '../edit/look.js'
import { isOfPackage } from '../code/of-package.js'
import { namedBy } from '../edit/rows.js'
import { buildOfEntry } from '../entry/built-entry.js'
import { shownEntry } from '../entry/command-context.js'
import { type Ignored, readIgnored } from '../entry/ignore.js'
import { EntryFailure, type Interruption } from '../entry/interruptible.js'
import type { CommandOptions } from '../entry/options.js'
import type { Side } from '../entry/serve-side.js'
import { answersAtLegacy, compareAnswers, type Started } from '../parity/parity.js'
import { codeOfToday } from '../parity/sides.js'
import { toldMissing } from '../report/prove-missing.js'
import type { CommandContext } from '../terminal/context.js'
import type { RecordedExchange } from '../../../compare/src/recording.js'
import type { Tested } from '../../../compare/src/tested.js'
import { type RecordedPart, replayPart } from './recorded-part.js'

const safe = ['GET', 'HEAD', 'OPTIONS']
/** Names of functions that read multipart/form-data, as multer makes them. */
const readsForm = /multer|multipart|busboy|formidable|upload/i

/** One proof of the routes, by sides that run. */
export class Proof {
  readonly #started: Started
  readonly #options: CommandOptions
  readonly #context: CommandContext
  readonly #signal: AbortSignal
  readonly #exchanges: readonly RecordedExchange[]
  readonly #rows: readonly RouteRow[]
  readonly #missing: Missing[] = []
  readonly #ignored: readonly Ignored[]
  readonly #inputs: ReadonlyMap<string, Inputs>

  constructor(
    started: Started,
    options: CommandOptions,
    context: CommandContext,
    { signal }: Interruption,
    exchanges: readonly RecordedExchange[],
  ) {
    this.#started = started
    this.#options = options
    this.#context = context
    this.#signal = signal
    this.#exchanges = exchanges
    this.#ignored = readIgnored(options.cwd, options.parity.ignore)
    const [legacy, now] = started.sides.map(inventoryOf)
    const known = new Set(now!.routes.map(nameOf))
    // A route that is gone is named by what it was.
    const gone =
      options.parity.base === undefined ? [] : legacy!.routes.filter((row) => !known.has(nameOf(row)))
    const all = [...now!.routes, ...gone].filter(({ kind }) => kind === 'route')
    const isNamed = namedBy(options.named.routes, { ...now!, routes: all })
    this.#rows = all.filter(isNamed)
    const project = new ProjectCode(options.cwd)
    this.#inputs = new Map(this.#rows.map((row) => [nameOf(row), inputsOf(row, project)]))
  }

  async run(): Promise<ProveReport> {
    const { parity: parityOptions, cwd, entry } = this.#options
    const build = buildOfEntry(cwd, entry)
    const check = await this.#check()
    const compared = this.#rows.filter((row) => this.#isComparable(row))
    const names = new Set(compared.map(nameOf))
    // Parity deletes last, so the recorded requests come first.
    const part = this.#exchanges.length === 0 || names.size === 0 ? undefined : await this.#replay(names)
    const parity = await this.#parity(names)
    if (parity !== undefined) this.#isWhole('parity', parity.report)
    if (part !== undefined) this.#isWhole('replay', part.report)
    for (const row of compared) this.#isTested(row, [parity?.tested, part?.tested])
    const writes = this.#rows.some(({ method }) => !safe.includes(method))
    const limits = [
      ...codeOfToday(this.#options),
      ...(writes
        ? ['What a request writes, sends or starts besides its answer is not compared: read that by hand.']
        : []),
      ...(writes && parityOptions.unsafe && parityOptions.data === undefined
        ? ['Both sides have the same data, as far as they keep it outside of their process.']
        : []),
    ]
    const found = this.#foundIn(check, [parity?.report, part?.report])
    const routes = this.#rows.map((row) => this.#routeOf(row, found, parity?.tested, part?.tested))
    return {
      version: 1,
      verdict: verdictOf(found.size > 0, this.#missing.length > 0),
      routes,
      check,
      parity: parity?.report,
      replay: part?.report,
      missing: this.#missing.map((one) => toldMissing(one, { entry: shownEntry(this.#options), build })),
      limits,
    }
  }

  /** What guards the routes, compared with the lock and with the revision. */
  async #check(): Promise<CheckReport | undefined> {
    const { parity } = this.#options
    const committed = readCommittedLock(this.#options)
    const [legacy] = this.#started.sides
    const locks = [
      ...(committed === undefined ? [] : [committed]),
      ...(parity.base === undefined ? [] : [createLock(inventoryOf(legacy), committed, { except: [] })]),
    ]
    const reports: CheckReport[] = []
    for (const lock of locks) reports.push(await this.#checkBy(lock))
    if (reports.length === 0) this.#missing.push({ code: 'no-lock', route: undefined })
    return reports.find(({ ok }) => !ok) ?? reports[0]
  }

  async #checkBy(lock: Lock): Promise<CheckReport> {
    const [, now] = this.#started.sides
    const observed = await now.entry!.observe(questionOf(lock))
    if (observed === undefined)
      throw new EntryFailure(`${shownEntry(this.#options)} has ended before it could be asked of its guards.`)
    const report = compare(lock, inventoryOf(now), observed)
    const isNamed = isOfAny(this.#options.named.routes)
    const routes = report.routes.filter(isNamed)
    const checked = this.#rows.length
    return {
      ...report,
      routes,
      checked,
      mounts: 0,
      byPosition: 0,
      notCompared: 0,
      ok: routes.every(isUnchanged),
    }
  }

  /** Whether both sides answer a route, and by different code. */
  #isComparable(row: RouteRow): boolean {
    const route = nameOf(row)
    if (this.#options.parity.base !== undefined) return true
    if (row.own.stage === 'legacy') {
      const isKept = isOfPackage(row.own.at, this.#options.cwd)
      const unkept = row.own.followed ? 'followed' : 'not-moved'
      this.#missing.push({ code: isKept ? 'of-package' : unkept, route })
    } else if (answersAtLegacy(row)) return true
    else if (row.own.stage !== undefined || !this.#answersInApp(row))
      this.#missing.push({ code: 'no-legacy', route })
    else return true
    return false
  }

  /** Of a Controller in front: whether the app behind it has the route, too. */
  #answersInApp({ method, path }: RouteRow): boolean {
    const [legacy] = this.#started.sides
    return inventoryOf(legacy).routes.some(
      (row) => answersAtLegacy(row) && row.path === path && [method, '*'].includes(row.method),
    )
  }

  #replay(names: ReadonlySet<string>): Promise<RecordedPart | undefined> {
    const { sides, again } = this.#started
    const [legacy, now] = sides
    const part = { exchanges: this.#exchanges, names, now, legacy, again, ignored: this.#ignored }
    return replayPart(part, this.#options, this.#signal)
  }

  async #parity(names: ReadonlySet<string>): Promise<Awaited<ReturnType<typeof compareAnswers>> | undefined> {
    if (names.size === 0) return undefined
    return compareAnswers(this.#started, this.#options, this.#context, {
      signal: this.#signal,
      ignored: this.#ignored,
      isWanted: (route) => names.has(nameOf(route)),
      inputsOf: (route) => {
        const { names: read = [], accepts = [] } = this.#inputs.get(nameOf(route)) ?? {}
        return { query: read.flatMap((name) => /^query\.(.+)/.exec(name)?.[1] ?? []), accepts }
      },
    })
  }

  #isWhole(of: 'parity' | 'replay', { compared, planned }: ParityReport): void {
    if (compared < planned)
      this.#missing.push({ code: 'incomplete', route: undefined, of, compared, planned })
  }

  #isTested(row: RouteRow, tested: readonly (Tested | undefined)[]): void {
    const route = nameOf(row)
    const statuses = tested.flatMap((one) => one?.of(route).statuses ?? [])
    const isMade = this.#options.parity.unsafe || safe.includes(row.method) || row.method === '*'
    if (!isMade) this.#missing.push({ code: 'unsafe', route })
    else if (statuses.length === 0) this.#missing.push({ code: 'no-request', route })
    else if (tested.some((one) => one?.of(route).isLimited)) this.#missing.push({ code: 'limited', route })
    else if (statuses.every((status) => status >= 400))
      this.#missing.push({
        ...{ code: 'no-success', route, statuses: [...new Set(statuses)] },
        ...(row.passes.some(({ name }) => readsForm.test(name)) && { takesForm: true }),
      })
    else if (this.#isBeside(row) && !tested.some((one) => one?.of(route).isReached))
      this.#missing.push({ code: 'not-reached', route, statuses: [...new Set(statuses)] })
    else if (!tested.some((one) => this.#hasContent(row, one))) this.#missing.push({ code: 'empty', route })
    else this.#hasInputs(route, tested)
  }

  /** Whether this run has decided who answers a route, and so knows which requests have come to its native callback. */
  #isBeside({ own }: RouteRow): boolean {
    return this.#options.parity.base === undefined && own.stage === 'beside'
  }

  /** What a guard answers tells nothing of the callback behind it. */
  #hasContent(row: RouteRow, tested: Tested | undefined): boolean | undefined {
    const { hasContent, hasReachedContent } = tested?.of(nameOf(row)) ?? {}
    return this.#isBeside(row) ? hasReachedContent : hasContent
  }

  /** Whether requests had what its code reads: what that does with a value was not seen otherwise. */
  #hasInputs(route: string, tested: readonly (Tested | undefined)[]): void {
    const { names = [] } = this.#inputs.get(route) ?? {}
    const inputs = names.filter((name) => !tested.some((one) => one?.of(route).inputs.has(name)))
    if (inputs.length > 0) this.#missing.push({ code: 'no-input', route, inputs })
  }

  /** The routes of which something was found. */
  #foundIn(check: CheckReport | undefined, answers: readonly (ParityReport | undefined)[]): Set<string> {
    const changed = check?.routes.filter((route) => !isUnchanged(route)).map(nameOf) ?? []
    const differing = answers.flatMap(
      (report) => report?.groups.flatMap(({ differences }) => differences.map(({ route }) => route)) ?? [],
    )
    return new Set([...changed, ...differing])
  }

  #routeOf(
    row: RouteRow,
    found: ReadonlySet<string>,
    made: Tested | undefined,
    given: Tested | undefined,
  ): ProvedRoute {
    const name = nameOf(row)
    const [own, played] = [made?.of(name), given?.of(name)]
    const isMissing = this.#missing.some(({ route = name }) => route === name)
    return {
      method: row.method,
      path: row.path,
      at: row.own.at,
      stage: row.own.stage,
      verdict: verdictOf(found.has(name), isMissing),
      compared: (own?.compared ?? 0) + (played?.compared ?? 0),
      played: played?.compared ?? 0,
      statuses: [...new Set([...(own?.statuses ?? []), ...(played?.statuses ?? [])])].sort((a, b) => a - b),
    }
  }
}

const isUnchanged = ({ changes }: CheckReport['routes'][number]): boolean => changes.length === 0

const inventoryOf = ({ report }: Side): Inventory => report!.inventory!

function verdictOf(isFound: boolean, isMissing: boolean): Verdict {
  if (isFound) return 'different'
  return isMissing ? 'unproved' : 'proved'
}
