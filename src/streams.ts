/** True for a web stream of any realm. */
export function isReadableStream(value: object): value is ReadableStream<Uint8Array> {
  return 'getReader' in value && typeof value.getReader === 'function'
}

/** A web stream of what an async iterable gives. Not ReadableStream.from(), which is not everywhere yet. */
export function toReadableStream(source: AsyncIterable<Uint8Array | string>): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const result = await iterator.next()
      if (result.done) controller.close()
      else controller.enqueue(typeof result.value === 'string' ? encoder.encode(result.value) : result.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
