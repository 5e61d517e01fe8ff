import type { SideName } from './schema.js'

// By a name that all copies of this package know.
const key = Symbol.for('routecontrollers.side')

interface Mark {
  readonly side: SideName
  isReached: boolean
}

interface Marked {
  [key]?: Mark
}

/** The side that a request in memory is made for; undefined for a client's. */
export function sideOf(request: object | undefined): SideName | undefined {
  const mark = (request as Marked | undefined)?.[key]
  if (mark === undefined) return undefined
  mark.isReached = true
  return mark.side
}

/** Has a request answered by one side, whatever the state of its route. */
export function markSide(request: object, side: SideName): void {
  ;(request as Marked)[key] = { side, isReached: false }
}

/** Whether the choice has been made that the mark is for. */
export function wasReached(request: object): boolean {
  return (request as Marked)[key]?.isReached === true
}
