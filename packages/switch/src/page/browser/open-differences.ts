import type { RouteStatus } from '../../states/schema.js'

/** How many differences of a route are not accepted: here or in another process, where there are more. */
export function countOpen({ differences, fleet }: RouteStatus): number {
  const here = differences.filter(({ accepted }) => accepted === undefined).length
  return Math.max(here, fleet?.openDifferences ?? 0)
}
