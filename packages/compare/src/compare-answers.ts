// In what two answers differ, apart from what differs between two answers of legacy itself.
import { isUtf8 } from 'node:buffer'
import type { Answer } from './answer.js'
import { JsonComparison, longNumbersOf } from './compare-json.js'
import { clip, differenceOfTexts } from './compare-texts.js'
import type { Noise } from './noise.js'
import { leftOut, type Secrets } from './redact.js'
import type { Difference } from './difference.js'
import { runAtOnce, type Steps } from './slices.js'
import { unpacked } from './unpack.js'

/** What is left out, and what is known of a route. */
export interface CompareRules {
  /** Names in lower case. */
  readonly ignoredHeaders: ReadonlySet<string>
  readonly secrets: Secrets
  /** Takes the secrets of the request out of a text. */
  readonly mask: (text: string) => string
  readonly maxBytes: number
  /** True where one of the answers was recorded: what is secret was left out of it. */
  readonly isRecorded: boolean
}

/** What a comparison has found. */
export interface Comparison {
  readonly differences: readonly Difference[]
  /** True where something differs that is known as noise, and legacy was not asked about it again. */
  readonly isNoisy: boolean
}

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

const mostDifferences = 10
/** Of those that differ so many are shown, each without its value. */
const mostCookies = 5
const longestCookie = 200
/** A longer header is looked through in steps. */
const longValue = 4000

/**
 * In what the answer of the Controller differs; `'size'` where a body is larger than `maxBytes`. `again` is the second answer of legacy to
 * the same request, where there is one: what differs between the two is noise, and becomes known as such.
 */
export function differencesOf(
  legacy: Answer,
  native: Answer,
  again: Answer | undefined,
  noise: Noise,
  rules: CompareRules,
): readonly Difference[] | 'size' {
  const comparison = runAtOnce(compareSteps(legacy, native, again, noise, rules))
  return comparison === 'size' ? comparison : comparison.differences
}

/** The same in steps. */
export function* compareSteps(
  legacy: Answer,
  native: Answer,
  again: Answer | undefined,
  noise: Noise,
  rules: CompareRules,
): Steps<Comparison | 'size'> {
  const isOtherStatus = legacy.status !== native.status || legacy.failure !== native.failure
  // Where even its status is another one, its second answer tells nothing about the first.
  const second = again?.status === legacy.status ? again : undefined
  const bodies: (string | undefined)[] = []
  for (const { body, headers } of [legacy, native, second ?? legacy]) {
    const isFirst = body === legacy.body && headers === legacy.headers
    const plain =
      isFirst && bodies.length > 0
        ? bodies[0]
        : unpacked(body, headers.get('content-encoding'), rules.maxBytes)
    bodies.push(plain)
    yield
  }
  const [was, is, later] = bodies
  if (was === undefined || is === undefined || later === undefined) return 'size'

  const differences: Difference[] = isOtherStatus
    ? [{ what: 'status', legacy: statusOf(legacy), native: statusOf(native) }]
    : []
  const headers = new HeaderComparison(noise, rules, isOtherStatus, was === is)
  yield* headers.compare(legacy, native, second)
  differences.push(...headers.found)
  let { isNoisy } = headers
  if (!isOtherStatus && was !== is) {
    const body = yield* compareBodies(was, is, second && later, noise, rules)
    differences.push(...body.differences)
    isNoisy ||= body.isNoisy
  }
  return { differences: differences.slice(0, mostDifferences), isNoisy }
}

function statusOf({ status, failure }: Answer): string {
  return failure ?? String(status)
}

/** Headers that matter; of cookies their names and what is said of them. */
class HeaderComparison {
  readonly found: Difference[] = []
  isNoisy = false
  readonly #noise: Noise
  readonly #rules: CompareRules
  readonly #isOtherStatus: boolean
  readonly #isSameBody: boolean

  constructor(noise: Noise, rules: CompareRules, isOtherStatus: boolean, isSameBody: boolean) {
    this.#noise = noise
    this.#rules = rules
    this.#isOtherStatus = isOtherStatus
    this.#isSameBody = isSameBody
  }

