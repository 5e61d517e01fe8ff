// Two values of JSON, place by place. They come from outside: only their own keys are read, and no depth of theirs fills the stack.
import { compareTexts } from './compare-texts.js'
import type { Names, Noise } from './noise.js'
import { isPresent } from './present.js'
import { leftOut, type Secrets } from './redact.js'
import type { Difference } from './difference.js'
import type { Steps } from './slices.js'

export interface JsonRules {
  readonly secrets: Secrets
  readonly mask: (text: string) => string
  /** True where one of the answers was recorded: what is secret was left out of it. */
  readonly isRecorded: boolean
  /** In so many places the values may differ, besides those that are accepted, until the rest is not compared. */
  readonly mostDifferences: number
  /** True for a difference that a person has accepted. */
  readonly isAccepted?: ((difference: Difference) => boolean) | undefined
  /** True where of a text that is noise the other words are compared. */
  readonly isExact?: boolean | undefined
}

/** Two objects or arrays, and what of them was compared. */
interface Pair {
  readonly legacy: object
  readonly now: object
  /** What legacy has answered when it was asked again; empty where it was not. */
  readonly again: readonly unknown[]
  readonly place: string
  /** The place of the field with the name of a secret, at or above this one. */
  readonly secret: string | undefined
  readonly level: number
  /** Undefined for arrays. */
  readonly keys: readonly string[] | undefined
  at: number
}

/** Below that, places have the name of the one above. */
const deepest = 50
/** Names are kept and shown, and are as long as who makes the JSON likes. */
const longestKey = 60
const membersOfStep = 1000
const longestShown = 100
/** A longer text is looked through in steps. */
const longText = 4000
/** Who makes the JSON makes as many places as they like. */
const mostNoise = 200

export class JsonComparison {
  readonly #noise: Noise
  readonly #rules: JsonRules
  /** The first difference of each place. */
  readonly #found = new Map<string, Difference>()
  #open = 0
  /** Places in which legacy differs from itself. */
  readonly #own = new Map<string, Names>()
  /** Those in which it does not, and the Controller does: with what is to be told unless it is known as noise. */
  readonly #steady = new Map<
    string,
    { readonly names: Names; readonly tell: (() => Steps<void>) | undefined }
  >()
  #members = 0
  /** Places that were not compared, as legacy differs from itself there, or both say the present time. */
  readonly noise = new Set<string>()
  /** Whether something differs that is known as noise, and was not looked at again. */
  isNoisy = false

  constructor(noise: Noise, rules: JsonRules) {
    this.#noise = noise
    this.#rules = rules
  }

