import { isHopByHop } from './headers.js'
import { isStream } from './streams.js'
import { type AnswerParts, type Payload, toResponse } from './web-response.js'

const brand = Symbol.for('routecontrollers.response')

/**
 * The `Response` that the methods of `res` return. It has status, headers and payload in plain fields, so Node can send it
 * without a web Response. The web Response is made when one of its members is first used.
 */
export class LightResponse {
  statusCode: number
  statusMessage: string
  /** Names and values, one after the other. */
  headerList: string[]
  payload: Payload
  /** Where `res.redirect` leads, as it was given: an app of Express sends it with a page of its own. */
  location: string | undefined
  /** True where a method has read it: the body that it gave may be in another answer. */
  isRead: boolean
  #native: Response | undefined

  constructor(statusCode: number, headerList: string[], payload: Payload, statusMessage = '') {
    if (!isComplete) complete()
    this.statusCode = statusCode
    this.statusMessage = statusMessage
    this.headerList = headerList
    this.payload = payload
    this.location = undefined
    this.isRead = false
  }

  /** The web Response that stands for this one from its first touch on. */
  toNative(): Response {
    return (this.#native ??= toResponse(partsOf(this)))
  }

  /** The web Response, if this one was ever touched; it may have been changed since. */
  get touched(): Response | undefined {
    return this.#native
  }
}

Object.defineProperty(LightResponse.prototype, brand, { value: true })

let isComplete = false

/**
 * `instanceof Response` holds and every member of a Response works, without `super()`, which would build one.
 *
 * With the first answer, not with the import: Node loads its web classes when they are first named, a quarter of the time
 * that importing this package would take.
 */
function complete(): void {
  // Jest's jsdom has none: what it gets over a socket needs none either.
  if (typeof Response === 'undefined') return
  isComplete = true
  Object.setPrototypeOf(LightResponse.prototype, Response.prototype)
  // Workers have the members of a body on a prototype behind.
  const behind = Object.getPrototypeOf(Response.prototype) as object
  const descriptors: Record<string, PropertyDescriptor> = {
    ...(behind === Object.prototype ? {} : Object.getOwnPropertyDescriptors(behind)),
    ...Object.getOwnPropertyDescriptors(Response.prototype),
  }
  for (const [name, descriptor] of Object.entries(descriptors)) {
    if (name === 'constructor') continue
    Object.defineProperty(
      LightResponse.prototype,
      name,
      typeof descriptor.value === 'function'
        ? {
            configurable: true,
            value(this: LightResponse, ...parameters: unknown[]) {
              this.isRead = true
              return (descriptor.value as (...all: unknown[]) => unknown).apply(this.toNative(), parameters)
            },
          }
        : {
            configurable: true,
            get(this: LightResponse) {
              return descriptor.get!.call(this.toNative()) as unknown
            },
          },
    )
  }
}

/** True for a light response of any copy of this package. */
export function isLight(value: unknown): value is LightResponse {
  return typeof value === 'object' && value !== null && brand in value
}

// By its tag and not by `instanceof`: Jest gives tests a realm, and so a Response, of their own.
export function isResponse(value: object): value is Response {
  return Object.prototype.toString.call(value) === '[object Response]'
}

/** The parts of an answer. For a light one whose members were used, they are those of its web Response. */
export function partsOf(answer: LightResponse | Response): AnswerParts {
  const light = isLight(answer) ? answer : undefined
  if (light !== undefined && light.touched === undefined) {
    const { statusCode, statusMessage, headerList, payload } = light
    return { status: statusCode, statusText: statusMessage, headers: headerList, payload }
  }
  const response = light?.touched ?? (answer as Response)
  const { status, statusText, headers: fields, body } = response
  const headers: string[] = []
  for (const [name, value] of fields) if (!isHopByHop(name)) headers.push(name, value)
  // The body of a Response does not tell what it is made of. That of a stream which is not read has not opened it.
  const isRead = light?.isRead === true || response.bodyUsed || body?.locked === true
  const payload = light === undefined || (isStream(light.payload) && isRead) ? body : light.payload
  return { status, statusText, headers, payload }
}
