// How routes were tested: by how many requests, and what these were answered.
/** How the requests of routes were answered by the first side. */
export class Tested {
  readonly #of = new Map<string, { readonly statuses: Set<number>; compared: number }>()

  /** `status` is that of a request as the route expects it; undefined for a variant, or without an answer. */
  add(route: string, status: number | undefined): void {
    const own = this.#of.get(route) ?? { statuses: new Set(), compared: 0 }
    this.#of.set(route, own)
    own.compared++
    if (status !== undefined) own.statuses.add(status)
  }

  of(route: string): { readonly statuses: readonly number[]; readonly compared: number } {
    const { statuses = [], compared = 0 } = this.#of.get(route) ?? {}
    return { statuses: [...statuses].sort((a, b) => a - b), compared }
  }
}
