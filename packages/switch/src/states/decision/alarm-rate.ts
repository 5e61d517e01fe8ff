// How the rate of false alarms of a plan is divided among all tests that may raise one.
import { enoughOf } from './evidence.js'

/** What is measured of a route. */
export type Measure = 'errors' | 'differences' | 'slow'

/** Errors have most of it: each answer that fails before they are found is one of a client. */
const parts: Readonly<Record<Measure, number>> = { errors: 0.5, differences: 0.25, slow: 0.25 }

/** How much evidence one replica needs by its own answers, and by those of all. */
export interface Enough {
  readonly own: number
  readonly joint: number
}

export function enoughFor(plan: {
  readonly falseAlarmRate: number
  /** How many states a plan has. */
  readonly states: number
  readonly measure: Measure
  readonly replicas: number
}): Enough {
  const { falseAlarmRate, states, measure, replicas } = plan
  const rate = (falseAlarmRate * parts[measure]) / states
  if (replicas === 1) return { own: enoughOf(rate), joint: Infinity }
  // What all have seen is more than what one of them has, and is known soon.
  return { own: enoughOf((rate * 0.2) / replicas), joint: enoughOf((rate * 0.8) / replicas) }
}
