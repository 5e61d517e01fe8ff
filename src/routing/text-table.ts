// V8 copies a slice of up to 12 characters, and compares it at once. A longer one is a view into its string, and comparing
// that takes three times as long.
const pieceLength = 12

// Most texts have none; one for all of them saves memory.
const noTail: readonly string[] = []

/** A text in pieces that compare fast with a part of a path. */
export class Text {
  readonly whole: string
  readonly #head: string
  readonly #tail: readonly string[]

  constructor(whole: string) {
    const tail: string[] = []
    for (let i = pieceLength; i < whole.length; i += pieceLength) tail.push(whole.slice(i, i + pieceLength))
    this.whole = whole
    this.#head = whole.slice(0, pieceLength)
    this.#tail = tail.length === 0 ? noTail : tail
  }

  /** Whether the path reads as this text from a position on. */
  standsAt(path: string, from: number): boolean {
    if (path.slice(from, from + this.#head.length) !== this.#head) return false
    for (let i = 0; i < this.#tail.length; i++) {
      const piece = this.#tail[i] as string
      from += pieceLength
      if (path.slice(from, from + piece.length) !== piece) return false
    }
    return true
  }
}

/**
 * Finds which of many texts stands at a place of a path, at a cost that does not grow with their number.
 *
 * A Map needs that piece of the path as a string of its own, and hashes all its characters. Here the length and four characters
 * lead to the only possible text, which is then compared. The characters are at the positions that best distinguish the texts of
 * that length. This takes half the time, because the strings of a request have not been hashed yet.
 */
export class TextTable<V> {
  readonly #groups: readonly (Group<V> | undefined)[]

  /** The texts are all different, and ASCII as patterns are. */
  constructor(entries: Iterable<readonly [text: string, value: V]>) {
    const byLength: (readonly [string, V])[][] = []
    for (const entry of entries) (byLength[entry[0].length] ??= []).push(entry)
    // Array.from fills the holes: an array that has some is slower to read.
    this.#groups = Array.from(
      byLength,
      (group: (readonly [string, V])[] | undefined) => group && createGroup(group),
    )
  }

  /** The value of the text that is all of a path between two positions. */
  find(path: string, from: number, to: number): V | undefined {
    const length = to - from
    if (length >= this.#groups.length) return undefined
    const group = this.#groups[length]
    if (group === undefined) return undefined
    if (group.map !== undefined) return group.map.get(path.slice(from, to))
    // The empty text has no characters, which makes it slot 0; those of the path at that place are another's.
    let entry = group.slots[length === 0 ? 0 : slotOf(path, from, group.positions, group.shift)]
    while (entry !== undefined) {
      const { text } = entry
      if (length === path.length ? path === text.whole : text.standsAt(path, from)) return entry.value
      entry = entry.next
    }
    return undefined
  }
}

/** The texts of one length, in a hash table of four characters. */
interface Group<V> {
  readonly positions: Positions
  readonly shift: number
  readonly slots: readonly (Entry<V> | undefined)[]
  /** Instead of the slots, where four characters tell too little. */
  readonly map: Map<string, V> | undefined
}

interface Positions {
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
}

interface Entry<V> {
  readonly text: Text
  readonly value: V
  readonly next: Entry<V> | undefined
}

function slotOf(path: string, from: number, { a, b, c, d }: Positions, shift: number): number {
  const characters =
    path.charCodeAt(from + a) ^
    (path.charCodeAt(from + b) << 7) ^
    (path.charCodeAt(from + c) << 14) ^
    (path.charCodeAt(from + d) << 21)
  // Fibonacci hashing: the upper bits of the product depend on all four.
  return Math.imul(characters, 0x9e3779b1) >>> shift
}

// Each further text in a slot may cost one more comparison; a Map costs as much as a few.
const maxChain = 4

function createGroup<V>(entries: readonly (readonly [string, V])[]): Group<V> {
  const positions = choosePositions(entries.map(([text]) => text))
  let bits = 1
  while (2 ** bits < 3 * entries.length) bits++
  const shift = 32 - bits
  const slots = new Array<Entry<V> | undefined>(2 ** bits).fill(undefined)
  const chains = new Uint32Array(slots.length)
  for (const [text, value] of entries) {
    const slot = slotOf(text, 0, positions, shift)
    slots[slot] = { text: new Text(text), value, next: slots[slot] }
    const length = (chains[slot] as number) + 1
    chains[slot] = length
    if (length > maxChain) return { positions, shift, slots: [], map: new Map(entries) }
  }
  return { positions, shift, slots, map: undefined }
}

// Enough to choose by; more would make large tables slow to build.
const mostCompared = 256

/** Four positions, chosen one after the other: each splits best what those before it could not tell apart. */
function choosePositions(texts: readonly string[]): Positions {
  if (texts.length === 1) return { a: 0, b: 0, c: 0, d: 0 }
  const step = Math.ceil(texts.length / mostCompared)
  const compared = texts.filter((_, i) => i % step === 0)
  const candidates = Array.from(compared[0] as string, (_, position) => position)
  const chosen: number[] = []
  let keys = compared.map(() => '')
  while (chosen.length < 4 && candidates.length > 0) {
    const split = (position: number) => keys.map((key, i) => key + (compared[i] as string)[position])
    const alone = (position: number) => new Set(compared.map((text) => text[position])).size
    // Once these are told apart, what has the most different characters tells most of the others apart.
    const scores = candidates.map((position) => new Set(split(position)).size * 128 + alone(position))
    const best = scores.indexOf(Math.max(...scores))
    const [position] = candidates.splice(best, 1) as [number]
    keys = split(position)
    chosen.push(position)
  }
  const [a, b = a, c = b, d = c] = chosen as [number, ...number[]]
  return { a, b, c, d }
}
