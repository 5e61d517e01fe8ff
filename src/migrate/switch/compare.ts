// In what two answers differ, apart from what differs between two answers of legacy itself.
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { type Answer, changesOf, isNow } from '../parity-answers.js'
import { leftOut, redactJson, type Secrets } from './redact.js'
import type { Difference } from './schema.js'

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

/** What differs from one answer of legacy to the next, by name. */
export interface Noise {
  readonly headers: Set<string>
  /** Places in JSON bodies: `$.items[*].seenAt`. */
  readonly places: Set<string>
  /** Those below secrets, which are not shown. */
  readonly hidden: Set<string>
  /** Places that have differed once: the data may have been changed in between. */
  readonly suspected: Set<string>
}

export const noNoise = (): Noise => ({
  headers: new Set(),
  places: new Set(),
  hidden: new Set(),
  suspected: new Set(),
})

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
const mostNames = 200
const deepest = 50
/** Names are kept and shown, and are as long as who makes the JSON likes. */
const longestKey = 60

/**
 * In what the answer of the Controller differs. `again` is the second answer of legacy to the same request, where there is one: what differs
 * between the two is noise, and becomes known as such.
 */
export function differencesOf(
  legacy: Answer,
  native: Answer,
  again: Answer | undefined,
  noise: Noise,
  rules: CompareRules,
): Difference[] {
  const [one, two, three] = [legacy, again ?? legacy, native].map((answer) => readable(answer, rules)) as [
    Readable,
    Readable,
    Readable,
  ]
  const isJson = one.json !== undefined && three.json !== undefined
  const isSameBody = one.answer.body === three.answer.body
  const asCompared = ({ answer }: Readable): Answer => {
    const headers = new Map(answer.headers)
    // Made of the bytes: where those differ in their spaces alone, it differs too.
    if (!isSameBody && headers.has('etag')) headers.set('etag', '')
    return { ...answer, headers, body: isJson ? '' : answer.body }
  }
  const changes = changesOf(asCompared(one), asCompared(two), asCompared(three), new Set(), noise.headers)
  const differences: Difference[] = changes.map(({ what, name, legacy: was, now }) => {
    const isHidden = name !== undefined && rules.secrets.isSecret(name)
    const shown = (text: string): string => (isHidden ? leftOut : rules.mask(text))
    return {
      what,
      ...(name !== undefined && { name }),
      ...(was !== undefined && { legacy: shown(was) }),
      ...(now !== undefined && { native: shown(now) }),
    }
  })
  const isOtherStatus = differences.some(({ what }) => what === 'status')
  if (isJson && !isSameBody && !isOtherStatus) {
    const second = two.json === undefined || again === undefined ? undefined : two.json
    const comparison = new JsonComparison(differences, noise, rules)
    comparison.compare(one.json.value, three.json.value, second, '$', undefined, 0)
    comparison.learn()
  }
  Object.values(noise).forEach(bound)
  return differences.slice(0, mostDifferences)
}

function bound(names: Set<string>): void {
  for (const name of names) {
    if (names.size <= mostNames) return
    names.delete(name)
  }
}

interface Readable {
  readonly answer: Answer
  readonly json: { readonly value: unknown } | undefined
}

/** An answer with its content coding undone, and only the headers that matter; of cookies the names and what is said of them. */
function readable(answer: Answer, rules: CompareRules): Readable {
  const { ignoredHeaders, maxBytes, mask, secrets } = rules
  const { isSecret, redactText } = secrets
  const headers = new Map(
    [...answer.headers].flatMap(([name, value]) => {
      if (ignoredHeaders.has(name)) return []
      // Before anything is clipped. A header that is a secret as a whole is compared, and not shown.
      return [[name, isSecret(name) ? value : redactText(mask(value))] as const]
    }),
  )
  const cookies = headers.get('set-cookie')
  if (cookies !== undefined) {
    const shown = cookies
      .split('\n')
      .map((line) => line.replace(/^([^=;]*)=[^;]*/, '$1=').replace(/;\s*expires=[^;]*/i, '; Expires'))
    headers.set('set-cookie', shown.sort().join('\n'))
  }
  const type = headers.get('content-type')
  // JSON is UTF-8, whether its type says so or not. RFC 8259 8.1
  if (type !== undefined)
    headers.set('content-type', type.replace(/^([^;]*[/+]json); *charset=utf-8$/i, '$1'))
  const body = decoded(answer.body, answer.headers.get('content-encoding'), maxBytes)
  const json = /^\s*[[{]/.test(body) ? parsed(body) : undefined
  // Before anything is clipped: a part of a secret would not be found any more.
  return { answer: { ...answer, headers, body: json === undefined ? redactText(mask(body)) : body }, json }
}

/** Undoes a content coding. */
export function decoded(body: string, coding: string | undefined, maxBytes: number): string {
  const undo = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync }[coding ?? '']
  if (undo === undefined || body === '') return body
  try {
    return undo(Buffer.from(body, 'latin1'), { maxOutputLength: 20 * maxBytes }).toString('latin1')
  } catch {
    // Inside a host whose middleware packs what we have written, it was captured before that.
    return body
  }
}

function parsed(body: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(Buffer.from(body, 'latin1').toString()) }
  } catch {
    return undefined
  }
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null

