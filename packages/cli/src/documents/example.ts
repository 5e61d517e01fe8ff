/** A request that fits the schemas of a route. */
export interface Example {
  /** Path and query; undefined where the schemas ask for nothing of them. */
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}
