/** One thing in which the answers of both sides differ. Values are clipped to a few letters, and those of secrets left out. */
export interface Difference {
  readonly what: 'status' | 'missing header' | 'new header' | 'header' | 'body'
  /** The header, or the place in a JSON body: `$.items[*].price`. */
  readonly name?: string
  readonly legacy?: string
  readonly now?: string
}