  /** Compares two values. It learns what is noise from `again`. */
  *compare(legacy: unknown, now: unknown, again: readonly unknown[]): Steps<Difference[]> {
    const open: Pair[] = []
    yield* this.#visit(open, legacy, now, again, '$', undefined, 0)
    for (let pair = open.at(-1); pair !== undefined; pair = open.at(-1)) {
      if (this.#open >= this.#rules.mostDifferences) break
      if (pair.at >= lengthOf(pair)) open.pop()
      else yield* this.#visitNext(open, pair)
    }
    yield* this.#learn()
    return [...this.#found.values()]
  }

  *#visitNext(open: Pair[], pair: Pair): Steps<void> {
    const { legacy, now, again, place, secret, level, keys } = pair
    const key = keys === undefined ? pair.at : keys[pair.at]!
    pair.at++
    if (++this.#members % membersOfStep === 0) yield
    const [one, other] = [own(legacy, key), own(now, key)]
    if (one === other) return
    const shown = typeof key === 'number' ? '' : this.#rules.secrets.redactName(key)
    // Where one side was recorded, its keys are not there as they were.
    if (this.#rules.isRecorded && shown.includes(leftOut)) return
    const name =
      typeof key === 'number'
        ? '[*]'
        : `.${shown.length > longestKey ? `${shown.slice(0, longestKey)}...` : shown}`
    const at = level < deepest ? place + name : place
    const isSecret = secret === undefined && typeof key === 'string' && this.#rules.secrets.isSecret(key)
    yield* this.#visit(
      open,
      one,
      other,
      again.map((value) => own(value, key)),
      at,
      isSecret ? at : secret,
      level + 1,
    )
  }

  *#visit(
    open: Pair[],
    legacy: unknown,
    now: unknown,
    again: readonly unknown[],
    place: string,
    secret: string | undefined,
    level: number,
  ): Steps<void> {
    const isLeftOut = (value: unknown): boolean => typeof value === 'string' && value.includes(leftOut)
    // Not of live answers: a client could have that text stored in what it hides.
    if (this.#rules.isRecorded && (isLeftOut(legacy) || isLeftOut(now))) return
    const keys = keysOf(legacy, now)
    if (keys === 'none') yield* this.#compareEnds(legacy, now, again, place, secret)
    else
      open.push({
        legacy: legacy as object,
        now: now as object,
        again,
        place,
        secret,
        level,
        keys,
        at: 0,
      })
  }

  /** Two values that are no pair of objects, or of arrays of one length. */
  *#compareEnds(
    legacy: unknown,
    now: unknown,
    again: readonly unknown[],
    place: string,
    secret: string | undefined,
  ): Steps<void> {
    if (legacy === now) return
    const isSameKind = kindOf(legacy) === kindOf(now) && !isContainer(legacy)
    if (isSameKind && isTime(legacy) && isTime(now)) return this.#leave(place, secret)
    const texts = [legacy, now, ...again]
    if (this.#rules.isExact === true && areTexts(texts)) {
      const [one, other, ...later] = texts as [string, string, ...string[]]
      const { difference } = yield* compareTexts(one, later, other, true)
      return difference === undefined
        ? this.#leave(place, secret)
        : yield* this.#note(place, secret, legacy, now)
    }
    const names = this.#noise[secret === undefined || secret === place ? 'places' : 'hidden']
    // What is noise is a value, and not of which kind it is.
    const isKnown = isSameKind && names.has(place)
    if (again.length === 0) {
      if (isKnown) this.isNoisy = true
      else yield* this.#note(place, secret, legacy, now)
    } else if (yield* areEqual(legacy, again)) {
      const note = (): Steps<void> => this.#note(place, secret, legacy, now)
      const isToBeTold = isKnown && this.#steady.get(place)?.tell === undefined
      if (!this.#steady.has(place) || isToBeTold)
        this.#steady.set(place, { names, tell: isKnown ? note : undefined })
      if (!isKnown) yield* note()
    } else if (mayBeSaid(now, [legacy, ...again])) {
      this.#leave(place, secret)
      // A list that has grown is not learnt as noise: all that is in it would never be compared again. And what the Controller says as legacy
      // says it now was written in between.
      if (![legacy, ...again].some(isContainer) && !again.includes(now)) this.#own.set(place, names)
    } else yield* this.#note(place, secret, legacy, now)
  }

  /** Notes a place that was not compared. */
  #leave(place: string, secret: string | undefined): void {
    if (this.noise.size < mostNoise) this.noise.add(this.#rules.mask(secret ?? place))
  }

  *#learn(): Steps<void> {
    for (const [place, names] of this.#own) names.add(place)
    for (const [place, { names, tell }] of this.#steady) {
      if (this.#own.has(place)) continue
      names.doubt(place)
      if (tell !== undefined && !names.has(place)) yield* tell()
    }
  }

  *#note(place: string, secret: string | undefined, legacy: unknown, now: unknown): Steps<void> {
    // All that differs below a secret is one, and all members of a list have one place.
    const told = secret ?? place
    if (this.#found.has(told)) return
    const isBelow = secret !== undefined && secret !== place
    const shown = (value: unknown): Steps<string | undefined> => this.#shown(value, secret, isBelow)
    const was = yield* shown(legacy)
    const is = yield* shown(now)
    const difference: Difference = {
      what: 'body',
      name: this.#rules.mask(told),
      ...(was !== undefined && { legacy: was }),
      ...(is !== undefined && { now: is }),
    }
    this.#found.set(told, difference)
    if (this.#rules.isAccepted?.(difference) !== true) this.#open++
  }

  *#shown(value: unknown, secret: string | undefined, isBelow: boolean): Steps<string | undefined> {
    if (secret !== undefined) return isBelow || value !== undefined ? leftOut : undefined
    if (value === undefined) return undefined
    const written = yield* this.#write(value, longestShown + 1, 0)
    const text = this.#rules.mask(written)
    return text.length > longestShown ? `${text.slice(0, longestShown - 3)}...` : text
  }

  /** The beginning of a value as JSON, without secrets; a little more than `most` letters of it. */
  *#write(value: unknown, most: number, level: number): Steps<string> {
    const { secrets, mask } = this.#rules
    if (typeof value === 'string') {
      const masked = mask(value)
      const safe =
        masked.length < longText ? secrets.redactString(masked) : yield* secrets.redactTextSteps(masked)
      return JSON.stringify(safe.length > most ? safe.slice(0, most) : safe)
    }
    if (!isContainer(value)) return String(typeof value === 'number' ? secrets.redactJson(value) : value)
    if (level > deepest) return leftOut
    const isArray = Array.isArray(value)
    const parts: string[] = []
    let length = 2
    for (const key in value as object) {
      if (length > most) break
      if (!Object.hasOwn(value as object, key)) continue
      const isHidden = !isArray && secrets.isSecret(key)
      const member = isHidden
        ? JSON.stringify(leftOut)
        : yield* this.#write(own(value, key), most - length, level + 1)
      const part = isArray
        ? member
        : `${JSON.stringify(secrets.redactName(mask(key)).slice(0, most))}:${member}`
      parts.push(part)
      length += part.length + 1
    }
    return isArray ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
  }
}

/** The member that a value has itself: `constructor` is a member of each by its prototype. */
function own(value: unknown, key: string | number): unknown {
  const members = value as Readonly<Record<string | number, unknown>>
  return isContainer(value) && Object.hasOwn(members, key) ? members[key] : undefined
}

/** The keys of two objects, undefined for two arrays of one length, `'none'` for anything else. */
function keysOf(one: unknown, other: unknown): readonly string[] | undefined | 'none' {
  if (!isContainer(one) || !isContainer(other)) return 'none'
  if (Array.isArray(one) || Array.isArray(other))
    return Array.isArray(one) && Array.isArray(other) && one.length === other.length ? undefined : 'none'
  const keys = Object.keys(one as object)
  const known = new Set(keys)
  for (const key of Object.keys(other as object)) if (!known.has(key)) keys.push(key)
  return keys
}

function lengthOf({ keys, legacy }: Pair): number {
  return keys === undefined ? (legacy as unknown[]).length : keys.length
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}

function isTime(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && isPresent(String(value))
}

/** Whether a value may be what legacy says there, which has said `all` of these, and not one thing alone. */
function mayBeSaid(value: unknown, all: readonly unknown[]): boolean {
  if (all.includes(value)) return true
  if (!all.some((one) => kindOf(one) === kindOf(value))) return false
  // What is in a list may be noise, while how long it is is none.
  const [first, ...more] = all.map((one) => (Array.isArray(one) ? one.length : -1))
  const isLength = first !== -1 && more.every((length) => length === first)
  return !isLength || (value as unknown[]).length === first
}

function* areEqual(one: unknown, others: readonly unknown[]): Steps<boolean> {
  for (const other of others) if (!(yield* isEqual(one, other))) return false
  return true
}

/** Whether two values of JSON say the same. */
function* isEqual(one: unknown, other: unknown): Steps<boolean> {
  const open: [unknown, unknown][] = [[one, other]]
  for (let count = 1; open.length > 0; count++) {
    if (count % membersOfStep === 0) yield
    const [left, right] = open.pop()!
    if (left === right) continue
    if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right))
      return false
    const keys = Object.keys(left as object)
    if (keys.length !== Object.keys(right as object).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(right as object, key)) return false
      const [next, against] = [own(left, key), own(right, key)]
      if (next !== against) open.push([next, against])
    }
  }
  return true
}
