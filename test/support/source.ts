/** The source of a stream: the test gives its chunks, and sees how often it is asked for one and given up. */
export class Source {
  /** How often somebody has asked for a chunk. */
  asked = 0
  /** How often it was given up before its end. */
  cancelled = 0
  readonly #chunks: string[] = []
  #ended = false
  #error: Error | undefined
  #wake = (): void => {}
  #noteCancelled = (): void => {}
  /** Resolves when it has been given up. */
  readonly whenCancelled = new Promise<void>((resolve) => (this.#noteCancelled = resolve))

  give(...chunks: string[]): this {
    this.#chunks.push(...chunks)
    this.#wake()
    return this
  }

  end(): this {
    this.#ended = true
    this.#wake()
    return this
  }

  fail(error: Error): this {
    this.#error = error
    this.#wake()
    return this
  }

  async #next(): Promise<string | undefined> {
    this.asked++
    while (this.#chunks.length === 0 && !this.#ended && this.#error === undefined) {
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    if (this.#chunks.length > 0) return this.#chunks.shift()
    if (this.#error !== undefined) throw this.#error
    return undefined
  }

  #cancel(): void {
    this.cancelled++
    this.#ended = true
    this.#wake()
    this.#noteCancelled()
  }

  /** As an async iterable. */
  asIterable(): AsyncIterable<string> {
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          const value = await this.#next()
          return value === undefined ? { done: true, value } : { done: false, value }
        },
        return: async () => {
          this.#cancel()
          return { done: true, value: undefined }
        },
      }),
    }
  }

  /** As a web stream, from which nothing is taken before it is read. */
  asStream(): ReadableStream<Uint8Array> {
    return new ReadableStream(
      {
        pull: async (controller) => {
          const value = await this.#next()
          // Cancelled while it waited.
          if (this.cancelled > 0) return
          if (value === undefined) controller.close()
          else controller.enqueue(new Uint8Array(Buffer.from(value)))
        },
        cancel: () => this.#cancel(),
      },
      { highWaterMark: 0 },
    )
  }
}