  *compare(legacy: Answer, native: Answer, again: Answer | undefined): Steps<void> {
    for (const name of new Set([...legacy.headers.keys(), ...native.headers.keys()])) {
      if (this.#rules.ignoredHeaders.has(name)) continue
      const [was, is] = [legacy.headers.get(name), native.headers.get(name)]
      if (was === is) continue
      if (is === undefined)
        this.found.push({ what: 'missing header', name, legacy: yield* this.#shown(name, was!) })
      else if (was === undefined)
        this.found.push({ what: 'new header', name, native: yield* this.#shown(name, is) })
      // Made of the bytes: where those differ in their spaces alone, it differs too.
      else if (!this.#isOtherStatus && (name !== 'etag' || this.#isSameBody))
        yield* this.#compareValues(name, was, is, again?.headers.get(name))
      yield
    }
  }

  *#compareValues(name: string, was: string, is: string, later: string | undefined): Steps<void> {
    const { headers } = this.#noise
    const one = yield* this.#read(name, was)
    const other = yield* this.#read(name, is)
    const again = later === undefined ? undefined : yield* this.#read(name, later)
    const difference = yield* differenceOfTexts(one, again ?? one, other)
    const isOwn = again !== undefined && again !== one
    if (isOwn && one !== other) headers.add(name)
    if (difference === undefined) return
    if (headers.has(name)) {
      if (again === undefined) this.isNoisy = true
      else if (!isOwn) headers.doubt(name)
      if (headers.has(name)) return
    } else if (isOwn) return
    else if (again !== undefined) headers.doubt(name)
    const isHidden = this.#rules.secrets.isSecret(name) && name !== 'set-cookie'
    const told = name === 'set-cookie' ? (cookiesThatDiffer(one, other) ?? difference) : difference
    const shown = isHidden ? { legacy: leftOut, native: leftOut } : told
    this.found.push({ what: 'header', name, ...shown })
  }

  /** Before anything is clipped: a part of a secret would not be found any more. A secret as a whole is compared, and not shown. */
  *#read(name: string, value: string): Steps<string> {
    const { secrets, mask } = this.#rules
    if (name === 'set-cookie') {
      return value
        .split('\n')
        .map((line) => line.replace(/^(?:([^=;]*)=)?[^;]*/, '$1=').replace(/;\s*expires=[^;]*/i, '; Expires'))
        .sort()
        .join('\n')
    }
    if (secrets.isSecret(name)) return value
    // JSON is UTF-8, whether its type says so or not. RFC 8259 8.1
    if (name === 'content-type') return mask(value).replace(/^([^;]*[/+]json); *charset=utf-8$/i, '$1')
    const masked = mask(value)
    yield
    return masked.length < longValue ? secrets.redactString(masked) : yield* secrets.redactTextSteps(masked)
  }

  *#shown(name: string, value: string): Steps<string> {
    const isHidden = this.#rules.secrets.isSecret(name) && name !== 'set-cookie'
    return isHidden ? leftOut : clip(yield* this.#read(name, value))
  }
}

/** The lines of cookies that the other side has not, whole: a part of one would not name its cookie. Undefined where the number alone differs. */
function cookiesThatDiffer(one: string, other: string): { legacy: string; native: string } | undefined {
  const [was, is] = [one.split('\n'), other.split('\n')]
  const [known, set] = [new Set(is), new Set(was)]
  const shown = (lines: readonly string[], others: ReadonlySet<string>): string =>
    lines
      .filter((line) => !others.has(line))
      .slice(0, mostCookies)
      .map((line) => line.slice(0, longestCookie))
      .join('\n')
  const [legacy, native] = [shown(was, known), shown(is, set)]
  return legacy === native ? undefined : { legacy, native }
}

function* compareBodies(
  was: string,
  is: string,
  later: string | undefined,
  noise: Noise,
  rules: CompareRules,
): Steps<Comparison> {
  const one = jsonOf(was)
  yield
  const other = one && jsonOf(is)
  yield
  const again = one && later !== undefined ? jsonOf(later) : undefined
  yield
  if (one !== undefined && other !== undefined) {
    const comparison = new JsonComparison(noise, { ...rules, mostDifferences })
    const differences = yield* comparison.compare(one.value, other.value, again)
    if (differences.length === 0) differences.push(...(yield* compareLongNumbers(was, is, later)))
    return { differences, isNoisy: comparison.isNoisy }
  }
  const texts: string[] = []
  for (const body of [was, is, later ?? was]) {
    const isFirst = texts.length > 0 && body === was
    if (isFirst) texts.push(texts[0]!)
    else {
      const masked = rules.mask(body)
      yield
      texts.push(yield* rules.secrets.redactTextSteps(masked))
    }
    yield
  }
  const found = yield* differenceOfTexts(texts[0]!, texts[2]!, texts[1]!)
  return { differences: found === undefined ? [] : [{ what: 'body', ...found }], isNoisy: false }
}

/** A body that is no UTF-8 has no text in which all its bytes are. */
function jsonOf(body: string): { readonly value: unknown } | undefined {
  if (!/^\s*[[{]/.test(body)) return undefined
  const bytes = Buffer.from(body, 'latin1')
  if (!isUtf8(bytes)) return undefined
  try {
    return { value: JSON.parse(bytes.toString()) as unknown }
  } catch {
    return undefined
  }
}

/** 9007199254740993 and 9007199254740992 are one number once they were read. */
function* compareLongNumbers(was: string, is: string, later: string | undefined): Steps<Difference[]> {
  const numbers = yield* longNumbersOf(was)
  if (numbers.size === 0) return []
  const others = yield* longNumbersOf(is)
  const again = later === undefined ? numbers : yield* longNumbersOf(later)
  for (const [number, text] of numbers) {
    const other = others.get(number)
    if (other !== undefined && other !== text && again.get(number) === text)
      return [{ what: 'body', name: '$', legacy: endOf(text), native: endOf(other) }]
  }
  return []
}

/** It may be a secret: where it stands is not known any more. */
function endOf(number: string): string {
  return number.length > 8 ? `...${number.slice(-4)}` : number
}
