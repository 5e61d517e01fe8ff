// How findings name who answers.
import type { Answerer } from '../documents/inventory.js'

/** `Express src/app.js:12` */
export function placed(who: string, at: string | undefined): string {
  return at === undefined ? who : `${who} ${at}`
}

/** `the middleware auth src/app.js:12` */
export function answererText({ by, name, at }: Pick<Answerer, 'by' | 'name' | 'at'>): string {
  return placed(by === 'middleware' ? `the middleware ${name}` : by, at)
}

/** Of a Controller that is meant as a guard, in `inspect` and in `check`. */
export function noGuardText(guards: readonly string[]): string {
  return `does not guard ${guards.join(', ')}: without a profile the most specific Controller answers alone`
}
