// `replay`: makes the requests of a recording again, and compares the answers with those of the recording, or of another server.
import { setTimeout as sleep } from 'node:timers/promises'
import { shownEntry } from '../entry/command-context.js'
import { type CommandContext } from '../terminal/context.js'
import { describeThrown } from '../../../../src/ground/log.js'
import { runInterruptibly } from '../entry/interruptible.js'
import { maskOf } from '../../../compare/src/mask.js'
import type { CommandOptions } from '../entry/options.js'
import { readTraffic } from '../entry/traffic.js'
import { serveEntry } from '../entry/serve-side.js'
import { exitCodeOf, tellParity } from '../report/tell-parity.js'
import { type ReceivedAnswer, headOf, isEmptyAnswer } from '../../../compare/src/received-answer.js'
import { ask, mostBodyBytes, type Place } from '../../../compare/src/ask.js'
import { groupDifferences } from '../report/parity-groups.js'
import { type Ignored, isIgnoredIn, readIgnored, withoutIgnored } from '../entry/ignore.js'
import type { ParityRequest } from '../../../compare/src/request.js'
import type { ParityDifference, ParityReport } from '../documents/parity.js'
import { count } from '../terminal/text.js'
import { differencesOf, neverCompared } from '../../../compare/src/compare-answers.js'
import type { CompareRules } from '../../../compare/src/rules.js'
import { CookieJars } from './cookie-jars.js'
import { fieldsOf } from '../../../compare/src/memory-request.js'
import { Noise } from '../../../compare/src/noise.js'
import { bytesOf, type RecordedExchange } from '../../../compare/src/recording.js'
import { Tested } from '../../../compare/src/tested.js'
import { leftOut, secretsOf } from '../../../compare/src/redact.js'
import type { Difference } from '../../../compare/src/difference.js'

const safe = ['GET', 'HEAD', 'OPTIONS']
// Of the connection that was, or made anew for the one that is; and what asks for a packed answer, or for none.
const notSent = [
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'trailer',
  'accept-encoding',
  'upgrade',
  'expect',
]

/** One of the servers that are asked, with the cookies that it has set. */
interface Target {
  readonly name: string
  readonly place: Place
  readonly cookies: CookieJars
}

/** Runs `replay`; gives the exit code. */
export async function replayTraffic(options: CommandOptions, context: CommandContext): Promise<number> {
  const { traffic, rate } = options.replay!
  const { exchanges, unread } = readTraffic(traffic)
  return runInterruptibly(options, context, async ({ signal, undo, beginWork }) => {
    const targets = await startTargets(options, context, undo)
    beginWork()
    const { played, notes } = playedOf(exchanges, options.parity.unsafe)
    const ignored = readIgnored(options.cwd, [])
    const replay = new Replay(targets, options, { signal, ignored, exchanges })
    if (rate === undefined) await replay.inOrder(played)
    else await replay.atRate(played, rate)
    const report = replay.report(played.length, [...unreadNotes(unread), ...notes])
    tellParity(report, { ...options, name: shownEntry(options) }, context)
    return exitCodeOf(report)
  })
}

const unreadNotes = (unread: number): string[] =>
  unread > 0 ? [`${count(unread, 'line')} could not be read.`] : []

/** What of a recording can be played, and what is told of the rest. */
function playedOf(
  exchanges: readonly RecordedExchange[],
  isUnsafe: boolean,
): { readonly played: readonly RecordedExchange[]; readonly notes: readonly string[] } {
  const notes: string[] = []
  const isPlayed = ({ method, body }: RecordedExchange): boolean =>
    body?.isLeftOut !== true && (isUnsafe || safe.includes(method))
  const writing = exchanges.filter(({ method }) => !safe.includes(method)).length
  if (!isUnsafe && writing > 0)
    notes.push(`${count(writing, 'request')} left out that write: --unsafe makes them too.`)
  const bodiless = exchanges.filter(({ body }) => body?.isLeftOut === true).length
  if (bodiless > 0) notes.push(`${count(bodiless, 'request')} left out whose body was not recorded.`)
  return { played: exchanges.filter(isPlayed), notes }
}

