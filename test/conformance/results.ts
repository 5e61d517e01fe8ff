import { differenceOf } from './ask.js'
import { promises, type Promised, titleOf } from './promises.js'
import { reasonsFor } from './reasons.js'
import type { Started } from './runtimes.js'

/** What has come in place of what is promised, by the promise; null where the runtime cannot have the app. */
export type Differences = Record<string, string | null>

/** What a run has found, by the name of the runtime: results.json. */
export type Results = Record<string, { version: string; differences: Differences }>

/** The promises that are made where a runtime serves in this way. */
export function promisedTo(kind: 'Server' | 'node:http' | 'fetch'): readonly Promised[] {
  return promises.filter(
    ({ where }) =>
      where === undefined || kind === 'Server' || (where === 'node:http' && kind === 'node:http'),
  )
}

/** Asks for each promise that is made there. */
export async function differencesIn(
  kind: 'Server' | 'node:http' | 'fetch',
  { ports }: Pick<Started, 'ports'>,
): Promise<Differences> {
  const differences: Differences = {}
  for (const promised of promisedTo(kind)) {
    const port = ports[promised.app]
    const difference = port === undefined ? null : await differenceOf(promised, port)
    if (difference !== undefined) differences[titleOf(promised)] = difference
  }
  return differences
}

/** Differences without a reason, and reasons without a difference. */
export function unexplained(runtime: string, differences: Differences): string[] {
  const reasons = reasonsFor(runtime)
  const found = Object.entries(differences).filter(([title]) => !reasons.has(title))
  const idle = [...reasons.keys()].filter((title) => !(title in differences))
  return [
    ...found.map(([title, difference]) => `${title}: ${difference ?? 'cannot be served'}`),
    ...idle.map((title) => `${title}: holds, though a reason says why not`),
  ]
}
