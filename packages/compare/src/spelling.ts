// How JSON is written, where its values say the same: spaces, the order of keys, escapes, digits.
import type { TextDifference } from './compare-texts.js'
import type { Steps } from './slices.js'

const tokensOfStep = 1000
const longestShown = 50

/** A text of JSON, taken apart. */
interface Spelling {
  /** All but its values, of which each is a mark. */
  readonly layout: string
  readonly values: readonly string[]
}

// A string, with what makes it a key; a number; a word.
const token = /("[^"\\]*(?:\\[^][^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g

function* spellingOf(text: string): Steps<Spelling> {
  const form = new RegExp(token)
  const parts: string[] = []
  const values: string[] = []
  let kept = 0
  for (let found = form.exec(text); found !== null; found = form.exec(text)) {
    const [value, , colon] = found
    if (colon !== undefined) continue
    parts.push(text.slice(kept, found.index), '_')
    kept = form.lastIndex
    if (values.push(value) % tokensOfStep === 0) yield
  }
  return { layout: parts.join('') + text.slice(kept), values }
}

/** In what way two texts write the same JSON, where all of `again` write it as `legacy` does. Never shows more than a letter of a value. */
export function* compareSpelling(
  legacy: string,
  again: readonly string[],
  now: string,
): Steps<TextDifference | undefined> {
  const [one, other] = [yield* spellingOf(legacy), yield* spellingOf(now)]
  const others: Spelling[] = []
  for (const text of again) if (text !== legacy) others.push(yield* spellingOf(text))
  // A list that grows has another layout.
  if (others.some(({ layout }) => layout !== one.layout)) return undefined
  if (one.layout !== other.layout) return shownLayout(one.layout, other.layout)
  for (const [at, value] of one.values.entries()) {
    if (at % tokensOfStep === 0) yield
    const is = other.values[at]!
    // Where their values differ, that was compared before.
    if (value === is || others.some(({ values }) => values[at] !== value) || !isSameValue(value, is)) continue
    return value.startsWith('"') ? shownLetter(value, is) : { legacy: endOf(value), now: endOf(is) }
  }
  return undefined
}

/** Two numbers may be one for JavaScript alone. */
function isSameValue(one: string, other: string): boolean {
  return JSON.parse(one) === JSON.parse(other)
}

/** Some letters from where two layouts differ. */
function shownLayout(legacy: string, now: string): TextDifference {
  const at = firstDifference(legacy, now)
  const part = (text: string): string => JSON.stringify(text.slice(at, at + longestShown))
  return { legacy: part(legacy), now: part(now) }
}

/** A backslash, or the beginning of its escape, at the end of a string that has begun. An even number of backslashes are letters. */
const begunEscape = /[^\\](?:\\\\)*(\\(?:u[\da-f]{0,3})?)$/i

/** The letter, or the escape, in which two strings differ. */
function shownLetter(legacy: string, now: string): TextDifference {
  const at = firstDifference(legacy, now)
  const [, begun = ''] = begunEscape.exec(legacy.slice(0, at)) ?? []
  const start = at - begun.length
  const part = (text: string): string => JSON.stringify(/\\u[\da-f]{4}|\\?[^]/i.exec(text.slice(start))![0])
  return { legacy: part(legacy), now: part(now) }
}

/** Where two texts differ; the end of the first one where it is the beginning of the other. */
function firstDifference(legacy: string, now: string): number {
  let at = 0
  while (at < legacy.length && legacy[at] === now[at]) at++
  return at
}

/** Numbers that say more than a number of JavaScript can, in a text of JSON, by what is left of them: several may be one then. */
export function* longNumbersOf(text: string): Steps<Map<number, string[]>> {
  const numbers = new Map<number, string[]>()
  if (!/\d{16}|e\+?\d{3}/i.test(text)) return numbers
  const form = /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\d[\d.eE+-]*/g
  let count = 0
  for (let found = form.exec(text); found !== null; found = form.exec(text)) {
    if (++count % tokensOfStep === 0) yield
    const [one] = found
    const isLong = /^-?\d{16,}$/.test(one) || (one[0] !== '"' && !Number.isFinite(Number(one)))
    if (!isLong) continue
    const same = numbers.get(Number(one))
    if (same === undefined) numbers.set(Number(one), [one])
    else same.push(one)
  }
  return numbers
}

/** It may be a secret: where it stands is not known any more. */
export function endOf(number: string): string {
  return number.length > 8 ? `...${number.slice(-4)}` : number
}
