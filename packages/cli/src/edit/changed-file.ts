// A file that a command edits, and what some attempt to write it has failed with.

/** A file with its text before and after. */
export interface ChangedFile {
  readonly file: string
  readonly text: string
  readonly written: string
  /** True where what runs was made of it by a build. */
  readonly isCompiled: boolean
}

/** Why something stays as it is: by a file, or by a call in it where an error names that alone. */
export class Broken {
  readonly #reasons = new Map<string, string>()

  get size(): number {
    return this.#reasons.size
  }

  /** `call` is where the call begins in the text before. */
  add(file: string, reason: string, call?: number): void {
    const key = call === undefined ? file : `${file}:${call}`
    if (!this.#reasons.has(key)) this.#reasons.set(key, reason)
  }

  reasonOf(file: string, call?: number): string | undefined {
    return this.#reasons.get(call === undefined ? file : `${file}:${call}`)
  }
}
