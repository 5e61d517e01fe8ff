// Differences by their cause.
import { closed } from '../../../compare/src/ask.js'
import type { ParityDifference, ParityGroup } from '../documents/parity.js'
import type { AnswerHead } from '../../../compare/src/request.js'

/** What is known of the sides. */
interface Known {
  /** True where legacy is the same code, without its Controllers. */
  readonly isSameCode?: boolean
  /** Whether a route is a Controller's that no profile of Express runs. */
  readonly isNative?: (route: string) => boolean
  /** The version of Express that never answers where the handler of a route rejects. */
  readonly unansweredBy?: (route: string) => number | undefined
  /** The headers that one value was given of, where legacy is a recording with the values of several users. */
  readonly standIns?: ReadonlySet<string>
}

/** Groups differences, those first that open what was closed. */
export function groupDifferences(differences: readonly ParityDifference[], known: Known = {}): ParityGroup[] {
  const plain = differences.filter(({ variant }) => variant === '')
  const groups = new Map<string, ParityDifference[]>()
  for (const one of differences) {
    const own = signatureOf(one, known)
    // What differs without the variant too has nothing to do with it.
    const same = plain.find(
      (other) =>
        other.route === one.route && tokensOf(one).join() === tokensOf(other).join() && isAmong(one, other),
    )
    const opened = differences.find((other) => isOpened(one) && isOpened(other) && other.route === one.route)
    const like = opened ?? same
    const cause = like === undefined ? one.variant || own : signatureOf(like, known)
    groups.set(cause, [...(groups.get(cause) ?? []), one])
  }
  return [...groups]
    .map(([cause, all]): ParityGroup => {
      const remedy = remedyOf(all, known)
      const routes = [...new Set(all.map(({ route }) => route))]
      return { cause, ...(remedy !== undefined && { remedy }), routes, differences: all }
    })
    .sort((a, b) => rank(b) - rank(a) || b.routes.length - a.routes.length)
}

function isOfStatus({ changes }: ParityDifference): boolean {
  return changes[0]?.what === 'status'
}

/** True where all that differs in one request differs in another one too. */
function isAmong(one: ParityDifference, other: ParityDifference): boolean {
  if (isOfStatus(one) || isOfStatus(other)) return isOfStatus(one) && isOfStatus(other)
  return one.changes.every(({ what, name }) =>
    other.changes.some((change) => change.what === what && change.name === name),
  )
}

/** The headers that are not those of a variant or of a body. */
export function tokensOf({ headers }: ParityDifference): string[] {
  return headers.filter((name) => !['accept', 'if-none-match', 'content-type'].includes(name))
}

function rank({ differences: [first] }: ParityGroup): number {
  return isOpened(first!) ? 1 : 0
}

/** True where legacy refuses, and the app does not any more. */
function isOpened({ legacy, now }: ParityDifference): boolean {
  return [401, 403].includes(legacy.status) && now.status > 0 && now.status < 400
}

function signatureOf(difference: ParityDifference, known: Known): string {
  const { legacy, now, changes, by, route } = difference
  if (isMissingInLegacy(difference)) return 'legacy has no such route'
  const [was, is] = [shownHead(legacy), shownHead(now)]
  const version = rejectedIn(difference, known)
  if (version !== undefined)
    return `no answer, as Express ${version} gives none where an async handler rejects → ${is}`
  if (was !== is) {
    const isOther = by !== undefined && !`${by} `.includes(` ${route} `)
    return `${was} → ${is}${isOther ? ` (now answered by ${by})` : ''}`
  }
  const said = changes.map(({ what, name }) =>
    what === 'body' ? 'another body' : what === 'header' ? `another ${name}` : `${what} ${name}`,
  )
  return [...new Set(said)].join(', ')
}

/** `401 json`. */
export function shownHead({ status, type, failure }: AnswerHead): string {
  return failure ?? `${status} ${type}`.trim()
}

/** True where a Controller answers what has no answer without it. */
function isMissingInLegacy({ legacy, now, by }: ParityDifference): boolean {
  return legacy.status === 404 && now.status !== 404 && by?.startsWith('Controller') === true
}

/** The version of Express whose handler of the route may have rejected: it never answers then, and a native callback answers an error. */
function rejectedIn({ legacy, now, route }: ParityDifference, { unansweredBy }: Known): number | undefined {
  const isUnanswered = legacy.failure === closed || legacy.failure?.startsWith('no answer') === true
  return isUnanswered && now.failure === undefined && now.status >= 400 ? unansweredBy?.(route) : undefined
}

/** What surely helps; undefined where that is not known. */
function remedyOf(all: readonly ParityDifference[], known: Known): string | undefined {
  const { isSameCode, isNative, standIns } = known
  const [first] = all as [ParityDifference]
  if (all.every((one) => rejectedIn(one, known) !== undefined))
    return 'this is meant: leave the callback as it is, and have the owner of the app accept it'
  const standIn = all.every((one) => one.headers.some((name) => standIns?.has(name)))
    ? first.headers.find((name) => standIns?.has(name))
    : undefined
  if (standIn !== undefined)
    return `perhaps as --header gives all users of the recording one ${standIn}: --and URL asks two servers with it`
  if (isOpened(first)) return 'a guard is not asked any more: routecontrollers check says which'
  if (isMissingInLegacy(first))
    return isSameCode === true ? 'compare with the revision that had it: --base REVISION' : undefined
  const isByProfile = first.variant !== '' && all.every(({ route }) => isNative?.(route) === true)
  return isByProfile ? 'use profile fromApp(app)' : undefined
}
