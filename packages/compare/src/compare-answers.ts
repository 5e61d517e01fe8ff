// In what two answers differ, apart from what differs between two answers of legacy itself.
import { type ReceivedAnswer, following } from './received-answer.js'
import { compareBodies } from './compare-bodies.js'
import { HeaderComparison } from './compare-headers.js'
import type { Difference } from './difference.js'
import type { Noise } from './noise.js'
import { type Comparison, type CompareRules, mostDifferences } from './rules.js'
import { runAtOnce, type Steps } from './slices.js'
import { unpacked } from './unpack.js'

// They speak of the connection, of the moment or of who has written the answer, and not of what it is.
export const neverCompared: readonly string[] = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  'age',
  'server',
  'x-powered-by',
  'x-request-id',
  'x-correlation-id',
  'x-response-time',
  'x-runtime',
  'server-timing',
  'traceparent',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]

/** What legacy has answered when it was asked again. */
type Again = ReceivedAnswer | readonly ReceivedAnswer[] | undefined

/**
 * In what the answer of the Controller differs; `'size'` where a body is larger than `maxBytes`. `again` is what legacy has answered to
 * the same request when it was asked again: what differs between its own answers is noise, and becomes known as such.
 */
export function differencesOf(
  legacy: ReceivedAnswer,
  now: ReceivedAnswer,
  again: Again,
  noise: Noise,
  rules: CompareRules,
): readonly Difference[] | 'size' {
  const comparison = runAtOnce(compareSteps(legacy, now, again, noise, rules))
  return comparison === 'size' ? comparison : comparison.differences
}

/** The same in steps. */
export function* compareSteps(
  legacy: ReceivedAnswer,
  now: ReceivedAnswer,
  again: Again,
  noise: Noise,
  rules: CompareRules,
): Steps<Comparison | 'size'> {
  const isOtherStatus = legacy.status !== now.status || legacy.failure !== now.failure
  // Where even its status is another one, its second answer tells nothing about the first.
  const later = [again ?? []]
    .flat()
    .filter(({ status, failure }) => status === legacy.status && failure === legacy.failure)
  const bodies: string[] = []
  for (const { body, headers } of [legacy, now, ...later]) {
    const isFirst = bodies.length > 0 && body === legacy.body && headers === legacy.headers
    const plain = isFirst ? bodies[0] : unpacked(body, headers.get('content-encoding'), rules.maxBytes)
    if (plain === undefined) return 'size'
    bodies.push(plain)
    yield
  }
  const [was, is, ...others] = bodies as [string, string, ...string[]]

  const isCompared = !isOtherStatus && was !== is
  const body = isCompared ? yield* compareBodies(was, is, others, noise, rules) : alike
  if (rules.isExact === true && body.noise.length > 0) for (const name of following) noise.headers.add(name)
  const headers = new HeaderComparison(noise, rules, { isOtherStatus, isSameBody: was === is })
  yield* headers.compare(legacy, now, later)

  const status: Difference = { what: 'status', legacy: statusOf(legacy), now: statusOf(now) }
  const differences = [...(isOtherStatus ? [status] : []), ...headers.found, ...body.differences]
  return {
    differences: rules.isExact === true ? differences : firstOf(differences, rules),
    isNoisy: headers.isNoisy || body.isNoisy,
    noise: [...body.noise, ...headers.noise],
  }
}

const alike: Comparison = { differences: [], isNoisy: false, noise: [] }

function firstOf(differences: readonly Difference[], { isAccepted }: CompareRules): readonly Difference[] {
  let room = mostDifferences
  return differences.filter((one) => isAccepted?.(one) === true || room-- > 0)
}

function statusOf({ status, failure }: ReceivedAnswer): string {
  return failure ?? String(status)
}
