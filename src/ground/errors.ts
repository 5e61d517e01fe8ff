import { type ErrorCode, errorStatuses } from './error-codes.js'

const brand = Symbol.for('routecontrollers.error')

/**
 * An error of this package.
 *
 * `code` is stable: use it in programs. `status` is set where the error answers a request. As in http-errors, `expose` then says
 * whether the client may get the message, and `headers` are headers of the answer.
 *
 * @example
 * ```ts
 * import { Controller, isRouteControllersError } from 'routecontrollers'
 *
 * try {
 *   new Controller('GET', '/users/:7', (req, res) => res.end())
 * } catch (error) {
 *   if (!isRouteControllersError(error)) throw error
 *   console.log(error.code) // ERR_PATTERN_INVALID
 * }
 * ```
 */
export class RouteControllersError extends Error {
  override readonly name: string = 'RouteControllersError'
  readonly code: ErrorCode
  // Declared alone: a field that nothing sets would be printed with each error.
  declare readonly status: number | undefined
  /** The same, under the name that Nest and other hosts read. */
  declare readonly statusCode: number | undefined
  readonly expose: boolean
  /** Headers of the answer to it, if any. */
  declare readonly headers?: Readonly<Record<string, string>>
  /** Why the input of a request is refused, where it is: see `RefusedInput`. */
  declare readonly errors?: readonly object[]

  constructor(
    code: ErrorCode,
    message: string,
    details: {
      /** Where it is not that of the code. */
      status?: number
      cause?: unknown
      errors?: readonly object[]
      headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    const { status = errorStatuses[code] } = details
    if (status !== undefined) this.status = this.statusCode = status
    this.expose = status !== undefined && status < 500
    if (details.errors !== undefined) this.errors = details.errors
    if (details.headers !== undefined) this.headers = details.headers
    // The brand and not the class decides: two copies of the package, and Jest's realms, break `instanceof`.
    Object.defineProperty(this, brand, { value: true })
  }
}

/** True for an error that any copy of this package has made. */
export function isRouteControllersError(value: unknown): value is RouteControllersError {
  try {
    return typeof value === 'object' && value !== null && brand in value
  } catch {
    // A proxy may throw in its turn.
    return false
  }
}

/** True for failures of the server: a 4xx is a mistake of the client, and so is a method or version that is not supported. */
export function isFailure(thrown: unknown): boolean {
  const status = statusOf(thrown)
  return status === 500 || (status > 500 && !isRouteControllersError(thrown))
}

/**
 * Makes an error for `next()` of what was thrown: `next()` takes neither nothing nor `'route'` for an error. A host can read it:
 * Express ends its process over an error whose status cannot be read.
 */
export function toFailure(thrown: unknown): unknown {
  const isSignal = !thrown || thrown === 'route' || thrown === 'router'
  if (isSignal) return new Error(`Thrown: ${String(thrown)}`)
  if (isReadable(thrown)) return thrown
  return Object.assign(new Error('Thrown: something that cannot be read'), { status: statusOf(thrown) })
}

const readByHosts = ['status', 'statusCode', 'headers', 'expose', 'code', 'name', 'message', 'stack'] as const

const asText: (value: unknown) => string = String

function isReadable(thrown: unknown): boolean {
  if ((typeof thrown !== 'object' && typeof thrown !== 'function') || thrown === null) return true
  try {
    const error = thrown as Record<string, unknown>
    for (const name of readByHosts) void error[name]
    // Throws for a proxy that has been revoked.
    Object.prototype.toString.call(thrown)
    // What a host shows of an error that has no stack.
    if (error['stack'] === undefined) asText(thrown)
    return true
  } catch {
    return false
  }
}

/** The HTTP status of a thrown value: its 4xx or 5xx `status` (or `statusCode`), else 500. */
export function statusOf(thrown: unknown): number {
  return ownStatusOf(thrown) ?? 500
}

/** True for a thrown value that has a status itself. */
export function hasStatus(thrown: unknown): boolean {
  return ownStatusOf(thrown) !== undefined
}

function ownStatusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined
  let status: unknown
  let statusCode: unknown
  try {
    ;({ status, statusCode } = thrown as { status?: unknown; statusCode?: unknown })
  } catch {
    // A getter may throw in its turn.
  }
  for (const candidate of [status, statusCode]) {
    if (typeof candidate === 'number' && Number.isInteger(candidate) && candidate >= 400 && candidate < 600) {
      return candidate
    }
  }
  return undefined
}
