// The headers of two answers; cookies by their names.
import { type ReceivedAnswer, following } from './received-answer.js'
import { clip, compareHidden, compareTexts, type TextComparison } from './compare-texts.js'
import { type Cookie, type Cookies, cookiesOf, isSameExpiry, isSameValue } from './cookies.js'
import type { Difference } from './difference.js'
import type { Noise } from './noise.js'
import { leftOut } from './redact.js'
import type { CompareRules } from './rules.js'
import type { Steps } from './slices.js'

/** Of those that differ so many are shown, each without its value. */
const mostCookies = 5
const longestCookie = 200
const longestName = 60
/** A longer header is looked through in steps. */
const longValue = 4000

interface Bodies {
  readonly isOtherStatus: boolean
  readonly isSameBody: boolean
}

export class HeaderComparison {
  readonly found: Difference[] = []
  isNoisy = false
  /** Headers and cookies that were not compared. */
  readonly noise = new Set<string>()
  readonly #known: Noise['headers']
  readonly #rules: CompareRules
  readonly #isExact: boolean
  readonly #bodies: Bodies

  constructor({ headers }: Noise, rules: CompareRules, bodies: Bodies) {
    this.#known = headers
    this.#rules = rules
    this.#isExact = rules.isExact === true
    this.#bodies = bodies
  }

