// `parity`: makes the same requests of the app as it was and as it is, and tells in what the answers differ, and why.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'

import { ProjectCode } from '../code/project-code.js'
import { unansweredBy } from '../code/rejections.js'
import { buildOfEntry } from '../entry/built-entry.js'
import { shownEntry } from '../entry/command-context.js'
import { type CommandContext, tell } from '../terminal/context.js'
import { EntryFailure, runInterruptibly } from '../entry/interruptible.js'
import { createLock, identityOf, type Lock, type LockedRoute, nameOf } from '../check/lock.js'
import { maskOf } from '../../../compare/src/mask.js'
import { readLockFile } from '../check/read-lock.js'
import { type CommandOptions, UsageError } from '../entry/options.js'
import type { Difference } from '../../../compare/src/difference.js'
import {
  type ReceivedAnswer,
  following,
  headOf,
  isEmptyAnswer,
} from '../../../compare/src/received-answer.js'
import { ask, brokenOff, closed, mostBodyBytes } from '../../../compare/src/ask.js'
import { Names, Noise, ofOwnRequests } from '../../../compare/src/noise.js'
import { type Side, type SideKind, startSide } from '../entry/serve-side.js'
import { groupDifferences } from '../report/parity-groups.js'
import { compareExactly } from './compare-exactly.js'
import { type Ignored, isIgnoredIn, readIgnored, withoutIgnored } from '../entry/ignore.js'
import { keyOf, type KnownInputs, planRequests } from './requests.js'
import { type ParityRequest } from '../../../compare/src/request.js'
import type { ParityDifference, ParityReport } from '../documents/parity.js'
import { numbersIn, SameApps } from './same-apps.js'
import { prepareSides } from './sides.js'
import { Tested } from '../../../compare/src/tested.js'
import { type SideFolder } from '../entry/serve-side.js'
import { exitCodeOf, tellParity } from '../report/tell-parity.js'
import { describeThrown } from '../../../../src/ground/log.js'
import type { Report } from '../documents/child.js'
import type { RouteRow } from '../documents/inventory.js'
import { shapeOf } from 'routecontrollers/express-model'
import { count } from '../terminal/text.js'
import { quoted, shellWord } from '../terminal/shell-word.js'

// A server that answers none of its first requests is not there.
const mostUnanswered = 10
const mayHaveEnded: ReadonlySet<string | undefined> = new Set([closed, brokenOff])

/** Runs `parity`; gives the exit code. */
export function parityEntry(options: CommandOptions, context: CommandContext): Promise<number> {
  return runInterruptibly(options, context, async ({ signal, undo, beginWork }) => {
    const ignored = readIgnored(options.cwd, options.parity.ignore)
    const resumed = resumeOf(options, ignored)
    const started = await startSides(options, context, undo)
    const same = sameSides(started, options)
    if (same !== undefined) throw new UsageError(same)
    beginWork()
    const { report } = await compareAnswers(started, options, context, { signal, ignored, resumed })
    tellParity(report, { ...options, name: shownEntry(options) }, context)
    if (signal.aborted && report.compared < report.planned)
      tell(
        context,
        `${report.compared} of ${count(report.planned, 'request')} were compared until it was ended.`,
      )
    return exitCodeOf(report)
  })
}

interface Comparing {
  readonly signal: AbortSignal
  readonly ignored: readonly Ignored[]
  readonly resumed?: Resumed | undefined
  /** Which routes are compared; all unless given. */
  readonly isWanted?: (route: LockedRoute) => boolean
  readonly inputsOf?: (route: LockedRoute) => KnownInputs | undefined
}

/** What was found, and how each route was tested. */
interface ComparedAnswers {
  readonly report: ParityReport
  readonly tested: Tested
}