class JsonComparison {
  readonly #found: Difference[]
  readonly #noise: Noise
  readonly #rules: CompareRules
  readonly #own = new Map<string, Set<string>>()

  constructor(found: Difference[], noise: Noise, rules: CompareRules) {
    this.#found = found
    this.#noise = noise
    this.#rules = rules
  }

  /**
   * `again` is what legacy has answered the second time, undefined where it was not asked, or has nothing there. `secret` is the place of
   * the field with the name of a secret, at or above `place`.
   */
  compare(
    legacy: unknown,
    native: unknown,
    again: { readonly value: unknown } | undefined,
    place: string,
    secret: string | undefined,
    level: number,
  ): void {
    const isLeftOut = (value: unknown): boolean => typeof value === 'string' && value.includes(leftOut)
    // Not of live answers: a client could have that text stored in what it wants to hide.
    if (this.#rules.isRecorded && (isLeftOut(legacy) || isLeftOut(native))) return
    if (this.#found.length >= mostDifferences || level > deepest) return
    const { suspected } = this.#noise
    const places = this.#noise[secret === undefined || secret === place ? 'places' : 'hidden']
    if (places.has(place)) return
    if (isObject(legacy) && isObject(native)) {
      for (const key of new Set([...Object.keys(legacy), ...Object.keys(native)])) {
        if (legacy[key] === native[key]) continue
        const at = `${place}.${key.length > longestKey ? `${key.slice(0, longestKey)}...` : key}`
        const isSecret = secret === undefined && this.#rules.secrets.isSecret(key)
        const below = again && of(again.value, key)
        this.compare(legacy[key], native[key], below, at, isSecret ? at : secret, level + 1)
      }
    } else if (Array.isArray(legacy) && Array.isArray(native) && legacy.length === native.length) {
      legacy.forEach((one, at) =>
        this.compare(
          one,
          (native as unknown[])[at],
          again && of(again.value, at),
          `${place}[*]`,
          secret,
          level + 1,
        ),
      )
    } else if (!isEqual(legacy, native)) {
      const isOwn = again !== undefined && !isEqual(legacy, again.value)
      if (isTime(legacy) && isTime(native)) places.add(place)
      else if (!isOwn) {
        if (again !== undefined) suspected.delete(place)
        this.#note(place, secret, legacy, native)
      }
      // What the Controller says as legacy says it now was written in between. And a list that has grown is no noise: all that is in it
      // would never be compared again.
      else if (!isEqual(native, again.value) && !isContainer(legacy) && !isContainer(again.value))
        this.#own.set(place, places)
    }
  }

  /** Places in which legacy differs from itself are noise from the second time on. */
  learn(): void {
    const { suspected } = this.#noise
    for (const [place, places] of this.#own) (suspected.has(place) ? places : suspected).add(place)
  }

  #note(place: string, secret: string | undefined, legacy: unknown, native: unknown): void {
    const { mask } = this.#rules
    const isBelow = secret !== undefined && secret !== place
    const shown = (value: unknown): string | undefined => {
      if (secret !== undefined) return isBelow || value !== undefined ? leftOut : undefined
      return value === undefined ? undefined : this.#shown(value)
    }
    const [was, is] = [shown(legacy), shown(native)]
    const difference: Difference = {
      what: 'body',
      name: mask(secret ?? place),
      ...(was !== undefined && { legacy: was }),
      ...(is !== undefined && { native: is }),
    }
    // All that differs below a secret is one.
    if (isBelow && this.#found.some((one) => isEqual(one, difference))) return
    this.#found.push(difference)
  }

  #shown(value: unknown): string {
    const { secrets, mask } = this.#rules
    const { isSecret, redactText } = secrets
    const text = redactText(mask(JSON.stringify(redactJson(value, isSecret))))
    return text.length > 100 ? `${text.slice(0, 97)}...` : text
  }
}

function of(value: unknown, key: string | number): { value: unknown } {
  return { value: (value as Json | undefined | null)?.[key] }
}

function isTime(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && isNow(String(value))
}

function isEqual(one: unknown, other: unknown, level = 0): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other) || level > deepest) return false
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every(
    (key) => Object.hasOwn(other, key) && isEqual((one as Json)[key], (other as Json)[key], level + 1),
  )
}
