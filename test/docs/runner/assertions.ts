/** What the comments `// → text` and `// throws text` of a code block become when it runs. */
import { format, inspect } from 'node:util'
import { isAsShown } from './shown.js'

/** `value // → text` */
export function is(place: string, shown: string, value: unknown): void {
  compare(place, shown, inspect(value, { breakLength: Infinity, compact: true, depth: 10 }))
}

/** `console.log(value) // text` */
export function prints(place: string, shown: string): (...values: unknown[]) => void {
  return (...values) => compare(place, shown, format(...values))
}

/** `value // throws text` */
export async function throws(place: string, shown: string, run: () => unknown): Promise<void> {
  let thrown: unknown
  try {
    await run()
  } catch (error) {
    thrown = error
  }
  if (thrown === undefined) throw new Error(`${place}: shown to throw ${shown}, but does not throw`)
  compare(place, `…${shown}…`, inspect(thrown, { depth: 0 }))
}

function compare(place: string, shown: string, actual: string): void {
  // Objects without a prototype (params, query) are objects to a reader, whatever Node calls them.
  const found = actual
    .replaceAll('[Object: null prototype] ', '')
    .replace(/\b\w+ <\{\}> (?=\{)/g, '')
    .replace(/\s+/g, ' ')
  if (!isAsShown(found, shown)) throw new Error(`${place}: shown as\n  ${shown}\nbut is\n  ${found}`)
}
