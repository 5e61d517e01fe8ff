// Takes given texts out of another text, in time that is linear in both: a client sends the texts, and the page too.

/** A text with each of some other texts replaced. */
export type Mask = (text: string) => string

// Shorter ones are found everywhere, and are no secrets.
const leastSecret = 4
/** Where a request has more letters of them, all of each text is left out. Node allows 16 KiB of headers. */
const mostLetters = 128 * 1024

/**
 * Makes what puts the name of a header where its value stands. It runs before anything is compared and clipped: a part of a secret
 * would not be found any more. Each form of a value has a text of its own, so that they still differ from each other. `shown` stands for
 * all of them, where it is given.
 */
export function maskOf(headers: readonly (readonly [name: string, value: string])[], shown?: string): Mask {
  const texts = headers.flatMap(([name, value]) =>
    partsOf(name, value)
      .filter(([part]) => part.length >= leastSecret)
      .flatMap(([part, label]) => [
        [part, shown ?? `[${label}]`],
        [encoded(part), shown ?? `[${label}, encoded]`],
        [JSON.stringify(part).slice(1, -1), shown ?? `[${label}, as JSON]`],
        [Buffer.from(part).toString('latin1'), shown ?? `[${label}, as UTF-8]`],
      ]),
  )
  // The first form of two that are the same.
  const shownOf = new Map(texts.reverse() as [string, string][])
  if (shownOf.size === 0) return (text) => text
  let letters = 0
  for (const secret of shownOf.keys()) letters += secret.length
  const [[anyName]] = headers as [readonly [string, string]]
  if (letters > mostLetters) return (text) => (text === '' ? '' : (shown ?? `[${anyName}]`))
  let finder: Finder | undefined
  return (text) => (finder ??= new Finder(shownOf)).replaceIn(text)
}

/** What is secret of a header, with a name for it. */
function partsOf(name: string, value: string): (readonly [part: string, label: string])[] {
  if (name === 'cookie') return value.split(/; */).map((pair) => [pair.slice(pair.indexOf('=') + 1), name])
  const [, scheme = '', after] = (name.endsWith('authorization') && /^(\w+) +(.*)$/.exec(value)) || []
  if (!after) return [[value, name]]
  if (!/^basic$/i.test(scheme)) return [[after, name]]
  // RFC 7617 2: an app has the password itself.
  const decoded = Buffer.from(after, 'base64').toString()
  const colon = decoded.indexOf(':')
  const password = colon < 0 ? '' : decoded.slice(colon + 1)
  return [
    [after, name],
    [password, `${name}, its password`],
  ]
}

/** As in a URL, where it has such a form: a half of a surrogate pair has none. */
function encoded(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return text
  }
}

const { imul } = Math

/**
 * Finds many texts in one pass, by a tree of their letters (Aho and Corasick, 1975). Each node also leads to the longest other beginning
 * of a text that the letters before it end with. A regular expression of the same texts takes quadratic time, where a page repeats
 * the beginning of one.
 */
class Finder {
  readonly #code: Uint16Array
  readonly #parent: Int32Array
  /** The nodes by parent and letter, at the first free place from their hash on. */
  readonly #slots: Int32Array
  readonly #fallback: Int32Array
  /** How long the longest text is that ends at a node, 0 without any, and where `#shown` has what replaces it. */
  readonly #found: Int32Array
  readonly #label: Int32Array
  readonly #shown: string[] = []
  /** The first nodes by their letter: most letters of a page begin nothing. */
  readonly #first = new Int32Array(256)
  #nodes = 1

  constructor(shownOf: ReadonlyMap<string, string>) {
    let size = 1
    for (const text of shownOf.keys()) size += text.length
    this.#code = new Uint16Array(size)
    this.#parent = new Int32Array(size)
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * size)))
    this.#fallback = new Int32Array(size)
    this.#found = new Int32Array(size)
    this.#label = new Int32Array(size)
    for (const [text, shown] of shownOf) this.#add(text, shown)
    this.#link(shownOf.keys())
  }

  #add(text: string, shown: string): void {
    let node = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      let next = this.#childOf(node, code)
      if (next === 0) {
        next = this.#nodes++
        this.#code[next] = code
        this.#parent[next] = node
        this.#slots[this.#slotOf(node, code)] = next
        if (node === 0 && code < 256) this.#first[code] = next
      }
      node = next
    }
    this.#found[node] = text.length
    this.#label[node] = this.#shown.push(shown) - 1
  }

  /** 0 where there is none: no child is the root. */
  #childOf(node: number, code: number): number {
    return node === 0 && code < 256 ? this.#first[code]! : this.#slots[this.#slotOf(node, code)]!
  }

  #slotOf(node: number, code: number): number {
    const last = this.#slots.length - 1
    let hash = imul(node, 0x9e3779b1) ^ imul(code, 0x85ebca6b)
    hash ^= hash >>> 15
    for (let at = hash & last; ; at = (at + 1) & last) {
      const child = this.#slots[at]!
      if (child === 0 || (this.#code[child] === code && this.#parent[child] === node)) return at
    }
  }

  #step(node: number, code: number): number {
    let from = node
    for (;;) {
      const next = this.#childOf(from, code)
      if (next !== 0 || from === 0) return next
      from = this.#fallback[from]!
    }
  }

  /** Nodes by their depth: what a node falls back to is less deep. */
  #link(texts: Iterable<string>): void {
    const open = [...texts].map((text) => ({ text, node: 0 }))
    for (let depth = 0; open.length > 0; depth++) {
      let left = 0
      for (const one of open) {
        if (depth === one.text.length) continue
        const code = one.text.charCodeAt(depth)
        const node = this.#childOf(one.node, code)
        const fallback = one.node === 0 ? 0 : this.#step(this.#fallback[one.node]!, code)
        this.#fallback[node] = fallback
        if (this.#found[node] === 0) {
          this.#found[node] = this.#found[fallback]!
          this.#label[node] = this.#label[fallback]!
        }
        one.node = node
        open[left++] = one
      }
      open.length = left
    }
  }

  /** Texts that overlap are replaced together, by what the longest of them is replaced by. */
  replaceIn(text: string): string {
    const parts: string[] = []
    let kept = 0
    let from = -1
    let to = -1
    let longest = 0
    let shown = ''
    const [first, found] = [this.#first, this.#found]
    let node = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      node = node === 0 && code < 256 ? first[code]! : this.#step(node, code)
      const length = found[node]!
      if (length === 0) continue
      const start = at + 1 - length
      if (from >= 0 && start >= to) {
        parts.push(text.slice(kept, from), shown)
        kept = to
        from = -1
      }
      if (from < 0) {
        from = start
        longest = 0
      }
      // A longer one may begin before one that was found within it.
      else if (start < from) from = start
      to = at + 1
      if (length > longest) {
        longest = length
        shown = this.#shown[this.#label[node]!]!
      }
    }
    if (from < 0) return text
    parts.push(text.slice(kept, from), shown, text.slice(to))
    return parts.join('')
  }
}
