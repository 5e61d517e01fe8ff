// What a replica counts of a route, and adds to the figures of all.

/** Those that only grow. */
const growing = [
  // One client in ten seconds: what is judged.
  'native',
  'nativeBad',
  'nativeSlow',
  'legacy',
  'legacyBad',
  'legacySlow',
  'compared',
  'different',
  // All, as they are shown.
  'nativeRequests',
  'nativeFailures',
  'legacyRequests',
  'legacyFailures',
  'allCompared',
  'allDifferent',
] as const

/** The logarithms of what the pairs of a replica say, of each share that is bet on, in thousandths. */
const factors = ['errors0', 'errors1', 'errors2', 'slow0', 'slow1', 'slow2'] as const

export const nameOfCounts = [...growing, ...factors] as const

export type CountName = (typeof nameOfCounts)[number]

/** Counts of what has happened since they were taken last. */
export type Counts = Record<CountName, number>

export function noCounts(): Counts {
  return Object.fromEntries(nameOfCounts.map((name) => [name, 0])) as Counts
}

export function factorsIn(counts: Counts, name: 'errors' | 'slow'): number[] {
  return ([0, 1, 2] as const).map((bet) => counts[`${name}${bet}`] / 1000)
}

/**
 * What was counted between two sums. A store that has lost some has smaller ones, and what it still has may be of long ago: then nothing of
 * it is new.
 */
export function countsSince(before: Counts, now: Counts): Counts {
  const since = noCounts()
  if (growing.some((name) => now[name] < before[name])) return since
  for (const name of nameOfCounts) since[name] = now[name] - before[name]
  return since
}