/** What is played of a recording for some routes. */
export interface RoutesReplay {
  readonly targets: readonly [now: Omit<Target, 'cookies'>, legacy: Omit<Target, 'cookies'>]
  /** Legacy, started a second time: what it says in another way is noise, as the name that it gives to something new. */
  readonly again: Omit<Target, 'cookies'> | undefined
  readonly ignored: readonly Ignored[]
  readonly exchanges: readonly RecordedExchange[]
  /** The routes of the requests that are compared. All others are made for what they do to their session. */
  readonly routes: ReadonlyMap<RecordedExchange, string>
}

/** Plays a part of a recording in its order, and compares the answers of some routes. */
export async function replayRoutes(
  { targets, again, ignored, exchanges, routes }: RoutesReplay,
  options: CommandOptions,
  signal: AbortSignal,
): Promise<{ readonly report: ParityReport; readonly tested: Tested }> {
  const { played, notes } = playedOf(exchanges, options.parity.unsafe)
  const withCookies = (one: Omit<Target, 'cookies'>): Target => ({ ...one, cookies: new CookieJars() })
  const [now, legacy] = targets.map(withCookies)
  const third = again && withCookies(again)
  const replay = new Replay([now!, legacy], options, { signal, ignored, exchanges, routes, again: third })
  await replay.inOrder(played)
  const planned = played.filter((one) => routes.has(one)).length
  return { report: replay.report(planned, notes), tested: replay.tested }
}

async function startTargets(
  options: CommandOptions,
  context: CommandContext,
  undo: (action: () => void) => void,
): Promise<[now: Target, legacy: Target | undefined]> {
  const { against, and } = options.replay!
  const mask = maskOf(options.parity.headers)
  const ofUrl = (url: URL): Target => ({
    name: url.href,
    place: { url, host: undefined, folder: '', answerLimitMs: options.parity.answerLimitMs, mask },
    cookies: new CookieJars(),
  })
  const now =
    against instanceof URL
      ? ofUrl(against)
      : {
          name: shownEntry(options),
          place: await serveEntry(options, context, undo),
          cookies: new CookieJars(),
        }
  return [now, and && ofUrl(and)]
}

/** What the recorder was told to leave out is not known here. */
const usual = secretsOf([])

interface ReplayParts {
  readonly signal: AbortSignal
  readonly ignored: readonly Ignored[]
  /** All of the recording, also what is not played. */
  readonly exchanges: readonly RecordedExchange[]
  readonly routes?: ReadonlyMap<RecordedExchange, string>
  readonly again?: Target | undefined
}

class Replay {
  readonly #now: Target
  readonly #legacy: Target | undefined
  readonly #again: Target | undefined
  readonly #ignored: readonly Ignored[]
  readonly #ignoredIn = new Map<string, number>()
  readonly #options: CommandOptions
  readonly #signal: AbortSignal
  readonly #rules: CompareRules
  readonly #noise = new Map<string, Noise>()
  readonly #differences: ParityDifference[] = []
  /** The given headers that requests without them were recorded without. */
  readonly #secretHeaders: ReadonlySet<string>
  /** The given headers that stand for what the recorder has left out of each user. */
  readonly #standIns: ReadonlySet<string>
  /** The routes of the requests that are compared; undefined for all, whose routes are guessed. */
  readonly #routes: ReadonlyMap<RecordedExchange, string> | undefined
  readonly tested: Tested = new Tested()
  #compared = 0
  #unanswered = 0
  #failed = 0
  #firstFailure: string | undefined