/** Compares the answers of two sides that run. */
export async function compareAnswers(
  { sides, again, lock, notes: begun }: Started,
  options: CommandOptions,
  context: CommandContext,
  { signal, ignored, resumed, isWanted = () => true, inputsOf }: Comparing,
): Promise<ComparedAnswers> {
  const { routes, left } = routesOf(sides, lock, options, isWanted)
  const notes = [...begun, ...(left.length > 0 ? [leftOut(left)] : [])]
  if (left.length > 0 && routes.length === 0)
    throw new UsageError(`${leftOut(left)} Nothing is left to compare.`)
  const plan = planRequests(routes, options.parity.headers, options.parity.unsafe, inputsOf)
  const comparison = new Comparison({ sides, again, ignored, signal, resumed })
  await comparison.run(plan, context)
  return { report: await comparison.report(plan, notes, options), tested: comparison.tested }
}

function leftOut(routes: readonly string[]): string {
  return `${count(routes.length, 'route')} left out, which Express has no more: ${someOf(routes)}. --base REVISION compares them with the code that had them.`
}

function someOf(routes: readonly string[]): string {
  const more = routes.length > 3 ? ` and ${routes.length - 3} more` : ''
  return `${routes.slice(0, 3).join(', ')}${more}`
}

/** Two sides that run. */
export interface Started {
  readonly sides: readonly [legacy: Side, now: Side]
  /** Legacy, started a second time; undefined where there is none. */
  readonly again: Side | undefined
  readonly lock: Lock | undefined
  readonly notes: readonly string[]
  /** Starts the second side again, with the code as it is then. Throws EntryFailure. */
  readonly startNow: () => Promise<Side>
}

/** Starts both sides, and the first one twice. Throws UsageError. */
export async function startSides(
  options: CommandOptions,
  context: CommandContext,
  undo: (action: () => void) => void,
): Promise<Started> {
  const { parity, cwd } = options
  const { answerLimitMs } = parity
  const name = options.lock ?? 'routes.lock.json'
  const lock = readLockFile(cwd, name, false)
  if (lock === undefined && (options.lock ?? parity.urls) !== undefined) {
    throw new UsageError(
      `There is no ${name} in ${cwd}: write it with routecontrollers inspect ENTRY --lock ${shellWord(name)}`,
    )
  }
  const shared =
    parity.data === undefined ? ['shared data: both sides have the same, --data gives each a copy.'] : []
  if (parity.urls !== undefined) {
    const [legacy, now] = parity.urls.map((url): Side => ({
      name: url.href,
      report: undefined,
      placeOf: () => ({ url, host: undefined, folder: '', answerLimitMs, mask: maskOf(parity.headers) }),
      entry: undefined,
      revive: () => Promise.resolve(true),
    }))
    return {
      sides: [legacy!, now!],
      again: undefined,
      lock,
      notes: shared,
      startNow: () => Promise.resolve(now!),
    }
  }
  const folders = await prepareSides(options, context, undo)
  const start = (folder: SideFolder, kind: SideKind): Promise<Side> =>
    startSide(folder, kind, options, context, undo)
  const ofLegacy = parity.base === undefined ? 'legacy' : 'by state'
  const [legacy, now] = await Promise.all([start(folders.legacy, ofLegacy), start(folders.now, 'native')])
  // Some apps run once on a machine: they hold a file, or a port of their own. Then the first one has it.
  const again = await start(folders.again, ofLegacy).catch((error: unknown) => {
    if (error instanceof EntryFailure) return undefined
    throw error
  })
  const startedOnce =
    again === undefined
      ? [`${legacy.name} did not start a second time beside itself: what changes with a start is not known.`]
      : []
  const notes = [...shared, ...folders.notes, ...startedOnce]
  return { sides: [legacy, now], again, lock, notes, startNow: () => start(folders.now, 'native') }
}

/** Why both sides are the same; undefined where they are not, or serve already. */
function sameSides({ sides: [legacy] }: Started, options: CommandOptions): string | undefined {
  const { report } = legacy
  const { base } = options.parity
  const isBeside = report?.inventory?.routes.some(({ own }) => own.stage === 'beside')
  if (base !== undefined || report === undefined || report.standIns > 0 || isBeside) return undefined
  const build = buildOfEntry(options.cwd, options.entry)
  const remedy = `--base REVISION${build === undefined ? '' : ` --run ${quoted(build)}`}`
  return report.routeControllers === 0
    ? `${shownEntry(options)} has no RouteControllers and no native callback before a handler, so both sides are the same: ${remedy} says what to compare with`
    : `the Controllers of ${shownEntry(options)} stand in no middleware() and no Server, and cannot be switched off: ${remedy} says what to compare with`
}

