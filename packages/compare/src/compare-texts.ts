// Texts word by word.
import { dateForm, isPresent } from './present.js'
import { leftOut } from './redact.js'
import type { Steps } from './slices.js'

/** What two texts say that differ. */
export interface TextDifference {
  readonly legacy: string
  readonly now: string
}

/** What a comparison of texts has found. */
export interface TextComparison {
  readonly difference: TextDifference | undefined
  /** The words before those that were not compared, as legacy says them in another way the second time, or they are times of now. */
  readonly noise: readonly string[]
}

/** How many words are read in one step. */
const wordsOfStep = 1000
const mostShownWords = 100
/** Stands for a text that cannot be compared at all. */
const allOfIt = '(all of it)'

/**
 * In what a text differs, outside of the words that differ between `legacy` and one of `again`, and of times. Where these have another
 * number of words, nothing of the text is compared; with `isExact` what they begin and end with alike is compared.
 */
export function* compareTexts(
  legacy: string,
  again: readonly string[],
  now: string,
  isExact = false,
): Steps<TextComparison> {
  if (legacy === now) return { difference: undefined, noise: [] }
  const one = yield* wordsOf(legacy)
  const others: (readonly string[])[] = []
  for (const text of again) if (text !== legacy) others.push(yield* wordsOf(text))
  if (others.some(({ length }) => length !== one.length)) {
    if (!isExact) return { difference: undefined, noise: [allOfIt] }
    return compareAround(one, others, yield* wordsOf(now))
  }
  const three = yield* wordsOf(now)
  const noise = new Set<string>()
  let label = ''
  for (let at = 0; at < one.length; at++) {
    if (at % wordsOfStep === 0) yield
    const [word, other] = [one[at]!, three[at] ?? '']
    const isOwn = at < three.length && others.some((two) => two[at] !== word)
    if (isOwn || (word !== other && isPresent(word) && isPresent(other))) noise.add(label)
    else if (word !== other) return { difference: shownFrom(one, three, at), noise: [...noise] }
    else if (isLabel.test(word)) label = word
  }
  const difference = one.length === three.length ? undefined : shownOf(legacy, now)
  return { difference, noise: [...noise] }
}

const isLabel = /^[a-z_]\w*$/i

/** Compares the words that all of legacy begin with, and those that they end with. */
function compareAround(
  one: readonly string[],
  others: readonly (readonly string[])[],
  three: readonly string[],
): TextComparison {
  const least = Math.min(one.length, ...others.map(({ length }) => length))
  const isOther = (word: string, other: string): boolean =>
    word !== other && !(isPresent(word) && isPresent(other))
  const countAlike = (most: number, wordOf: (words: readonly string[], at: number) => string): number => {
    let at = 0
    while (at < most && others.every((two) => !isOther(wordOf(two, at), wordOf(one, at)))) at++
    return at
  }
  const fromEnd = (words: readonly string[], at: number): string => words[words.length - 1 - at] ?? ''
  const before = countAlike(least, (words, at) => words[at]!)
  const after = countAlike(least - before, fromEnd)
  let label = ''
  for (let at = 0; at < before; at++) {
    const [word, other] = [one[at]!, three[at] ?? '']
    if (isOther(word, other)) return { difference: shownFrom(one, three, at), noise: [] }
    if (isLabel.test(word)) label = word
  }
  for (let at = after - 1; at >= 0; at--) {
    const isThere = three.length - at > before
    if (isThere && !isOther(fromEnd(one, at), fromEnd(three, at))) continue
    const difference = shownOf(partFrom(one, one.length - 1 - at), partFrom(three, three.length - 1 - at))
    return { difference, noise: [] }
  }
  return { difference: undefined, noise: [before + after === 0 ? allOfIt : label] }
}

/**
 * The same for texts with secrets, which `hide` takes out of what is shown. With `isExact` the secrets are compared, too: without it
 * texts that differ in nothing else are alike.
 */
export function* compareHidden(
  legacy: string,
  again: readonly string[],
  now: string,
  hide: (text: string) => Steps<string>,
  isExact: boolean,
): Steps<TextComparison> {
  const hidden: string[] = []
  for (const text of [legacy, now, ...again]) {
    // Most of them are the same one again.
    if (text === legacy && hidden.length > 0) hidden.push(hidden[0]!)
    else hidden.push(yield* hide(text))
    yield
  }
  const [one, three, ...others] = hidden as [string, string, ...string[]]
  const shown = yield* compareTexts(one, others, three, isExact)
  if (shown.difference !== undefined || !isExact) return shown
  const { difference, noise } = yield* compareTexts(legacy, again, now, true)
  return { difference: difference && { legacy: leftOut, now: leftOut }, noise }
}

/** Words with what stands between them; a time is one word. */
function* wordsOf(text: string): Steps<string[]> {
  const word = new RegExp(`${dateForm}|[\\w+/.:%-]+=*|[^\\w+/.:%-]+`, 'g')
  const words: string[] = []
  for (let found = word.exec(text); found !== null; found = word.exec(text)) {
    if (words.push(found[0]) % wordsOfStep === 0) yield
  }
  return words
}

function partFrom(words: readonly string[], at: number): string {
  const from = Math.max(0, at - 4)
  return words.slice(from, from + mostShownWords).join('')
}

function shownFrom(one: readonly string[], three: readonly string[], at: number): TextDifference {
  return shownOf(partFrom(one, at), partFrom(three, at))
}

function shownOf(legacy: string, now: string): TextDifference {
  const [one, other] = [clip(legacy), clip(now)]
  if (one !== other) return { legacy: one, now: other }
  // They differ in their spaces, or further on.
  let at = 0
  while (at < legacy.length && legacy[at] === now[at]) at++
  const from = Math.max(0, at - 10)
  return { legacy: quoted(legacy, from), now: quoted(now, from) }
}

/** Some letters of a text whose letters are bytes. */
export function clip(text: string): string {
  const shown = Buffer.from(text.slice(0, 500), 'latin1').toString().replace(/\s+/g, ' ').trim()
  return shown.length > 60 ? `${shown.slice(0, 57)}...` : shown
}

function quoted(text: string, from: number): string {
  return JSON.stringify(Buffer.from(text.slice(from, from + 50), 'latin1').toString())
}
