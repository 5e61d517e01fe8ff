import type { Shape } from './shape.js'

/** The path of a URL, where that is the text before its query; undefined where Express's parser might see another one. */
export function plainPath(url: string | undefined): string | undefined {
  if (url === undefined || url.charCodeAt(0) !== 0x2f) return undefined
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  return /[\t\n\f\r #\u00a0\ufeff]/.test(path) ? undefined : path
}

/**
 * Finds which of a list of patterns a path may match, by the texts of its segments. It keeps what is made of each such choice.
 *
 * The look-up goes from segment to segment. Each step has the patterns that are still possible, and is made when the first
 * request reaches it. So paths that differ only in the values of params share all steps.
 */
export class PathIndex<Made> {
  readonly #ways: readonly Way[]
  readonly #make: (chosen: readonly number[]) => Made
  readonly #maxKept: number
  #start: Step<Made>
  #kept = 0
  /** The path before, with what was made of its choice: a request is looked up when it arrives and again when it is routed. */
  #last: { readonly path: string; readonly made: Made } | undefined

  /**
   * `shapes` has that of each pattern; `make` gets the positions of the patterns that a path may match. At most `maxKept` patterns
   * are kept, in all steps that requests have reached.
   */
  constructor(shapes: readonly Shape[], make: (chosen: readonly number[]) => Made, maxKept = 2_000_000) {
    this.#maxKept = maxKept
    this.#ways = shapes.map((shape, at) => ({ at, shape }))
    this.#make = make
    this.#start = new Step(this.#ways, 0)
  }

  of(path: string): Made {
    if (this.#last?.path === path) return this.#last.made
    let step = this.#start
    let end = path.length
    // A slash at the end, or several, may be left out.
    while (end > 0 && path.charCodeAt(end - 1) === 0x2f) end--
    for (let from = 1; from <= end && !step.isLast;) {
      const slash = path.indexOf('/', from)
      const to = slash < 0 || slash > end ? end : slash
      step = this.#after(step, path.slice(from, to).toLowerCase())
      from = to + 1
    }
    step.made ??= this.#make(step.chosen())
    this.#last = { path, made: step.made }
    return step.made
  }

  #after(step: Step<Made>, text: string): Step<Made> {
    const known = step.groups.has(text) ? text : undefined
    let next = step.next.get(known)
    if (next === undefined) {
      next = step.after(known)
      this.#kept += next.ways.length
      // Clients choose the paths. They must not fill the memory with combinations of texts.
      if (this.#kept > this.#maxKept) {
        this.#start = new Step(this.#ways, 0)
        this.#kept = 0
      } else step.next.set(known, next)
    }
    return next
  }
}

interface Way {
  readonly at: number
  readonly shape: Shape
}

/** The patterns that are possible after some segments of a path. */
class Step<Made> {
  readonly ways: readonly Way[]
  readonly #depth: number
  /** Those that ask for a text as the next segment, by that text. */
  readonly groups = new Map<string, Way[]>()
  /** Those that take any next segment. */
  readonly #others: Way[] = []
  /** True where no further segment makes a difference. */
  readonly isLast: boolean
  /** By the next segment; undefined for any that no pattern asks for. */
  readonly next = new Map<string | undefined, Step<Made>>()
  made: Made | undefined

  constructor(ways: readonly Way[], depth: number) {
    this.ways = ways
    this.#depth = depth
    for (const way of ways) {
      const { segments, open } = way.shape
      const text = segments[depth]
      if (text === null || (text === undefined && open)) this.#others.push(way)
      if (typeof text !== 'string') continue
      const group = this.groups.get(text)
      if (group === undefined) this.groups.set(text, [way])
      else group.push(way)
    }
    this.isLast = ways.every(({ shape }) => shape.open && shape.segments.length <= depth)
  }

  after(text: string | undefined): Step<Made> {
    const group = text === undefined ? [] : this.groups.get(text)!
    const ways = [...group, ...this.#others].sort((one, other) => one.at - other.at)
    return new Step(ways, this.#depth + 1)
  }

  /** Of a path that ends here. */
  chosen(): readonly number[] {
    const ended = this.ways.filter(({ shape }) => shape.segments.length <= this.#depth)
    return ended.map(({ at }) => at)
  }
}