/** The routes of both sides, and samples of the lock; of two URLs, the routes of the lock. */
function routesOf(
  [legacy, now]: Started['sides'],
  lock: Lock | undefined,
  { parity: { base } }: CommandOptions,
  isWanted: (route: LockedRoute) => boolean,
): { readonly routes: readonly LockedRoute[]; readonly left: readonly string[] } {
  if (now.report === undefined) return { routes: lock!.routes, left: [] }
  const [own, ofNow] = [legacy, now].map(({ report }) => createLock(report!.inventory!, lock).routes)
  const numbers = numbersIn(now.report, legacy.report)
  const ofLegacy = own!.map(({ app = 0, ...one }) => ({ ...one, app: numbers[app] ?? app }))
  const known = new Set(ofNow!.map(identityOf))
  const all = [...ofNow!, ...ofLegacy.filter((one) => !known.has(identityOf(one)))]
  const routes = all.filter(isWanted)
  if (base !== undefined) return { routes, left: [] }
  // Without its Controllers this code has no more than what Express still has.
  const still = legacy.report!.inventory!.routes.filter(answersAtLegacy)
  const places = new Set(still.map(placeOf))
  const has = (one: LockedRoute): boolean =>
    places.has(placeOf(one)) || places.has(placeOf({ ...one, method: '*' }))
  return { routes: routes.filter(has), left: routes.filter((one) => !has(one)).map(nameOf) }
}

/** Whether a route answers with all Controllers switched off. */
export function answersAtLegacy({ own, answer }: RouteRow): boolean {
  return own.stage === undefined ? own.by === 'Express' || answer.takenOver : own.stage !== 'native'
}

const placeOf = ({ method, path }: Pick<LockedRoute, 'method' | 'path'>): string =>
  `${method} ${shapeOf(path)}`

/** What was compared: a line each, in a file that grows. */
interface Resumed {
  readonly done: ReadonlyMap<string, Compared>
  add(key: string, compared: Compared): void
}

interface Compared {
  readonly difference?: ParityDifference
  readonly noise: readonly string[]
  /** What was left out of it. */
  readonly ignored?: readonly string[]
  /** True where both sides have answered alike, with 401 or 403. */
  readonly refused?: boolean
  /** That of legacy; undefined where it has not answered. */
  readonly status?: number | undefined
  /** True where its answer tells of nothing. */
  readonly isEmpty?: boolean
  /** True where the native callback of its route was asked. */
  readonly isReached?: boolean
}

/** What an earlier run has written down. Throws UsageError where that has compared something else. */
function resumeOf(
  { parity, entry, cwd, parameters }: CommandOptions,
  ignored: readonly Ignored[],
): Resumed | undefined {
  const { resume, urls, base = null, headers } = parity
  if (resume === undefined) return undefined
  const file = resolve(cwd, resume)
  const of = hash(
    JSON.stringify([
      relative(cwd, entry),
      parameters,
      urls ?? [],
      base,
      headers,
      ...ignored.map(({ text }) => text),
    ]),
  )
  const [head, ...lines] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  if (head !== undefined && head !== of)
    throw new UsageError(`--resume: ${resume} is of another command line: take another file, or remove it`)
  // A line may have been cut: its request is made again.
  const done = lines.flatMap(comparedIn)
  let start = head === undefined ? `${of}\n` : lines.at(-1) === '' ? '' : '\n'
  return {
    done: new Map(done),
    add(key, compared) {
      appendFileSync(file, `${start}${JSON.stringify([key, compared])}\n`)
      start = ''
    },
  }
}

