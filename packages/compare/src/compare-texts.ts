// Two texts word by word.
import { isNow } from './answer.js'
import type { Steps } from './slices.js'

/** What two texts say that differ. */
export interface TextDifference {
  readonly legacy: string
  readonly native: string
}

/** How many words are read in one step. */
const wordsOfStep = 1000

/**
 * In what a text differs, outside of the words that differ between `legacy` and `again`, and of times. Undefined where it does not, or where
 * the two of legacy have another number of words.
 */
export function* differenceOfTexts(
  legacy: string,
  again: string,
  native: string,
): Steps<TextDifference | undefined> {
  if (legacy === native) return undefined
  const one = yield* wordsOf(legacy)
  const two = again === legacy ? one : yield* wordsOf(again)
  const three = yield* wordsOf(native)
  if (one.length !== two.length) return undefined
  for (let at = 0; at < one.length; at++) {
    if (at % wordsOfStep === 0) yield
    const [word, other] = [one[at]!, three[at] ?? '']
    const isOwn = word !== two[at] && at < three.length
    if (word === other || isOwn || (isTimeWord(word) && isTimeWord(other))) continue
    const from = Math.max(0, at - 4)
    return shownOf(
      one.slice(from, from + mostShownWords).join(''),
      three.slice(from, from + mostShownWords).join(''),
    )
  }
  return one.length === three.length ? undefined : shownOf(legacy, native)
}

const mostShownWords = 100
const dateForm = '\\w{3}, \\d\\d \\w{3} \\d{4} [\\d:]{8} GMT'
const isDate = new RegExp(`^${dateForm}$`)

/** Words with what stands between them; a time is one word. */
function* wordsOf(text: string): Steps<string[]> {
  const word = new RegExp(`${dateForm}|[\\w+/.:%-]+=*|[^\\w+/.:%-]+`, 'g')
  const words: string[] = []
  for (let found = word.exec(text); found !== null; found = word.exec(text)) {
    if (words.push(found[0]) % wordsOfStep === 0) yield
  }
  return words
}

/** A date that is none, as 99 Xyz, is a word like others. */
function isTimeWord(word: string): boolean {
  if (!isDate.test(word)) return isNow(word)
  const time = Date.parse(word)
  return !Number.isNaN(time) && isNow(new Date(time).toISOString())
}

function shownOf(legacy: string, native: string): TextDifference {
  const [one, other] = [clip(legacy), clip(native)]
  if (one !== other) return { legacy: one, native: other }
  // They differ in their spaces, or further on.
  let at = 0
  while (at < legacy.length && legacy[at] === native[at]) at++
  const from = Math.max(0, at - 10)
  return { legacy: quoted(legacy, from), native: quoted(native, from) }
}

/** Some letters of a text whose letters are bytes. */
export function clip(text: string): string {
  const shown = Buffer.from(text.slice(0, 500), 'latin1').toString().replace(/\s+/g, ' ').trim()
  return shown.length > 60 ? `${shown.slice(0, 57)}...` : shown
}

function quoted(text: string, from: number): string {
  return JSON.stringify(Buffer.from(text.slice(from, from + 50), 'latin1').toString())
}
