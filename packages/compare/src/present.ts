// Times that say when an answer was made.

/** What HTTP calls a date. RFC 9110 5.6.7 */
export const dateForm = '\\w{3}, \\d\\d \\w{3} \\d{4} [\\d:]{8} GMT'
const isDate = new RegExp(`^${dateForm}$`)

/** True for a time of this hour: two requests are not made at the same moment. */
export function isPresent(word: string): boolean {
  return Math.abs(timeOf(word) - Date.now()) < 3_600_000
}

/** A date that is none, as 99 Xyz, is a word like others. */
function timeOf(word: string): number {
  if (isDate.test(word)) return Date.parse(word)
  const number = /^\d{10}$/.test(word) ? 1000 * Number(word) : Number(word)
  if (!Number.isNaN(number)) return number
  return /^\d{4}-\d\d-\d\dT/.test(word) ? Date.parse(word) : NaN
}
