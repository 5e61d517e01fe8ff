// How routes were tested: by how many requests, what these had, and what they were answered.

/** A request, as far as code may read it. */
export interface TestedRequest {
  readonly target: string
  readonly headers: Iterable<readonly [name: string, value: string]>
  readonly body: string | undefined
}

interface TestedRoute {
  readonly statuses: Set<number>
  readonly inputs: Set<string>
  compared: number
  hasContent: boolean
  isReached: boolean
  hasReachedContent: boolean
  isLimited: boolean
}

/** What an answer has told. */
export interface Told {
  /** True where it tells of nothing, and is not known to be meant. */
  readonly isEmpty?: boolean
  /** True where the native callback of its route was asked, and not a guard alone. */
  readonly isReached?: boolean
}

/** How the requests of routes were answered by the first side. */
export class Tested {
  readonly #of = new Map<string, TestedRoute>()

  /**
   * `status` and `request` are those of a request as the route expects it; undefined for a variant, or without an answer.
   */
  add(
    route: string,
    status: number | undefined,
    request?: TestedRequest,
    { isEmpty = false, isReached = false }: Told = {},
  ): void {
    const own = this.#ownOf(route)
    own.compared++
    if (status === undefined) return
    own.statuses.add(status)
    const hasContent = status < 400 && !isEmpty
    own.hasContent ||= hasContent
    own.isReached ||= isReached
    own.hasReachedContent ||= hasContent && isReached
    if (request !== undefined) for (const input of inputsIn(request)) own.inputs.add(input)
  }

  /** A request was answered by 429: a rate limit hides what stands behind it. */
  limit(route: string): void {
    this.#ownOf(route).isLimited = true
  }

  #ownOf(route: string): TestedRoute {
    const own = this.#of.get(route) ?? {
      statuses: new Set(),
      inputs: new Set(),
      compared: 0,
      hasContent: false,
      isReached: false,
      hasReachedContent: false,
      isLimited: false,
    }
    this.#of.set(route, own)
    return own
  }

  of(route: string): {
    readonly statuses: readonly number[]
    /** What its requests had: `query.q`, `header.x-tenant`, `cookie.theme`, `body.name`. */
    readonly inputs: ReadonlySet<string>
    readonly compared: number
    /** True where one of them was answered below 400, and not by an empty value. */
    readonly hasContent: boolean
    /** True where the native callback was asked by one of them. */
    readonly isReached: boolean
    /** The same of those alone that have come to the native callback. */
    readonly hasReachedContent: boolean
    /** True where a side has answered one of them by 429. */
    readonly isLimited: boolean
  } {
    const own = this.#of.get(route)
    const { statuses = [], inputs = new Set<string>(), compared = 0 } = own ?? {}
    const { hasContent = false, isReached = false, hasReachedContent = false, isLimited = false } = own ?? {}
    const known = { inputs, compared, hasContent, isReached, hasReachedContent, isLimited }
    return { statuses: [...statuses].sort((a, b) => a - b), ...known }
  }
}

function inputsIn({ target, headers, body = '' }: TestedRequest): string[] {
  const at = target.indexOf('?')
  const found = namesOfForm(at < 0 ? '' : target.slice(at + 1)).map((name) => `query.${name}`)
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    found.push(`header.${lower}`)
    if (lower !== 'cookie') continue
    for (const pair of value.split(';')) found.push(`cookie.${pair.split('=', 1)[0]!.trim()}`)
  }
  return [...found, ...namesOfBody(body).map((name) => `body.${name}`)]
}

/** `a[b]` and `a[]` are of `a`. */
function namesOfForm(form: string): string[] {
  return [...new URLSearchParams(form).keys()].map((name) => name.split('[', 1)[0]!)
}

function namesOfBody(body: string): string[] {
  try {
    const value = JSON.parse(body) as unknown
    return typeof value === 'object' && value !== null ? Object.keys(value) : []
  } catch {
    return namesOfForm(body)
  }
}
