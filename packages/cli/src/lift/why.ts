/** Why a router stays what it is. */
export interface Why {
  readonly reason: string
  /** Where that stands, where it is not the route itself: a line from 1. */
  readonly at?: { readonly file: string; readonly line: number }
}

export function isWhy(value: object): value is Why {
  return 'reason' in value
}
