// What differs from one answer of legacy to the next: learnt over several requests, since a single one may be made to look so.

/** Of so many comparisons in which nothing differs but noise, one asks legacy again. */
const checkedEvery = 4
const mostNames = 200

/** How noise is learnt. */
interface Learning {
  /** In how many requests legacy has to differ from itself, until that is known. */
  readonly enough: number
  /** After how many requests, in which legacy said the same twice and the Controller did not, it is known no more. */
  readonly tooMany: number
}

/** Of requests that clients make: any of them may be made to let legacy look noisy. */
const ofClients: Learning = { enough: 2, tooMany: 2 }
/** Of requests that are made to compare: what was noise in one of them is so in all of the route. */
export const ofOwnRequests: Learning = { enough: 1, tooMany: Infinity }

/** Names of one kind. */
export class Names {
  readonly #learning: Learning
  /** How often each was seen, and in how many requests since then it was none. */
  readonly #seen = new Map<string, { count: number; against: number }>()

  constructor(learning = ofClients) {
    this.#learning = learning
  }

  has(name: string): boolean {
    return (this.#seen.get(name)?.count ?? 0) >= this.#learning.enough
  }

  /** Legacy has differed from itself there, in one more request. */
  add(name: string): void {
    const known = this.#seen.get(name)
    if (known === undefined) this.#seen.set(name, { count: 1, against: 0 })
    else {
      known.count++
      known.against = 0
    }
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= mostNames) break
      this.#seen.delete(oldest)
    }
  }

  /** Legacy has said the same twice, and the Controller something else. */
  doubt(name: string): void {
    const known = this.#seen.get(name)
    if (known === undefined) return
    known.against++
    const { enough, tooMany } = this.#learning
    if (known.count < enough || known.against >= tooMany) this.#seen.delete(name)
  }

  known(): string[] {
    return [...this.#seen.keys()].filter((name) => this.has(name))
  }
}

/** What is known of the answers of one route. */
export class Noise {
  /** Headers, and cookies by their names. */
  readonly headers: Names
  /** Places in JSON bodies: `$.items[*].seenAt`. */
  readonly places: Names = new Names()
  /** Those below secrets, which are not shown. */
  readonly hidden: Names = new Names()
  #comparisons = 0

  constructor(headers = new Names()) {
    this.headers = headers
  }

  /** Nothing but noise differs: whether it is to be looked at once more. */
  isToBeChecked(): boolean {
    return this.#comparisons++ % checkedEvery === 0
  }

  shown(): string[] {
    return [...this.headers.known(), ...this.places.known()]
  }
}
