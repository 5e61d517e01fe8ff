/** One request, as it goes over the wire. */
export interface ParityRequest {
  readonly app: number
  /** The route that it is made for. */
  readonly route: string
  /** True for a function of `use` that has a row as routes have. */
  readonly isMount: boolean
  readonly method: string
  readonly target: string
  /** In which way it is not what the route expects; `''` for what it does. */
  readonly variant: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** What an answer shows at first sight: `401 json`. The status is 0 where there was none. */
export interface AnswerHead {
  readonly status: number
  /** The subtype of its Content-Type, as `json`; `''` where it has none. */
  readonly type: string
  /** Why there was no answer. */
  readonly failure?: string
}
