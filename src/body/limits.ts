import { RouteControllersError } from '../errors.js'

/** Bytes that a body may have unless `bodyLimit` says otherwise: 1 MiB. */
export const defaultBodyLimit: number = 1024 * 1024

/** Fields that a query, a form or a multipart body may have. */
export const maxFields = 1000

function tooLarge(limit: number): RouteControllersError {
  return new RouteControllersError('ERR_BODY_TOO_LARGE', `The body has more than ${limit} bytes`, {
    status: 413,
  })
}

export function tooManyFields(): RouteControllersError {
  return new RouteControllersError('ERR_BODY_TOO_LARGE', `The body has more than ${maxFields} fields`, {
    status: 413,
  })
}

/** Refuses a declared excess before anything is read. What the header claims is never trusted further than that. */
export function checkDeclaredLength(contentLength: string | undefined, limit: number): void {
  if (contentLength !== undefined && Number(contentLength) > limit) throw tooLarge(limit)
}

/** The same chunks up to a limit; throws 413 at the first byte over it. */
export async function* bounded(chunks: AsyncIterator<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of { [Symbol.asyncIterator]: () => chunks }) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge(limit)
    yield chunk
  }
}

/** Adds up what was really read, exact to the byte, and joins it at the end. */
export class BoundedBytes {
  readonly #chunks: Uint8Array[] = []
  readonly #limit: number
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Throws 413 with the first byte too many. */
  add(chunk: Uint8Array): void {
    this.#size += chunk.byteLength
    if (this.#size > this.#limit) throw tooLarge(this.#limit)
    this.#chunks.push(chunk)
  }

  join(): Uint8Array {
    if (this.#chunks.length === 1) return this.#chunks[0]!
    const whole = new Uint8Array(this.#size)
    let at = 0
    for (const chunk of this.#chunks) {
      whole.set(chunk, at)
      at += chunk.byteLength
    }
    return whole
  }
}
