import { RouteControllersError } from '../ground/errors.js'
import type { BodyParser } from './body-parsers.js'
import type { ByMediaType } from './media-types.js'
import { checkOptions, count, type OptionChecks } from '../ground/options.js'

/** Bytes that a body may have unless `bodyLimit` says otherwise: 1 MiB. */
export const defaultBodyLimit: number = 1024 * 1024

/**
 * Limits on the bytes and counts of one request, in every way of serving. `bodyLimit` is an option of its own.
 *
 * Each is a whole number from 0 on, or Infinity; anything else throws ERR_OPTION_INVALID.
 */
export interface RequestLimits {
  /** Bytes of the request target's path and query; a longer one is 414. Default 16 384, what Node takes for a whole head. */
  maxTargetBytes?: number
  /** Fields of a query; those after them are not read. Default 1 000. */
  maxQueryFields?: number
  /** Levels of objects and arrays in a JSON body; more are 400. Default 200. */
  maxJsonDepth?: number
  /** Fields of an urlencoded or multipart body, its files aside; more are 413. Default 1 000. */
  maxFormFields?: number
  /** Files of a multipart body; more are 413. Default 1 000. */
  maxFormFiles?: number
}

/** The limits where none are set. */
export const defaultLimits: Readonly<Required<RequestLimits>> = Object.freeze({
  maxTargetBytes: 16_384,
  maxQueryFields: 1_000,
  maxJsonDepth: 200,
  maxFormFields: 1_000,
  maxFormFiles: 1_000,
})

const checks: OptionChecks<RequestLimits> = {
  // A request has a target of at least one byte. For the others 0 is a possible limit.
  maxTargetBytes: count('bytes', 1),
  maxQueryFields: count('a count'),
  maxJsonDepth: count('a count of levels'),
  maxFormFields: count('a count'),
  maxFormFiles: count('a count'),
}

/** The option `limits`, filled up with the defaults. Throws ERR_OPTION_INVALID. */
export function checkLimits(limits: RequestLimits = {}): Readonly<Required<RequestLimits>> {
  return { ...defaultLimits, ...checkOptions('limits', limits, checks, 'limits.') }
}

/** How a request is read. */
export interface ReadRules {
  readonly limits: Readonly<Required<RequestLimits>>
  /** True where a compressed body is decompressed; its limit then counts the bytes that come out. */
  readonly decompress: boolean
  /** Those of the option `bodyParsers`. */
  readonly parsers?: ByMediaType<BodyParser> | undefined
}

/** The rules where none are set. */
export const defaultRules: ReadRules = Object.freeze({ limits: defaultLimits, decompress: false })

/** The error of a body over its limit of bytes. */
export function tooLarge(limit: number): RouteControllersError {
  return new RouteControllersError('ERR_BODY_TOO_LARGE', `The body has more than ${limit} bytes`)
}

/** The error of a form over one of its counts. */
export function tooMany(what: 'fields' | 'files', limit: number): RouteControllersError {
  return new RouteControllersError('ERR_BODY_TOO_LARGE', `The body has more than ${limit} ${what}`)
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
