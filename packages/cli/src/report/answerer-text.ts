// How findings name who answers.
import type { Answerer, AppRow, RouteRow } from '../documents/inventory.js'

/** `Express src/app.js:12` */
export function placed(who: string, at: string | undefined): string {
  return at === undefined ? who : `${who} ${at}`
}

/** `the middleware auth src/app.js:12`, `the native callback show src/app.js:16` */
export function answererText({
  by,
  name,
  at,
  behind,
}: Pick<Answerer, 'by' | 'name' | 'at' | 'behind'>): string {
  const who = behind === undefined ? by : `the native callback ${name}`
  return placed(by === 'middleware' ? `the middleware ${name}` : who, at)
}

/** Who a route is of, in `inspect`: a Controller, or Express, and how far a route of Express is where its handler is not alone. */
export function ownerText({ by, stage = 'legacy' }: Pick<RouteRow['own'], 'by' | 'stage'>): string {
  return stage === 'legacy' ? by : `${by}, ${stage}`
}

/** What is served, with its version of Express: `Express 5 app`, `RouteControllers in front of Express 5`. */
export function servedText({ kind, version }: AppRow): string {
  if (version === undefined) return kind
  return kind === 'RouteControllers'
    ? `${kind} in front of Express ${version}`
    : kind.replace(/^Express/, `$& ${version}`)
}

/** How many routes are how far, where one has a native callback: `, 3 beside, 1 native`. */
export function stagesText(rows: readonly RouteRow[]): string {
  const counts = (['beside', 'native'] as const).map((stage) => ({
    stage,
    number: rows.filter(({ own }) => own.stage === stage).length,
  }))
  return counts.map(({ stage, number }) => (number === 0 ? '' : `, ${number} ${stage}`)).join('')
}

/** Of a Controller that is meant as a guard, in `inspect` and in `check`. */
export function noGuardText(guards: readonly string[]): string {
  return `does not guard ${guards.join(', ')}: without a profile the most specific Controller answers alone`
}
