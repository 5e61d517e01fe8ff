// Which part of a recording proves some routes: their own requests, and those of the same sessions before them.
import type { RecordedExchange } from '../../../compare/src/recording.js'
import type { ParityReport } from '../documents/parity.js'
import type { Tested } from '../../../compare/src/tested.js'
import { EntryFailure } from '../entry/interruptible.js'
import { type CommandOptions, UsageError } from '../entry/options.js'
import type { Side } from '../entry/serve-side.js'
import type { Ignored } from '../entry/ignore.js'
import { replayRoutes, type RoutesReplay } from '../replay/replay.js'
import { count } from '../terminal/text.js'

/** What has played. */
export interface RecordedPart {
  readonly report: ParityReport
  readonly tested: Tested
}

/** Requests as they are named on a command line, as a part of a recording whose answers are not known. Throws UsageError. */
export function namedRequests(texts: readonly string[]): RecordedExchange[] {
  return texts.map((text, at) => {
    const [, method, target, body] = /^([A-Z-]+) (\/[!-~]*)(?: (.+))?$/s.exec(text) ?? []
    if (method === undefined || target === undefined)
      throw new UsageError(
        `--request takes 'GET /orders/7', or 'POST /orders {"tea":1}', not ${JSON.stringify(text)}`,
      )
    return {
      version: 1,
      at: '',
      ms: 0,
      session: `request ${at}`,
      method,
      target,
      headers: body === undefined ? [] : [['content-type', 'application/json']],
      ...(body !== undefined && { body: { text: body } }),
      answer: { status: 0, headers: [] },
    }
  })
}

interface Part {
  readonly exchanges: readonly RecordedExchange[]
  /** `GET /orders/:id` */
  readonly names: ReadonlySet<string>
  readonly now: Side
  readonly legacy: Side
  /** Legacy, started a second time; undefined where it runs once. */
  readonly again: Side | undefined
  readonly ignored: readonly Ignored[]
}

// So that a verdict takes seconds.
const mostAsked = 5000
const mostPlayed = 500

/** Plays that part on both sides. */
export async function replayPart(
  { exchanges, names, now, legacy, again, ignored }: Part,
  options: CommandOptions,
  signal: AbortSignal,
): Promise<RecordedPart | undefined> {
  const asked = exchanges.slice(0, mostAsked)
  // Routers alone know which route a request is of. One that gives some requests on is found only where it is asked for.
  const asks = asked.flatMap((exchange) =>
    [...names].filter((name) => mayBeOf(name, exchange)).map((name) => ({ exchange, name })),
  )
  const observed = await now.entry!.observe(
    asks.map(({ exchange: { method, target }, name }) => ({ app: 0, method, witness: target, answer: name })),
  )
  if (observed === undefined)
    throw new EntryFailure('The app has ended before it could be asked which routes the recording has.')
  const routes = new Map<RecordedExchange, string>()
  for (const [at, { answer }] of observed.entries()) {
    const { exchange, name } = asks[at]!
    if (answer.route === name && !routes.has(exchange)) routes.set(exchange, name)
  }
  if (routes.size === 0) return undefined
  const needed = neededFor(asked, routes)
  const part = needed.slice(0, mostPlayed)
  const isCut = part.length < needed.length || asked.length < exchanges.length
  const targetOf = (side: Side): RoutesReplay['targets'][0] => ({ name: side.name, place: side.placeOf(0) })
  const { report, tested } = await replayRoutes(
    {
      targets: [targetOf(now), targetOf(legacy)],
      again: again && targetOf(again),
      ignored,
      exchanges: part,
      routes,
    },
    options,
    signal,
  )
  const note = `The recording was played as far as ${count(part.length, 'request')}: routecontrollers replay plays all of it.`
  return { report: isCut ? { ...report, notes: [...report.notes, note] } : report, tested }
}

/** False for what is surely none of a route: so that few questions are asked. */
function mayBeOf(name: string, { method, target }: RecordedExchange): boolean {
  const [own, path] = name.split(' ') as [string, string]
  if (own !== '*' && own !== method && !(own === 'GET' && method === 'HEAD')) return false
  // Whatever a path may mean.
  if (!/^[\w\-./:~]*$/.test(path)) return true
  const [asked, wanted] = [target.split('?', 1)[0]!, path].map((one) => one.replace(/\/$/, '').split('/'))
  return (
    asked!.length === wanted!.length &&
    wanted!.every(
      (segment, at) => segment.includes(':') || segment.toLowerCase() === asked![at]!.toLowerCase(),
    )
  )
}

/** The requests of the routes, and what the same clients have sent before their last one. */
function neededFor(
  exchanges: readonly RecordedExchange[],
  routes: ReadonlyMap<RecordedExchange, string>,
): RecordedExchange[] {
  const lasts = new Map<string, number>()
  for (const [at, one] of exchanges.entries()) if (routes.has(one)) lasts.set(one.session, at)
  return exchanges.filter(({ session }, at) => at <= (lasts.get(session) ?? -1))
}
