// What `parity` tells, as `--json` prints it.

/** What an answer shows at first sight: `401 json`. The status is 0 where there was none. */
export interface AnswerHead {
  readonly status: number
  /** The subtype of its Content-Type, as `json`; `''` where it has none. */
  readonly type: string
  /** Why there was no answer. */
  readonly failure?: string
}

/** One thing in which two answers differ. */
export interface AnswerChange {
  readonly what: 'status' | 'missing header' | 'new header' | 'header' | 'body'
  /** The name of the header. */
  readonly name?: string
  /** A few letters of both. */
  readonly legacy?: string
  readonly now?: string
}

/** One request whose answers differ. */
export interface ParityDifference {
  readonly method: string
  readonly target: string
  /** The route that it was made for: `GET /users/:id`. */
  readonly route: string
  /** In which way it differs from what the route expects, as `trailing slash`; `''` where it does not. */
  readonly variant: string
  /** The names of headers that were sent. */
  readonly headers: readonly string[]
  readonly legacy: AnswerHead
  readonly now: AnswerHead
  readonly changes: readonly AnswerChange[]
  /** Who answers it now: `Express GET /* at app.js:61`. */
  readonly by?: string
}

/** Differences with one cause. */
export interface ParityGroup {
  readonly cause: string
  readonly remedy?: string
  readonly routes: readonly string[]
  readonly differences: readonly ParityDifference[]
}

/** What `parity` has found. */
export interface ParityReport {
  readonly version: 1
  /** True where all was compared, and nothing differs. */
  readonly ok: boolean
  /** How many requests were compared, of how many. */
  readonly compared: number
  readonly planned: number
  /** What both sides are. */
  readonly legacy: string
  readonly now: string
  readonly groups: readonly ParityGroup[]
  /** What differs between answers of legacy to one request, asked twice or started twice, and was not compared; in how many requests. */
  readonly noise: Readonly<Record<string, number>>
  /** What the project has said not to compare, and in how many requests it was left out. */
  readonly ignored: Readonly<Record<string, number>>
  readonly notes: readonly string[]
}

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

/** The file in the folder of the project. */
export const ignoreFile = 'routes.parity.json'