/** What a line of such a file tells; nothing for one that was cut. */
function comparedIn(line: string): [key: string, compared: Compared][] {
  try {
    return [JSON.parse(line) as [string, Compared]]
  } catch {
    return []
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Compares one request after the other. */
class Comparison {
  readonly #sides: Started['sides']
  readonly #apps: SameApps
  #again: Side | undefined
  readonly #ignored: readonly Ignored[]
  readonly #signal: AbortSignal
  readonly #resumed: Resumed | undefined
  readonly #ignoredIn = Object.create(null) as Record<string, number>
  readonly #differences: ParityDifference[] = []
  readonly #noise = Object.create(null) as Record<string, number>
  readonly #noisyHeaders = new Map<string, Names>()
  /** Routes that do not answer in time; they are not asked again. */
  readonly #slow = new Set<string>()
  /** Routes, and whether each of their requests was refused so far. */
  readonly #refused = new Map<string, boolean>()
  readonly tested: Tested = new Tested()
  #ended: string | undefined
  #limited = 0
  /** Requests of whose bodies only the beginning was compared. */
  #cut = 0
  #compared = 0
  /** Requests that neither side has answered. */
  #unanswered = 0
  /** Requests whose comparison has failed, and the first reason. */
  #failed = 0
  #firstFailure: string | undefined
  /** How many requests legacy has left unanswered before its first answer; undefined since that. */
  #silence: number | undefined = 0

  constructor({
    sides,
    again,
    ignored,
    signal,
    resumed,
  }: Pick<Started, 'sides' | 'again'> & {
    readonly ignored: readonly Ignored[]
    readonly signal: AbortSignal
    readonly resumed: Resumed | undefined
  }) {
    this.#sides = sides
    this.#apps = new SameApps(sides[1])
    this.#again = again
    this.#ignored = ignored
    this.#signal = signal
    this.#resumed = resumed
    if (resumed !== undefined && resumed.done.size > 0) this.#silence = undefined
  }

  async run(plan: readonly ParityRequest[], { stderr }: CommandContext): Promise<void> {
    let shownAt = 0
    for (const request of plan) {
      if (this.#signal.aborted || this.#ended !== undefined) break
      const key = hash(keyOf(request))
      const earlier = this.#resumed?.done.get(key)
      const compared =
        earlier ?? (await this.#compare(request).catch((error: unknown) => this.#fail(request, error)))
      if (this.#silence === mostUnanswered) break
      if (compared === undefined) continue
      // What legacy has not answered is asked again the next time.
      if (earlier === undefined && compared.difference?.legacy.failure === undefined)
        this.#resumed?.add(key, compared)
      this.#compared++
      if (compared.difference !== undefined) this.#differences.push(compared.difference)
      for (const name of compared.ignored ?? []) this.#ignoredIn[name] = (this.#ignoredIn[name] ?? 0) + 1
      for (const name of compared.noise) this.#noise[name] = (this.#noise[name] ?? 0) + 1
      const { route, isMount, variant, target, headers, body } = request
      // Other forms of its path may be those of another route.
      const isPlain = variant === '' && !isMount
      if (isPlain) this.#refused.set(route, compared.refused === true && this.#refused.get(route) !== false)
      const asked = { target, headers: Object.entries(headers), body }
      this.tested.add(route, isPlain ? compared.status : undefined, asked, compared)
      if (stderr.isTTY !== true || performance.now() - shownAt < 100) continue
      shownAt = performance.now()
      const part = Math.round((this.#compared / plan.length) * 30)
      const bar = '#'.repeat(part).padEnd(30, '.')
      stderr.write(`\r${bar} ${this.#compared} of ${plan.length}, ${this.#differences.length} differ `)
    }
    if (shownAt > 0) stderr.write('\r\u001b[K')
    if (!this.#silence || this.#signal.aborted) return
    throw new EntryFailure(`${this.#sides[0].name} has answered no request: nothing can be compared with it.`)
  }

  /** One that cannot be compared says nothing of the others. */
  #fail({ method, target }: ParityRequest, error: unknown): undefined {
    if (error instanceof EntryFailure) throw error
    this.#failed++
    this.#firstFailure ??= `${method} ${target}: ${describeThrown(error).split('\n', 1)[0]}`
    return undefined
  }

  /** Gives undefined where there is nothing to compare. */
  async #compare(request: ParityRequest): Promise<Compared | undefined> {
    const { route, method, target, variant, headers, app } = request
    if (this.#slow.has(route)) return void this.#unanswered++
    const [legacy, now, other] = await this.#askAll(request)
    if (this.#signal.aborted) return undefined
    if (legacy.status !== 0) this.#silence = undefined
    else if (this.#silence !== undefined) this.#silence++
    if (legacy.failure?.startsWith('no answer')) this.#slow.add(route)
    if (legacy.status === 0 && legacy.failure === now.failure) return void this.#unanswered++
    if (legacy.status === 429 && now.status === 429) this.#limited++
    const refused = now.status === 401 || now.status === 403
    const status = legacy.failure === undefined ? legacy.status : undefined
    const told = { status, isEmpty: isEmptyAnswer(method, legacy), isReached: now.isReached === true }
    const rules = this.#ignored.filter((one) => isIgnoredIn(one, request, route))
    const [one, two] = [legacy, now].map((answer) => withoutIgnored(answer, rules)) as [Without, Without]
    const ignored = [...new Set([...one.used, ...two.used])]
    if (legacy.isCut === true || now.isCut === true) this.#cut++
    const first = compareExactly(one.answer, two.answer, [], new Noise())
    if (first.differences.length === 0) return { noise: [], refused, ...told, ignored }
    // All of them, so that what counts requests has counted the same.
    const [again] = await this.#askAll(request)
    if (this.#signal.aborted) return undefined
    const noisyRoute = `${app} ${route}`
    let known = this.#noisyHeaders.get(noisyRoute)
    if (known === undefined) this.#noisyHeaders.set(noisyRoute, (known = new Names(ofOwnRequests)))
    const others = [again, ...other].map((answer) => withoutIgnored(answer, rules).answer)
    const { differences, noise } = compareExactly(one.answer, two.answer, others, new Noise(known))
    const changes = method === 'HEAD' ? await this.#ofHead(request, differences) : differences
    if (changes.length === 0) return { noise, refused, ...told, ignored }
    const heads = { legacy: headOf(legacy), now: headOf(now) }
    const difference = { method, target, route, variant, headers: Object.keys(headers), ...heads, changes }
    return { difference, noise, ...told, ignored }
  }

  /** Of HEAD, without what is made of a body that names the place of its side, or a stack: GET shows that body. */
  async #ofHead(request: ParityRequest, found: readonly Difference[]): Promise<readonly Difference[]> {
    const isMade = ({ name = '' }: Difference): boolean => following.includes(name)
    if (!found.some(isMade)) return found
    const [legacy, now] = await this.#askAll({ ...request, method: 'GET' })
    const isHidden = (name = ''): boolean => [legacy, now].some(({ headers }) => headers.get(name) === '')
    return found.filter((one) => !(isMade(one) && isHidden(one.name)))
  }

  /** The answers of both sides, and of legacy as it was started a second time. */
  async #askAll(
    request: ParityRequest,
  ): Promise<[legacy: ReceivedAnswer, now: ReceivedAnswer, again: readonly ReceivedAnswer[]]> {
    const askSide = (side: Side): Promise<ReceivedAnswer> =>
      ask(this.#apps.placeAt(side, request.app), request, this.#signal)
    const third = this.#again
    const [legacy, now, other] = await Promise.all([
      askSide(this.#sides[0]),
      askSide(this.#sides[1]),
      third && askSide(third),
    ])
    if ([legacy, now, other].some((one) => one?.status === 429)) this.tested.limit(request.route)
    const answers: [ReceivedAnswer, ReceivedAnswer] = [legacy, now]
    for (const [at, { failure }] of answers.entries()) {
      if (mayHaveEnded.has(failure)) this.#ended ??= await whyNotRevived(this.#sides[at]!)
    }
    // It only tells what is noise.
    if (mayHaveEnded.has(other?.failure) && !(await third!.revive().catch(() => false)))
      this.#again = undefined
    return [...answers, other === undefined ? [] : [other]]
  }

  async report(
    plan: readonly ParityRequest[],
    notes: readonly string[],
    { parity: { base, urls } }: CommandOptions,
  ): Promise<ParityReport> {
    const [legacy, now] = this.#sides
    const told = [...notes, ...(this.#ended === undefined ? [] : [this.#ended])]
    if (this.#limited > 0)
      told.push(
        `${count(this.#limited, 'request')} were answered 429 by both: a rate limit hides what stands behind it.`,
      )
    if (this.#cut > 0)
      told.push(
        `${count(this.#cut, 'request')} had an answer of which only the first ${mostBodyBytes / 1024 ** 2} MiB were compared.`,
      )
    if (this.#unanswered > 0)
      told.push(`${count(this.#unanswered, 'request')} not compared: there was no answer to compare.`)
    if (this.#failed > 0)
      told.push(
        `${count(this.#failed, 'request')} not compared: the comparison has failed. The first is ${this.#firstFailure}`,
      )
    const refused = [...this.#refused].flatMap(([route, always]) => (always ? route : []))
    if (refused.length > 0)
      told.push(
        `${count(refused.length, 'route')} answered nothing but 401 or 403, so that only what guards them was compared: ${someOf(refused)}. --header lets requests in.`,
      )
    for (const route of this.#slow) told.push(`${route} did not answer in time, and was not asked again.`)
    const apps = new Map(plan.map(({ route, app }) => [route, app]))
    const question = this.#differences.map(({ method, target, route }) => ({
      app: apps.get(route) ?? 0,
      method,
      witness: target,
      answer: route,
    }))
    const observed = question.length === 0 ? undefined : await now.entry?.observe(question)
    const differences = this.#differences.map((one, at): ParityDifference => {
      const answer = observed?.[at]?.answer
      if (answer === undefined) return one
      const who = [answer.by, answer.route ?? answer.name].filter(Boolean).join(' ')
      const { at: place } = answer
      return place === undefined ? { ...one, by: who } : { ...one, by: `${who} at ${place}`, at: place }
    })
    return {
      version: 1,
      ok: differences.length === 0 && this.#compared === plan.length,
      compared: this.#compared,
      planned: plan.length,
      legacy: legacy.name,
      now: now.name,
      groups: groupDifferences(differences, {
        isSameCode: base === undefined && urls === undefined,
        isNative: nativeRoutes(legacy.report, now.report),
        unansweredBy: unansweredIn(legacy),
      }),
      noise: this.#noise,
      ignored: this.#ignoredIn,
      notes: told,
    }
  }
}

/** Why a side answers no more, for the report: what was found until then is told. Undefined where it does. */
async function whyNotRevived(side: Side): Promise<string | undefined> {
  try {
    if (await side.revive()) return undefined
    return `${side.name}: requests have ended it again and again; the rest was not asked.`
  } catch (error) {
    if (!(error instanceof EntryFailure)) throw error
    return `${side.name}: a request has ended it, and it did not start again; the rest was not asked. ${error.message}`
  }
}

type Without = ReturnType<typeof withoutIgnored>

/** The version of Express that never answers where the handler of a route rejects. */
function unansweredIn(side: Side): (route: string) => number | undefined {
  const inventory = side.report?.inventory
  if (inventory === undefined) return () => undefined
  const project = new ProjectCode(side.placeOf(0).folder)
  return (route) => {
    const row = inventory.routes.find((one) => nameOf(one) === route)
    return row && unansweredBy(row, inventory, project)
  }
}

/** Which routes are Controllers that distinguish slashes and case, where legacy does not: those have no profile of Express. */
function nativeRoutes(legacy: Report | undefined, now: Report | undefined): (route: string) => boolean {
  const exactIn = (report: Report | undefined, isOwn: (row: RouteRow) => boolean): Set<string> =>
    new Set(
      (report?.inventory?.routes ?? [])
        .filter((row) => row.settings.strict && row.settings.caseSensitive && isOwn(row))
        .map(nameOf),
    )
  const ofLegacy = exactIn(legacy, ({ own }) => own.by === 'Express')
  const ofNow = exactIn(now, ({ own, answer }) => own.by === 'Controller' && !answer.takenOver)
  return (route) => ofNow.has(route) && !ofLegacy.has(route)
}
