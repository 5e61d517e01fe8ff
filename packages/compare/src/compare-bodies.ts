// The bodies of two answers: JSON by its places, anything else as text.
import { isUtf8 } from 'node:buffer'
import { JsonComparison } from './compare-json.js'
import { clip, compareHidden } from './compare-texts.js'
import type { Difference } from './difference.js'
import type { Noise } from './noise.js'
import { type Comparison, type CompareRules, mostDifferences } from './rules.js'
import type { Steps } from './slices.js'
import { compareSpelling, endOf, longNumbersOf } from './spelling.js'

/** A body as it is read. */
interface Body {
  readonly text: string
  readonly kind: 'json' | 'text' | 'empty'
  /** What the JSON says. */
  readonly value: unknown
}

/** Compares two bodies whose letters are bytes. `again` are those of legacy, asked again. */
export function* compareBodies(
  legacy: string,
  now: string,
  again: readonly string[],
  noise: Noise,
  rules: CompareRules,
): Steps<Comparison> {
  // Where one alone is in UTF-16, they differ in that.
  const read = isUtf16(legacy) === isUtf16(now) ? toUtf8 : (text: string): string => text
  const was = bodyOf(read(legacy))
  yield
  const is = bodyOf(read(now))
  yield
  const later: Body[] = []
  for (const text of again) {
    later.push(text === legacy ? was : bodyOf(read(text)))
    yield
  }
  const known = [was, ...later]
  if (is.kind === 'json' && was.kind === 'json') {
    // A body of another kind says nothing of a place.
    const same = later.filter(({ kind }) => kind === 'json')
    return yield* compareJson(was, is, same, noise, rules)
  }
  const hide = function* (text: string): Steps<string> {
    // Between its letters UTF-16 has bytes that hide names.
    const masked = rules.mask(toUtf8(text))
    yield
    return yield* rules.secrets.redactTextSteps(masked)
  }
  if (!known.some(({ kind }) => kind === is.kind)) {
    const [one, other] = [yield* hide(legacy), yield* hide(now)]
    return found([{ what: 'body', legacy: clip(one), now: clip(other) }], [])
  }
  const { difference, noise: words } = yield* compareHidden(legacy, again, now, hide, rules.isExact === true)
  return found(
    difference === undefined ? [] : [{ what: 'body', ...difference }],
    words.map((word) => `body ${word}`.trim()),
  )
}

function found(differences: readonly Difference[], noise: readonly string[]): Comparison {
  return { differences, isNoisy: false, noise }
}

/** A body that is no UTF-8 has no text in which all its bytes are. */
function bodyOf(text: string): Body {
  const plain: Body = { text, kind: text === '' ? 'empty' : 'text', value: undefined }
  if (!/^\s*[[{]/.test(text)) return plain
  const bytes = Buffer.from(text, 'latin1')
  if (!isUtf8(bytes)) return plain
  try {
    return { text, kind: 'json', value: JSON.parse(bytes.toString()) as unknown }
  } catch {
    return plain
  }
}

/** By its mark, or by the first letter, which for JSON is one of ASCII. */
function isUtf16(text: string): boolean {
  return /^(?:\u00ff\u00fe|\u00fe\u00ff|[^\0]\0|\0[^\0])/.test(text)
}

/** All bytes of what only looks like UTF-16 still count: fonts begin so. */
function toUtf8(text: string): string {
  if (!isUtf16(text)) return text
  const end = text.length & ~1
  const bytes = Buffer.from(text.slice(0, end), 'latin1')
  const isBigEndian = text[0] === '\0' || text[0] === '\u00fe'
  const plain = (isBigEndian ? bytes.swap16() : bytes)
    .toString('utf16le')
    .replace(/^\ufeff/, '')
    .replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
  return Buffer.from(plain).toString('latin1') + text.slice(end)
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString()
}

function* compareJson(
  was: Body,
  is: Body,
  later: readonly Body[],
  noise: Noise,
  rules: CompareRules,
): Steps<Comparison> {
  const comparison = new JsonComparison(noise, { ...rules, mostDifferences })
  const values = later.map(({ value }) => value)
  const differences = yield* comparison.compare(was.value, is.value, values)
  if (differences.length === 0) {
    const isExact = rules.isExact === true
    // Escapes stand for letters, and not for bytes.
    const texts = [was, is, ...later].map(({ text }) => (isExact ? utf8(text) : text))
    const [one, other, ...again] = texts as [string, string, ...string[]]
    const written = yield* (isExact ? compareSpelling : compareLongNumbers)(one, again, other)
    if (written !== undefined) differences.push({ what: 'body', name: '$', ...written })
  }
  return { differences, isNoisy: comparison.isNoisy, noise: [...comparison.noise] }
}

/** 9007199254740993 and 9007199254740992 are one number once they were read. */
function* compareLongNumbers(
  was: string,
  again: readonly string[],
  is: string,
): Steps<{ legacy: string; now: string } | undefined> {
  const numbers = yield* longNumbersOf(was)
  if (numbers.size === 0) return undefined
  const others = yield* longNumbersOf(is)
  const later: Map<number, string[]>[] = []
  for (const text of again) later.push(yield* longNumbersOf(text))
  for (const [number, legacy] of numbers) {
    const now = others.get(number)
    // What has another length is noise: all else was compared before.
    if (now?.length !== legacy.length) continue
    // An object may have its keys in another order.
    const texts = legacy.sort().join()
    if (later.some((one) => one.get(number)?.sort().join() !== texts)) continue
    const at = now.sort().findIndex((text, place) => text !== legacy[place])
    if (at >= 0) return { legacy: endOf(legacy[at]!), now: endOf(now[at]!) }
  }
  return undefined
}