  constructor(
    [now, legacy]: [Target, Target | undefined],
    options: CommandOptions,
    { signal, ignored, exchanges, routes, again }: ReplayParts,
  ) {
    const standIns = options.parity.headers.map(([name]) => name).filter((name) => isLeftOut(name, exchanges))
    this.#standIns = new Set(standIns)
    // A recording that has one nowhere, as a HAR that a browser has cleaned, does not say which requests had it.
    this.#secretHeaders = new Set(standIns.filter((name) => exchanges.some((one) => hasHeader(one, name))))
    this.#routes = routes
    this.#now = now
    this.#legacy = legacy
    this.#again = again
    this.#ignored = ignored
    this.#options = options
    this.#signal = signal
    this.#rules = {
      // Of a recording, the server that was.
      ignoredHeaders: new Set(neverCompared),
      secrets: usual,
      mask: maskOf(options.parity.headers),
      maxBytes: mostBodyBytes,
      isRecorded: legacy === undefined,
    }
  }

  /** One after the other, as they were recorded. */
  async inOrder(exchanges: readonly RecordedExchange[]): Promise<void> {
    for (const one of exchanges) {
      if (this.#signal.aborted) return
      await this.#play(one)
    }
  }

  /** So many a second; those of one session one after the other. */
  async atRate(exchanges: readonly RecordedExchange[], rate: number): Promise<void> {
    const sessions = new Map<string, Promise<void>>()
    const began = performance.now()
    for (const [at, one] of exchanges.entries()) {
      const due = began + (at * 1000) / rate - performance.now()
      if (due > 0) await sleep(due, undefined, { signal: this.#signal }).catch(() => {})
      if (this.#signal.aborted) break
      const before = sessions.get(one.session) ?? Promise.resolve()
      sessions.set(
        one.session,
        before.then(() => this.#play(one)),
      )
    }
    await Promise.all(sessions.values())
  }

  /** One that cannot be made or compared says nothing of the others. */
  async #play(exchange: RecordedExchange): Promise<void> {
    try {
      await this.#playOne(exchange)
    } catch (error) {
      if (this.#routes?.has(exchange) !== false) this.#fail(describeThrown(error).split('\n', 1)[0]!)
    }
  }

  async #playOne(exchange: RecordedExchange): Promise<void> {
    const { method, target } = exchange
    const route = this.#routeOf(exchange)
    const [legacySide, third] = [this.#legacy, this.#again]
    const [now, legacy, again] = await Promise.all([
      this.#ask(this.#now, exchange),
      legacySide === undefined ? recordedAnswer(exchange) : this.#ask(legacySide, exchange),
      third && this.#ask(third, exchange),
    ])
    if (this.#signal.aborted || this.#routes?.has(exchange) === false) return
    if (now.status === 0 && (legacySide === undefined || legacy.status === 0)) {
      this.#unanswered++
      return
    }
    const found = await this.#compare(exchange, legacy, now, again)
    if (this.#signal.aborted) return
    if (found === 'size') return this.#fail(`a body has more than ${mostBodyBytes / 1024 ** 2} MiB`)
    this.#compared++
    const asked = {
      target,
      headers: [...exchange.headers, ...this.#givenTo(exchange)],
      body: bytesOf(exchange.body)?.toString(),
    }
    const isEmpty = isEmptyAnswer(method, legacy) && !mayBeEmpty(exchange)
    this.tested.add(route, legacy.failure === undefined ? legacy.status : undefined, asked, {
      isEmpty,
      isReached: now.isReached === true,
    })
    if (found.length === 0) return
    const headers = this.#givenTo(exchange).map(([name]) => name)
    const heads = { legacy: headOf(legacy), now: headOf(now) }
    this.#differences.push({ method, target, route, variant: '', headers, ...heads, changes: found })
  }

  #routeOf(exchange: RecordedExchange): string {
    return this.#routes?.get(exchange) ?? routeOf(exchange)
  }

  /** The given headers that a request gets: of secrets those that it had, so that what was asked without them is again. */
  #givenTo(exchange: RecordedExchange): CommandOptions['parity']['headers'] {
    const isNamed = exchange.answer.status === 0
    return this.#options.parity.headers.filter(
      ([name]) => isNamed || !this.#secretHeaders.has(name) || hasHeader(exchange, name),
    )
  }

  #fail(why: string): void {
    this.#failed++
    this.#firstFailure ??= why
  }

  async #compare(
    exchange: RecordedExchange,
    legacy: ReceivedAnswer,
    now: ReceivedAnswer,
    other: ReceivedAnswer | undefined,
  ): Promise<readonly Difference[] | 'size'> {
    const legacySide = this.#legacy
    const route = this.#routeOf(exchange)
    const rules = this.#ignored.filter((one) => isIgnoredIn(one, exchange, route))
    const without = (answers: readonly ReceivedAnswer[]): ReceivedAnswer[] =>
      answers.map((answer) => withoutIgnored(answer, rules).answer)
    let noise = this.#noise.get(route)
    if (noise === undefined) this.#noise.set(route, (noise = new Noise()))
    const compared = comparable(legacy, now, exchange, legacySide === undefined)
    const [one, two] = without(compared) as [ReceivedAnswer, ReceivedAnswer]
    for (const name of new Set(compared.flatMap((answer) => withoutIgnored(answer, rules).used)))
      this.#ignoredIn.set(name, (this.#ignoredIn.get(name) ?? 0) + 1)
    if (one.isCut === true || two.isCut === true) return 'size'
    const found = differencesOf(one, two, undefined, noise, this.#rules)
    if (found.length === 0 || found === 'size') return found
    const isSafe = safe.includes(exchange.method)
    if (!isSafe && other === undefined) return found
    // What a server says in another way the second time is noise. A recording cannot be asked again, so the other side is.
    const again = isSafe ? [await this.#ask(legacySide ?? this.#now, exchange)] : []
    if (legacySide !== undefined) {
      const others = without([...again, ...(other === undefined ? [] : [other])])
      return differencesOf(one, two, others, noise, this.#rules)
    }
    const others = without(again.map((answer) => comparable(legacy, answer, exchange, true)[1]))
    const turnedBack = differencesOf(two, one, others, noise, this.#rules)
    return turnedBack === 'size' ? turnedBack : turnedBack.map(turned)
  }

  async #ask({ place, cookies }: Target, exchange: RecordedExchange): Promise<ReceivedAnswer> {
    const { session, method, target } = exchange
    const headers = new Map<string, string>()
    for (const [name, value] of exchange.headers) {
      const lower = name.toLowerCase()
      if (!notSent.includes(lower) && value !== leftOut) headers.set(lower, value)
    }
    const kept = cookies.headerOf(session)
    if (kept !== '') headers.set('cookie', kept)
    for (const [name, value] of this.#givenTo(exchange))
      headers.set(name, name === 'cookie' && kept !== '' ? `${value}; ${kept}` : value)
    // As bytes of one letter each, which is how it is written again.
    const body = bytesOf(exchange.body)
    const request: ParityRequest = {
      isMount: false,
      app: 0,
      route: this.#routeOf(exchange),
      method,
      target,
      variant: '',
      headers: Object.fromEntries(headers),
      body: body?.toString(),
    }
    const answer = await ask(place, request, this.#signal)
    if (answer.status === 429) this.tested.limit(request.route)
    for (const line of answer.headers.get('set-cookie')?.split('\n') ?? []) cookies.take(session, line)
    return answer
  }

  report(planned: number, notes: readonly string[]): ParityReport {
    const noise = new Map<string, number>()
    for (const one of this.#noise.values()) {
      for (const name of one.shown()) noise.set(name, (noise.get(name) ?? 0) + 1)
    }
    const notCompared: string[] = []
    if (this.#unanswered > 0)
      notCompared.push(`${count(this.#unanswered, 'request')} not compared: there was no answer to compare.`)
    if (this.#failed > 0)
      notCompared.push(`${count(this.#failed, 'request')} could not be compared: ${this.#firstFailure}.`)
    return {
      version: 1,
      ok: this.#differences.length === 0 && this.#compared === planned,
      compared: this.#compared,
      planned,
      legacy: this.#legacy?.name ?? 'the recording',
      now: this.#now.name,
      groups: groupDifferences(
        this.#differences,
        this.#legacy === undefined ? { standIns: this.#standIns } : {},
      ),
      noise: Object.fromEntries(noise),
      ignored: Object.fromEntries(this.#ignoredIn),
      notes: [...notes, ...notCompared],
    }
  }
}

/** True for a header whose values are secrets by its name, or that the recorder was told to leave out. */
function isLeftOut(name: string, exchanges: readonly RecordedExchange[]): boolean {
  const isMarked = ([own, value]: readonly [string, string]): boolean =>
    own.toLowerCase() === name && value === leftOut
  return usual.isSecret(name) || exchanges.some(({ headers }) => headers.some(isMarked))
}

function hasHeader({ headers }: RecordedExchange, name: string): boolean {
  return headers.some(([own]) => own.toLowerCase() === name)
}

/** A difference that was found from the other side. */
function turned({ what, name, legacy, now }: Difference): Difference {
  const turnedWhat = { 'missing header': 'new header', 'new header': 'missing header' } as const
  return {
    what: what === 'missing header' || what === 'new header' ? turnedWhat[what] : what,
    ...(name !== undefined && { name }),
    ...(now !== undefined && { legacy: now }),
    ...(legacy !== undefined && { now: legacy }),
  }
}

function recordedAnswer({ answer }: RecordedExchange): ReceivedAnswer {
  return {
    status: answer.status,
    headers: fieldsOf(answer.headers),
    body: bytesOf(answer.body)?.toString('latin1') ?? '',
  }
}

/** Whether an empty answer is what was meant: of a request that was named, or where the recording has an empty one too. */
function mayBeEmpty(exchange: RecordedExchange): boolean {
  const { method, answer } = exchange
  return (
    answer.status === 0 ||
    (answer.body?.isLeftOut !== true && isEmptyAnswer(method, recordedAnswer(exchange)))
  )
}

/** Two answers without what the recording does not have of one of them. */
function comparable(
  legacy: ReceivedAnswer,
  now: ReceivedAnswer,
  { answer }: RecordedExchange,
  isRecorded: boolean,
): [ReceivedAnswer, ReceivedAnswer] {
  if (!isRecorded) return [legacy, now]
  const hidden = new Set(
    [...legacy.headers].flatMap(([name, value]) => (value.includes(leftOut) ? [name] : [])),
  )
  // The recorder has seen them packed, or as they were before that.
  for (const name of ['content-encoding', 'vary', 'etag']) hidden.add(name)
  const isHidden = answer.body?.isLeftOut === true || fitsHidden(legacy.body, now.body)
  return [legacy, now].map((one) => ({
    ...one,
    headers: new Map([...one.headers].filter(([name]) => !hidden.has(name))),
    ...(isHidden && { body: '', isCut: false }),
  })) as unknown as [ReceivedAnswer, ReceivedAnswer]
}

/** True for a text that is that of the recording but for what was left out there. */
function fitsHidden(recorded: string, now: string): boolean {
  if (!recorded.includes(leftOut) || /^\s*[[{]/.test(recorded)) return false
  const text = usual.redactText(now)
  let from = 0
  return usual
    .redactText(recorded)
    .split(leftOut)
    .every((part, at) => {
      const found = text.indexOf(part, from)
      from = found + part.length
      return at === 0 ? found === 0 : found >= 0
    })
}

/** The route as far as a path tells: what looks like the name of one thing is a param. */
function routeOf({ method, target }: RecordedExchange): string {
  const [path = ''] = target.split('?', 1)
  const isParam = (one: string): boolean => (/\d/.test(one) && !/^v\d+$/i.test(one)) || one.length > 24
  const segments = path.split('/').map((one) => (isParam(one) ? ':id' : one))
  return `${method} ${segments.join('/')}`
}
