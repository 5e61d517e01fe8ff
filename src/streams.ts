/** What can be streamed: a web stream, or any async iterable (a Node stream is one). */
export type StreamBody = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>

/** True for a web stream of any realm. */
export function isReadableStream(value: object): value is ReadableStream<Uint8Array> {
  return 'getReader' in value && typeof value.getReader === 'function'
}

/**
 * A web stream of what another gives, or an async iterable; `onError` is told what the source fails with. Not
 * ReadableStream.from(), which is not everywhere yet.
 */
export function toReadableStream(
  body: StreamBody,
  onError: (error: unknown) => void = () => {},
): ReadableStream<Uint8Array> {
  const source = open(body)
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await source.next()
          if (done) controller.close()
          else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value!)
        } catch (error) {
          onError(error)
          throw error
        }
      },
      async cancel() {
        await source.cancel()
      },
    },
    // Nothing is taken from the source before somebody reads.
    { highWaterMark: 0 },
  )
}

/** True for a body that comes in pieces. */
export function isStream(body: StreamBody | string | Uint8Array | null): body is StreamBody {
  return typeof body === 'object' && body !== null && !ArrayBuffer.isView(body)
}

/** A web stream or an async iterable, read and given up in the same way. */
export interface Source {
  next(): Promise<{ done?: boolean | undefined; value?: Uint8Array | string | undefined }>
  cancel(): unknown
}

/** Begins to read. */
export function open(body: StreamBody): Source {
  if (isReadableStream(body)) {
    const reader = body.getReader()
    return { next: () => reader.read(), cancel: () => reader.cancel() }
  }
  const iterator = body[Symbol.asyncIterator]()
  return { next: () => iterator.next(), cancel: () => iterator.return?.() }
}

/** Gives a source up. */
export function cancel(source: Source): void {
  try {
    void Promise.resolve(source.cancel()).catch(() => {})
  } catch {
    // How it takes it is its own affair.
  }
}

/** Gives up a body that nobody will read. */
export function discard(body: StreamBody | string | Uint8Array | null): void {
  if (!isStream(body)) return
  // A locked stream has another reader, whose affair it is.
  if (isReadableStream(body) && body.locked) return
  cancel(open(body))
}
