// A file that a command edits, and what some attempt to write it has failed with.

/** A file with its text before and after. */
export interface ChangedFile {
  readonly file: string
  readonly text: string
  readonly written: string
  /** True where what runs was made of it by a build. */
  readonly isCompiled: boolean
  /** Declarations that were added, by their names, each with the offset in the text before that `Broken` knows it by. */
  readonly parts?: ReadonlyMap<string, number>
}

/** Why something stays as it is: by a file, or by a call in it where an error names that alone. */
export class Broken {
  readonly #reasons = new Map<string, string[]>()
  #size = 0

  /** How many reasons there are. */
  get size(): number {
    return this.#size
  }

  /** `call` is where the name of the call begins in the text before, or what a part was made of. */
  add(file: string, reason: string, call?: number): void {
    const key = keyOf(file, call)
    this.#reasons.set(key, [...(this.#reasons.get(key) ?? []), reason])
    this.#size++
  }

  /** The reasons of a file, or of a call in it: one for each attempt to write it. */
  reasonsOf(file: string, call?: number): readonly string[] {
    return this.#reasons.get(keyOf(file, call)) ?? []
  }
}

function keyOf(file: string, call: number | undefined): string {
  return call === undefined ? file : `${file}:${call}`
}
