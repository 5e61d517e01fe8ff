// Fits a page of `brief`: what is most needed comes first, and what has no room is named.
import type { BriefExample, BriefPiece, BriefReport } from '../documents/brief.js'
import { mostTokens, tokensOf } from './brief-limit.js'
import { briefText } from './brief-text.js'

type Whole = Omit<BriefReport, 'tokens'>

// Names of what is left out, and members of a function that is not the handler.
const mostNames = 5
const mostMembers = 12
const longestName = 80
// Less than that of a source says nothing.
const leastLines = 4
// Sentences about what is left out come last.
const spare = 400

/** The page with as much of the sources and examples as has room. */
export function fitted(whole: Whole): BriefReport {
  const page = new Page(whole)
  return page.report()
}

class Page {
  readonly #whole: Whole
  #pieces: BriefPiece[]
  #examples: BriefExample[] = []
  /** What is left out, by what it is. */
  readonly #dropped = { pieces: [] as string[], sources: [] as string[], cut: [] as string[], examples: 0 }

  constructor(whole: Whole) {
    this.#whole = whole
    this.#pieces = whole.pieces.map((piece, at) => ({ ...bounded(piece, at === 0), source: undefined }))
  }

  report(): BriefReport {
    while (!this.#fits() && this.#pieces.length > 1) this.#dropped.pieces.push(this.#pieces.pop()!.name)
    const [first, ...examples] = this.#whole.examples
    this.#addSource(0)
    if (first !== undefined) this.#addExample(first)
    for (let at = 1; at < this.#pieces.length; at++) this.#addSource(at)
    for (const one of examples) this.#addExample(one)
    return this.#made()
  }

  #addSource(at: number): void {
    const { source } = this.#whole.pieces[at]!
    const { name, definition } = this.#pieces[at]!
    if (source === undefined) return
    const put = (text: string | undefined): boolean => {
      this.#pieces[at] = { ...this.#pieces[at]!, source: text }
      return this.#fits()
    }
    if (put(source)) return
    const lines = source.split('\n')
    const cut = (count: number): string =>
      [...lines.slice(0, count), `// … ${lines.length - count} more lines: ${definition}`].join('\n')
    // The most lines that have room.
    let [low, high] = [0, lines.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (put(cut(middle))) low = middle
      else high = middle - 1
    }
    const isCut = low >= Math.min(leastLines, lines.length) && put(cut(low))
    if (!isCut) put(undefined)
    this.#dropped[isCut ? 'cut' : 'sources'].push(`${name} (${definition})`)
  }

  #addExample(one: BriefExample): void {
    this.#examples.push(one)
    if (this.#fits()) return
    this.#examples.pop()
    this.#dropped.examples++
  }

  #fits(): boolean {
    const report = this.#made()
    return report.tokens <= mostTokens - Math.ceil(spare / 3)
  }

  #made(): BriefReport {
    const report = {
      ...this.#whole,
      pieces: this.#pieces,
      examples: this.#examples,
      leftOut: [...this.#whole.leftOut, ...this.#sentences()],
      tokens: mostTokens,
    }
    const texts = [briefText(report, { colours: false }), `${JSON.stringify(report, null, 2)}\n`]
    return { ...report, tokens: Math.max(...texts.map(tokensOf)) }
  }

  #sentences(): string[] {
    const { pieces, sources, cut, examples } = this.#dropped
    const listed = (names: readonly string[]): string => {
      const shown = names.slice(0, mostNames).map((name) => name.slice(0, longestName))
      return names.length > mostNames
        ? `${shown.join(', ')} and ${names.length - mostNames} more`
        : shown.join(', ')
    }
    return [
      ...(cut.length > 0 ? [`The ends of these sources: ${listed(cut)}.`] : []),
      ...(sources.length > 0 ? [`The sources of ${listed(sources)}.`] : []),
      ...(pieces.length > 0 ? [`These functions: ${listed(pieces)}.`] : []),
      ...(examples > 0 ? [`Recorded examples: ${examples}.`] : []),
    ]
  }
}

function bounded(piece: BriefPiece, isHandler: boolean): BriefPiece {
  const few = (members: readonly string[]): string[] =>
    (isHandler ? members : members.slice(0, mostMembers)).map((one) => one.slice(0, longestName))
  const { name, reads, sets, leaves } = piece
  return {
    ...piece,
    name: name.slice(0, longestName),
    reads: few(reads),
    sets: few(sets),
    leaves: few(leaves),
  }
}