  *compare(legacy: ReceivedAnswer, now: ReceivedAnswer, again: readonly ReceivedAnswer[]): Steps<void> {
    for (const name of new Set([...legacy.headers.keys(), ...now.headers.keys()])) {
      if (this.#rules.ignoredHeaders.has(name)) continue
      const [was, is] = [legacy.headers.get(name), now.headers.get(name)]
      if (was === is) continue
      if (is === undefined)
        this.found.push({ what: 'missing header', name, legacy: yield* this.#shown(name, was!) })
      else if (was === undefined)
        this.found.push({ what: 'new header', name, now: yield* this.#shown(name, is) })
      else if (!this.#bodies.isOtherStatus && this.#isCompared(name, was, is)) {
        const later = again.flatMap(({ headers }) => headers.get(name) ?? [])
        if (name === 'set-cookie') this.#compareCookies(was, is, later)
        else yield* this.#compareValues(name, was, is, later)
      }
      yield
    }
  }

  #isCompared(name: string, was: string, is: string): boolean {
    if (!following.includes(name)) return true
    // It was made of what is not compared.
    if (this.#isExact) return was !== '' && is !== ''
    // Made of the bytes: where those differ in their spaces alone, it differs too.
    return name !== 'etag' || this.#bodies.isSameBody
  }

  *#compareValues(name: string, was: string, is: string, later: readonly string[]): Steps<void> {
    // How long a connection is kept is the server's, and not the app's.
    if (name === 'keep-alive') return void this.noise.add(name)
    const { difference, noise, isOwn } = yield* this.#compareTexts(name, was, is, later)
    if (noise.length > 0) this.noise.add(name)
    if (isOwn) this.#known.add(name)
    if (difference === undefined || this.#isNoise(name, isOwn, later.length > 0)) return
    const shown = this.#rules.secrets.isSecret(name) ? { legacy: leftOut, now: leftOut } : difference
    this.found.push({ what: 'header', name, ...shown })
  }

  *#compareTexts(
    name: string,
    was: string,
    is: string,
    later: readonly string[],
  ): Steps<TextComparison & { readonly isOwn: boolean }> {
    if (this.#isExact) {
      const found = yield* compareHidden(was, later, is, (value) => this.#read(name, value), true)
      return { ...found, isOwn: later.some((value) => value !== was) }
    }
    const one = yield* this.#read(name, was)
    const other = yield* this.#read(name, is)
    const again: string[] = []
    for (const value of later) again.push(yield* this.#read(name, value))
    const isOwn = one !== other && again.some((value) => value !== one)
    return { ...(yield* compareTexts(one, again, other)), isOwn }
  }

  /** Whether a name, by which the sides differ, is noise. `isOwn`: legacy differs from itself there, too. */
  #isNoise(name: string, isOwn: boolean, isAsked: boolean): boolean {
    const known = this.#known
    if (!isOwn && isAsked) known.doubt(name)
    const isKnown = known.has(name)
    if (isKnown && !isAsked) this.isNoisy = true
    if (isOwn || isKnown) this.noise.add(name)
    return isOwn || isKnown
  }

  #compareCookies(was: string, is: string, later: readonly string[]): void {
    const read = (value: string): Cookies => cookiesOf(value, this.#isExact)
    const [one, other, others] = [read(was), read(is), later.map(read)]
    const names = [...new Set([...one.keys(), ...other.keys()])].filter((name) =>
      this.#isOtherCookie(
        name,
        one.get(name),
        other.get(name),
        others.map((cookies) => cookies.get(name)),
      ),
    )
    if (names.length > 0) return this.#tellCookies(one, other, names)
    const orderOf = (cookies: Cookies): string => [...cookies.keys()].join('\n')
    const order = orderOf(one)
    const isOtherOrder = one.size === other.size && order !== orderOf(other)
    if (this.#isExact && isOtherOrder && others.every((cookies) => orderOf(cookies) === order))
      this.#tellCookies(one, other)
  }

  #isOtherCookie(
    name: string,
    was: Cookie | undefined,
    is: Cookie | undefined,
    again: readonly (Cookie | undefined)[],
  ): boolean {
    const own = `set-cookie ${this.#rules.mask(name).slice(0, longestName)}`
    const isOther = (key: string, isSame: (one: Cookie, other: Cookie) => boolean): boolean => {
      if (was !== undefined && is !== undefined && isSame(was, is)) return false
      const isOwn = again.some((one) =>
        was === undefined || one === undefined ? was !== one : !isSame(was, one),
      )
      if (isOwn) this.#known.add(key)
      return !this.#isNoise(key, isOwn, again.length > 0)
    }
    // Without its value: what is set at all is no matter of it.
    if (was === undefined || is === undefined) return isOther(`${own} (whether it is set)`, () => true)
    const isOtherValue = this.#isExact && isOther(own, isSameValue)
    const attributes = `${own} (attributes)`
    const hasOther = isOther(attributes, (one, two) => one.attributes === two.attributes)
    return isOtherValue || hasOther || (this.#isExact && isOther(attributes, isSameExpiry))
  }

  /** The lines of some cookies, whole: a part of one would not name its cookie. */
  #tellCookies(one: Cookies, other: Cookies, names?: readonly string[]): void {
    const shown = (cookies: Cookies): string =>
      (names ?? [...cookies.keys()])
        .flatMap((name) => cookies.get(name)?.shown ?? [])
        .slice(0, mostCookies)
        .map((line) => this.#rules.mask(line).slice(0, longestCookie))
        .join('\n')
    this.found.push({ what: 'header', name: 'set-cookie', legacy: shown(one), now: shown(other) })
  }

  /** Before anything is clipped: a part of a secret would not be found any more. A secret as a whole is compared, and not shown. */
  *#read(name: string, value: string): Steps<string> {
    const { secrets, mask } = this.#rules
    if (secrets.isSecret(name)) return value
    // JSON is UTF-8, whether its type says so or not. RFC 8259 8.1
    if (name === 'content-type' && !this.#isExact)
      return mask(value).replace(/^([^;]*[/+]json); *charset=utf-8$/i, '$1')
    const masked = mask(value)
    yield
    return masked.length < longValue ? secrets.redactString(masked) : yield* secrets.redactTextSteps(masked)
  }

  *#shown(name: string, value: string): Steps<string> {
    if (name === 'set-cookie')
      return clip(
        [...cookiesOf(value, this.#isExact).values()].map((one) => this.#rules.mask(one.shown)).join('\n'),
      )
    return this.#rules.secrets.isSecret(name) ? leftOut : clip(yield* this.#read(name, value))
  }
}
